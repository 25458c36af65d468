"""The timetable: wakes when a job is due, runs it once over all instances, records how it ended (DESIGN 1.8)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import date, datetime, timedelta

import structlog

from daemon.clock import Clock, business_date, wait_for
from daemon.db import DATABASE_FAULTS, Database, is_lost
from daemon.schedule import actions, rules
from daemon.schedule.model import Idle, JobClaim, JobName, JobNotReady, JobStatus, LeaseLost, Run

log = structlog.get_logger(__name__)

Job = Callable[[date], Awaitable[str]]
"""Does the work of one business day and says what it did, in a line for a person (1,000 characters are kept).

It may be run again on the same day after a crash or a database outage, so its effects must be safe to repeat. It is
cancelled when its lease is lost, and should itself end early when the daemon stops.
"""

JOB_LEASE = timedelta(seconds=90)

MAXIMUM_ATTEMPTS = 5
"""Attempts on one day at a job that the database itself interrupts; any other error is final at once."""


async def run_timetable(
    db: Database,
    clock: Clock,
    jobs: Mapping[JobName, Job],
    owner: str,
    stopping: asyncio.Event,
    *,
    lease: timedelta = JOB_LEASE,
) -> None:
    """Run each of `jobs` when it is due, until `stopping` is set; then return once the job in hand has ended.

    A daemon that starts late runs the missed jobs of today, in order, and none of earlier days. A job that raises is
    logged and recorded as FAILED, and its successors run all the same. When the ledger itself can't be reached the
    lane waits and tries again. `owner` names this instance in the ledger.
    """
    async with asyncio.TaskGroup() as group:
        for lane in rules.LANES:
            ours = [name for name in lane if name in jobs]
            if ours:
                group.create_task(_Lane(db, clock, jobs, owner, lease, ours).run(stopping))


class _Lane:
    """Jobs that run one after the other."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        jobs: Mapping[JobName, Job],
        owner: str,
        lease: timedelta,
        names: Collection[JobName],
    ) -> None:
        self._db = db
        self._clock = clock
        self._jobs = jobs
        self._owner = owner
        self._lease = lease
        self._names = names
        self._day: date | None = None
        self._held_back: dict[JobName, datetime] = {}

    async def run(self, stopping: asyncio.Event) -> None:
        """Run due jobs and sleep in between, until `stopping` is set."""
        while not stopping.is_set():
            try:
                until = await self._step()
            except DATABASE_FAULTS as error:
                if not is_lost(error):  # that has been told already
                    log.warning("timetable.ledger_unreachable", error=str(error))
                until = self._clock.now() + rules.RECHECK
            await wait_for(self._clock, stopping, until - self._clock.now())

    async def _step(self) -> datetime:
        """Run the lane's next job if there is one; returns when to look again."""
        now = self._clock.now()
        day = business_date(now)
        if day != self._day:
            self._day, self._held_back = day, {}
        states = await actions.jobs_of_day(self._db, day) if rules.due_jobs(self._names, now) else {}
        match rules.next_job(self._names, states, self._held_back, now):
            case Idle(until=until):
                return until
            case Run(job_name=name):
                await self._run_once(name, day)
                return now

    async def _run_once(self, name: JobName, day: date) -> None:
        claim = await actions.claim_job(self._db, name, day, self._owner, self._lease)
        if claim is None:
            log.debug("job.taken_by_another", job_name=name, run_date=str(day))
            return
        facts = {"job_name": str(name), "run_date": str(day), "attempt": claim.attempt}
        try:
            await self._run_claimed(claim, facts)
        except LeaseLost:
            log.warning("job.lease_lost", **facts)

    async def _run_claimed(self, claim: JobClaim, facts: dict[str, object]) -> None:
        """Do the job and record its end. Raises LeaseLost."""
        try:
            summary = await self._work(claim)
        except JobNotReady as wait:
            log.debug("job.not_ready", reason=wait.reason, **facts)
            self._held_back[claim.job_name] = self._clock.now() + wait.retry_after
            await actions.give_back_job(self._db, claim)
        except LeaseLost:
            raise
        except Exception as error:  # the day goes on without this job; the ledger and the log say why
            if isinstance(error, DATABASE_FAULTS) and claim.attempt < MAXIMUM_ATTEMPTS:
                # Not the job's fault. Left unfinished, it is taken over once its lease has ended.
                log.warning("job.interrupted", error=str(error), **facts)
                return
            log.exception("job.failed", **facts)
            await actions.finish_job(self._db, claim, JobStatus.FAILED, f"{type(error).__name__}: {error}")
        else:
            log.info("job.finished", summary=summary, **facts)
            await actions.finish_job(self._db, claim, JobStatus.SUCCESS, summary)

    async def _work(self, claim: JobClaim) -> str:
        """Do the job while its lease is kept alive; a lost lease cancels it and raises LeaseLost."""
        work = asyncio.ensure_future(self._jobs[claim.job_name](claim.run_date))
        renewal = asyncio.ensure_future(self._keep_lease(claim))
        try:
            await asyncio.wait({work, renewal}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            renewal.result()
            raise AssertionError("unreachable: the lease is kept until it is lost")
        finally:
            work.cancel()
            renewal.cancel()
            await asyncio.gather(work, renewal, return_exceptions=True)

    async def _keep_lease(self, claim: JobClaim) -> None:
        """Renew at a third of the lease for ever. Raises LeaseLost."""
        while True:
            await self._clock.sleep(self._lease / 3)
            try:
                await actions.renew_job(self._db, claim, self._lease)
            except DATABASE_FAULTS as error:
                if not is_lost(error):
                    log.warning("job.renewal_failed", job_name=claim.job_name, error=str(error))
