"""The daemon as a person meets it: starting, refusing to start, answering, taking orders while it runs."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from pathlib import Path

import pytest

from daemon.clock import kst
from daemon.demo.sources import DemoSource, many_sources
from daemon.demo.world import Surface, Trouble, TroubleKind, World
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import Stage, Theatre, follow, stage_on, theatre_on
from tests.acceptance.waiting import until

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

_DAY = date(2026, 12, 1)
_NOON = kst(_DAY, 12)
_SMALL = many_sources(4)
_WANTED = DemoSource(platform=Platform.WANTED, category_code="518")
_RECOVERY_TICK = timedelta(seconds=31)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of an embedded database of the test's own."""
    return f"sqlite:///{tmp_path}/gonggo.db"


async def _refused(daemon: Daemon) -> str:
    """What a daemon says that exits with 3 (settings or database can't be used)."""
    assert await daemon.ended() == 3, daemon.output
    return daemon.output.splitlines()[-1]


async def test_a_second_daemon_on_an_embedded_database_is_refused_and_told_by_whom(
    sqlite_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """DESIGN 1.1: "a second instance on the same file refuses to start with a clear message"."""
    async with stage_on(tmp_path, sqlite_url, _NOON, {}) as stage:
        first = await daemons.start("first", stage.told())
        said = await _refused(await daemons.spawn("second", stage.told()))
        assert str(first.pid) in said
        assert "gonggo.db" in said
        assert (await first.get("/readyz"))[0] == 200
        first.kill()
        await first.ended()
        await daemons.start("after", stage.told())


async def test_a_daemon_never_migrates_a_server_and_refuses_one_that_is_behind(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    """DESIGN 1.10: "on MySQL refuses to start behind the head revision"."""
    said = await _refused(await daemons.spawn("daemon", {"GONGGO_DATABASE_URL": blank_url}))
    assert "gonggo migrate" in said
    migrated = await daemons.spawn("migrate", {"GONGGO_DATABASE_URL": blank_url}, "migrate")
    assert await migrated.ended() == 0
    assert await (await daemons.start("daemon", {"GONGGO_DATABASE_URL": blank_url})).stop() == 0


async def test_from_an_empty_folder_the_daemon_makes_its_own_database(tmp_path: Path, daemons: Daemons) -> None:
    """Issue: "from an empty folder to a daemon that lives through collection days on its own"."""
    daemon = await daemons.start("daemon", {})
    assert (await daemon.get("/readyz"))[0] == 200
    assert (tmp_path / ".local/state/gonggo/gonggo.db").is_file()
    assert await daemon.stop() == 0


async def test_an_address_that_others_can_reach_needs_a_token(tmp_path: Path, daemons: Daemons) -> None:
    """DESIGN 1.9: "refuse a non-loopback bind without GONGGO_API_TOKEN"."""
    said = await _refused(await daemons.spawn("open", {"GONGGO_HTTP_HOST": "0.0.0.0"}))
    assert "GONGGO_API_TOKEN" in said
    token = "a-token-of-the-test"
    guarded = await daemons.start("guarded", {"GONGGO_HTTP_HOST": "0.0.0.0", "GONGGO_API_TOKEN": token})
    assert (await guarded.get("/api/flags"))[0] == 401
    assert (await guarded.get("/api/flags", {"Authorization": f"Bearer {token}"}))[0] == 200
    assert token not in guarded.output


async def test_the_real_daemon_answers_what_the_status_api_promises(
    sqlite_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue, 6: "/healthz, /readyz, /metrics, GET /api/operations/collection-runs … cycles … scheduled-jobs, flags"."""
    async with theatre_on(tmp_path, sqlite_url, kst(_DAY, 8), World(calm=True), _SMALL) as theatre:
        daemon = await daemons.start("daemon", theatre.stage.told())
        await theatre.stage.over(_DAY)
        for path in ("/healthz", "/readyz", "/api/flags", "/api/openapi.json"):
            assert (await daemon.get(path))[0] == 200, path
        runs = json.loads((await daemon.get("/api/operations/collection-runs"))[1])
        assert {run["runStatus"] for run in runs["runs"]} == {"SUCCESS"}
        assert len(runs["runs"]) == len(_SMALL)
        assert runs["slaSnapshot"]["captureStatus"] == "PENDING"
        assert runs["slaSnapshot"]["lateBeforeNotificationCount"] == 0
        cycles = json.loads((await daemon.get(f"/api/operations/cycles?runDate={_DAY}"))[1])
        assert [cycle["cycleStatus"] for cycle in cycles["cycles"]] == ["SUCCESS"] * len(_SMALL)
        jobs = json.loads((await daemon.get("/api/operations/scheduled-jobs"))[1])
        assert {"prepare", "deadline-sweep"} <= {job["jobName"] for job in jobs["jobs"]}
        _, metrics = await daemon.get("/metrics")
        assert 'gonggo_engine_events_total{event="page_committed"} 4.0' in metrics
        assert "gonggo_database_up 1.0" in metrics


async def test_a_flag_switched_by_the_command_takes_effect_in_the_running_daemon(
    sqlite_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue, 5, and DESIGN 1.3: flags "switch at run time without restart (gonggo flag on NAME)"."""
    async with theatre_on(tmp_path, sqlite_url, _NOON, World(calm=True), (), flags=()) as theatre:
        stage = theatre.stage
        daemon = await daemons.start("daemon", stage.told())
        await daemon.logged("job.finished", job_name="legacy-aggregators")  # v1 has had its day: nothing to collect
        source = await follow(stage.db, _SMALL[0])
        stage.leap(_RECOVERY_TICK)
        assert await stage.cycles_of(_DAY) == {}
        switched = await daemons.spawn("flag", stage.told(), "flag", "on", FlagKey.COLLECTION_DISPATCH_V2)
        assert await switched.ended() == 0, switched.output
        stage.leap(_RECOVERY_TICK)

        async def collected() -> bool:
            found = await stage.cycles_of(_DAY)
            return source in found and found[source]["cycle_status"] == "SUCCESS"

        await until(collected, "v2 collects the source")
        assert daemon.running


async def test_a_company_added_while_the_daemon_runs_is_collected_the_same_day(
    sqlite_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """DESIGN 1.10: commands "work while the daemon runs"; a source registered during the day is collected that day."""
    async with theatre_on(tmp_path, sqlite_url, _NOON, World(calm=True), _SMALL[:1]) as theatre:
        stage = theatre.stage
        await daemons.start("daemon", stage.told())
        await stage.over(_DAY)
        added = await daemons.spawn("add", stage.told(), "company", "add", "당근마켓", "--source", "GREENHOUSE:daangn")
        assert await added.ended() == 0, added.output
        stage.leap(_RECOVERY_TICK)

        async def two() -> bool:
            found = await stage.cycles_of(_DAY)
            return [row["cycle_status"] for row in found.values()] == ["SUCCESS"] * 2

        await until(two, "the added company is collected")


async def test_each_log_line_is_json_with_the_ids_it_is_about_and_no_secret(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue, 6: "Log lines for journald: JSON, one event per outcome, ids as fields, no floods"; DESIGN 1.9."""
    world = World(first_day=_DAY - timedelta(days=2))  # its third day: one site answers 503, one an empty list
    async with theatre_on(tmp_path, blank_url, _NOON, world, [*_SMALL, _WANTED]) as theatre:
        token, webhook = "token-of-the-test", "https://discord.com/api/webhooks/1/secret-of-the-test"
        told = theatre.stage.told(api_token=token, discord_webhook_url=webhook)
        daemon = await daemons.start("daemon", told)
        ended = await theatre.stage.over(_DAY)
        assert await daemon.stop() == 0
        lines = [json.loads(line) for line in daemon.output.splitlines()]
        assert all(list(line)[:3] == ["timestamp", "level", "event"] for line in lines)
        told_of = {(line["job_source_id"], line["cycle_id"]): line for line in lines if line["event"] == "cycle.ended"}
        assert {(key, row["id"]) for key, row in ended.items()} == set(told_of)
        failed = [line for line in told_of.values() if line["cycle_status"] == "FAILED"]
        assert [(line["level"], line["reason"], line["platform"]) for line in failed] == [
            ("warning", "SERVER_ERROR", "WANTED")
        ]
        assert len(lines) < 40
        for secret in (token, "secret-of-the-test"):
            assert secret not in daemon.output


@contextmanager
def _service_manager(address: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(address))
        manager.setblocking(False)
        yield manager


async def test_the_service_manager_hears_ready_a_beat_whenever_one_is_due_and_stopping(
    tmp_path: Path, daemons: Daemons
) -> None:
    """Issue, 1: "systemd unit (Type=notify, watchdog fed from the event loop only while the engine advances"."""
    heard: list[str] = []
    with _service_manager(tmp_path / "notify") as manager:

        def hear(word: str, times: int) -> bool:
            with suppress(BlockingIOError):
                while True:
                    heard.append(manager.recv(1000).decode())
            return heard.count(word) >= times

        daemon = await daemons.start("daemon", {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"})
        await until(lambda: hear("WATCHDOG=1", 5), "five beats of the watchdog")
        assert await daemon.stop() == 0
        assert hear("STOPPING=1", 1)
        assert [word for word in heard if not word.startswith(("WATCHDOG=", "STATUS="))] == ["READY=1", "STOPPING=1"]


async def _collect(daemons: Daemons, stage: Stage, name: str, *arguments: str) -> tuple[int, str]:
    collected = await daemons.spawn(name, stage.told(), "collect", *arguments)
    return await collected.ended(), collected.output


async def test_collect_exits_zero_when_all_is_well_one_when_a_source_failed_two_for_an_unknown_one(
    sqlite_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """DESIGN 1.10: "gonggo collect [--source ID…]: today's collection now, same guards, progress bars, exit code"."""
    async with theatre_on(tmp_path, sqlite_url, _NOON, World(calm=True), _SMALL) as theatre:
        stage = theatre.stage
        first, second, *_ = theatre.sources
        code, output = await _collect(daemons, stage, "one", "--source", str(first))
        assert code == 0, output
        assert "완료" in output
        assert {key: row["cycle_status"] for key, row in (await stage.cycles_of(_DAY)).items()}[first] == "SUCCESS"
        assert {request.board for request in theatre.log.requests} == {_SMALL[0].board}
        assert (await _collect(daemons, stage, "unknown", "--source", "99"))[0] == 2

        theatre.replica.switch_on(
            theatre.sources[second].platform, Trouble(kind=TroubleKind.STATUS, value=500, surface=Surface.LIST)
        )
        code, output = await _collect(daemons, stage, "rest")
        assert code == 1
        assert "SERVER_ERROR" in output
        assert theatre.log.repeated_list_pages() == {}

        asked = len(theatre.log.requests)
        _, output = await _collect(daemons, stage, "again")
        assert len(theatre.log.requests) == asked, "what was collected today is not asked again"
        assert output.count("오늘 이미 수집했습니다") == len(theatre.sources)

        await daemons.start("daemon", stage.told())
        code, output = await _collect(daemons, stage, "beside")
        assert code == 3


async def test_control_c_in_collect_exits_130_and_gives_its_slices_back(
    sqlite_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """`gonggo collect`, stopped by the person: what was read is kept, and the daemon may go on from there."""
    remember = DemoSource(platform=Platform.REMEMBER, category_code="310")
    async with theatre_on(tmp_path, sqlite_url, _NOON, World(calm=True), [remember]) as theatre:
        stage = theatre.stage
        (source,) = theatre.sources
        collecting = await _interrupted(daemons, theatre)
        assert await collecting.ended() == 130, collecting.output
        row = (await stage.cycles_of(_DAY))[source]
        assert (row["cycle_status"], row["lease_token"], row["list_page_count"]) == ("PENDING", None, 1)

        await daemons.start("daemon", stage.told())
        assert (await stage.over(_DAY))[source]["cycle_status"] == "SUCCESS"
        assert theatre.log.repeated_list_pages() == {}
        assert theatre.log.repeated_details() == {}


async def _interrupted(daemons: Daemons, theatre: Theatre) -> Daemon:
    """A `gonggo collect` that got SIGINT as its third request for a posting arrived."""
    collecting: list[Daemon] = []

    def interrupt(_request: object) -> None:
        if len(theatre.log.detail_requests()) == 3:
            theatre.log.trap = lambda _request: None
            collecting[0].signal(signal.SIGINT)

    theatre.log.trap = interrupt
    collecting.append(await daemons.spawn("collect", theatre.stage.told(), "collect"))
    return collecting[0]
