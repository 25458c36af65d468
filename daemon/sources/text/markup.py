"""HTML: what a reader sees of it, and markup that would keep the parser busy for minutes. Pure.

Lexbor walks its stack of open elements at every tag, and a tag's attributes at every attribute: 50,000 nested `<div>`
(250 KB) take it 25 s, 100,000 attributes two minutes (measured, selectolax 1.0.2). The pages of the nine sites are at
most 23 deep. And it keeps every state of a text that grows piece by piece: one that is put before a table from inside
it, or between head and body, takes memory by the square of its pieces (250 KB of `<table>` and `x<!---->`: 350 MiB).
`too_costly` finds the plain cases; it is no HTML tokenizer that could not be outwitted.
"""

from __future__ import annotations

import html
import re
from itertools import islice

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

_ANY_TAG = re.compile("<[^<>]*>")

_DEEPEST = 500
_MOST_STEPS = 50_000_000
"""Walks along the stack of open elements; about half a second of parsing."""

_MOST_ATTRIBUTES = 5_000

_QUOTED_VALUE = re.compile(rb"""=\s*(?:"[^"]*"|'[^']*')""")
_SEPARATED = re.compile(rb"(?<=[\s/])[^\s/>]")

_MOST_TAGS = 200_000
"""Each takes some 400 bytes; a page of 16 MiB as tight as the sites' own has twice as many, the largest known 9,000."""

_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_FLOODED = 20_000
"""Bytes of a tag from which on its attributes are counted."""

_FLOODED_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d,}" % _FLOODED)

_NEVER_DEEPER = frozenset(
    b"area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track"
    b" wbr".split()
)
"""Elements without content, and those that close the one before."""


_HARMLESS = 128 * 1024
"""Bytes up to which no page was found that takes 100 MiB by growing texts."""

_MOST_GROWTH = 50_000_000
"""Bytes of all the states of texts that grow."""

_TOKEN = re.compile(rb"<!--.*?(?:-->|$)|<(/?)([a-zA-Z][a-zA-Z0-9-]*)[^<>]*>?", re.DOTALL)
_HEAD_ENDS = re.compile(rb"</head[\s/>]", re.IGNORECASE)
_PAGE_ENDS = re.compile(rb"</(?:body|html)[\s/>]", re.IGNORECASE)
_TABLE = re.compile(rb"<table[\s/>]", re.IGNORECASE)
_USUAL_GAP = 4096
"""Bytes between head and body, or after the body, that are not worth a look."""

_ROWS = frozenset(b"table tbody thead tfoot tr colgroup".split())
_IN_ROWS = frozenset(b"tbody thead tfoot tr td th caption colgroup".split())
_ANYWHERE = frozenset(b"base form input link meta noframes noscript script style template title".split())
"""Elements that stand in a table or after the head without ending it."""
_RAW = frozenset(b"noframes noscript script style textarea title".split())
"""Elements whose content is no markup."""


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
    if _has_long_tag(markup):
        for tag in _FLOODED_TAG.finditer(markup):
            # After a blank or a slash, with a value or without one; or right after a value in quotes.
            plain, quoted = _QUOTED_VALUE.subn(b"", tag[0])
            bare = sum(1 for _ in islice(_SEPARATED.finditer(plain), _MOST_ATTRIBUTES + 1))
            if max(quoted, bare) > _MOST_ATTRIBUTES:
                return f"HTML with over {_MOST_ATTRIBUTES} attributes in one tag"
    tags = markup.count(b"<")
    if tags > _MOST_TAGS:
        return f"HTML with over {_MOST_TAGS} tags"
    # Most pages: parsing could not take long even if nothing in it were ever closed.
    harmless = tags * tags <= 2 * _MOST_STEPS
    if not harmless and (why := _nested(markup)) is not None:
        return why
    if len(markup) > _HARMLESS and _may_grow(markup) and _grows(markup):
        return "HTML with texts that take too much memory"
    return None


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


def _may_grow(markup: bytes) -> bool:
    """Whether there is a table, or more than usual between head and body or after the body: cheap, and true of few."""
    if _TABLE.search(markup) is not None:
        return True
    head, page = _HEAD_ENDS.search(markup), _PAGE_ENDS.search(markup)
    if page is not None and len(markup) - page.end() > _USUAL_GAP:
        return True
    return head is not None and markup[head.end() : head.end() + _USUAL_GAP].lower().find(b"<body") < 0


def _grows(markup: bytes) -> bool:
    """Whether text stands where the parser adds it to a text far away, so much of it that memory would not do."""
    place, raw = b"", False
    grown = states = end = 0
    for token in _TOKEN.finditer(markup):
        piece, end = markup[end : token.start()], token.end()
        if place and piece and not raw and (place != b"table" or piece.strip()):
            grown += len(piece)
            states += grown
            if states > _MOST_GROWTH:
                return True
        raw = False
        if token[2] is None:
            continue
        place, raw = _place_after(place, bool(token[1]), token[2].lower())
    return False


def _place_after(place: bytes, closing: bool, name: bytes) -> tuple[bytes, bool]:
    """Where text stands after a tag (`table`, `head`, `page`, or nothing of the kind), and whether it is no markup."""
    if closing and name in (b"head", b"body", b"html"):
        return (b"head" if name == b"head" else b"page"), False
    if name in _ROWS and not (closing and name == b"table"):
        return b"table", False
    if closing and name in _IN_ROWS:
        return b"table", False
    if name in _ANYWHERE:
        return place, not closing and name in _RAW
    return b"", not closing and name in _RAW
