"""SQL of the calendar; reads only."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, case, func, select

from daemon.application.model import ApplicationStatus, InterviewResult
from daemon.application.tables import job_application_interviews, job_applications
from daemon.company.tables import companies
from daemon.db import Tx
from daemon.matching.tables import job_posting_match_results
from daemon.operations.calendar.model import Appointment, DayDeadlines, Deadline
from daemon.posting.model import PostingStatus
from daemon.posting.tables import job_postings

_CHUNK = 500
"""Deadlines read at a time: what else runs in the process gets on in between."""


async def load_deadlines(tx: Tx, since: datetime) -> tuple[Deadline, ...]:
    """Deadlines from `since` on, of open representatives that match, were entered by hand or were applied for.

    An application for any copy counts for its representative (FR-64).
    """
    applied = await _statuses_by_representative(tx)
    matched = (await tx.execute(_matched(since, None, ()).add_columns(job_postings.c.id))).scalars(0)
    ids = [*matched, *(key for key, _ in await _load_own(tx, since, None, applied))]
    return await _load(tx, ids, applied)


async def load_days(tx: Tx, since: datetime, ends: Sequence[datetime], most: int) -> tuple[DayDeadlines, ...]:
    """The same by day: each day ends at its place in `ends`, the first one begins at `since`.

    Days are counted where the deadlines are; of each the first `most` are read. A busy week has thousands.
    """
    applied = await _statuses_by_representative(tx)
    day = case(*((job_postings.c.deadline_at < end, place) for place, end in enumerate(ends)))
    first = (job_postings.c.deadline_at, job_postings.c.id)
    ranked = (
        _matched(since, ends[-1], applied)
        .add_columns(
            job_postings.c.id,
            day.label("day"),
            func.row_number().over(partition_by=day, order_by=first).label("place"),
            func.count().over(partition_by=day).label("of_day"),
        )
        .subquery()
    )
    counts = Counter[int]()
    shown: list[int] = []
    for row in await tx.execute(select(ranked).where(ranked.c.place <= most)):
        counts[row.day] = row.of_day
        shown.append(row.id)
    own = await _load_own(tx, since, ends[-1], applied)
    counts.update(bisect_right(ends, at) for _, at in own)
    found: list[list[Deadline]] = [[] for _ in ends]
    for each in await _load(tx, [*shown, *(key for key, _ in own)], applied):
        found[bisect_right(ends, each.deadline_at)].append(each)
    return tuple(DayDeadlines(count=counts[place], first=tuple(each[:most])) for place, each in enumerate(found))


def _matched(since: datetime, before: datetime | None, without: Collection[int]) -> Select[Any]:
    """Over open representatives that match and have a deadline in time, some left out; without columns yet."""
    results = job_posting_match_results
    return (
        select()
        .select_from(job_postings.join(results, results.c.job_posting_id == job_postings.c.id))
        .where(
            job_postings.c.posting_status == PostingStatus.OPEN,
            results.c.notifiable == 1,
            # A representative. Said of both tables, it is looked at last: indexes alone tell deadline and verdict, and
            # only the rows of those that match are read.
            func.coalesce(job_postings.c.representative_id, 0) == results.c.notifiable - 1,
            *_between(job_postings.c.deadline_at, since, before),
            *([job_postings.c.id.not_in(list(without))] if without else ()),
        )
    )


async def _load_own(
    tx: Tx, since: datetime, before: datetime | None, applied: Collection[int]
) -> list[tuple[int, datetime]]:
    """Id and deadline of those that were entered by hand or applied for.

    There are few of them: conditions are put so that no index of a status or deadline keeps the database from
    beginning at these.
    """
    # What was entered by hand is not judged, so it is not among those that match.
    reasons = [job_postings.c.job_source_id.is_(None)]
    if applied:
        reasons.append(job_postings.c.id.in_(list(applied)))
    found: dict[int, datetime] = {}
    for reason in reasons:
        query = select(job_postings.c.id, job_postings.c.deadline_at).where(
            reason,
            func.coalesce(job_postings.c.posting_status, "") == PostingStatus.OPEN,
            func.coalesce(job_postings.c.representative_id, 0) == 0,
            *_between(func.coalesce(job_postings.c.deadline_at, since - timedelta(days=1)), since, before),
        )
        found |= {row.id: row.deadline_at for row in await tx.execute(query)}
    return list(found.items())


async def _load(tx: Tx, posting_ids: Collection[int], applied: Mapping[int, ApplicationStatus]) -> tuple[Deadline, ...]:
    """The deadlines of these postings, the soonest first."""
    query = select(
        job_postings.c.id,
        companies.c.name,
        job_postings.c.title,
        job_postings.c.posting_url,
        job_postings.c.deadline_at,
        job_postings.c.version,
        job_postings.c.updated_at,
    ).join(companies, companies.c.id == job_postings.c.company_id)
    found: list[Deadline] = []
    ordered = sorted(set(posting_ids))
    for start in range(0, len(ordered), _CHUNK):
        rows = await tx.execute(query.where(job_postings.c.id.in_(ordered[start : start + _CHUNK])))
        found += [_to_deadline(row, applied.get(row.id)) for row in rows]
    return tuple(sorted(found, key=lambda each: (each.deadline_at, each.job_posting_id)))


def _between(at: ColumnElement[datetime], since: datetime, before: datetime | None) -> list[ColumnElement[bool]]:
    return [at >= since] if before is None else [at >= since, at < before]


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


async def _statuses_by_representative(tx: Tx) -> dict[int, ApplicationStatus]:
    stands_for = func.coalesce(job_postings.c.representative_id, job_postings.c.id).label("posting_id")
    # An outer join begins at the applications, of which there are few.
    rows = await tx.execute(
        select(stands_for, job_applications.c.current_status).select_from(
            job_applications.outerjoin(job_postings, job_postings.c.id == job_applications.c.job_posting_id)
        )
    )
    return {row.posting_id: ApplicationStatus(row.current_status) for row in rows}


async def load_appointments(tx: Tx) -> tuple[Appointment, ...]:
    """Every interview that has a date, past ones too: what a person remembers must not vanish from a calendar."""
    interviews = job_application_interviews
    rows = await tx.execute(
        select(
            interviews,
            job_applications.c.current_status,
            job_applications.c.last_transited_at,
            companies.c.name,
            job_postings.c.title,
            job_postings.c.posting_url,
        )
        .join(job_applications, job_applications.c.id == interviews.c.job_application_id)
        .join(job_postings, job_postings.c.id == job_applications.c.job_posting_id)
        .join(companies, companies.c.id == job_postings.c.company_id)
        .where(interviews.c.scheduled_at.is_not(None))
        .order_by(interviews.c.scheduled_at, interviews.c.id)
    )
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
