"""SQL of how each source's collection stood day by day: of its v2 cycle, or else of its legacy run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Select,
    Table,
    and_,
    bindparam,
    exists,
    func,
    null,
    select,
    union_all,
)

from daemon.collection.model import CycleStatus, RunStatus
from daemon.collection.rules.health import is_abnormal, is_close_guarded
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.company.model import JobSource
from daemon.db import AtOnce, Tx
from daemon.operations.model import CollectionRun, DayOutcome
from daemon.sources.model import Platform, SourceType

Sources = Mapping[int, JobSource]
"""Followed sources by id: what labels and platforms come from."""

_SAME_DAY = and_(runs.c.job_source_id == cycles.c.job_source_id, runs.c.run_date == cycles.c.run_date)
_LEGACY = ~exists().where(_SAME_DAY)
"""That a run is of a day without a cycle."""


def _in_days(table: Table) -> ColumnElement[bool]:
    """Days of these sources: found by the unique key (job_source_id, run_date), Q4 and Q7."""
    ids: BindParameter[Any] = bindparam("source_ids", expanding=True)
    return table.c.job_source_id.in_(ids) & table.c.run_date.between(bindparam("since"), bindparam("until"))


def _by_day(query: Select[Any]) -> Select[Any]:
    """`query` of cycles along that key; left to itself, MySQL reads all of them, wide as they are, while few."""
    return query.with_hint(cycles, "FORCE INDEX (uk_job_posting_collection_cycles_source_date)", "mysql")


SHARED = (
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
"""The columns that cycles and runs have under the same names."""

CYCLE_ONLY = (
    cycles.c.source_type,
    cycles.c.cycle_status,
    cycles.c.is_complete,
    cycles.c.close_guarded,
    cycles.c.list_page_count,
    cycles.c.detail_request_count,
    cycles.c.declared_total,
    cycles.c.budget_exhausted_reason,
)
"""The columns that a legacy run has not."""


def of_both(table: Table) -> tuple[Column[Any], ...]:
    """These columns of one of the two."""
    return tuple(table.c[name] for name in SHARED)


_DAYS_RUNS = AtOnce(
    union_all(
        _by_day(select(*of_both(cycles), runs.c.run_status, *CYCLE_ONLY))
        .join(runs, _SAME_DAY, isouter=True)
        .where(_in_days(cycles)),
        select(*of_both(runs), runs.c.run_status, *(null() for _ in CYCLE_ONLY)).where(_in_days(runs), _LEGACY),
    )
)


async def load_runs(tx: Tx, sources: Sources, since: date, until: date) -> tuple[CollectionRun, ...]:
    """Each day of these sources from `since` to `until`, newest first: its v2 cycle, or else its legacy run.

    Cycle and run come from one statement, so that a cycle that ends meanwhile is not shown half ended.
    """
    found = await _DAYS_RUNS.rows(tx, _values(sources, since, until))
    of_sources = {key: (source.label, source.platform, source.source_type) for key, source in sources.items()}
    runs_found = [_to_run(row, *of_sources[row[0]]) for row in found]
    return tuple(sorted(runs_found, key=lambda run: (-run.run_date.toordinal(), run.job_source_id)))


def _values(sources: Sources, since: date, until: date) -> dict[str, Any]:
    return {"source_ids": list(sources), "since": since, "until": until}


def _to_run(row: Sequence[Any], label: str, platform: Platform, source_type: SourceType) -> CollectionRun:
    """The run of a day; there are thousands of them in a year, so each value is named once and looked up no more."""
    job_source_id, run_date, fetched, new, changed, missed, closed, detail_failures, detail_skipped = row[:9]
    failure_reason, cause, started_at, finished_at, run_word, type_word, cycle_word, complete, guarded = row[9:18]
    list_pages, detail_requests, declared_total, budget = row[18:]
    cycle_status = None if cycle_word is None else _CYCLE_STATUSES[cycle_word]
    run_status = None if run_word is None else _RUN_STATUSES[run_word]
    status = cycle_status or run_status
    assert status is not None, "a day is of a cycle or of a run"
    return CollectionRun(
        job_source_id=job_source_id,
        source_label=label,
        run_date=run_date,
        run_status=run_status,
        fetched_count=fetched,
        new_count=new,
        closed_count=closed,
        error_message=cause or failure_reason,
        abnormal=is_abnormal(status, fetched),
        platform=platform,
        source_type=source_type if type_word is None else _SOURCE_TYPES[type_word],
        cycle_status=cycle_status,
        is_complete=None if complete is None else bool(complete),
        close_guarded=None if cycle_status is None else is_close_guarded(cycle_status, fetched, bool(guarded)),
        list_page_count=list_pages,
        changed_count=changed,
        missed_count=missed,
        detail_request_count=detail_requests,
        detail_failure_count=detail_failures,
        detail_skipped_count=detail_skipped,
        declared_total=declared_total,
        budget_exhausted_reason=budget,
        failure_reason=failure_reason,
        started_at=started_at,
        finished_at=finished_at,
    )


_CYCLE_STATUSES = {str(status): status for status in CycleStatus}
_RUN_STATUSES = {str(status): status for status in RunStatus}
_SOURCE_TYPES = {str(each): each for each in SourceType}


def _how(table: Table, *statuses: ColumnElement[Any]) -> Select[Any]:
    reason = func.coalesce(table.c.failure_reason, table.c.failure_cause_summary)
    return select(table.c.job_source_id, table.c.run_date, *statuses, reason).where(_in_days(table))


_OUTCOMES = AtOnce(
    union_all(
        _by_day(_how(cycles, cycles.c.cycle_status, null())), _how(runs, null(), runs.c.run_status).where(_LEGACY)
    )
)


async def load_outcomes(tx: Tx, sources: Sources, since: date, until: date) -> tuple[DayOutcome, ...]:
    """As `load_runs`, but only how each day stands, and not ordered within a day."""
    labels = {key: source.label for key, source in sources.items()}
    found = [
        DayOutcome(key, labels[key], day, _RUN_STATUSES[run_word] if word is None else _CYCLE_STATUSES[word], reason)
        for key, day, word, run_word, reason in await _OUTCOMES.rows(tx, _values(sources, since, until))
    ]
    return tuple(sorted(found, key=attrgetter("run_date"), reverse=True))


_DAYS = union_all(
    _by_day(select(cycles.c.cycle_status.label("word"), func.count().label("days")))
    .where(_in_days(cycles))
    .group_by(cycles.c.cycle_status),
    select(runs.c.run_status, func.count()).where(_in_days(runs), _LEGACY).group_by(runs.c.run_status),
)


async def count_days(tx: Tx, sources: Sources, since: date, until: date) -> dict[CycleStatus | RunStatus, int]:
    """How many days of these sources from `since` on stand how: by their cycle, or else by their legacy run."""
    counts: Counter[CycleStatus | RunStatus] = Counter()
    for row in await tx.execute(_DAYS, _values(sources, since, until)):
        # A legacy run's statuses are words of a cycle's too, and words of one spelling are one key.
        counts[_CYCLE_STATUSES[row.word]] += row.days
    return counts
