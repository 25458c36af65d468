"""What is concluded from a source's days (seed 000, 남은 결정: "BUDGET_EXHAUSTED가 7일 연속인 source")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from daemon.operations.companies.model import BrokenStatus
from daemon.operations.health.model import BudgetEnd, SourceHealth, Streak

BUDGET_WARNING_DAYS = 7
"""Seed 000 warns then, and leaves it to the person to narrow the search or to switch the source off."""


def streak_of(ends: Sequence[BudgetEnd], last_run: date | None) -> Streak:
    """A source's days that a budget ended, given oldest first, after the last one that ended otherwise (None: none)."""
    since = [end for end in ends if last_run is None or end.run_date > last_run]
    return Streak(days=len(since), reason=since[-1].reason) if since else Streak()


def wants_narrowing(budget_days: int) -> bool:
    """Whether so many days in a row that a budget cut short deserve a warning."""
    return budget_days >= BUDGET_WARNING_DAYS


def urgency(health: SourceHealth) -> tuple[bool, bool, bool, int, int]:
    """Sorts what wants a look first: broken, warned of, then by abnormal days; disabled sources last."""
    return (
        health.disabled,
        health.broken_status is not BrokenStatus.BROKEN,
        not health.budget_exhausted_warning,
        -health.consecutive_abnormal_days,
        health.job_source_id,
    )
