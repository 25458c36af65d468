"""The next business day begins while cycles of the last are unfinished (DESIGN 1.3, day roll-over)."""

from __future__ import annotations

from datetime import timedelta

from daemon.clock import ManualClock
from daemon.collection.actions.prepare import end_earlier_days, prepare_day
from daemon.collection.actions.work_slice import work_slice
from daemon.collection.engine import Engine
from daemon.collection.loop import recover
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_source_health
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.tables import job_postings
from tests.board import Board
from tests.engines import DAY, add_source, claim, collect_day, newest, row, rows, today, work

END = ("cycle_status", "failure_reason", "attempt_count")
MINUTE = timedelta(minutes=1)


async def test_a_cycle_that_waits_for_its_next_slice_ends_with_the_day(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.3: a cycle of an earlier day that is NOT_STARTED/PENDING ends FAILED (DAY_ENDED)."""
    board.fill(72)
    await add_source(collector.db)
    await work(collector)
    clock.advance(DAY)
    await prepare_day(collector, await today(collector.db))
    old, new = await rows(collector.db, cycles)
    assert [old[name] for name in END] == ["FAILED", "DAY_ENDED", 1]
    assert (new["cycle_status"], new["run_date"]) == ("NOT_STARTED", old["run_date"] + DAY)
    assert (await row(collector.db, runs))["failure_reason"] == "DAY_ENDED"
    assert (await row(collector.db, job_source_health))["consecutive_abnormal_days"] == 1
    assert await rows(collector.db, seen) == []
    assert len(await rows(collector.db, job_postings)) == 50, "what was read stays"


async def test_a_cycle_that_nobody_ever_claimed_says_nothing_of_its_source(
    collector: Engine, clock: ManualClock
) -> None:
    """DESIGN 1.3: one that was never claimed (attempt_count = 0) does not touch source health."""
    await add_source(collector.db)
    await prepare_day(collector, await today(collector.db))
    clock.advance(DAY)
    await prepare_day(collector, await today(collector.db))
    old, _ = await rows(collector.db, cycles)
    assert [old[name] for name in END] == ["FAILED", "DAY_ENDED", 0]
    assert await rows(collector.db, job_source_health) == []


async def test_a_ready_cycle_that_nobody_claimed_says_nothing_either(collector: Engine, clock: ManualClock) -> None:
    await add_source(collector.db)
    await claim(collector, 0)
    assert (await row(collector.db, cycles))["cycle_status"] == "PENDING"
    clock.advance(DAY)
    await prepare_day(collector, await today(collector.db))
    assert await rows(collector.db, job_source_health) == []


async def test_days_ended_while_the_daemon_was_away_are_all_ended(collector: Engine, clock: ManualClock) -> None:
    await add_source(collector.db)
    for _ in range(3):
        await prepare_day(collector, await today(collector.db))
        clock.advance(DAY)
    await switch_flag(collector.db, FlagKey.COLLECTION_DISPATCH_V2, False)
    assert await end_earlier_days(collector, await today(collector.db)) == 1, "the preparations ended the others"
    assert {each["cycle_status"] for each in await rows(collector.db, cycles)} == {"FAILED"}


async def test_a_slice_that_runs_past_midnight_is_finished_and_its_cycle_ended(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.3: a RUNNING one finishes its slice and then ends."""
    board.fill(72)
    await add_source(collector.db)
    clock.advance(DAY - MINUTE)
    (assignment,) = await claim(collector)

    async def midnight(page: int) -> None:
        if page == 1:
            clock.advance(MINUTE)
            await prepare_day(collector, await today(collector.db))

    board.before_list = midnight
    await work_slice(collector, assignment)
    old, new = await rows(collector.db, cycles)
    assert [old[name] for name in END] == ["FAILED", "DAY_ENDED", 1]
    assert (old["list_page_count"], old["fetched_count"], new["cycle_status"]) == (5, 50, "NOT_STARTED")
    assert board.lists_asked == [0, 1, 2, 3, 4]


async def test_a_list_that_ends_in_a_slice_past_midnight_is_a_success_of_the_day_it_began(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    board.fill(15)
    await add_source(collector.db)
    clock.advance(DAY - MINUTE)
    (assignment,) = await claim(collector)

    async def midnight(page: int) -> None:
        if page == 1:
            clock.advance(MINUTE)

    board.before_list = midnight
    await work_slice(collector, assignment)
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["run_date"]) == ("SUCCESS", assignment.claim.run_date)
    assert await today(collector.db) == assignment.claim.run_date + DAY


async def test_a_slice_given_back_after_midnight_is_ended_by_the_recovery_tick(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    board.fill(72)
    await add_source(collector.db)
    clock.advance(DAY - MINUTE)
    (assignment,) = await claim(collector)
    clock.advance(MINUTE)
    collector.stopping.set()
    await work_slice(collector, assignment)
    assert (await row(collector.db, cycles))["cycle_status"] == "PENDING"
    await recover(collector)
    old, new = await rows(collector.db, cycles)
    assert (old["failure_reason"], new["run_date"]) == ("DAY_ENDED", old["run_date"] + DAY)


async def test_the_new_day_begins_with_a_list_read_from_its_first_page(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    board.fill(72)
    await add_source(collector.db)
    await work(collector)
    clock.advance(DAY)
    board.lists_asked.clear()
    await collect_day(collector)
    assert board.lists_asked == list(range(8))
    assert (await newest(collector.db, cycles))["cycle_status"] == "SUCCESS"
