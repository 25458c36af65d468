"""The v1 path: one pass per source, a run row only, no cycle (seed 001; seed 000, Release Scenario; DESIGN 1.3)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from daemon.clock import ManualClock, SkippingClock
from daemon.collection.actions.legacy import collect_legacy
from daemon.collection.actions.permit import delay_host
from daemon.collection.engine import Engine
from daemon.collection.model import RunStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.collection.tables import job_source_health
from daemon.company.tables import companies
from daemon.db import Database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.tables import job_postings
from daemon.sources.model import DetailUse, ListPage, Platform, SourceType
from tests.board import Adapt, Board, Posting
from tests.databases import open_second
from tests.engines import (
    DAY,
    add_source,
    collect_day,
    engine_on,
    keyed,
    newest,
    row,
    rows,
    stopped_by,
    switch_on,
    today,
    tuned,
)

V2 = FlagKey.COLLECTION_DISPATCH_V2
BOARDS = SourceType.COMPANY_BOUND


@pytest.fixture
async def legacy(db: Database, board: Board, adapt: Adapt) -> AsyncIterator[Engine]:
    """An engine with v2 off and auto-close on."""
    await switch_on(db, FlagKey.AUTO_CLOSE)
    async with engine_on(db, board.origins) as made:
        yield made


async def collected(engine: Engine, kind: SourceType = BOARDS) -> list[RunStatus] | None:
    """Collect the day as v1 does; how each source ended."""
    done = await collect_legacy(engine, await today(engine.db), kind)
    return None if done is None else [status for _, status in done]


async def run_of(engine: Engine) -> tuple[Any, ...]:
    run = await newest(engine.db, runs)
    return run["run_status"], run["failure_reason"]


async def test_a_source_is_collected_in_one_pass_into_a_run_and_no_cycle(legacy: Engine, board: Board) -> None:
    board.fill(72)
    await add_source(legacy.db)
    assert await collected(legacy) == [RunStatus.SUCCESS]
    run = await row(legacy.db, runs)
    assert (run["run_status"], run["fetched_count"], run["new_count"]) == ("SUCCESS", 72, 72)
    assert board.lists_asked == list(range(8))
    assert len(await rows(legacy.db, job_postings)) == 72
    for table in (cycles, seen, headers):
        assert await rows(legacy.db, table) == [], "기존 legacy 스케줄러는 새 테이블을 읽거나 쓰지 않는다"


async def test_the_delta_closes_what_two_lists_left_out(legacy: Engine, board: Board, clock: ManualClock) -> None:
    board.fill(12)
    await add_source(legacy.db)
    await collected(legacy)
    board.postings[0].version = 2
    board.postings[1].hidden = True
    board.postings[:] = [*board.postings[:5], *board.postings[6:], Posting("R90001")]
    for _ in range(2):
        clock.advance(DAY)
        await collected(legacy)
    first, second = (await rows(legacy.db, runs))[1:]
    counts = ("fetched_count", "new_count", "changed_count", "missed_count", "closed_count")
    assert [[run[name] for name in counts] for run in (first, second)] == [[11, 1, 1, 2, 0], [11, 0, 0, 2, 2]]
    closed = [each["source_job_id"] for each in await rows(legacy.db, job_postings) if each["closed_at"]]
    assert closed == ["R00002", "R00006"], "one called closed by the list, one gone from it"


async def test_a_source_is_asked_once_a_day(legacy: Engine, board: Board) -> None:
    """Seed 001: unique(job_source_id, run_date)가 두 번째 실행을 차단 (DuplicateKey → skip)."""
    board.fill(3)
    await add_source(legacy.db)
    await collected(legacy)
    assert await collected(legacy) == []
    assert board.lists_asked == [0]


@pytest.mark.parametrize(
    ("status", "reason"), [(500, "SERVER_ERROR"), (403, "BLOCKED"), (401, "BLOCKED"), (429, "RATE_LIMITED")]
)
async def test_a_failed_list_is_a_failed_run_and_closes_nothing(
    legacy: Engine, board: Board, clock: ManualClock, status: int, reason: str
) -> None:
    """Seed 001, failure path 1."""

    async def fail(page: int) -> web.StreamResponse:
        return web.Response(status=status)

    board.fill(3)
    await add_source(legacy.db)
    await collected(legacy)
    before = await rows(legacy.db, job_postings)
    board.before_list = fail
    for _ in range(3):
        clock.advance(DAY)
        assert await collected(legacy) == [RunStatus.FAILED]
    assert await run_of(legacy) == ("FAILED", reason)
    assert await rows(legacy.db, job_postings) == before
    health = await row(legacy.db, job_source_health)
    assert (health["consecutive_abnormal_days"], health["failure_episode"]) == (3, 1)


async def test_an_empty_list_is_a_success_that_closes_nothing_and_is_abnormal(
    legacy: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 001, failure path 2."""
    board.fill(3)
    await add_source(legacy.db)
    await collected(legacy)
    before = await rows(legacy.db, job_postings)
    board.postings.clear()
    clock.advance(DAY)
    assert await collected(legacy) == [RunStatus.SUCCESS]
    assert await rows(legacy.db, job_postings) == before
    assert (await row(legacy.db, job_source_health))["consecutive_abnormal_days"] == 1


async def test_a_total_that_was_not_seen_fails_the_run_but_keeps_what_was_read(legacy: Engine, board: Board) -> None:
    board.fill(12)
    board.declared_total = 40
    await add_source(legacy.db)
    assert await collected(legacy) == [RunStatus.FAILED]
    assert await run_of(legacy) == ("FAILED", "LIST_TOTAL_MISMATCH")
    assert len(await rows(legacy.db, job_postings)) == 12


async def test_the_page_budget_ends_the_pass_and_closes_nothing(
    legacy: Engine, board: Board, clock: ManualClock
) -> None:
    board.fill(30)
    await add_source(legacy.db)
    await collected(legacy)
    clock.advance(DAY)
    del board.postings[25]
    assert await collected(tuned(legacy, daily_pages=2)) == [RunStatus.SUCCESS]
    assert (await newest(legacy.db, runs))["missed_count"] == 0


async def test_details_are_limited_and_counted(legacy: Engine, board: Board, adapt: Adapt) -> None:
    adapt(detail_use=DetailUse.ENRICHMENT)
    board.fill(12)
    await add_source(legacy.db)
    await collected(tuned(legacy, daily_details=11))
    run = await row(legacy.db, runs)
    assert (run["detail_skipped_count"], run["detail_failure_count"]) == (1, 0)
    assert len(board.details_asked) == 11


async def test_aggregators_wait_for_their_flag(legacy: Engine, board: Board) -> None:
    board.positions = [(1, "새로운회사")]
    await add_source(legacy.db, Platform.JUMPIT, category="1")
    assert await collected(legacy, SourceType.AGGREGATOR) is None
    await switch_on(legacy.db, FlagKey.AGGREGATOR_COLLECTION)
    assert await collected(legacy) == [], "company-bound sources only"
    assert await collected(legacy, SourceType.AGGREGATOR) == [RunStatus.SUCCESS]
    assert (await row(legacy.db, companies))["company_origin"] == "DISCOVERED"


async def test_a_busy_host_is_waited_for(legacy: Engine, board: Board) -> None:
    """A pass has no slice to give back."""
    begun = legacy.clock.now()
    board.fill(3)
    await add_source(legacy.db)
    await delay_host(legacy.db, board.origin.removeprefix("http://"), timedelta(minutes=1))
    async with open_second(legacy.db, SkippingClock(begun)) as db:
        assert await collected(replace(legacy, db=db)) == [RunStatus.SUCCESS]
        assert db.clock.now() == begun + timedelta(minutes=1)


async def test_a_daemon_that_stops_begins_no_further_source(legacy: Engine, board: Board) -> None:
    board.fill(3)
    for slug in ("first", "second"):
        await add_source(legacy.db, slug=slug)
    board.before_list = stopped_by(legacy, lambda: True)
    done = await collect_legacy(legacy, await today(legacy.db), BOARDS)
    assert [status for _, status in done or []] == [RunStatus.SUCCESS]
    assert board.lists_asked == [0]


# --- crashes ---------------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


async def test_a_crash_in_between_leaves_an_interrupted_run_and_no_second_request(
    legacy: Engine, board: Board, clock: ManualClock, adapt: Adapt
) -> None:
    """NFR-6: a crash can't make the site be asked again on the same day."""

    def die(listed: ListPage, cursor: str | None) -> ListPage:
        raise Killed

    board.fill(3)
    adapt(edit_list=die)
    await add_source(legacy.db)
    with pytest.raises(Killed):
        await collected(legacy)
    adapt()
    assert await run_of(legacy) == ("FAILED", "INTERRUPTED")
    assert await collected(legacy) == []
    assert board.lists_asked == [0]
    clock.advance(DAY)
    assert await collected(legacy) == [RunStatus.SUCCESS]


async def test_one_sources_own_crash_leaves_the_others_alone(legacy: Engine, board: Board, adapt: Adapt) -> None:
    """Seed 001: 한 소스 예외가 배치 전체를 중단시키지 않습니다."""

    def unusable(listed: ListPage, cursor: str | None) -> ListPage:
        return replace(listed, next_cursor="a cursor that our own adapter can't read")

    board.fill(30)
    board.jobs = [1]
    adapt(edit_list=unusable)
    crashing = await add_source(legacy.db)
    well = await add_source(legacy.db, Platform.GREENHOUSE, "daangn")
    with capture_logs() as logs:
        assert await collected(legacy) == [RunStatus.FAILED, RunStatus.SUCCESS]
    found = await keyed(legacy.db, runs, "job_source_id")
    assert (found[crashing]["failure_reason"], found[well]["run_status"]) == ("INTERNAL_ERROR", "SUCCESS")
    assert (await keyed(legacy.db, job_source_health, "job_source_id"))[crashing]["consecutive_abnormal_days"] == 1
    assert [each["event"] for each in logs if each["log_level"] == "error"] == ["run.crashed"]


async def test_a_stop_in_the_middle_of_a_list_is_an_interrupted_run(legacy: Engine, board: Board) -> None:
    board.fill(30)
    await add_source(legacy.db)
    board.before_list = stopped_by(legacy, lambda: len(board.lists_asked) == 2)
    done = await collect_legacy(legacy, await today(legacy.db), BOARDS)
    assert [status for _, status in done or []] == [RunStatus.FAILED]
    assert await run_of(legacy) == ("FAILED", "INTERRUPTED")
    assert len(await rows(legacy.db, job_postings)) == 20


# --- v1 and v2 on one day ---------------------------------------------------------------------------------------------


async def test_v1_collects_nothing_while_v2_is_on(legacy: Engine, board: Board) -> None:
    await switch_on(legacy.db, V2)
    await add_source(legacy.db)
    assert await collected(legacy) is None
    assert board.requests == 0


async def test_a_source_with_a_legacy_run_gets_no_cycle_on_the_day_v2_is_switched_on(
    legacy: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 000: activation 당일에 legacy run 행이 이미 있으면 v2는 해당 cycle을 만들지 않는다."""
    board.fill(3)
    board.jobs = [1]
    await add_source(legacy.db)
    await collected(legacy)
    later = await add_source(legacy.db, Platform.GREENHOUSE, "registered later")
    await switch_on(legacy.db, V2)
    await collect_day(legacy)
    assert [each["job_source_id"] for each in await rows(legacy.db, cycles)] == [later]
    assert board.lists_asked == [0]
    clock.advance(DAY)
    await collect_day(legacy)
    assert board.lists_asked == [0, 0], "다음 KST 일자부터 v2가 전면 동작한다"


async def test_a_source_with_a_cycle_gets_no_legacy_run_on_the_day_v2_is_switched_off(
    legacy: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 000, Rollback: 그 KST 일자에 legacy scheduler를 다시 켜지 않는다; 다음 KST 일자에 재활성화."""
    await switch_on(legacy.db, V2)
    board.fill(72)
    await add_source(legacy.db)
    await collect_day(tuned(legacy, daily_pages=2))
    await switch_flag(legacy.db, V2, False)
    assert await collected(legacy) == []
    clock.advance(DAY)
    assert await collected(legacy) == [RunStatus.SUCCESS]
