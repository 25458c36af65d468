"""Bad days as the person hears of them: collected by the engine, told at 09:00 (seed 001, failure path 4, in one)."""

from __future__ import annotations

from datetime import timedelta

from aiohttp import web

from daemon.clock import ManualClock, business_date, kst
from daemon.collection.engine import Engine
from daemon.flags.model import FlagKey
from tests.board import Board
from tests.discord import Discord
from tests.engines import add_source, collect_day, switch_on
from tests.notified import at_nine, dispatches, run_day


async def _broken(_page: int) -> web.StreamResponse:
    return web.Response(status=500)


async def _a_day(engine: Engine, clock: ManualClock, discord: Discord) -> int:
    """Collect the day and tell of it at 09:00; how many messages that made."""
    db = engine.db
    await collect_day(engine)
    day, before = business_date(clock.now()), len(discord.messages)
    at_nine(db, day)
    await run_day(db, discord)
    db.clock = clock
    clock.set(kst(day + timedelta(days=1), 0))
    return len(discord.messages) - before


async def test_the_third_bad_day_is_told_once_and_a_new_break_after_a_good_day_again(
    collector: Engine, board: Board, clock: ManualClock, discord: Discord
) -> None:
    """Seed 001, failure path 4: 3일 연속 비정상이면 고장 알림 1건, 복구 후 재고장 시 회차 증가로 재알림."""
    await switch_on(collector.db, FlagKey.DISCORD_DISPATCH)
    source = await add_source(collector.db)
    board.fill(2)
    assert await _a_day(collector, clock, discord) == 0
    board.before_list = _broken
    assert [await _a_day(collector, clock, discord) for _ in range(5)] == [0, 0, 1, 0, 0]
    board.before_list = None
    assert await _a_day(collector, clock, discord) == 0
    board.before_list = _broken
    assert [await _a_day(collector, clock, discord) for _ in range(3)] == [0, 0, 1]
    keys = [row["idempotency_key"] for row in await dispatches(collector.db)]
    assert keys == [f"JOB_SOURCE:{source}:SOURCE_FAILURE:{episode}" for episode in (1, 2)]
