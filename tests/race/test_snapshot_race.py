"""Captures of two instances at once (seed 000, Testing Plan; ticket BE-43)."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

from structlog.testing import capture_logs

from daemon.collection.actions.snapshot import settle_snapshot
from daemon.collection.engine import Engine
from daemon.collection.model import CaptureStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import transaction
from tests.engines import add_source, rows
from tests.race.days import due_header

DAY = date(2020, 1, 1)
ROUNDS = 30
SOURCES = 5

Instances = tuple[Engine, Engine]


async def test_captures_at_once_make_one_header_and_one_item_per_source(instances: Instances) -> None:
    """BE-43: 두 인스턴스가 동시에 09:00 capture해도 snapshot header와 source item은 하나씩만 생긴다.

    Seed 000, Testing Plan: 두 instance가 같은 09:00 capture를 시작해도 snapshot_date header 1행·source item당 1행만
    commit됨.
    """
    sources = {await add_source(instances[0].db, slug=f"board-{number}") for number in range(SOURCES)}
    for number in range(ROUNDS):
        day = DAY + timedelta(days=number)
        await transaction(instances[0].db, due_header, day)
        with capture_logs() as logs:
            async with asyncio.TaskGroup() as group:
                captures = [group.create_task(settle_snapshot(instances[each % 2], day)) for each in range(4)]
        assert {each.result() for each in captures} == {CaptureStatus.CAPTURED}
        assert [each["event"] for each in logs] == ["snapshot.settled"], "exactly one of them captured"
        found = await rows(instances[0].db, items)
        assert len(found) == SOURCES * (number + 1)
        assert {each["job_source_id"] for each in found[-SOURCES:]} == sources
    assert len(await rows(instances[0].db, headers)) == ROUNDS
    assert len(await rows(instances[0].db, cycles)) == ROUNDS * SOURCES


async def test_recoveries_at_once_miss_an_unprepared_day_once(instances: Instances) -> None:
    """Seed 000: header가 없으면 MISSED header를 직접 create; concurrent instance는 date unique 때문에 하나만."""
    for number in range(ROUNDS):
        day = DAY + timedelta(days=number)
        async with asyncio.TaskGroup() as group:
            ticks = [group.create_task(settle_snapshot(instances[each % 2], day)) for each in range(4)]
        assert {each.result() for each in ticks} == {CaptureStatus.NOT_APPLICABLE}, "v2 was off in 2020"
    assert len(await rows(instances[0].db, headers)) == ROUNDS
