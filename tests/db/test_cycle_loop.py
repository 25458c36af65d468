"""The engine's two loops: slices that keep going, and the recovery tick (DESIGN 1.3, 2)."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta

from sqlalchemy import event
from structlog.testing import capture_logs

from daemon.clock import ManualClock, SkippingClock, kst
from daemon.collection.engine import Engine
from daemon.collection.loop import IDLE_POLL, _claim, recover, run_recovery, run_slices
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import open_database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.board import Board, serve_board
from tests.databases import open_second
from tests.engines import DAY, add_source, engine_on, keyed, row, rows, tuned, write

TODAY = date(2026, 12, 1)
NINE = kst(TODAY, 9)

Loop = Callable[[Engine], Awaitable[None]]


@asynccontextmanager
async def running(engine: Engine, loop: Loop) -> AsyncIterator[asyncio.Event]:
    """The loop at work; it is stopped and awaited at the end, if the test has not stopped it before."""
    stopping = asyncio.Event()
    task = asyncio.ensure_future(loop(replace(engine, stopping=stopping)))
    try:
        yield stopping
    finally:
        stopping.set()
        await task


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait, in real time and not for long, until the loop has brought something about."""
    async with asyncio.timeout(10):
        while not await condition():
            await asyncio.sleep(0.005)


def statuses(engine: Engine, *wanted: str) -> Callable[[], Awaitable[bool]]:
    """Whether the cycles have these statuses, by id."""

    async def reached() -> bool:
        return [each["cycle_status"] for each in await rows(engine.db, cycles)] == list(wanted)

    return reached


# --- slices ----------------------------------------------------------------------------------------------------------


async def test_the_loop_works_every_ready_cycle_to_its_end(collector: Engine, board: Board) -> None:
    board.fill(72)
    board.jobs = [1, 2, 3]
    await add_source(collector.db)
    await add_source(collector.db, Platform.GREENHOUSE, "daangn")
    await recover(collector)
    async with running(collector, run_slices):
        await until(statuses(collector, "SUCCESS", "SUCCESS"))
    assert board.lists_asked == list(range(8))
    assert len(await rows(collector.db, job_postings)) == 75
    assert collector.progress.in_flight == {}
    assert collector.progress.counts["page_committed"] == 9


async def test_one_host_is_asked_by_one_slice_at_a_time(collector: Engine, board: Board) -> None:
    at_once = 0
    most = 0

    async def count(page: int) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.01)
        at_once -= 1

    board.fill(10)
    board.before_list = count
    for slug in ("a", "b", "c"):
        await add_source(collector.db, slug=slug)
    await recover(collector)
    async with running(collector, run_slices):
        await until(statuses(collector, *["SUCCESS"] * 3))
    assert most == 1


async def test_a_slow_host_does_not_hold_up_another(collector: Engine, board: Board) -> None:
    """DESIGN 1.3: a slow host must not fill the pool while other hosts idle."""
    answered = asyncio.Event()

    async def slow(page: int) -> None:
        await answered.wait()

    board.fill(1)
    board.before_list = slow
    for slug in ("a", "b", "c"):
        await add_source(collector.db, slug=slug)
    await add_source(collector.db, Platform.GREENHOUSE, "daangn")
    async with (
        serve_board() as other,
        engine_on(collector.db, board.origins | {Platform.GREENHOUSE: other.origin}, workers=2) as engine,
    ):
        other.jobs = [1]
        await recover(engine)
        async with running(engine, run_slices):
            await until(statuses(engine, "RUNNING", "PENDING", "PENDING", "SUCCESS"))
            answered.set()
            await until(statuses(engine, *["SUCCESS"] * 4))
    assert (other.boards_asked, board.lists_asked) == (["daangn"], [0, 0, 0])


async def test_a_stop_lets_the_page_in_hand_finish_and_claims_no_more(collector: Engine, board: Board) -> None:
    """DESIGN 1.3, Stop (SIGTERM)."""
    asked, answer = asyncio.Event(), asyncio.Event()

    async def hold(page: int) -> None:
        asked.set()
        await answer.wait()

    board.fill(30)
    board.before_list = hold
    first, second = [await add_source(collector.db, slug=slug) for slug in ("first", "second")]
    await recover(collector)
    async with running(collector, run_slices) as stopping:
        await asked.wait()
        stopping.set()
        answer.set()
    found = await keyed(collector.db, cycles, "job_source_id")
    assert (found[first]["cycle_status"], found[first]["continuation_cursor"]) == ("PENDING", "1")
    assert (found[second]["cycle_status"], found[second]["attempt_count"]) == ("PENDING", 0)
    assert {each["lease_token"] for each in found.values()} == {None}
    assert board.lists_asked == [0]


async def test_what_cannot_finish_within_the_stop_budget_is_left_to_its_lease(collector: Engine, board: Board) -> None:
    asked = asyncio.Event()

    async def never(page: int) -> None:
        asked.set()
        await asyncio.Event().wait()

    board.fill(30)
    board.before_list = never
    await add_source(collector.db)
    await recover(collector)
    async with running(tuned(collector, stop_seconds=0.05), run_slices) as stopping:
        await asked.wait()
        stopping.set()
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["lease_token"] is None) == ("RUNNING", False)


async def test_the_loop_outlives_a_database_that_is_away(collector: Engine, clock: ManualClock) -> None:
    away = open_database("mysql://nobody@127.0.0.1:9/nowhere", clock)
    with capture_logs() as logs:
        for loop in (run_slices, run_recovery):
            async with running(replace(collector, db=away), loop):
                await asyncio.sleep(0.1)
    await away.close()
    assert [(each["event"], each["log_level"]) for each in logs] == [("database.lost", "warning")], "told once"


async def test_the_loops_outlive_a_fault_of_our_own_and_say_where_it_is(collector: Engine) -> None:
    broken = copy.copy(collector.db)
    broken.engine = object()  # type: ignore[assignment]  # no engine
    with capture_logs() as logs:
        for loop in (run_slices, run_recovery):
            async with running(replace(collector, db=broken), loop):
                await asyncio.sleep(0.1)
    told = {str(each["event"]): each for each in logs}
    assert set(told) == {"engine.claim_failed", "recovery.failed"}
    assert all(each["exc_info"] for each in told.values())


# --- recovery --------------------------------------------------------------------------------------------------------


def captured(engine: Engine) -> Callable[[], Awaitable[bool]]:
    """Whether today's snapshot is settled."""

    async def settled() -> bool:
        return [each["capture_status"] for each in await rows(engine.db, headers)] == ["CAPTURED"]

    return settled


async def test_the_recovery_tick_captures_at_nine_though_no_writer_comes(collector: Engine) -> None:
    """DESIGN 1.3: the 09:00 timer and the recovery tick call the same `settle` action."""
    await add_source(collector.db)
    clock = SkippingClock(NINE - timedelta(seconds=44))
    async with open_second(collector.db, clock) as db:
        engine = replace(collector, db=db)
        async with running(engine, run_recovery):
            await until(captured(engine))
    assert (await row(collector.db, headers))["captured_at"] == NINE


async def test_the_recovery_tick_prepares_a_day_for_what_was_switched_on_since(
    collector: Engine, clock: ManualClock
) -> None:
    await switch_flag(collector.db, FlagKey.COLLECTION_DISPATCH_V2, False)
    await add_source(collector.db)
    await recover(collector)
    assert await rows(collector.db, cycles) == []
    await switch_flag(collector.db, FlagKey.COLLECTION_DISPATCH_V2, True)
    await recover(collector)
    assert len(await rows(collector.db, cycles)) == 1


async def test_the_recovery_tick_ends_expired_leases_and_what_earlier_days_left(
    collector: Engine, clock: ManualClock
) -> None:
    await add_source(collector.db, slug="waiting")
    abandoned = await add_source(collector.db, slug="abandoned")
    await recover(collector)
    claimed = cycles.update().where(cycles.c.job_source_id == abandoned)
    await write(collector.db, claimed.values(cycle_status="RUNNING", lease_until=NINE))
    clock.set(kst(TODAY + DAY, 0))
    await recover(collector)
    old = [each["failure_reason"] for each in await rows(collector.db, cycles) if each["run_date"] == TODAY]
    assert old == ["DAY_ENDED", "LEASE_EXPIRED"]
    new = [each["cycle_status"] for each in await rows(collector.db, cycles) if each["run_date"] == TODAY + DAY]
    assert new == ["NOT_STARTED"] * 2


async def test_an_idle_look_is_one_transaction_that_changes_and_locks_nothing(collector: Engine) -> None:
    """Five instances that idle all night look at the queue a dozen times a minute each."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    event.listen(collector.db.engine.sync_engine, "before_cursor_execute", note)
    assert await _claim(collector, None) == ([], IDLE_POLL)
    event.remove(collector.db.engine.sync_engine, "before_cursor_execute", note)
    looks = [each for each in asked if not each.startswith("BEGIN")]
    assert len(looks) == 1, looks
    assert looks[0].startswith("SELECT")
    assert "FOR UPDATE" not in looks[0]
    assert asked.count("BEGIN IMMEDIATE") == 0
