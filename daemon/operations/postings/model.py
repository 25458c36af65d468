"""What the views of postings show (seed 001, 공고 목록 아이템): the answers of the API as they stand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from daemon.company.model import CompanyOrigin
from daemon.matching.model import Confidence, EvidenceStage
from daemon.operations.applications.model import ApplicationSummary
from daemon.posting.model import ClosedReason, PostingOrigin, PostingStatus
from daemon.sources.model import Platform, SourceType


class PostingSort(StrEnum):
    """The order of a list; nothing is ever left out for it (FR-30, FR-33)."""

    WORK_ARRANGEMENT = "WORK_ARRANGEMENT"
    """Surest work arrangement first, then found last first."""
    DEADLINE = "DEADLINE"
    """Earliest deadline first, those always open last."""
    DISCOVERED = "DISCOVERED"
    """Found last first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingFilter:
    """Which postings a list is of; None leaves nothing out."""

    company_id: int | None = None
    company_origin: CompanyOrigin | None = None
    posting_status: PostingStatus | None = None
    matched: bool | None = None
    title: str | None = None
    """A part of the title, whatever its case."""
    found_since: datetime | None = None
    """Found for the first time at or after."""
    closes_from: datetime | None = None
    """With a deadline at or after."""
    closes_before: datetime | None = None
    """With a deadline before."""
    arranged: bool | None = None
    """True: only those of which a work arrangement is known."""
    place: SourceType | PostingOrigin | None = None
    """Only from company boards, from aggregators, or (`MANUAL`) entered by hand."""
    from_id: int | None = None
    """Found no earlier than this posting: ids are given when postings are found."""
    before_id: int | None = None
    """Found earlier than this posting."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkArrangement:
    """The surest evidence of a work arrangement."""

    keyword: str
    confidence: Confidence


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkArrangementView:
    """One piece of evidence, with the words it stands in."""

    keyword: str
    confidence: Confidence
    evidence_stage: EvidenceStage
    snippet: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AlternateSource:
    """One place where the posting is published."""

    job_source_id: int | None
    """Null when entered by hand."""
    platform: Platform | None
    """Null when entered by hand."""
    posting_url: str
    is_representative: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingItem:
    """A posting in a list."""

    job_posting_id: int
    company_id: int
    company_name: str
    title: str
    posting_url: str
    posting_status: PostingStatus
    closed_reason: ClosedReason | None
    """Null while it is open, and when the person closed it."""
    deadline_at: datetime | None
    """Null when it is always open."""
    matched: bool
    """Whether a job keyword is in its title and none rules it out: the condition of being told (FR-25)."""
    work_arrangement: WorkArrangement | None
    """The surest evidence; null when nothing is known (FR-34)."""
    application_id: int | None
    """Of this posting or a copy of it; null when the person has not applied (FR-42)."""
    source_type: SourceType | None
    """Null when entered by hand."""
    alternate_source_count: int
    """Other places where it is published; 0 when there is none."""
    access_restricted: bool
    posting_origin: PostingOrigin
    first_seen_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingPage:
    """One page of the postings, duplicates left out, and how many there are in all."""

    job_postings: tuple[PostingItem, ...]
    total_count: int
    """Postings are counted up to 1,000; of more it is only known that there are more."""
    total_is_exact: bool
    """False: there are more than `total_count`; pages go on, to one that is not full."""
    page: int
    size: int

    @property
    def is_last(self) -> bool:
        """Whether no page comes after this one."""
        if self.total_is_exact:
            return (self.page + 1) * self.size >= self.total_count
        return len(self.job_postings) < self.size


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedWord:
    """Why a posting matched."""

    group: str
    synonym: str
    """The word that stands in the title."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingDetail(PostingItem):
    """A posting with all that is known of it."""

    work_arrangements: tuple[WorkArrangementView, ...]
    """All evidence, the surest first."""
    matched_words: tuple[MatchedWord, ...]
    """Why it matches: a word of each keyword group; none when it does not, or is ruled out."""
    application: ApplicationSummary | None
    """Null when the person has not applied."""
    description_body: str | None
    """Its text; null when it could not be read."""
    alternate_sources: tuple[AlternateSource, ...]
    """Every place where it is published, this one too: the representative first."""
    version: int
    """Raised by each edit; told as `ETag` too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingRecord(PostingItem):
    """A posting in an export, duplicates too."""

    platform: Platform | None
    """Null when entered by hand."""
    representative_id: int | None
    """The posting that stands for this duplicate; null when it stands for itself."""
    closed_at: datetime | None
    changed_at: datetime | None
    """Last edit noticed; null when there was none."""
    last_seen_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingSigns:
    """What happened to a posting, and why it matched: what the page shows beside an item."""

    platform: Platform | None
    """Null when entered by hand."""
    first_seen_at: datetime
    last_seen_at: datetime
    changed_at: datetime | None
    """Last edit noticed."""
    reopened_at: datetime | None
    closed_at: datetime | None
    matched_words: tuple[MatchedWord, ...]
    """Of one that matches and is not ruled out, a word of each keyword group."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FeedEntry:
    """A posting in the feed."""

    entry_id: int
    """The smallest id in its group: it stays the same when another copy comes to stand for all."""
    item: PostingItem
    matched_words: tuple[str, ...]
    updated_at: datetime
