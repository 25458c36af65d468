"""SQL of the v2 cycles as they stand, and of what they leave behind."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select

from daemon.collection.model import ORPHAN_AGE, CycleStatus, FailureReason
from daemon.collection.rules.health import is_abnormal, is_close_guarded
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.company.model import JobSource
from daemon.db import Tx
from daemon.operations.model import CyclePage, CycleView
from daemon.operations.store.runs import CYCLE_ONLY, Sources, of_both
from daemon.sources.model import SourceType


async def load_cycles(
    tx: Tx, sources: Sources, run_date: date | None, status: CycleStatus | None, page: int, size: int
) -> CyclePage:
    """One page of these sources' cycles, newest day first; `page` counts from 0."""
    wanted: list[ColumnElement[bool]] = [cycles.c.job_source_id.in_(sources)]
    if run_date is not None:
        wanted.append(cycles.c.run_date == run_date)
    if status is not None:
        wanted.append(cycles.c.cycle_status == status)
    total = (await tx.execute(select(func.count()).select_from(cycles).where(*wanted))).scalar_one()
    rows = await tx.execute(
        select(*of_both(cycles), *CYCLE_ONLY, *_CYCLE_DIAGNOSTICS)
        .where(*wanted)
        .order_by(cycles.c.run_date.desc(), cycles.c.job_source_id)
        .limit(size)
        .offset(page * size)
    )
    views = tuple(_cycle_view(dict(row._mapping), sources[row.job_source_id]) for row in rows)
    return CyclePage(cycles=views, total_count=total, page=page, size=size)


_CYCLE_DIAGNOSTICS = (
    cycles.c.id.label("cycle_id"),
    cycles.c.attempt_count,
    cycles.c.skipped_count,
    cycles.c.unidentified_count,
    cycles.c.next_eligible_at,
    cycles.c.lease_until,
)


def _cycle_view(row: dict[str, Any], source: JobSource) -> CycleView:
    status = CycleStatus(row["cycle_status"])
    row |= {
        "source_label": source.label,
        "platform": source.platform,
        "source_type": SourceType(row["source_type"]),
        "cycle_status": status,
        "is_complete": bool(row["is_complete"]),
        "close_guarded": is_close_guarded(status, row["fetched_count"], bool(row["close_guarded"])),
        "abnormal": is_abnormal(status, row["fetched_count"]),
    }
    return CycleView(**row)


async def count_cycles(tx: Tx, day: date, source_ids: Collection[int]) -> dict[CycleStatus, int]:
    """How many of the day's cycles are in each status, zeros included."""
    rows = await tx.execute(
        select(cycles.c.cycle_status, func.count().label("number"))
        .where(cycles.c.job_source_id.in_(source_ids), cycles.c.run_date == day)
        .group_by(cycles.c.cycle_status)
    )
    found = {row.cycle_status: row.number for row in rows}
    return {status: found.get(status, 0) for status in CycleStatus}


async def count_lease_expiries(tx: Tx, day: date, source_ids: Collection[int]) -> int:
    """How many of the day's cycles ended because their worker was lost."""
    counted = await tx.execute(
        select(func.count()).where(
            cycles.c.job_source_id.in_(source_ids),
            cycles.c.run_date == day,
            cycles.c.failure_reason == FailureReason.LEASE_EXPIRED,
        )
    )
    return int(counted.scalar_one())


_OLD_SEEN = (
    select(func.count())
    .select_from(seen.join(cycles, cycles.c.id == seen.c.job_posting_collection_cycle_id))
    .with_hint(seen, "FORCE INDEX (idx_job_posting_collection_seen_postings_created_cycle)", "mysql")
    .prefix_with("STRAIGHT_JOIN", dialect="mysql")
    .where(
        seen.c.created_at < bindparam("before"),
        cycles.c.cycle_status.in_([status for status in CycleStatus if status.terminal]),
    )
)


async def count_old_seen(tx: Tx, now: datetime) -> int:
    """Seen rows older than 48 hours whose cycle is over (Q8).

    By age first, then each row's cycle by its id: on a normal day no row is that old and nothing else is read.
    """
    return int((await tx.execute(_OLD_SEEN, {"before": now - ORPHAN_AGE})).scalar_one())
