"""A writer and the capture at one gate, in every order, at a time of the test's choosing (DESIGN 1.2, 1.3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from sqlalchemy import event

from daemon.clock import ManualClock
from daemon.collection.actions.snapshot import gated, settle_snapshot
from daemon.collection.engine import Engine
from daemon.collection.model import CaptureStatus, Claim
from daemon.collection.store import cycles as cycle_store
from daemon.collection.store import snapshots
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.db import Database, Tx, transaction
from daemon.flags.model import FlagKey
from daemon.sources.model import SourceType
from tests.databases import open_second
from tests.engines import add_source, engine_on, row, switch_on
from tests.race.days import due_header, running_cycles, write_once

DAY = date(2020, 1, 1)
MINUTE = timedelta(minutes=1)

Instances = tuple[Engine, Engine]


@pytest.fixture
async def instances(db: Database, server_only: None) -> AsyncIterator[Instances]:
    """Two engines on one server, on the test's clock."""
    await switch_on(db, FlagKey.COLLECTION_DISPATCH_V2)
    async with engine_on(db, {}) as first, open_second(db) as other:
        yield first, replace(first, db=other)


@pytest.fixture
async def held(instances: Instances) -> Claim:
    """A running cycle of a day whose cutoff comes in a minute."""
    first, _ = instances
    source = await add_source(first.db)
    (claim,) = await transaction(first.db, running_cycles, DAY, {source: SourceType.COMPANY_BOUND}, "token")
    await transaction(first.db, due_header, DAY, MINUTE)
    return claim


async def test_a_writer_that_waited_at_the_gate_writes_after_the_cutoff_and_says_so(
    instances: Instances, held: Claim, clock: ManualClock
) -> None:
    """DESIGN 1.2: time taken before the lock could lie on the wrong side of 09:00."""
    first, second = instances
    cutoff = clock.now() + MINUTE
    locked, asked, captured = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def capture_slowly(tx: Tx) -> None:
        header = await snapshots.lock_header(tx, DAY)
        assert header is not None
        locked.set()
        await captured.wait()
        await snapshots.add_items(tx, header.id, await cycle_store.lock_of_day(tx, DAY, [held.job_source_id]), cutoff)
        await snapshots.save_header(tx, header.id, CaptureStatus.CAPTURED, cutoff, captured_at=cutoff)

    event.listen(second.db.engine.sync_engine, "before_cursor_execute", lambda *_: asked.set())
    async with asyncio.TaskGroup() as group:
        group.create_task(transaction(first.db, capture_slowly))
        await locked.wait()
        writing = group.create_task(gated(second, write_once, held))
        await asked.wait()
        clock.advance(MINUTE)
        captured.set()
    assert writing.result() == cutoff
    assert (await row(first.db, items))["captured_fetched_count"] == 0


async def test_a_capture_waits_for_the_writers_that_came_before_it(
    instances: Instances, held: Claim, clock: ManualClock
) -> None:
    """DESIGN 1.3: each write is before or after the capture, never both."""
    first, second = instances
    begun = clock.now()
    passed, may_write = asyncio.Event(), asyncio.Event()

    async def write_slowly(tx: Tx) -> datetime:
        await snapshots.pass_gate(tx, DAY)
        passed.set()
        await may_write.wait()
        return await write_once(tx, held)

    async with asyncio.TaskGroup() as group:
        writing = group.create_task(transaction(second.db, write_slowly))
        await passed.wait()
        clock.advance(MINUTE)
        capturing = group.create_task(settle_snapshot(first, DAY))
        await asyncio.wait({capturing}, timeout=0.05)
        assert not capturing.done()
        may_write.set()
    assert writing.result() == begun
    assert capturing.result() is CaptureStatus.CAPTURED
    assert (await row(first.db, items))["captured_fetched_count"] == 1


async def test_writers_do_not_queue_behind_one_another(instances: Instances, held: Claim) -> None:
    """DESIGN 1.3: they lock the header in share mode."""
    first, second = instances
    passed, done = asyncio.Event(), asyncio.Event()

    async def pass_and_stay(tx: Tx) -> None:
        await snapshots.pass_gate(tx, DAY)
        passed.set()
        await done.wait()

    async with asyncio.TaskGroup() as group:
        staying = group.create_task(transaction(first.db, pass_and_stay))
        await passed.wait()
        async with asyncio.timeout(5):
            await gated(second, write_once, held)
        assert not staying.done()
        done.set()
