"""SQL of the view of sources' health; reads only."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from sqlalchemy import bindparam, func, select

from daemon.clock import kst
from daemon.collection.model import CycleStatus
from daemon.collection.rules.health import Health
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_source_health as healths
from daemon.db import Tx
from daemon.operations.health.model import BudgetEnd

_HEALTHS = select(healths)


async def load_health(tx: Tx) -> dict[int, Health]:
    """What is remembered of each source's days, by source; nothing of one that has not been collected yet."""
    rows = await tx.execute(_HEALTHS)
    return {
        row.job_source_id: Health(
            abnormal_days=row.consecutive_abnormal_days,
            broken_since=row.broken_since,
            failure_episode=row.failure_episode,
            last_normal_at=row.last_normal_at,
        )
        for row in rows
    }


_LAST_RUNS = (
    select(runs.c.job_source_id, func.max(runs.c.run_date).label("run_date"))
    .where(runs.c.job_source_id.in_(bindparam("ids", expanding=True)), runs.c.run_date >= bindparam("since"))
    .group_by(runs.c.job_source_id)
)


async def load_last_runs(tx: Tx, source_ids: Collection[int], since: date) -> dict[int, date]:
    """The latest day from `since` on that went well or failed, v2 or legacy, by source: only such a day has a run."""
    rows = await tx.execute(_LAST_RUNS, {"ids": list(source_ids), "since": since})
    return {row.job_source_id: row.run_date for row in rows}


_BUDGET_ENDS = (
    select(cycles.c.job_source_id, cycles.c.run_date, cycles.c.budget_exhausted_reason)
    .where(
        cycles.c.cycle_status == CycleStatus.BUDGET_EXHAUSTED,
        cycles.c.finished_at >= bindparam("begun"),
        cycles.c.run_date >= bindparam("since"),
    )
    .order_by(cycles.c.run_date)
)


async def load_budget_ends(tx: Tx, since: date) -> dict[int, list[BudgetEnd]]:
    """The days from `since` on that a budget ended, oldest first, by source.

    They are found among all by when they ended: no day ends before it begins.
    """
    rows = await tx.execute(_BUDGET_ENDS, {"begun": kst(since, 0), "since": since})
    found: dict[int, list[BudgetEnd]] = {}
    for row in rows:
        found.setdefault(row.job_source_id, []).append(BudgetEnd(row.run_date, row.budget_exhausted_reason))
    return found
