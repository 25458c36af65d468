"""The replica as a process: origins on stdout, the clock of a file, a log on disk, an end by SIGTERM."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from daemon.clock import SimulatedClock, kst
from daemon.demo.request_log import RequestLog
from daemon.demo.world import FIRST_DAY, World
from daemon.sources.model import Platform


class Running:
    """A replica process and its files."""

    def __init__(self, process: asyncio.subprocess.Process, origins: dict[str, str], clock: Path, log: Path) -> None:
        self.process = process
        self.origins = origins
        self.clock = clock
        self.log = log


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    clock, log = tmp_path / "clock.json", tmp_path / "requests.jsonl"
    SimulatedClock.write(clock, kst(FIRST_DAY, 12), 0)
    options = ["--clock", f"file:{clock}", "--log", str(log), "--scale", "0.1", "--days", "3", "--ports", "0"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "daemon.demo.replica", *options, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        origins = json.loads(await process.stdout.readline())
        yield Running(process, origins, clock, log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_the_process_follows_the_clocks_file_logs_and_ends_at_sigterm(running: Running) -> None:
    assert set(running.origins) == {platform.value for platform in Platform}
    world = World(scale=0.1, days=3)
    address = f"{running.origins['GREENHOUSE']}/v1/boards/daangn/jobs"
    async with aiohttp.ClientSession(headers={"User-Agent": "gonggo/1.0"}) as http:
        for number in (1, 2):
            day = world.day_number(number)
            SimulatedClock.write(running.clock, kst(day, 1), 0)
            async with http.get(address) as response:
                jobs = (await response.json())["jobs"]
            listed = world.on(day).listed(Platform.GREENHOUSE, "daangn") or ()
            assert [job["id"] for job in jobs] == [int(one.site_id) for one in listed]
    log = RequestLog.read(running.log)
    assert [request.instant for request in log.requests] == [kst(world.day_number(number), 1) for number in (1, 2)]
    assert {(one.platform, one.board, one.user_agent) for one in log.requests} == {
        (Platform.GREENHOUSE, "daangn", "gonggo/1.0")
    }
    running.process.send_signal(signal.SIGTERM)
    assert await running.process.wait() == 0
