"""When a 09:00 snapshot is due, on time, missed or void (seed 000; ticket BE-43; DESIGN 1.3)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.collection.loop import next_recovery
from daemon.collection.model import CaptureStatus
from daemon.collection.rules.snapshot import is_on_time, scheduled_at, status_without_preparation, was_on

DAY = date(2026, 12, 1)
CUTOFF = datetime(2026, 12, 1, 0, 0, tzinfo=UTC)
GRACE = timedelta(seconds=5)
MICROSECOND = timedelta(microseconds=1)
HOUR = timedelta(hours=1)


def test_the_deadline_is_nine_in_the_morning_in_korea() -> None:
    assert scheduled_at(DAY) == CUTOFF


@pytest.mark.parametrize(
    ("began", "on_time"),
    [
        (CUTOFF - MICROSECOND, False),
        (CUTOFF, True),
        (CUTOFF + GRACE - MICROSECOND, True),
        (CUTOFF + GRACE, False),
        (CUTOFF + HOUR, False),
    ],
)
def test_an_attempt_is_on_time_from_the_cutoff_until_the_grace_is_over(began: datetime, on_time: bool) -> None:
    assert is_on_time(began, CUTOFF, GRACE) is on_time


def test_without_grace_no_capture_is_ever_on_time() -> None:
    assert not is_on_time(CUTOFF, CUTOFF, timedelta(0))


@pytest.mark.parametrize(
    ("enabled", "switched_at", "on"),
    [
        (True, None, True),
        (False, None, False),
        (True, CUTOFF - HOUR, True),
        (True, CUTOFF, True),
        (True, CUTOFF + MICROSECOND, False),
        (False, CUTOFF - HOUR, False),
        (False, CUTOFF + HOUR, True),
    ],
)
def test_whether_a_flag_was_on_follows_from_its_state_and_its_last_switch(
    enabled: bool, switched_at: datetime | None, on: bool
) -> None:
    assert was_on(enabled, switched_at, CUTOFF) is on


@given(st.booleans(), st.none() | st.integers(-1000, 1000))
def test_one_switch_is_reconstructed_exactly(before: bool, switch: int | None) -> None:
    instant = None if switch is None else CUTOFF + timedelta(seconds=switch)
    now = before if switch is None else not before
    truth = before if switch is None or switch > 0 else not before
    assert was_on(now, instant, CUTOFF) is truth


def test_a_day_nobody_prepared_is_missed_only_when_it_was_promised() -> None:
    assert status_without_preparation(True) is CaptureStatus.MISSED
    assert status_without_preparation(False) is CaptureStatus.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("now", "wakes_at"),
    [
        (CUTOFF - timedelta(minutes=5), CUTOFF - timedelta(minutes=5) + timedelta(seconds=30)),
        (CUTOFF - timedelta(seconds=30), CUTOFF),
        (CUTOFF - timedelta(seconds=7), CUTOFF),
        (CUTOFF - MICROSECOND, CUTOFF),
        (CUTOFF, CUTOFF + timedelta(seconds=30)),
    ],
)
def test_the_recovery_tick_never_sleeps_through_the_cutoff(now: datetime, wakes_at: datetime) -> None:
    assert next_recovery(now, timedelta(seconds=30)) == wakes_at
