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
from daemon.db import Tx
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
    host_of = {platform: engine.executor.host_of(adapter) for platform, adapter in ADAPTERS.items()}
    share = engine.settings.slices_per_host
    if limit <= 0 or all(busy_hosts.get(host, 0) >= share for host in host_of.values()):
        return []
    return await gated(
        engine,
        _claim,
        run_date,
        limit,
        _Places(host_of=host_of, busy=busy_hosts, share=share),
        new_token,
        engine.settings.lease,
        only,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Places:
    """How many slices each host may have in this process, and has."""

    host_of: Mapping[Platform, str]
    busy: Mapping[str, int]
    share: int

    def left(self, sources: Mapping[int, JobSource], taken: Sequence[Assignment]) -> dict[int, JobSource]:
        """Those of `sources` whose host has a place left beside the slices in hand and those just `taken`."""
        busy = Counter(self.busy)
        busy.update(self.host_of[each.source.platform] for each in taken)
        return {key: source for key, source in sources.items() if busy[self.host_of[source.platform]] < self.share}


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
    sources = {
        source.id: source for source in await eligible_sources(tx, run_date) if only is None or source.id in only
    }
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
