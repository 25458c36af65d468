"""Every row of seed 001's state table of JobPosting, over real cycles (상태 전이 표; DESIGN 1.4)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from aiohttp import web

from daemon.clock import KST, ManualClock
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.actions import close_passed_deadlines
from daemon.posting.tables import job_postings
from tests.board import Board, Posting
from tests.engines import DAY, add_source, collect_day, keyed, newest, rows, write

STATE = ("posting_status", "closed_reason", "consecutive_miss_count")
OPEN = ("OPEN", None, 0)
MISSING = ("CLOSED", "NOT_FOUND_TWICE", 2)


async def state(engine: Engine, source_job_id: str = "R00002") -> tuple[Any, ...]:
    found = (await keyed(engine.db, job_postings, "source_job_id"))[source_job_id]
    return tuple(found[name] for name in STATE)


async def next_day(engine: Engine, clock: ManualClock) -> dict[str, Any]:
    """Collect the day after; its cycle."""
    clock.advance(DAY)
    await collect_day(engine)
    return await newest(engine.db, cycles)


async def given_posting(engine: Engine, board: Board) -> Posting:
    """A source with three postings, all found today; the second of them."""
    board.fill(3)
    await add_source(engine.db)
    await collect_day(engine)
    return board.postings[1]


async def given_missing(engine: Engine, board: Board, clock: ManualClock) -> Posting:
    """The same, closed since as not found twice."""
    gone = await given_posting(engine, board)
    board.postings.remove(gone)
    for _ in range(2):
        await next_day(engine, clock)
    assert await state(engine) == MISSING
    return gone


async def test_open_and_found_stays_open_and_is_seen_now(collector: Engine, board: Board, clock: ManualClock) -> None:
    """`OPEN` × 정상 회차에서 발견 → `OPEN` (lastSeenAt 갱신, consecutiveMissCount=0)."""
    gone = await given_posting(collector, board)
    board.postings.remove(gone)
    await next_day(collector, clock)
    assert await state(collector) == ("OPEN", None, 1)
    board.postings.append(gone)
    await next_day(collector, clock)
    assert await state(collector) == OPEN
    found = (await keyed(collector.db, job_postings, "source_job_id"))["R00002"]
    assert (found["last_seen_at"], found["first_seen_at"]) == (clock.now(), clock.now() - 2 * DAY)


async def test_open_and_missed_once_stays_open_and_missed_twice_in_a_row_is_closed(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 001, failure path 3: 1회차 OPEN 유지, 2회차 CLOSED; `closedReason=NOT_FOUND_TWICE`."""
    board.postings.remove(await given_posting(collector, board))
    cycle = await next_day(collector, clock)
    assert (cycle["missed_count"], cycle["closed_count"], await state(collector)) == (1, 0, ("OPEN", None, 1))
    cycle = await next_day(collector, clock)
    assert (cycle["missed_count"], cycle["closed_count"], await state(collector)) == (1, 1, MISSING)
    assert (await keyed(collector.db, job_postings, "source_job_id"))["R00002"]["closed_at"] == clock.now()
    assert await state(collector, "R00001") == await state(collector, "R00003") == OPEN


async def test_misses_that_are_not_in_a_row_do_not_close(collector: Engine, board: Board, clock: ManualClock) -> None:
    flickering = await given_posting(collector, board)
    for _ in range(3):
        board.postings.remove(flickering)
        await next_day(collector, clock)
        assert await state(collector) == ("OPEN", None, 1)
        board.postings.append(flickering)
        await next_day(collector, clock)
        assert await state(collector) == OPEN


@pytest.mark.parametrize("what", ["failed", "empty"])
async def test_an_abnormal_cycle_changes_neither_open_nor_closed_postings(
    collector: Engine, board: Board, clock: ManualClock, what: str
) -> None:
    """`OPEN`/`CLOSED` × 비정상 회차(실패·0건) → 변화 없음 (FR-15)."""

    async def fail(page: int) -> web.StreamResponse:
        return web.Response(status=500)

    await given_missing(collector, board, clock)
    board.before_list = fail if what == "failed" else None
    board.postings.clear()
    before = await rows(collector.db, job_postings)
    for _ in range(3):
        await next_day(collector, clock)
    assert await rows(collector.db, job_postings) == before


async def test_closed_and_found_again_is_open_and_no_news(collector: Engine, board: Board, clock: ManualClock) -> None:
    """Seed 001, failure path 14: OPEN 복귀 + 신규 알림 미발송; `reopenedAt` 기록, `consecutiveMissCount=0` (FR-16)."""
    board.postings.append(await given_missing(collector, board, clock))
    cycle = await next_day(collector, clock)
    found = (await keyed(collector.db, job_postings, "source_job_id"))["R00002"]
    assert await state(collector) == OPEN
    assert (found["reopened_at"], found["closed_at"]) == (clock.now(), None)
    assert (found["notification_eligible"], found["first_seen_at"]) == (0, clock.now() - 3 * DAY)
    assert (cycle["new_count"], cycle["changed_count"]) == (0, 0)
    assert len(await rows(collector.db, job_postings)) == 3


async def test_closed_and_missed_again_counts_nothing(collector: Engine, board: Board, clock: ManualClock) -> None:
    """`CLOSED` × 미발견 → `CLOSED`, 카운터 증가 없음 (no-op)."""
    await given_missing(collector, board, clock)
    before = (await keyed(collector.db, job_postings, "source_job_id"))["R00002"]
    cycle = await next_day(collector, clock)
    assert cycle["missed_count"] == 0
    assert (await keyed(collector.db, job_postings, "source_job_id"))["R00002"] == before


async def test_manual_postings_are_never_missed(collector: Engine, board: Board, clock: ManualClock) -> None:
    """Seed 001, failure path 5: 수동 공고는 미발견 카운터가 증가하지 않는다 (`MANUAL` × 수집 델타 → 변화 없음)."""
    await given_posting(collector, board)
    collected = (await rows(collector.db, job_postings))[0]
    manual = {**collected, "posting_origin": "MANUAL", "source_job_id": None, "job_source_id": None}
    del manual["id"]
    await write(collector.db, job_postings.insert().values(**manual))
    # Even one that someone ties to the source is none of the list's business.
    tied = {**manual, "job_source_id": collected["job_source_id"], "source_job_id": "by hand"}
    await write(collector.db, job_postings.insert().values(**tied))
    before = (await rows(collector.db, job_postings))[3:]
    for _ in range(3):
        await next_day(collector, clock)
    assert (await rows(collector.db, job_postings))[3:] == before


async def test_restricted_postings_are_not_judged(collector: Engine, board: Board, clock: ManualClock) -> None:
    """`accessRestricted=true` × 수집 델타 → 변화 없음 (시나리오 6)."""
    board.postings.remove(await given_posting(collector, board))
    await write(
        collector.db, job_postings.update().where(job_postings.c.source_job_id == "R00002").values(access_restricted=1)
    )
    for _ in range(3):
        await next_day(collector, clock)
    assert await state(collector) == OPEN


async def test_one_sources_list_says_nothing_of_anothers_postings(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await given_posting(collector, board)
    await add_source(collector.db, slug="another")
    board.fill(3, start=50)
    for _ in range(3):
        await next_day(collector, clock)
    found = await rows(collector.db, job_postings)
    closed = {(each["job_source_id"], each["source_job_id"]) for each in found if each["posting_status"] == "CLOSED"}
    first = found[0]["job_source_id"]
    assert closed == {(first, f"R0000{number}") for number in (1, 2, 3)}
    assert len(found) == 9


# --- closing switched off --------------------------------------------------------------------------------------------


async def test_while_closing_is_switched_off_misses_are_counted_and_nothing_closes(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.4: missed counters go on while `posting.auto-close` is OFF; only closing waits for the flag."""
    await switch_flag(collector.db, FlagKey.AUTO_CLOSE, False)
    board.postings.remove(await given_posting(collector, board))
    for misses in (1, 2, 3, 4):
        cycle = await next_day(collector, clock)
        assert await state(collector) == ("OPEN", None, misses)
        assert (cycle["missed_count"], cycle["closed_count"]) == (1, 0)


async def test_switched_on_later_it_closes_what_was_missed_often_enough_with_the_next_complete_list(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await switch_flag(collector.db, FlagKey.AUTO_CLOSE, False)
    board.postings.remove(await given_posting(collector, board))
    for _ in range(3):
        await next_day(collector, clock)
    await switch_flag(collector.db, FlagKey.AUTO_CLOSE, True)
    assert await state(collector) == ("OPEN", None, 3), "switching alone closes nothing"
    await next_day(collector, clock)
    assert await state(collector) == ("CLOSED", "NOT_FOUND_TWICE", 4)


# --- deadlines -------------------------------------------------------------------------------------------------------

NOON = datetime(2026, 12, 3, 12, 0, tzinfo=KST)


async def given_deadline(engine: Engine, board: Board) -> Posting:
    """The second posting ends at noon on 3 December, the others never."""
    board.fill(3)
    board.postings[1].end = "2026-12-03 12:00:00"
    await add_source(engine.db)
    await collect_day(engine)
    return board.postings[1]


async def test_the_sweep_closes_what_is_past_its_deadline_and_nothing_else(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """`OPEN` × 마감일 경과 → `CLOSED`, `closedReason=DEADLINE_PASSED`; 상시채용은 대상 제외 (FR-17)."""
    await given_deadline(collector, board)
    clock.set(NOON)
    assert await close_passed_deadlines(collector.db) == 0, "the deadline is the last instant to apply"
    clock.advance(timedelta(microseconds=1))
    assert await close_passed_deadlines(collector.db) == 1
    assert await state(collector) == ("CLOSED", "DEADLINE_PASSED", 0)
    assert await state(collector, "R00001") == OPEN
    closed = (await keyed(collector.db, job_postings, "source_job_id"))["R00002"]
    assert (closed["closed_at"], closed["updated_at"], closed["version"]) == (clock.now(), clock.now(), 1)


async def test_the_sweep_waits_for_the_flag(collector: Engine, board: Board, clock: ManualClock) -> None:
    await given_deadline(collector, board)
    await switch_flag(collector.db, FlagKey.AUTO_CLOSE, False)
    clock.set(NOON + DAY)
    assert await close_passed_deadlines(collector.db) is None
    assert await state(collector) == OPEN
    await switch_flag(collector.db, FlagKey.AUTO_CLOSE, True)
    assert await close_passed_deadlines(collector.db) == 1


async def test_sweeping_again_changes_nothing(collector: Engine, board: Board, clock: ManualClock) -> None:
    """`CLOSED` × 마감일 경과 → `CLOSED` 이미 종료 (no-op)."""
    await given_deadline(collector, board)
    clock.set(NOON + DAY)
    await close_passed_deadlines(collector.db)
    before = await rows(collector.db, job_postings)
    clock.advance(DAY)
    assert await close_passed_deadlines(collector.db) == 0
    assert await rows(collector.db, job_postings) == before


async def test_the_sweep_leaves_restricted_postings_alone(collector: Engine, board: Board, clock: ManualClock) -> None:
    await given_deadline(collector, board)
    await write(collector.db, job_postings.update().values(access_restricted=1))
    clock.set(NOON + DAY)
    assert await close_passed_deadlines(collector.db) == 0


async def test_the_sweep_takes_its_postings_in_batches(collector: Engine, clock: ManualClock) -> None:
    one = {
        "company_id": 1,
        "posting_origin": "MANUAL",
        "title": "백엔드",
        "posting_url": "https://example.com",
        "deadline_at": clock.now(),
        "posting_status": "OPEN",
        **{name: clock.now() for name in ("first_seen_at", "last_seen_at", "created_at", "updated_at")},
    }
    await write(collector.db, job_postings.insert().values([one] * 501))
    clock.advance(DAY)
    assert await close_passed_deadlines(collector.db) == 501


async def test_closed_by_its_deadline_and_found_with_the_same_one_stays_closed(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.4: otherwise it would open and close every day."""
    await given_deadline(collector, board)
    clock.set(NOON)
    for _ in range(3):
        await next_day(collector, clock)
        await close_passed_deadlines(collector.db)
        assert await state(collector) == ("CLOSED", "DEADLINE_PASSED", 0)
    assert (await keyed(collector.db, job_postings, "source_job_id"))["R00002"]["reopened_at"] is None


@pytest.mark.parametrize("end", ["9999-12-31 00:00:00", "2026-12-24 18:00:00"])
async def test_closed_by_its_deadline_and_found_with_none_or_a_later_one_is_open_again(
    collector: Engine, board: Board, clock: ManualClock, end: str
) -> None:
    extended = await given_deadline(collector, board)
    clock.set(NOON + DAY)
    await close_passed_deadlines(collector.db)
    extended.end, extended.version = end, 2
    await next_day(collector, clock)
    assert await state(collector) == OPEN
    assert await close_passed_deadlines(collector.db) == 0


async def test_nothing_ever_deletes_a_posting(collector: Engine, board: Board, clock: ManualClock) -> None:
    """어떤 상태 × 물리 삭제 요청 → 거부: 소프트 삭제만 허용 (FR-18, NFR-5)."""
    await given_deadline(collector, board)
    board.fill(1, start=90)
    for _ in range(5):
        await next_day(collector, clock)
        await close_passed_deadlines(collector.db)
    assert len(await rows(collector.db, job_postings)) == 4
