"""Finding, in the text of a posting, the words that speak for a work arrangement. Pure; what is marked stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ELLIPSIS = "…"


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A stretch of text."""

    text: str
    marked: bool


def marked_pieces(body: str, snippets: Iterable[str]) -> tuple[Piece, ...]:
    """The text in pieces, in order and whole; those that are one of the snippets are marked.

    A snippet has its white space collapsed, so it is looked for with any white space between its words.
    """
    spans: list[tuple[int, int]] = []
    for snippet in snippets:
        words = snippet.replace(_ELLIPSIS, " ").split()
        if words:
            found = re.search(r"\s+".join(re.escape(word) for word in words), body, re.IGNORECASE)
            if found:
                spans.append(found.span())
    pieces: list[Piece] = []
    at = 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        start = max(start, at)
        if start > at:
            pieces.append(Piece(text=body[at:start], marked=False))
        pieces.append(Piece(text=body[start:end], marked=True))
        at = end
    if at < len(body):
        pieces.append(Piece(text=body[at:], marked=False))
    return tuple(pieces)


def first_part(body: str, limit: int) -> tuple[str, bool]:
    """At most `limit` characters of a text, and whether that is all of it; ends where a line or word does if it can."""
    if len(body) <= limit:
        return body, True
    part = body[:limit]
    for separator in ("\n", " "):
        cut = part.rfind(separator, limit - limit // 10)
        if cut > 0:
            return part[:cut], False
    return part, False
