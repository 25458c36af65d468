"""SQL of the legacy run rows and of source health."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError

from daemon.collection.model import Counters, RunStatus
from daemon.collection.rules.health import Health
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_source_health as healths
from daemon.db import Tx, insert_if_absent, upsert
from daemon.posting.model import Missed


def run_row(
    source_id: int, run_date: date, status: RunStatus, counters: Counters, missed: Missed, now: datetime
) -> dict[str, Any]:
    """A run row that says how a collection ended at `now`; the caller adds why it failed and when it began."""
    return {
        "job_source_id": source_id,
        "run_date": run_date,
        "run_status": status.value,
        "fetched_count": counters.fetched,
        "new_count": counters.new,
        "changed_count": counters.changed,
        "missed_count": missed.missed,
        "closed_count": len(missed.closed_ids),
        "detail_failure_count": counters.detail_failures,
        "detail_skipped_count": counters.detail_skipped,
        "failure_reason": None,
        "failure_cause_summary": None,
        "started_at": now,
        "finished_at": now,
        "created_at": now,
    }


async def save_run(tx: Tx, row: Mapping[str, Any]) -> None:
    """Write the source's run of the day: one row, made or replaced (unique source and date)."""
    await upsert(tx, runs, [row], ["job_source_id", "run_date"], ["created_at", "started_at"])


async def add_run(tx: Tx, row: Mapping[str, Any]) -> bool:
    """Insert the source's run of the day; False when it has one already (seed 001: DuplicateKey → skip)."""
    try:
        await tx.execute(runs.insert(), row)
    except IntegrityError:
        return False
    return True


async def lock_end(tx: Tx, job_source_id: int, run_date: date) -> tuple[RunStatus, datetime, str | None] | None:
    """Status, end and failure's summary of the source's run of the day, its row locked; None when it has none."""
    found = await tx.execute(
        select(runs.c.run_status, runs.c.finished_at, runs.c.failure_cause_summary)
        .where(runs.c.job_source_id == job_source_id, runs.c.run_date == run_date)
        .with_for_update()
    )
    row = found.one_or_none()
    return None if row is None else (RunStatus(row.run_status), row.finished_at, row.failure_cause_summary)


async def sources_with_run(tx: Tx, run_date: date, source_ids: Collection[int]) -> set[int]:
    """Which of the sources have a run row on `run_date`."""
    rows = await tx.execute(
        select(runs.c.job_source_id).where(runs.c.job_source_id.in_(list(source_ids)), runs.c.run_date == run_date)
    )
    return {row.job_source_id for row in rows}


# What every cycle's end asks is put together once.
_HEALTH = select(healths).where(healths.c.job_source_id == bindparam("job_source_id")).with_for_update()
_SAVE_HEALTH = update(healths).where(healths.c.job_source_id == bindparam("held_id"))


async def lock_health(tx: Tx, job_source_id: int, now: datetime) -> Health:
    """The source's health, its row locked; made when the source is new."""
    asked = {"job_source_id": job_source_id}
    row = (await tx.execute(_HEALTH, asked)).one_or_none()
    if row is None:
        fresh = {"job_source_id": job_source_id, "consecutive_abnormal_days": 0, "failure_episode": 0}
        await insert_if_absent(tx, healths, [{**fresh, "created_at": now, "updated_at": now}])
        row = (await tx.execute(_HEALTH, asked)).one()
    return Health(
        abnormal_days=row.consecutive_abnormal_days,
        broken_since=row.broken_since,
        failure_episode=row.failure_episode,
        last_normal_at=row.last_normal_at,
    )


async def save_health(tx: Tx, job_source_id: int, health: Health, now: datetime) -> None:
    """Write the locked health."""
    await tx.write(
        _SAVE_HEALTH,
        {
            "held_id": job_source_id,
            "consecutive_abnormal_days": health.abnormal_days,
            "broken_since": health.broken_since,
            "failure_episode": health.failure_episode,
            "last_normal_at": health.last_normal_at,
            "updated_at": now,
        },
    )
