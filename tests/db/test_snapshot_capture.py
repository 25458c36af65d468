"""The 09:00 KST snapshot: exact, once, immutable (ticket BE-43; seed 000, SLA snapshot 생성 규칙; DESIGN 1.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from daemon.clock import ManualClock, kst
from daemon.collection.actions.claim import Assignment
from daemon.collection.actions.commit_page import commit_page
from daemon.collection.actions.lease import end_cycle, release_slice
from daemon.collection.actions.prepare import enqueue_day, prepare_day
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.actions.snapshot import settle_due_snapshots, settle_snapshot
from daemon.collection.engine import Engine
from daemon.collection.model import CaptureStatus, CycleStatus, Succeed
from daemon.collection.store import snapshots
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.company.tables import job_sources
from daemon.db import Tx, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.board import Board
from tests.databases import open_second
from tests.engines import add_source, claim, collect_day, keyed, page_of, row, rows, switch_on, write

TODAY = date(2026, 12, 1)
NINE = kst(TODAY, 9)
MICROSECOND = timedelta(microseconds=1)

STATE = ("captured_cycle_status", "captured_fetched_count", "captured_is_complete")


async def captured(engine: Engine) -> dict[int, tuple[Any, ...]]:
    """Status, fetched and completeness of each item, by source."""
    return {each["job_source_id"]: tuple(each[name] for name in STATE) for each in await rows(engine.db, items)}


async def given_claim(engine: Engine, clock: ManualClock, at: datetime = NINE - MICROSECOND) -> Assignment:
    """A source claimed at an instant, just before nine by default."""
    await prepare_day(engine, TODAY)
    clock.set(at)
    await add_source(engine.db)
    (assignment,) = await claim(engine)
    return assignment


# --- what is captured ------------------------------------------------------------------------------------------------


async def test_the_capture_adds_missing_cycles_as_not_started_and_asks_no_site(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """BE-43: cycle 없는 eligible source를 NOT_STARTED으로 보충하고 해당 상태를 snapshot item에 남긴다.

    Seed 000, Testing Plan: 09:00 capture는 누락 eligible cycle을 `NOT_STARTED`로 생성하고 그 상태/count/closeGuarded를
    immutable item으로 남기지만 adapter HTTP는 호출하지 않음.
    """
    board.fill(3)
    prepared = await add_source(collector.db, slug="prepared")
    await prepare_day(collector, TODAY)
    late = await add_source(collector.db, slug="registered just before nine")
    clock.set(NINE)
    assert await settle_snapshot(collector, TODAY) is CaptureStatus.CAPTURED
    header = await row(collector.db, headers)
    assert (header["capture_status"], header["captured_at"], header["miss_reason"]) == ("CAPTURED", NINE, None)
    assert await captured(collector) == {prepared: ("NOT_STARTED", 0, 0), late: ("NOT_STARTED", 0, 0)}
    assert {each["captured_close_guarded"] for each in await rows(collector.db, items)} == {1}
    assert {each["cycle_status"] for each in await rows(collector.db, cycles)} == {"NOT_STARTED"}
    assert len(await rows(collector.db, cycles)) == 2
    assert board.requests == 0
    await collect_day(collector)
    assert (await keyed(collector.db, cycles, "job_source_id"))[late]["cycle_status"] == "SUCCESS"


STATES = [
    # status, fetched, complete, guarded by the list → abnormal, close guarded
    (CycleStatus.NOT_STARTED, 0, 0, 0, 0, 1),
    (CycleStatus.PENDING, 50, 0, 0, 0, 1),
    (CycleStatus.RUNNING, 10, 0, 0, 0, 1),
    (CycleStatus.SUCCESS, 7, 1, 0, 0, 0),
    (CycleStatus.SUCCESS, 7, 1, 1, 0, 1),
    (CycleStatus.SUCCESS, 0, 1, 0, 1, 1),
    (CycleStatus.FAILED, 20, 0, 0, 1, 1),
    (CycleStatus.BUDGET_EXHAUSTED, 500, 0, 0, 0, 1),
]


async def test_an_item_holds_the_state_at_nine_and_what_the_server_concludes_from_it(
    collector: Engine, clock: ManualClock
) -> None:
    """Seed 000: captured_abnormal, captured_close_guarded는 서버가 계산한 cutoff 시점 값."""
    sources = [await add_source(collector.db, slug=f"s{number}") for number in range(len(STATES))]
    await prepare_day(collector, TODAY)
    for source, (status, fetched, complete, guarded, _, _) in zip(sources, STATES, strict=True):
        values = {"cycle_status": status, "fetched_count": fetched, "is_complete": complete, "close_guarded": guarded}
        await write(collector.db, cycles.update().where(cycles.c.job_source_id == source).values(**values))
    clock.set(NINE)
    await settle_snapshot(collector, TODAY)
    found = await keyed(collector.db, items, "job_source_id")
    for source, (status, fetched, complete, _, abnormal, guarded) in zip(sources, STATES, strict=True):
        item = found[source]
        assert tuple(item[name] for name in STATE) == (status, fetched, complete)
        assert (item["captured_abnormal"], item["captured_close_guarded"]) == (abnormal, guarded), status
        assert (item["source_type"], item["created_at"]) == ("COMPANY_BOUND", NINE)


async def test_sources_that_are_not_eligible_at_nine_have_no_item(collector: Engine, clock: ManualClock) -> None:
    """BE-43: aggregator flag OFF … source는 eligibility와 SLA item에서 제외된다."""
    kept = await add_source(collector.db, slug="kept")
    disabled = await add_source(collector.db, slug="disabled")
    await add_source(collector.db, Platform.JUMPIT, category="1")
    await prepare_day(collector, TODAY)
    await write(collector.db, job_sources.update().where(job_sources.c.id == disabled).values(disabled_at=clock.now()))
    clock.set(NINE)
    await settle_snapshot(collector, TODAY)
    assert list(await captured(collector)) == [kept]


async def test_aggregators_have_an_item_while_both_flags_are_on(collector: Engine, clock: ManualClock) -> None:
    """BE-43: 활성 aggregator(v2+aggregator ON)."""
    await switch_on(collector.db, FlagKey.AGGREGATOR_COLLECTION)
    search = await add_source(collector.db, Platform.JUMPIT, category="1")
    await prepare_day(collector, TODAY)
    clock.set(NINE)
    await settle_snapshot(collector, TODAY)
    (item,) = await rows(collector.db, items)
    assert (item["job_source_id"], item["source_type"]) == (search, "AGGREGATOR")


async def test_flags_are_judged_again_at_nine(collector: Engine, clock: ManualClock) -> None:
    """BE-43: eligibility를 재평가하고 …"""
    await switch_on(collector.db, FlagKey.AGGREGATOR_COLLECTION)
    await add_source(collector.db, Platform.JUMPIT, category="1")
    await prepare_day(collector, TODAY)
    await switch_flag(collector.db, FlagKey.AGGREGATOR_COLLECTION, False)
    clock.set(NINE)
    assert await settle_snapshot(collector, TODAY) is CaptureStatus.CAPTURED
    assert await rows(collector.db, items) == []


# --- once and for all ------------------------------------------------------------------------------------------------


async def test_before_nine_nothing_is_settled(collector: Engine, clock: ManualClock) -> None:
    await prepare_day(collector, TODAY)
    clock.set(NINE - MICROSECOND)
    assert await settle_snapshot(collector, TODAY) is None
    assert (await row(collector.db, headers))["capture_status"] == "PENDING"


async def test_two_instances_capture_one_header_and_one_item_per_source(collector: Engine, clock: ManualClock) -> None:
    """BE-43: 두 인스턴스가 동시에 09:00 capture해도 snapshot header와 source item은 하나씩만 생긴다 (tests/race)."""
    await add_source(collector.db)
    await prepare_day(collector, TODAY)
    clock.set(NINE)
    async with open_second(collector.db) as db:
        other = replace(collector, db=db)
        with capture_logs() as logs:
            assert [await settle_snapshot(each, TODAY) for each in (collector, other)] == [CaptureStatus.CAPTURED] * 2
    assert len(await rows(collector.db, headers)) == len(await rows(collector.db, items)) == 1
    assert [each["capture_status"] for each in logs if each["event"] == "snapshot.settled"] == ["CAPTURED"]


async def test_what_happens_after_nine_does_not_change_an_item(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """BE-43: 09:01 SUCCESS로 바뀌어도 CAPTURED item의 09:00 RUNNING/NOT_STARTED 값은 바뀌지 않는다."""
    held = await given_claim(collector, clock)
    waiting = await add_source(collector.db, slug="waiting")
    clock.set(NINE)
    await settle_snapshot(collector, TODAY)
    before = await rows(collector.db, items)
    clock.advance(timedelta(minutes=1))
    await end_cycle(collector, held.claim, Succeed(close_guarded=False))
    await collect_day(collector)
    await settle_due_snapshots(collector)
    assert {each["cycle_status"] for each in await rows(collector.db, cycles)} == {"SUCCESS"}
    assert await rows(collector.db, items) == before
    assert await captured(collector) == {held.source.id: ("RUNNING", 0, 0), waiting: ("NOT_STARTED", 0, 0)}


# --- before or after, never both -------------------------------------------------------------------------------------


async def test_a_page_committed_just_before_nine_is_in_the_item(collector: Engine, clock: ManualClock) -> None:
    """BE-43: cycle 상태 변경은 09:00 capture의 전/후 어느 한쪽으로만 관측된다."""
    held = await given_claim(collector, clock)
    await commit_page(collector, held.claim, page_of(collector, held, "R1", "R2", next_cursor="1"))
    clock.set(NINE)
    await settle_snapshot(collector, TODAY)
    assert await captured(collector) == {held.source.id: ("RUNNING", 2, 0)}


Writer = Callable[[Engine, Assignment], Awaitable[Any]]


async def _register_and_prepare(engine: Engine, held: Assignment) -> None:
    await add_source(engine.db, slug="new at nine")
    await prepare_day(engine, TODAY)


async def _expire(engine: Engine, held: Assignment) -> None:
    await write(
        engine.db, cycles.update().where(cycles.c.cycle_status == "RUNNING").values(lease_until=NINE - MICROSECOND)
    )
    assert await recover_expired_leases(engine) == 1


WRITERS: dict[str, Writer] = {
    "a page": lambda engine, held: commit_page(engine, held.claim, page_of(engine, held, "R1", next_cursor="1")),
    "the last page": lambda engine, held: commit_page(engine, held.claim, page_of(engine, held, "R1")),
    "an end": lambda engine, held: end_cycle(engine, held.claim, Succeed(close_guarded=False)),
    "a release": lambda engine, held: release_slice(engine, held.claim),
    "a recovery": _expire,
    "a claim": lambda engine, held: claim(engine),
    "a queueing": lambda engine, held: enqueue_day(engine, TODAY),
    "a preparation": _register_and_prepare,
}


@pytest.mark.parametrize("name", WRITERS)
async def test_a_writer_that_comes_at_nine_settles_the_snapshot_first_and_then_writes(
    collector: Engine, clock: ManualClock, name: str
) -> None:
    """DESIGN 1.3: an item always equals the state at 09:00:00.000000, whoever captured it."""
    held = await given_claim(collector, clock)
    waiting = await add_source(collector.db, slug="waiting")
    await prepare_day(collector, TODAY)
    clock.set(NINE)
    before = await rows(collector.db, cycles)
    await WRITERS[name](collector, held)
    assert (await row(collector.db, headers))["capture_status"] == "CAPTURED"
    found = await captured(collector)
    assert (found[held.source.id], found[waiting]) == (("RUNNING", 0, 0), ("NOT_STARTED", 0, 0))
    assert await rows(collector.db, cycles) != before, "and then it wrote"


# --- the grace -------------------------------------------------------------------------------------------------------


class AskedClock(ManualClock):
    """Tells that it has been asked for the time."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self.asked = asyncio.Event()

    def now(self) -> datetime:
        self.asked.set()
        return super().now()


@pytest.mark.parametrize(
    ("began", "status"),
    [(NINE + timedelta(seconds=4.9), CaptureStatus.CAPTURED), (NINE + timedelta(seconds=5), CaptureStatus.MISSED)],
)
async def test_an_attempt_is_on_time_by_when_it_began_however_long_it_waited_for_writers(
    collector: Engine, clock: ManualClock, began: datetime, status: CaptureStatus
) -> None:
    """DESIGN 1.3: on time is judged by when the attempt began."""
    await given_claim(collector, clock)
    clock.set(began)
    ready, done = asyncio.Event(), asyncio.Event()

    async def hold_the_gate(tx: Tx) -> None:
        await snapshots.lock_header(tx, TODAY)
        ready.set()
        await done.wait()

    own = AskedClock(began)
    async with open_second(collector.db, own) as db, asyncio.TaskGroup() as group:
        group.create_task(transaction(collector.db, hold_the_gate))
        await ready.wait()
        settling = group.create_task(settle_snapshot(replace(collector, db=db), TODAY))
        await own.asked.wait()
        own.advance(timedelta(seconds=30))
        done.set()
        assert await settling is status
    assert len(await captured(collector)) == (status is CaptureStatus.CAPTURED)
