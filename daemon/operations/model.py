"""What the operations views show (seed 001, Operations; seed 000, 호환 projection and SLA).

These are the answers of the API as they stand: the web adds nothing but the spelling of names and instants.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

from daemon.collection.model import CaptureStatus, CycleStatus, RunStatus
from daemon.flags.model import FlagState
from daemon.operations.health.model import SourcesHealth
from daemon.schedule.model import JobName, JobStatus
from daemon.sources.model import Platform, SourceType


class SeenLevel(StrEnum):
    """How bad left-over seen rows are (seed 000: 1 warns, 1,000 can't be cleaned up in one night)."""

    OK = "ok"
    WARNING = "warning"
    CRITICAL = "critical"


class SnapshotStatus(StrEnum):
    """`CaptureStatus` of a day's header, and what the API says when there is none."""

    PENDING = "PENDING"
    CAPTURING = "CAPTURING"
    CAPTURED = "CAPTURED"
    MISSED = "MISSED"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    UNAVAILABLE = "UNAVAILABLE"


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectionRun:
    """One source's collection on one KST day: the fields of v1, then those of the v2 cycle."""

    job_source_id: int
    source_label: str
    run_date: date
    """KST business day."""
    run_status: RunStatus | None
    """SUCCESS or FAILED once the day's collection is over; null while it runs and when a budget ended it."""
    fetched_count: int
    new_count: int
    closed_count: int
    error_message: str | None
    abnormal: bool
    """Failed, or complete with no posting at all; never a budget end."""
    platform: Platform
    source_type: SourceType
    cycle_status: CycleStatus | None
    """Null on a day collected the legacy way, like every field of cycles only."""
    is_complete: bool | None
    """Whether the whole list was read; a field of cycles only."""
    close_guarded: bool | None
    """Whether the day is kept out of closing postings; a field of cycles only."""
    list_page_count: int | None
    """A field of cycles only."""
    changed_count: int
    missed_count: int
    detail_request_count: int | None
    """A field of cycles only."""
    detail_failure_count: int
    detail_skipped_count: int
    declared_total: int | None
    """Largest total that the site declared; a field of cycles only."""
    budget_exhausted_reason: str | None
    failure_reason: str | None
    started_at: datetime
    finished_at: datetime | None
    """Null while the cycle is under way."""


class DayOutcome(NamedTuple):
    """How one source's collection of one KST day stands: what is shown of days by the hundred."""

    job_source_id: int
    source_label: str
    run_date: date
    status: CycleStatus | RunStatus
    """Of the cycle, or of the legacy run."""
    reason: str | None
    """Why it failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcomes:
    """The outcomes of some days, newest first."""

    success_rate: float | None
    """As of `CollectionRuns`."""
    days: tuple[DayOutcome, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SlaItem:
    """One source's state at exactly 09:00 KST; it never changes afterwards."""

    job_source_id: int
    source_label: str
    source_type: SourceType
    captured_cycle_status: CycleStatus
    captured_fetched_count: int
    captured_is_complete: bool
    captured_abnormal: bool
    captured_close_guarded: bool
    late: bool
    """Whether the source was not collected successfully by 09:00."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlaSnapshot:
    """A day's 09:00 snapshot."""

    snapshot_date: date
    scheduled_at: datetime
    """09:00:00 KST of that day."""
    capture_status: SnapshotStatus
    captured_at: datetime | None
    """When the items were settled; null unless CAPTURED."""
    miss_reason: str | None
    """Why the cutoff was missed; null unless MISSED."""
    late_before_notification_count: int | None
    """0 before 09:00; sources late at 09:00 when CAPTURED; null whenever that is not known, never a guess."""
    items: tuple[SlaItem, ...] | None
    """None yet (empty) before 09:00; each eligible source when CAPTURED; null whenever they are not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlaSnapshots:
    """The 09:00 snapshots of some days, newest first; a day without a header has none."""

    snapshots: tuple[SlaSnapshot, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectionRuns:
    """The collection history of some days, newest first."""

    success_rate: float | None
    """Share (0 to 1) of the listed days that are over and did not fail; null when none is over.

    A cycle counts by its status, a legacy day by its run: (SUCCESS + BUDGET_EXHAUSTED) / (SUCCESS + BUDGET_EXHAUSTED +
    FAILED). A budget end is a protection at work, not a failure. What is still under way does not count.
    """
    runs: tuple[CollectionRun, ...]
    sla_snapshot: SlaSnapshot
    """Of the present KST day."""
    seen_rows_older_than_48_hours: int
    """Seen ids left over by cycles that are over."""
    seen_rows_older_than_48_hours_level: SeenLevel


@dataclass(frozen=True, kw_only=True, slots=True)
class CycleView:
    """A v2 cycle as it stands."""

    cycle_id: int
    job_source_id: int
    source_label: str
    platform: Platform
    source_type: SourceType
    run_date: date
    cycle_status: CycleStatus
    is_complete: bool
    close_guarded: bool
    """Whether the cycle is kept out of closing postings."""
    abnormal: bool
    attempt_count: int
    """Slices claimed."""
    list_page_count: int
    fetched_count: int
    new_count: int
    changed_count: int
    missed_count: int
    closed_count: int
    skipped_count: int
    """Items with a readable id but without what a posting needs: seen, not stored."""
    unidentified_count: int
    """Items without a usable id; with one of these the list is not complete."""
    detail_request_count: int
    detail_failure_count: int
    detail_skipped_count: int
    declared_total: int | None
    budget_exhausted_reason: str | None
    failure_reason: str | None
    failure_cause_summary: str | None
    next_eligible_at: datetime
    lease_until: datetime | None
    """End of the lease of the slice in hand; null when none is."""
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CyclePage:
    """One page of the cycles, newest day first, and how many there are in all."""

    cycles: tuple[CycleView, ...]
    total_count: int
    page: int
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduledJob:
    """A daily job that has run or is running."""

    job_name: JobName
    run_date: date
    scheduled_at: datetime
    """When the timetable has it due on that day."""
    job_status: JobStatus
    owner: str
    """The instance that runs or ran it."""
    attempt_count: int
    started_at: datetime
    """Start of the latest attempt."""
    finished_at: datetime | None
    summary: str | None
    """What it did, or why it failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScheduledJobs:
    """The daily jobs of some days, newest day first, in the order of the timetable."""

    jobs: tuple[ScheduledJob, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceToday:
    """How a source's collection of today stands."""

    job_source_id: int
    source_label: str
    status: CycleStatus | RunStatus | None
    """Of the cycle, or of the legacy run; None when nothing has begun."""
    list_page_count: int | None
    fetched_count: int
    new_count: int
    changed_count: int
    missed_count: int
    closed_count: int
    reason: str | None
    """Why it failed or which budget ended it."""
    broken_since: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DaySoFar:
    """The collection of the present KST day, and what decides it."""

    run_date: date
    now: datetime
    sources: tuple[SourceToday, ...]
    """Active sources, and disabled ones that were collected today."""
    sla_snapshot: SlaSnapshot
    flags: tuple[FlagState, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Today(DaySoFar):
    """The present KST day at a glance."""

    jobs: tuple[ScheduledJob, ...]
    seen_rows_older_than_48_hours: int
    seen_rows_older_than_48_hours_level: SeenLevel


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """Whether the machine does its work, as of one instant."""

    today: Today
    outcomes: Outcomes
    snapshots: tuple[SlaSnapshot, ...]
    """The 09:00 snapshots of the last days, newest first."""
    health: SourcesHealth
    host_waits: Mapping[str, float]
    """Seconds until each host may be asked again, 0 when it is free."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SlaHeader:
    """A day's header row."""

    id: int
    capture_status: CaptureStatus
    captured_at: datetime | None
    miss_reason: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DatabaseMetrics:
    """What `/metrics` reads from the database."""

    cycles_today: Mapping[CycleStatus, int]
    lease_expiries_today: int
    jobs_today: Mapping[JobStatus, int]
    active_sources: int
    broken_sources: int
    seen_rows_older_than_48_hours: int
    capture_status: SnapshotStatus
    flags: Mapping[str, bool]
    host_waits: Mapping[str, float]
    """Seconds until each host may be asked again; 0 when it is free."""
