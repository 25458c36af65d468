"""Claiming ready cycles (Q1): gate, `SKIP LOCKED`, a fresh fencing token, a lease."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from daemon.collection.actions.eligible import eligible_sources
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import Claim, Cycle
from daemon.collection.store import cycles, snapshots
from daemon.company.model import JobSource
from daemon.db import Tx
from daemon.sources.model import Platform
from daemon.sources.registry import ADAPTERS

_LOOK_AHEAD = 10
"""Ready rows looked at per claim wanted, so that many cycles of one host don't hide the others."""


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
    free = {platform for platform, host in host_of.items() if busy_hosts.get(host, 0) < share}
    if not free or limit <= 0:
        return []
    return await gated(
        engine,
        _claim,
        run_date,
        limit,
        _Picker(host_of, Counter(busy_hosts), share),
        new_token,
        engine.settings.lease,
        only,
    )


@dataclass(slots=True)
class _Picker:
    """Takes candidates in order while their host has a free place."""

    host_of: Mapping[Platform, str]
    busy: Counter[str]
    share: int

    def pick(self, candidates: list[tuple[Cycle, JobSource]], limit: int) -> list[tuple[Cycle, JobSource]]:
        taken = Counter(self.busy)
        picked: list[tuple[Cycle, JobSource]] = []
        for cycle, source in candidates:
            host = self.host_of[source.platform]
            if len(picked) < limit and taken[host] < self.share:
                taken[host] += 1
                picked.append((cycle, source))
        return picked

    def is_free(self, source: JobSource) -> bool:
        return self.busy[self.host_of[source.platform]] < self.share


async def _claim(
    tx: Tx,
    run_date: date,
    limit: int,
    picker: _Picker,
    new_token: Callable[[], str],
    lease: timedelta,
    only: frozenset[int] | None,
) -> list[Assignment]:
    await snapshots.pass_gate(tx, run_date)
    sources = {
        source.id: source
        for source in await eligible_sources(tx, run_date)
        if picker.is_free(source) and (only is None or source.id in only)
    }
    now = await tx.now()
    ready = await cycles.lock_ready(tx, run_date, sources, now, limit * _LOOK_AHEAD)
    picked = picker.pick([(cycle, sources[cycle.job_source_id]) for cycle in ready], limit)
    claimed = [
        Assignment(
            claim=Claim(
                cycle_id=cycle.id,
                job_source_id=cycle.job_source_id,
                run_date=cycle.run_date,
                source_type=cycle.source_type,
                token=new_token(),
                lease_until=now + lease,
                cursor=cycle.cursor,
                counters=cycle.counters,
            ),
            source=source,
        )
        for cycle, source in picked
    ]
    await cycles.save_claims(tx, [each.claim for each in claimed], now)
    return claimed
