"""How a day's snapshot header begins and ends: PENDING, CAPTURED, MISSED, NOT_APPLICABLE (seed 000; DESIGN 1.3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event
from structlog.testing import capture_logs

from daemon.clock import ManualClock, kst
from daemon.collection.actions.prepare import prepare_day
from daemon.collection.actions.snapshot import settle_due_snapshots, settle_snapshot
from daemon.collection.engine import Engine
from daemon.collection.loop import recover
from daemon.collection.model import CaptureStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import Database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.jobs import timetable_jobs
from daemon.schedule.model import JobName
from tests.board import Board
from tests.databases import open_second
from tests.engines import DAY, add_source, collect_day, newest, row, rows, switch_on

TODAY = date(2026, 12, 1)
NINE = kst(TODAY, 9)
V2 = FlagKey.COLLECTION_DISPATCH_V2
MINUTE = timedelta(minutes=1)


async def header_of(engine: Engine, day: date = TODAY) -> tuple[str, datetime | None, str | None] | None:
    """Status, capture instant and miss reason of a day's header."""
    for each in await rows(engine.db, headers):
        if each["snapshot_date"] == day:
            return each["capture_status"], each["captured_at"], each["miss_reason"]
    return None


@contextmanager
def tables_used(db: Database) -> Iterator[set[str]]:
    """The tables of the engine that statements name in the meantime."""
    used: set[str] = set()
    names = ("job_posting_collection_cycles", "job_sources", items.name, headers.name)

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        used.update(name for name in names if name in statement.replace("`", " ").split())

    event.listen(db.engine.sync_engine, "before_cursor_execute", note)
    try:
        yield used
    finally:
        event.remove(db.engine.sync_engine, "before_cursor_execute", note)


# --- the beginning of a day ------------------------------------------------------------------------------------------


async def test_the_preparation_makes_the_gate_and_a_cycle_per_source(collector: Engine) -> None:
    """Seed 000: 00:00에 eligible source마다 NOT_STARTED cycle을, 같은 날짜 SLA header를 PENDING으로 만든다."""
    sources = [await add_source(collector.db, slug=slug) for slug in ("a", "b")]
    assert await prepare_day(collector, TODAY) == 2
    header = await row(collector.db, headers)
    assert (header["snapshot_date"], header["scheduled_at"], header["capture_status"]) == (TODAY, NINE, "PENDING")
    assert (header["captured_at"], header["miss_reason"]) == (None, None)
    found = [
        (each["job_source_id"], each["run_date"], each["cycle_status"]) for each in await rows(collector.db, cycles)
    ]
    assert found == [(source, TODAY, "NOT_STARTED") for source in sources]


async def test_preparing_again_adds_nothing_on_any_instance(collector: Engine) -> None:
    """Seed 000, 구현자 handoff: unique 충돌을 정상적인 “이미 생성됨”으로 처리한다."""
    await add_source(collector.db)
    async with open_second(collector.db) as db:
        made = [await prepare_day(each, TODAY) for each in (collector, replace(collector, db=db), collector)]
    assert made == [1, 0, 0]
    assert len(await rows(collector.db, headers)) == len(await rows(collector.db, cycles)) == 1


async def test_a_day_without_v2_is_not_prepared(collector: Engine) -> None:
    await switch_flag(collector.db, V2, False)
    await add_source(collector.db)
    assert await prepare_day(collector, TODAY) is None
    assert await rows(collector.db, headers) == await rows(collector.db, cycles) == []


# --- days that were not promised --------------------------------------------------------------------------------------


async def test_a_day_without_v2_is_not_applicable(collector: Engine, clock: ManualClock) -> None:
    """BE-43: v2 OFF일 때는 NOT_APPLICABLE."""
    await switch_flag(collector.db, V2, False)
    await add_source(collector.db)
    clock.set(NINE)
    await settle_due_snapshots(collector)
    assert await header_of(collector) == ("NOT_APPLICABLE", None, None)
    assert await rows(collector.db, items) == await rows(collector.db, cycles) == []


async def test_the_timetable_tells_in_words_what_became_of_the_snapshot(collector: Engine, clock: ManualClock) -> None:
    await switch_flag(collector.db, V2, False)
    clock.set(NINE)
    job = timetable_jobs(collector)[JobName.SLA]
    assert await job(TODAY) == "09:00에 수집 엔진(v2)이 꺼져 있었습니다"


@pytest.mark.parametrize("late", [timedelta(0), 2 * MINUTE])
async def test_a_day_on_which_v2_was_switched_off_before_nine_is_not_applicable(
    collector: Engine, clock: ManualClock, late: timedelta
) -> None:
    """DESIGN 1.3: a header is MISSED only when v2 was on at 09:00; BE-43: v2 OFF → item 없음, NOT_APPLICABLE."""
    await add_source(collector.db)
    await prepare_day(collector, TODAY)
    clock.advance(timedelta(hours=8))
    await switch_flag(collector.db, V2, False)
    clock.set(NINE + late)
    await settle_due_snapshots(collector)
    assert await header_of(collector) == ("NOT_APPLICABLE", None, None)
    assert await rows(collector.db, items) == []


async def test_a_day_on_which_v2_is_switched_on_after_nine_is_not_applicable_and_still_collected(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.3: the promise did not exist at 09:00; the collection of that day still runs."""
    await switch_flag(collector.db, V2, False)
    board.fill(3)
    await add_source(collector.db)
    clock.set(NINE + MINUTE)
    await switch_on(collector.db, V2)
    await collect_day(collector)
    assert await header_of(collector) == ("NOT_APPLICABLE", None, None)
    assert (await row(collector.db, cycles))["cycle_status"] == "SUCCESS"


async def test_a_header_settled_without_v2_stays_when_v2_is_switched_on_later(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await switch_flag(collector.db, V2, False)
    board.fill(3)
    await add_source(collector.db)
    clock.set(NINE)
    await recover(collector)
    clock.advance(MINUTE)
    await switch_on(collector.db, V2)
    await recover(collector)
    await collect_day(collector)
    assert await header_of(collector) == ("NOT_APPLICABLE", None, None)
    assert (await row(collector.db, cycles))["cycle_status"] == "SUCCESS"


async def test_days_before_the_daemon_have_no_header(collector: Engine, clock: ManualClock) -> None:
    """BE-43: 배포 첫날 이전·기존 이력에는 backfill하지 않는다."""
    clock.set(NINE + 3 * DAY)
    await settle_due_snapshots(collector)
    assert [each["snapshot_date"] for each in await rows(collector.db, headers)] == [TODAY + 3 * DAY]


# --- days that were missed -------------------------------------------------------------------------------------------


async def test_a_recovery_that_finds_the_cutoff_missed_reads_nothing_and_reconstructs_nothing(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """BE-43: cutoff를 놓친 recovery는 MISSED header만 기록하고 later current 상태를 item으로 저장하지 않는다.

    Seed 000, Testing Plan: … `MISSED` header와 miss reason만 기록하고 current cycle/source/flag를 읽어 item이나 late
    count를 만들지 않음을 검증.
    """
    board.fill(3)
    await add_source(collector.db)
    await collect_day(collector)
    await add_source(collector.db, slug="without a cycle")
    before = await rows(collector.db, cycles)
    clock.set(NINE + 42 * MINUTE)
    with tables_used(collector.db) as used, capture_logs() as logs:
        assert await settle_snapshot(collector, TODAY) is CaptureStatus.MISSED
    status, captured_at, reason = await header_of(collector) or ("", None, None)
    assert (status, captured_at) == ("MISSED", None)
    assert reason is not None
    assert "2520 s" in reason
    assert used == {headers.name}
    assert await rows(collector.db, items) == []
    assert await rows(collector.db, cycles) == before
    assert [(each["event"], each["log_level"]) for each in logs] == [("snapshot.settled", "warning")]


async def test_a_day_that_nobody_prepared_is_missed_by_a_header_of_its_own(
    collector: Engine, clock: ManualClock
) -> None:
    """Seed 000: 09:00 이후 header가 없으면 recovery는 source/cycle을 읽지 않고 MISSED header를 직접 create한다."""
    await add_source(collector.db)
    clock.set(NINE + MINUTE)
    with tables_used(collector.db) as used:
        await settle_due_snapshots(collector)
    status, captured_at, reason = await header_of(collector) or ("", None, None)
    assert (status, captured_at, reason) == ("MISSED", None, "the day was not prepared before the cutoff")
    assert (await row(collector.db, headers))["scheduled_at"] == NINE
    assert used == {headers.name}
    assert await rows(collector.db, items) == await rows(collector.db, cycles) == []


async def test_a_late_preparation_records_the_miss_and_still_collects(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    board.fill(3)
    await add_source(collector.db)
    clock.set(NINE + 60 * MINUTE)
    await collect_day(collector)
    assert (await header_of(collector) or [""])[0] == "MISSED"
    assert (await row(collector.db, cycles))["cycle_status"] == "SUCCESS"


async def test_a_header_of_an_earlier_day_is_missed_before_its_cycles_are_ended(
    collector: Engine, clock: ManualClock
) -> None:
    await add_source(collector.db)
    await prepare_day(collector, TODAY)
    clock.advance(DAY)
    await prepare_day(collector, TODAY + DAY)
    assert (await header_of(collector) or [""])[0] == "MISSED"
    assert (await header_of(collector, TODAY + DAY) or [""])[0] == "PENDING"
    old, _ = await rows(collector.db, cycles)
    assert old["failure_reason"] == "DAY_ENDED"


async def test_every_earlier_day_left_pending_is_settled(collector: Engine, clock: ManualClock) -> None:
    await prepare_day(collector, TODAY)
    clock.advance(DAY)
    await prepare_day(collector, TODAY + DAY)
    clock.advance(DAY)
    await settle_due_snapshots(collector)
    assert [each["capture_status"] for each in await rows(collector.db, headers)] == ["MISSED", "MISSED"]


@pytest.mark.parametrize("settled", ["CAPTURED", "MISSED", "NOT_APPLICABLE"])
async def test_a_settled_header_never_changes(collector: Engine, clock: ManualClock, settled: str) -> None:
    """Seed 000: capture status의 단 한 번 terminal 확정."""
    await add_source(collector.db)
    await prepare_day(collector, TODAY)
    if settled == "NOT_APPLICABLE":
        await switch_flag(collector.db, V2, False)
    clock.set(NINE + (MINUTE if settled == "MISSED" else timedelta(0)))
    await settle_due_snapshots(collector)
    header = await newest(collector.db, headers)
    assert header["capture_status"] == settled
    clock.advance(timedelta(hours=1))
    await switch_flag(collector.db, V2, settled == "NOT_APPLICABLE")
    await settle_due_snapshots(collector)
    await prepare_day(collector, TODAY)
    assert await rows(collector.db, headers) == [header]
