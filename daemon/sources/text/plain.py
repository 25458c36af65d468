"""White space, HTML to text, and the hashes that edits are noticed by."""

from __future__ import annotations

import hashlib
import html
import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from daemon.sources.markup import too_costly

_UNSEEN = re.compile("[\0\u200b\ufeff\ud800-\udfff]")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""NUL and lone surrogates: JSON can spell them, UTF-8 columns and hashes can't hold them."""

_ANY_TAG = re.compile("<[^>]*>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""Only with its semicolon: `R&D` and `Q&A` in a title are no entities."""

_DROPPED = frozenset({"head", "script", "style", "noscript", "template", "title", "iframe", "svg", "object"})
_BLOCKS = """
    address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol option p pre section select summary table tbody
    tfoot thead tr ul
"""
_BREAKING = frozenset(_BLOCKS.split())
_CELLS = frozenset({"td", "th"})


def collapse(text: str) -> str:
    """`text` with every run of white space (also NBSP, zero-width space, BOM) as one blank, trimmed.

    NUL and lone surrogates are dropped: no database column can hold them.
    """
    if _UNSEEN.search(text) is not None:
        text = _UNSTORABLE.sub("", text).replace("\u200b", " ").replace("\ufeff", " ")
    return " ".join(text.split())


def shown(text: str) -> str:
    """`text` as a reader sees it: entities decoded (once more: sites escape twice), white space collapsed."""
    return collapse(_ENTITY.sub(lambda found: html.unescape(found[0]), text) if "&" in text else text)


def field_hash(*fields: str | None) -> str:
    """SHA-256 in hex over the fields, each length-prefixed so that no two field lists run together."""
    parts: list[bytes] = []
    for value in fields:
        data = b"\xff" if value is None else value.encode("utf-8", "surrogatepass")
        parts += (len(data).to_bytes(8, "big"), data)
    return hashlib.sha256(b"".join(parts)).hexdigest()


def body_hash(text: str) -> str:
    """SHA-256 in hex over `text` with its white space collapsed: a changed indentation is no edit."""
    return hashlib.sha256(collapse(text).encode()).hexdigest()


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
    stack: list[LexborNode | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        if item is not root and (sibling := item.next) is not None:
            stack.append(sibling)
        if item.is_text_node:
            parts.append((item.text_content or "").replace("\n", " "))
            continue
        tag = item.tag or ""
        if tag in _DROPPED:
            continue
        if tag in _BREAKING:
            parts.append("\n")
            stack.append("\n")
        elif tag in _CELLS:
            stack.append(" ")
        if (child := item.child) is not None:
            stack.append(child)
    lines = (collapse(line) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
