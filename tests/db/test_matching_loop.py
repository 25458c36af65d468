"""When postings are judged: right after they were recorded, at the latest by the 08:50 job (failure path 16)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import structlog

from daemon.clock import ManualClock, business_date
from daemon.collection.engine import Engine
from daemon.db import Database
from daemon.foreground import Foreground, at_once
from daemon.jobs import timetable_jobs
from daemon.matching.actions.criteria import add_keyword_group
from daemon.matching.actions.evaluation import standing
from daemon.matching.loop import IDLE_POLL, OVERLAP, look, run_evaluation
from daemon.matching.tables import job_posting_match_results
from daemon.posting.tables import job_postings
from daemon.schedule.model import JobName, JobNotReady
from tests.board import Board
from tests.db.judged import add_criteria, posting, record, results
from tests.engines import add_source, collect_day, row, rows, write


@asynccontextmanager
async def evaluating(db: Database, recorded: asyncio.Event | None = None) -> AsyncIterator[None]:
    """The loop, running."""
    stopping = asyncio.Event()
    loop = asyncio.ensure_future(run_evaluation(db, db.clock, Foreground(), recorded or asyncio.Event(), stopping))
    try:
        yield
    finally:
        stopping.set()
        await asyncio.wait_for(loop, 5)


async def until(holds: Callable[[dict[int, dict[str, Any]]], bool], db: Database, *, poll: bool = False) -> None:
    """Wait until the stored results are so; with `poll` time goes on meanwhile, so that the loop looks by itself."""
    async with asyncio.timeout(10):
        while not holds(await results(db)):
            await asyncio.sleep(0.01)
            if poll:
                assert isinstance(db.clock, ManualClock)
                db.clock.advance(IDLE_POLL / 10)


# --- the engine's event ----------------------------------------------------------------------------------------------


async def test_what_a_page_brings_is_judged_without_waiting_for_the_poll(collector: Engine, board: Board) -> None:
    await add_keyword_group(collector.db, "백엔드", ["백엔드"])
    board.fill(3)
    await add_source(collector.db)
    async with evaluating(collector.db, collector.recorded):
        await collect_day(collector)
        await until(lambda found: len(found) == 3, collector.db)
    assert {each["matched"] for each in await rows(collector.db, job_posting_match_results)} == {1}


async def test_the_engine_says_that_it_recorded_postings(collector: Engine, board: Board) -> None:
    board.fill(1)
    await add_source(collector.db)
    assert not collector.recorded.is_set()
    await collect_day(collector)
    assert collector.recorded.is_set()


async def test_without_the_event_the_poll_finds_them(db: Database) -> None:
    """Another instance recorded them: correctness never depends on an event."""
    await add_criteria(db)
    await record(db, posting("0"))
    async with evaluating(db):
        await until(lambda found: len(found) == 1, db)
        await record(db, posting("1"))
        await until(lambda found: len(found) == 2, db, poll=True)
    assert len(await results(db)) == 2


async def test_new_criteria_are_applied_to_all_that_is_stored(db: Database, clock: ManualClock) -> None:
    await record(db, posting("1"))
    clock.advance(OVERLAP * 10)
    async with evaluating(db):
        await until(lambda found: len(found) == 1, db)
        await add_criteria(db)
        await until(lambda found: all(each["matched"] == 1 for each in found.values()), db, poll=True)
    assert [each["matched"] for each in await rows(db, job_posting_match_results)] == [1]


async def test_a_look_reaches_back_to_what_was_committed_late(db: Database, clock: ManualClock) -> None:
    """A transaction that began before the last look, and ended after it, has an instant that lies before it."""
    seen = await look(db, None, at_once)
    await record(db, posting("1"))
    await write(db, job_postings.update().values(updated_at=seen.now - OVERLAP))
    clock.advance(IDLE_POLL)
    await look(db, seen, at_once)
    assert len(await results(db)) == 1


async def test_a_failing_look_does_not_end_the_loop(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 001, 컨텍스트 간 이벤트 실패: a failed evaluation is made up for, and harms nothing else."""
    broken = True

    async def standing_or_not(db: Database) -> object:
        if broken:
            raise RuntimeError("the listener failed")
        return await standing(db)

    monkeypatch.setattr("daemon.matching.actions.evaluation.standing", standing_or_not)
    await record(db, posting("1"))
    with structlog.testing.capture_logs() as logs:
        async with evaluating(db):
            async with asyncio.timeout(10):
                while not logs:
                    await asyncio.sleep(0.01)
            assert await results(db) == {}
            broken = False
            await until(lambda found: len(found) == 1, db, poll=True)
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["evaluation.failed"]


async def test_a_stopping_loop_judges_no_further_batch(db: Database) -> None:
    await record(db, posting("1"))
    stopping = asyncio.Event()
    stopping.set()
    await look(db, None, Foreground().until(stopping))
    assert await results(db) == {}


# --- the 08:50 job ---------------------------------------------------------------------------------------------------


async def test_the_sweep_judges_what_the_event_missed(collector: Engine) -> None:
    """Seed 001, failure path 16: neither event nor poll, and one result of an older revision."""
    db = collector.db
    await record(db, posting("1"))
    sweep = timetable_jobs(collector)[JobName.EVALUATION]
    today = business_date(db.clock.now())
    assert await sweep(today) == "공고 1건을 평가했습니다 (최신 0건)"
    await add_criteria(db)
    await record(db, posting("2"))
    assert await sweep(today) == "공고 2건을 평가했습니다 (최신 0건)"
    assert {each["notifiable"] for each in await rows(db, job_posting_match_results)} == {1}
    assert await sweep(today) == "공고 0건을 평가했습니다 (최신 2건)"


async def test_a_sweep_cut_short_by_a_stop_is_not_recorded_as_done(collector: Engine) -> None:
    await record(collector.db, posting("1"))
    sweep = timetable_jobs(collector)[JobName.EVALUATION]
    collector.stopping.set()
    with pytest.raises(JobNotReady):
        await sweep(business_date(collector.clock.now()))
    assert await results(collector.db) == {}
    collector.stopping.clear()
    await sweep(business_date(collector.clock.now()))
    assert (await row(collector.db, job_posting_match_results))["criteria_revision"] == 0
