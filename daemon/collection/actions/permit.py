"""Host permits: reserved in a short transaction of their own, waited for outside any (seed 000; DESIGN 1.3)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from daemon.clock import Clock, wait_for
from daemon.collection.engine import Engine
from daemon.collection.rules.permit import HostBusy, decide_permit
from daemon.collection.store import hosts
from daemon.db import Database, Tx, repeatable, transaction
from daemon.sources.model import Permit

_LEAST = timedelta(seconds=0.1)
"""A busy machine's worst moments, which no delay however short makes any shorter."""


def reserved_ahead(delay: timedelta) -> timedelta:
    """How long before its time a place is reserved: half a delay, far longer than the transaction that does it.

    Reserved earlier, the places of several instances would queue up behind one another, and one that comes too late
    could not be moved any more: it would be lost, and with it a whole delay of the host.
    """
    return max(_LEAST, delay / 2)


def first_slack(delay: timedelta) -> timedelta:
    """How late a request may be for its place: what a busy event loop and a slow commit take, and more.

    The host is reserved for as much longer, until the request was sent and `close_up` gives back what it did not use.
    """
    return max(_LEAST, delay / 4) if delay > timedelta(0) else timedelta(0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A place in a host's queue, usable from `due` until `slack` after `earliest`, on the scale of `clock.ticks()`.

    The database's time is read between two looks at that scale. The earlier look gives `earliest` and the later one
    `due`, so that neither errs to the unsafe side, however long the answer took to reach us.
    """

    host: str
    not_before: datetime
    next_allowed_at: datetime
    """What the host's row says as long as no one stands behind."""
    earliest: float
    due: float
    slack: timedelta
    spacing: timedelta
    """Delay and margin: how long after this request the next one may follow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """The host is not free soon enough for its next place to be reserved already."""

    until: datetime
    free_at: float
    """When it is free, on the scale of `clock.ticks()`."""


@dataclass(kw_only=True, slots=True)
class HostPermit(Permit):
    """A permit together with the place that it was given for."""

    place: Place
    clock: Clock
    sent_at: float
    """`clock.ticks()` when it was given; once the request has gone out, when that was."""

    def sent(self) -> None:
        self.sent_at = self.clock.ticks()


async def obtain_permit(
    engine: Engine, host: str, delay: timedelta, longest_wait: timedelta, *, even_when_stopping: bool = False
) -> HostPermit | HostBusy:
    """Wait for the host outside any transaction, reserve its next place, and return the right to send one request.

    However late the event loop is, no two requests come closer than `delay`: one that is later than its place bears
    is moved to now. Once the engine stops nothing is waited for, as if the host were busy, but `even_when_stopping`.
    """
    stopping = asyncio.Event() if even_when_stopping else engine.stopping
    begun = engine.clock.ticks()
    async with engine.host_turns[host]:
        return await _obtain(engine, host, delay, longest_wait, stopping, begun)


async def _obtain(
    engine: Engine,
    host: str,
    delay: timedelta,
    longest_wait: timedelta,
    stopping: asyncio.Event,
    begun: float,
) -> HostPermit | HostBusy:
    place = await _ask(engine, host, delay)
    while True:
        if isinstance(place, Taken):
            if timedelta(seconds=place.free_at - begun) > longest_wait:
                return HostBusy(until=place.until)
            engine.progress.counts["permit_waited"] += 1
            wait = timedelta(seconds=place.free_at - engine.clock.ticks()) - reserved_ahead(delay)
            if await wait_for(engine.clock, stopping, wait):
                return HostBusy(until=place.until)
            place = await _ask(engine, host, delay)
            continue
        if await wait_for(engine.clock, stopping, timedelta(seconds=place.due - engine.clock.ticks())):
            return HostBusy(until=place.next_allowed_at)
        now = engine.clock.ticks()
        if delay == timedelta(0) or now <= place.earliest + place.slack.total_seconds():
            engine.progress.counts["permit_granted"] += 1
            return HostPermit(host=host, place=place, clock=engine.clock, sent_at=now)
        engine.progress.counts["permit_late"] += 1
        pushed = await transaction(engine.db, _push_back, engine.db, place)
        place = pushed or await _ask(engine, host, delay)


async def close_up(engine: Engine, permit: HostPermit) -> None:
    """The request was sent: the host's next place moves up to one spacing after it, unless someone has it already."""
    if permit.place.slack > timedelta(0):
        await transaction(engine.db, _close_up, permit)


async def delay_host(db: Database, host: str, wait: timedelta) -> None:
    """The site asked to be left alone: nobody, on any instance, asks the host before `wait` has passed."""
    await transaction(db, _delay, host, wait)


async def _ask(engine: Engine, host: str, delay: timedelta) -> Place | Taken:
    margin = engine.permit_margin if delay > timedelta(0) else timedelta(0)
    return await transaction(engine.db, _reserve, engine.db, host, delay, delay + margin)


# Whatever of these is done twice keeps the host free for longer than need be, never for less.


@repeatable
async def _reserve(tx: Tx, db: Database, host: str, delay: timedelta, spacing: timedelta) -> Place | Taken:
    next_allowed_at = await hosts.lock_host(tx, host)
    before = db.clock.ticks()
    now = await tx.now()
    after = db.clock.ticks()
    slack = first_slack(delay)
    decision = decide_permit(next_allowed_at, now, spacing + slack, reserved_ahead(delay))
    if isinstance(decision, HostBusy):
        return Taken(until=decision.until, free_at=after + (decision.until - now).total_seconds())
    await hosts.save_next_allowed(tx, host, decision.next_allowed_at, now)
    wait = (decision.not_before - now).total_seconds()
    return Place(
        host=host,
        not_before=decision.not_before,
        next_allowed_at=decision.next_allowed_at,
        earliest=before + wait,
        due=after + wait,
        slack=slack,
        spacing=spacing,
    )


@repeatable
async def _push_back(tx: Tx, db: Database, place: Place) -> Place | None:
    """Move the place to now if no one stands behind it; its slack doubles, so that this ends."""
    if await hosts.lock_host(tx, place.host) != place.next_allowed_at:
        return None
    before = db.clock.ticks()
    now = await tx.now()
    slack = place.slack * 2
    next_allowed_at = now + slack + place.spacing
    await hosts.save_next_allowed(tx, place.host, next_allowed_at, now)
    return Place(
        host=place.host,
        not_before=now,
        next_allowed_at=next_allowed_at,
        earliest=before,
        due=before,
        slack=slack,
        spacing=place.spacing,
    )


@repeatable
async def _close_up(tx: Tx, permit: HostPermit) -> None:
    place = permit.place
    if await hosts.lock_host(tx, place.host) != place.next_allowed_at:
        return
    sent_at = place.not_before + timedelta(seconds=permit.sent_at - place.earliest)
    await hosts.save_next_allowed(tx, place.host, sent_at + place.spacing, await tx.now())


@repeatable
async def _delay(tx: Tx, host: str, wait: timedelta) -> None:
    next_allowed_at = await hosts.lock_host(tx, host)
    now = await tx.now()
    await hosts.save_next_allowed(tx, host, max(next_allowed_at, now + wait), now)
