"""A claim that finds the ready cycle locked by another instance for a moment."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

from sqlalchemy import select

from daemon.clock import ManualClock
from daemon.collection.actions.claim import claim_ready_cycles, look
from daemon.collection.actions.prepare import enqueue_day, prepare_day
from daemon.collection.loop import IDLE_POLL, run_slices
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Database, Tx, transaction
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.databases import open_second
from tests.engines import add_source, engine_on, row, switch_on, today

_NOBODY = {Platform.GREENHOUSE: "http://127.0.0.1:1"}


async def test_a_cycle_that_was_locked_for_a_moment_is_claimed_soon_and_not_at_the_next_idle_poll(
    db: Database, server_only: None, clock: ManualClock
) -> None:
    await switch_on(db, FlagKey.COLLECTION_DISPATCH_V2)
    await add_source(db, Platform.GREENHOUSE, "daangn")
    day = await today(db)
    locked, free = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        await tx.execute(select(cycles).with_for_update())
        locked.set()
        await free.wait()

    async with engine_on(db, _NOBODY) as engine, open_second(db) as other:
        await prepare_day(engine, day)
        await enqueue_day(engine, day)
        holding = asyncio.ensure_future(transaction(other, hold))
        await locked.wait()
        assert await claim_ready_cycles(engine, day, 10, {}, lambda: str(uuid4())) == []
        assert (await look(engine, {})).wait == timedelta(0)
        working = asyncio.ensure_future(run_slices(engine))
        while not engine.progress.advanced_at:
            await asyncio.sleep(0.005)
        free.set()
        await holding
        waited = timedelta(0)
        while (await row(db, cycles))["cycle_status"] != "FAILED":  # nobody answers there
            waited += timedelta(seconds=0.1)
            clock.advance(timedelta(seconds=0.1))
            await asyncio.sleep(0.05)
            assert waited < IDLE_POLL
        engine.stopping.set()
        await working


async def test_no_cycle_is_awaited_for_a_host_that_has_its_share(db: Database, clock: ManualClock) -> None:
    """Its slice in hand says when it is over; looking again before that would find nothing."""
    await switch_on(db, FlagKey.COLLECTION_DISPATCH_V2)
    await add_source(db, Platform.GREENHOUSE, "daangn")
    day = await today(db)
    async with engine_on(db, _NOBODY) as engine:
        await prepare_day(engine, day)
        assert (await look(engine, {})).wait == timedelta(0)
        assert (await look(engine, {"127.0.0.1:1": 1})).wait is None
