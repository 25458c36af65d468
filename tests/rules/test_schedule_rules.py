"""When daily jobs are due and which one is next (DESIGN 1.8)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from daemon.clock import kst
from daemon.schedule.model import Idle, JobName, JobState, JobStatus, Run
from daemon.schedule.rules import LANES, RECHECK, due_at, due_jobs, next_job

DAY = date(2026, 12, 1)
SLA_LANE, MAIN_LANE = LANES
ORDER = (
    JobName.PREPARE,
    JobName.LEGACY_COMPANY_BOUND,
    JobName.LEGACY_AGGREGATORS,
    JobName.DEADLINE_SWEEP,
    JobName.DEDUP,
    JobName.EVALUATION,
    JobName.NOTIFICATION,
    JobName.SEEN_CLEANUP,
)


def state(name: JobName, status: JobStatus, leased: bool = False) -> dict[JobName, JobState]:
    return {name: JobState(job_name=name, status=status, leased=leased)}


def done(*names: JobName) -> dict[JobName, JobState]:
    return {name: JobState(job_name=name, status=JobStatus.SUCCESS, leased=False) for name in names}


@pytest.mark.parametrize(
    ("name", "utc"),
    [
        (JobName.PREPARE, "2026-11-30T15:00"),
        (JobName.LEGACY_COMPANY_BOUND, "2026-11-30T15:00"),
        (JobName.LEGACY_AGGREGATORS, "2026-11-30T15:10"),
        (JobName.DEADLINE_SWEEP, "2026-11-30T15:30"),
        (JobName.DEDUP, "2026-11-30T23:30"),
        (JobName.EVALUATION, "2026-11-30T23:50"),
        (JobName.SLA, "2026-12-01T00:00"),
        (JobName.NOTIFICATION, "2026-12-01T00:00"),
        (JobName.SEEN_CLEANUP, "2026-12-01T01:15"),
    ],
)
def test_each_job_is_due_at_its_korean_time(name: JobName, utc: str) -> None:
    assert due_at(name, DAY) == datetime.fromisoformat(utc).replace(tzinfo=UTC)


def test_every_job_runs_in_exactly_one_lane() -> None:
    assert sorted(name for lane in LANES for name in lane) == sorted(JobName)
    assert ORDER == MAIN_LANE


def test_a_job_is_due_from_its_very_instant_on() -> None:
    instant = due_at(JobName.DEDUP, DAY)
    assert JobName.DEDUP not in due_jobs(MAIN_LANE, instant - timedelta(microseconds=1))
    assert JobName.DEDUP in due_jobs(MAIN_LANE, instant)


def test_a_late_start_finds_all_missed_jobs_of_today_in_order() -> None:
    assert due_jobs(MAIN_LANE, kst(DAY, 23, 59)) == ORDER


def test_just_after_midnight_nothing_of_yesterday_is_due() -> None:
    assert due_jobs(MAIN_LANE, kst(DAY, 0, 5)) == (JobName.PREPARE, JobName.LEGACY_COMPANY_BOUND)
    assert due_jobs(SLA_LANE, kst(DAY, 0, 5)) == ()


def test_the_first_job_that_is_not_over_is_run_next() -> None:
    now = kst(DAY, 9, 30)
    assert next_job(MAIN_LANE, {}, {}, now) == Run(job_name=JobName.PREPARE)
    assert next_job(MAIN_LANE, done(*ORDER[:4]), {}, now) == Run(job_name=JobName.DEDUP)


def test_a_failed_job_is_over_and_lets_its_successors_run() -> None:
    ledger = done(*ORDER[:4]) | state(JobName.DEDUP, JobStatus.FAILED)
    assert next_job(MAIN_LANE, ledger, {}, kst(DAY, 9)) == Run(job_name=JobName.EVALUATION)


def test_a_job_in_another_instances_hands_keeps_its_successors_waiting() -> None:
    now = kst(DAY, 9)
    ledger = done(*ORDER[:4]) | state(JobName.DEDUP, JobStatus.RUNNING, leased=True)
    assert next_job(MAIN_LANE, ledger, {}, now) == Idle(until=now + RECHECK)


def test_a_job_whose_lease_has_ended_is_run_again() -> None:
    ledger = done(*ORDER[:4]) | state(JobName.DEDUP, JobStatus.RUNNING, leased=False)
    assert next_job(MAIN_LANE, ledger, {}, kst(DAY, 9)) == Run(job_name=JobName.DEDUP)


def test_a_job_that_is_not_ready_keeps_no_one_waiting_and_is_asked_again() -> None:
    now = kst(DAY, 10, 30)
    held = {JobName.NOTIFICATION: now + timedelta(seconds=10)}
    ledger = done(*ORDER[:6])
    assert next_job(MAIN_LANE, ledger, held, now) == Run(job_name=JobName.SEEN_CLEANUP)
    ledger |= done(JobName.SEEN_CLEANUP)
    assert next_job(MAIN_LANE, ledger, held, now) == Idle(until=now + timedelta(seconds=10))
    assert next_job(MAIN_LANE, ledger, held, now + timedelta(seconds=10)) == Run(job_name=JobName.NOTIFICATION)


def test_a_lane_never_wakes_for_a_time_that_has_come() -> None:
    at_the_hour = kst(DAY, 9)
    assert next_job(SLA_LANE, done(JobName.SLA), {}, at_the_hour) == Idle(until=at_the_hour + RECHECK)


def test_an_idle_lane_wakes_for_the_next_job_but_looks_around_before_long() -> None:
    before = kst(DAY, 8, 29, 50)
    assert next_job(MAIN_LANE, done(*ORDER[:4]), {}, before) == Idle(until=kst(DAY, 8, 30))
    long_before = kst(DAY, 3)
    assert next_job(MAIN_LANE, done(*ORDER[:4]), {}, long_before) == Idle(until=long_before + RECHECK)
    night = kst(DAY, 23, 59, 45)
    assert next_job(MAIN_LANE, done(*ORDER), {}, night) == Idle(until=kst(date(2026, 12, 2), 0))
