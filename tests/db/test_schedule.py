"""The daily-job ledger on every engine: each job runs once over all instances, and a dead one's work goes on."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.db import Database
from daemon.schedule.actions import claim_job, finish_job, give_back_job, jobs_of_day, renew_job
from daemon.schedule.model import JobClaim, JobName, JobState, JobStatus, LeaseLost
from daemon.schedule.tables import scheduled_job_executions
from tests.databases import open_second
from tests.engines import row, rows

DAY = date(2026, 12, 1)
LEASE = timedelta(seconds=90)
SECOND = timedelta(seconds=1)


async def claim(db: Database, name: JobName = JobName.DEDUP, day: date = DAY, owner: str = "one") -> JobClaim | None:
    return await claim_job(db, name, day, owner, LEASE)


async def claimed(db: Database, owner: str = "one") -> JobClaim:
    found = await claim(db, owner=owner)
    assert found is not None
    return found


async def ledger(db: Database) -> dict[str, Any]:
    return await row(db, scheduled_job_executions)


async def test_a_job_of_a_day_is_given_out_once(db: Database) -> None:
    first = await claimed(db)
    assert first.attempt == 1
    assert await claim(db, owner="two") is None
    entry = await ledger(db)
    assert (entry["job_name"], entry["run_date"], entry["job_status"]) == ("dedup", DAY, "RUNNING")
    assert (entry["owner"], entry["attempt_count"], entry["finished_at"]) == ("one", 1, None)
    assert await claim(db, name=JobName.EVALUATION) is not None
    assert await claim(db, day=DAY + timedelta(days=1)) is not None


@pytest.mark.parametrize("status", [JobStatus.SUCCESS, JobStatus.FAILED])
async def test_a_finished_job_never_runs_again_that_day(db: Database, clock: ManualClock, status: JobStatus) -> None:
    await finish_job(db, await claimed(db), status, "묶음 3건")
    clock.advance(LEASE * 10)
    assert await claim(db) is None
    entry = await ledger(db)
    assert (entry["job_status"], entry["summary"], entry["lease_token"]) == (status, "묶음 3건", None)
    assert entry["finished_at"] is not None


async def test_a_job_is_taken_over_only_once_its_lease_has_ended(db: Database, clock: ManualClock) -> None:
    first = await claimed(db)
    clock.advance(LEASE - SECOND)
    assert await claim(db, owner="two") is None
    clock.advance(SECOND)
    second = await claimed(db, owner="two")
    assert (second.attempt, second.token != first.token) == (2, True)
    entry = await ledger(db)
    assert (entry["owner"], entry["attempt_count"], entry["started_at"]) == ("two", 2, clock.now())


async def test_whoever_lost_a_job_can_neither_finish_nor_renew_nor_give_it_back(
    db: Database, clock: ManualClock
) -> None:
    late = await claimed(db)
    clock.advance(LEASE)
    await claimed(db, owner="two")
    before = await ledger(db)
    with pytest.raises(LeaseLost) as lost:
        await finish_job(db, late, JobStatus.SUCCESS, "too late")
    assert lost.value.claim == late
    with pytest.raises(LeaseLost):
        await renew_job(db, late, LEASE)
    with pytest.raises(LeaseLost):
        await give_back_job(db, late)
    assert await ledger(db) == before


async def test_a_renewed_lease_keeps_the_job(db: Database, clock: ManualClock) -> None:
    held = await claimed(db)
    clock.advance(LEASE - SECOND)
    await renew_job(db, held, LEASE)
    clock.advance(LEASE - SECOND)
    assert await claim(db, owner="two") is None
    await finish_job(db, held, JobStatus.SUCCESS, "")


async def test_a_job_given_back_leaves_no_trace(db: Database) -> None:
    await give_back_job(db, await claimed(db))
    assert await rows(db, scheduled_job_executions) == []
    assert (await claimed(db)).attempt == 1


async def test_a_long_summary_is_cut_at_a_thousand_characters(db: Database) -> None:
    await finish_job(db, await claimed(db), JobStatus.FAILED, "가" * 5000)
    assert (await ledger(db))["summary"] == "가" * 1000


async def test_the_day_shows_who_holds_a_lease_by_the_databases_time(db: Database, clock: ManualClock) -> None:
    await claimed(db)
    held = JobState(job_name=JobName.DEDUP, status=JobStatus.RUNNING, leased=True)
    assert await jobs_of_day(db, DAY) == {JobName.DEDUP: held}
    clock.advance(LEASE)
    assert not (await jobs_of_day(db, DAY))[JobName.DEDUP].leased
    assert await jobs_of_day(db, DAY + timedelta(days=1)) == {}


async def test_of_two_instances_that_ask_at_once_exactly_one_gets_the_job(db: Database) -> None:
    async with open_second(db) as second:
        for number in range(50):
            day = DAY + timedelta(days=number)
            asked = await asyncio.gather(*(claim(one, day=day, owner=f"{one}") for one in (db, second, db, second)))
            assert sum(found is not None for found in asked) == 1, day
    assert {entry["attempt_count"] for entry in await rows(db, scheduled_job_executions)} == {1}


async def test_of_two_instances_that_find_a_dead_ones_job_exactly_one_takes_it_over(
    db: Database, clock: ManualClock
) -> None:
    async with open_second(db) as second:
        for number in range(50):
            day = DAY + timedelta(days=number)
            assert await claim(db, day=day, owner="dead") is not None
            clock.advance(LEASE)
            asked = await asyncio.gather(*(claim(one, day=day, owner="next") for one in (db, second, db, second)))
            assert [found.attempt for found in asked if found is not None] == [2], day
