"""SQL of the operations views; reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, CursorResult, Row, Table, and_, exists, func, select, true

from daemon.collection.model import ORPHAN_AGE, CaptureStatus, CycleStatus, FailureReason, RunStatus
from daemon.collection.rules.health import is_abnormal, is_close_guarded
from daemon.collection.tables import external_request_host_limits as host_limits
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as sla_items
from daemon.collection.tables import job_posting_collection_sla_snapshots as sla_headers
from daemon.collection.tables import job_source_health as health
from daemon.company.model import JobSource
from daemon.company.tables import job_sources
from daemon.db import Tx
from daemon.operations.model import CollectionRun, CyclePage, CycleView, DayOutcome, ScheduledJob, SlaHeader, SlaItem
from daemon.operations.rules import is_late
from daemon.schedule.model import JobName, JobStatus
from daemon.schedule.rules import due_at
from daemon.schedule.tables import scheduled_job_executions as executions
from daemon.sources.model import Platform, SourceType

Sources = Mapping[int, JobSource]
"""Followed sources by id: what labels and platforms come from."""


async def load_runs(tx: Tx, sources: Sources, since: date, until: date) -> tuple[CollectionRun, ...]:
    """Each day of these sources from `since` to `until`, newest first: its v2 cycle, or else its legacy run.

    Cycle and run come from one statement, so that a cycle that ends meanwhile is not shown half ended. Both go by the
    unique key (job_source_id, run_date), Q4 and Q7.
    """
    same_day = and_(runs.c.job_source_id == cycles.c.job_source_id, runs.c.run_date == cycles.c.run_date)
    v2 = await tx.execute(
        select(*_of_both(cycles), *_CYCLE_ONLY, runs.c.run_status)
        .join(runs, same_day, isouter=True)
        .where(cycles.c.job_source_id.in_(sources), cycles.c.run_date.between(since, until))
    )
    legacy = await tx.execute(
        select(*_of_both(runs), runs.c.run_status).where(
            runs.c.job_source_id.in_(sources),
            runs.c.run_date.between(since, until),
            ~exists().where(same_day),
        )
    )
    labels = {key: (source.label, source.platform) for key, source in sources.items()}
    found = [_run_of_cycle(row, *labels[row["job_source_id"]]) for row in _named(v2)]
    found += [_run_of_legacy(row, sources[row["job_source_id"]]) for row in _named(legacy)]
    return tuple(sorted(found, key=lambda run: (-run.run_date.toordinal(), run.job_source_id)))


def _named(rows: CursorResult[Any]) -> Iterator[dict[str, Any]]:
    """The rows by name of column, read in one go: there are hundreds."""
    names = tuple(rows.keys())
    return (dict(zip(names, row, strict=True)) for row in rows.all())


async def load_outcomes(tx: Tx, sources: Sources, since: date) -> tuple[DayOutcome, ...]:
    """As `load_runs` from `since` on, but only how each day stands, and not ordered within a day."""
    same_day = and_(runs.c.job_source_id == cycles.c.job_source_id, runs.c.run_date == cycles.c.run_date)
    labels = {key: source.label for key, source in sources.items()}
    found: list[DayOutcome] = []
    for table, status, condition in ((cycles, CycleStatus, true()), (runs, RunStatus, ~exists().where(same_day))):
        rows = await tx.execute(
            select(
                table.c.job_source_id,
                table.c.run_date,
                (table.c.cycle_status if table is cycles else table.c.run_status).label("status"),
                func.coalesce(table.c.failure_reason, table.c.failure_cause_summary).label("reason"),
            ).where(table.c.job_source_id.in_(sources), table.c.run_date >= since, condition)
        )
        found += [
            DayOutcome(
                job_source_id=row.job_source_id,
                source_label=labels[row.job_source_id],
                run_date=row.run_date,
                status=status(row.status),
                reason=row.reason,
            )
            for row in rows.all()
        ]
    return tuple(sorted(found, key=lambda each: each.run_date, reverse=True))


async def count_days(tx: Tx, sources: Sources, since: date) -> dict[CycleStatus | RunStatus, int]:
    """How many days of these sources from `since` on stand how: by their cycle, or else by their legacy run."""
    same_day = and_(runs.c.job_source_id == cycles.c.job_source_id, runs.c.run_date == cycles.c.run_date)
    v2 = await tx.execute(
        select(cycles.c.cycle_status, func.count().label("days"))
        .where(cycles.c.job_source_id.in_(sources), cycles.c.run_date >= since)
        .group_by(cycles.c.cycle_status)
    )
    legacy = await tx.execute(
        select(runs.c.run_status, func.count().label("days"))
        .where(runs.c.job_source_id.in_(sources), runs.c.run_date >= since, ~exists().where(same_day))
        .group_by(runs.c.run_status)
    )
    counts: Counter[CycleStatus | RunStatus] = Counter({CycleStatus(row.cycle_status): row.days for row in v2})
    # Both kinds of status are words, and words of one spelling are one key.
    counts.update({RunStatus(row.run_status): row.days for row in legacy})
    return counts


def _of_both(table: Table) -> tuple[Column[Any], ...]:
    """The columns that cycles and runs have under the same names."""
    return tuple(table.c[name] for name in _SHARED)


_SHARED = (
    "job_source_id",
    "run_date",
    "fetched_count",
    "new_count",
    "changed_count",
    "missed_count",
    "closed_count",
    "detail_failure_count",
    "detail_skipped_count",
    "failure_reason",
    "failure_cause_summary",
    "started_at",
    "finished_at",
)

_CYCLE_ONLY = (
    cycles.c.source_type,
    cycles.c.cycle_status,
    cycles.c.is_complete,
    cycles.c.close_guarded,
    cycles.c.list_page_count,
    cycles.c.detail_request_count,
    cycles.c.declared_total,
    cycles.c.budget_exhausted_reason,
)


def _run_of_cycle(row: dict[str, Any], label: str, platform: Platform) -> CollectionRun:
    status = CycleStatus(row["cycle_status"])
    fetched = row["fetched_count"]
    row |= {
        "source_label": label,
        "platform": platform,
        "source_type": SourceType(row["source_type"]),
        "run_status": None if row["run_status"] is None else RunStatus(row["run_status"]),
        "cycle_status": status,
        "is_complete": bool(row["is_complete"]),
        "close_guarded": is_close_guarded(status, fetched, bool(row["close_guarded"])),
        "abnormal": is_abnormal(status, fetched),
        "error_message": row.pop("failure_cause_summary") or row["failure_reason"],
    }
    return CollectionRun(**row)


def _run_of_legacy(row: dict[str, Any], source: JobSource) -> CollectionRun:
    status = RunStatus(row.pop("run_status"))
    return CollectionRun(
        source_label=source.label,
        platform=source.platform,
        source_type=source.source_type,
        run_status=status,
        abnormal=is_abnormal(status, row["fetched_count"]),
        error_message=row.pop("failure_cause_summary") or row["failure_reason"],
        cycle_status=None,
        is_complete=None,
        close_guarded=None,
        list_page_count=None,
        detail_request_count=None,
        declared_total=None,
        budget_exhausted_reason=None,
        **row,
    )


async def load_cycles(
    tx: Tx, sources: Sources, run_date: date | None, status: CycleStatus | None, page: int, size: int
) -> CyclePage:
    """One page of these sources' cycles, newest day first; `page` counts from 0."""
    wanted: list[ColumnElement[bool]] = [cycles.c.job_source_id.in_(sources)]
    if run_date is not None:
        wanted.append(cycles.c.run_date == run_date)
    if status is not None:
        wanted.append(cycles.c.cycle_status == status)
    total = (await tx.execute(select(func.count()).select_from(cycles).where(*wanted))).scalar_one()
    rows = await tx.execute(
        select(*_of_both(cycles), *_CYCLE_ONLY, *_CYCLE_DIAGNOSTICS)
        .where(*wanted)
        .order_by(cycles.c.run_date.desc(), cycles.c.job_source_id)
        .limit(size)
        .offset(page * size)
    )
    views = tuple(_cycle_view(dict(row._mapping), sources[row.job_source_id]) for row in rows)
    return CyclePage(cycles=views, total_count=total, page=page, size=size)


_CYCLE_DIAGNOSTICS = (
    cycles.c.id.label("cycle_id"),
    cycles.c.attempt_count,
    cycles.c.skipped_count,
    cycles.c.unidentified_count,
    cycles.c.next_eligible_at,
    cycles.c.lease_until,
)


def _cycle_view(row: dict[str, Any], source: JobSource) -> CycleView:
    status = CycleStatus(row["cycle_status"])
    row |= {
        "source_label": source.label,
        "platform": source.platform,
        "source_type": SourceType(row["source_type"]),
        "cycle_status": status,
        "is_complete": bool(row["is_complete"]),
        "close_guarded": is_close_guarded(status, row["fetched_count"], bool(row["close_guarded"])),
        "abnormal": is_abnormal(status, row["fetched_count"]),
    }
    return CycleView(**row)


async def load_sla(tx: Tx, day: date, sources: Sources) -> tuple[SlaHeader | None, tuple[SlaItem, ...]]:
    """A day's header (Q9) and its items by source (Q10)."""
    found = await tx.execute(
        select(sla_headers.c.id, sla_headers.c.capture_status, sla_headers.c.captured_at, sla_headers.c.miss_reason)
        .where(sla_headers.c.snapshot_date == day)
    )  # fmt: skip
    row = found.one_or_none()
    if row is None:
        return None, ()
    header = _sla_header(row)
    items = await tx.execute(
        select(sla_items)
        .where(sla_items.c.job_posting_collection_sla_snapshot_id == header.id)
        .order_by(sla_items.c.job_source_id)
    )
    return header, tuple(_sla_item(item, sources[item.job_source_id].label) for item in items)


async def load_slas(tx: Tx, since: date, sources: Sources) -> dict[date, tuple[SlaHeader, tuple[SlaItem, ...]]]:
    """As `load_sla` for each day from `since` on that has a header, newest first."""
    headers = await tx.execute(
        select(sla_headers).where(sla_headers.c.snapshot_date >= since).order_by(sla_headers.c.snapshot_date.desc())
    )
    days = {row.id: row for row in headers}
    items: dict[int, list[SlaItem]] = {key: [] for key in days}
    rows = await tx.execute(
        select(sla_items)
        .where(sla_items.c.job_posting_collection_sla_snapshot_id.in_(days))
        .order_by(sla_items.c.job_source_id)
    )
    for item in rows:
        of_day = items[item.job_posting_collection_sla_snapshot_id]
        of_day.append(_sla_item(item, sources[item.job_source_id].label))
    return {row.snapshot_date: (_sla_header(row), tuple(items[key])) for key, row in days.items()}


def _sla_header(row: Row[Any]) -> SlaHeader:
    return SlaHeader(
        id=row.id,
        capture_status=CaptureStatus(row.capture_status),
        captured_at=row.captured_at,
        miss_reason=row.miss_reason,
    )


def _sla_item(row: Row[Any], label: str) -> SlaItem:
    status = CycleStatus(row.captured_cycle_status)
    return SlaItem(
        job_source_id=row.job_source_id,
        source_label=label,
        source_type=SourceType(row.source_type),
        captured_cycle_status=status,
        captured_fetched_count=row.captured_fetched_count,
        captured_is_complete=bool(row.captured_is_complete),
        captured_abnormal=bool(row.captured_abnormal),
        captured_close_guarded=bool(row.captured_close_guarded),
        late=is_late(status),
    )


async def count_old_seen(tx: Tx, now: datetime) -> int:
    """Seen rows older than 48 hours whose cycle is over (Q8).

    By age first, then each row's cycle by its id: on a normal day no row is that old and nothing else is read.
    """
    terminal = [status for status in CycleStatus if status.terminal]
    statement = (
        select(func.count())
        .select_from(seen.join(cycles, cycles.c.id == seen.c.job_posting_collection_cycle_id))
        .with_hint(seen, "FORCE INDEX (idx_job_posting_collection_seen_postings_created_cycle)", "mysql")
        .prefix_with("STRAIGHT_JOIN", dialect="mysql")
        .where(seen.c.created_at < now - ORPHAN_AGE, cycles.c.cycle_status.in_(terminal))
    )
    return int((await tx.execute(statement)).scalar_one())


async def load_jobs(tx: Tx, since: date) -> tuple[ScheduledJob, ...]:
    """The ledger from `since` on, newest day first, in the order of the timetable."""
    order = {str(name): position for position, name in enumerate(JobName)}
    rows = await tx.execute(
        select(executions).where(executions.c.job_name.in_(list(order)), executions.c.run_date >= since)
    )
    jobs = [
        ScheduledJob(
            job_name=JobName(row.job_name),
            run_date=row.run_date,
            scheduled_at=due_at(JobName(row.job_name), row.run_date),
            job_status=JobStatus(row.job_status),
            owner=row.owner,
            attempt_count=row.attempt_count,
            started_at=row.started_at,
            finished_at=row.finished_at,
            summary=row.summary,
        )
        for row in rows
    ]
    return tuple(sorted(jobs, key=lambda job: (-job.run_date.toordinal(), order[job.job_name])))


async def load_broken(tx: Tx) -> dict[int, datetime]:
    """Since when each broken source has been broken (FR-19), disabled sources left out."""
    rows = await tx.execute(
        select(health.c.job_source_id, health.c.broken_since)
        .join(job_sources, job_sources.c.id == health.c.job_source_id)
        .where(health.c.broken_since.is_not(None), job_sources.c.disabled_at.is_(None))
    )
    return {row.job_source_id: row.broken_since for row in rows}


async def count_cycles(tx: Tx, day: date, source_ids: Collection[int]) -> dict[CycleStatus, int]:
    """How many of the day's cycles are in each status, zeros included."""
    rows = await tx.execute(
        select(cycles.c.cycle_status, func.count().label("number"))
        .where(cycles.c.job_source_id.in_(source_ids), cycles.c.run_date == day)
        .group_by(cycles.c.cycle_status)
    )
    found = {row.cycle_status: row.number for row in rows}
    return {status: found.get(status, 0) for status in CycleStatus}


async def count_lease_expiries(tx: Tx, day: date, source_ids: Collection[int]) -> int:
    """How many of the day's cycles ended because their worker was lost."""
    counted = await tx.execute(
        select(func.count()).where(
            cycles.c.job_source_id.in_(source_ids),
            cycles.c.run_date == day,
            cycles.c.failure_reason == FailureReason.LEASE_EXPIRED,
        )
    )
    return int(counted.scalar_one())


async def load_host_waits(tx: Tx, now: datetime) -> dict[str, float]:
    """Seconds until each host may be asked again, 0 when it is free."""
    rows = await tx.execute(select(host_limits.c.host, host_limits.c.next_allowed_at).order_by(host_limits.c.host))
    return {row.host: max(0.0, (row.next_allowed_at - now).total_seconds()) for row in rows}
