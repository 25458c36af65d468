"""A posting and what a day's list says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypedDict

from daemon.sources.model import ChangeSignature, RawJobPosting, SourceType


class PostingStatus(StrEnum):
    """Whether one can still apply, as far as is known."""

    OPEN = "OPEN"
    CLOSED = "CLOSED"


class PostingOrigin(StrEnum):
    """Who brought the posting: a source, or the person. Only collected ones can be missed."""

    COLLECTED = "COLLECTED"
    MANUAL = "MANUAL"


class ClosedReason(StrEnum):
    """Why a posting was closed."""

    NOT_FOUND_TWICE = "NOT_FOUND_TWICE"
    DEADLINE_PASSED = "DEADLINE_PASSED"


class DetailState(StrEnum):
    """What became of a posting's own page in this cycle."""

    NOT_WANTED = "NOT_WANTED"
    READ = "READ"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownPosting:
    """The narrow part of a stored posting that a list is compared with (never its text)."""

    id: int
    source_job_id: str
    company_id: int
    title: str
    posting_url: str
    deadline_at: datetime | None
    status: PostingStatus
    closed_reason: ClosedReason | None
    signature: ChangeSignature | None
    miss_count: int
    access_restricted: bool
    detail_verified_at: datetime | None
    version: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Observed:
    """A posting as seen in this cycle: from the list, completed by its own page when that was read."""

    raw: RawJobPosting
    detail: DetailState = DetailState.NOT_WANTED


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What a found posting becomes."""

    posting: KnownPosting
    edited: bool
    """The change signature (or, without one, title or deadline) differs."""
    reopened: bool
    rewritten: bool
    """Some stored column other than `last_seen_at` has to be written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """What recording a page of observed postings did."""

    new_ids: tuple[int, ...] = ()
    changed_ids: tuple[int, ...] = ()
    reopened_ids: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Missed:
    """What the final delta did."""

    missed: int = 0
    closed_ids: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """Whose postings are recorded, and how."""

    job_source_id: int
    company_ids: Mapping[str, int]
    """Company id by the name that the posting shows."""
    default_company_id: int | None
    """The company of a company-bound source; None for an aggregator."""
    company_names: Mapping[int, str]
    """Registered name by company id: the first half of the dedup key."""
    seeding: bool
    """The source has not completed a first cycle: nothing found now is ever notified (FR-10)."""

    def company_of(self, raw: RawJobPosting) -> int | None:
        """The company that the posting belongs to; None when an aggregator's posting names none."""
        if self.default_company_id is not None:
            return self.default_company_id
        return None if raw.company_name is None else self.company_ids.get(raw.company_name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """How a posting stands among its copies, as stored."""

    representative_id: int | None
    """The copy that stands for it; None when it stands for itself."""
    notification_eligible: bool
    eligible_alone: bool | None
    """While another stands for it: whether it would be eligible if none did. None while it stands for itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Copy:
    """The narrow part of a stored posting by which copies are told and one of them is chosen."""

    id: int
    source_type: SourceType | None
    """None for a posting entered by hand."""
    status: PostingStatus
    deadline_at: datetime | None
    """None when it is always open."""
    first_seen_at: datetime
    standing: Standing


@dataclass(frozen=True, kw_only=True, slots=True)
class CopyGroup:
    """One posting as the world knows it, on however many sources."""

    representative_id: int
    posting_ids: tuple[int, ...]
    """All copies, the representative first, then by id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Deduplicated:
    """What a run of the 08:30 job did."""

    enabled: bool
    """Whether `posting.cross-source-dedup` was on; while it is off every posting stands for itself."""
    adopted: int = 0
    """Postings that went to the company whose alias names theirs."""
    keys: int = 0
    """Dedup keys that were looked at."""
    duplicates: int = 0
    """Postings under these keys for which another one stands now."""
    changed: int = 0
    """Postings whose standing is another one than before."""
    left: int = 0
    """Postings left to the next run: someone was writing to them, or they were touched in the meantime."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluablePosting:
    """A posting that is to be judged by the person's criteria."""

    id: int
    version: int
    """Raised by every change of what the posting says."""
    title: str
    updated_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingText:
    """What a posting says beside its title."""

    tags: tuple[str, ...]
    body: str | None
    """None when its text could not be read."""


class PostingEdit(TypedDict, total=False):
    """What a person changes of a posting; what is not there stays as it is."""

    title: str
    posting_url: str
    deadline_at: datetime | None
    """None: always open."""
    posting_status: PostingStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonalPosting:
    """The part of a posting that a person may change, as stored."""

    id: int
    company_id: int
    origin: PostingOrigin
    title: str
    posting_url: str
    deadline_at: datetime | None
    status: PostingStatus
    version: int


class EditRefusal(StrEnum):
    """Why a person can't change a posting so."""

    COLLECTED = "COLLECTED"
    """Its words and its closing are the site's, whose next list would undo the change."""
    DEADLINE_PASSED = "DEADLINE_PASSED"
    """It can't be open after its deadline: the next night would close it."""


class InvalidPosting(Exception):
    """A value that a posting can't have."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        """Name of the value, in snake case."""
        self.message = message


class UnknownPosting(Exception):
    """No posting has this id."""

    def __init__(self, posting_id: int) -> None:
        super().__init__(f"no posting {posting_id}")
        self.posting_id = posting_id


class PostingExists(Exception):
    """The company has a posting at this address already."""

    def __init__(self, posting_id: int) -> None:
        super().__init__(f"posting {posting_id} of the company has this address already")
        self.posting_id = posting_id


class EditRefused(Exception):
    """A person's change that can't be."""

    def __init__(self, posting: PersonalPosting, refusal: EditRefusal) -> None:
        super().__init__(f"posting {posting.id} can't be changed so: {refusal}")
        self.posting = posting
        self.refusal = refusal


class PostingOvertaken(Exception):
    """The posting is no longer at a version that the caller has read: nothing was written."""

    def __init__(self, posting: PersonalPosting) -> None:
        super().__init__(f"posting {posting.id} is at version {posting.version} by now")
        self.posting = posting
