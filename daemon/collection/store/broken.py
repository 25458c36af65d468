"""Sources that are broken, for those who tell of it; reads only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, func, select

from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_source_health as healths
from daemon.db import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenSource:
    """A source that has been abnormal for at least three days (FR-19)."""

    job_source_id: int
    broken_since: datetime
    failure_episode: int
    abnormal_days: int
    last_normal_at: datetime | None
    last_error: str | None
    """Why its last collection failed; None when it read an empty list."""


async def load_broken(tx: Tx, broken_after: datetime) -> list[BrokenSource]:
    """The sources that broke after that instant and are still broken, disabled ones too, by id."""
    rows = (
        await tx.execute(select(healths).where(healths.c.broken_since > broken_after).order_by(healths.c.job_source_id))
    ).all()
    errors = await _last_errors(tx, [row.job_source_id for row in rows])
    return [
        BrokenSource(
            job_source_id=row.job_source_id,
            broken_since=row.broken_since,
            failure_episode=row.failure_episode,
            abnormal_days=row.consecutive_abnormal_days,
            last_normal_at=row.last_normal_at,
            last_error=errors.get(row.job_source_id),
        )
        for row in rows
    ]


async def _last_errors(tx: Tx, source_ids: list[int]) -> dict[int, str | None]:
    """Why each source's newest run failed; None when it did not."""
    newest = (
        select(runs.c.job_source_id, func.max(runs.c.run_date).label("run_date"))
        .where(runs.c.job_source_id.in_(source_ids))
        .group_by(runs.c.job_source_id)
        .subquery()
    )
    rows = await tx.execute(
        select(runs.c.job_source_id, runs.c.failure_reason, runs.c.failure_cause_summary).join(
            newest, and_(newest.c.job_source_id == runs.c.job_source_id, newest.c.run_date == runs.c.run_date)
        )
    )
    return {
        row.job_source_id: ": ".join(filter(None, (row.failure_reason, row.failure_cause_summary))) or None
        for row in rows
    }
