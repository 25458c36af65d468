"""SQL of the daily-job ledger."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import ColumnElement, and_, delete, select, update

from daemon.db import Tx, insert_if_absent
from daemon.schedule.model import JobClaim, JobName, JobState, JobStatus, LeaseLost
from daemon.schedule.tables import scheduled_job_executions

SUMMARY_CHARACTERS = 1000
OWNER_CHARACTERS = 100

_columns = scheduled_job_executions.c


async def load_states(tx: Tx, run_date: date) -> dict[JobName, JobState]:
    """The ledger of one business day; a job that no one has begun is absent."""
    rows = await tx.execute(
        select(_columns.job_name, _columns.job_status, _columns.lease_until).where(_columns.run_date == run_date)
    )
    known = {str(name) for name in JobName}
    now = await tx.now()
    return {
        JobName(row.job_name): JobState(
            job_name=JobName(row.job_name),
            status=JobStatus(row.job_status),
            leased=row.lease_until is not None and row.lease_until > now,
        )
        for row in rows
        if row.job_name in known
    }


async def add_claimed(
    tx: Tx, name: JobName, run_date: date, owner: str, token: str, now: datetime, until: datetime
) -> None:
    """Begin the job, unless its row is there already. Whether this call made the row shows in the row's token."""
    row = {
        "job_name": name,
        "run_date": run_date,
        "job_status": JobStatus.RUNNING,
        "owner": owner[:OWNER_CHARACTERS],
        "lease_token": token,
        "lease_until": until,
        "attempt_count": 1,
        "started_at": now,
        "created_at": now,
        "updated_at": now,
    }
    await insert_if_absent(tx, scheduled_job_executions, [row])


async def lock_job(tx: Tx, name: JobName, run_date: date) -> tuple[JobStatus, str | None, datetime | None, int] | None:
    """Lock the job's row: status, token, end of lease, attempts; None when no one has begun it."""
    found = await tx.execute(
        select(_columns.job_status, _columns.lease_token, _columns.lease_until, _columns.attempt_count)
        .where(_columns.job_name == name, _columns.run_date == run_date)
        .with_for_update()
    )
    row = found.one_or_none()
    return None if row is None else (JobStatus(row.job_status), row.lease_token, row.lease_until, row.attempt_count)


async def save_takeover(
    tx: Tx, name: JobName, run_date: date, owner: str, token: str, now: datetime, until: datetime
) -> None:
    """Give a job whose lease has ended, and whose row is locked, to a new owner."""
    taken = await tx.execute(
        update(scheduled_job_executions)
        .where(_columns.job_name == name, _columns.run_date == run_date, _columns.job_status == JobStatus.RUNNING)
        .values(
            owner=owner[:OWNER_CHARACTERS],
            lease_token=token,
            lease_until=until,
            attempt_count=_columns.attempt_count + 1,
            started_at=now,
            updated_at=now,
        )
    )
    assert taken.rowcount == 1, "the locked row has changed"


async def save_finish(tx: Tx, claim: JobClaim, status: JobStatus, summary: str, now: datetime) -> None:
    """Write the end of the job. Raises LeaseLost when it is no longer the claim's."""
    finished = await tx.execute(
        update(scheduled_job_executions)
        .where(_held(claim))
        .values(
            job_status=status,
            summary=summary[:SUMMARY_CHARACTERS],
            lease_token=None,
            lease_until=None,
            finished_at=now,
            updated_at=now,
        )
    )
    if finished.rowcount != 1:
        raise LeaseLost(claim)


async def save_renewal(tx: Tx, claim: JobClaim, until: datetime, now: datetime) -> None:
    """Move the end of the lease. Raises LeaseLost when the job is no longer the claim's."""
    renewed = await tx.execute(
        update(scheduled_job_executions).where(_held(claim)).values(lease_until=until, updated_at=now)
    )
    if renewed.rowcount != 1:
        raise LeaseLost(claim)


async def delete_claim(tx: Tx, claim: JobClaim) -> None:
    """Take the claim out of the ledger, as if it had never been. Raises LeaseLost when it is no longer held."""
    deleted = await tx.execute(delete(scheduled_job_executions).where(_held(claim)))
    if deleted.rowcount != 1:
        raise LeaseLost(claim)


def _held(claim: JobClaim) -> ColumnElement[bool]:
    """The fence: exactly the row of this attempt."""
    return and_(
        _columns.job_name == claim.job_name,
        _columns.run_date == claim.run_date,
        _columns.lease_token == claim.token,
        _columns.job_status == JobStatus.RUNNING,
    )
