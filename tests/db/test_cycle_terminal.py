"""The terminal transition: all of it in one transaction, or none of it (seed 000, 상태 전이 and 호환 projection)."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.collection.actions.finish import finish_cycle
from daemon.collection.actions.lease import end_cycle
from daemon.collection.engine import Engine
from daemon.collection.model import BudgetReason, Claim, End, Exhaust, Fail, LeaseLost, Succeed
from daemon.collection.store import cycles as store
from daemon.collection.store import seen as seen_store
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_source_health
from daemon.company.tables import job_sources
from daemon.db import Database, Tx, transaction
from daemon.posting.tables import job_postings
from tests.board import Board
from tests.databases import execute
from tests.engines import DAY, add_source, claim, collect_day, newest, row, rows, write

ENDS = [
    pytest.param(Succeed(close_guarded=False), "SUCCESS", id="SUCCESS"),
    pytest.param(Fail(reason="SERVER_ERROR", summary="HTTP 500"), "FAILED", id="FAILED"),
    pytest.param(Exhaust(reason=BudgetReason.LIST_PAGE_LIMIT), "BUDGET_EXHAUSTED", id="BUDGET_EXHAUSTED"),
]


class Outage(Exception):
    """The database goes away just before the commit."""


async def given_running(engine: Engine, board: Board, clock: ManualClock) -> Claim:
    """A claimed cycle that has seen two of the source's three open postings."""
    board.fill(3)
    await add_source(engine.db)
    await collect_day(engine)
    clock.advance(DAY)
    (assignment,) = await claim(engine)
    held = assignment.claim
    await transaction(engine.db, seen_store.add_seen, held.cycle_id, {"R00001", "R00002"}, clock.now())
    await write(engine.db, cycles.update().where(cycles.c.id == held.cycle_id).values(fetched_count=2))
    return held


async def everything(db: Database) -> dict[str, list[dict[str, Any]]]:
    """All that a terminal transition may touch."""
    tables = (cycles, runs, seen, job_source_health, job_postings, job_sources)
    return {table.name: await rows(db, table) for table in tables}


async def _finish_then_fail(tx: Tx, held: Claim, end: End) -> None:
    cycle = await store.lock_held(tx, held)
    assert cycle is not None
    await finish_cycle(tx, cycle, cycle.counters, end)
    raise Outage


@pytest.mark.parametrize(("end", "status"), ENDS)
async def test_a_terminal_transition_that_is_rolled_back_leaves_nothing_behind(
    collector: Engine, board: Board, clock: ManualClock, end: End, status: str
) -> None:
    """Seed 000, Testing Plan: terminal transition이 seen DELETE와 같은 transaction으로 commit/rollback됨을 검증."""
    held = await given_running(collector, board, clock)
    before = await everything(collector.db)
    with pytest.raises(Outage):
        await transaction(collector.db, _finish_then_fail, held, end)
    assert await everything(collector.db) == before
    assert len(before[seen.name]) == 2


@pytest.mark.parametrize(("end", "status"), ENDS)
async def test_a_terminal_transition_that_is_committed_deletes_the_seen_set_with_it(
    collector: Engine, board: Board, clock: ManualClock, end: End, status: str
) -> None:
    """Seed 000, Testing Plan: terminal transition이 seen DELETE와 같은 transaction으로 commit/rollback됨을 검증."""
    held = await given_running(collector, board, clock)
    await end_cycle(collector, held, end)
    cycle = await newest(collector.db, cycles)
    assert cycle["cycle_status"] == status
    assert await rows(collector.db, seen) == []
    # 애플리케이션 불변식
    assert (cycle["lease_token"], cycle["lease_until"]) == (None, None)
    assert cycle["finished_at"] == clock.now()
    assert cycle["is_complete"] == (status == "SUCCESS")
    assert (cycle["budget_exhausted_reason"] is not None) == (status == "BUDGET_EXHAUSTED")
    assert (cycle["failure_reason"] is not None) == (status == "FAILED")


@pytest.mark.parametrize(("end", "status"), ENDS)
async def test_only_a_complete_list_counts_what_it_left_out(
    collector: Engine, board: Board, clock: ManualClock, end: End, status: str
) -> None:
    held = await given_running(collector, board, clock)
    await end_cycle(collector, held, end)
    missed = {each["source_job_id"]: each["consecutive_miss_count"] for each in await rows(collector.db, job_postings)}
    complete = status == "SUCCESS"
    assert missed == {"R00001": 0, "R00002": 0, "R00003": int(complete)}
    assert (await newest(collector.db, cycles))["missed_count"] == int(complete)


@pytest.mark.parametrize(("end", "status"), ENDS)
async def test_success_and_failure_are_projected_into_a_run_and_an_exhausted_budget_is_not(
    collector: Engine, board: Board, clock: ManualClock, end: End, status: str
) -> None:
    """Seed 000, 호환 projection."""
    held = await given_running(collector, board, clock)
    await end_cycle(collector, held, end)
    cycle = await newest(collector.db, cycles)
    found = [each for each in await rows(collector.db, runs) if each["run_date"] == held.run_date]
    if status == "BUDGET_EXHAUSTED":
        assert found == []
        return
    (run,) = found
    same: tuple[str, ...] = ("fetched_count", "new_count", "changed_count", "missed_count", "closed_count")
    same += (
        "detail_failure_count",
        "detail_skipped_count",
        "failure_reason",
        "failure_cause_summary",
        "started_at",
        "finished_at",
    )
    assert {name: run[name] for name in same} == {name: cycle[name] for name in same}
    assert run["run_status"] == status


async def test_a_close_guarded_success_is_well_and_counts_nothing_missed(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    held = await given_running(collector, board, clock)
    await end_cycle(collector, held, Succeed(close_guarded=True))
    cycle = await newest(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["close_guarded"], cycle["missed_count"]) == ("SUCCESS", 1, 0)
    assert (await row(collector.db, job_source_health))["last_normal_at"] == clock.now()
    assert all(each["consecutive_miss_count"] == 0 for each in await rows(collector.db, job_postings))


async def test_a_terminal_cycle_is_never_written_again(collector: Engine, board: Board, clock: ManualClock) -> None:
    held = await given_running(collector, board, clock)
    await end_cycle(collector, held, Succeed(close_guarded=False))
    before = await everything(collector.db)
    for end in (Fail(reason="SERVER_ERROR"), Succeed(close_guarded=False)):
        with pytest.raises(LeaseLost):
            await end_cycle(collector, held, end)
    assert await everything(collector.db) == before


# --- the seen set ----------------------------------------------------------------------------------------------------


async def seen_ids(db: Database, cycle_id: int) -> set[str]:
    return {row.source_job_id for row in await execute(db, seen_store.seen_ids(cycle_id))}


async def test_an_id_stored_twice_is_one_row_and_the_final_read_is_exact(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 000, Testing Plan: 같은 `(cycle_id, source_job_id)`를 두 번 저장해도 1행이며 final seen 조회가 정확함."""
    held = await given_running(collector, board, clock)
    again = await transaction(collector.db, seen_store.add_seen, held.cycle_id, {"R00002", "R00003"}, clock.now())
    assert again == {"R00003"}, "only what the set did not have is new"
    assert await seen_ids(collector.db, held.cycle_id) == {"R00001", "R00002", "R00003"}
    assert await transaction(collector.db, seen_store.count_seen, held.cycle_id) == 3
    assert len(await rows(collector.db, seen)) == 3


async def test_seen_sets_of_two_cycles_do_not_mix(collector: Engine, clock: ManualClock) -> None:
    await transaction(collector.db, seen_store.add_seen, 1, {"R1", "R2"}, clock.now())
    assert await transaction(collector.db, seen_store.add_seen, 2, {"R2", "r2"}, clock.now()) == {"R2", "r2"}
    await transaction(collector.db, seen_store.delete_seen, 1)
    assert await seen_ids(collector.db, 2) == {"R2", "r2"}
