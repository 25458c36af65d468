"""What a service manager hears of a real daemon, and what it may rely on; its ear is a double (`notices`).

Issue: "unit tested under a real service manager where one can run, else `systemd-analyze` plus a notify-socket double:
ready, reload of settings, watchdog (a stuck engine is killed, a dead database isn't), stop budget." The real one is in
`test_unit_in_systemd`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest

from daemon.clock import kst
from daemon.demo.sources import DemoSource
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.notices import Notices, listening
from tests.acceptance.proxy import Proxy
from tests.acceptance.stage import Stage, follow, stage_on
from tests.acceptance.waiting import until
from tests.board import Board, Held, serve_board

pytestmark = pytest.mark.acceptance

_DAY = date(2026, 12, 1)
_NOON = kst(_DAY, 12)
_BOARD = DemoSource(platform=Platform.WOOWAHAN, company_name="우아한형제들", slug="woowahan")
_WATCHDOG_SECONDS = 1.5


@dataclass(frozen=True, kw_only=True)
class Service:
    """A daemon, and what its service manager hears."""

    daemon: Daemon
    notices: Notices
    config: Path
    stage: Stage
    board: Board

    def write(self, **settings: object) -> None:
        """The configuration file; JSON's scalars are TOML's."""
        self.config.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items()), "utf-8")

    async def reload(self) -> dict[str, str]:
        """SIGHUP, and what was said of it, by the time that it is ready again."""
        before = len(self.notices.heard)
        self.daemon.signal(signal.SIGHUP)

        def done() -> bool:
            return any("READY" in one.words for one in self.notices.heard[before:])

        await until(done, lambda: f"RELOADING, READY among {self.notices.heard[before:]}")
        told = [one.words for one in self.notices.heard[before:] if "WATCHDOG" not in one.words]
        assert [next(iter(words)) for words in told] == ["RELOADING", "STATUS", "READY"]
        return {**told[0], **told[1]}


@asynccontextmanager
async def service(
    folder: Path, url: str, daemons: Daemons, *, stuck: str = "", ready: bool = True, **settings: object
) -> AsyncIterator[Service]:
    """A daemon that was started as systemd starts one: notify socket, watchdog, a configuration file."""
    config = folder / "gonggo.toml"
    config.touch()
    async with serve_board() as board, stage_on(folder, url, _NOON, {Platform.WOOWAHAN: board.origin}) as stage:
        with listening(folder) as notices:
            told = {
                **stage.told(daily_details=0, recovery_seconds=0.2, language="en", **settings),
                "GONGGO_CONFIG": str(config),
                "NOTIFY_SOCKET": str(notices.path),
                "WATCHDOG_USEC": str(int(_WATCHDOG_SECONDS * 1_000_000)),
            }
            if stuck:
                daemon = await daemons.spawn("daemon", told, stuck, "run", module="tests.acceptance.stuck")
            else:
                daemon = await daemons.spawn("daemon", told)
            if ready:
                await notices.first("STATUS")
            yield Service(daemon=daemon, notices=notices, config=config, stage=stage, board=board)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Where no server is needed."""
    return f"sqlite:///{tmp_path}/gonggo.db"


async def test_ready_is_said_once_by_the_daemon_itself_when_its_port_answers(
    url: str, tmp_path: Path, daemons: Daemons
) -> None:
    async with service(tmp_path, url, daemons) as running:
        assert (await running.daemon.get("/healthz"))[0] == 200, "at once, without another try"
        assert (await running.daemon.get("/readyz"))[0] == 200
        assert await running.daemon.stop() == 0
        assert len(running.notices.having("READY", "1")) == 1
        assert {one.pid for one in running.notices.heard} == {running.daemon.pid}, "NotifyAccess=main"


async def test_stopping_is_said_and_a_site_that_never_answers_holds_the_end_up_for_the_stop_budget_only(
    url: str, tmp_path: Path, daemons: Daemons
) -> None:
    async with service(tmp_path, url, daemons, stop_seconds=1, request_timeout_seconds=3600) as running:
        running.board.fill(1)
        running.board.before_list = held = Held(0)
        await follow(running.stage.db, _BOARD)
        await held.arrived.wait()
        begun = time.monotonic()
        assert await running.daemon.stop() == 0
        assert 1 <= time.monotonic() - begun < 1 + 10, "TimeoutStopSec is the budget and 20 s more"
        assert running.notices.having("STOPPING", "1")[0].at - begun < 1
        held.go.set()


async def test_settings_are_taken_up_while_it_runs_and_a_slice_in_hand_goes_on_with_its_own(
    url: str, tmp_path: Path, daemons: Daemons
) -> None:
    async with service(tmp_path, url, daemons) as running:
        running.board.fill(250)
        running.board.before_list = held = Held(1)
        source = await follow(running.stage.db, _BOARD)
        await held.arrived.wait()
        running.write(daily_pages=1, language="ko", http_port=1, platform_origins={})
        begun = time.monotonic()
        said = await running.reload()
        assert begun <= int(said["MONOTONIC_USEC"]) / 1e6 <= time.monotonic()
        assert said["STATUS"] == "settings read again", "what the environment says goes before what the file says"
        reloaded = await running.daemon.logged("settings.reloaded")
        assert reloaded["changed"] == ["daily_pages"]
        held.go.set()
        row = (await running.stage.over(_DAY))[source]
        assert (row["cycle_status"], row["list_page_count"]) == ("SUCCESS", 3)

        tomorrow = _DAY + timedelta(days=1)
        running.board.before_list = None
        running.stage.leap(kst(tomorrow, 0))
        await until(lambda: running.daemon.events("day.prepared", run_date=str(tomorrow)), "the next day")
        row = (await running.stage.over(tomorrow))[source]
        assert (row["cycle_status"], row["list_page_count"]) == ("BUDGET_EXHAUSTED", 1)
        assert await running.daemon.stop() == 0


async def test_settings_that_are_wrong_change_nothing_and_are_named(url: str, tmp_path: Path, daemons: Daemons) -> None:
    async with service(tmp_path, url, daemons) as running:
        running.write(daily_pages=0, workers=5)
        assert "daily_pages" in (await running.reload())["STATUS"]
        assert "daily_pages" in (await running.daemon.logged("settings.refused"))["reason"]
        assert running.daemon.events("settings.reloaded") == []
        running.config.write_text("not TOML", "utf-8")
        assert "gonggo.toml" in (await running.reload())["STATUS"]
        assert (await running.daemon.get("/healthz"))[0] == 200
        running.write(workers=5)
        assert (await running.reload())["STATUS"] == "settings read again"
        assert await running.daemon.stop() == 0


async def test_what_a_running_daemon_holds_on_to_is_said_to_need_a_restart(
    url: str, tmp_path: Path, daemons: Daemons
) -> None:
    async with service(tmp_path, url, daemons) as running:
        running.write(http_host="::1", api_token="of-another-life", workers=5)
        assert (await running.reload())["STATUS"].endswith("need a restart: api_token, http_host")
        await running.daemon.logged("settings.need_restart", names=["api_token", "http_host"])
        assert (await running.daemon.get("/api/flags"))[0] == 200, "no token asked for, the same address"
        assert "of-another-life" not in running.daemon.output
        assert await running.daemon.stop() == 0


async def test_the_watchdog_is_fed_while_idle_and_not_by_a_process_that_stands_still(
    url: str, tmp_path: Path, daemons: Daemons
) -> None:
    async with service(tmp_path, url, daemons) as running:
        beats = await running.notices.beats(3)
        gaps = [later - earlier for earlier, later in itertools.pairwise(beats)]
        assert len(beats) >= 4
        assert max(gaps) < _WATCHDOG_SECONDS
        running.daemon.freeze()
        await running.notices.beats(0.2)  # what was on its way
        assert await running.notices.beats(2 * _WATCHDOG_SECONDS) == []
        running.daemon.thaw()
        assert await running.notices.beats(_WATCHDOG_SECONDS)
        assert await running.daemon.stop() == 0


@pytest.mark.parametrize("place", ["slices", "recovery", "event-loop"])
async def test_a_stuck_engine_is_no_longer_fed(url: str, tmp_path: Path, daemons: Daemons, place: str) -> None:
    async with service(tmp_path, url, daemons, stuck=place) as running:
        await running.notices.first("WATCHDOG")
        if place != "event-loop":
            await running.daemon.logged("watchdog.withheld")
            assert (await running.daemon.get("/healthz"))[0] in {200, 503}, "the event loop turns all the same"
            assert running.notices.having("STATUS")[-1].words["STATUS"].startswith("no progress for ")
        await running.notices.beats(1)
        assert await running.notices.beats(2 * _WATCHDOG_SECONDS) == []


async def test_a_dead_database_does_not_starve_the_watchdog(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    async with Proxy(blank_url) as proxy, service(tmp_path, blank_url, daemons, database_url=proxy.url) as running:
        await proxy.cut()
        await running.daemon.logged("database.lost")
        beats = await running.notices.beats(3 * _WATCHDOG_SECONDS)
        assert max(later - earlier for earlier, later in itertools.pairwise(beats)) < _WATCHDOG_SECONDS
        await proxy.mend()
        await running.daemon.logged("database.back")
        assert await running.daemon.stop() == 0


async def test_a_start_that_waits_for_its_database_asks_for_more_time_before_it_is_over(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    async with (
        Proxy(blank_url) as proxy,
        service(tmp_path, blank_url, daemons, database_url=proxy.url, ready=False) as running,
    ):
        await proxy.cut()
        await running.notices.first("EXTEND_TIMEOUT_USEC")
        await asyncio.sleep(3.5)
        asked = running.notices.having("EXTEND_TIMEOUT_USEC")
        assert len(asked) >= 2
        for earlier, later in itertools.pairwise(asked):
            assert later.at - earlier.at < int(earlier.words["EXTEND_TIMEOUT_USEC"]) / 1e6
        assert running.notices.having("READY") == []
        await proxy.mend()
        await running.notices.first("READY")
        assert await running.daemon.stop() == 0
