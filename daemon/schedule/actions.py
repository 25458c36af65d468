"""Claiming and finishing the jobs of a day: each runs once over all instances (DESIGN 1.8)."""

from __future__ import annotations

from datetime import date, timedelta
from uuid import uuid4

from daemon.db import Database, Tx, proven_by, reading, repeatable, transaction
from daemon.schedule import store
from daemon.schedule.model import JobClaim, JobName, JobState, JobStatus


async def jobs_of_day(db: Database, run_date: date) -> dict[JobName, JobState]:
    """The ledger of one business day; a job that no one has begun is absent."""
    return await reading(db, store.load_states, run_date)


async def claim_job(db: Database, name: JobName, run_date: date, owner: str, lease: timedelta) -> JobClaim | None:
    """Take a job of one business day, for `lease` at first; None when it is over or in someone's hands.

    Of all instances that ask at once exactly one gets it. A job whose lease has ended may be taken over: its former
    owner can no longer write to the ledger.
    """
    return await transaction(db, _claim, name, run_date, owner, lease, str(uuid4()))


@repeatable  # the token tells whose the row is
async def _claim(tx: Tx, name: JobName, run_date: date, owner: str, lease: timedelta, token: str) -> JobClaim | None:
    now = await tx.now()
    if await store.lock_job(tx, name, run_date) is None:
        await store.add_claimed(tx, name, run_date, owner, token, now, now + lease)
    row = await store.lock_job(tx, name, run_date)
    assert row is not None, "a row just inserted, or found, is gone"
    status, holder, until, attempts = row
    if holder == token:
        return JobClaim(job_name=name, run_date=run_date, token=token, attempt=attempts)
    # `now` may be older than the lock: a lease that ended in between is simply not taken yet.
    if status is not JobStatus.RUNNING or (until is not None and until > now):
        return None
    await store.save_takeover(tx, name, run_date, owner, token, now, now + lease)
    return JobClaim(job_name=name, run_date=run_date, token=token, attempt=attempts + 1)


async def renew_job(db: Database, claim: JobClaim, lease: timedelta) -> None:
    """Hold the job for another `lease` from now. Raises LeaseLost when it is no longer the claim's."""
    await transaction(db, _renew, claim, lease)


@repeatable
async def _renew(tx: Tx, claim: JobClaim, lease: timedelta) -> None:
    now = await tx.now()
    await store.save_renewal(tx, claim, now + lease, now)


async def finish_job(db: Database, claim: JobClaim, status: JobStatus, summary: str) -> None:
    """Record how the job ended; its summary is cut at 1,000 characters.

    Raises LeaseLost, having written nothing, when the job is no longer the claim's.
    """
    assert status is not JobStatus.RUNNING
    await transaction(db, _finish, claim, status, summary)


async def _has_finished(tx: Tx, _: None, claim: JobClaim, status: JobStatus, _summary: str) -> bool:
    row = await store.lock_job(tx, claim.job_name, claim.run_date)
    return row is not None and row[0] is status


@proven_by(_has_finished)
async def _finish(tx: Tx, claim: JobClaim, status: JobStatus, summary: str) -> None:
    await store.save_finish(tx, claim, status, summary, await tx.now())


async def give_back_job(db: Database, claim: JobClaim) -> None:
    """Undo the claim of a job that did nothing. Raises LeaseLost when it is no longer the claim's."""
    await transaction(db, _give_back, claim)


async def _is_given_back(tx: Tx, _: None, claim: JobClaim) -> bool:
    row = await store.lock_job(tx, claim.job_name, claim.run_date)
    return row is None or row[1] != claim.token


@proven_by(_is_given_back)
async def _give_back(tx: Tx, claim: JobClaim) -> None:
    await store.delete_claim(tx, claim)
