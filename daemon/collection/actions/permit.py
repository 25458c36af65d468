"""Host permits: reserved in a short transaction of their own, waited for outside any (seed 000; DESIGN 1.3)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from daemon.clock import wait_for
from daemon.collection.engine import Engine
from daemon.collection.rules.permit import HostBusy, decide_permit
from daemon.collection.store import hosts
from daemon.db import Database, Tx, repeatable, transaction
from daemon.sources.model import Permit, PermitWithdrawn

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

    The database's time is read, with the host's row, between two looks at that scale. The earlier look gives `earliest`
    and the later one `due`, so that neither errs to the unsafe side, however long the answer took to reach us.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asking:
    """Who asks for a host's places, and how long they may be waited for. Waits are outside any transaction."""

    engine: Engine
    host: str
    delay: timedelta
    longest_wait: timedelta
    stopping: asyncio.Event
    """Once it is set nothing is waited for, as if the host were busy."""
    begun: float

    async def reserve(self) -> Place | HostBusy:
        """Wait until the host's next place may be reserved, and reserve it."""
        clock = self.engine.clock
        while isinstance(place := await _ask(self.engine, self.host, self.delay), Taken):
            if timedelta(seconds=place.free_at - self.begun) > self.longest_wait:
                return HostBusy(until=place.until)
            self.engine.progress.counts["permit_waited"] += 1
            wait = timedelta(seconds=place.free_at - clock.ticks()) - reserved_ahead(self.delay)
            if await wait_for(clock, self.stopping, wait):
                return HostBusy(until=place.until)
        return place

    async def come_due(self, place: Place) -> Place | HostBusy:
        """Wait for `place`. One that is later than it bears is moved to now, or another one reserved and waited for."""
        clock = self.engine.clock
        while True:
            if await wait_for(clock, self.stopping, timedelta(seconds=place.due - clock.ticks())):
                return HostBusy(until=place.next_allowed_at)
            if self.delay == timedelta(0) or clock.ticks() <= place.earliest + place.slack.total_seconds():
                return place
            self.engine.progress.counts["permit_late"] += 1
            moved = await transaction(self.engine.db, _push_back, self.engine.db, place) or await self.reserve()
            if isinstance(moved, HostBusy):
                return moved
            place = moved


@dataclass(kw_only=True, slots=True)
class HostPermit(Permit):
    """A permit together with the place that it was given for."""

    asking: _Asking
    place: Place
    sent_at: float
    """On the scale of `clock.ticks()`: when its request went out, and until then the earliest that it can."""

    async def confirm(self) -> None:
        """Wait for the place, or for a later one if the connection took too long for it.

        However late the event loop and the connection are, no two requests come closer than the delay.
        """
        place = await self.asking.come_due(self.place)
        if isinstance(place, HostBusy):
            raise PermitWithdrawn(place.until)
        engine = self.asking.engine
        engine.progress.counts["permit_granted"] += 1
        self.place, self.sent_at = place, engine.clock.ticks()


async def obtain_permit(
    engine: Engine, host: str, delay: timedelta, longest_wait: timedelta, *, even_when_stopping: bool = False
) -> HostPermit | HostBusy:
    """Wait for the host and reserve its next place: the right to connect now, and to send once `confirm` returns.

    Once the engine stops nothing is waited for, as if the host were busy, but `even_when_stopping`.
    """
    asking = _Asking(
        engine=engine,
        host=host,
        delay=delay,
        longest_wait=longest_wait,
        stopping=asyncio.Event() if even_when_stopping else engine.stopping,
        begun=engine.clock.ticks(),
    )
    async with engine.host_turns[host]:
        place = await asking.reserve()
    if isinstance(place, HostBusy):
        return place
    return HostPermit(host=host, asking=asking, place=place, sent_at=place.earliest)


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
    before = db.clock.ticks()
    next_allowed_at = await hosts.lock_host(tx, host)
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
    before = db.clock.ticks()
    if await hosts.lock_host(tx, place.host) != place.next_allowed_at:
        return None
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
