"""SQL of the seen set: the ids that a running cycle has found."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Select, bindparam, delete, func, select

from daemon.collection.model import CycleStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.db import Tx, chunks, insert_if_absent

_ID_LENGTH = 200
_TERMINAL = tuple(status.value for status in CycleStatus if status.terminal)

# Left to itself MariaDB reads a small table whole and locks every row on its way: two cycles that end at once then
# wait for each other's. Only the form for several tables, which names the table before FROM, takes a hint.
_DELETE = (
    delete(seen)
    .prefix_with(seen.name, dialect="mysql")
    .with_hint("FORCE INDEX (uk_job_posting_collection_seen_postings_cycle_source_job)", dialect_name="mysql")
    .where(seen.c.job_posting_collection_cycle_id == bindparam("cycle_id"))
)


# What every page asks is put together once.
_OF_CYCLE = seen.c.job_posting_collection_cycle_id == bindparam("cycle_id")
_AMONG = select(seen.c.source_job_id).where(_OF_CYCLE, seen.c.source_job_id.in_(bindparam("ids", expanding=True)))
_COUNT = select(func.count()).select_from(seen).where(_OF_CYCLE)


def withdrawn_key(source_job_id: str) -> str:
    """What stands in the seen set for a posting that the list carries but calls closed or hidden.

    It counts towards the total the site declares, and it is no posting's id (those have no control characters), so
    the posting itself is missed by the final delta.
    """
    return f"\x1f{source_job_id}"[:_ID_LENGTH]


async def among(tx: Tx, cycle_id: int, source_job_ids: Collection[str]) -> set[str]:
    """Which of the ids the cycle has already found."""
    known: set[str] = set()
    for chunk in chunks(sorted(source_job_ids)):
        rows = await tx.execute(_AMONG, {"cycle_id": cycle_id, "ids": chunk})
        known.update(rows.scalars())
    return known


async def add_seen(tx: Tx, cycle_id: int, source_job_ids: Collection[str], now: datetime) -> set[str]:
    """Add ids to the cycle's seen set; returns those that were not in it. An id counts once."""
    known = await among(tx, cycle_id, source_job_ids)
    fresh = [key for key in sorted(source_job_ids) if key not in known]
    await insert_if_absent(
        tx,
        seen,
        [{"job_posting_collection_cycle_id": cycle_id, "source_job_id": key, "created_at": now} for key in fresh],
    )
    return set(fresh)


async def count_seen(tx: Tx, cycle_id: int) -> int:
    """How many distinct ids the cycle has found."""
    return int((await tx.execute(_COUNT, {"cycle_id": cycle_id})).scalar_one())


def seen_ids(cycle_id: int) -> Select[str]:
    """Q5: the cycle's seen set, for the final delta to read where it is."""
    return select(seen.c.source_job_id).where(seen.c.job_posting_collection_cycle_id == cycle_id)


async def delete_seen(tx: Tx, cycle_id: int) -> None:
    """Drop the cycle's seen set: part of its terminal transition, and only of that."""
    await tx.write(_DELETE, {"cycle_id": cycle_id})


async def delete_orphans(tx: Tx, created_before: datetime, limit: int) -> int:
    """Q8: delete up to `limit` seen rows older than `created_before` whose cycle is terminal; returns how many."""
    rows = await tx.execute(
        select(seen.c.id)
        .join(cycles, cycles.c.id == seen.c.job_posting_collection_cycle_id)
        .where(seen.c.created_at < created_before, cycles.c.cycle_status.in_(_TERMINAL))
        .order_by(seen.c.created_at)
        .limit(limit)
    )
    ids = [row.id for row in rows]
    if ids:
        await tx.execute(delete(seen).where(seen.c.id.in_(ids)))
    return len(ids)
