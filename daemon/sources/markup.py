"""Markup that would keep the HTML parser busy for minutes, recognised before it is parsed. Pure.

Lexbor walks its stack of open elements at every tag, and a tag's attributes at every attribute: 50,000 nested `<div>`
(250 KB) take it 25 s, 100,000 attributes two minutes (measured, selectolax 1.0.2). The pages of the nine sites are at
most 23 deep. This finds the plain cases; it is no HTML tokenizer that could not be outwitted.
"""

from __future__ import annotations

import re

_DEEPEST = 500
_MOST_STEPS = 50_000_000
"""Walks along the stack of open elements; about half a second of parsing."""

_MOST_ATTRIBUTES = 5_000

_OPENING = re.compile(rb"<[a-zA-Z]")
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FLOODED_TAG = re.compile(rb"<[a-zA-Z][^<>]{20000,}")

_NEVER_DEEPER = frozenset(
    b"area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track"
    b" wbr".split()
)
"""Elements without content, and those that close the one before."""


def too_costly(markup: bytes) -> str | None:
    """Why `markup` should not be parsed; None when it may be."""
    for tag in _FLOODED_TAG.finditer(markup):
        if markup.count(b"=", *tag.span()) > _MOST_ATTRIBUTES:
            return f"HTML with over {_MOST_ATTRIBUTES} attributes in one tag"
    openings = len(_OPENING.findall(markup))
    if openings * markup.count(b"<") <= _MOST_STEPS:
        # Most pages: parsing could not take long even if nothing in it were ever closed.
        return None
    return _nested(markup)


def _nested(markup: bytes) -> str | None:
    open_elements: dict[bytes, int] = {}
    depth = steps = 0
    for tag in _TAG.finditer(markup):
        steps += depth
        if depth > _DEEPEST:
            return f"HTML nested over {_DEEPEST} deep"
        if steps > _MOST_STEPS:
            return "HTML nested too deep for its length"
        closing, name = tag[1], tag[2].lower()
        if name in _NEVER_DEEPER:
            continue
        count = open_elements.get(name, 0)
        if not closing:
            open_elements[name] = count + 1
            depth += 1
        elif count:
            open_elements[name] = count - 1
            depth -= 1
    return None
