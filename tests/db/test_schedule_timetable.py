"""The timetable over a real ledger: order, late starts, failing jobs, lost leases, simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError

from daemon.clock import KST, Clock, ManualClock, SimulatedClock, kst
from daemon.db import Database
from daemon.schedule.actions import claim_job, finish_job
from daemon.schedule.loop import MAXIMUM_ATTEMPTS, Job, run_timetable
from daemon.schedule.model import JobName, JobNotReady, JobStatus
from daemon.schedule.tables import scheduled_job_executions
from tests.databases import open_second
from tests.engines import rows

DAY = date(2026, 12, 1)
ORDER = [name for name in JobName if name is not JobName.SLA]


class Diary:
    """Jobs that write down that they ran."""

    def __init__(self) -> None:
        self.ran: list[tuple[JobName, date]] = []

    def jobs(self, *names: JobName) -> dict[JobName, Job]:
        return {name: self._job(name) for name in names or ORDER}

    def _job(self, name: JobName) -> Job:
        async def run(day: date) -> str:
            self.ran.append((name, day))
            return f"{name} done"

        return run


@asynccontextmanager
async def timetable(
    db: Database, jobs: Mapping[JobName, Job], *, clock: Clock | None = None, owner: str = "one"
) -> AsyncIterator[None]:
    """The timetable running beside the test; it has stopped in good order afterwards."""
    stopping = asyncio.Event()
    task = asyncio.create_task(run_timetable(db, clock or db.clock, jobs, owner, stopping))
    try:
        yield
        assert not task.done(), "the timetable ended by itself"
    finally:
        stopping.set()
        await asyncio.wait_for(task, 10)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait, in real time, for something that other tasks bring about."""
    async with asyncio.timeout(20):
        while not await condition():
            await asyncio.sleep(0.005)


async def ledger(db: Database) -> dict[str, dict[str, Any]]:
    return {entry["job_name"]: entry for entry in await rows(db, scheduled_job_executions)}


async def until_over(db: Database, *names: JobName) -> dict[str, dict[str, Any]]:
    async def over() -> bool:
        entries = await ledger(db)
        return all(name in entries and entries[name]["finished_at"] is not None for name in names)

    await until(over)
    return await ledger(db)


async def test_a_daemon_that_starts_late_runs_all_missed_jobs_of_today_once_and_in_order(
    db: Database, clock: ManualClock
) -> None:
    clock.set(kst(DAY, 14))
    diary = Diary()
    async with timetable(db, diary.jobs()):
        entries = await until_over(db, *ORDER)
    assert diary.ran == [(name, DAY) for name in ORDER]
    assert {entry["job_status"] for entry in entries.values()} == {"SUCCESS"}
    assert entries["dedup"]["summary"] == "dedup done"
    async with timetable(db, diary.jobs(), owner="restarted"):
        clock.advance(timedelta(minutes=5))
        await asyncio.sleep(0.05)
    assert len(diary.ran) == len(ORDER)


async def test_time_that_jumps_ahead_by_days_runs_the_last_day_only(db: Database, clock: ManualClock) -> None:
    diary = Diary()
    async with timetable(db, diary.jobs(JobName.PREPARE, JobName.DEDUP)):
        await until_over(db, JobName.PREPARE)
        clock.set(kst(date(2026, 12, 4), 8, 29, 59))

        async def prepared() -> bool:
            return (JobName.PREPARE, date(2026, 12, 4)) in diary.ran

        await until(prepared)
        clock.advance(timedelta(seconds=1))

        async def deduped() -> bool:
            return len(diary.ran) == 3

        await until(deduped)
    assert diary.ran == [
        (JobName.PREPARE, DAY),
        (JobName.PREPARE, date(2026, 12, 4)),
        (JobName.DEDUP, date(2026, 12, 4)),
    ]


async def test_a_failing_job_is_recorded_with_its_error_and_stops_no_other(db: Database, clock: ManualClock) -> None:
    clock.set(kst(DAY, 9, 30))
    diary = Diary()

    async def broken(_day: date) -> str:
        raise ValueError("no such group: 가나다")

    async with timetable(db, diary.jobs() | {JobName.DEDUP: broken}):
        entries = await until_over(db, JobName.DEDUP, JobName.NOTIFICATION)
    assert (entries["dedup"]["job_status"], entries["dedup"]["attempt_count"]) == ("FAILED", 1)
    assert entries["dedup"]["summary"] == "ValueError: no such group: 가나다"
    assert entries["notification"]["job_status"] == "SUCCESS"


async def test_the_notification_waits_for_its_condition_and_then_runs(db: Database, clock: ManualClock) -> None:
    """Ticket BE-43: notification starts only once the snapshot is captured, or explicitly missed."""
    clock.set(kst(DAY, 9))
    settled = False
    asked = 0

    async def notify(_day: date) -> str:
        nonlocal asked
        asked += 1
        if not settled:
            raise JobNotReady("snapshot PENDING", retry_after=timedelta(seconds=1))
        return "sent"

    async with timetable(db, {JobName.NOTIFICATION: notify}):

        async def refused() -> bool:
            return asked == 1 and not await ledger(db)

        await until(refused)
        settled = True
        await asyncio.sleep(0.03)
        assert asked == 1
        clock.advance(timedelta(seconds=1))
        entries = await until_over(db, JobName.NOTIFICATION)
    assert (entries["notification"]["summary"], entries["notification"]["attempt_count"]) == ("sent", 1)


async def test_the_nine_oclock_cutoff_does_not_wait_for_a_job_that_takes_long(db: Database, clock: ManualClock) -> None:
    clock.set(kst(DAY, 8, 30))
    diary = Diary()
    go_on = asyncio.Event()

    async def endless(_day: date) -> str:
        await go_on.wait()
        return "at last"

    jobs = diary.jobs(JobName.SLA, JobName.EVALUATION) | {JobName.DEDUP: endless}
    async with timetable(db, jobs):

        async def dedup_runs() -> bool:
            return "dedup" in await ledger(db)

        await until(dedup_runs)
        clock.set(kst(DAY, 9))
        await until_over(db, JobName.SLA)
        assert diary.ran == [(JobName.SLA, DAY)]
        go_on.set()
        await until_over(db, JobName.EVALUATION)


async def test_a_long_job_keeps_its_lease_alive(db: Database, clock: ManualClock) -> None:
    go_on = asyncio.Event()

    async def long_job(_day: date) -> str:
        await go_on.wait()
        return "done"

    async with timetable(db, {JobName.PREPARE: long_job}):
        for _ in range(10):
            lease_until = (await ledger(db)).get("prepare", {}).get("lease_until")

            async def renewed(known: datetime | None = lease_until) -> bool:
                clock.advance(timedelta(seconds=1))
                entry = (await ledger(db)).get("prepare")
                return entry is not None and entry["lease_until"] != known

            await until(renewed)
            assert await claim_job(db, JobName.PREPARE, DAY, "thief", timedelta(seconds=90)) is None
        go_on.set()
        entries = await until_over(db, JobName.PREPARE)
    assert entries["prepare"]["attempt_count"] == 1


async def test_a_job_that_lost_its_lease_is_cancelled_and_writes_nothing(db: Database, clock: ManualClock) -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(_day: date) -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "unreachable"

    later = ManualClock(clock.now() + timedelta(hours=1))
    async with open_second(db, later) as second, timetable(db, {JobName.PREPARE: slow}):
        await asyncio.wait_for(started.wait(), 5)
        stolen = await claim_job(second, JobName.PREPARE, DAY, "two", timedelta(seconds=90))
        assert stolen is not None
        clock.advance(timedelta(seconds=30))
        await asyncio.wait_for(cancelled.wait(), 5)
        await finish_job(second, stolen, JobStatus.SUCCESS, "by the second")
        entries = await until_over(db, JobName.PREPARE)
    assert (entries["prepare"]["owner"], entries["prepare"]["summary"]) == ("two", "by the second")


async def test_a_dead_instances_job_is_taken_over_and_its_successors_wait_for_it(
    db: Database, clock: ManualClock
) -> None:
    clock.set(kst(DAY, 8, 50))
    diary = Diary()
    assert await claim_job(db, JobName.DEDUP, DAY, "dead", timedelta(seconds=90)) is not None
    async with timetable(db, diary.jobs(JobName.DEDUP, JobName.EVALUATION)):
        await asyncio.sleep(0.05)
        assert diary.ran == []

        async def over() -> bool:
            clock.advance(timedelta(seconds=5))
            return len(diary.ran) == 2

        await until(over)
        entries = await until_over(db, JobName.DEDUP, JobName.EVALUATION)
    assert [name for name, _ in diary.ran] == [JobName.DEDUP, JobName.EVALUATION]
    assert (entries["dedup"]["owner"], entries["dedup"]["attempt_count"]) == ("one", 2)


async def test_a_job_cut_off_from_the_database_is_tried_again_but_not_for_ever(
    db: Database, clock: ManualClock
) -> None:
    attempts = 0

    async def cut_off(_day: date) -> str:
        nonlocal attempts
        attempts += 1
        raise OperationalError("SELECT 1", {}, Exception("Lost connection"))

    async with timetable(db, {JobName.PREPARE: cut_off}):

        async def over() -> bool:
            clock.advance(timedelta(seconds=30))
            await asyncio.sleep(0.02)
            return (await ledger(db))["prepare"]["finished_at"] is not None

        async def begun() -> bool:
            return attempts == 1

        await until(begun)
        await until(over)
    assert attempts == MAXIMUM_ATTEMPTS
    assert (await ledger(db))["prepare"]["job_status"] == "FAILED"


async def test_two_instances_share_the_day_and_run_each_job_once(db: Database, clock: ManualClock) -> None:
    clock.set(kst(DAY, 23))
    diary = Diary()
    async with open_second(db) as second:
        one, two = timetable(db, diary.jobs(*JobName)), timetable(second, diary.jobs(*JobName), owner="two")
        async with one, two:

            async def over() -> bool:
                clock.advance(timedelta(seconds=1))
                return len([e for e in (await ledger(db)).values() if e["finished_at"]]) == len(JobName)

            await until(over)
    assert sorted(name for name, _ in diary.ran) == sorted(JobName)
    assert [name for name, _ in diary.ran if name is not JobName.SLA] == ORDER


async def test_stopping_lets_the_job_in_hand_end_and_starts_no_other(db: Database, clock: ManualClock) -> None:
    clock.set(kst(DAY, 9))
    diary = Diary()
    stopping = asyncio.Event()

    async def last(_day: date) -> str:
        stopping.set()
        await asyncio.sleep(0.02)
        return "ended well"

    jobs = diary.jobs(JobName.DEDUP) | {JobName.PREPARE: last}
    await asyncio.wait_for(run_timetable(db, clock, jobs, "one", stopping), 10)
    entries = await ledger(db)
    assert (entries["prepare"]["summary"], diary.ran) == ("ended well", [])


async def test_a_simulated_clock_that_is_rewritten_wakes_the_timetable(db: Database, tmp_path: Path) -> None:
    file = tmp_path / "clock.json"
    SimulatedClock.write(file, datetime(2026, 12, 1, 0, 0, 1, tzinfo=KST), 1)
    clock = SimulatedClock(file)
    diary = Diary()
    async with (
        open_second(db, clock) as simulated,
        timetable(simulated, diary.jobs(JobName.PREPARE, JobName.DEDUP), clock=clock),
    ):
        await until_over(db, JobName.PREPARE)
        SimulatedClock.write(file, datetime(2026, 12, 1, 8, 30, tzinfo=KST), 1)
        await until_over(db, JobName.DEDUP)
    assert diary.ran == [(JobName.PREPARE, DAY), (JobName.DEDUP, DAY)]
