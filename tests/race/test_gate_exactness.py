"""Writers hammering across the cutoff: every item is the state of 09:00:00.000000, whoever captured it (DESIGN 1.3).

`GONGGO_TEST_GATE_ROUNDS` sets the number of cutoffs, 200 by default.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.util import await_only
from structlog.testing import capture_logs

from daemon.collection.actions.snapshot import gated, settle_snapshot
from daemon.collection.engine import Engine
from daemon.collection.model import CaptureStatus, Claim
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import Tx, reading, transaction
from daemon.sources.model import SourceType
from tests.databases import open_second
from tests.engines import add_source, rows
from tests.race.days import due_header, running_cycles, write_once

ROUNDS = int(os.environ.get("GONGGO_TEST_GATE_ROUNDS", "200"))
SOURCES = 4
WRITERS = 2
"""Writers on each cycle, one in each instance."""
BEFORE = timedelta(milliseconds=80)
AFTER = timedelta(milliseconds=5)
HELD_UP = 0.05
"""How many of the writers' statements are held up on their way, and by how many seconds.

Between any two statements of a writer the cutoff may come and go; without this it seldom would.
"""
DELAY = 0.04

Instances = tuple[Engine, Engine]


async def hammer(engine: Engine, claim: Claim, cutoff: datetime) -> None:
    """Write without a pause until the cutoff is well past."""
    while await gated(engine, write_once, claim) < cutoff + AFTER:
        pass


@contextmanager
def slow_network(*engines: Engine) -> Iterator[None]:
    """Hold up some of the statements that these instances send."""

    def hold_up(*_: object) -> None:
        if random.random() < HELD_UP:
            await_only(asyncio.sleep(DELAY))

    for engine in engines:
        event.listen(engine.db.engine.sync_engine, "before_cursor_execute", hold_up)
    try:
        yield
    finally:
        for engine in engines:
            event.remove(engine.db.engine.sync_engine, "before_cursor_execute", hold_up)


async def capture_at(engine: Engine, day: date, cutoff: datetime) -> None:
    """What the 09:00 timer does."""
    while await reading(engine.db, _now) < cutoff:
        await asyncio.sleep(0)
    await settle_snapshot(engine, day)


async def _now(tx: Tx) -> datetime:
    return await tx.now()


async def one_cutoff(instances: Instances, timer: Engine | None, day: date, sources: dict[int, SourceType]) -> None:
    """A day whose cutoff comes while all write; captured by the timer, or without one by the first writer after it."""
    claims = await transaction(instances[0].db, running_cycles, day, sources, f"token of {day}")
    cutoff = await transaction(instances[0].db, due_header, day, BEFORE)
    async with asyncio.TaskGroup() as group:
        for claim in claims:
            for number in range(WRITERS):
                group.create_task(hammer(instances[number % 2], claim, cutoff))
        if timer is not None:
            group.create_task(capture_at(timer, day, cutoff))


@pytest.mark.timeout(600)
async def test_every_item_is_the_last_state_committed_before_the_cutoff(instances: Instances) -> None:
    """Issue 2: in 200 rounds every captured item equals the last state committed before 09:00.

    BE-43: cycle 상태 변경은 daily SLA gate와 직렬화되어 09:00 capture의 전/후 어느 한쪽으로만 관측된다.
    Seed 000, Testing Plan: … cycle state write가 gate lock 전/후 하나로만 직렬화됨을 검증.
    """
    sources = {
        await add_source(instances[0].db, slug=f"board-{number}"): SourceType.COMPANY_BOUND for number in range(SOURCES)
    }
    async with open_second(instances[0].db) as db:
        timer = replace(instances[0], db=db)
        with slow_network(*instances), capture_logs() as logs:
            for number in range(ROUNDS):
                day = date(2020, 1, 1) + timedelta(days=number)
                await one_cutoff(instances, timer if number % 2 else None, day, sources)
    settled = [each for each in logs if each["event"] == "snapshot.settled"]
    assert [each["capture_status"] for each in settled] == [CaptureStatus.CAPTURED] * ROUNDS
    assert [each for each in logs if each["event"] == "transaction.retried"] == [], "no deadlock"
    rounds = [each async for each in outcomes(instances[0])]
    assert len(rounds) == ROUNDS * SOURCES
    inexact = [each for each in rounds if each["captured"] != each["expected"]]
    assert inexact == []
    assert sum(each["before"] for each in rounds) > ROUNDS, "the writers were at it before the cutoff"
    assert all(each["after"] for each in rounds), "and after it"


async def outcomes(engine: Engine) -> AsyncIterator[dict[str, Any]]:
    """Per item: what it says, what it should say by the writers' own instants, and the writes on either side."""
    cutoffs = {each["id"]: each["scheduled_at"] for each in await rows(engine.db, headers)}
    days = {each["id"]: each["snapshot_date"] for each in await rows(engine.db, headers)}
    by_key = {(each["run_date"], each["job_source_id"]): each["id"] for each in await rows(engine.db, cycles)}
    written: dict[int, list[tuple[datetime, int]]] = defaultdict(list)
    for each in await rows(engine.db, seen):
        written[each["job_posting_collection_cycle_id"]].append((each["created_at"], int(each["source_job_id"])))
    for item in await rows(engine.db, items):
        header = item["job_posting_collection_sla_snapshot_id"]
        writes = written[by_key[days[header], item["job_source_id"]]]
        before = [number for instant, number in writes if instant < cutoffs[header]]
        last = max(before, default=0)
        yield {
            "captured": (item["captured_cycle_status"], item["captured_fetched_count"], item["captured_is_complete"]),
            "expected": ("RUNNING", last, last % 2),
            "before": len(before),
            "after": len(writes) - len(before),
        }
