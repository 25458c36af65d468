"""SQL that takes a source away which never brought anything."""

from __future__ import annotations

from sqlalchemy import delete, exists, or_, select

from daemon.collection.model import CycleStatus, RunStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_source_health as healths
from daemon.company.tables import job_sources
from daemon.db import Tx
from daemon.posting.tables import job_postings


async def lock_states(tx: Tx, job_source_id: int) -> set[CycleStatus]:
    """The states of the source's cycles of all days, which are locked."""
    found = await tx.execute(
        select(cycles.c.cycle_status).where(cycles.c.job_source_id == job_source_id).with_for_update()
    )
    return {CycleStatus(status) for status in found.scalars()}


async def has_brought(tx: Tx, job_source_id: int) -> bool:
    """Whether a posting is of the source, or one of its days went well."""
    posting = exists().where(job_postings.c.job_source_id == job_source_id)
    good = exists().where(runs.c.job_source_id == job_source_id, runs.c.run_status == RunStatus.SUCCESS)
    return bool((await tx.execute(select(or_(posting, good)))).scalar_one())


async def is_told_of(tx: Tx, job_source_id: int) -> bool:
    """Whether a 09:00 snapshot, which is never changed, or a message that it broke tells of it.

    Its id may be another source's one day: nothing that stays may name it.
    """
    snapshot = exists().where(items.c.job_source_id == job_source_id)
    broke = exists().where(healths.c.job_source_id == job_source_id, healths.c.failure_episode > 0)
    return bool((await tx.execute(select(or_(snapshot, broke)))).scalar_one())


async def delete_source(tx: Tx, job_source_id: int) -> None:
    """Delete it and all that there is of it. What makes that wrong is for the caller to rule out."""
    own = select(cycles.c.id).where(cycles.c.job_source_id == job_source_id)
    await tx.execute(delete(seen).where(seen.c.job_posting_collection_cycle_id.in_(own)))
    for table in (cycles, runs, healths):
        await tx.execute(delete(table).where(table.c.job_source_id == job_source_id))
    await tx.execute(delete(job_sources).where(job_sources.c.id == job_source_id))
