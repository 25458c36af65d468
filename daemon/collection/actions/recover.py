"""What needs no one to ask for it: expired leases, due snapshots, late preparations, left-over seen rows."""

from __future__ import annotations

from datetime import date

import structlog

from daemon.collection.actions.finish import Ended, finish_cycle, has_ended, log_ended
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import ORPHAN_AGE, Fail, FailureReason
from daemon.collection.store import cycles, seen, snapshots
from daemon.db import Tx, proven_by, reading, repeatable, transaction

log = structlog.get_logger(__name__)

ORPHAN_LIMIT = 1000
"""Seen rows deleted by one run of the 10:15 cleanup (seed 000)."""

_BATCH = 100


async def recover_expired_leases(engine: Engine) -> int:
    """End, as `FAILED` (`LEASE_EXPIRED`), every running cycle whose lease has expired; returns how many.

    Its holder died or lost touch. The site is not asked again that day; a late write of the old holder changes 0 rows.
    """
    ended = 0
    for cycle_id, run_date in await reading(engine.db, _expired):
        done = await gated(engine, _end_expired, cycle_id, run_date)
        if done is not None:
            engine.progress.counts["lease_expired"] += 1
            log_ended(done)
            ended += 1
    if ended:
        engine.wake.set()
    return ended


async def delete_orphaned_seen(engine: Engine) -> int:
    """The 10:15 cleanup: delete up to 1,000 seen rows older than 48 hours whose cycle is terminal (Q8)."""
    return await transaction(engine.db, _delete_orphans)


async def _expired(tx: Tx) -> list[tuple[int, date]]:
    return await cycles.expired_ids(tx, await tx.now(), _BATCH)


@proven_by(has_ended)
async def _end_expired(tx: Tx, cycle_id: int, run_date: date) -> Ended | None:
    await snapshots.pass_gate(tx, run_date)
    cycle = await cycles.lock_expired(tx, cycle_id)
    if cycle is None:
        return None
    end = Fail(reason=FailureReason.LEASE_EXPIRED, summary="the worker died or lost the database before its next write")
    return await finish_cycle(tx, cycle, cycle.counters, end)


@repeatable
async def _delete_orphans(tx: Tx) -> int:
    return await seen.delete_orphans(tx, await tx.now() - ORPHAN_AGE, ORPHAN_LIMIT)
