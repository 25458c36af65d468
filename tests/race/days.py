"""Days of long ago whose 09:00 is now: the engine's own gate and capture, at a cutoff of the test's choosing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from daemon.collection.model import CaptureStatus, Claim, CycleStatus
from daemon.collection.store import cycles as cycle_store
from daemon.collection.tables import job_posting_collection_cycles as cycles
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
