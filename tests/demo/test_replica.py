"""The replica over HTTP: a port for each site, the clock's day, troubles at run time, every request in the log."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import aiohttp
import pytest

from daemon.clock import ManualClock, kst
from daemon.demo.replica import Replica
from daemon.demo.world import Surface, Trouble, TroubleKind, World
from daemon.sources.model import Platform

BOARD = "/v1/boards/krafton/jobs"
SEARCH = "/api/positions?jobCategory=1&size=100&page="


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


class Asker:
    """Asks the replica by platform and path."""

    def __init__(self, replica: Replica, http: aiohttp.ClientSession) -> None:
        self._replica = replica
        self._http = http

    def __call__(self, platform: Platform, path: str, **options: Any) -> Any:
        options.setdefault("allow_redirects", False)
        return self._http.get(self._replica.origins[platform] + path, **options)

    async def ids(self, platform: Platform, path: str) -> list[int]:
        async with self(platform, path) as response:
            return [job["id"] for job in (await response.json())["jobs"]]


@pytest.fixture
def ask(replica: Replica, http: aiohttp.ClientSession) -> Asker:
    return Asker(replica, http)


def test_every_site_has_an_origin_of_its_own(replica: Replica) -> None:
    assert set(replica.origins) == set(Platform)
    assert len(set(replica.origins.values())) == len(Platform)


async def test_an_answer_is_of_the_business_day_of_the_clock(ask: Asker, world: World, clock: ManualClock) -> None:
    def listed(number: int) -> list[int]:
        postings = world.on(world.day_number(number)).listed(Platform.GREENHOUSE, "krafton") or ()
        return [int(one.site_id) for one in postings]

    clock.set(kst(world.day_number(1), 23, 59, 59))
    before = await ask.ids(Platform.GREENHOUSE, BOARD)
    clock.set(kst(world.day_number(2), 0))
    after = await ask.ids(Platform.GREENHOUSE, BOARD)
    assert (before, after) == (listed(1), listed(2))
    assert before != after


async def test_the_script_troubles_a_board_on_its_day_and_not_its_neighbour(
    ask: Asker, world: World, clock: ManualClock
) -> None:
    clock.set(kst(world.day_number(3), 1))
    assert await ask.ids(Platform.GREENHOUSE, BOARD) == []
    assert len(await ask.ids(Platform.GREENHOUSE, "/v1/boards/daangn/jobs")) > 40


async def test_a_trouble_can_be_switched_on_and_off_while_the_replica_runs(ask: Asker, replica: Replica) -> None:
    replica.switch_on(Platform.GREENHOUSE, Trouble(kind=TroubleKind.STATUS, value=502))
    async with ask(Platform.GREENHOUSE, BOARD) as response:
        assert response.status == 502
    async with ask(Platform.WANTED, "/api/v4/jobs") as response:
        assert response.status == 200
    replica.switch_off(Platform.GREENHOUSE)
    async with ask(Platform.GREENHOUSE, BOARD) as response:
        assert response.status == 200


async def test_a_rate_limit_says_how_long_to_wait(ask: Asker, replica: Replica) -> None:
    limit = Trouble(kind=TroubleKind.STATUS, value=429, retry_after=timedelta(minutes=30))
    replica.switch_on(Platform.JUMPIT, limit)
    async with ask(Platform.JUMPIT, f"{SEARCH}1") as response:
        assert (response.status, response.headers["Retry-After"]) == (429, "1800")


async def test_a_trouble_from_page_2_on_leaves_page_1_alone(ask: Asker, replica: Replica) -> None:
    replica.switch_on(Platform.JUMPIT, Trouble(kind=TroubleKind.STATUS, value=503, surface=Surface.LIST, from_page=2))
    statuses = []
    for page in (1, 2, 3):
        async with ask(Platform.JUMPIT, f"{SEARCH}{page}") as response:
            statuses.append(response.status)
    assert statuses == [200, 503, 503]


async def test_a_redirect_leads_to_the_sites_login(ask: Asker, replica: Replica) -> None:
    replica.switch_on(Platform.INCRUIT, Trouble(kind=TroubleKind.REDIRECT_LOGIN))
    async with ask(Platform.INCRUIT, "/khmc/job/") as response:
        assert response.status == 302
        assert response.headers["Location"].startswith("https://edit.incruit.com/login/")


async def test_a_block_page_says_so_in_words_with_status_200(ask: Asker, replica: Replica) -> None:
    replica.switch_on(Platform.JOBKOREA, Trouble(kind=TroubleKind.BLOCK_PAGE))
    async with ask(Platform.JOBKOREA, "/recruit/joblist?dutyCtgr=10031") as response:
        assert response.status == 200
        assert "비정상적인 접근" in (await response.read()).decode()


async def test_a_changed_layout_keeps_the_postings_under_other_names(ask: Asker, replica: Replica) -> None:
    async with ask(Platform.JUMPIT, f"{SEARCH}1") as response:
        usual = (await response.json())["result"]["positions"]
    replica.switch_on(Platform.JUMPIT, Trouble(kind=TroubleKind.LAYOUT_CHANGED))
    async with ask(Platform.JUMPIT, f"{SEARCH}1") as response:
        changed = (await response.json())["result"]
    assert "positions" not in changed
    assert [one["id"] for one in changed["positionList"]] == [one["id"] for one in usual]


async def test_every_site_can_change_its_layout(ask: Asker, replica: Replica, world: World) -> None:
    lists = {
        Platform.GREENHOUSE: BOARD,
        Platform.WOOWAHAN: "/w1/recruits?page=0&size=100",
        Platform.INCRUIT: "/khmc/job/",
        Platform.SARAMIN: "/zf_user/jobs/list/job-category?cat_kewd=92",
        Platform.WANTED: "/api/v4/jobs?tag_type_ids=518",
        Platform.JOBKOREA: "/recruit/joblist?dutyCtgr=10026",
    }
    for platform, path in lists.items():
        async with ask(platform, path) as response:
            usual = await response.read()
        replica.switch_on(platform, Trouble(kind=TroubleKind.LAYOUT_CHANGED))
        async with ask(platform, path) as response:
            assert await response.read() != usual, platform


async def test_a_dropped_connection_brings_no_answer(ask: Asker, replica: Replica) -> None:
    replica.switch_on(Platform.SURFIT, Trouble(kind=TroubleKind.DROP))
    with pytest.raises(aiohttp.ClientConnectionError):
        async with ask(Platform.SURFIT, "/v1/jobs/all"):
            pass
    # The client may have asked again on its own.
    assert {one.status for one in replica.log.of(Platform.SURFIT)} == {0}


async def test_half_an_answer_is_not_valid_json_and_a_padded_one_is_larger(ask: Asker, replica: Replica) -> None:
    async with ask(Platform.JUMPIT, f"{SEARCH}1") as response:
        whole = await response.read()
    replica.switch_on(Platform.JUMPIT, Trouble(kind=TroubleKind.TRUNCATED))
    async with ask(Platform.JUMPIT, f"{SEARCH}1") as response:
        assert await response.read() == whole[: len(whole) // 2]
    replica.switch_off()
    replica.switch_on(Platform.JUMPIT, Trouble(kind=TroubleKind.PADDED, value=100_000))
    async with ask(Platform.JUMPIT, f"{SEARCH}1") as response:
        assert len(await response.read()) == len(whole) + 100_000


async def test_a_slow_site_answers_late_and_is_logged_even_when_no_one_waits(ask: Asker, replica: Replica) -> None:
    replica.switch_on(Platform.JUMPIT, Trouble(kind=TroubleKind.SLOW, value=60))
    with pytest.raises(TimeoutError):
        async with ask(Platform.JUMPIT, f"{SEARCH}1", timeout=aiohttp.ClientTimeout(total=0.03)):
            pass
    async with asyncio.timeout(10):
        while not replica.log.requests:
            await asyncio.sleep(0.005)
    assert [one.status for one in replica.log.of(Platform.JUMPIT)] == [200]
    async with ask(Platform.JUMPIT, f"{SEARCH}1") as response:
        assert response.status == 200


async def test_saramin_compresses_for_those_who_accept_it(ask: Asker) -> None:
    path = "/zf_user/jobs/list/job-category?cat_kewd=84&page_count=100"
    async with ask(Platform.SARAMIN, path, headers={"Accept-Encoding": "gzip"}, auto_decompress=False) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        packed = await response.read()
    async with ask(Platform.SARAMIN, path, headers={"Accept-Encoding": "identity"}) as response:
        assert "Content-Encoding" not in response.headers
        assert gzip.decompress(packed) == await response.read()
        assert len(packed) < 60_000


async def test_every_request_is_logged_with_the_clocks_instant_board_page_and_agent(
    ask: Asker, replica: Replica, clock: ManualClock
) -> None:
    async with ask(Platform.JUMPIT, f"{SEARCH}2&keyword=kotlin", headers={"User-Agent": "gonggo/1.0"}):
        clock.advance(timedelta(seconds=1))
    async with ask(Platform.JUMPIT, "/api/position/1"):
        pass
    listing, detail = replica.log.of(Platform.JUMPIT)
    assert (listing.surface, listing.board, listing.page) == (Surface.LIST, "1 kotlin", 2)
    assert listing.path == f"{SEARCH}2&keyword=kotlin"
    assert listing.user_agent == "gonggo/1.0"
    assert (detail.surface, detail.item, detail.status) == (Surface.DETAIL, "1", 400)
    assert replica.log.closest_gap(Platform.JUMPIT) == 1.0


async def test_a_port_can_be_fixed(world: World, clock: ManualClock) -> None:
    first = Replica(world, clock)
    await first.start()
    await first.stop()
    port = int(first.origins[Platform.WANTED].rpartition(":")[2])
    second = Replica(world, clock, ports={Platform.WANTED: port})
    await second.start()
    await second.stop()
    assert second.origins[Platform.WANTED] == first.origins[Platform.WANTED]
