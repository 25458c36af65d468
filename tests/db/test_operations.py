"""The operations views on every engine (seed 000, operation contract; seed 001, Operations)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import text, update

from daemon.clock import ManualClock, kst
from daemon.collection.engine import Progress
from daemon.collection.model import CycleStatus, RunStatus
from daemon.collection.tables import (
    external_request_host_limits,
    job_posting_collection_cycles,
    job_source_health,
)
from daemon.company.actions import disable_source
from daemon.db import Database, Tx, reading, transaction
from daemon.flags.actions import switch_flag
from daemon.operations import actions, store
from daemon.operations.metrics import exposition
from daemon.operations.model import CollectionRuns, SeenLevel, SnapshotStatus
from daemon.schedule.actions import claim_job, finish_job
from daemon.schedule.model import JobName, JobStatus
from daemon.sources.model import Platform
from tests.db.collected import add, add_cycle, add_header, add_item, add_run, add_seen
from tests.engines import add_source

DAY = date(2026, 12, 1)
YESTERDAY = DAY - timedelta(days=1)


async def whole_history(db: Database, job_source_id: int | None, days: int) -> CollectionRuns:
    """The history with all its runs."""
    around, lots = await actions.collection_history(db, job_source_id, days)
    return replace(around, runs=tuple([run async for lot in lots for run in lot]))


async def test_runs_and_cycles_are_shown_together_and_run_status_keeps_its_meaning(db: Database) -> None:
    """Seed 000 Testing Plan, operation contract: `runStatus` keeps its meaning beside `cycleStatus` and the budget."""
    sources = [await add_source(db, slug=f"s{number}") for number in range(6)]
    await add_run(db, sources[0], YESTERDAY, "SUCCESS", fetched_count=7, new_count=2, closed_count=1)
    await add_cycle(db, sources[0], DAY, CycleStatus.SUCCESS, fetched_count=9, new_count=1, list_page_count=2)
    await add_cycle(
        db, sources[1], DAY, CycleStatus.FAILED, failure_reason="BLOCKED", failure_cause_summary="a block page"
    )
    reason = "LIST_PAGE_LIMIT"
    await add_cycle(db, sources[2], DAY, CycleStatus.BUDGET_EXHAUSTED, budget_exhausted_reason=reason, fetched_count=5)
    await add_cycle(db, sources[3], DAY, CycleStatus.RUNNING, fetched_count=3)
    await add_cycle(db, sources[4], DAY, CycleStatus.SUCCESS, fetched_count=0)
    await add_run(db, sources[5], DAY, "FAILED", failure_reason="TIMEOUT")

    found = await whole_history(db, None, 30)
    assert [(run.run_date, run.job_source_id) for run in found.runs] == [
        *((DAY, source) for source in sources),
        (YESTERDAY, sources[0]),
    ]
    shown = {(run.run_date, run.job_source_id): run for run in found.runs}
    statuses = [(run.run_status, run.cycle_status, run.abnormal, run.close_guarded) for run in found.runs]
    assert statuses == [
        (RunStatus.SUCCESS, CycleStatus.SUCCESS, False, False),
        (RunStatus.FAILED, CycleStatus.FAILED, True, True),
        (None, CycleStatus.BUDGET_EXHAUSTED, False, True),
        (None, CycleStatus.RUNNING, False, True),
        (RunStatus.SUCCESS, CycleStatus.SUCCESS, True, True),
        (RunStatus.FAILED, None, True, None),
        (RunStatus.SUCCESS, None, False, None),
    ]
    assert shown[DAY, sources[1]].error_message == "a block page"
    assert shown[DAY, sources[1]].failure_reason == "BLOCKED"
    assert shown[DAY, sources[2]].budget_exhausted_reason == reason
    assert shown[DAY, sources[5]].error_message == "TIMEOUT"
    assert shown[DAY, sources[0]].source_label == "회사 s0 (WOOWAHAN s0)"
    legacy = shown[YESTERDAY, sources[0]]
    assert (legacy.fetched_count, legacy.new_count, legacy.closed_count, legacy.error_message) == (7, 2, 1, None)
    assert (legacy.list_page_count, legacy.is_complete, legacy.finished_at is not None) == (None, None, True)
    # Over: SUCCESS ×2, BUDGET_EXHAUSTED, FAILED by cycle; SUCCESS and FAILED by legacy run. RUNNING does not count.
    assert found.success_rate == pytest.approx(4 / 6)
    outcomes = (await actions.machine(db, 30, 14)).outcomes
    assert outcomes.success_rate == found.success_rate
    assert {
        (each.run_date, each.job_source_id): (each.source_label, each.status, each.reason) for each in outcomes.days
    } == {key: (run.source_label, run.cycle_status or run.run_status, run.failure_reason) for key, run in shown.items()}
    latest = await actions.latest_runs(db, [sources[0], sources[4], 999], 30)
    assert {key: [run.run_date for run in runs] for key, runs in latest.items()} == {
        sources[0]: [DAY, YESTERDAY],
        sources[4]: [DAY],
        999: [],
    }


async def test_only_the_days_and_the_source_asked_for_are_shown(db: Database) -> None:
    one, two = await add_source(db, slug="one"), await add_source(db, slug="two")
    for back in range(4):
        await add_cycle(db, one, DAY - timedelta(days=back), CycleStatus.SUCCESS, fetched_count=1)
        await add_run(db, two, DAY - timedelta(days=back), "FAILED")
    assert len((await whole_history(db, None, 30)).runs) == 8
    two_days = await whole_history(db, None, 2)
    assert {run.run_date for run in two_days.runs} == {DAY, YESTERDAY}
    assert two_days.success_rate == pytest.approx(0.5)
    only = await whole_history(db, one, 30)
    assert {run.job_source_id for run in only.runs} == {one}
    assert only.success_rate == 1.0
    nothing = await whole_history(db, 999_999, 30)
    assert (nothing.runs, nothing.success_rate) == ((), None)


async def test_a_history_read_in_lots_is_whole_and_newest_first(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A year of many sources must not be made in one go: everything else would wait for it."""
    sources = [await add_source(db, slug=slug) for slug in ("a", "b")]
    for back in range(7):
        for source in sources:
            await add_cycle(db, source, DAY - timedelta(days=back), CycleStatus.SUCCESS, fetched_count=back)
    whole = await whole_history(db, None, 7)
    assert len(whole.runs) == 14
    monkeypatch.setattr(actions, "_RUNS_AT_ONCE", 4)
    around, lots = await actions.collection_history(db, None, 7)
    read = [lot async for lot in lots]
    assert [len(lot) for lot in read] == [4, 4, 4, 2]
    assert replace(around, runs=tuple(run for lot in read for run in lot)) == whole


async def test_before_nine_the_snapshot_counts_nobody_late_even_if_all_are(db: Database, clock: ManualClock) -> None:
    """Seed 000 Testing Plan, operation contract: before 09:00 count 0 and no items."""
    source = await add_source(db)
    await add_cycle(db, source, DAY, CycleStatus.FAILED)
    await add_header(db, DAY, "PENDING")
    clock.set(kst(DAY, 8, 59, 59))
    snapshot = (await whole_history(db, None, 30)).sla_snapshot
    assert (snapshot.snapshot_date, snapshot.scheduled_at) == (DAY, kst(DAY, 9))
    assert (snapshot.capture_status, snapshot.late_before_notification_count, snapshot.items) == (
        SnapshotStatus.PENDING,
        0,
        (),
    )


async def test_a_captured_snapshot_shows_nine_oclock_whatever_became_of_the_cycles(
    db: Database, clock: ManualClock
) -> None:
    """Seed 000 Testing Plan, operation contract, and ticket BE-43: items are immutable and counted, not the cycles."""
    done, running, waiting = [await add_source(db, slug=slug) for slug in ("a", "b", "c")]
    header = await add_header(db, DAY, "CAPTURED", captured_at=kst(DAY, 9, 0, 1))
    await add_item(db, header, done, CycleStatus.SUCCESS, 10)
    await add_item(db, header, running, CycleStatus.RUNNING, 4)
    await add_item(db, header, waiting, CycleStatus.NOT_STARTED, 0)
    for source in (done, running, waiting):
        await add_cycle(db, source, DAY, CycleStatus.SUCCESS, fetched_count=10)
    clock.set(kst(DAY, 12))
    snapshot = (await whole_history(db, done, 30)).sla_snapshot
    assert (snapshot.capture_status, snapshot.captured_at) == (SnapshotStatus.CAPTURED, kst(DAY, 9, 0, 1))
    assert snapshot.late_before_notification_count == 2
    assert snapshot.items is not None
    assert [(item.job_source_id, item.captured_cycle_status, item.late) for item in snapshot.items] == [
        (done, CycleStatus.SUCCESS, False),
        (running, CycleStatus.RUNNING, True),
        (waiting, CycleStatus.NOT_STARTED, True),
    ]
    assert snapshot.items[0].captured_is_complete
    assert snapshot.items[1].captured_close_guarded
    assert snapshot.items[1].captured_fetched_count == 4


@pytest.mark.parametrize(
    ("status", "reason"), [("MISSED", "no instance was running at 09:00"), ("NOT_APPLICABLE", None), (None, None)]
)
async def test_a_missed_void_or_absent_snapshot_is_null_and_never_guessed(
    db: Database, clock: ManualClock, status: str | None, reason: str | None
) -> None:
    """Seed 000 Testing Plan, operation contract: MISSED/NOT_APPLICABLE/UNAVAILABLE have count and items NULL."""
    await add_cycle(db, await add_source(db), DAY, CycleStatus.FAILED)
    await add_header(db, YESTERDAY, "CAPTURED")
    if status is not None:
        await add_header(db, DAY, status, miss_reason=reason)
    clock.set(kst(DAY, 10))
    snapshot = (await whole_history(db, None, 30)).sla_snapshot
    assert snapshot.capture_status == (status or "UNAVAILABLE")
    assert (snapshot.late_before_notification_count, snapshot.items, snapshot.captured_at) == (None, None, None)
    assert snapshot.miss_reason == reason


async def test_only_seen_rows_of_ended_cycles_older_than_48_hours_are_counted(db: Database, clock: ManualClock) -> None:
    """Seed 000 Testing Plan, operation contract: `seenRowsOlderThan48Hours` at 0, 1 and 1,000."""
    sources = [await add_source(db, slug=f"s{number}") for number in range(4)]
    now = clock.now()
    old = now - timedelta(hours=48, microseconds=1)
    for source, status in zip(
        sources[:3], (CycleStatus.RUNNING, CycleStatus.PENDING, CycleStatus.NOT_STARTED), strict=True
    ):
        await add_seen(db, await add_cycle(db, source, DAY, status), 3, old)
    ended = await add_cycle(db, sources[3], YESTERDAY, CycleStatus.BUDGET_EXHAUSTED)
    await add_seen(db, ended, 5, now - timedelta(hours=48))

    async def told() -> tuple[int, SeenLevel]:
        found = await whole_history(db, None, 30)
        return found.seen_rows_older_than_48_hours, found.seen_rows_older_than_48_hours_level

    assert await told() == (0, SeenLevel.OK)
    await add_seen(db, ended, 1, old, first=1000)
    assert await told() == (1, SeenLevel.WARNING)
    await add_seen(db, ended, 998, old, first=2000)
    assert await told() == (999, SeenLevel.WARNING)
    await add_seen(db, ended, 1, old, first=5000)
    assert await told() == (1000, SeenLevel.CRITICAL)


async def test_the_seen_metric_goes_by_age_first(server_db: Database) -> None:
    """Seed 000, Q8: the seen created_at index first, then the parent's status."""
    source = await add_source(server_db)
    now = await reading(server_db, _now)
    for back in range(3):
        cycle = await add_cycle(server_db, source, DAY - timedelta(days=back), CycleStatus.SUCCESS)
        await add_seen(server_db, cycle, 2000, now - timedelta(hours=1), first=back * 5000)
    await transaction(server_db, _execute, "ANALYZE TABLE job_posting_collection_seen_postings")
    async with server_db.engine.connect() as connection:
        statements: list[str] = []

        class Spy(Tx):
            async def execute(self, statement: Any, rows: Any = None) -> Any:
                bound = statement.params(rows or {})
                compiled = bound.compile(dialect=connection.dialect, compile_kwargs={"literal_binds": True})
                statements.append(str(compiled))
                return await super().execute(statement, rows)

        await store.count_old_seen(Spy(connection, server_db.clock), now)
        plan = (await connection.execute(text("EXPLAIN FORMAT=TRADITIONAL " + statements[0]))).mappings().all()
    assert [(step["table"], step["key"]) for step in plan] == [
        ("job_posting_collection_seen_postings", "idx_job_posting_collection_seen_postings_created_cycle"),
        ("job_posting_collection_cycles", "PRIMARY"),
    ]
    assert plan[0]["type"] == "range"


async def _now(tx: Tx) -> Any:
    return await tx.now()


async def _execute(tx: Tx, statement: str) -> None:
    await tx.execute(text(statement))


async def test_cycles_are_listed_newest_day_first_by_filter_and_page(db: Database) -> None:
    one, two = await add_source(db, slug="one"), await add_source(db, slug="two")
    for back in range(3):
        await add_cycle(db, one, DAY - timedelta(days=back), CycleStatus.SUCCESS, fetched_count=back + 1)
        await add_cycle(
            db, two, DAY - timedelta(days=back), CycleStatus.FAILED, failure_reason="TIMEOUT", skipped_count=2
        )
    page = await actions.cycles(db, None, None, None, 0, 4)
    assert (page.total_count, page.page, page.size) == (6, 0, 4)
    assert [(cycle.run_date, cycle.job_source_id) for cycle in page.cycles] == [
        (DAY, one),
        (DAY, two),
        (YESTERDAY, one),
        (YESTERDAY, two),
    ]
    last = await actions.cycles(db, None, None, None, 1, 4)
    assert [cycle.run_date for cycle in last.cycles] == [DAY - timedelta(days=2)] * 2
    failed = await actions.cycles(db, DAY, CycleStatus.FAILED, None, 0, 50)
    assert [(cycle.job_source_id, cycle.failure_reason, cycle.abnormal) for cycle in failed.cycles] == [
        (two, "TIMEOUT", True)
    ]
    assert (failed.cycles[0].skipped_count, failed.cycles[0].cycle_status) == (2, CycleStatus.FAILED)
    assert (await actions.cycles(db, None, None, one, 0, 50)).total_count == 3
    assert (await actions.cycles(db, None, None, 999_999, 0, 50)).cycles == ()


async def test_daily_jobs_are_listed_in_the_order_of_the_timetable(db: Database) -> None:
    for name in (JobName.DEDUP, JobName.PREPARE):
        claim = await claim_job(db, name, DAY, "box:1", timedelta(seconds=90))
        assert claim is not None
        await finish_job(db, claim, JobStatus.SUCCESS, f"{name} done")
    assert await claim_job(db, JobName.PREPARE, YESTERDAY, "box:1", timedelta(seconds=90)) is not None
    jobs = (await actions.scheduled_jobs(db, 2)).jobs
    assert [(job.job_name, job.run_date, job.job_status) for job in jobs] == [
        (JobName.PREPARE, DAY, JobStatus.SUCCESS),
        (JobName.DEDUP, DAY, JobStatus.SUCCESS),
        (JobName.PREPARE, YESTERDAY, JobStatus.RUNNING),
    ]
    assert (jobs[1].summary, jobs[1].scheduled_at, jobs[1].owner) == ("dedup done", kst(DAY, 8, 30), "box:1")
    assert len((await actions.scheduled_jobs(db, 1)).jobs) == 2


async def test_today_shows_each_source_with_its_state_reason_and_health(db: Database, clock: ManualClock) -> None:
    done, cut, idle, gone = [await add_source(db, slug=slug) for slug in ("done", "cut", "idle", "gone")]
    counts: dict[str, Any] = {
        "list_page_count": 2,
        "fetched_count": 150,
        "new_count": 3,
        "changed_count": 2,
        "closed_count": 1,
    }
    await add_cycle(db, done, DAY, CycleStatus.SUCCESS, missed_count=4, **counts)
    await add_cycle(db, cut, DAY, CycleStatus.BUDGET_EXHAUSTED, budget_exhausted_reason="POSTING_LIMIT")
    await add_header(db, DAY, "PENDING")
    await disable_source(db, gone)
    await switch_flag(db, "posting.collection-dispatch-v2", True)
    now = clock.now()
    health = {"consecutive_abnormal_days": 3, "failure_episode": 1, "created_at": now, "updated_at": now}
    await add(
        db,
        job_source_health,
        {"job_source_id": cut, "broken_since": now, **health},
        {"job_source_id": gone, "broken_since": now, **health},
    )
    today = await actions.today(db)
    assert today.run_date == DAY
    assert [(source.job_source_id, source.status) for source in today.sources] == [
        (done, CycleStatus.SUCCESS),
        (cut, CycleStatus.BUDGET_EXHAUSTED),
        (idle, None),
    ]
    first, second, _ = today.sources
    assert (first.list_page_count, first.fetched_count, first.new_count) == (2, 150, 3)
    assert (first.changed_count, first.missed_count, first.closed_count) == (2, 4, 1)
    assert (second.reason, second.broken_since) == ("POSTING_LIMIT", clock.now())
    assert today.sla_snapshot.late_before_notification_count == 0
    assert [flag.flag_key for flag in today.flags if flag.enabled] == ["posting.collection-dispatch-v2"]
    assert await actions.broken_sources(db) == {cut: clock.now()}


async def test_metrics_tell_the_day_from_the_database_and_the_process(db: Database, clock: ManualClock) -> None:
    one, two = await add_source(db, slug="one"), await add_source(db, slug="two")
    await add_cycle(db, one, DAY, CycleStatus.SUCCESS, fetched_count=1)
    await add_cycle(db, two, DAY, CycleStatus.FAILED, failure_reason="LEASE_EXPIRED")
    await add_cycle(db, two, YESTERDAY, CycleStatus.FAILED, failure_reason="LEASE_EXPIRED")
    await add_header(db, DAY, "MISSED", miss_reason="late")
    await switch_flag(db, "posting.auto-close", True)
    now = clock.now()
    limit = {"created_at": now, "updated_at": now}
    await add(
        db,
        external_request_host_limits,
        {"host": "a.example", "next_allowed_at": now + timedelta(seconds=1.5), **limit},
        {"host": "b.example", "next_allowed_at": now - timedelta(seconds=5), **limit},
    )
    progress = Progress(advanced_at=1.0)
    progress.counts["stale_write_rejected"] += 2
    told = (await exposition(db, progress, timedelta(seconds=3))).decode()
    for line in (
        "gonggo_database_up 1.0",
        'gonggo_cycles{status="SUCCESS"} 1.0',
        'gonggo_cycles{status="FAILED"} 1.0',
        'gonggo_cycles{status="RUNNING"} 0.0',
        "gonggo_cycle_lease_expiries 1.0",
        'gonggo_sla_capture{status="MISSED"} 1.0',
        'gonggo_sla_capture{status="CAPTURED"} 0.0',
        'gonggo_feature_flag{flag="posting.auto-close"} 1.0',
        'gonggo_feature_flag{flag="aggregator.collection"} 0.0',
        'gonggo_host_permit_wait_seconds{host="a.example"} 1.5',
        'gonggo_host_permit_wait_seconds{host="b.example"} 0.0',
        "gonggo_sources_active 2.0",
        'gonggo_engine_events_total{event="stale_write_rejected"} 2.0',
        'gonggo_engine_events_total{event="permit_granted"} 0.0',
        "gonggo_engine_progress_age_seconds 3.0",
        "gonggo_seen_rows_older_than_48_hours 0.0",
    ):
        assert line in told.splitlines(), line
    assert Platform.WOOWAHAN not in told


async def test_views_of_an_empty_database_are_empty(db: Database) -> None:
    found = await whole_history(db, None, 30)
    assert (found.runs, found.success_rate, found.seen_rows_older_than_48_hours) == ((), None, 0)
    assert found.sla_snapshot.capture_status is SnapshotStatus.UNAVAILABLE
    assert (await actions.cycles(db, None, None, None, 0, 50)).total_count == 0
    assert (await actions.scheduled_jobs(db, 30)).jobs == ()
    assert (await actions.today(db)).sources == ()
    assert b"gonggo_database_up 1.0" in await exposition(db, Progress(), None)


async def test_a_cycle_that_ended_without_its_run_row_is_not_shown_as_a_legacy_day(db: Database) -> None:
    source = await add_source(db)
    cycle = await add_cycle(db, source, DAY, CycleStatus.RUNNING)
    await transaction(db, _end, cycle)
    (run,) = (await whole_history(db, None, 1)).runs
    assert (run.run_status, run.cycle_status) == (None, CycleStatus.BUDGET_EXHAUSTED)


async def _end(tx: Tx, cycle_id: int) -> None:
    await tx.execute(
        update(job_posting_collection_cycles)
        .where(job_posting_collection_cycles.c.id == cycle_id)
        .values(cycle_status="BUDGET_EXHAUSTED")
    )
