"""The person's criteria, what a posting is judged by, and what comes of it (seed 001, matching 컨텍스트)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

KEYWORD_CHARACTERS = 100
"""Longest keyword, synonym or display name; also of their normal forms."""

MAXIMUM_SYNONYMS = 50
"""Of one keyword group."""

MAXIMUM_KEYWORDS = 200
"""Of each kind: groups, exclusion keywords, work arrangement keywords."""


class CriteriaTarget(StrEnum):
    """What a revision of the criteria changed (seed 001, MatchCriteriaChangeTarget)."""

    NOTHING = "NOTHING"
    """The criteria before the first change, revision 0."""
    KEYWORD_GROUP = "KEYWORD_GROUP"
    EXCLUSION_KEYWORD = "EXCLUSION_KEYWORD"
    WORK_ARRANGEMENT_KEYWORD = "WORK_ARRANGEMENT_KEYWORD"
    RE_EVALUATION = "RE_EVALUATION"
    """Nothing: a forced re-evaluation only makes every result outdated."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeywordGroup:
    """A job that the person looks for, under its synonyms."""

    id: int
    display_name: str
    synonyms: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Keyword:
    """An exclusion keyword, or one for a work arrangement, as the person wrote it."""

    id: int
    keyword: str


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchCriteria:
    """The criteria in force, as one snapshot."""

    criteria_revision: int
    """0 before the first change."""
    keyword_groups: tuple[KeywordGroup, ...] = ()
    exclusion_keywords: tuple[Keyword, ...] = ()
    work_arrangement_keywords: tuple[Keyword, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionAdded:
    """A criterion and the revision that it came in with."""

    id: int
    criteria_revision: int


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
    posting_version: int = 0
    """`job_postings.version` of what is told here, or an older one."""
    structured_tags: Sequence[str] = ()
    description_body: str | None = None
    """None when the posting's text could not be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkArrangementEvidence:
    """The place in a posting that speaks most surely for a work arrangement."""

    keyword: Keyword
    stage: EvidenceStage
    confidence: Confidence
    snippet: str
    """The place with what stands around it, at most 500 characters."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedGroup:
    """A keyword group with a synonym in the title."""

    group_id: int
    synonym: str
    """The first of the group's that is there, as the person wrote it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TitleMatch:
    """How a title fares (seed 001, KeywordMatchOutcome)."""

    groups: tuple[MatchedGroup, ...] = ()
    excluded_by: Keyword | None = None

    @property
    def matched(self) -> bool:
        """Whether a keyword is in the title."""
        return bool(self.groups)

    @property
    def notifiable(self) -> bool:
        """Whether it is and no exclusion keyword rules it out."""
        return self.matched and self.excluded_by is None


@dataclass(frozen=True, kw_only=True, slots=True)
class Basis:
    """What a result was made from. Equal bases make equal results."""

    criteria_revision: int
    posting_version: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """How a posting fares against the criteria (seed 001, JobPostingMatchResult)."""

    job_posting_id: int
    basis: Basis
    title: TitleMatch
    evidence: tuple[WorkArrangementEvidence, ...]
    """At most one per keyword, surest first."""

    @property
    def top_confidence(self) -> Confidence:
        """The surest of the evidence; `UNKNOWN` when there is none."""
        return self.evidence[0].confidence if self.evidence else Confidence.UNKNOWN


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluated:
    """What a run over the stored postings did."""

    evaluated_count: int
    skipped_count: int
    """Postings whose result was up to date already."""
    criteria_revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PreviewedPosting:
    """A stored posting that criteria would match."""

    job_posting_id: int
    title: str
    matched_synonyms: tuple[str, ...]
    excluded_by: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """Which stored postings criteria would match, newest first."""

    posting_count: int
    """Postings looked at."""
    matched_count: int
    excluded_count: int
    """Of those matched, ruled out by an exclusion keyword."""
    postings: tuple[PreviewedPosting, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CriteriaDraft:
    """A change of the criteria that is only tried out."""

    synonyms: Sequence[str] = ()
    """Of a keyword group to be added; empty adds none."""
    exclusion_keywords: Sequence[str] = ()
    """To be added."""
    without: tuple[CriteriaTarget, int] | None = None
    """A keyword group or exclusion keyword in force to be taken out, by its id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DraftPreview:
    """What a change of the criteria would do to the stored postings."""

    posting_count: int
    """Postings looked at."""
    matched_before: int
    """Matched and not ruled out by the criteria in force."""
    matched_after: int
    gained_count: int
    lost_count: int
    gained: tuple[PreviewedPosting, ...]
    """The newest of them."""
    lost: tuple[PreviewedPosting, ...]


class InvalidCriterion(Exception):
    """A value that a criterion can't have."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        """Name of the value, in snake case."""
        self.message = message


class CriterionExists(Exception):
    """A criterion of the same normal form is in force already."""

    def __init__(self, target: CriteriaTarget, id: int, name: str) -> None:
        super().__init__(f"{target} {id} ({name}) is the same already")
        self.target = target
        self.id = id
        self.name = name


class CriteriaFull(Exception):
    """There are as many criteria of this kind as there may be."""

    def __init__(self, target: CriteriaTarget, limit: int) -> None:
        super().__init__(f"there are {limit} of {target} already")
        self.target = target
        self.limit = limit


class UnknownCriterion(Exception):
    """No criterion in force has this id."""

    def __init__(self, target: CriteriaTarget, id: int) -> None:
        super().__init__(f"no {target} {id}")
        self.target = target
        self.id = id
