"""Which of a page's elements stand in one another, told without going any way up twice. Pure.

What stands in an element is also what stands in each element round it: a page that nests what should stand side by
side would be read as many times as it is deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from selectolax.lexbor import LexborHTMLParser, LexborNode

DEEPEST = 100
"""Elements in one another; the sites' pages are at most 23 deep."""

_TOO_DEEP = " > ".join("*" * DEEPEST)

_Owner = TypeVar("_Owner")


def is_too_deep(tree: LexborHTMLParser) -> bool:
    """Whether as many elements as `DEEPEST` stand in one another, somewhere in the page."""
    return tree.css_first(_TOO_DEEP) is not None


def owner_of(node: LexborNode | None, owners: dict[int, _Owner | None]) -> _Owner | None:
    """What `owners` has for `node` or for the next element round it that is there; None when it has nothing.

    `owners` is by `mem_id`; what is found is put there for the elements passed.
    """
    passed: list[int] = []
    while node is not None and node.mem_id not in owners:
        passed.append(node.mem_id)
        node = node.parent
    owner = None if node is None else owners[node.mem_id]
    for each in passed:
        owners[each] = owner
    return owner


def holders(elements: Sequence[LexborNode]) -> frozenset[int]:
    """The `mem_id` of those of `elements` that hold another of them."""
    return frozenset(each for each in _round(elements) if each is not None)


def outermost(elements: Iterable[LexborNode]) -> list[LexborNode]:
    """Those of `elements` that stand in no other of them, each once."""
    given = list({element.mem_id: element for element in elements}.values())
    return [element for element, outer in zip(given, _round(given), strict=True) if outer is None]


def _round(elements: Sequence[LexborNode]) -> list[int | None]:
    """For each element, which of them is the next one round it."""
    owners: dict[int, int | None] = {element.mem_id: element.mem_id for element in elements}
    return [owner_of(element.parent, owners) for element in elements]
