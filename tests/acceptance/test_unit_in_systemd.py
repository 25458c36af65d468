"""The shipped unit under a real systemd: started, reloaded, watched, restarted, stopped; sandbox and all.

Issue: "unit tested under a real service manager where one can run: ready, reload of settings, watchdog (a stuck engine
is killed, a dead database isn't), stop budget." What needs no systemd is in `test_service`.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from daemon import schema
from daemon.clock import SystemClock, business_date
from daemon.db import open_database
from daemon.demo.sources import DemoSource
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.acceptance.proxy import Proxy
from tests.acceptance.stage import Stage, follow
from tests.acceptance.systemd import Systemd, SystemdMissing, running_systemd
from tests.acceptance.waiting import until
from tests.board import serve_board
from tests.ports import free_port

pytestmark = pytest.mark.acceptance

_BOARD = DemoSource(platform=Platform.WOOWAHAN, company_name="우아한형제들", slug="woowahan")


@pytest.fixture
async def systemd(tmp_path: Path) -> AsyncIterator[Systemd]:
    """A manager of the test's own."""
    manager = running_systemd(tmp_path)
    try:
        started = await manager.__aenter__()
    except SystemdMissing as error:
        pytest.skip(f"no systemd: {error}")
    yield started
    await manager.__aexit__(None, None, None)


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


async def test_the_unit_collects_in_its_sandbox_is_reloaded_watched_and_stopped(systemd: Systemd) -> None:
    port = free_port()
    async with serve_board() as board:
        board.fill(250)
        settings = {
            "GONGGO_HTTP_PORT": str(port),
            "GONGGO_LANGUAGE": "en",
            "GONGGO_RECOVERY_SECONDS": "0.5",
            "GONGGO_REQUEST_DELAY_SECONDS": "0",
            "GONGGO_PLATFORM_ORIGINS": json.dumps({Platform.WOOWAHAN.value: board.origin}).replace('"', '\\"'),
            "GONGGO_DAILY_DETAILS": "0",
        }
        (systemd.folder / "gonggo.toml").touch()
        systemd.write_unit(settings, WatchdogSec="4", RestartSec="0.2", LoadCredential="")
        await systemd.told("start", "gonggo")
        assert await _answers(port), "`systemctl start` returns when it is ready, not before"
        await systemd.comes_to(StatusText="0 sources, 5 functions off")

        db = open_database(f"sqlite:///{systemd.state}/gonggo.db", SystemClock())
        try:
            for key in FlagKey:
                await switch_flag(db, key, True)
            source = await follow(db, _BOARD)
            stage = Stage(folder=systemd.folder, db=db, clock_file=systemd.folder / "unused", origins={})
            day = business_date(SystemClock().now())
            await until(lambda: stage.cycles_of(day), lambda: f"a cycle; {systemd.log[-3000:]}")
            row = (await stage.over(day))[source]
            assert (row["cycle_status"], row["fetched_count"]) == ("SUCCESS", 250), "sandboxed"
        finally:
            await db.close()

        (systemd.folder / "gonggo.toml").write_text('workers = 3\nhttp_host = "::1"\n', "ascii")
        await systemd.told("reload", "gonggo")
        await systemd.comes_to(ActiveState="active", StatusText="settings read again; these need a restart: http_host")
        (systemd.folder / "gonggo.toml").write_text("workers = 0\n", "ascii")
        await systemd.told("reload", "gonggo")
        await until(lambda: "settings.refused" in systemd.log, "the refusal")
        assert await systemd.shown("ActiveState", "NRestarts") == ("active", "0")
        (systemd.folder / "gonggo.toml").write_text("workers = 3\n", "ascii")

        await systemd.told("kill", "--signal=STOP", "--kill-who=main", "gonggo")
        await systemd.restarted()
        assert systemd.log.count('"daemon.started"') >= 2
        assert await _answers(port)
        await systemd.told("stop", "gonggo")
        assert await systemd.shown("ActiveState", "Result", "ExecMainStatus") == ("inactive", "success", "0")
        assert "Traceback" not in systemd.log


async def test_a_database_that_comes_late_or_goes_away_costs_the_unit_no_restart(
    blank_url: str, server_only: None, systemd: Systemd
) -> None:
    db = open_database(blank_url, SystemClock())
    try:
        await schema.migrate(db)
    finally:
        await db.close()
    port = free_port()
    async with Proxy(blank_url) as proxy:
        settings = {"GONGGO_HTTP_PORT": str(port), "GONGGO_DATABASE_URL": proxy.url, "GONGGO_CONFIG": os.devnull}
        (systemd.folder / "gonggo.toml").touch()
        limits = {"TimeoutStartSec": "8", "WatchdogSec": "5", "RestartSec": "0.2", "LoadCredential": ""}
        systemd.write_unit(settings, **limits)
        await proxy.cut()
        start = asyncio.ensure_future(systemd.told("start", "gonggo"))
        await asyncio.sleep(12)
        assert await systemd.shown("ActiveState", "NRestarts") == ("activating", "0"), "longer than TimeoutStartSec"
        await proxy.mend()
        await start
        assert await _answers(port)

        await proxy.cut()
        await until(lambda: '"database.lost"' in systemd.log, "it notices")
        await asyncio.sleep(11)
        assert await systemd.shown("ActiveState", "NRestarts") == ("active", "0"), "longer than WatchdogSec, twice"
        await proxy.mend()
        await until(lambda: '"database.back"' in systemd.log, "it goes on")

        await systemd.told("kill", "--signal=KILL", "--kill-who=main", "gonggo")
        await systemd.restarted()
        await systemd.told("stop", "gonggo")
        assert await systemd.shown("ActiveState", "Result") == ("inactive", "success")
