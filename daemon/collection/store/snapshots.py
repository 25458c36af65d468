"""SQL of the 09:00 snapshot: its header is the gate of a day's cycle writes (Q9, Q10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Row, bindparam, insert, select, update

from daemon.collection.model import CaptureStatus, Cycle, GateDue
from daemon.collection.rules.health import is_abnormal, is_close_guarded
from daemon.collection.rules.snapshot import scheduled_at
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import Tx, insert_if_absent, read_times


@dataclass(frozen=True, kw_only=True, slots=True)
class Header:
    """A day's snapshot header."""

    id: int
    status: CaptureStatus
    scheduled_at: datetime


def _to_header(row: Row[Any]) -> Header:
    return Header(id=row.id, status=CaptureStatus(row.capture_status), scheduled_at=row.scheduled_at)


_GATE = (
    select(headers.c.capture_status, headers.c.scheduled_at)
    .where(headers.c.snapshot_date == bindparam("run_date"))
    .with_for_update(read=True)
)
_TIMED_GATE = _GATE.add_columns(*read_times)


async def pass_gate(tx: Tx, run_date: date) -> None:
    """Lock the day's header in share mode: this write is before the capture, or after it, never both.

    Must come before any other lock and before the transaction's time is read (DESIGN 1.2, 1.3). Raises GateDue when
    the cutoff has come and no one has captured it yet.
    """
    timed = tx.time_is_the_servers
    row = (await tx.execute(_TIMED_GATE if timed else _GATE, {"run_date": run_date})).one_or_none()
    if row is not None and timed:
        tx.take_time(row.begun_at, row.read_at)
    if row is not None and row.capture_status == CaptureStatus.PENDING and await tx.now() >= row.scheduled_at:
        raise GateDue(run_date)


async def load_header(tx: Tx, run_date: date) -> Header | None:
    """The day's header, not locked."""
    row = (await tx.execute(select(headers).where(headers.c.snapshot_date == run_date))).one_or_none()
    return None if row is None else _to_header(row)


async def lock_header(tx: Tx, run_date: date) -> Header | None:
    """The day's header, locked for update: no cycle of the day is written until this transaction ends."""
    row = (await tx.execute(select(headers).where(headers.c.snapshot_date == run_date).with_for_update())).one_or_none()
    return None if row is None else _to_header(row)


async def add_header(
    tx: Tx, run_date: date, status: CaptureStatus, now: datetime, miss_reason: str | None = None
) -> None:
    """Make the day's header unless it has one."""
    row = {
        "snapshot_date": run_date,
        "scheduled_at": scheduled_at(run_date),
        "capture_status": status.value,
        "miss_reason": miss_reason,
        "created_at": now,
        "updated_at": now,
    }
    await insert_if_absent(tx, headers, [row])


async def save_header(
    tx: Tx,
    header_id: int,
    status: CaptureStatus,
    now: datetime,
    *,
    captured_at: datetime | None = None,
    miss_reason: str | None = None,
) -> None:
    """Settle the locked header."""
    await tx.execute(
        update(headers)
        .where(headers.c.id == header_id)
        .values(capture_status=status.value, captured_at=captured_at, miss_reason=miss_reason, updated_at=now)
    )


async def add_items(tx: Tx, header_id: int, cycles: Sequence[Cycle], now: datetime) -> None:
    """Freeze the state of each cycle under the header."""
    rows = [
        {
            "job_posting_collection_sla_snapshot_id": header_id,
            "job_source_id": cycle.job_source_id,
            "source_type": cycle.source_type.value,
            "captured_cycle_status": cycle.status.value,
            "captured_fetched_count": cycle.counters.fetched,
            "captured_is_complete": int(cycle.is_complete),
            "captured_abnormal": int(is_abnormal(cycle.status, cycle.counters.fetched)),
            "captured_close_guarded": int(
                is_close_guarded(cycle.status, cycle.counters.fetched, cycle.counters.close_guarded)
            ),
            "created_at": now,
        }
        for cycle in cycles
    ]
    if rows:
        await tx.execute(insert(items), rows)


async def due_dates(tx: Tx, now: datetime) -> list[date]:
    """Days whose header is still pending though their cutoff has come."""
    rows = await tx.execute(
        select(headers.c.snapshot_date)
        .where(headers.c.capture_status == CaptureStatus.PENDING.value, headers.c.scheduled_at <= now)
        .order_by(headers.c.snapshot_date)
    )
    return [row.snapshot_date for row in rows]
