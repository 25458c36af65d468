"""Daily jobs: their names, the ledger's words, and what can go wrong with a claim (DESIGN 1.8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum


class JobName(StrEnum):
    """Every job of the day, in the order in which a late daemon catches up on them."""

    PREPARE = "prepare"
    LEGACY_COMPANY_BOUND = "legacy-company-bound"
    LEGACY_AGGREGATORS = "legacy-aggregators"
    DEADLINE_SWEEP = "deadline-sweep"
    DEDUP = "dedup"
    EVALUATION = "evaluation"
    SLA = "sla"
    NOTIFICATION = "notification"
    SEEN_CLEANUP = "seen-cleanup"


class JobStatus(StrEnum):
    """Where a job of one day stands; the last two are final."""

    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"


@dataclass(frozen=True, kw_only=True, slots=True)
class JobClaim:
    """The right to run a job of one day until its lease ends; finishing it proves that right with `token`."""

    job_name: JobName
    run_date: date
    token: str
    """Fencing token, a UUID; new with each attempt."""
    attempt: int
    """1 for the first; more when an attempt before it died."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobState:
    """A job's row in the ledger, as far as the timetable needs it."""

    job_name: JobName
    status: JobStatus
    leased: bool
    """Whether someone's lease on it is still in force, by the database's time."""


class LeaseLost(Exception):
    """The job is no longer this instance's: nothing was written to the ledger."""

    def __init__(self, claim: JobClaim) -> None:
        super().__init__(f"job {claim.job_name} of {claim.run_date} is no longer held")
        self.claim = claim


class JobNotReady(Exception):
    """Raised by a job that found its condition unmet, having done nothing: it is asked again `retry_after` later.

    Its claim is given back, so the ledger shows only what ran.
    """

    def __init__(self, reason: str, retry_after: timedelta = timedelta(seconds=30)) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """This job is to be run now."""

    job_name: JobName


@dataclass(frozen=True, kw_only=True, slots=True)
class Idle:
    """Nothing to run before `until`, unless someone else's job ends or fails in the meantime."""

    until: datetime


Next = Run | Idle
