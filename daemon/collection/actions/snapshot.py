"""Settling a day's 09:00 snapshot: captured exactly, missed, or not applicable (seed 000; ticket BE-43; DESIGN 1.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from typing import Concatenate, ParamSpec, TypeVar

import structlog

from daemon.clock import business_date
from daemon.collection.actions.eligible import eligible_sources
from daemon.collection.engine import Engine
from daemon.collection.model import CaptureStatus, GateDue
from daemon.collection.rules import snapshot as rules
from daemon.collection.store import cycles, snapshots
from daemon.db import Tx, proven_by, reading, transaction
from daemon.flags import store as flags
from daemon.flags.model import FlagKey

log = structlog.get_logger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


async def gated(
    engine: Engine, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run a transaction that passes the gate. One that comes upon a due cutoff settles it and starts again."""
    while True:
        try:
            return await transaction(engine.db, unit, *args, **kwargs)
        except GateDue as due:
            await settle_snapshot(engine, due.run_date)


async def settle_snapshot(engine: Engine, run_date: date) -> CaptureStatus | None:
    """Settle the day's snapshot if its cutoff has come; returns how it stands, None while it is not due.

    An attempt that began within the grace after 09:00 captures; a later one records `MISSED` and reconstructs nothing.
    Any number of instances and writers may call it at once: the header's lock lets one of them settle.
    """
    began_at = await reading(engine.db, _now)
    if began_at < rules.scheduled_at(run_date):
        return None
    status, settled = await transaction(engine.db, _settle, run_date, began_at, engine.grace)
    if settled:
        level = log.warning if status is CaptureStatus.MISSED else log.info
        level("snapshot.settled", run_date=str(run_date), capture_status=status)
    return status


async def settle_due_snapshots(engine: Engine) -> None:
    """Settle today's snapshot and any earlier one that was left pending."""
    now = await reading(engine.db, _now)
    for run_date in {*await reading(engine.db, snapshots.due_dates, now), business_date(now)}:
        await settle_snapshot(engine, run_date)


async def _now(tx: Tx) -> datetime:
    return await tx.now()


async def _has_settled(
    tx: Tx, settled: tuple[CaptureStatus, bool], run_date: date, _began_at: datetime, _grace: timedelta
) -> bool:
    header = await snapshots.lock_header(tx, run_date)
    return header is not None and header.status is settled[0]


@proven_by(_has_settled)
async def _settle(tx: Tx, run_date: date, began_at: datetime, grace: timedelta) -> tuple[CaptureStatus, bool]:
    header = await snapshots.lock_header(tx, run_date)
    if header is None:
        return await _settle_unprepared(tx, run_date), True
    if header.status is not CaptureStatus.PENDING:
        return header.status, False
    now = await tx.now()
    if not rules.is_on_time(began_at, header.scheduled_at, grace):
        if not await _was_promised(tx, header.scheduled_at):
            await snapshots.save_header(tx, header.id, CaptureStatus.NOT_APPLICABLE, now)
            return CaptureStatus.NOT_APPLICABLE, True
        late = (began_at - header.scheduled_at).total_seconds()
        reason = f"no capture began within {grace.total_seconds():g} s of the cutoff; noticed {late:.0f} s after it"
        await snapshots.save_header(tx, header.id, CaptureStatus.MISSED, now, miss_reason=reason)
        return CaptureStatus.MISSED, True
    if not await flags.is_enabled(tx, FlagKey.COLLECTION_DISPATCH_V2):
        await snapshots.save_header(tx, header.id, CaptureStatus.NOT_APPLICABLE, now)
        return CaptureStatus.NOT_APPLICABLE, True
    await snapshots.save_header(tx, header.id, CaptureStatus.CAPTURING, now)
    eligible = await eligible_sources(tx, run_date)
    types = {source.id: source.source_type for source in eligible}
    await cycles.add_not_started(tx, run_date, types, now)
    await snapshots.add_items(tx, header.id, await cycles.lock_of_day(tx, run_date, types), now)
    await snapshots.save_header(tx, header.id, CaptureStatus.CAPTURED, now, captured_at=now)
    return CaptureStatus.CAPTURED, True


async def _settle_unprepared(tx: Tx, run_date: date) -> CaptureStatus:
    """After 09:00 without a header: nothing of the day's sources or cycles is read (seed 000)."""
    status = rules.status_without_preparation(await _was_promised(tx, rules.scheduled_at(run_date)))
    reason = "the day was not prepared before the cutoff" if status is CaptureStatus.MISSED else None
    await snapshots.add_header(tx, run_date, status, await tx.now(), reason)
    # A locking read finds it whoever made it, however old this transaction's view is.
    header = await snapshots.lock_header(tx, run_date)
    assert header is not None
    return header.status


async def _was_promised(tx: Tx, deadline: datetime) -> bool:
    """Whether v2 was on at the cutoff: without it there was nothing to miss (DESIGN 1.3)."""
    v2 = (await flags.load_states(tx))[FlagKey.COLLECTION_DISPATCH_V2]
    return rules.was_on(v2.enabled, v2.switched_at, deadline)
