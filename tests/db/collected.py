"""Rows of collected days, written straight into the tables: what the operations views are tested on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Table, insert

from daemon.clock import kst
from daemon.collection.model import CycleStatus
from daemon.collection.tables import (
    job_posting_collection_cycles,
    job_posting_collection_runs,
    job_posting_collection_seen_postings,
    job_posting_collection_sla_snapshot_sources,
    job_posting_collection_sla_snapshots,
)
from daemon.db import Database, Tx, transaction
from daemon.sources.model import SourceType


async def add(db: Database, table: Table, *rows: Mapping[str, Any]) -> int:
    """Insert rows; returns the first one's id when it is only one."""
    return await transaction(db, _add, table, rows)


async def _add(tx: Tx, table: Table, rows: tuple[Mapping[str, Any], ...]) -> int:
    if len(rows) > 1:
        await tx.execute(insert(table), list(rows))
        return 0
    added = await tx.execute(insert(table).values(rows[0]))
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


def _stamps(instant: datetime) -> dict[str, Any]:
    return {"created_at": instant, "updated_at": instant}


async def add_cycle(
    db: Database, source_id: int, day: date, status: CycleStatus, *, run: bool | None = None, **columns: Any
) -> int:
    """A cycle of `day`, with its run row when it is over and projected (`run` None: as the seeds say)."""
    begun = kst(day, 0)
    over = begun + timedelta(minutes=5) if status.terminal else None
    cycle_id = await add(
        db,
        job_posting_collection_cycles,
        {
            "job_source_id": source_id,
            "run_date": day,
            "source_type": SourceType.COMPANY_BOUND.value,
            "cycle_status": status.value,
            "is_complete": int(status is CycleStatus.SUCCESS),
            "next_eligible_at": begun,
            "started_at": begun,
            "finished_at": over,
            **_stamps(begun),
            **columns,
        },
    )
    projected = status in (CycleStatus.SUCCESS, CycleStatus.FAILED) if run is None else run
    if projected:
        kept = {"fetched_count", "new_count", "closed_count", "failure_reason", "failure_cause_summary"}
        await add_run(db, source_id, day, status.value, **{k: v for k, v in columns.items() if k in kept})
    return cycle_id


async def add_run(db: Database, source_id: int, day: date, status: str, **columns: Any) -> None:
    """A run row of `day`."""
    begun = kst(day, 0)
    await add(
        db,
        job_posting_collection_runs,
        {
            "job_source_id": source_id,
            "run_date": day,
            "run_status": status,
            "started_at": begun,
            "finished_at": begun + timedelta(minutes=5),
            "created_at": begun,
            **columns,
        },
    )


async def add_header(db: Database, day: date, status: str, **columns: Any) -> int:
    """The snapshot header of `day`."""
    row = {"snapshot_date": day, "scheduled_at": kst(day, 9), "capture_status": status, **_stamps(kst(day, 0))}
    return await add(db, job_posting_collection_sla_snapshots, row | columns)


async def add_item(db: Database, header_id: int, source_id: int, status: CycleStatus, fetched: int) -> None:
    """One source's item of a snapshot."""
    await add(
        db,
        job_posting_collection_sla_snapshot_sources,
        {
            "job_posting_collection_sla_snapshot_id": header_id,
            "job_source_id": source_id,
            "source_type": SourceType.COMPANY_BOUND.value,
            "captured_cycle_status": status.value,
            "captured_fetched_count": fetched,
            "captured_is_complete": int(status is CycleStatus.SUCCESS),
            "captured_abnormal": int(status is CycleStatus.FAILED),
            "captured_close_guarded": int(status is not CycleStatus.SUCCESS),
            "created_at": kst(date(2026, 12, 1), 9),
        },
    )


async def add_seen(db: Database, cycle_id: int, count: int, created_at: datetime, first: int = 0) -> None:
    """`count` seen rows of a cycle."""
    rows = [
        {
            "job_posting_collection_cycle_id": cycle_id,
            "source_job_id": f"R{number}",
            "created_at": created_at,
        }
        for number in range(first, first + count)
    ]
    await add(db, job_posting_collection_seen_postings, *rows)
