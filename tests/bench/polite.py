"""A polite run over nine hosts in real time: how near it comes to the least time that politeness allows.

Issue: "A polite run over nine hosts with 1 s delays: total time <= 1.05 x the theoretical minimum (the busiest host's
requests x delay), with one and with two daemons."

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
from collections.abc import AsyncIterator
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
from tests.databases import execute
from tests.servers import RunFolder, admin

DELAY_SECONDS = 1.0
GOAL = 1.05
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

    @property
    def good(self) -> bool:
        """Whether the issue's goal is met."""
        return self.ratio <= GOAL and min(self.gaps.values()) >= DELAY_SECONDS


async def measure(server: str, name: str, daemons: int) -> Measured:
    """One day's collection of thirteen sources by so many daemons on a fresh database of that server."""
    with admin(server) as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    day = _today()
    sources = [source for source in demo_sources() if source != _LEFT_OUT]
    folder = Path(tempfile.mkdtemp(prefix="gonggo-bench-"))
    running = Daemons(folder)
    db = open_database(f"{server}/{name}", SystemClock())
    try:
        await _prepare(db, sources)
        async with _replica(folder, day) as origins:
            stage = Stage(folder=folder, db=db, clock_file=folder / "unused", origins=origins)
            told = stage.told(request_delay_seconds=DELAY_SECONDS, daily_details=_DETAILS, clock="")
            started = await asyncio.gather(*(running.start(f"daemon-{number}", told) for number in range(daemons)))
            begun, ended = await until(lambda: _over(db, day, len(sources)), "the day is collected", 600)
        log = RequestLog.read(folder / _REQUESTS)
        gaps = {platform: log.closest_gap(platform) for platform in Platform}
        return Measured(
            daemons=daemons,
            total_seconds=(ended - begun).total_seconds(),
            requests=dict(Counter(request.platform for request in log.requests)),
            gaps={platform: gap for platform, gap in gaps.items() if gap is not None},
            late_permits=sum([await _late_permits(daemon) for daemon in started]),
        )
    finally:
        await running.end_all()
        await db.close()
        shutil.rmtree(folder)


@asynccontextmanager
async def _replica(folder: Path, day: date) -> AsyncIterator[dict[str, str]]:
    """The nine sites, in a process of their own, so that nothing here makes them note an arrival late."""
    arguments = ("--start", str(day), "--calm", "--log", str(folder / _REQUESTS))
    replica = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.demo.replica", *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert replica.stdout is not None
        yield json.loads(await replica.stdout.readline())
    finally:
        replica.terminate()
        await replica.wait()


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


async def _prepare(db: Database, sources: list[DemoSource]) -> None:
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


def show(measured: Measured) -> None:
    """One run's figures."""
    print(f"{measured.daemons} daemon{'s' if measured.daemons > 1 else ''}:")
    print(f"  total {measured.total_seconds:.2f} s, least {measured.least_seconds:.2f} s, ratio {measured.ratio:.4f}")
    for platform, requests in sorted(measured.requests.items(), key=lambda item: -item[1]):
        gap = measured.gaps.get(platform)
        print(f"  {platform:<12} {requests:>3} requests, closest {'-' if gap is None else f'{gap:.4f} s'}")
    print(f"  places taken anew because they came up too late: {measured.late_permits}")
    print(f"  goal ratio <= {GOAL} and no gap under {DELAY_SECONDS:g} s: {'met' if measured.good else 'NOT MET'}")


async def main() -> int:
    """Measure with one daemon, then with two; 1 when a goal is not met."""
    run = RunFolder.create()
    try:
        server = run.server("mariadb")
        good = True
        for daemons in (1, 2):
            measured = await measure(server, f"bench_{daemons}", daemons)
            show(measured)
            good = good and measured.good
        return 0 if good else 1
    finally:
        run.remove()
