"""A box that is suspended in the middle of a transaction: what it has locked must not stop the others."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from sqlalchemy import select, text

from daemon.clock import ManualClock
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Database, Tx, transaction
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.databases import execute, open_second
from tests.engines import add_source, claim, engine_on, rows, switch_on


async def test_a_cycle_that_its_dead_holder_has_locked_does_not_keep_others_from_being_recovered(
    db: Database, server_only: None, clock: ManualClock
) -> None:
    await switch_on(db, FlagKey.COLLECTION_DISPATCH_V2)
    for platform, slug in ((Platform.WOOWAHAN, "woowahan"), (Platform.GREENHOUSE, "daangn")):
        await add_source(db, platform, slug)
    locked, free = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx, cycle_id: int) -> None:
        await tx.execute(select(cycles).where(cycles.c.id == cycle_id).with_for_update())
        locked.set()
        await free.wait()

    async with engine_on(db, {}) as engine, open_second(db) as suspended:
        first, second = await claim(engine)
        clock.advance(engine.settings.lease + timedelta(seconds=1))
        holding = asyncio.ensure_future(transaction(suspended, hold, first.claim.cycle_id))
        await locked.wait()
        assert await recover_expired_leases(engine) == 1
        status = {row["id"]: row["cycle_status"] for row in await rows(db, cycles)}
        assert status == {first.claim.cycle_id: "RUNNING", second.claim.cycle_id: "FAILED"}
        free.set()
        await holding
        assert await recover_expired_leases(engine) == 1


async def test_the_server_ends_a_session_that_falls_silent_before_its_locks_cost_others_their_leases(
    server_db: Database,
) -> None:
    ((seconds,),) = await execute(server_db, text("SELECT @@SESSION.wait_timeout"))
    assert seconds == 30
