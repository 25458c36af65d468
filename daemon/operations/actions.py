"""The operations views, each one reading transaction; what the API, the page and the shell call."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Collection, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from daemon.clock import business_date
from daemon.collection.model import CycleStatus
from daemon.company.model import JobSource
from daemon.company.store import load_sources
from daemon.db import Database, Tx, reading
from daemon.flags.store import load_states
from daemon.operations import rules, store
from daemon.operations.health.actions import health_of
from daemon.operations.model import (
    CollectionRun,
    CollectionRuns,
    CyclePage,
    DatabaseMetrics,
    DaySoFar,
    Machine,
    Outcomes,
    ScheduledJobs,
    SlaSnapshot,
    SlaSnapshots,
    SourceToday,
    Today,
)
from daemon.schedule.model import JobStatus

_RUNS_AT_ONCE = 1200
"""Rows that are read and made into runs without a break: some ten milliseconds, and a month of forty sources."""


async def machine(db: Database, days: int, snapshot_days: int) -> Machine:
    """Today, how each source's collection stands of each of the last `days` KST days, some days' snapshots, health."""
    return await reading(db, _machine, days, snapshot_days)


async def _machine(tx: Tx, days: int, snapshot_days: int) -> Machine:
    now = await tx.now()
    sources = await _sources(tx)
    found = await store.load_outcomes(tx, sources, *_last_days(now, days))
    snapshots = await _snapshots(tx, sources, snapshot_days)
    return Machine(
        today=await _today_of(tx, sources, _of_today(snapshots, now)),
        outcomes=Outcomes(success_rate=rules.success_rate(Counter(each.status for each in found)), days=found),
        snapshots=snapshots,
        health=await health_of(tx, sources.values()),
        host_waits=await store.load_host_waits(tx, now),
    )


async def latest_runs(db: Database, source_ids: Collection[int], days: int) -> dict[int, tuple[CollectionRun, ...]]:
    """By source, its collections of the last `days` KST days, today included, newest first."""
    return await reading(db, _latest_runs, source_ids, days)


async def _latest_runs(tx: Tx, source_ids: Collection[int], days: int) -> dict[int, tuple[CollectionRun, ...]]:
    sources = {source.id: source for source in await load_sources(tx, source_ids)}
    now = await tx.now()
    runs = await store.load_runs(tx, sources, *_last_days(now, days))
    return {key: tuple(run for run in runs if run.job_source_id == key) for key in source_ids}


async def collection_history(
    db: Database, job_source_id: int | None, days: int
) -> tuple[CollectionRuns, AsyncGenerator[tuple[CollectionRun, ...], None]]:
    """The last `days` KST days, today included, of one source or of all, with today's snapshot.

    The runs come by themselves, some hundreds at a time, each lot as it is when it is read. A year of many sources is
    tens of thousands of them: read in one go they would keep everything else waiting.
    """
    around, wanted, today = await reading(db, _around, job_source_id, days)
    return around, _runs_in_lots(db, wanted, today - timedelta(days=days - 1), today)


async def _runs_in_lots(
    db: Database, wanted: Mapping[int, JobSource], first: date, last: date
) -> AsyncGenerator[tuple[CollectionRun, ...], None]:
    step = timedelta(days=max(1, _RUNS_AT_ONCE // max(1, len(wanted))))
    until = last
    while until >= first:
        since = max(first, until - step + timedelta(days=1))
        yield await reading(db, store.load_runs, wanted, since, until)
        until = since - timedelta(days=1)


async def _around(tx: Tx, job_source_id: int | None, days: int) -> tuple[CollectionRuns, dict[int, JobSource], date]:
    now = await tx.now()
    sources = await _sources(tx)
    wanted = sources if job_source_id is None else _only(sources, job_source_id)
    left_over = await store.count_old_seen(tx, now)
    around = CollectionRuns(
        success_rate=rules.success_rate(await store.count_days(tx, wanted, *_last_days(now, days))),
        runs=(),
        sla_snapshot=await _sla_snapshot(tx, now, sources),
        seen_rows_older_than_48_hours=left_over,
        seen_rows_older_than_48_hours_level=rules.seen_level(left_over),
    )
    return around, wanted, business_date(now)


async def cycles(
    db: Database, run_date: date | None, status: CycleStatus | None, job_source_id: int | None, page: int, size: int
) -> CyclePage:
    """One page of the v2 cycles, newest day first, of a day, a status or a source, or of all; `page` counts from 0."""
    return await reading(db, _cycles, run_date, status, job_source_id, page, size)


async def _cycles(
    tx: Tx, run_date: date | None, status: CycleStatus | None, job_source_id: int | None, page: int, size: int
) -> CyclePage:
    sources = await _sources(tx)
    wanted = sources if job_source_id is None else _only(sources, job_source_id)
    return await store.load_cycles(tx, wanted, run_date, status, page, size)


async def sla_snapshots(db: Database, days: int) -> SlaSnapshots:
    """The 09:00 snapshots of the last `days` KST days, today included."""
    return await reading(db, _sla_snapshots, days)


async def _sla_snapshots(tx: Tx, days: int) -> SlaSnapshots:
    return SlaSnapshots(snapshots=await _snapshots(tx, await _sources(tx), days))


async def _snapshots(tx: Tx, sources: dict[int, JobSource], days: int) -> tuple[SlaSnapshot, ...]:
    now = await tx.now()
    found = await store.load_slas(tx, *_last_days(now, days), sources)
    return tuple(rules.sla_snapshot(day, header, items, now) for day, (header, items) in found.items())


async def scheduled_jobs(db: Database, days: int) -> ScheduledJobs:
    """The daily jobs of the last `days` KST days, today included."""
    return await reading(db, _scheduled_jobs, days)


async def _scheduled_jobs(tx: Tx, days: int) -> ScheduledJobs:
    return ScheduledJobs(jobs=await store.load_jobs(tx, _last_days(await tx.now(), days)[0]))


async def broken_sources(db: Database) -> dict[int, datetime]:
    """Since when each broken source has been broken: the badge of company and source lists."""
    return await reading(db, store.load_broken)


async def today(db: Database) -> Today:
    """The present KST day at a glance, for `gonggo status`."""
    return await reading(db, _today)


async def _today(tx: Tx) -> Today:
    sources = await _sources(tx)
    return await _today_of(tx, sources, await _sla_snapshot(tx, await tx.now(), sources))


async def _today_of(tx: Tx, sources: dict[int, JobSource], snapshot: SlaSnapshot) -> Today:
    left_over = await store.count_old_seen(tx, await tx.now())
    return Today(
        **await _of_the_day(tx, sources, snapshot),
        jobs=await store.load_jobs(tx, business_date(await tx.now())),
        seen_rows_older_than_48_hours=left_over,
        seen_rows_older_than_48_hours_level=rules.seen_level(left_over),
    )


async def day_so_far(db: Database) -> DaySoFar:
    """How the collection of the present KST day stands."""
    return await reading(db, _day_so_far)


async def _day_so_far(tx: Tx) -> DaySoFar:
    sources = await _sources(tx)
    return DaySoFar(**await _of_the_day(tx, sources, await _sla_snapshot(tx, await tx.now(), sources)))


async def _of_the_day(tx: Tx, sources: dict[int, JobSource], snapshot: SlaSnapshot) -> dict[str, Any]:
    """The fields of a `DaySoFar`."""
    now = await tx.now()
    day = business_date(now)
    runs = {run.job_source_id: run for run in await store.load_runs(tx, sources, day, day)}
    broken = await store.load_broken(tx)
    shown = [source for key, source in sources.items() if key in runs or source.disabled_at is None]
    return {
        "run_date": day,
        "now": now,
        "sources": tuple(_source_today(each, runs.get(each.id), broken.get(each.id)) for each in shown),
        "sla_snapshot": snapshot,
        "flags": tuple((await load_states(tx)).values()),
    }


def _source_today(source: JobSource, run: CollectionRun | None, broken_since: datetime | None) -> SourceToday:
    return SourceToday(
        job_source_id=source.id,
        source_label=source.label,
        status=(run.cycle_status or run.run_status) if run else None,
        list_page_count=run.list_page_count if run else None,
        fetched_count=run.fetched_count if run else 0,
        new_count=run.new_count if run else 0,
        changed_count=run.changed_count if run else 0,
        missed_count=run.missed_count if run else 0,
        closed_count=run.closed_count if run else 0,
        reason=(run.failure_reason or run.budget_exhausted_reason) if run else None,
        broken_since=broken_since,
    )


async def database_metrics(db: Database) -> DatabaseMetrics:
    """What `/metrics` tells of the present KST day."""
    return await reading(db, _database_metrics)


async def _database_metrics(tx: Tx) -> DatabaseMetrics:
    now = await tx.now()
    day = business_date(now)
    sources = await _sources(tx)
    broken = await store.load_broken(tx)
    jobs = Counter(job.job_status for job in await store.load_jobs(tx, day))
    return DatabaseMetrics(
        cycles_today=await store.count_cycles(tx, day, sources),
        lease_expiries_today=await store.count_lease_expiries(tx, day, sources),
        jobs_today={status: jobs[status] for status in JobStatus},
        active_sources=sum(source.disabled_at is None for source in sources.values()),
        broken_sources=len(broken),
        seen_rows_older_than_48_hours=await store.count_old_seen(tx, now),
        capture_status=(await _sla_snapshot(tx, now, sources)).capture_status,
        flags={str(key): state.enabled for key, state in (await load_states(tx)).items()},
        host_waits=await store.load_host_waits(tx, now),
    )


async def _sources(tx: Tx) -> dict[int, JobSource]:
    return {source.id: source for source in await load_sources(tx)}


def _only(sources: dict[int, JobSource], job_source_id: int) -> dict[int, JobSource]:
    return {key: source for key, source in sources.items() if key == job_source_id}


async def _sla_snapshot(tx: Tx, now: datetime, sources: dict[int, JobSource]) -> SlaSnapshot:
    return _of_today(await _snapshots(tx, sources, 1), now)


def _of_today(snapshots: tuple[SlaSnapshot, ...], now: datetime) -> SlaSnapshot:
    """Today's among the snapshots of the last days, newest first; it is told too where there is none."""
    day = business_date(now)
    return snapshots[0] if snapshots and snapshots[0].snapshot_date == day else rules.sla_snapshot(day, None, (), now)


def _last_days(now: datetime, days: int) -> tuple[date, date]:
    """The first and the last of the last `days` KST days, today included."""
    today = business_date(now)
    return today - timedelta(days=days - 1), today
