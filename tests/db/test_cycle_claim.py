"""Claiming ready cycles (seed 000, 상태 전이 and Q1; DESIGN 1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from uuid import uuid4

import pytest
from sqlalchemy import update

from daemon.clock import ManualClock
from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.prepare import enqueue_day, prepare_day
from daemon.collection.engine import Engine
from daemon.collection.model import CycleStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.company.tables import job_sources
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.board import Board
from tests.databases import open_second
from tests.engines import add_source, claim, collect_day, engine_on, keyed, row, rows, switch_on, today, write

DAY = timedelta(days=1)


async def take(
    engine: Engine, limit: int = 10, busy: Mapping[str, int] | None = None, day: date | None = None
) -> list[Assignment]:
    """Claim without preparing anything."""
    return await claim_ready_cycles(engine, day or await today(engine.db), limit, busy or {}, lambda: str(uuid4()))


async def given_ready(engine: Engine, *platforms: Platform) -> list[int]:
    """Sources, one per platform given, whose cycles of today are in the ready queue."""
    sources = [await add_source(engine.db, each, f"board-{number}") for number, each in enumerate(platforms)]
    await prepare_day(engine, await today(engine.db))
    await enqueue_day(engine, await today(engine.db))
    return sources


async def test_a_claim_leases_the_cycle_under_a_token_of_its_own(collector: Engine) -> None:
    """Seed 000: `PENDING` → `RUNNING`, 조건부 update 또는 FOR UPDATE SKIP LOCKED로 lease token을 발급."""
    (source,) = await given_ready(collector, Platform.WOOWAHAN)
    (taken,) = await take(collector)
    cycle = await row(collector.db, cycles)
    assert taken.source.id == taken.claim.job_source_id == source
    assert (cycle["cycle_status"], cycle["attempt_count"]) == ("RUNNING", 1)
    assert cycle["lease_token"] == taken.claim.token
    assert cycle["lease_until"] == taken.claim.lease_until == collector.clock.now() + timedelta(seconds=90)


async def test_two_connections_claiming_the_same_ready_cycle_lease_it_once(collector: Engine) -> None:
    """Seed 000, Testing Plan: 두 DB connection이 같은 ready cycle을 claim할 때 1개만 lease됨 (at once: tests/race)."""
    await given_ready(collector, Platform.WOOWAHAN)
    async with open_second(collector.db) as db:
        taken = [await take(collector), await take(replace(collector, db=db))]
    assert [len(each) for each in taken] == [1, 0]
    assert (await row(collector.db, cycles))["attempt_count"] == 1


async def test_the_cycle_that_has_been_ready_for_longest_goes_first(collector: Engine, clock: ManualClock) -> None:
    first, second, third = await given_ready(collector, *[Platform.WOOWAHAN] * 3)
    clock.advance(timedelta(minutes=5))
    for minutes, source in enumerate((second, first, third)):
        ready_at = clock.now() - timedelta(minutes=4 - minutes)
        await write(
            collector.db, update(cycles).where(cycles.c.job_source_id == source).values(next_eligible_at=ready_at)
        )
    assert [(await take(collector, 1))[0].source.id for _ in range(3)] == [second, first, third]


async def test_no_cycle_is_claimed_before_it_is_eligible(collector: Engine, clock: ManualClock) -> None:
    await given_ready(collector, Platform.WOOWAHAN)
    await write(collector.db, update(cycles).values(next_eligible_at=clock.now() + timedelta(seconds=1)))
    assert await take(collector) == []
    clock.advance(timedelta(seconds=1))
    assert len(await take(collector)) == 1


async def test_a_host_gets_its_share_of_slices_and_no_more(collector: Engine, board: Board) -> None:
    """DESIGN 1.3: a slow host must not fill the pool while other hosts idle."""
    elsewhere = {**board.origins, Platform.GREENHOUSE: "http://127.0.0.1:9"}
    async with engine_on(collector.db, elsewhere) as engine:
        await given_ready(engine, *[Platform.WOOWAHAN] * 3, *[Platform.GREENHOUSE] * 2)
        taken = await take(engine)
        assert [each.source.platform for each in taken] == [Platform.WOOWAHAN, Platform.GREENHOUSE]


async def test_slices_in_hand_count_against_their_hosts_share(collector: Engine, board: Board) -> None:
    elsewhere = {**board.origins, Platform.GREENHOUSE: "http://127.0.0.1:9"}
    async with engine_on(collector.db, elsewhere) as engine:
        await given_ready(engine, *[Platform.WOOWAHAN] * 2, Platform.GREENHOUSE)
        busy = board.origin.removeprefix("http://")
        assert [each.source.platform for each in await take(engine, busy={busy: 1})] == [Platform.GREENHOUSE]


async def test_a_cycle_of_a_full_host_stays_free_for_another_instance(collector: Engine) -> None:
    await given_ready(collector, Platform.WOOWAHAN, Platform.WOOWAHAN)
    assert len(await take(collector)) == 1
    async with open_second(collector.db) as db:
        assert len(await take(replace(collector, db=db))) == 1


async def test_no_more_cycles_are_claimed_than_there_are_free_workers(collector: Engine) -> None:
    await given_ready(collector, Platform.WOOWAHAN, Platform.GREENHOUSE)
    assert await take(collector, 0) == []
    assert len(await take(collector, 1)) == 1


async def test_a_claim_can_be_restricted_to_some_sources(collector: Engine) -> None:
    _, wanted = await given_ready(collector, Platform.WOOWAHAN, Platform.WOOWAHAN)
    taken = await claim_ready_cycles(
        collector, await today(collector.db), 10, {}, lambda: str(uuid4()), only=frozenset({wanted})
    )
    assert [each.source.id for each in taken] == [wanted]


@pytest.mark.parametrize("ahead", [timedelta(0), DAY])
async def test_only_cycles_of_the_day_that_it_is_are_claimed(
    collector: Engine, clock: ManualClock, ahead: timedelta
) -> None:
    """Midnight may fall between reading the date and claiming: yesterday's cycle then ends, it does not begin."""
    await given_ready(collector, Platform.WOOWAHAN)
    yesterday = await today(collector.db)
    clock.advance(DAY)
    assert await take(collector, day=yesterday + ahead) == []
    assert (await row(collector.db, cycles))["attempt_count"] == 0


async def test_a_source_disabled_after_the_preparation_is_not_claimed(collector: Engine) -> None:
    await given_ready(collector, Platform.WOOWAHAN)
    await write(collector.db, update(job_sources).values(disabled_at=collector.clock.now()))
    assert await take(collector) == []


async def test_nothing_is_claimed_once_v2_is_switched_off(collector: Engine) -> None:
    """Seed 000, Rollback: flag OFF → v2 scheduler 중지."""
    await given_ready(collector, Platform.WOOWAHAN)
    await switch_flag(collector.db, FlagKey.COLLECTION_DISPATCH_V2, False)
    assert await take(collector) == []
    await switch_on(collector.db, FlagKey.COLLECTION_DISPATCH_V2)
    assert len(await take(collector)) == 1


async def test_aggregators_are_claimed_only_while_their_flag_is_on(collector: Engine) -> None:
    await switch_on(collector.db, FlagKey.AGGREGATOR_COLLECTION)
    await add_source(collector.db, Platform.JUMPIT, category="1")
    await prepare_day(collector, await today(collector.db))
    await enqueue_day(collector, await today(collector.db))
    await switch_flag(collector.db, FlagKey.AGGREGATOR_COLLECTION, False)
    assert await take(collector) == []
    await switch_on(collector.db, FlagKey.AGGREGATOR_COLLECTION)
    assert len(await take(collector)) == 1


@pytest.mark.parametrize("status", list(CycleStatus))
async def test_only_a_pending_cycle_can_be_claimed(collector: Engine, status: CycleStatus) -> None:
    """Seed 000: `SUCCESS/FAILED/BUDGET_EXHAUSTED` × claim → 거부, 같은 KST 날짜에 재실행하지 않음."""
    await given_ready(collector, Platform.WOOWAHAN)
    await write(collector.db, update(cycles).values(cycle_status=status))
    assert len(await take(collector)) == (status is CycleStatus.PENDING)


async def test_a_source_that_is_done_is_not_asked_again_on_the_same_day(collector: Engine, board: Board) -> None:
    board.fill(3)
    await add_source(collector.db)
    await collect_day(collector)
    asked = board.requests
    await collect_day(collector)
    assert (board.requests, asked) == (asked, 1)
    assert len(await rows(collector.db, cycles)) == 1


async def test_only_sources_that_are_still_eligible_enter_the_ready_queue(collector: Engine) -> None:
    """Seed 000: `NOT_STARTED` → `PENDING`, active·지원 source만 ready queue에 넣는다."""
    kept, dropped = [await add_source(collector.db, slug=slug) for slug in ("kept", "dropped")]
    await prepare_day(collector, await today(collector.db))
    disable = update(job_sources).where(job_sources.c.id == dropped).values(disabled_at=collector.clock.now())
    await write(collector.db, disable)
    assert await enqueue_day(collector, await today(collector.db)) == 1
    by_source = await keyed(collector.db, cycles, "job_source_id")
    assert (by_source[kept]["cycle_status"], by_source[dropped]["cycle_status"]) == ("PENDING", "NOT_STARTED")


async def test_a_source_registered_during_the_day_is_collected_that_day(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await claim(collector)
    clock.advance(timedelta(hours=14))
    board.fill(1)
    await add_source(collector.db)
    await collect_day(collector)
    assert (await row(collector.db, cycles))["cycle_status"] == "SUCCESS"
