"""SQL of the 09:00 snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import bindparam, select

from daemon.collection.model import CaptureStatus, CycleStatus
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as sla_items
from daemon.collection.tables import job_posting_collection_sla_snapshots as sla_headers
from daemon.db import AtOnce, Tx
from daemon.operations.model import SlaHeader, SlaItem
from daemon.operations.rules import is_late
from daemon.operations.store.runs import Sources
from daemon.sources.model import SourceType

_SNAPSHOTS = AtOnce(
    select(
        sla_headers.c.snapshot_date,
        sla_headers.c.id,
        sla_headers.c.capture_status,
        sla_headers.c.captured_at,
        sla_headers.c.miss_reason,
        sla_items.c.job_source_id,
        sla_items.c.source_type,
        sla_items.c.captured_cycle_status,
        sla_items.c.captured_fetched_count,
        sla_items.c.captured_is_complete,
        sla_items.c.captured_abnormal,
        sla_items.c.captured_close_guarded,
    )
    .select_from(
        sla_headers.outerjoin(sla_items, sla_items.c.job_posting_collection_sla_snapshot_id == sla_headers.c.id)
    )
    .where(sla_headers.c.snapshot_date.between(bindparam("since"), bindparam("until")))
)
"""Headers by their day (Q9), each with its items by source (Q10)."""


async def load_slas(
    tx: Tx, since: date, until: date, sources: Sources
) -> dict[date, tuple[SlaHeader, tuple[SlaItem, ...]]]:
    """The header of each of these days that has one, newest first, and its items by source."""
    headers: dict[date, SlaHeader] = {}
    items: dict[date, list[SlaItem]] = {}
    for day, header_id, status, captured_at, reason, *item in await _SNAPSHOTS.rows(
        tx, {"since": since, "until": until}
    ):
        headers[day] = SlaHeader(
            id=header_id, capture_status=CaptureStatus(status), captured_at=captured_at, miss_reason=reason
        )
        of_day = items.setdefault(day, [])
        if item[0] is not None:
            of_day.append(_sla_item(item, sources[item[0]].label))
    return {
        day: (headers[day], tuple(sorted(items[day], key=lambda each: each.job_source_id)))
        for day in sorted(headers, reverse=True)
    }


def _sla_item(row: Sequence[Any], label: str) -> SlaItem:
    job_source_id, source_type, status_word, fetched, complete, abnormal, guarded = row
    status = CycleStatus(status_word)
    return SlaItem(
        job_source_id=job_source_id,
        source_label=label,
        source_type=SourceType(source_type),
        captured_cycle_status=status,
        captured_fetched_count=fetched,
        captured_is_complete=bool(complete),
        captured_abnormal=bool(abnormal),
        captured_close_guarded=bool(guarded),
        late=is_late(status),
    )
