"""Claiming ready cycles (Q1): gate, `SKIP LOCKED`, a fresh fencing token, a lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from daemon.clock import business_date
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import Claim, Cycle, CycleStatus
from daemon.collection.store import cycles, ready, snapshots
from daemon.collection.store.ready import Ready
from daemon.company.model import JobSource
from daemon.db import Tx, proven_by, reading
from daemon.sources.model import Platform
from daemon.sources.registry import ADAPTERS


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """A claimed cycle and the source that it collects."""

    claim: Claim
    source: JobSource


async def claim_ready_cycles(
    engine: Engine,
    run_date: date,
    limit: int,
    busy_hosts: Mapping[str, int],
    new_token: Callable[[], str],
    only: frozenset[int] | None = None,
) -> list[Assignment]:
    """Claim up to `limit` ready cycles of the day, none of a host that has its share of slices in this process.

    `busy_hosts` counts the slices in hand per host; `only` restricts the claim to some sources. Flags and disabled
    sources count as of this moment. No two claims, in whatever process, get the same cycle.
    """
    places = _places(engine, busy_hosts)
    if limit <= 0 or not places.open_to(()):
        return []
    return await gated(engine, _claim, run_date, limit, places, new_token, engine.settings.lease, only)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlook:
    """What there is to claim."""

    run_date: date
    """The business day, by the database's time."""
    not_queued: bool
    """A cycle of the day is not in the ready queue yet."""
    wait: timedelta | None
    """Until a cycle may be claimed for which this process has room; None when none waits.

    Zero or less right after a claim that found nothing: another instance has locked the cycle for a moment.
    """


async def look(engine: Engine, busy_hosts: Mapping[str, int], only: frozenset[int] | None = None) -> Outlook:
    """What may be claimed, now or later; nothing is locked. The arguments are those of `claim_ready_cycles`."""
    return await reading(engine.db, _look, _places(engine, busy_hosts), only)


def _places(engine: Engine, busy_hosts: Mapping[str, int]) -> _Places:
    host_of = {platform: engine.executor.host_of(adapter) for platform, adapter in ADAPTERS.items()}
    return _Places(host_of=host_of, busy=busy_hosts, share=engine.settings.slices_per_host)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Places:
    """How many slices each host may have in this process, and has."""

    host_of: Mapping[Platform, str]
    busy: Mapping[str, int]
    share: int

    def open_to(self, taken: Collection[Ready]) -> list[Platform]:
        """The platforms whose host has a place left beside the slices in hand and those just `taken`."""
        busy = self._with(taken)
        return [platform for platform, host in self.host_of.items() if busy[host] < self.share]

    def choose(self, found: Iterable[Ready], taken: Collection[Ready], most: int) -> dict[int, Ready]:
        """The first of `found` for which there are places, `most` at most, by their cycles' ids."""
        busy, chosen = self._with(taken), dict[int, Ready]()
        for each in found:
            host = self.host_of[each.source.platform]
            if len(chosen) < most and busy[host] < self.share:
                busy[host] += 1
                chosen[each.cycle_id] = each
        return chosen

    def _with(self, taken: Collection[Ready]) -> Counter[str]:
        busy = Counter(self.busy)
        busy.update(self.host_of[each.source.platform] for each in taken)
        return busy


async def _has_claimed(
    tx: Tx,
    claimed: list[Assignment],
    _run_date: date,
    _limit: int,
    _places: _Places,
    _new_token: Callable[[], str],
    _lease: timedelta,
    _only: frozenset[int] | None,
) -> bool:
    """All were claimed together, so one tells. Without this nobody would work on them until their leases expire."""
    if not claimed:
        return True
    claim = claimed[0].claim
    return (await cycles.lock_standing(tx, claim.cycle_id)).token == claim.token


@proven_by(_has_claimed)
async def _claim(
    tx: Tx,
    run_date: date,
    limit: int,
    places: _Places,
    new_token: Callable[[], str],
    lease: timedelta,
    only: frozenset[int] | None,
) -> list[Assignment]:
    await snapshots.pass_gate(tx, run_date)
    now = await tx.now()
    if business_date(now) != run_date:
        return []
    taken, claims, passed = list[Ready](), list[Claim](), set[int]()
    while len(taken) < limit and (platforms := places.open_to(taken)):
        wanted = limit - len(taken)
        found = await ready.find_ready(tx, run_date, now, platforms, only, passed, wanted)
        chosen = places.choose(found, taken, wanted)
        locked = await cycles.lock_ready(tx, chosen, now) if chosen else []
        passed |= chosen.keys()
        for cycle in locked:
            taken.append(chosen[cycle.id])
            claims.append(_claim_on(cycle, new_token(), now + lease))
        if len(found) < wanted and len(locked) == len(chosen):
            break  # all that there is for the hosts that had places; else someone else has some of it
    await cycles.save_claims(tx, claims, now)
    return [Assignment(claim=claim, source=each.source) for claim, each in zip(claims, taken, strict=True)]


async def _look(tx: Tx, places: _Places, only: frozenset[int] | None) -> Outlook:
    now = await tx.now()
    run_date = business_date(now)
    waiting = await ready.load_waiting(tx, run_date, only)
    platforms = places.open_to(())
    ready_at = min((each.ready_at for each in waiting if each.platform in platforms), default=None)
    return Outlook(
        run_date=run_date,
        not_queued=any(each.status is CycleStatus.NOT_STARTED for each in waiting),
        wait=None if ready_at is None else ready_at - now,
    )


def _claim_on(cycle: Cycle, token: str, lease_until: datetime) -> Claim:
    return Claim(
        cycle_id=cycle.id,
        job_source_id=cycle.job_source_id,
        run_date=cycle.run_date,
        source_type=cycle.source_type,
        token=token,
        lease_until=lease_until,
        cursor=cycle.cursor,
        counters=cycle.counters,
    )
