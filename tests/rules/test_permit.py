"""One request per host and spacing, over all instances (seed 000, external_request_host_limits)."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from daemon.collection.rules.permit import Granted, HostBusy, decide_permit

NOW = datetime(2026, 12, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
WAIT = 20 * SECOND


def test_a_free_host_is_asked_now_and_is_taken_for_one_spacing() -> None:
    assert decide_permit(NOW - SECOND, NOW, SECOND, WAIT) == Granted(not_before=NOW, next_allowed_at=NOW + SECOND)


def test_exactly_at_its_instant_the_host_is_free() -> None:
    assert decide_permit(NOW, NOW, SECOND, WAIT) == Granted(not_before=NOW, next_allowed_at=NOW + SECOND)


def test_a_taken_host_is_reserved_behind_those_who_came_before() -> None:
    ahead = NOW + 3 * SECOND
    assert decide_permit(ahead, NOW, SECOND, WAIT) == Granted(not_before=ahead, next_allowed_at=ahead + SECOND)


def test_a_wait_of_exactly_the_longest_is_still_granted() -> None:
    assert isinstance(decide_permit(NOW + WAIT, NOW, SECOND, WAIT), Granted)


def test_a_host_taken_for_longer_is_busy_and_nothing_is_reserved() -> None:
    until = NOW + WAIT + timedelta(microseconds=1)
    assert decide_permit(until, NOW, SECOND, WAIT) == HostBusy(until=until)


seconds = st.integers(0, 40).map(lambda number: number * timedelta(milliseconds=250))


@given(st.lists(st.tuples(seconds, seconds), max_size=30), seconds)
def test_two_permits_of_a_host_are_never_closer_than_the_spacing(
    asks: list[tuple[timedelta, timedelta]], spacing: timedelta
) -> None:
    """Seed 000: `next_allowed_at = GREATEST(now, next_allowed_at) + delay`, over any sequence of asks."""
    now, free_at, granted = NOW, NOW - timedelta(days=365), list[datetime]()
    for pause, longest_wait in asks:
        now += pause
        match decide_permit(free_at, now, spacing, longest_wait):
            case Granted(not_before=not_before, next_allowed_at=next_allowed_at):
                assert now <= not_before <= now + longest_wait
                granted.append(not_before)
                free_at = next_allowed_at
            case HostBusy(until=until):
                assert until > now + longest_wait
    assert all(later - earlier >= spacing for earlier, later in itertools.pairwise(granted))
