"""Runs the three clients in turn, checks that they stored the same, and compares."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from daemon import schema
from daemon.clock import SystemClock, business_date, kst
from daemon.company.actions import register_aggregator_source
from daemon.db import open_database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.acceptance.daemons import environment_for
from tests.bench.end_to_end import peer_tables, stored
from tests.bench.end_to_end.layout import AT_ONCE, CATEGORIES, PAGE_SIZE
from tests.bench.end_to_end.stored import Stored
from tests.bench.process import cpu_seconds, run
from tests.bench.report import Goal, Row
from tests.servers import OwnServer, admin

SIZES = {5: 5, 50: 1}
"""Pages of each category, and how often each client collects them: of the large size Scrapy takes a minute."""
_LOOK_SECONDS = 0.01
OURS, SCRAPY, FLOOR = "ours", "scrapy", "floor"


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One client's work on one empty database."""

    seconds: float
    """From the first page's request to the last commit."""
    whole_seconds: float
    """From the process's start to the last commit."""
    peak_mib: float
    cpu_seconds: float
    server_cpu_seconds: float
    stored: Stored


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """A site and a server."""

    origin: str
    server: OwnServer
    folder: Path
    pages: int

    @property
    def postings(self) -> int:
        return self.pages * PAGE_SIZE * len(CATEGORIES)

    async def measure(self, client: str) -> Run:
        """Let the client collect everything once."""
        with admin(self.server.url) as cursor:
            cursor.execute("CREATE DATABASE bench")
        database = f"{self.server.url}/bench"
        try:
            return await (self._ours(database) if client == OURS else self._peer(client, database))
        finally:
            with admin(self.server.url) as cursor:
                cursor.execute("DROP DATABASE bench")

    async def _peer(self, client: str, database: str) -> Run:
        db = open_database(f"{database}?charset=utf8mb4", SystemClock())
        async with db.engine.begin() as connection:
            await connection.run_sync(peer_tables.metadata.create_all)
        await db.close()
        module = f"tests.bench.end_to_end.{'spider' if client == SCRAPY else 'floor'}"
        began = self._server_cpu()
        ended = await run(module, (self.origin, database, str(self.pages)), environment_for(self.folder, {}))
        took = self._server_cpu() - began
        ended_at = float(ended.output)
        return Run(
            seconds=ended_at - await self._arrival(),
            whole_seconds=ended_at - ended.began_at,
            peak_mib=ended.peak_mib,
            cpu_seconds=ended.cpu_seconds,
            server_cpu_seconds=took,
            stored=await asyncio.to_thread(stored.of_peer, database, SystemClock().now()),
        )

    async def _ours(self, database: str) -> Run:
        await _prepare(database)
        told = {
            "GONGGO_CONFIG": os.devnull,
            "GONGGO_DATABASE_URL": database,
            "GONGGO_PLATFORM_ORIGINS": json.dumps({Platform.SARAMIN.value: self.origin}),
            "GONGGO_REQUEST_DELAY_SECONDS": "0",
            "GONGGO_WORKERS": str(AT_ONCE),
            "GONGGO_SLICES_PER_HOST": str(AT_ONCE),
        }
        began = self._server_cpu()
        looking = asyncio.ensure_future(asyncio.to_thread(_last_end, self.server.url))
        ended = await run("daemon", ("collect",), environment_for(self.folder, told), looking)
        took = self._server_cpu() - began
        ended_at = looking.result()
        return Run(
            seconds=ended_at - await self._arrival(),
            whole_seconds=ended_at - ended.began_at,
            peak_mib=ended.peak_mib,
            cpu_seconds=ended.cpu_seconds,
            server_cpu_seconds=took,
            stored=await asyncio.to_thread(stored.of_ours, database),
        )

    def _server_cpu(self) -> float:
        return cpu_seconds(int((self.folder / "server" / "pid").read_text()))

    async def _arrival(self) -> float:
        """When the first page of this run was asked for. Fails unless each was asked for exactly once."""
        async with aiohttp.ClientSession() as http, http.get(f"{self.origin}/arrival") as answer:
            told = await answer.json()
        assert told["pages"] == self.pages * len(CATEGORIES), told
        return float(told["first"])


def _last_end(server: str) -> float:
    """Waits until every cycle is committed as a success, and tells when that was seen, in seconds since 1970."""
    with admin(server) as cursor:
        while True:
            cursor.execute("SELECT COUNT(*) FROM bench.job_posting_collection_cycles WHERE cycle_status = 'SUCCESS'")
            if cursor.fetchone() == (len(CATEGORIES),):
                return time.time()
            time.sleep(_LOOK_SECONDS)


async def _prepare(database: str) -> None:
    db = open_database(database, SystemClock())
    try:
        await schema.migrate(db)
        for key in FlagKey:
            await switch_flag(db, key, True)
        for code in CATEGORIES:
            await register_aggregator_source(db, Platform.SARAMIN, code)
    finally:
        await db.close()


@asynccontextmanager
async def _ground(pages: int) -> AsyncIterator[Ground]:
    folder = Path(tempfile.mkdtemp(prefix="gonggo-bench-"))
    now = SystemClock().now()
    day = business_date(now)
    if (kst(day, 23, 45) - now).total_seconds() < 0:
        sys.exit("it is nearly midnight in Korea: deadlines would mean other days; try again in a quarter of an hour")
    arguments = ("--pages", str(pages), "--day", str(day))
    site = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.end_to_end.site", *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert site.stdout is not None
        with OwnServer("mariadb", folder / "server") as server:
            with admin(server.url) as cursor:
                cursor.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
                cursor.execute(f"SET GLOBAL innodb_buffer_pool_size = {512 * 1024**2}")
            origin = (await site.stdout.readline()).decode().strip()
            yield Ground(origin=origin, server=server, folder=folder, pages=pages)
    finally:
        site.terminate()
        await site.wait()
        shutil.rmtree(folder)


def _rows(ground: Ground, runs: dict[str, list[Run]]) -> list[Row]:
    everything = {one.stored for each in runs.values() for one in each}
    same = len(everything) == 1 and everything.pop().postings == ground.postings
    ours = runs[OURS]
    rows = []
    for peer, goal in ((SCRAPY, Goal(at_least=4)), (FLOOR, Goal(at_least=0.5))):
        what = f"{ground.postings:,} postings, rate beside {peer}, {len(ours)} run{'s' if len(ours) > 1 else ''}"
        rows.append(
            Row(
                bench="end to end",
                what=what if same else f"{what}: NOT THE SAME ROWS",
                ours=_told(ground, ours),
                beside=_told(ground, runs[peer]),
                ratio=_median(runs[peer], "seconds") / _median(ours, "seconds"),
                goal=goal,
                holds=same,
            )
        )
    memory = {client: _median(each, "peak_mib") for client, each in runs.items()}
    rows.append(
        Row(
            bench="end to end",
            what=f"{ground.postings:,} postings, peak memory beside scrapy (floor: {memory[FLOOR]:.0f} MiB)",
            ours=f"{memory[OURS]:.0f} MiB",
            beside=f"{memory[SCRAPY]:.0f} MiB",
            ratio=memory[OURS] / memory[SCRAPY],
            goal=Goal(at_most=1),
        )
    )
    return rows


def _median(runs: list[Run], name: str) -> float:
    return statistics.median(float(getattr(one, name)) for one in runs)


def _told(ground: Ground, runs: list[Run]) -> str:
    seconds = _median(runs, "seconds")
    return (
        f"{ground.postings / seconds:,.0f}/s ({seconds:.2f} s; with start {_median(runs, 'whole_seconds'):.2f} s,"
        f" CPU {_median(runs, 'cpu_seconds'):.2f} s, server {_median(runs, 'server_cpu_seconds'):.2f} s)"
    )


async def main() -> list[Row]:
    """Measure both sizes."""
    rows = []
    for pages, times in SIZES.items():
        async with _ground(pages) as ground:
            runs: dict[str, list[Run]] = {OURS: [], SCRAPY: [], FLOOR: []}
            for _ in range(times):
                for client, done in runs.items():
                    done.append(await ground.measure(client))
            rows += _rows(ground, runs)
    return rows
