"""Forgetting a source that was registered by mistake: one that never brought anything."""

from __future__ import annotations

from datetime import date, datetime

import structlog

from daemon.clock import business_date
from daemon.collection.model import CaptureStatus, CycleStatus, Kept, SourceKept
from daemon.collection.rules.snapshot import scheduled_at
from daemon.collection.store import removal, snapshots
from daemon.company.actions.sources import Owner
from daemon.company.model import JobSource, UnknownSource
from daemon.company.store import sources
from daemon.db import Database, Tx, reading, transaction

log = structlog.get_logger(__name__)

_OPEN = (CaptureStatus.PENDING, CaptureStatus.CAPTURING)


async def remove_source(db: Database, job_source_id: int, owner: Owner = "anyone") -> JobSource:
    """Delete a source with its failed days; what has brought anything is kept for ever, and can be switched off.

    Raises UnknownSource, also when it is not the `owner`'s, and SourceKept.
    """
    day = business_date(await reading(db, _now))
    removed = await transaction(db, _remove, job_source_id, owner, day)
    log.info("source.removed", job_source_id=job_source_id, platform=str(removed.platform))
    return removed


async def _now(tx: Tx) -> datetime:
    return await tx.now()


async def _remove(tx: Tx, job_source_id: int, owner: Owner, day: date) -> JobSource:
    # Whoever prepares the day or takes its snapshot reads sources behind this lock: neither may find one that goes.
    header = await snapshots.lock_header(tx, day)
    states = await removal.lock_states(tx, job_source_id)
    known = await sources.load_sources(tx, [job_source_id])
    if not known or (owner != "anyone" and known[0].company_id != owner):
        raise UnknownSource(job_source_id)
    now = await tx.now()
    is_due = header is not None and header.status in _OPEN and now >= scheduled_at(day)
    if CycleStatus.RUNNING in states or is_due:
        raise SourceKept(known[0], Kept.AT_WORK)
    if states & {CycleStatus.SUCCESS, CycleStatus.BUDGET_EXHAUSTED} or await removal.has_brought(tx, job_source_id):
        raise SourceKept(known[0], Kept.COLLECTED)
    if await removal.is_told_of(tx, job_source_id):
        raise SourceKept(known[0], Kept.RECORDED)
    await removal.delete_source(tx, job_source_id)
    return known[0]
