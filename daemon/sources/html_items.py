"""Which element of an HTML list shows which posting, when of each only its links are known, whatever the template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources.html_nesting import outermost, owner_of

ITEM_TAGS = frozenset({"li", "tr", "article"})

_FARTHEST = 30
"""Elements round a link that are looked at; the sites' pages are at most 23 deep."""

Items = Mapping[str, Sequence[LexborNode]]
"""Elements of the page by the posting that they belong to."""


def items_round(links: Items, is_whole: Callable[[LexborNode], bool]) -> dict[str, list[LexborNode]]:
    """The elements that show each posting, one round each of its links; none in another, none that two postings share.

    It is the list element or table row round the link, else the first element round it that `is_whole`, else the
    widest that is the posting's own.
    """
    owner: dict[int, str | None] = {}
    for posting, found in links.items():
        for link in found:
            node: LexborNode | None = link
            while node is not None and (known := owner.get(node.mem_id, "")) not in (None, posting):
                owner[node.mem_id] = None if known else posting  # None is shared, and so is all that is round it
                node = node.parent
    whole: dict[int, bool] = {}
    items = {posting: [_item(link, owner, is_whole, whole) for link in found] for posting, found in links.items()}
    return {posting: outermost(found) for posting, found in items.items()}


def _item(
    link: LexborNode, owner: dict[int, str | None], is_whole: Callable[[LexborNode], bool], whole: dict[int, bool]
) -> LexborNode:
    own = [link]
    while own[-1].tag not in ITEM_TAGS:
        parent = own[-1].parent
        if parent is None or parent.tag in ("body", "html") or owner[parent.mem_id] is None or len(own) == _FARTHEST:
            break
        own.append(parent)
    else:
        return own[-1]
    for node in own:
        if node.mem_id not in whole:
            whole[node.mem_id] = is_whole(node)  # links to one posting share what is round them
        if whole[node.mem_id]:
            return node
    return own[-1]


def found_in(items: Items, tree: LexborHTMLParser, selector: str) -> dict[str, list[LexborNode]]:
    """What `selector` finds, by the posting in whose item it stands: asked once for the page, not once an item."""
    home: dict[int, str | None] = {item.mem_id: posting for posting, found in items.items() for item in found}
    standing: dict[str, list[LexborNode]] = {}
    for node in tree.css(selector):
        if (posting := owner_of(node, home)) is not None:
            standing.setdefault(posting, []).append(node)
    return standing


def beside(items: Items) -> Iterator[LexborNode]:
    """The elements that stand beside items of the postings, neither being one nor holding one."""
    shown: set[int] = set()
    parents: dict[int, LexborNode] = {}
    for item in (item for found in items.values() for item in found):
        at: LexborNode | None = item
        while at is not None and at.mem_id not in shown:
            shown.add(at.mem_id)
            at = at.parent
        if (parent := item.parent) is not None:
            parents[parent.mem_id] = parent
    for parent in parents.values():
        for sibling in parent.iter():
            if sibling.mem_id not in shown:
                yield sibling
