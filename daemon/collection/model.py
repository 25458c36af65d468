"""A day's collection of one source: the cycle, its lease, its budgets, its ends (seed 000)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from daemon.company.model import JobSource
from daemon.sources.model import SourceType

ORPHAN_AGE = timedelta(hours=48)
"""Seen rows of a cycle that is over are deleted with its end; an older one was left over by a fault (seed 000, Q8)."""


class CycleStatus(StrEnum):
    """Where a cycle stands; the last three are terminal."""

    NOT_STARTED = "NOT_STARTED"
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"

    @property
    def terminal(self) -> bool:
        """Whether nothing more happens to the cycle, ever."""
        return self in _TERMINAL


_TERMINAL = frozenset({CycleStatus.SUCCESS, CycleStatus.FAILED, CycleStatus.BUDGET_EXHAUSTED})


class RunStatus(StrEnum):
    """Status of the legacy run row, which exists only once a collection is over."""

    SUCCESS = "SUCCESS"
    FAILED = "FAILED"


class CaptureStatus(StrEnum):
    """Where a day's 09:00 snapshot stands; all but the first two are final."""

    PENDING = "PENDING"
    CAPTURING = "CAPTURING"
    CAPTURED = "CAPTURED"
    MISSED = "MISSED"
    NOT_APPLICABLE = "NOT_APPLICABLE"


class Kept(StrEnum):
    """Why a source is not removed."""

    COLLECTED = "COLLECTED"
    """It has brought something."""
    RECORDED = "RECORDED"
    """A 09:00 snapshot, or a message that it broke, tells of it."""
    AT_WORK = "AT_WORK"
    """It is being collected, or 09:00 is being recorded: try again in a moment."""


class SourceKept(Exception):
    """A source that is not removed; it can be switched off."""

    def __init__(self, source: JobSource, kept: Kept) -> None:
        super().__init__(f"source {source.id} is kept: {kept}")
        self.source = source
        self.kept = kept


class BudgetReason(StrEnum):
    """Which limit ended a cycle as `BUDGET_EXHAUSTED`."""

    LIST_PAGE_LIMIT = "LIST_PAGE_LIMIT"
    POSTING_LIMIT = "POSTING_LIMIT"
    DETAIL_LIMIT = "DETAIL_LIMIT"
    SLICE_TIME_LIMIT = "SLICE_TIME_LIMIT"


class FailureReason(StrEnum):
    """Failures that are the engine's own finding; a failed request's reason is its `Outcome`."""

    LIST_TOTAL_MISMATCH = "LIST_TOTAL_MISMATCH"
    LAYOUT_CHANGED = "LAYOUT_CHANGED"
    LEASE_EXPIRED = "LEASE_EXPIRED"
    DAY_ENDED = "DAY_ENDED"
    INTERRUPTED = "INTERRUPTED"
    INTERNAL_ERROR = "INTERNAL_ERROR"


@dataclass(frozen=True, kw_only=True, slots=True)
class Counters:
    """A cycle's running totals; missed and closed are written by the final delta only."""

    list_pages: int = 0
    fetched: int = 0
    new: int = 0
    changed: int = 0
    skipped: int = 0
    unidentified: int = 0
    detail_requests: int = 0
    detail_failures: int = 0
    detail_skipped: int = 0
    declared_total: int | None = None
    close_guarded: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """The right to work on a cycle until `lease_until`; every write proves it with `token` (the fencing token)."""

    cycle_id: int
    job_source_id: int
    run_date: date
    source_type: SourceType
    token: str
    lease_until: datetime
    cursor: str | None
    counters: Counters


@dataclass(frozen=True, kw_only=True, slots=True)
class Cycle:
    """A cycle's row as far as decisions need it."""

    id: int
    job_source_id: int
    run_date: date
    source_type: SourceType
    status: CycleStatus
    is_complete: bool
    cursor: str | None
    attempt_count: int
    counters: Counters
    started_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What of a cycle's row tells whether a write was committed whose answer was lost."""

    status: CycleStatus
    token: str | None
    list_pages: int
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenWork:
    """What of a day's collection is not over yet."""

    cycles: int
    running: int
    ready_at: datetime | None
    """The earliest `next_eligible_at` of a cycle that is waiting."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Budgets:
    """Limits per slice and per day (seed 000, 용량과 보존 정책)."""

    slice_pages: int = 5
    slice_postings: int = 500
    slice_time: timedelta = timedelta(seconds=300)
    daily_pages: int = 50
    daily_postings: int = 5000
    daily_details: int = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceUse:
    """What the slice in hand has used of its budget, this page included."""

    pages: int
    postings: int
    time_is_up: bool
    stopping: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ListState:
    """How far a cycle's list has been read, this page included."""

    next_cursor: str | None
    """None is the site's own word for the end."""
    brought_nothing_new: bool
    """The page showed only ids already seen in this cycle, or points back to itself."""
    distinct_ids: int
    """Matters only where the list is judged (`rules.ending.is_judged`), and is counted only there."""
    incremental: bool
    list_page_limit: int | None
    undetermined: int
    """Postings that cannot be stored without a detail that the budget no longer allows."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Next page, same lease."""


@dataclass(frozen=True, slots=True)
class Release:
    """The slice is over, the cycle goes on: back to `PENDING` with the cursor."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Succeed:
    """The whole list was read. `close_guarded` means that nothing may be concluded from what it left out."""

    close_guarded: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Exhaust:
    """A daily limit ended the cycle: a normal protection, no sign of trouble."""

    reason: BudgetReason


@dataclass(frozen=True, kw_only=True, slots=True)
class Fail:
    """The cycle brought no trustworthy list."""

    reason: str
    """An `Outcome` or `FailureReason`, at most 200 characters."""
    summary: str | None = None


End = Succeed | Exhaust | Fail
AfterPage = Continue | Release | End


class GateDue(Exception):
    """A writer came after 09:00 upon a snapshot still pending: settle it first, then write (DESIGN 1.3)."""

    def __init__(self, run_date: date) -> None:
        super().__init__(f"the snapshot of {run_date} is due")
        self.run_date = run_date


class LeaseLost(Exception):
    """The cycle is no longer this worker's: its write changed 0 rows and was rolled back whole."""

    def __init__(self, claim: Claim, when: str) -> None:
        super().__init__(f"cycle {claim.cycle_id} is no longer held ({when})")
        self.claim = claim
        self.when = when
