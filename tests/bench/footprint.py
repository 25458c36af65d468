"""What the daemon costs the machine: idle, while it collects, and after a month.

Issue: "footprint: RSS and CPU idle, while collecting, after 30 simulated days": less than half a percent of a core, 120
MB at most, and no growth from day to day.

Idle is a followed day that is over, in real time, with the watchdog to be fed. The month is the replica's, at the
simulated speed of the acceptance tests; each day's memory is what is resident when the day is over.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from daemon import schema
from daemon.clock import SystemClock, kst
from daemon.db import open_database
from daemon.demo.processes import PATIENCE
from daemon.demo.sources import demo_sources
from daemon.demo.world import World
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import theatre_on, write_postings
from tests.acceptance.systemd import UNIT
from tests.bench.process import cpu_seconds, peak_memory, resident_memory
from tests.bench.report import Goal, Row
from tests.servers import RunFolder, admin

IDLE_SECONDS = 60.0
DAYS = int(os.environ.get("GONGGO_BENCH_FOOTPRINT_DAYS", "30"))
"""At least eight: a slope needs three that count."""
_SETTLED = 5
"""Days after which caches and pools have their size."""

_MOST_CPU_PERCENT = 0.5
_MOST_MIB = 120.0
_DETAILS = 10
_SETTLE_SECONDS = 10.0
_AS_THE_UNIT = dict(
    pair.split("=", 1)
    for line in re.findall(r"^Environment=(.+)$", UNIT.read_text("utf-8"), re.M)
    for pair in line.split()
)
"""The environment in which systemd starts it."""


async def main() -> list[Row]:
    """Idle on both kinds of database at once, then a month."""
    run = RunFolder.create()
    try:
        with tempfile.TemporaryDirectory(prefix="gonggo-bench-") as folder:
            server = run.server("mariadb")
            for name in ("bench_idle", "bench_month"):
                with admin(server) as cursor:
                    cursor.execute(f"CREATE DATABASE {name}")
            addresses = {"SQLite": f"sqlite:///{folder}/idle.db", "MariaDB": f"{server}/bench_idle"}
            return [*await _idle_on(Path(folder), addresses), *await _month(Path(folder), f"{server}/bench_month")]
    finally:
        run.remove()


async def _start(running: Daemons, name: str, told: Mapping[str, str]) -> Daemon:
    daemon = await running.spawn(name, {**_AS_THE_UNIT, **told}, module="tests.bench.as_installed")
    await daemon.started()
    return daemon


async def _idle_on(folder: Path, addresses: Mapping[str, str]) -> list[Row]:
    """A daemon on each database at once; what they are migrated by does one at a time."""
    for url in addresses.values():
        db = open_database(url, SystemClock())
        await schema.migrate(db)
        for key in FlagKey:
            await switch_flag(db, key, True)
        await db.close()
    return list(await asyncio.gather(*(_idle(folder, name, url) for name, url in addresses.items())))


async def _idle(folder: Path, name: str, url: str) -> Row:
    running = Daemons(folder)
    try:
        watched = {"NOTIFY_SOCKET": f"@gonggo-bench-{name}", "WATCHDOG_USEC": "60000000"}
        daemon = await _start(running, name, {**watched, "GONGGO_DATABASE_URL": url})
        await asyncio.sleep(_SETTLE_SECONDS)
        began, spent = time.monotonic(), cpu_seconds(daemon.pid)
        await asyncio.sleep(IDLE_SECONDS)
        percent = 100 * (cpu_seconds(daemon.pid) - spent) / (time.monotonic() - began)
        return Row(
            bench="footprint",
            what=f"idle on {name}, {IDLE_SECONDS:g} s: processor ({resident_memory(daemon.pid):.0f} MiB resident)",
            ours=f"{percent:.2f} %",
            beside=f"goal {_MOST_CPU_PERCENT} % of a core",
            ratio=percent / _MOST_CPU_PERCENT,
            goal=Goal(at_most=1),
        )
    finally:
        await running.end_all()


async def _month(folder: Path, url: str) -> list[Row]:
    world = World(days=DAYS, calm=True)
    running = Daemons(folder)
    resident: list[float] = []
    try:
        async with theatre_on(folder, url, kst(world.first_day, 0), world, demo_sources()) as theatre:
            told = {**theatre.stage.told(daily_details=_DETAILS), **PATIENCE}
            daemon = await _start(running, "month", told)
            timeline = theatre.timeline(daemon)
            for number in range(1, DAYS + 1):
                day = world.day_number(number)
                await write_postings(world, day, theatre.sources.values())
                await timeline.live_through(day)
                resident.append(resident_memory(daemon.pid))
                print(f"footprint: day {number}: {resident[-1]:.1f} MiB", file=sys.stderr, flush=True)
            peak = peak_memory(daemon.pid)
            requests = len(theatre.log.requests)
    finally:
        await running.end_all()
    return [_collecting(peak, requests), _growth(resident)]


def _collecting(peak: float, requests: int) -> Row:
    return Row(
        bench="footprint",
        what=f"collecting, {len(demo_sources())} sources, {DAYS} days, {requests:,} requests: most memory",
        ours=f"{peak:.0f} MiB",
        beside=f"goal {_MOST_MIB:g} MiB",
        ratio=peak / _MOST_MIB,
        goal=Goal(at_most=1),
    )


def _growth(resident: Sequence[float]) -> Row:
    """The growth that a line through the days shows, beside two standard errors of it; less than a MiB is none."""
    days = list(range(_SETTLED + 1, len(resident) + 1))
    settled = resident[_SETTLED:]
    slope, at_zero = statistics.linear_regression(days, settled)
    squares = sum((mib - at_zero - slope * day) ** 2 for day, mib in zip(days, settled, strict=True))
    spread = sum((day - statistics.fmean(days)) ** 2 for day in days)
    error = math.sqrt(squares / (len(days) - 2) / spread)
    length = days[-1] - days[0]
    grown, noise = slope * length, max(1.0, 2 * error * length)
    return Row(
        bench="footprint",
        what=f"resident after a day, {settled[0]:.0f} to {settled[-1]:.0f} MiB: growth from day {days[0]} on",
        ours=f"{grown:+.2f} MiB ({slope:+.3f} ± {error:.3f} a day)",
        beside=f"noise {noise:.2f} MiB",
        ratio=grown / noise,
        goal=Goal(at_most=1),
    )
