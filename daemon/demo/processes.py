"""The demo's two other processes: the nine sites, and the real daemon. Neither outlives the demo, however it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PATIENCE = {"GONGGO_SLICE_SECONDS": "3600", "GONGGO_HOST_WAIT_SECONDS": "600", "GONGGO_LEASE_SECONDS": "1800"}
"""Simulated time runs fast, and so does a busy machine's lateness; limits on time are not what the days show."""

PERMIT_MARGIN_SECONDS = 2.0
"""Simulated: at 10 times the speed a busy machine that holds a request up for 0.1 s brings two of them 1 s closer."""
DAILY_DETAILS = 50
"""Enough to see a budget at work, and a first day that is over in half a minute."""
API_PORT = 8787
_STOP_SECONDS = 30.0
_HURRIED_SECONDS = 0.7
"""After Ctrl-C nobody waits for a clean end: the shell is back within 2 s."""


class DaemonDied(Exception):
    """The daemon's process, or that of the sites, ended though nobody asked it to."""

    def __init__(self, code: int | None, log: Path) -> None:
        super().__init__(f"the process ended with code {code}; its log is {log}")
        self.code = code
        self.log = log


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """Where a demo plays: a folder with database, clock and logs, and the port of the daemon's API."""

    folder: Path
    port: int

    @property
    def database_url(self) -> str:
        """An embedded database of its own."""
        return f"sqlite:///{self.folder / 'gonggo.db'}"

    @property
    def clock(self) -> Path:
        """The file that every process of the demo reads the time from."""
        return self.folder / "clock.json"

    @property
    def daemon_log(self) -> Path:
        """What the daemon logs, one JSON object a line."""
        return self.folder / "daemon.jsonl"

    @property
    def request_log(self) -> Path:
        """What the sites were asked, one JSON object a line."""
        return self.folder / "requests.jsonl"


@asynccontextmanager
async def replica_process(stage: Stage, days: int) -> AsyncIterator[dict[str, str]]:
    """The nine sites; yields their origins by platform. Raises DaemonDied when they don't come up."""
    arguments = ("--clock", f"file:{stage.clock}", "--days", str(days), "--log", str(stage.request_log))
    log = stage.folder / "sites.log"
    with log.open("ab") as errors:
        process = await _tied("daemon.demo.replica", *arguments, output=asyncio.subprocess.PIPE, errors=errors)
    async with _stopped_afterwards(process):
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            raise DaemonDied(await process.wait(), log)
        yield json.loads(line)


@asynccontextmanager
async def daemon_process(
    stage: Stage, origins: Mapping[str, str], settings: Mapping[str, str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A real `gonggo run` on the stage's database, clock and sites; stopped with SIGTERM afterwards."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GONGGO_")},
        "GONGGO_CONFIG": os.devnull,
        "GONGGO_DATABASE_URL": stage.database_url,
        "GONGGO_CLOCK": f"file:{stage.clock}",
        "GONGGO_HTTP_PORT": str(stage.port),
        "GONGGO_LOG_FORMAT": "json",
        "GONGGO_PERMIT_MARGIN_SECONDS": str(PERMIT_MARGIN_SECONDS),
        "GONGGO_DAILY_DETAILS": str(DAILY_DETAILS),
        **PATIENCE,
        "GONGGO_PLATFORM_ORIGINS": json.dumps(dict(origins)),
        **settings,
    }
    with stage.daemon_log.open("ab") as log:
        process = await _tied("daemon", "run", output=log, errors=log, environment=environment)
    async with _stopped_afterwards(process):
        yield process


async def _tied(
    *program: str, output: int | BinaryIO, errors: BinaryIO, environment: Mapping[str, str] | None = None
) -> asyncio.subprocess.Process:
    """Start a module that ends with this process; see `tied.py`. Ctrl-C does not reach it."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "daemon.demo.tied",
        *program,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=output,
        stderr=errors,
        start_new_session=True,
    )


@asynccontextmanager
async def _stopped_afterwards(process: asyncio.subprocess.Process) -> AsyncIterator[None]:
    """SIGTERM at the end, SIGKILL when that does not help; when cancelled, it has less than a second to help."""
    patience = _STOP_SECONDS
    try:
        yield
    except asyncio.CancelledError:
        patience = _HURRIED_SECONDS
        raise
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), patience)
            except TimeoutError:
                process.kill()
                await process.wait()


def free_port(wanted: int) -> int:
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
