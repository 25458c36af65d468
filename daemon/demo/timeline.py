"""Moving simulated time through a day: fast while a site is asked, in leaps while nothing is due."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path

from daemon.clock import SimulatedClock, kst
from daemon.collection.store.cycles import open_work
from daemon.db import Database, reading
from daemon.schedule.actions import jobs_of_day
from daemon.schedule.model import JobName, JobStatus

WORK_SPEED = 10.0
"""Simulated seconds per real one while sites are asked: a delay of 1 s is then 100 ms."""
_CUTOFF_SPEED = 4.0
"""Across 09:00: the grace of 5 s must outlast a stall of a busy machine."""
_LOOK_SECONDS = 0.1
_STUCK_SECONDS = 60.0
_LONG_WAIT = timedelta(seconds=30)

_JOBS = (
    (JobName.DEADLINE_SWEEP, (0, 30)),
    (JobName.DEDUP, (8, 30)),
    (JobName.EVALUATION, (8, 50)),
    (JobName.SLA, (9, 0)),
    (JobName.NOTIFICATION, (9, 0)),
    (JobName.SEEN_CLEANUP, (10, 15)),
)
"""The timetable's jobs after midnight that the daemon has work for, and when they are due."""


class DayStuck(Exception):
    """The daemon stopped getting on with a day."""

    def __init__(self, run_date: date, what: str) -> None:
        super().__init__(f"{run_date}: waited {_STUCK_SECONDS:.0f} s for {what}")


class Timeline:
    """Drives the clock file that the daemon and the replica read."""

    def __init__(self, path: Path, db: Database, look: Callable[[], object] = lambda: None) -> None:
        self._path = path
        self._clock = SimulatedClock(path)
        self._db = db
        self._look = look
        """Called at every look: shows progress, raises when the daemon has died."""

    def now(self) -> datetime:
        """The simulated instant."""
        return self._clock.now()

    def run_at(self, speed: float) -> None:
        """Let time run on at another speed."""
        SimulatedClock.write(self._path, self._clock.now(), speed)

    def leap(self, instant: datetime, speed: float = WORK_SPEED) -> None:
        """Go on from `instant`, unless it is already later."""
        SimulatedClock.write(self._path, max(instant, self._clock.now()), speed)

    async def live_through(self, day: date) -> None:
        """From midnight until the collection and every job of the day are over. Raises DayStuck."""
        self.leap(kst(day, 0))
        await self._until(day, "the day's preparation", self._prepared)
        await self._until(day, "the day's cycles", self._collected)
        for name, (hour, minute) in _JOBS:
            due = kst(day, hour, minute)
            crossing = name is JobName.SLA
            self.leap(due - timedelta(seconds=2), _CUTOFF_SPEED if crossing else WORK_SPEED)
            await self._until(day, f"the job {name}", partial(self._job_done, name))
        self.run_at(WORK_SPEED)
        await self._until(day, "cycles made at the cutoff", self._collected)

    async def _until(self, day: date, what: str, done: Callable[[date], Awaitable[bool]]) -> None:
        waited = 0.0
        while not await done(day):
            self._look()
            await asyncio.sleep(_LOOK_SECONDS)
            waited += _LOOK_SECONDS
            if waited > _STUCK_SECONDS and not (await reading(self._db, open_work, day)).running:
                raise DayStuck(day, what)
        self._look()

    async def _prepared(self, day: date) -> bool:
        return await self._job_done(JobName.PREPARE, day)

    async def _job_done(self, name: JobName, day: date) -> bool:
        state = (await jobs_of_day(self._db, day)).get(name)
        return state is not None and state.status is not JobStatus.RUNNING

    async def _collected(self, day: date) -> bool:
        work = await reading(self._db, open_work, day)
        waits_until = None if work.running else work.ready_at
        if waits_until is not None and waits_until > self._clock.now() + _LONG_WAIT:
            # A site asked to be left alone for a while: nothing happens until then.
            self.leap(waits_until)
        return work.cycles == 0
