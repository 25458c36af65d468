"""What a posting is judged by and what is found in it (seed 001, matching 컨텍스트)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class EvidenceStage(StrEnum):
    """Where a work arrangement was found."""

    STRUCTURED_FIELD = "STRUCTURED_FIELD"
    DESCRIPTION_BODY = "DESCRIPTION_BODY"


class Confidence(StrEnum):
    """How sure a work arrangement is; `INFERRED` is reserved (seed 001: P2)."""

    CONFIRMED = "CONFIRMED"
    LIKELY = "LIKELY"
    INFERRED = "INFERRED"
    UNKNOWN = "UNKNOWN"

    @property
    def sort_rank(self) -> int:
        """1 CONFIRMED, 2 LIKELY, 99 everything else: lists are sorted by it, never filtered (FR-30, FR-33)."""
        return {Confidence.CONFIRMED: 1, Confidence.LIKELY: 2}.get(self, 99)


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluationTarget:
    """What matching is told of a posting; it knows nothing else of postings."""

    job_posting_id: int
    title: str
    structured_tags: Sequence[str] = ()
    description_body: str | None = None
    """None when the posting's text could not be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkArrangementEvidence:
    """One place in a posting that speaks for a work arrangement."""

    keyword: str
    stage: EvidenceStage
    confidence: Confidence
    snippet: str
    """The place with what stands around it."""
