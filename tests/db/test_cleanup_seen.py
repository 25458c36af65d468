"""The 10:15 cleanup of seen rows that a terminal transition failed to delete (seed 000, 용량과 보존 정책, Q8)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.clock import ManualClock
from daemon.collection.actions.recover import delete_orphaned_seen
from daemon.collection.engine import Engine
from daemon.collection.model import CycleStatus
from daemon.collection.store import cycles as cycle_store
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.db import transaction
from daemon.sources.model import SourceType
from tests.board import Board
from tests.engines import rows, today, write

TWO_DAYS = timedelta(hours=48)
MICROSECOND = timedelta(microseconds=1)


async def given_seen(engine: Engine, status: CycleStatus, count: int, age: timedelta) -> int:
    """A cycle in this status with left-over seen rows of this age; its id."""
    source = len(await rows(engine.db, cycles)) + 1
    kinds = {source: SourceType.COMPANY_BOUND}
    day = await today(engine.db)
    await transaction(engine.db, cycle_store.add_not_started, day, kinds, engine.clock.now())
    cycle_id = int((await rows(engine.db, cycles))[-1]["id"])
    await write(engine.db, cycles.update().where(cycles.c.id == cycle_id).values(cycle_status=status))
    await write(
        engine.db,
        seen.insert().values(
            [
                {
                    "job_posting_collection_cycle_id": cycle_id,
                    "source_job_id": f"{cycle_id}-{number}",
                    "created_at": engine.clock.now() - age,
                }
                for number in range(count)
            ]
        ),
    )
    return cycle_id


@pytest.mark.parametrize("status", list(CycleStatus))
async def test_only_rows_of_terminal_cycles_are_deleted(collector: Engine, board: Board, status: CycleStatus) -> None:
    """Seed 000, Testing Plan: terminal seen만 지우며 RUNNING/PENDING/NOT_STARTED cycle seen을 보존함을 검증."""
    await given_seen(collector, status, 3, TWO_DAYS + MICROSECOND)
    assert await delete_orphaned_seen(collector) == (3 if status.terminal else 0)
    assert len(await rows(collector.db, seen)) == (0 if status.terminal else 3)
    assert board.requests == 0, "DB DELETE만 수행"


async def test_only_rows_older_than_48_hours_are_deleted(collector: Engine, clock: ManualClock) -> None:
    await given_seen(collector, CycleStatus.FAILED, 1, TWO_DAYS)
    assert await delete_orphaned_seen(collector) == 0
    clock.advance(MICROSECOND)
    assert await delete_orphaned_seen(collector) == 1


async def test_at_most_a_thousand_rows_go_at_once_the_oldest_first(collector: Engine) -> None:
    """Seed 000, Testing Plan: 10:15 KST maintenance가 terminal+48시간 초과 seen만 최대 1,000행 지움."""
    younger = await given_seen(collector, CycleStatus.SUCCESS, 600, TWO_DAYS + timedelta(hours=1))
    await given_seen(collector, CycleStatus.FAILED, 600, TWO_DAYS + timedelta(hours=2))
    await given_seen(collector, CycleStatus.RUNNING, 5, TWO_DAYS + timedelta(hours=3))
    assert await delete_orphaned_seen(collector) == 1000
    left = [each["job_posting_collection_cycle_id"] for each in await rows(collector.db, seen)]
    assert left.count(younger) == 200
    assert len(left) == 205
    assert await delete_orphaned_seen(collector) == 200
    assert await delete_orphaned_seen(collector) == 0
