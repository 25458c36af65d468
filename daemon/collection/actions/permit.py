"""Host permits: reserved in a short transaction of their own, waited for outside any (seed 000; DESIGN 1.3)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from daemon.clock import wait_for
from daemon.collection.engine import Engine
from daemon.collection.rules.permit import HostBusy, decide_permit
from daemon.collection.store import hosts
from daemon.db import Database, Tx, transaction
from daemon.sources.model import Permit

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reservation:
    """A place in a host's queue: usable from `due` until `latest`, on the scale of `clock.ticks()`.

    The database's time is read between two looks at that scale. The earlier look gives `latest` and the later one
    `due`, so that neither errs to the unsafe side, however long the answer took to reach us.
    """

    host: str
    next_allowed_at: datetime
    due: float
    latest: float
    window: timedelta
    """How long after its instant in the database the place may be used."""


async def obtain_permit(
    engine: Engine, host: str, delay: timedelta, longest_wait: timedelta, stopping: asyncio.Event | None = None
) -> Permit | HostBusy:
    """Reserve the host's next place, wait for it outside any transaction, and return the right to send one request.

    Once `stopping` is set nothing is waited for: the place is given up, as if the host were busy until then.

    The place is usable only for a moment, so that a late event loop never brings two requests closer than `delay`;
    one that came too late is pushed back if nobody stands behind it, else given up for a new one.
    """
    margin = engine.permit_margin if delay > timedelta(0) else timedelta(0)
    reserved = await transaction(engine.db, _reserve, engine.db, host, delay, margin, longest_wait)
    while not isinstance(reserved, HostBusy):
        wait = timedelta(seconds=reserved.due - engine.clock.ticks())
        if stopping is None:
            await engine.clock.sleep(wait)
        elif await wait_for(engine.clock, stopping, wait):
            return HostBusy(until=reserved.next_allowed_at)
        if margin == timedelta(0) or engine.clock.ticks() <= reserved.latest:
            engine.progress.counts["permit_granted"] += 1
            return Permit(host=host)
        engine.progress.counts["permit_late"] += 1
        pushed = await transaction(engine.db, _push_back, engine.db, reserved, delay, margin)
        if pushed is None:
            reserved = await transaction(engine.db, _reserve, engine.db, host, delay, margin, longest_wait)
        else:
            reserved = pushed
    return reserved


async def delay_host(db: Database, host: str, wait: timedelta) -> None:
    """The site asked to be left alone: nobody, on any instance, asks the host before `wait` has passed."""
    await transaction(db, _delay, host, wait)


async def _reserve(
    tx: Tx, db: Database, host: str, delay: timedelta, margin: timedelta, longest_wait: timedelta
) -> Reservation | HostBusy:
    next_allowed_at = await hosts.lock_host(tx, host)
    before = db.clock.ticks()
    now = await tx.now()
    after = db.clock.ticks()
    decision = decide_permit(next_allowed_at, now, delay + margin, longest_wait)
    if isinstance(decision, HostBusy):
        return decision
    await hosts.save_next_allowed(tx, host, decision.next_allowed_at, now)
    wait, window = decision.not_before - now, margin / 2
    return Reservation(
        host=host,
        next_allowed_at=decision.next_allowed_at,
        due=after + wait.total_seconds(),
        latest=before + (wait + window).total_seconds(),
        window=window,
    )


async def _push_back(
    tx: Tx, db: Database, reserved: Reservation, delay: timedelta, margin: timedelta
) -> Reservation | None:
    """Move the place to now if it is still the host's last; its window doubles, so that this ends."""
    if await hosts.lock_host(tx, reserved.host) != reserved.next_allowed_at:
        return None
    before = db.clock.ticks()
    now = await tx.now()
    window = reserved.window * 2
    next_allowed_at = now + window + delay + margin / 2
    await hosts.save_next_allowed(tx, reserved.host, next_allowed_at, now)
    return Reservation(
        host=reserved.host,
        next_allowed_at=next_allowed_at,
        due=before,
        latest=before + window.total_seconds(),
        window=window,
    )


async def _delay(tx: Tx, host: str, wait: timedelta) -> None:
    next_allowed_at = await hosts.lock_host(tx, host)
    now = await tx.now()
    await hosts.save_next_allowed(tx, host, max(next_allowed_at, now + wait), now)
