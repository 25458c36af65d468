"""Leases: what keeps a stale worker from writing, and who ends the cycle of a dead one (seed 000, 상태 전이)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from daemon.clock import ManualClock
from daemon.collection.actions.claim import Assignment
from daemon.collection.actions.commit_page import commit_page
from daemon.collection.actions.lease import Lease, end_cycle, release_slice
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.actions.work_slice import work_slice
from daemon.collection.engine import Engine
from daemon.collection.model import LeaseLost, Succeed
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_source_health
from daemon.db import Database, is_lost, open_database
from daemon.posting.tables import job_postings
from daemon.sources.model import ListPage
from tests.board import Adapt, Board
from tests.databases import open_second
from tests.engines import DAY, add_source, claim, collect_day, newest, page_of, row, rows, write

LEASE = timedelta(seconds=90)
MICROSECOND = timedelta(microseconds=1)

Write = Callable[[Engine, Assignment], Awaitable[Any]]


async def _commit(engine: Engine, held: Assignment) -> None:
    await commit_page(engine, held.claim, page_of(engine, held, "R1", "R2"))


async def _commit_and_go_on(engine: Engine, held: Assignment) -> None:
    await commit_page(engine, held.claim, page_of(engine, held, "R1", "R2", next_cursor="1"))


async def _release(engine: Engine, held: Assignment) -> None:
    await release_slice(engine, held.claim)


async def _end(engine: Engine, held: Assignment) -> None:
    await end_cycle(engine, held.claim, Succeed(close_guarded=False))


async def _renew(engine: Engine, held: Assignment) -> None:
    lease = Lease(engine, held.claim)
    lease.renewed_at -= LEASE.total_seconds() / 2
    await lease.keep()


WRITES: dict[str, Write] = {
    "commit the last page": _commit,
    "commit a page": _commit_and_go_on,
    "release": _release,
    "end": _end,
    "renew": _renew,
}

STALE: dict[str, dict[str, Any]] = {
    "claimed anew": {"lease_token": "another"},
    "terminal": {"cycle_status": "FAILED", "lease_token": None, "lease_until": None},
    "given back": {"cycle_status": "PENDING"},
    "without lease": {"lease_until": None},
}


async def given_claim(engine: Engine) -> Assignment:
    await add_source(engine.db)
    (assignment,) = await claim(engine)
    return assignment


async def everything(db: Database) -> list[list[dict[str, Any]]]:
    return [await rows(db, table) for table in (cycles, runs, seen, job_postings, job_source_health)]


@pytest.mark.parametrize("write_name", WRITES)
@pytest.mark.parametrize("stale", STALE)
async def test_a_write_under_a_claim_that_no_longer_holds_changes_nothing(
    collector: Engine, write_name: str, stale: str
) -> None:
    """Seed 000, 구현자 handoff: 0행이면 stale worker이며 재시도 저장하지 않는다."""
    held = await given_claim(collector)
    await write(collector.db, cycles.update().values(**STALE[stale]))
    before = await everything(collector.db)
    with pytest.raises(LeaseLost):
        await WRITES[write_name](collector, held)
    assert await everything(collector.db) == before


@pytest.mark.parametrize("write_name", WRITES)
async def test_a_lease_holds_until_just_before_its_end(collector: Engine, clock: ManualClock, write_name: str) -> None:
    """Seed 000: 결과 반영은 반드시 `lease_until > UTC_TIMESTAMP(6)` 조건으로."""
    held = await given_claim(collector)
    clock.advance(LEASE)
    before = await everything(collector.db)
    with pytest.raises(LeaseLost):
        await WRITES[write_name](collector, held)
    assert await everything(collector.db) == before
    await write(collector.db, cycles.update().values(lease_until=clock.now() + MICROSECOND))
    await WRITES[write_name](collector, held)
    assert await everything(collector.db) != before


async def test_recovery_ends_an_expired_lease_as_failed_and_the_old_token_writes_nothing(
    collector: Engine, clock: ManualClock
) -> None:
    """Seed 000, Testing Plan: 만료 lease는 FAILED terminal 처리되고 stale token update가 0행임을 검증."""
    held = await given_claim(collector)
    clock.advance(LEASE + MICROSECOND)
    assert await recover_expired_leases(collector) == 1
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["failure_reason"]) == ("FAILED", "LEASE_EXPIRED")
    assert (cycle["lease_token"], cycle["lease_until"], cycle["finished_at"]) == (None, None, clock.now())
    assert (await row(collector.db, runs))["failure_reason"] == "LEASE_EXPIRED"
    assert (await row(collector.db, job_source_health))["consecutive_abnormal_days"] == 1
    before = await everything(collector.db)
    for name, attempt in WRITES.items():
        with pytest.raises(LeaseLost):
            await attempt(collector, held)
        assert await everything(collector.db) == before, name


async def test_recovery_leaves_a_lease_alone_that_has_not_expired(collector: Engine, clock: ManualClock) -> None:
    await given_claim(collector)
    clock.advance(LEASE)
    assert await recover_expired_leases(collector) == 0
    assert (await row(collector.db, cycles))["cycle_status"] == "RUNNING"


async def test_recovery_by_two_instances_counts_the_day_once(collector: Engine, clock: ManualClock) -> None:
    await given_claim(collector)
    clock.advance(LEASE + MICROSECOND)
    async with open_second(collector.db) as db:
        assert [await recover_expired_leases(each) for each in (collector, replace(collector, db=db))] == [1, 0]
    assert (await row(collector.db, job_source_health))["consecutive_abnormal_days"] == 1


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


async def test_a_worker_that_died_between_answer_and_commit_costs_the_day_and_no_second_request(
    collector: Engine, board: Board, clock: ManualClock, adapt: Adapt
) -> None:
    """Seed 000, Testing Plan: HTTP 성공 뒤 저장 전 crash → `FAILED` terminal/run projection, 같은 KST 날짜에는

    adapter HTTP 호출이 0회이며 다음 KST 날짜의 새 cycle만 수집할 수 있음을 검증.
    """

    def die(listed: ListPage, cursor: str | None) -> ListPage:
        raise Killed

    board.fill(3)
    adapt(edit_list=die)
    held = await given_claim(collector)
    with pytest.raises(Killed):
        await work_slice(collector, held)
    assert board.lists_asked == [0]
    assert (await row(collector.db, cycles))["cycle_status"] == "RUNNING"

    adapt()
    await collect_day(collector)
    clock.advance(LEASE + MICROSECOND)
    assert await recover_expired_leases(collector) == 1
    await collect_day(collector)
    assert board.lists_asked == [0], "the site is not asked again that day"
    assert (await row(collector.db, runs))["run_status"] == "FAILED"
    assert await rows(collector.db, job_postings) == []

    clock.advance(DAY)
    await collect_day(collector)
    assert [each["cycle_status"] for each in await rows(collector.db, cycles)] == ["FAILED", "SUCCESS"]
    assert board.lists_asked == [0, 0]


async def test_a_worker_that_slept_through_its_lease_finds_its_commit_rejected_and_says_so(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 000: stale worker 저장은 0 row update로 거부하며 다음 KST 날짜만 새 cycle 가능."""
    board.fill(3)
    held = await given_claim(collector)

    async def oversleep(page: int) -> None:
        clock.advance(LEASE + MICROSECOND)
        async with open_second(collector.db) as db:
            assert await recover_expired_leases(replace(collector, db=db)) == 1

    board.before_list = oversleep
    with capture_logs() as logs:
        await work_slice(collector, held)
    rejected = [each for each in logs if each["event"] == "cycle.stale_write_rejected"]
    assert [(each["rows"], each["when"], each["log_level"]) for each in rejected] == [
        (0, "committing a page", "warning")
    ]
    assert collector.progress.counts["stale_write_rejected"] == 1
    cycle = await row(collector.db, cycles)
    assert (cycle["failure_reason"], cycle["fetched_count"]) == ("LEASE_EXPIRED", 0)
    assert await rows(collector.db, job_postings) == []


async def test_a_failed_request_after_the_lease_does_not_end_the_cycle_twice(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    held = await given_claim(collector)

    async def oversleep(page: int) -> web.StreamResponse:
        clock.advance(LEASE + MICROSECOND)
        await recover_expired_leases(collector)
        return web.Response(status=500)

    board.before_list = oversleep
    with capture_logs() as logs:
        await work_slice(collector, held)
    assert [each["when"] for each in logs if each["event"] == "cycle.stale_write_rejected"] == ["ending"]
    assert (await newest(collector.db, cycles))["failure_reason"] == "LEASE_EXPIRED"
    assert (await row(collector.db, job_source_health))["consecutive_abnormal_days"] == 1


async def test_a_holder_waits_for_a_database_that_is_away_and_gives_up_when_its_lease_is_over(
    collector: Engine, clock: ManualClock
) -> None:
    """Research, pitfalls row 8: the work stops before anyone else may take the cycle."""
    held = await given_claim(collector)
    away = open_database("mysql://nobody@127.0.0.1:9/nowhere", clock)
    lease = Lease(replace(collector, db=away), held.claim)
    clock.advance(LEASE / 3)
    await lease.keep()
    clock.advance(MICROSECOND)
    keeping = asyncio.ensure_future(lease.keep())
    await asyncio.sleep(0.1)
    assert not keeping.done(), "nothing is asked of a site meanwhile"
    clock.advance(LEASE * 2 / 3)
    with pytest.raises(OperationalError) as raised:
        await keeping
    assert is_lost(raised.value)
    await away.close()
