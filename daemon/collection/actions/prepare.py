"""Preparing a business day: the gate, a cycle per eligible source, the end of what earlier days left."""

from __future__ import annotations

from datetime import date
from typing import Any

import structlog

from daemon.collection.actions.eligible import eligible_sources
from daemon.collection.actions.finish import Ended, finish_cycle, has_ended, log_ended
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import CaptureStatus, Fail, FailureReason
from daemon.collection.rules import snapshot as rules
from daemon.collection.store import cycles, snapshots
from daemon.db import Tx, proven_by, reading, repeatable, transaction
from daemon.flags import store as flags
from daemon.flags.model import FlagKey

log = structlog.get_logger(__name__)

_BATCH = 200


async def prepare_day(engine: Engine, run_date: date) -> int | None:
    """Make the day's gate and a `NOT_STARTED` cycle for each eligible source that has none; returns how many were made.

    None when `posting.collection-dispatch-v2` is off. Also ends, as `FAILED` (`DAY_ENDED`), what earlier days left
    unfinished. Safe to repeat: it is how a source registered during the day, or a flag switched on, takes effect.
    """
    async with engine.preparing:
        return await _prepare(engine, run_date)


async def _prepare(engine: Engine, run_date: date) -> int | None:
    await end_earlier_days(engine, run_date)
    if not await reading(engine.db, flags.is_enabled, FlagKey.COLLECTION_DISPATCH_V2):
        return None
    if await reading(engine.db, snapshots.load_header, run_date) is None:
        await transaction(engine.db, _add_header, run_date)
    if not await reading(engine.db, _unprepared, run_date):
        return 0
    made = await gated(engine, _add_cycles, run_date)
    if made:  # else another instance came first
        log.info("day.prepared", run_date=str(run_date), cycles=made)
        engine.wake.set()
    return made


async def enqueue_day(engine: Engine, run_date: date) -> int:
    """`NOT_STARTED` → `PENDING` for the sources that are still eligible; returns how many (seed 000, dispatcher)."""
    return await gated(engine, _enqueue, run_date)


async def end_earlier_days(engine: Engine, run_date: date) -> int:
    """End every cycle of a day before `run_date` that no slice will take up; returns how many."""
    ended = 0
    while left := await reading(engine.db, cycles.left_over, run_date, _BATCH):
        for cycle_id, earlier in left:
            done = await gated(engine, _end_left_over, cycle_id, earlier)
            if done is not None:
                log_ended(done)
                ended += 1
    return ended


@repeatable
async def _add_header(tx: Tx, run_date: date) -> None:
    now = await tx.now()
    if now < rules.scheduled_at(run_date):
        await snapshots.add_header(tx, run_date, CaptureStatus.PENDING, now)
        return
    v2 = (await flags.load_states(tx))[FlagKey.COLLECTION_DISPATCH_V2]
    was_on = rules.was_on(v2.enabled, v2.switched_at, rules.scheduled_at(run_date))
    reason = "the day was not prepared before the cutoff" if was_on else None
    await snapshots.add_header(tx, run_date, rules.status_without_preparation(was_on), now, reason)


async def _unprepared(tx: Tx, run_date: date) -> dict[int, Any]:
    eligible = {source.id: source.source_type for source in await eligible_sources(tx, run_date)}
    have = await cycles.sources_with_cycle(tx, run_date, eligible)
    return {source_id: kind for source_id, kind in eligible.items() if source_id not in have}


@repeatable
async def _add_cycles(tx: Tx, run_date: date) -> int:
    await snapshots.pass_gate(tx, run_date)
    missing = await _unprepared(tx, run_date)
    await cycles.add_not_started(tx, run_date, missing, await tx.now())
    return len(missing)


@repeatable
async def _enqueue(tx: Tx, run_date: date) -> int:
    await snapshots.pass_gate(tx, run_date)
    sources = [source.id for source in await eligible_sources(tx, run_date)]
    return await cycles.enqueue(tx, run_date, sources, await tx.now())


@proven_by(has_ended)
async def _end_left_over(tx: Tx, cycle_id: int, run_date: date) -> Ended | None:
    await snapshots.pass_gate(tx, run_date)
    cycle = await cycles.lock_open(tx, cycle_id)
    if cycle is None:
        return None
    end = Fail(reason=FailureReason.DAY_ENDED, summary="the next business day began before the list was read")
    return await finish_cycle(tx, cycle, cycle.counters, end)
