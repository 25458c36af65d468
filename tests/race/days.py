"""Days of long ago whose 09:00 is now: the engine's own gate and capture, at a cutoff of the test's choosing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from daemon.collection.model import CaptureStatus, Claim, CycleStatus
from daemon.collection.store import cycles as cycle_store
from daemon.collection.store import snapshots
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import Tx
from daemon.sources.model import SourceType


async def due_header(tx: Tx, day: date, after: timedelta = timedelta(0)) -> datetime:
    """Make the header of `day`, still pending, with its cutoff `after` from now; returns the cutoff."""
    now = await tx.now()
    cutoff = now + after
    await tx.execute(
        headers.insert().values(
            snapshot_date=day,
            scheduled_at=cutoff,
            capture_status=CaptureStatus.PENDING,
            created_at=now,
            updated_at=now,
        )
    )
    return cutoff


async def running_cycles(tx: Tx, day: date, sources: Mapping[int, SourceType], token: str) -> list[Claim]:
    """Make a cycle of `day` for each source, claimed under `token`; returns the claims."""
    now = await tx.now()
    until = now + timedelta(minutes=5)
    await cycle_store.add_not_started(tx, day, sources, now)
    await tx.execute(
        cycles.update()
        .where(cycles.c.run_date == day)
        .values(cycle_status=CycleStatus.RUNNING, lease_token=token, lease_until=until)
    )
    return [
        Claim(
            cycle_id=cycle.id,
            job_source_id=cycle.job_source_id,
            run_date=day,
            source_type=cycle.source_type,
            token=token,
            lease_until=until,
            cursor=None,
            counters=cycle.counters,
        )
        for cycle in await cycle_store.lock_of_day(tx, day, sources)
    ]


async def write_once(tx: Tx, claim: Claim) -> datetime:
    """One more posting, as a page commit writes it; its instant is kept beside it, in the seen set."""
    await snapshots.pass_gate(tx, claim.run_date)
    cycle = await cycle_store.lock_held(tx, claim)
    assert cycle is not None
    now = await tx.now()
    number = cycle.counters.fetched + 1
    kept = {"job_posting_collection_cycle_id": cycle.id, "source_job_id": str(number), "created_at": now}
    await tx.execute(seen.insert(), kept)
    assert await cycle_store.save_held(tx, claim, now, {"fetched_count": number, "is_complete": number % 2})
    return now
