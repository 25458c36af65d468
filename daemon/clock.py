"""Time: the Korean business day, and the clocks that everything else is handed.

Instants are aware UTC, whole microseconds. Nothing but this module reads the machine's time; the demo's sites and its
Discord, which are the world, do. Inside a transaction the database's time counts instead (`Tx.now`, see `db`).
"""

from __future__ import annotations

import asyncio
import json
import time as _time
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

KST = ZoneInfo("Asia/Seoul")

_POLL_SECONDS = 0.02
"""Longest real sleep of a simulated clock between two looks at its file (must be under 50 ms)."""

_RECORD = '{"wall": SECONDS, "instant": "2026-12-01T09:00:00+09:00", "speed": FACTOR}'
_MOST_SPEED = 100_000
"""A day in a second; what is faster overflows a datetime before anyone has looked at it."""
_MOST_PASSED = 10e9
"""Seconds, three centuries."""


def business_date(instant: datetime) -> date:
    """The KST calendar date of `instant`: the business day that a cycle, run or job belongs to."""
    return instant.astimezone(KST).date()


def kst(day: date, hour: int, minute: int = 0, second: int = 0) -> datetime:
    """The UTC instant of a KST wall-clock time on `day`."""
    return datetime.combine(day, time_of_day(hour, minute, second), KST).astimezone(UTC)


class Clock(Protocol):
    """What the product knows of time. `simulated` decides whose time a transaction uses."""

    @property
    def simulated(self) -> bool: ...

    def now(self) -> datetime:
        """The present instant, aware UTC."""
        ...

    def ticks(self) -> float:
        """Seconds on a scale that never goes backwards; only differences mean anything."""
        ...

    async def sleep(self, duration: timedelta) -> None:
        """Return once `duration` has passed on this clock; at once when it is not positive."""
        ...


async def wait_for(clock: Clock, event: asyncio.Event, duration: timedelta) -> bool:
    """Sleep for `duration` or until `event` is set, whichever comes first; tells whether the event is set."""
    return await wait_for_any(clock, (event,), duration)


async def wait_for_any(clock: Clock, events: Collection[asyncio.Event], duration: timedelta) -> bool:
    """Sleep for `duration` or until one of `events` is set, whichever comes first; tells whether any is set."""
    if any(event.is_set() for event in events) or duration <= timedelta(0):
        return any(event.is_set() for event in events)
    # From this very instant: simulated time may jump before the sleeper's task gets its first turn.
    sleeper = asyncio.ensure_future(_sleep_until(clock, clock.now() + duration))
    waiters = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait([sleeper, *waiters], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (sleeper, *waiters):
            task.cancel()
        await asyncio.gather(sleeper, *waiters, return_exceptions=True)
    return any(event.is_set() for event in events)


async def _sleep_until(clock: Clock, instant: datetime) -> None:
    await clock.sleep(instant - clock.now())


class SystemClock:
    """The machine's clock; transactions use the database server's."""

    simulated = False

    def now(self) -> datetime:
        return datetime.now(UTC)

    def ticks(self) -> float:
        return _time.monotonic()

    async def sleep(self, duration: timedelta) -> None:
        if duration > timedelta(0):
            await asyncio.sleep(duration.total_seconds())


class SimulatedClock:
    """Time read from a small file that a driver may rewrite; processes that read one file agree (DESIGN 1.2).

    The file is `{"wall": unix_seconds, "instant": iso_8601, "speed": factor}`: at wall-clock `wall` it was
    `instant`, and time has run `speed` times as fast since. It never runs backwards within a process.

    Raises ValueError, when it is made, for a file that holds anything else.
    """

    simulated = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] = (-1, -1)
        self._wall = 0.0
        self._instant = datetime.fromtimestamp(0, UTC)
        self._speed = 1.0
        self._latest = datetime.fromtimestamp(0, UTC)
        self._read()

    def _read(self) -> None:
        stat = self._path.stat()
        stamp = (stat.st_ino, stat.st_mtime_ns)
        if stamp == self._stamp:
            return
        self._wall, self._instant, self._speed = _parsed(self._path.read_text("utf-8"))
        self._stamp = stamp

    def now(self) -> datetime:
        self._read()
        passed = timedelta(seconds=(_time.time() - self._wall) * self._speed)
        self._latest = max(self._latest, self._instant + passed)
        return self._latest

    def ticks(self) -> float:
        return self.now().timestamp()

    async def sleep(self, duration: timedelta) -> None:
        due = self.now() + duration
        while (left := due - self.now()) > timedelta(0):
            real = left.total_seconds() / self._speed if self._speed > 0 else _POLL_SECONDS
            await asyncio.sleep(min(real, _POLL_SECONDS))

    @staticmethod
    def write(path: Path, instant: datetime, speed: float) -> float:
        """Set the time from now on: atomically, so that a reader sees the old or the new record, never half.

        Returns the real instant, Unix seconds, at which it was `instant`.
        """
        wall = _time.time()
        fresh = path.with_name(path.name + ".new")
        fresh.write_text(json.dumps({"wall": wall, "instant": instant.isoformat(), "speed": speed}), "utf-8")
        fresh.replace(path)
        return wall


def _parsed(text: str) -> tuple[float, datetime, float]:
    """Wall, instant and speed of a clock's file. Raises ValueError."""
    try:
        record = json.loads(text)
        wall, instant, speed = float(record["wall"]), datetime.fromisoformat(record["instant"]), float(record["speed"])
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        raise ValueError(f"the clock's file is not {_RECORD}") from None
    if not (0 <= speed <= _MOST_SPEED and abs(_time.time() - wall) * speed <= _MOST_PASSED):
        raise ValueError(f"the clock's file: speed is 0 to {_MOST_SPEED}, wall is when it was written")
    if instant.tzinfo is None or not 1970 <= instant.year < 2200:
        raise ValueError("the clock's file: instant has a time zone and lies between 1970 and 2200")
    return wall, instant.astimezone(UTC), speed


class ManualClock:
    """Time that only moves when a test moves it; sleepers wake when their instant is reached."""

    simulated = True

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return self._now

    def ticks(self) -> float:
        return self._now.timestamp()

    def set(self, instant: datetime) -> None:
        """Move to `instant`, never backwards."""
        self._now = max(self._now, instant.astimezone(UTC))
        self._moved.set()
        self._moved = asyncio.Event()

    def advance(self, duration: timedelta) -> None:
        """Move on by `duration`."""
        self.set(self._now + duration)

    async def sleep(self, duration: timedelta) -> None:
        due = self._now + duration
        while self._now < due:
            await self._moved.wait()


class SkippingClock(ManualClock):
    """A manual clock on which a sleep takes no real time: it moves time on by itself."""

    async def sleep(self, duration: timedelta) -> None:
        if duration > timedelta(0):
            self.advance(duration)
        await asyncio.sleep(0)


def clock_from(setting: str | None) -> Clock:
    """The clock that `GONGGO_CLOCK` names: unset is the machine's, `file:PATH` is simulated.

    Raises ValueError with what to write instead when the setting is neither.
    """
    if not setting:
        return SystemClock()
    kind, _, path = setting.partition(":")
    if kind != "file" or not path:
        raise ValueError(f"CLOCK is {setting!r}; leave it unset for real time or write file:PATH")
    return SimulatedClock(Path(path))
