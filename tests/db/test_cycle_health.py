"""Abnormal days of a source, and what they must not do to its postings (seed 001, FR-15 and FR-19; seed 000)."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from structlog.testing import capture_logs

from daemon.clock import ManualClock
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_source_health
from daemon.posting.tables import job_postings
from tests.board import Board
from tests.engines import DAY, add_source, collect_day, newest, row, rows


async def broken(page: int) -> web.StreamResponse:
    return web.Response(status=500)


async def a_day(engine: Engine, clock: ManualClock) -> dict[str, Any]:
    """Collect the day, go on to the next; the source's health after it."""
    await collect_day(engine)
    clock.advance(DAY)
    return await row(engine.db, job_source_health)


def days_and_episode(health: dict[str, Any]) -> tuple[int, bool, int]:
    return health["consecutive_abnormal_days"], health["broken_since"] is not None, health["failure_episode"]


async def given_postings(engine: Engine, board: Board, clock: ManualClock) -> list[dict[str, Any]]:
    """A source with three postings, one of them missed once; what is stored."""
    board.fill(4)
    await add_source(engine.db)
    await a_day(engine, clock)
    board.postings.pop()
    await a_day(engine, clock)
    return await rows(engine.db, job_postings)


async def test_a_failed_day_closes_nothing_and_counts_no_miss(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 001, failure path 1: 어떤 공고도 CLOSED되지 않고 미발견 카운터가 증가하지 않는다."""
    stored = await given_postings(collector, board, clock)
    board.before_list = broken
    for _ in range(4):
        await a_day(collector, clock)
    assert await rows(collector.db, job_postings) == stored
    assert (await newest(collector.db, cycles))["cycle_status"] == "FAILED"


async def test_an_empty_day_closes_nothing_counts_no_miss_and_is_abnormal(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 001, failure path 2: 1과 동일하게 판정 skip + 비정상 일수 증가."""
    stored = await given_postings(collector, board, clock)
    board.postings.clear()
    health = [days_and_episode(await a_day(collector, clock)) for _ in range(3)]
    assert health == [(1, False, 0), (2, False, 0), (3, True, 1)]
    assert await rows(collector.db, job_postings) == stored
    assert (await newest(collector.db, cycles))["cycle_status"] == "SUCCESS"


async def test_failed_and_empty_days_add_up_until_the_third_breaks_the_source(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 001: 3일 연속 비정상 → brokenSince 설정 + failureEpisode 확정 (FR-19)."""
    await given_postings(collector, board, clock)
    board.before_list = broken
    await a_day(collector, clock)
    board.before_list = None
    board.postings.clear()
    with capture_logs() as logs:
        assert days_and_episode(await a_day(collector, clock)) == (2, False, 0)
        third = clock.now()
        health = await a_day(collector, clock)
    assert (health["broken_since"], health["failure_episode"]) == (third, 1)
    assert [each["failure_episode"] for each in logs if each["event"] == "source.broken"] == [1]


async def test_recovery_heals_and_a_new_break_is_a_new_episode(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 001, failure path 4: 복구 후 재고장 시 회차 증가."""
    await add_source(collector.db)
    for _ in range(3):
        await a_day(collector, clock)
    board.fill(1)
    healed_at = clock.now()
    health = await a_day(collector, clock)
    assert (*days_and_episode(health), health["last_normal_at"]) == (0, False, 1, healed_at)
    board.before_list = broken
    assert [days_and_episode(await a_day(collector, clock)) for _ in range(3)][-1] == (3, True, 2)


async def test_a_list_read_in_full_after_bad_days_goes_on_where_the_count_stood(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Bad days say nothing: the posting missed before them closes with the next complete list that lacks it."""
    await given_postings(collector, board, clock)
    board.before_list = broken
    await a_day(collector, clock)
    board.before_list = None
    await a_day(collector, clock)
    closed = [each["source_job_id"] for each in await rows(collector.db, job_postings) if each["closed_at"]]
    assert closed == ["R00004"]
