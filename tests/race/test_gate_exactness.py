"""Writers hammering across the cutoff: every item is the state of 09:00:00.000000, whoever captured it (DESIGN 1.3).

`GONGGO_TEST_GATE_ROUNDS` sets the number of cutoffs, 200 by default.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from daemon.collection.actions.snapshot import gated, settle_snapshot
from daemon.collection.engine import Engine
from daemon.collection.model import CaptureStatus, Claim
from daemon.collection.store import cycles as cycle_store
from daemon.collection.store import seen as seen_store
from daemon.collection.store import snapshots
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import Tx, reading, transaction
from daemon.sources.model import SourceType
from tests.engines import add_source, rows
from tests.race.days import due_header, running_cycles

ROUNDS = int(os.environ.get("GONGGO_TEST_GATE_ROUNDS", "200"))
SOURCES = 4
WRITERS = 2
"""Writers on each cycle, one in each instance."""
BEFORE = timedelta(milliseconds=25)
AFTER = timedelta(milliseconds=5)

Instances = tuple[Engine, Engine]


async def write_once(tx: Tx, claim: Claim) -> datetime:
    """One more posting, as a page commit writes it; its instant is kept beside it, in the seen set."""
    await snapshots.pass_gate(tx, claim.run_date)
    cycle = await cycle_store.lock_held(tx, claim)
    assert cycle is not None
    now = await tx.now()
    number = cycle.counters.fetched + 1
    await seen_store.add_seen(tx, cycle.id, {f"{number:05d}"}, now)
    assert await cycle_store.save_held(tx, claim, now, {"fetched_count": number, "is_complete": number % 2})
    return now


async def hammer(engine: Engine, claim: Claim, cutoff: datetime) -> None:
    """Write without a pause until the cutoff is well past."""
    while await gated(engine, write_once, claim) < cutoff + AFTER:
        pass


async def capture_at(engine: Engine, day: date, cutoff: datetime) -> None:
    """What the 09:00 timer does."""
    while await reading(engine.db, _now) < cutoff:
        await asyncio.sleep(0)
    await settle_snapshot(engine, day)


async def _now(tx: Tx) -> datetime:
    return await tx.now()


async def one_cutoff(instances: Instances, day: date, sources: dict[int, SourceType], *, timer: bool) -> None:
    claims = await transaction(instances[0].db, running_cycles, day, sources, f"token of {day}")
    cutoff = await transaction(instances[0].db, due_header, day, BEFORE)
    async with asyncio.TaskGroup() as group:
        for claim in claims:
            for number in range(WRITERS):
                group.create_task(hammer(instances[number % 2], claim, cutoff))
        if timer:
            group.create_task(capture_at(instances[1], day, cutoff))


@pytest.mark.timeout(600)
async def test_every_item_is_the_last_state_committed_before_the_cutoff(instances: Instances) -> None:
    """Issue 2: in 200 rounds every captured item equals the last state committed before 09:00.

    BE-43: cycle 상태 변경은 daily SLA gate와 직렬화되어 09:00 capture의 전/후 어느 한쪽으로만 관측된다.
    Seed 000, Testing Plan: … cycle state write가 gate lock 전/후 하나로만 직렬화됨을 검증.
    """
    sources = {
        await add_source(instances[0].db, slug=f"board-{number}"): SourceType.COMPANY_BOUND for number in range(SOURCES)
    }
    with capture_logs() as logs:
        for number in range(ROUNDS):
            day = date(2020, 1, 1) + timedelta(days=number)
            await one_cutoff(instances, day, sources, timer=number % 2 == 1)
    settled = [each for each in logs if each["event"] == "snapshot.settled"]
    assert [each["capture_status"] for each in settled] == [CaptureStatus.CAPTURED] * ROUNDS
    assert [each for each in logs if each["event"] == "transaction.retried"] == [], "no deadlock"
    rounds = [each async for each in outcomes(instances[0])]
    assert len(rounds) == ROUNDS * SOURCES
    inexact = [each for each in rounds if each["captured"] != each["expected"]]
    assert inexact == []
    assert sum(each["before"] for each in rounds) > ROUNDS * SOURCES, "the writers were at it before the cutoff"
    assert all(each["after"] for each in rounds), "and after it"


async def outcomes(engine: Engine) -> Any:
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
