"""Waiting on a clock that may jump."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from daemon.clock import ManualClock, wait_for

START = datetime(2026, 12, 1, tzinfo=UTC)


async def test_a_jump_before_the_sleeper_begins_is_not_slept_through() -> None:
    clock = ManualClock(START)
    waiting = asyncio.ensure_future(wait_for(clock, asyncio.Event(), timedelta(seconds=30)))
    # The first turn only starts the wait; the sleeper's own task has not run yet.
    await asyncio.sleep(0)
    clock.advance(timedelta(hours=8))
    assert await asyncio.wait_for(waiting, 1) is False


async def test_an_event_ends_the_wait_before_its_time() -> None:
    clock = ManualClock(START)
    event = asyncio.Event()
    waiting = asyncio.ensure_future(wait_for(clock, event, timedelta(seconds=30)))
    await asyncio.sleep(0)
    event.set()
    assert await asyncio.wait_for(waiting, 1) is True
