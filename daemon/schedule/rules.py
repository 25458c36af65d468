"""When each daily job is due, and which one is next (DESIGN 1.8; seed 001, Scheduler)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

from daemon.clock import business_date, kst
from daemon.schedule.model import Idle, JobName, JobState, JobStatus, Next, Run

TIMETABLE: Mapping[JobName, tuple[int, int]] = {
    JobName.PREPARE: (0, 0),
    JobName.LEGACY_COMPANY_BOUND: (0, 0),
    JobName.LEGACY_AGGREGATORS: (0, 10),
    JobName.DEADLINE_SWEEP: (0, 30),
    JobName.DEDUP: (8, 30),
    JobName.EVALUATION: (8, 50),
    JobName.SLA: (9, 0),
    JobName.NOTIFICATION: (9, 0),
    JobName.SEEN_CLEANUP: (10, 15),
}
"""KST hour and minute of each job."""

LANES: tuple[tuple[JobName, ...], ...] = (
    (JobName.SLA,),
    tuple(name for name in JobName if name is not JobName.SLA),
)
"""Jobs of a lane run one after the other. The 09:00 cutoff has its own: a long dedup must not make it late."""

RECHECK = timedelta(seconds=30)
"""Longest sleep of a lane: another instance may have died with a job in hand."""


def due_at(name: JobName, day: date) -> datetime:
    """The instant from which the job of business day `day` may run, UTC."""
    return kst(day, *TIMETABLE[name])


def due_jobs(lane: Collection[JobName], now: datetime) -> tuple[JobName, ...]:
    """The lane's jobs of the present business day whose time has come, in catch-up order; never an earlier day's."""
    day = business_date(now)
    return tuple(name for name in JobName if name in lane and due_at(name, day) <= now)


def next_job(
    lane: Collection[JobName],
    states: Mapping[JobName, JobState],
    held_back: Mapping[JobName, datetime],
    now: datetime,
) -> Next:
    """What a lane does at `now`, given today's ledger and the jobs that asked to be left alone until an instant.

    A job that is over is never run again. One that another instance has in hand keeps its successors waiting, so that
    the order holds over all instances; a job that is held back does not.
    """
    for name in due_jobs(lane, now):
        state = states.get(name)
        if state is not None and state.status is not JobStatus.RUNNING:
            continue
        if state is not None and state.leased:
            return Idle(until=now + RECHECK)
        if held_back.get(name, now) <= now:
            return Run(job_name=name)
    return Idle(until=_next_wake(lane, held_back, now))


def _next_wake(lane: Collection[JobName], held_back: Mapping[JobName, datetime], now: datetime) -> datetime:
    day = business_date(now)
    instants = [due_at(name, when) for name in lane for when in (day, day + timedelta(days=1))]
    instants += [held_back[name] for name in lane if name in held_back]
    return min(now + RECHECK, *(instant for instant in instants if instant > now))
