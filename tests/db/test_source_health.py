"""Source health, streaks of budget ends and past 09:00 snapshots on every engine (issue 3, Deliver 6)."""

from __future__ import annotations

from datetime import date, timedelta

from daemon.clock import kst
from daemon.collection.model import CycleStatus
from daemon.collection.tables import job_source_health
from daemon.company.actions import disable_source
from daemon.db import Database
from daemon.operations.actions import sla_snapshots
from daemon.operations.companies.model import BrokenStatus
from daemon.operations.health.actions import sources_health
from daemon.operations.model import SnapshotStatus
from tests.db.collected import add, add_cycle, add_header, add_item, add_run
from tests.engines import add_source

DAY = date(2026, 12, 1)
_ENDED = CycleStatus.BUDGET_EXHAUSTED


def _back(days: int) -> date:
    return DAY - timedelta(days=days)


async def _ended_by_budget(db: Database, source: int, *backs: int, reason: str = "LIST_PAGE_LIMIT") -> None:
    for back in backs:
        await add_cycle(db, source, _back(back), _ENDED, budget_exhausted_reason=reason, fetched_count=5)


async def test_days_that_a_budget_ended_are_counted_back_to_the_last_one_that_ended_otherwise(db: Database) -> None:
    """Seed 000: seven in a row are a warning; what is under way today ends no streak, another ending does."""
    seven, four, none = [await add_source(db, slug=slug) for slug in ("seven", "four", "none")]
    await _ended_by_budget(db, seven, *range(1, 7))
    await _ended_by_budget(db, seven, 7, reason="DETAIL_LIMIT")
    await add_cycle(db, seven, DAY, CycleStatus.RUNNING)
    await _ended_by_budget(db, four, 0, 1, 2, 3, 5, 6, 7, 8)
    await add_cycle(db, four, _back(4), CycleStatus.FAILED, failure_reason="BLOCKED")
    await _ended_by_budget(db, none, *range(1, 9))
    await add_cycle(db, none, DAY, CycleStatus.SUCCESS, fetched_count=1)
    found = {one.job_source_id: one for one in (await sources_health(db)).sources}
    told = {
        key: (
            one.consecutive_budget_exhausted_days,
            one.budget_exhausted_reason,
            one.budget_exhausted_warning,
            one.last_collected_on,
        )
        for key, one in found.items()
    }
    assert told == {
        seven: (7, "LIST_PAGE_LIMIT", True, _back(1)),
        four: (4, "LIST_PAGE_LIMIT", False, DAY),
        none: (0, None, False, DAY),
    }


async def test_a_streak_is_told_by_its_latest_budget_and_looks_back_ninety_days(db: Database) -> None:
    source = await add_source(db, slug="long")
    await _ended_by_budget(db, source, *range(1, 120), reason="POSTING_LIMIT")
    await _ended_by_budget(db, source, 0, reason="SLICE_TIME_LIMIT")
    (health,) = (await sources_health(db)).sources
    assert health.consecutive_budget_exhausted_days == 91
    assert health.budget_exhausted_reason == "SLICE_TIME_LIMIT"


async def test_a_legacy_day_ends_a_streak_too(db: Database) -> None:
    source = await add_source(db, slug="legacy")
    await _ended_by_budget(db, source, 1, 3, 4)
    await add_run(db, source, _back(2), "FAILED", failure_reason="BLOCKED")
    (health,) = (await sources_health(db)).sources
    assert (health.consecutive_budget_exhausted_days, health.last_collected_on) == (1, _back(1))


async def test_what_wants_a_look_comes_first_and_disabled_sources_last(db: Database) -> None:
    off, well, warned, broken = [await add_source(db, slug=slug) for slug in ("off", "well", "warned", "broken")]
    stamps = {"created_at": kst(DAY, 0), "updated_at": kst(DAY, 0)}
    for source in (off, broken):
        await add(
            db,
            job_source_health,
            {
                "job_source_id": source,
                "consecutive_abnormal_days": 4,
                "broken_since": kst(_back(1), 0, 5),
                "failure_episode": 2,
                "last_normal_at": kst(_back(5), 0, 5),
                **stamps,
            },
        )
    await disable_source(db, off)
    await _ended_by_budget(db, warned, *range(7))
    await add_run(db, well, _back(3), "SUCCESS", fetched_count=3)
    found = (await sources_health(db)).sources
    assert [one.job_source_id for one in found] == [broken, warned, well, off]
    first, *_, last = found
    assert (first.broken_status, first.broken_since) == (BrokenStatus.BROKEN, kst(_back(1), 0, 5))
    assert (first.consecutive_abnormal_days, first.failure_episode) == (4, 2)
    assert first.last_normal_at == kst(_back(5), 0, 5)
    assert first.source_label == "회사 broken (WOOWAHAN broken)"
    assert last.disabled
    assert (found[2].last_collected_on, found[2].broken_status) == (_back(3), BrokenStatus.NORMAL)


async def test_past_snapshots_are_told_newest_first_each_with_its_own_items(db: Database) -> None:
    """Seed 000: a day's items never change; one that was missed says why and guesses nothing."""
    one, two = await add_source(db, slug="one"), await add_source(db, slug="two")
    await add_header(db, _back(8), "CAPTURED", captured_at=kst(_back(8), 9))
    await add_header(db, _back(2), "MISSED", miss_reason="LATE_DAEMON")
    captured = await add_header(db, _back(1), "CAPTURED", captured_at=kst(_back(1), 9))
    await add_item(db, captured, one, CycleStatus.SUCCESS, 4)
    await add_item(db, captured, two, CycleStatus.RUNNING, 2)
    found = (await sla_snapshots(db, 7)).snapshots
    assert [(one.snapshot_date, one.capture_status) for one in found] == [
        (_back(1), SnapshotStatus.CAPTURED),
        (_back(2), SnapshotStatus.MISSED),
    ]
    yesterday, missed = found
    assert yesterday.items is not None
    assert [(item.job_source_id, item.late) for item in yesterday.items] == [(one, False), (two, True)]
    assert yesterday.late_before_notification_count == 1
    assert (missed.items, missed.late_before_notification_count, missed.miss_reason) == (None, None, "LATE_DAEMON")
    assert len((await sla_snapshots(db, 9)).snapshots) == 3
