"""SQL of the calendar; reads only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from heapq import nsmallest
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, func, select

from daemon.application.model import ApplicationStatus, InterviewResult
from daemon.application.tables import job_application_interviews, job_applications
from daemon.company.tables import companies
from daemon.db import AtOnce, Tx, UtcDateTime
from daemon.matching.tables import job_posting_match_results
from daemon.operations.calendar.model import Appointment, DayDeadlines, Deadline
from daemon.posting.model import PostingStatus
from daemon.posting.tables import job_postings

_FOR_EVER = datetime(9999, 1, 1, tzinfo=UTC)
"""No deadline is later."""

_CHUNK = 500
"""Deadlines read at a time: what else runs in the process gets on in between."""


async def load_deadlines(tx: Tx, since: datetime) -> tuple[Deadline, ...]:
    """Deadlines from `since` on, of open representatives that match, were entered by hand or were applied for.

    An application for any copy counts for its representative (FR-64).
    """
    applied = await _statuses_by_representative(tx)
    matched = (await tx.execute(_MATCHED, {"since": since, "before": _FOR_EVER})).scalars()
    ids = [*matched, *(key for key, _ in await _load_own(tx, since, _FOR_EVER, applied))]
    return await _load(tx, ids, applied)


async def load_days(tx: Tx, since: datetime, ends: Sequence[datetime], most: int) -> tuple[DayDeadlines, ...]:
    """The same by day: each day ends at its place in `ends`, the first one begins at `since`.

    All are counted, and of each day the first `most` are read. A busy week has thousands.
    """
    applied = await _statuses_by_representative(tx)
    days: list[list[tuple[datetime, int]]] = [[] for _ in ends]
    matched = await _MATCHED_TIMES.rows(tx, {"since": since, "before": ends[-1]})
    own = await _load_own(tx, since, ends[-1], applied)
    for key, at in {**dict(matched), **dict(own)}.items():
        days[bisect_right(ends, at)].append((at, key))
    first = [nsmallest(most, of_day) for of_day in days]
    read = await _load(tx, [key for of_day in first for _, key in of_day], applied)
    told = {each.job_posting_id: each for each in read}
    return tuple(
        DayDeadlines(count=len(of_day), first=tuple(told[key] for _, key in shown if key in told))
        for of_day, shown in zip(days, first, strict=True)
    )


def _between(at: ColumnElement[datetime]) -> ColumnElement[bool]:
    return and_(at >= bindparam("since"), at < bindparam("before"))


_ROWS = job_postings.alias()
_STANDS_BEHIND = (
    select(_ROWS.c.representative_id)
    .where(_ROWS.c.id == job_posting_match_results.c.job_posting_id)
    .correlate(job_posting_match_results)
    .scalar_subquery()
)
_MATCHED = (
    select(job_postings.c.id)
    .select_from(
        job_postings.join(job_posting_match_results, job_posting_match_results.c.job_posting_id == job_postings.c.id)
    )
    .with_hint(job_postings, "FORCE INDEX (idx_job_postings_status_deadline)", "mysql")
    .with_hint(job_posting_match_results, "FORCE INDEX (idx_job_posting_match_results_notifiable)", "mysql")
    .where(
        job_postings.c.posting_status == PostingStatus.OPEN,
        job_posting_match_results.c.notifiable == 1,
        # Indexes alone tell deadline and verdict; asked for apart, this reads only the rows of those that match.
        func.coalesce(_STANDS_BEHIND, 0) == 0,
        _between(job_postings.c.deadline_at),
    )
)
"""Open representatives that match and have a deadline in time."""


_MATCHED_TIMES = AtOnce(_MATCHED.add_columns(job_postings.c.deadline_at))


def _own(reason: ColumnElement[bool]) -> Select[Any]:
    """Postings that are the person's own for this reason, of which there are few.

    Conditions are put so that no index of a status or deadline keeps the database from beginning at these.
    """
    return select(job_postings.c.id, job_postings.c.deadline_at).where(
        reason,
        func.coalesce(job_postings.c.posting_status, "") == PostingStatus.OPEN,
        func.coalesce(job_postings.c.representative_id, 0) == 0,
        _between(func.coalesce(job_postings.c.deadline_at, bindparam("no_time", type_=UtcDateTime))),
    )


# What was entered by hand is not judged, so it is not among those that match.
_BY_HAND = _own(job_postings.c.job_source_id.is_(None))
_APPLIED_FOR = _own(job_postings.c.id.in_(bindparam("ids", expanding=True)))


async def _load_own(tx: Tx, since: datetime, before: datetime, applied: Collection[int]) -> list[tuple[int, datetime]]:
    """Id and deadline of those that were entered by hand or applied for."""
    values = {"since": since, "before": before, "no_time": since - timedelta(days=1)}
    found = {row.id: row.deadline_at for row in await tx.execute(_BY_HAND, values)}
    if applied:
        rows = await tx.execute(_APPLIED_FOR, {**values, "ids": list(applied)})
        found |= {row.id: row.deadline_at for row in rows}
    return list(found.items())


_DEADLINES = (
    select(
        job_postings.c.id,
        companies.c.name,
        job_postings.c.title,
        job_postings.c.posting_url,
        job_postings.c.deadline_at,
        job_postings.c.version,
        job_postings.c.updated_at,
    )
    .join(companies, companies.c.id == job_postings.c.company_id)
    .where(job_postings.c.id.in_(bindparam("ids", expanding=True)))
)


async def _load(tx: Tx, posting_ids: Collection[int], applied: Mapping[int, ApplicationStatus]) -> tuple[Deadline, ...]:
    """The deadlines of these postings, the soonest first."""
    found: list[Deadline] = []
    ordered = sorted(set(posting_ids))
    for start in range(0, len(ordered), _CHUNK):
        rows = await tx.execute(_DEADLINES, {"ids": ordered[start : start + _CHUNK]})
        found += [_to_deadline(row, applied.get(row.id)) for row in rows]
    return tuple(sorted(found, key=lambda each: (each.deadline_at, each.job_posting_id)))


def _to_deadline(row: Row[Any], status: ApplicationStatus | None) -> Deadline:
    return Deadline(
        job_posting_id=row.id,
        company_name=row.name,
        title=row.title,
        posting_url=row.posting_url,
        deadline_at=row.deadline_at,
        current_status=status,
        version=row.version,
        updated_at=row.updated_at,
    )


# An outer join begins at the applications, of which there are few.
_STATUSES = select(
    func.coalesce(job_postings.c.representative_id, job_postings.c.id).label("posting_id"),
    job_applications.c.current_status,
).select_from(job_applications.outerjoin(job_postings, job_postings.c.id == job_applications.c.job_posting_id))


async def _statuses_by_representative(tx: Tx) -> dict[int, ApplicationStatus]:
    rows = await tx.execute(_STATUSES)
    return {row.posting_id: ApplicationStatus(row.current_status) for row in rows}


_APPOINTMENTS = (
    select(
        job_application_interviews,
        job_applications.c.current_status,
        job_applications.c.last_transited_at,
        companies.c.name,
        job_postings.c.title,
        job_postings.c.posting_url,
    )
    .join(job_applications, job_applications.c.id == job_application_interviews.c.job_application_id)
    .join(job_postings, job_postings.c.id == job_applications.c.job_posting_id)
    .join(companies, companies.c.id == job_postings.c.company_id)
    .where(job_application_interviews.c.scheduled_at.is_not(None))
    .order_by(job_application_interviews.c.scheduled_at, job_application_interviews.c.id)
)


async def load_appointments(tx: Tx) -> tuple[Appointment, ...]:
    """Every interview that has a date, past ones too: what a person remembers must not vanish from a calendar."""
    rows = await tx.execute(_APPOINTMENTS)
    return tuple(
        Appointment(
            interview_id=row.id,
            application_id=row.job_application_id,
            company_name=row.name,
            title=row.title,
            posting_url=row.posting_url,
            label=row.label,
            round_number=row.round_number,
            scheduled_at=row.scheduled_at,
            interview_result=None if row.interview_result is None else InterviewResult(row.interview_result),
            memo=row.memo,
            current_status=ApplicationStatus(row.current_status),
            last_transited_at=row.last_transited_at,
            version=row.version,
            updated_at=row.updated_at,
        )
        for row in rows
    )
