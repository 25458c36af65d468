"""Which sources want a look first (seed 001, FR-19; seed 000, 남은 결정)."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from daemon.operations.companies.model import BrokenStatus
from daemon.operations.health.model import BudgetEnd, SourceHealth, Streak
from daemon.operations.health.rules import streak_of, urgency, wants_narrowing
from daemon.sources.model import Platform, SourceType


def health(number: int, **values: Any) -> SourceHealth:
    fine: dict[str, Any] = {
        "job_source_id": number,
        "source_label": "",
        "platform": Platform.SARAMIN,
        "source_type": SourceType.AGGREGATOR,
        "company_id": None,
        "disabled": False,
        "broken_status": BrokenStatus.NORMAL,
        "broken_since": None,
        "consecutive_abnormal_days": 0,
        "failure_episode": 0,
        "last_normal_at": None,
        "last_collected_on": None,
        "consecutive_budget_exhausted_days": 0,
        "budget_exhausted_reason": None,
        "budget_exhausted_warning": False,
    }
    return SourceHealth(**(fine | values))


def test_broken_sources_come_first_then_warned_of_ones_then_by_abnormal_days_and_disabled_ones_last() -> None:
    wanted = [
        health(9, broken_status=BrokenStatus.BROKEN, consecutive_abnormal_days=5),
        health(2, broken_status=BrokenStatus.BROKEN, consecutive_abnormal_days=3),
        health(8, budget_exhausted_warning=True),
        health(7, consecutive_abnormal_days=2),
        health(6, consecutive_abnormal_days=1),
        health(3),
        health(5),
        health(1, disabled=True, broken_status=BrokenStatus.BROKEN, consecutive_abnormal_days=9),
    ]
    shuffled = [*wanted[4:], *wanted[:4]]
    assert sorted(shuffled, key=urgency) == wanted


@pytest.mark.parametrize(("days", "warned"), [(0, False), (6, False), (7, True), (8, True)])
def test_seven_days_cut_short_in_a_row_are_warned_of(days: int, warned: bool) -> None:
    assert wants_narrowing(days) is warned


@pytest.mark.parametrize(
    ("ended_back", "ran_back", "streak"),
    [
        ((), None, Streak()),
        ((), 1, Streak()),
        ((3, 2, 1), None, Streak(days=3, reason="1 days back")),
        ((3, 2, 1), 4, Streak(days=3, reason="1 days back")),
        ((5, 4, 2, 1), 3, Streak(days=2, reason="1 days back")),
        ((3, 2), 1, Streak()),
        ((2, 1), 1, Streak()),
    ],
)
def test_a_streak_is_the_days_after_the_last_that_ended_otherwise(
    ended_back: tuple[int, ...], ran_back: int | None, streak: Streak
) -> None:
    today = date(2026, 12, 1)
    ends = [BudgetEnd(today - timedelta(days=back), f"{back} days back") for back in ended_back]
    last_run = None if ran_back is None else today - timedelta(days=ran_back)
    assert streak_of(ends, last_run) == streak
