"""Claiming ready cycles (Q1): gate, `SKIP LOCKED`, a fresh fencing token, a lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from daemon.clock import business_date
from daemon.collection.actions.eligible import eligible_sources
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import Claim, Cycle
from daemon.collection.store import cycles, snapshots
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
    if limit <= 0 or places.full:
        return []
    return await gated(engine, _claim, run_date, limit, places, new_token, engine.settings.lease, only)


async def until_claimable(
    engine: Engine, run_date: date, busy_hosts: Mapping[str, int], only: frozenset[int] | None = None
) -> timedelta | None:
    """How long until a cycle of the day may be claimed by this process; None when none waits for which it has room.

    Zero or less right after a claim that found nothing: another instance has locked the cycle for a moment.
    """
    return await reading(engine.db, _until_claimable, run_date, _places(engine, busy_hosts), only)


def _places(engine: Engine, busy_hosts: Mapping[str, int]) -> _Places:
    host_of = {platform: engine.executor.host_of(adapter) for platform, adapter in ADAPTERS.items()}
    return _Places(host_of=host_of, busy=busy_hosts, share=engine.settings.slices_per_host)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Places:
    """How many slices each host may have in this process, and has."""

    host_of: Mapping[Platform, str]
    busy: Mapping[str, int]
    share: int

    @property
    def full(self) -> bool:
        """Whether no host has a place left."""
        return all(self.busy.get(host, 0) >= self.share for host in self.host_of.values())

    def left(self, sources: Mapping[int, JobSource], taken: Sequence[Assignment]) -> dict[int, JobSource]:
        """Those of `sources` whose host has a place left beside the slices in hand and those just `taken`."""
        busy = Counter(self.busy)
        busy.update(self.host_of[each.source.platform] for each in taken)
        return {key: source for key, source in sources.items() if busy[self.host_of[source.platform]] < self.share}


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
    sources = await _sources(tx, run_date, only)
    now = await tx.now()
    claimed: list[Assignment] = []
    while len(claimed) < limit and business_date(now) == run_date:
        # Row by row, so that no row is locked that is not taken: a claim of another instance would not see it.
        sources = places.left(sources, claimed)
        cycle = await cycles.lock_ready(tx, run_date, sources, now)
        if cycle is None:
            break
        claim = _claim_on(cycle, new_token(), now + lease)
        claimed.append(Assignment(claim=claim, source=sources.pop(cycle.job_source_id)))
    await cycles.save_claims(tx, [each.claim for each in claimed], now)
    return claimed


async def _until_claimable(tx: Tx, run_date: date, places: _Places, only: frozenset[int] | None) -> timedelta | None:
    sources = places.left(await _sources(tx, run_date, only), ())
    ready_at = await cycles.next_ready_at(tx, run_date, sources)
    return None if ready_at is None else ready_at - await tx.now()


async def _sources(tx: Tx, run_date: date, only: frozenset[int] | None) -> dict[int, JobSource]:
    return {source.id: source for source in await eligible_sources(tx, run_date) if only is None or source.id in only}


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
