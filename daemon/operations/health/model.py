"""What the view of sources' health shows: the answer of the API as it stands (seed 001, FR-19; seed 000, 운영)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from daemon.operations.companies.model import BrokenStatus
from daemon.sources.model import Platform, SourceType


class BudgetEnd(NamedTuple):
    """A day that a budget ended."""

    run_date: date
    reason: str | None
    """The budget."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Streak:
    """A source's days in a row that a budget cut short."""

    days: int = 0
    reason: str | None = None
    """The budget that ended the latest of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceHealth:
    """How far a source can be relied on."""

    job_source_id: int
    source_label: str
    platform: Platform
    source_type: SourceType
    company_id: int | None
    """Null for a search on an aggregator."""
    disabled: bool
    broken_status: BrokenStatus
    """BROKEN after three abnormal days in a row, until the next normal one."""
    broken_since: datetime | None
    consecutive_abnormal_days: int
    failure_episode: int
    """How many times it has broken."""
    last_normal_at: datetime | None
    """Null when no day has been normal yet."""
    last_collected_on: date | None
    """The latest KST day whose collection is over; null when there is none in 90 days."""
    consecutive_budget_exhausted_days: int
    """Its latest collected days in a row that a budget ended; at most 90 days are looked at."""
    budget_exhausted_reason: str | None
    """The budget that ended the latest of them."""
    budget_exhausted_warning: bool
    """Seven in a row: most of the list is never read, so its search wants narrowing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SourcesHealth:
    """The health of every source, those that want a look first."""

    sources: tuple[SourceHealth, ...]
