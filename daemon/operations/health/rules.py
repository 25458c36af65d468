"""What is concluded from a source's days (seed 000, 남은 결정: "BUDGET_EXHAUSTED가 7일 연속인 source")."""

from __future__ import annotations

from daemon.operations.companies.model import BrokenStatus
from daemon.operations.health.model import SourceHealth

BUDGET_WARNING_DAYS = 7
"""Seed 000 warns then, and leaves it to the person to narrow the search or to switch the source off."""


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
