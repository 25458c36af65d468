"""A polite run over nine hosts in real time: how near it comes to the least time that politeness allows.

The goal: "nine hosts, 1 s, one and two daemons, against the theoretical minimum (the busiest host's requests x delay)":
at most 1.03 times it.

The least time is that of the busiest host: its first request at once, each further one a delay later. The total is the
database's: from the day's preparation to the end of its last cycle. Gaps are the replica's: between arrivals.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from sqlalchemy import func, select

from daemon import schema
from daemon.clock import SystemClock, business_date, kst
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Database, open_database
from daemon.demo.request_log import RequestLog
from daemon.demo.sources import DemoSource, demo_sources
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import OPEN, Stage, follow
from tests.acceptance.waiting import until
from tests.bench.report import Goal, Row
from tests.databases import execute
from tests.servers import RunFolder, admin

DELAY_SECONDS = 1.0
GOAL = Goal(at_most=1.03)
_DETAILS = 37
"""Postings' own pages per source: with the lists the busiest host gets some 40 requests."""
_REQUESTS = "requests.jsonl"
_LEFT_OUT = DemoSource(platform=Platform.JOBKOREA, category_code="10026")


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """One run."""

    daemons: int
    total_seconds: float
    requests: dict[Platform, int]
    gaps: dict[Platform, float]
    late_permits: int
    """Places that came up while their daemon was busy, and were taken anew."""

    @property
    def least_seconds(self) -> float:
        """What the busiest host's requests take at least."""
        return (max(self.requests.values()) - 1) * DELAY_SECONDS

    @property
    def ratio(self) -> float:
        return self.total_seconds / self.least_seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """What all runs share: a server, a day, the sites, and a folder."""

    server: str
    day: date
    sources: tuple[DemoSource, ...]
    folder: Path
    origins: dict[str, str]

    async def collect(self, name: str, daemons: int, delay: float) -> tuple[float, int]:
        """A day's collection on a fresh database; its seconds, and how many places were taken anew."""
        with admin(self.server) as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        running = Daemons(self.folder)
        db = open_database(f"{self.server}/{name}", SystemClock())
        try:
            await _prepare(db, self.sources)
            stage = Stage(folder=self.folder, db=db, clock_file=self.folder / "unused", origins=self.origins)
            told = stage.told(request_delay_seconds=delay, daily_details=_DETAILS, clock="", user_agent=name)
            started = await asyncio.gather(*(running.start(f"{name}-{number}", told) for number in range(daemons)))
            begun, ended = await until(lambda: _over(db, self.day, len(self.sources)), "the day is collected", 600)
            return (ended - begun).total_seconds(), sum([await _late_permits(daemon) for daemon in started])
        finally:
            await running.end_all()
            await db.close()

    async def measure(self, daemons: int) -> Measured:
        """The polite collection by so many daemons."""
        name = f"polite_{daemons}"
        total, late = await self.collect(name, daemons, DELAY_SECONDS)
        log = RequestLog()
        log.requests = [one for one in RequestLog.read(self.folder / _REQUESTS).requests if one.user_agent == name]
        gaps = {platform: log.closest_gap(platform) for platform in Platform}
        return Measured(
            daemons=daemons,
            total_seconds=total,
            requests=dict(Counter(request.platform for request in log.requests)),
            gaps={platform: gap for platform, gap in gaps.items() if gap is not None},
            late_permits=late,
        )


@asynccontextmanager
async def _ground() -> AsyncIterator[Ground]:
    """The server and the nine sites, each a process of its own; every page that will be asked for is rendered."""
    run = RunFolder.create()
    folder = Path(tempfile.mkdtemp(prefix="gonggo-bench-"))
    day = _today()
    arguments = ("--start", str(day), "--calm", "--log", str(folder / _REQUESTS))
    replica = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.demo.replica", *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert replica.stdout is not None
        ground = Ground(
            server=run.server("mariadb"),
            day=day,
            sources=tuple(source for source in demo_sources() if source != _LEFT_OUT),
            folder=folder,
            origins=json.loads(await replica.stdout.readline()),
        )
        # A site that is busy with rendering notes an arrival late, and the next one looks too close.
        await ground.collect("warm_up", 1, 0.0)
        yield ground
    finally:
        replica.terminate()
        await replica.wait()
        run.remove()
        shutil.rmtree(folder)


async def _late_permits(daemon: Daemon) -> int:
    _, metrics = await daemon.get("/metrics")
    found = re.search(r'gonggo_engine_events_total\{event="permit_late"\} ([0-9.]+)', metrics)
    return int(float(found[1])) if found else 0


def _today() -> date:
    now = SystemClock().now()
    day = business_date(now)
    left = (kst(day, 23, 58) - now).total_seconds()
    if left < 0:
        sys.exit("it is nearly midnight in Korea: the run would cross into the next day; try again in three minutes")
    return day


async def _prepare(db: Database, sources: Iterable[DemoSource]) -> None:
    await schema.migrate(db)
    for key in FlagKey:
        await switch_flag(db, key, True)
    for source in sources:
        await follow(db, source)


async def _over(db: Database, day: date, sources: int) -> tuple[datetime, datetime] | None:
    """Begin and end of the day's collection once it is over."""
    of_day = select(func.count(), func.min(cycles.c.started_at), func.max(cycles.c.finished_at)).where(
        cycles.c.run_date == day, cycles.c.cycle_status.not_in(OPEN)
    )
    ((count, begun, ended),) = await execute(db, of_day)
    return (begun, ended) if count == sources else None


def _row(measured: Measured) -> Row:
    busiest, requests = max(measured.requests.items(), key=lambda item: item[1])
    closest = min(measured.gaps.values())
    return Row(
        bench="polite",
        what=f"{measured.daemons} daemon{'s' if measured.daemons > 1 else ''}, nine hosts, {DELAY_SECONDS:g} s,"
        f" busiest {busiest} {requests} requests, closest {closest:.3f} s, {measured.late_permits} places taken anew",
        ours=f"{measured.total_seconds:.2f} s",
        beside=f"least {measured.least_seconds:.2f} s",
        ratio=measured.ratio,
        goal=GOAL,
        holds=closest >= DELAY_SECONDS,
    )


async def main() -> list[Row]:
    """Measure with one daemon, then with two."""
    async with _ground() as ground:
        return [_row(await ground.measure(daemons)) for daemons in (1, 2)]
