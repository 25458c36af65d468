"""SQL of what else tells whether the machine does its work: daily jobs, broken sources, hosts."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import bindparam, select

from daemon.collection.tables import external_request_host_limits as host_limits
from daemon.collection.tables import job_source_health as health
from daemon.company.tables import job_sources
from daemon.db import Tx
from daemon.operations.model import ScheduledJob
from daemon.schedule.model import JobName, JobStatus
from daemon.schedule.rules import due_at
from daemon.schedule.tables import scheduled_job_executions as executions

_ORDER = {str(name): position for position, name in enumerate(JobName)}
_JOBS = select(
    executions.c.job_name,
    executions.c.run_date,
    executions.c.job_status,
    executions.c.owner,
    executions.c.attempt_count,
    executions.c.started_at,
    executions.c.finished_at,
    executions.c.summary,
).where(executions.c.job_name.in_(list(_ORDER)), executions.c.run_date >= bindparam("since"))


async def load_jobs(tx: Tx, since: date) -> tuple[ScheduledJob, ...]:
    """The ledger from `since` on, newest day first, in the order of the timetable."""
    rows = await tx.execute(_JOBS, {"since": since})
    jobs = [
        ScheduledJob(
            job_name=JobName(row.job_name),
            run_date=row.run_date,
            scheduled_at=due_at(JobName(row.job_name), row.run_date),
            job_status=JobStatus(row.job_status),
            owner=row.owner,
            attempt_count=row.attempt_count,
            started_at=row.started_at,
            finished_at=row.finished_at,
            summary=row.summary,
        )
        for row in rows
    ]
    return tuple(sorted(jobs, key=lambda job: (-job.run_date.toordinal(), _ORDER[job.job_name])))


_BROKEN = (
    select(health.c.job_source_id, health.c.broken_since)
    .join(job_sources, job_sources.c.id == health.c.job_source_id)
    .where(health.c.broken_since.is_not(None), job_sources.c.disabled_at.is_(None))
)


async def load_broken(tx: Tx) -> dict[int, datetime]:
    """Since when each broken source has been broken (FR-19), disabled sources left out."""
    return {row.job_source_id: row.broken_since for row in await tx.execute(_BROKEN)}


_HOSTS = select(host_limits.c.host, host_limits.c.next_allowed_at).order_by(host_limits.c.host)


async def load_host_waits(tx: Tx, now: datetime) -> dict[str, float]:
    """Seconds until each host may be asked again, 0 when it is free."""
    rows = await tx.execute(_HOSTS)
    return {row.host: max(0.0, (row.next_allowed_at - now).total_seconds()) for row in rows}
