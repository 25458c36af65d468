"""`gonggo demo`: the real daemon, as a process of its own, lives through days of the replica in seconds."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from daemon import schema
from daemon.app import stop_signals
from daemon.clock import SimulatedClock, SystemClock, kst
from daemon.company.actions import register_aggregator_source, register_company
from daemon.company.model import CompanySource
from daemon.db import Database, open_database
from daemon.demo.report import Report
from daemon.demo.request_log import RequestLog
from daemon.demo.sources import demo_sources
from daemon.demo.timeline import Timeline
from daemon.demo.world import World
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.messages import Language

PERMIT_MARGIN_SECONDS = 2.0
"""Simulated: at 10 times the speed a busy machine that holds a request up for 0.1 s brings two of them 1 s closer."""
DAILY_DETAILS = 50
"""Enough to see a budget at work, and a first day that is over in half a minute."""
API_PORT = 8787
_STOP_SECONDS = 30.0


class DaemonDied(Exception):
    """The daemon's process ended though nobody asked it to."""

    def __init__(self, code: int | None, log: Path) -> None:
        super().__init__(f"the daemon ended with code {code}; its log is {log}")
        self.code = code
        self.log = log


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Where a demo plays: a folder with database, clock and logs, and the replica's addresses."""

    folder: Path
    database_url: str
    clock: Path
    port: int

    @property
    def daemon_log(self) -> Path:
        """What the daemon logs, one JSON object a line."""
        return self.folder / "daemon.jsonl"

    @property
    def request_log(self) -> Path:
        """What the replica was asked, one JSON object a line."""
        return self.folder / "requests.jsonl"


async def run_demo(*, days: int, serve: bool, keep: Path | None, language: Language) -> int:
    """Live through `days` of the demo world and show what was found; 1 when an invariant did not hold.

    With `serve` API and daemon stay up afterwards until Ctrl-C. With `keep` database and logs stay in that folder.
    """
    stopping = asyncio.Event()
    with _folder(keep) as folder, stop_signals(stopping):
        stage = Stage(
            folder=folder,
            database_url=f"sqlite:///{folder / 'gonggo.db'}",
            clock=folder / "clock.json",
            port=_free_port(API_PORT),
        )
        world = World(days=days)
        SimulatedClock.write(stage.clock, kst(world.first_day, 0) - timedelta(seconds=30), 0.0)
        report = Report(language, world, days)
        work = asyncio.ensure_future(_play(stage, world, days, serve, report, stopping))
        stop = asyncio.ensure_future(stopping.wait())
        await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not work.done() and not report.serving:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            raise KeyboardInterrupt
        return await work


async def _play(stage: Stage, world: World, days: int, serve: bool, report: Report, stopping: asyncio.Event) -> int:
    db = open_database(stage.database_url, SimulatedClock(stage.clock))
    try:
        report.begin(stage.folder)
        await prepare_database(db)
        async with replica_process(stage, days) as origins, daemon_process(stage, origins) as daemon:

            def look() -> None:
                if daemon.returncode is not None:
                    raise DaemonDied(daemon.returncode, stage.daemon_log)

            timeline = Timeline(stage.clock, db, look)
            for number in range(1, days + 1):
                day = world.day_number(number)
                with report.day(number, day) as watch:
                    watching = asyncio.ensure_future(watch(db))
                    try:
                        await timeline.live_through(day)
                    finally:
                        watching.cancel()
                        await asyncio.gather(watching, return_exceptions=True)
                await report.show_day(db, day)
            good = report.show_invariants(RequestLog.read(stage.request_log))
            if serve:
                timeline.run_at(1.0)
                report.show_address(stage.port)
                await stopping.wait()
        return 0 if good else 1
    finally:
        await db.close()


async def prepare_database(db: Database) -> None:
    """Schema, all flags on, and the demo's sources registered."""
    await schema.migrate(db)
    for key in FlagKey:
        await switch_flag(db, key, True)
    for source in demo_sources():
        if source.slug:
            board = CompanySource(platform=source.platform, source_slug=source.slug)
            await register_company(db, source.company_name, [board])
        else:
            await register_aggregator_source(db, source.platform, source.category_code, source.keyword)


@asynccontextmanager
async def replica_process(stage: Stage, days: int) -> AsyncIterator[dict[str, str]]:
    """The nine sites as a process of their own; yields their origins by platform."""
    arguments = ("--clock", f"file:{stage.clock}", "--days", str(days), "--log", str(stage.request_log))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.demo.replica", *arguments,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    async with _stopped_afterwards(process):
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            raise DaemonDied(process.returncode, stage.request_log)
        yield json.loads(line)


@asynccontextmanager
async def _stopped_afterwards(process: asyncio.subprocess.Process) -> AsyncIterator[None]:
    """SIGTERM at the end, SIGKILL when that does not help."""
    try:
        yield
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), _STOP_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()


@asynccontextmanager
async def daemon_process(
    stage: Stage, origins: Mapping[str, str], settings: Mapping[str, str] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A real `gonggo run` on the stage's database, clock and replica; stopped with SIGTERM afterwards."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GONGGO_")},
        "GONGGO_DATABASE_URL": stage.database_url,
        "GONGGO_CLOCK": f"file:{stage.clock}",
        "GONGGO_HTTP_PORT": str(stage.port),
        "GONGGO_LOG_FORMAT": "json",
        "GONGGO_PERMIT_MARGIN_SECONDS": str(PERMIT_MARGIN_SECONDS),
        "GONGGO_DAILY_DETAILS": str(DAILY_DETAILS),
        "GONGGO_PLATFORM_ORIGINS": json.dumps(dict(origins)),
        **(settings or {}),
    }
    with stage.daemon_log.open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "daemon", "run", env=environment, stdin=asyncio.subprocess.DEVNULL, stdout=log,
            stderr=log, start_new_session=True,
        )  # fmt: skip
    async with _stopped_afterwards(process):
        yield process


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """`keep`, made new for each demo, or a folder that goes away."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="gonggo-demo-", ignore_cleanup_errors=True) as name:
            yield Path(name)
        return
    folder = keep / f"demo-{SystemClock().now():%Y%m%dT%H%M%S}-{os.getpid()}"
    folder.mkdir(parents=True)
    yield folder


def _free_port(wanted: int) -> int:
    """`wanted` if nobody listens there, else any free port."""
    for port in (wanted, 0):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise AssertionError("no free port on loopback")
