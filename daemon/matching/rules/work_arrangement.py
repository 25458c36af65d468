"""Work arrangement from tags and text (seed 001, 근무형태 확신도 판정, WorkArrangementDetector; DESIGN 1.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from daemon.matching.model import Confidence, EvidenceStage, Keyword, WorkArrangementEvidence
from daemon.matching.rules.denials import is_denied
from daemon.matching.rules.forms import SEPARATORS, collapsed, is_ascii_word, keyword_form, lowered, squeezed

CHARACTERS_BEFORE = 12
CHARACTERS_AFTER = 20
"""The window around a keyword in which a denial voids it, in characters of white-space-collapsed text."""

SNIPPET_BEFORE = 40
SNIPPET_AFTER = 80
SNIPPET_CHARACTERS = 500

TEXT_CHARACTERS = 200_000
"""Of a longer text only so much is looked at: no job advertisement is half as long."""

PLACES = 100
"""Of a keyword in one text only so many places are judged: no advertisement says it half as often."""

_GAP = f"[{re.escape(SEPARATORS)}]"


@dataclass(frozen=True, kw_only=True, slots=True)
class ArrangementKeyword:
    """A keyword, ready to be looked for."""

    keyword: Keyword
    needle: str
    """Its normal form."""
    pattern: re.Pattern[str]
    """Its normal form with a blank or hyphen or two anywhere between its characters."""

    @classmethod
    def of(cls, keyword: Keyword) -> ArrangementKeyword:
        """The keyword's search form."""
        needle = keyword_form(keyword.keyword)
        return cls(keyword=keyword, needle=needle, pattern=re.compile(f"{_GAP}{{0,2}}".join(map(re.escape, needle))))


@dataclass(frozen=True, slots=True)
class _Text:
    """A text, read once, in which any number of keywords are looked for."""

    shown: str
    """White space collapsed, letters as written."""
    folded: str
    """The same in lower case, place for place."""
    squeezed: str

    @classmethod
    def of(cls, text: str) -> _Text:
        shown = collapsed(text[:TEXT_CHARACTERS])
        folded = lowered(shown)
        return cls(shown, folded, squeezed(folded))


_tag = lru_cache(maxsize=2048)(_Text.of)
"""Tags are few: a site has a word for each place, career and skill."""


def detect_work_arrangement(
    tags: Sequence[str], body: str | None, keywords: Iterable[ArrangementKeyword]
) -> tuple[WorkArrangementEvidence, ...]:
    """For each keyword the surest place that speaks for it and is not denied where it stands; surest first.

    A structured tag makes it `CONFIRMED`, the text `LIKELY`; a posting without a text simply has no second kind. Each
    place is judged on its own: one that is denied says nothing about the next.
    """
    stages = (
        (EvidenceStage.STRUCTURED_FIELD, Confidence.CONFIRMED, [_tag(tag) for tag in tags]),
        (EvidenceStage.DESCRIPTION_BODY, Confidence.LIKELY, [] if body is None else [_Text.of(body)]),
    )
    found: dict[int, WorkArrangementEvidence] = {}
    for stage, confidence, texts in stages:
        for keyword in keywords:
            if keyword.keyword.id in found:
                continue
            holding = [text for text in texts if keyword.needle in text.squeezed]
            snippet = next((place for text in holding for place in _places(text, keyword)), None)
            if snippet is not None:
                found[keyword.keyword.id] = WorkArrangementEvidence(
                    keyword=keyword.keyword, stage=stage, confidence=confidence, snippet=snippet
                )
    return tuple(found.values())


def _places(text: _Text, keyword: ArrangementKeyword) -> Iterator[str]:
    """Snippets of the places that speak for the keyword."""
    for place in islice(keyword.pattern.finditer(text.folded), PLACES):
        start, end = place.span()
        window = max(0, start - CHARACTERS_BEFORE), min(len(text.folded), end + CHARACTERS_AFTER)
        if _is_the_word(text.folded, start, end) and not is_denied(text.folded, window[0], end, window[1]):
            yield _snippet(text.shown, start, end)


def _is_the_word(text: str, start: int, end: int) -> bool:
    """Whether what stands at a place is the keyword, and not the end of one word and the start of another.

    An English keyword must not begin inside a word. Where the keyword is written apart, a piece of one character must
    be a word of its own: `재택 근무` is `재택근무`, but the `재 택` of `존재 택배` is not `재택`.
    """
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if is_ascii_word(text[start]) and is_ascii_word(before):
        return False
    if all(character not in SEPARATORS for character in text[start:end]):
        return True
    return not (
        (text[start + 1] in SEPARATORS and before.isalnum()) or (text[end - 2] in SEPARATORS and after.isalnum())
    )


def _snippet(shown: str, start: int, end: int) -> str:
    first, last = max(0, start - SNIPPET_BEFORE), min(len(shown), end + SNIPPET_AFTER)
    inner = shown[first:last][: SNIPPET_CHARACTERS - 2].strip()
    return f"{'…' if first else ''}{inner}{'…' if last < len(shown) else ''}"
