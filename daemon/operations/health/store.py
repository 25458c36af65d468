"""SQL of the view of sources' health; reads only."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from sqlalchemy import func, or_, select, true

from daemon.collection.model import CycleStatus
from daemon.collection.rules.health import Health
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_source_health as healths
from daemon.db import Tx
from daemon.operations.health.model import Streak


async def load_health(tx: Tx) -> dict[int, Health]:
    """What is remembered of each source's days, by source; nothing of one that has not been collected yet."""
    rows = await tx.execute(select(healths))
    return {
        row.job_source_id: Health(
            abnormal_days=row.consecutive_abnormal_days,
            broken_since=row.broken_since,
            failure_episode=row.failure_episode,
            last_normal_at=row.last_normal_at,
        )
        for row in rows
    }


async def load_streaks(tx: Tx, source_ids: Collection[int], since: date) -> dict[int, Streak]:
    """The cycles since that day that a budget ended and after which none ended otherwise, counted by source.

    One pass over the cycles of those days and a second over the streaks themselves, whatever the length of the history:
    days are found by source, which is why these are named.
    """
    lately = (cycles.c.job_source_id.in_(source_ids), cycles.c.run_date >= since)
    otherwise = (
        select(cycles.c.job_source_id, func.max(cycles.c.run_date).label("run_date"))
        .where(*lately, cycles.c.cycle_status.in_([CycleStatus.SUCCESS, CycleStatus.FAILED]))
        .group_by(cycles.c.job_source_id)
        .subquery()
    )
    rows = await tx.execute(
        select(cycles.c.job_source_id, cycles.c.budget_exhausted_reason)
        .outerjoin(otherwise, otherwise.c.job_source_id == cycles.c.job_source_id)
        .where(
            *lately,
            cycles.c.cycle_status == CycleStatus.BUDGET_EXHAUSTED,
            or_(otherwise.c.run_date.is_(None), cycles.c.run_date > otherwise.c.run_date),
        )
        .order_by(cycles.c.job_source_id, cycles.c.run_date)
    )
    found: dict[int, Streak] = {}
    for row in rows:
        before = found.get(row.job_source_id, Streak())
        found[row.job_source_id] = Streak(days=before.days + 1, reason=row.budget_exhausted_reason)
    return found


async def load_last_days(tx: Tx, source_ids: Collection[int], since: date) -> dict[int, date]:
    """The latest day from `since` on whose collection is over, v2 or legacy, by source."""
    terminal = [status for status in CycleStatus if status.terminal]
    found: dict[int, date] = {}
    for table, over in ((cycles, cycles.c.cycle_status.in_(terminal)), (runs, true())):
        rows = await tx.execute(
            select(table.c.job_source_id, func.max(table.c.run_date).label("run_date"))
            .where(table.c.job_source_id.in_(source_ids), table.c.run_date >= since, over)
            .group_by(table.c.job_source_id)
        )
        for row in rows:
            found[row.job_source_id] = max(row.run_date, found.get(row.job_source_id, row.run_date))
    return found
