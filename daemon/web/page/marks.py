"""Finding, in the text of a posting, the words that speak for a work arrangement. Pure; what is marked stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ELLIPSIS = "…"
_BETWEEN = " \t\n-_·"
_SENTENCE = 200
"""Characters of a sentence that are marked on either side of the word."""
_END = re.compile(r"(?P<sign>[.!?。]+)\s+(?:[•·▪■◦●○‣※]\s*)?|\s*\n\s*(?:[•·▪■◦●○‣※]\s*|[-*]\s+)?|\s+[•·▪■]\s*")
"""Where a sentence, a line or an item ends and the next begins, past the bullet; `sign` belongs to the former."""
_BULLET = re.compile(r"\s*(?:[•·▪■◦●○‣※]\s*|[-*]\s+)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A stretch of text."""

    text: str
    marked: bool


def marked_pieces(text: str, spans: Iterable[tuple[int, int]]) -> tuple[Piece, ...]:
    """The text in pieces, in order and whole; what lies in one of the spans (start, end) is marked."""
    pieces: list[Piece] = []
    at = 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        start = max(start, at)
        if start > at:
            pieces.append(Piece(text=text[at:start], marked=False))
        pieces.append(Piece(text=text[start:end], marked=True))
        at = end
    if at < len(text):
        pieces.append(Piece(text=text[at:], marked=False))
    return tuple(pieces)


def spans_of_words(text: str, words: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Where each word first stands, whatever its case, blanks and hyphens (DESIGN 1.6)."""
    found = (re.search(pattern, text, re.IGNORECASE) for pattern in map(_loose, words) if pattern)
    return tuple(match.span() for match in found if match)


def spans_of_sentences(text: str, evidence: Iterable[tuple[str, str]]) -> tuple[tuple[int, int], ...]:
    """The sentence, or the line, in which each keyword stands where its snippet was taken from: (keyword, snippet).

    A snippet has its white space collapsed, so it is looked for with any white space between its words.
    """
    spans = []
    for keyword, snippet in evidence:
        words = snippet.replace(_ELLIPSIS, " ").split()
        around = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
        if around is not None:
            word = re.compile(_loose(keyword) or r"(?!)", re.IGNORECASE).search(text, around.start(), around.end())
            spans.append(around.span() if word is None else _sentence_around(text, *word.span()))
    return tuple(spans)


def _loose(word: str) -> str:
    """A pattern for a word with blanks, hyphens or nothing between its letters; empty for a word of none."""
    letters = [re.escape(letter) for letter in word if letter not in _BETWEEN]
    return rf"[{re.escape(_BETWEEN)}]*".join(letters)


def _sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    first, last = max(0, start - _SENTENCE), min(len(text), end + _SENTENCE)
    before = [match.end() for match in _END.finditer(text, first, start)]
    after = _END.search(text, end, last)
    begin = before[-1] if before else first
    if begin == 0 and (bullet := _BULLET.match(text, 0, start)):
        begin = bullet.end()
    return begin, last if after is None else after.end("sign") if after["sign"] else after.start()


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
