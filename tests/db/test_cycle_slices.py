"""A slice: how long it works, what it leaves behind, how the next one goes on (seed 000, 상태 전이; DESIGN 1.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

from aiohttp import web

from daemon.clock import ManualClock
from daemon.collection.actions.permit import delay_host
from daemon.collection.actions.work_slice import work_slice
from daemon.collection.engine import Engine
from daemon.collection.tables import external_request_host_limits as hosts
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.posting.tables import job_postings
from daemon.sources.model import DetailUse
from tests.board import Adapt, Board
from tests.engines import add_source, claim, collect_day, row, rows, stopped_by, tuned, work

Hook = Callable[[int], Awaitable[web.StreamResponse | None]]


def moving(clock: ManualClock, duration: timedelta, *pages: int) -> Hook:
    """A site on which answering these pages takes time."""

    async def answer_slowly(page: int) -> None:
        if page in pages:
            clock.advance(duration)

    return answer_slowly


async def test_after_five_pages_the_cycle_waits_with_its_cursor(collector: Engine, board: Board) -> None:
    """Seed 000: `RUNNING` × slice 저장, 다음 cursor 존재 → `PENDING`, lease를 NULL로 해제."""
    board.fill(72)
    await add_source(collector.db)
    await work(collector)
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["continuation_cursor"]) == ("PENDING", "5")
    assert (cycle["lease_token"], cycle["lease_until"], cycle["finished_at"]) == (None, None, None)
    assert (cycle["list_page_count"], cycle["fetched_count"], cycle["new_count"]) == (5, 50, 50)
    assert len(await rows(collector.db, seen)) == 50


async def test_the_next_slice_goes_on_at_the_cursor_and_asks_no_page_twice(collector: Engine, board: Board) -> None:
    board.fill(72)
    await add_source(collector.db)
    await collect_day(collector)
    cycle = await row(collector.db, cycles)
    assert board.lists_asked == list(range(8))
    assert (cycle["cycle_status"], cycle["attempt_count"], cycle["continuation_cursor"]) == ("SUCCESS", 2, None)
    assert (cycle["list_page_count"], cycle["fetched_count"], cycle["new_count"]) == (8, 72, 72)
    assert await rows(collector.db, seen) == []


async def test_a_slice_stops_at_its_number_of_postings(collector: Engine, board: Board) -> None:
    board.fill(50)
    await add_source(collector.db)
    await work(tuned(collector, slice_postings=20))
    assert (await row(collector.db, cycles))["continuation_cursor"] == "2"


async def test_a_slice_stops_when_its_time_is_up(collector: Engine, board: Board, clock: ManualClock) -> None:
    board.fill(50)
    board.before_list = moving(clock, timedelta(seconds=20), 0, 1)
    await add_source(collector.db)
    await work(tuned(collector, slice_seconds=40))
    assert (await row(collector.db, cycles))["continuation_cursor"] == "2"
    assert board.lists_asked == [0, 1]


async def test_each_page_is_committed_before_the_next_is_asked(collector: Engine, board: Board) -> None:
    """Seed 000: HTTP 호출은 DB transaction 밖에서, slice persist는 짧은 transaction (DESIGN 1.3: page by page)."""
    board.fill(30)
    committed = []

    async def look(page: int) -> None:
        cycle = await row(collector.db, cycles)
        committed.append((page, cycle["fetched_count"], cycle["continuation_cursor"], cycle["cycle_status"]))

    board.before_list = look
    await add_source(collector.db)
    await work(collector)
    assert committed == [(0, 0, None, "RUNNING"), (1, 10, "1", "RUNNING"), (2, 20, "2", "RUNNING")]


async def test_every_page_renews_the_lease(collector: Engine, board: Board, clock: ManualClock) -> None:
    board.fill(60)
    board.before_list = moving(clock, timedelta(seconds=25), *range(6))
    await add_source(collector.db)
    await collect_day(collector)
    cycle = await row(collector.db, cycles)
    assert cycle["cycle_status"] == "SUCCESS", "six pages of 25 s are longer than a lease of 90 s"


async def test_a_page_with_many_details_renews_the_lease_in_between(
    collector: Engine, board: Board, clock: ManualClock, adapt: Adapt
) -> None:
    """Research, pitfalls row 8: renew at a third."""
    adapt(detail_use=DetailUse.ENRICHMENT)
    board.fill(6)
    renewed_until = []

    async def answer_slowly(number: str) -> None:
        clock.advance(timedelta(seconds=31))
        renewed_until.append((await row(collector.db, cycles))["lease_until"] - clock.now())

    board.before_detail = answer_slowly
    await add_source(collector.db)
    await work(tuned(collector, slice_seconds=1000))
    assert (await row(collector.db, cycles))["cycle_status"] == "SUCCESS"
    assert renewed_until == [timedelta(seconds=59)] * 6


async def test_a_stopped_slice_finishes_its_page_and_gives_the_lease_back(collector: Engine, board: Board) -> None:
    """DESIGN 1.3, Stop: finishes the page in hand, releases the lease with the cursor."""
    board.fill(30)
    await add_source(collector.db)
    (assignment,) = await claim(collector)
    board.before_list = stopped_by(collector, lambda: True)
    await work_slice(collector, assignment)
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["continuation_cursor"], cycle["lease_token"]) == ("PENDING", "1", None)
    assert len(await rows(collector.db, job_postings)) == 10
    board.before_list = None
    collector.stopping.clear()
    await collect_day(collector)
    assert board.lists_asked == [0, 1, 2]


async def test_a_slice_stopped_before_its_first_request_asks_nothing(collector: Engine, board: Board) -> None:
    board.fill(3)
    await add_source(collector.db)
    (assignment,) = await claim(collector)
    collector.stopping.set()
    await work_slice(collector, assignment)
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["continuation_cursor"], cycle["lease_token"]) == ("PENDING", None, None)
    assert board.requests == 0


async def test_a_stop_leaves_out_the_details_of_the_page_in_hand(collector: Engine, board: Board, adapt: Adapt) -> None:
    adapt(detail_use=DetailUse.ENRICHMENT)
    board.fill(10)
    await add_source(collector.db)
    (assignment,) = await claim(collector)
    board.before_detail = stopped_by(collector, lambda: len(board.details_asked) == 3)
    await work_slice(collector, assignment)
    cycle = await row(collector.db, cycles)
    assert (cycle["detail_request_count"], cycle["detail_skipped_count"], cycle["cycle_status"]) == (3, 7, "SUCCESS")
    assert len(await rows(collector.db, job_postings)) == 10


async def test_a_host_that_is_taken_for_long_gives_the_slice_back_until_then(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Research, pitfalls row 29: the worker goes on with other hosts while this one may not be asked."""
    board.fill(3)
    await add_source(collector.db)
    await delay_host(collector.db, board.origin.removeprefix("http://"), timedelta(minutes=2))
    await work(collector)
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["lease_token"]) == ("PENDING", None)
    assert cycle["next_eligible_at"] == (await row(collector.db, hosts))["next_allowed_at"]
    assert board.requests == 0
    assert await claim(collector) == []
    clock.advance(timedelta(minutes=2))
    await collect_day(collector)
    assert (await row(collector.db, cycles))["cycle_status"] == "SUCCESS"


async def test_no_host_is_waited_for_so_long_that_the_lease_is_lost_meanwhile(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Found in a day of two busy daemons: a lease is renewed before a request, and the other one had the host."""
    board.fill(3)
    await add_source(collector.db)
    patient = tuned(collector, host_wait_seconds=600, lease_seconds=90)
    await delay_host(collector.db, board.origin.removeprefix("http://"), timedelta(seconds=45))
    begun = clock.now()
    await work(patient)
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["lease_token"], clock.now()) == ("PENDING", None, begun), "not waited for"
    clock.advance(timedelta(seconds=45))
    await collect_day(patient)
    assert (await row(collector.db, cycles))["cycle_status"] == "SUCCESS"
