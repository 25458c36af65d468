"""Where an acceptance test plays: a database, a clock file, sites, and what the daemons there are told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from daemon import schema
from daemon.clock import Clock, SimulatedClock
from daemon.collection.model import CycleStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.company.actions import register_aggregator_source, register_company
from daemon.company.model import CompanySource
from daemon.db import Database, open_database
from daemon.demo.replica import Replica
from daemon.demo.request_log import LoggedRequest, RequestLog
from daemon.demo.sources import DemoSource
from daemon.demo.timeline import Timeline
from daemon.demo.world import World
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon
from tests.acceptance.waiting import until
from tests.databases import execute, url_of

Row = dict[str, Any]

OPEN = tuple(status.value for status in CycleStatus if not status.terminal)


class Tripwire(RequestLog):
    """The replica's log, which lets a test act at the very moment when a request arrives, before it is answered."""

    def __init__(self) -> None:
        super().__init__()
        self.trap: Callable[[LoggedRequest], None] = lambda _request: None

    def add(self, request: LoggedRequest) -> None:
        super().add(request)
        self.trap(request)


def told_of(url: str, clock_file: Path, origins: Mapping[str, str]) -> dict[str, str]:
    """The environment of a daemon: its database, its time, and where the sites are for it."""
    return {
        "GONGGO_DATABASE_URL": url,
        "GONGGO_CLOCK": f"file:{clock_file}",
        "GONGGO_REQUEST_DELAY_SECONDS": "0",
        "GONGGO_PLATFORM_ORIGINS": json.dumps(dict(origins)),
    }


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A migrated database whose time is the clock file's, and what leads daemons to it."""

    folder: Path
    db: Database
    clock_file: Path
    origins: Mapping[str, str]

    @property
    def clock(self) -> Clock:
        return self.db.clock

    def told(self, **more: object) -> dict[str, str]:
        """The environment of a daemon here; `more` are settings by their name."""
        named = {f"GONGGO_{name.upper()}": str(value) for name, value in more.items()}
        return told_of(url_of(self.db), self.clock_file, self.origins) | named

    def leap(self, to: datetime | timedelta, speed: float = 1.0) -> None:
        """Set the clock on to an instant, or by a duration, and let it run from there."""
        instant = self.clock.now() + to if isinstance(to, timedelta) else max(to, self.clock.now())
        SimulatedClock.write(self.clock_file, instant, speed)

    async def cycles_of(self, day: date) -> dict[int, Row]:
        """The day's cycles by source."""
        found = await execute(self.db, select(cycles).where(cycles.c.run_date == day))
        return {row.job_source_id: dict(row._mapping) for row in found}

    async def cycle(self, job_source_id: int, day: date) -> Row:
        """The source's cycle of the day."""
        return (await self.cycles_of(day))[job_source_id]

    async def over(self, day: date) -> dict[int, Row]:
        """The day's cycles once there are some and each has ended, awaited."""

        async def ended() -> dict[int, Row] | None:
            found = await self.cycles_of(day)
            return None if any(row["cycle_status"] in OPEN for row in found.values()) else found

        return await until(ended, f"every cycle of {day} ends")


@asynccontextmanager
async def stage_on(
    folder: Path,
    url: str,
    start: datetime,
    origins: Mapping[Platform, str],
    *,
    flags: Iterable[FlagKey] = tuple(FlagKey),
) -> AsyncIterator[Stage]:
    """A stage on an empty database: migrated, the flags switched on, the clock running from `start`."""
    clock_file = folder / "clock.json"
    SimulatedClock.write(clock_file, start, 1.0)
    db = open_database(url, SimulatedClock(clock_file))
    try:
        await schema.migrate(db)
        for key in flags:
            await switch_flag(db, key, True)
        named = {platform.value: origin for platform, origin in origins.items()}
        yield Stage(folder=folder, db=db, clock_file=clock_file, origins=named)
    finally:
        await db.close()


@dataclass(frozen=True, kw_only=True)
class Theatre:
    """A stage whose sites are the replica, in this process."""

    stage: Stage
    world: World
    replica: Replica
    log: Tripwire
    sources: Mapping[int, DemoSource]
    """What was registered, by id."""

    def timeline(self, *daemons: Daemon) -> Timeline:
        """What drives the clock through days; notices a daemon that died."""

        def look() -> None:
            for daemon in daemons:
                assert daemon.running, f"{daemon.name} died:\n{daemon.output[-3000:]}"

        return Timeline(self.stage.clock_file, self.stage.db, look)

    def source_of(self, request: LoggedRequest) -> int:
        """The source that a request for a list was made for."""
        return next(
            key
            for key, source in self.sources.items()
            if source.platform is request.platform and source.board == request.board
        )


@asynccontextmanager
async def theatre_on(
    folder: Path,
    url: str,
    start: datetime,
    world: World,
    sources: Iterable[DemoSource],
    *,
    origins: Mapping[Platform, str] | None = None,
    flags: Iterable[FlagKey] = tuple(FlagKey),
) -> AsyncIterator[Theatre]:
    """The replica of `world`, and a stage on which `sources` are followed; `origins` are sites of the test's own."""
    log = Tripwire()
    clock_file = folder / "clock.json"
    SimulatedClock.write(clock_file, start, 1.0)
    replica = Replica(world, SimulatedClock(clock_file), log=log)
    await replica.start()
    try:
        async with stage_on(folder, url, start, {**replica.origins, **(origins or {})}, flags=flags) as stage:
            followed = {await follow(stage.db, source): source for source in sources}
            yield Theatre(stage=stage, world=world, replica=replica, log=log, sources=followed)
    finally:
        await replica.stop()


async def follow(db: Database, source: DemoSource) -> int:
    """Register a source, with its company when it is a company's board; returns its id."""
    if source.slug:
        board = CompanySource(platform=source.platform, source_slug=source.slug)
        return (await register_company(db, source.company_name, [board])).source_ids[0]
    return await register_aggregator_source(db, source.platform, source.category_code, source.keyword)


async def write_postings(world: World, day: date, sources: Iterable[DemoSource]) -> None:
    """Make up what the sites list on a day before anyone asks, so that no answer is slow for that."""

    def write() -> None:
        for source in sources:
            world.on(day).listed(source.platform, source.board)

    await asyncio.to_thread(write)
