"""SQL of the calendar; reads only."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select

from daemon.application.model import ApplicationStatus, InterviewResult
from daemon.application.tables import job_application_interviews, job_applications
from daemon.company.tables import companies
from daemon.db import Tx
from daemon.matching.tables import job_posting_match_results
from daemon.operations.calendar.model import Appointment, Deadline
from daemon.posting.model import PostingStatus
from daemon.posting.tables import job_postings


async def load_deadlines(tx: Tx, since: datetime, before: datetime | None = None) -> tuple[Deadline, ...]:
    """Deadlines from `since` on, of open representatives that match, were entered by hand or were applied for.

    With `before` only those before it. An application for any copy counts for its representative (FR-64). Each of the
    three reasons has a query of its own: together they would look at every open posting.
    """
    applied = await _statuses_by_representative(tx)
    results = job_posting_match_results
    ahead = (
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
        .where(job_postings.c.posting_status == PostingStatus.OPEN, job_postings.c.representative_id.is_(None))
    )
    in_time = _between(job_postings.c.deadline_at, since, before)
    # Few are by hand or applied for: no index of deadlines is to keep the database from beginning at these.
    in_time_too = _between(func.coalesce(job_postings.c.deadline_at, since - timedelta(days=1)), since, before)
    found: dict[int, Deadline] = {}
    for query in (
        ahead.join(results, results.c.job_posting_id == job_postings.c.id).where(results.c.notifiable == 1, *in_time),
        ahead.where(job_postings.c.job_source_id.is_(None), *in_time_too),
        *([ahead.where(job_postings.c.id.in_(list(applied)), *in_time_too)] if applied else ()),
    ):
        found |= {row.id: _to_deadline(row, applied.get(row.id)) for row in await tx.execute(query)}
    return tuple(sorted(found.values(), key=lambda each: (each.deadline_at, each.job_posting_id)))


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
    rows = await tx.execute(
        select(stands_for, job_applications.c.current_status).join(
            job_applications, job_applications.c.job_posting_id == job_postings.c.id
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
