"""Work arrangement from tags and text, with what denies it (seed 001, 근무형태 확신도 판정; DESIGN 1.6). Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from daemon.matching.model import Confidence, EvaluationTarget, EvidenceStage, WorkArrangementEvidence

CHARACTERS_BEFORE = 12
CHARACTERS_AFTER = 20
"""The window around a keyword in which a denial voids it, in characters of white-space-collapsed text."""

DENIALS = (
    "불가",
    "불가능",
    "미지원",
    "없음",
    "아님",
    "않습니다",
    "종료",
    "제외",
    "전면 출근",
    "상시 출근",
    "출근 전환",
    "사무실 출근",
    "no remote",
    "not remote",
    "remote not",
    "not available",
    "not supported",
    "not possible",
    "on-site only",
    "onsite only",
    "office only",
)
"""Words that void a keyword near them; extending the list means extending its tests."""

_SPACE = re.compile(r"\s+")


def normalized(text: str) -> str:
    """NFKC, lower case, white space collapsed: keywords and denials are looked for in this form."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()


def detect_work_arrangement(target: EvaluationTarget, keywords: Iterable[str]) -> list[WorkArrangementEvidence]:
    """Every place that speaks for one of the keywords and is not denied where it stands.

    A structured tag makes it `CONFIRMED`, the text `LIKELY`; a posting without a text simply has no second kind. An
    empty result means `UNKNOWN`.
    """
    wanted = [(keyword, needle) for keyword in keywords if (needle := normalized(keyword))]
    stages: list[tuple[EvidenceStage, Confidence, Sequence[str]]] = [
        (EvidenceStage.STRUCTURED_FIELD, Confidence.CONFIRMED, target.structured_tags),
        (
            EvidenceStage.DESCRIPTION_BODY,
            Confidence.LIKELY,
            () if target.description_body is None else (target.description_body,),
        ),
    ]
    return [
        WorkArrangementEvidence(keyword=keyword, stage=stage, confidence=confidence, snippet=window)
        for stage, confidence, texts in stages
        for text in map(normalized, texts)
        for keyword, needle in wanted
        for window in _windows(text, needle)
        if not any(denial in window for denial in DENIALS)
    ]


def top_confidence(evidence: Iterable[WorkArrangementEvidence]) -> Confidence:
    """The surest of the evidence; `UNKNOWN` when there is none."""
    return min((each.confidence for each in evidence), key=lambda found: found.sort_rank, default=Confidence.UNKNOWN)


def _windows(text: str, needle: str) -> Iterator[str]:
    start = text.find(needle)
    while start >= 0:
        yield text[max(0, start - CHARACTERS_BEFORE) : start + len(needle) + CHARACTERS_AFTER]
        start = text.find(needle, start + len(needle))
