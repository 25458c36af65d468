"""A source's health over its days (seed 001, FR-15 and FR-19; seed 000, 호환 projection)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.collection.model import CycleStatus, RunStatus
from daemon.collection.rules.health import Health, is_abnormal, is_close_guarded, next_health

START = datetime(2026, 12, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def after(*days: bool) -> Health:
    """Health after days of which each was abnormal (True) or normal (False)."""
    health = Health()
    for number, abnormal in enumerate(days):
        health = next_health(health, abnormal=abnormal, now=START + number * DAY)
    return health


@pytest.mark.parametrize(
    ("status", "fetched", "abnormal", "guarded"),
    [
        (CycleStatus.SUCCESS, 1, False, False),
        (CycleStatus.SUCCESS, 0, True, True),
        (CycleStatus.FAILED, 100, True, True),
        (CycleStatus.FAILED, 0, True, True),
        (CycleStatus.BUDGET_EXHAUSTED, 5000, False, True),
        (CycleStatus.BUDGET_EXHAUSTED, 0, False, True),
        (CycleStatus.NOT_STARTED, 0, False, True),
        (CycleStatus.PENDING, 100, False, True),
        (CycleStatus.RUNNING, 100, False, True),
    ],
)
def test_each_end_of_a_cycle_counts_as_the_seed_says(
    status: CycleStatus, fetched: int, abnormal: bool, guarded: bool
) -> None:
    """Seed 000, 호환 projection: only FAILED and complete-zero are abnormal, only a complete list may close."""
    assert is_abnormal(status, fetched) is abnormal
    assert is_close_guarded(status, fetched, guarded=False) is guarded


def test_a_complete_list_that_is_close_guarded_closes_nothing_and_is_well() -> None:
    assert is_close_guarded(CycleStatus.SUCCESS, 100, guarded=True)
    assert not is_abnormal(CycleStatus.SUCCESS, 100)


@pytest.mark.parametrize(
    ("status", "fetched", "abnormal"),
    [(RunStatus.FAILED, 5, True), (RunStatus.SUCCESS, 0, True), (RunStatus.SUCCESS, 5, False)],
)
def test_a_legacy_run_is_judged_alike(status: RunStatus, fetched: int, abnormal: bool) -> None:
    assert is_abnormal(status, fetched) is abnormal


def test_two_abnormal_days_do_not_break_a_source() -> None:
    assert after(True, True) == Health(abnormal_days=2)


def test_the_third_abnormal_day_in_a_row_breaks_it() -> None:
    assert after(True, True, True) == Health(abnormal_days=3, broken_since=START + 2 * DAY, failure_episode=1)


def test_further_abnormal_days_belong_to_the_same_episode() -> None:
    assert after(*[True] * 10) == Health(abnormal_days=10, broken_since=START + 2 * DAY, failure_episode=1)


def test_one_normal_day_heals_but_the_episode_is_remembered() -> None:
    assert after(True, True, True, False) == Health(failure_episode=1, last_normal_at=START + 3 * DAY)


def test_breaking_again_is_a_new_episode() -> None:
    """Seed 001, failure path 4: 복구 후 재고장 시 회차 증가로 재알림."""
    again = after(True, True, True, False, True, True, True)
    assert (again.failure_episode, again.broken_since) == (2, START + 6 * DAY)


def test_a_normal_day_in_between_starts_the_count_anew() -> None:
    assert after(True, True, False, True, True).broken_since is None


@given(st.lists(st.booleans(), max_size=40))
def test_health_is_what_the_history_of_days_says(days: list[bool]) -> None:
    """Against the definition over the whole history, instead of day by day."""
    health = after(*days)
    runs = [(abnormal, len(list(group))) for abnormal, group in groupby(days)]
    tail = runs[-1][1] if runs and runs[-1][0] else 0
    assert health.abnormal_days == tail
    assert health.failure_episode == sum(abnormal and length >= 3 for abnormal, length in runs)
    assert health.broken_since == (START + (len(days) - tail + 2) * DAY if tail >= 3 else None)
    normal = [number for number, abnormal in enumerate(days) if not abnormal]
    assert health.last_normal_at == (START + normal[-1] * DAY if normal else None)
