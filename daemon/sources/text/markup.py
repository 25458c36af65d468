"""HTML: what a reader sees of it, and markup that would keep the parser busy for minutes. Pure.

Lexbor walks its stack of open elements at every tag, and a tag's attributes at every attribute: 50,000 nested `<div>`
(250 KB) take it 25 s, 100,000 attributes two minutes (measured, selectolax 1.0.2). The pages of the nine sites are at
most 23 deep. `too_costly` finds the plain cases; it is no HTML tokenizer that could not be outwitted.
"""

from __future__ import annotations

import html
import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources.text.plain import collapse

_DROPPED = frozenset({"head", "script", "style", "noscript", "template", "title", "iframe", "svg", "object"})
_BLOCKS = """
    address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol option p pre section select summary table tbody
    tfoot thead tr ul
"""
_BREAKING = frozenset(_BLOCKS.split())
_CELLS = frozenset({"td", "th"})
_BREAK = "\0"
"""Stands where a line ends; an HTML parser lets none through."""

_ANY_TAG = re.compile("<[^>]*>")

_DEEPEST = 500
_MOST_STEPS = 50_000_000
"""Walks along the stack of open elements; about half a second of parsing."""

_MOST_ATTRIBUTES = 5_000

_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FLOODED = 20_000
"""Bytes of a tag from which on its attributes are counted."""

_FLOODED_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d,}" % _FLOODED)

_NEVER_DEEPER = frozenset(
    b"area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track"
    b" wbr".split()
)
"""Elements without content, and those that close the one before."""


def html_to_text(markup: str) -> str:
    """What a reader sees of `markup`: one line per block, entities decoded, white space collapsed, no empty lines.

    Scripts, styles and the head are dropped. Plain text comes back as one collapsed line. It is parsed once:
    content that is escaped as a whole (Greenhouse) must be unescaped by the caller first. Markup that the parser would
    take minutes for loses its tags without being parsed.
    """
    encoded = markup.encode("utf-8", "ignore")
    if too_costly(encoded) is not None:
        return collapse(html.unescape(_ANY_TAG.sub(" ", markup)))
    root = LexborHTMLParser(encoded).root
    return "" if root is None else node_text(root)


def node_text(root: LexborNode) -> str:
    """`html_to_text` of one element of a page that is parsed already."""
    parts: list[str] = []
    # The tree is walked by hand: recursion would fail on a deep one. A text on the stack is what follows an element.
    stack: list[LexborNode | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        if item is not root and (sibling := item.next) is not None:
            stack.append(sibling)
        if item.is_text_node:
            parts.append(item.text_content or "")
            continue
        tag = item.tag
        if tag in _DROPPED:
            continue
        if tag in _BREAKING:
            parts.append(_BREAK)
            stack.append(_BREAK)
        elif tag in _CELLS:
            stack.append(" ")
        if (child := item.child) is not None:
            stack.append(child)
    text = "".join(parts).replace("\u200b", " ").replace("\ufeff", " ")
    return "\n".join([line for part in text.split(_BREAK) if (line := " ".join(part.split()))])


def too_costly(markup: bytes) -> str | None:
    """Why `markup` should not be parsed; None when it may be."""
    if _has_long_tag(markup) and markup.count(b"=") > _MOST_ATTRIBUTES:
        for tag in _FLOODED_TAG.finditer(markup):
            if markup.count(b"=", *tag.span()) > _MOST_ATTRIBUTES:
                return f"HTML with over {_MOST_ATTRIBUTES} attributes in one tag"
    tags = markup.count(b"<")
    if tags * tags <= 2 * _MOST_STEPS:
        # Most pages: parsing could not take long even if nothing in it were ever closed.
        return None
    return _nested(markup)


def _has_long_tag(markup: bytes) -> bool:
    """Whether there may be one that `_FLOODED_TAG` finds: half as much without a bracket, somewhere."""
    half = _FLOODED // 2
    return any(
        markup.find(b"<", start, start + half) < 0 and markup.find(b">", start, start + half) < 0
        for start in range(0, len(markup) - half + 1, half)
    )


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
