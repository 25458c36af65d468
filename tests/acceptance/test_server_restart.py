"""The database server is restarted, or dies, in the middle of a day: that costs nothing but the time it takes."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from daemon.clock import kst
from daemon.demo.sources import DemoSource, many_sources
from daemon.demo.world import Trouble, TroubleKind, World
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemons
from tests.acceptance.replay import Replay
from tests.acceptance.stage import theatre_on, write_postings
from tests.acceptance.waiting import until
from tests.servers import OwnServer, ServerMissing, admin

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

_SOURCES = (
    DemoSource(platform=Platform.SARAMIN, category_code="84"),  # 14 pages: several slices
    DemoSource(platform=Platform.JUMPIT, category_code="1"),
    DemoSource(platform=Platform.REMEMBER, category_code="310"),
    DemoSource(platform=Platform.WOOWAHAN, slug="woowahan", company_name="우아한형제들"),
    DemoSource(platform=Platform.GREENHOUSE, slug="daangn", company_name="당근마켓"),
    *many_sources(6, (Platform.INCRUIT,)),
)
_REQUESTS_BEFORE = 12
_ANSWER_MILLISECONDS = 100


@pytest.mark.parametrize(("way", "seconds"), [(signal.SIGTERM, 3), (signal.SIGKILL, 20)], ids=["stopped", "killed"])
async def test_a_server_that_is_away_for_seconds_loses_no_cycle_and_no_page_is_asked_for_twice(
    engine: str, server_only: None, tmp_path: Path, daemons: Daemons, way: signal.Signals, seconds: int
) -> None:
    try:
        own = OwnServer(engine, tmp_path / engine)
    except ServerMissing as error:
        pytest.skip(str(error))
    with own as server:
        with admin(server.url) as cursor:
            cursor.execute("CREATE DATABASE gonggo")
        world = World(days=1, calm=True, scale=0.5)
        day = world.first_day
        async with theatre_on(tmp_path, f"{server.url}/gonggo", kst(day, 1), world, _SOURCES) as theatre:
            for platform in theatre.replica.origins:
                theatre.replica.switch_on(platform, Trouble(kind=TroubleKind.SLOW, value=_ANSWER_MILLISECONDS))
            await write_postings(world, day, _SOURCES)
            daemon = await daemons.start("daemon", theatre.stage.told(daily_details=60))
            await until(lambda: len(theatre.log.list_page_requests()) >= _REQUESTS_BEFORE, "the day is on its way")
            await asyncio.to_thread(server.end, way)
            await daemon.logged("database.lost")
            await asyncio.sleep(seconds)
            assert not daemon.events("database.back")
            await asyncio.to_thread(server.start)
            ended = await theatre.stage.over(day)
            assert {row["failure_reason"] for row in ended.values()} == {None}
            assert set(ended) == set(theatre.sources)
            for key, row in ended.items():
                assert row["cycle_status"] == "SUCCESS"
                replay = Replay(world, theatre.sources[key])
                assert row["new_count"] == replay.live(day, complete=True, pages=row["list_page_count"]).new
            assert theatre.log.repeated_list_pages() == {}
            assert theatre.log.repeated_details() == {}
            await daemon.logged("database.back")
            assert await daemon.stop() == 0
            assert "Traceback" not in daemon.output
            assert not daemon.events("cycle.stale_write_rejected")
            assert len(daemon.events("database.lost")) == len(daemon.events("database.back"))
