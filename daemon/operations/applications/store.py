"""SQL of the views of applications; reads only."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Row, func, select

from daemon.application.model import ApplicationStatus
from daemon.application.rules import allowed_next
from daemon.application.store import load_histories, load_interviews
from daemon.application.tables import job_applications
from daemon.company.tables import companies
from daemon.db import Tx
from daemon.operations.applications.model import ApplicationDetail, ApplicationPage, ApplicationSummary
from daemon.posting.model import PostingStatus
from daemon.posting.tables import job_postings

_NAMED = job_applications.join(job_postings, job_postings.c.id == job_applications.c.job_posting_id).join(
    companies, companies.c.id == job_postings.c.company_id
)
"""Postings and companies are never deleted, so no application is left out."""

_SUMMARY = (
    job_applications.c.id.label("application_id"),
    job_applications.c.job_posting_id,
    companies.c.name.label("company_name"),
    job_postings.c.title.label("job_posting_title"),
    job_applications.c.current_status,
    job_applications.c.rejected_at_stage,
    job_applications.c.applied_at,
    job_applications.c.last_transited_at,
)

_DETAIL = (
    *_SUMMARY,
    job_postings.c.company_id,
    job_postings.c.posting_url,
    job_postings.c.posting_status,
    job_postings.c.deadline_at,
    job_applications.c.memo,
    job_applications.c.version,
)


async def load_page(
    tx: Tx, company_id: int | None, status: ApplicationStatus | None, page: int, size: int
) -> ApplicationPage:
    """One page of the applications at a company, in a status, or of all, those that moved last first."""
    wanted: list[ColumnElement[bool]] = []
    counted: FromClause = job_applications
    if company_id is not None:
        wanted.append(job_postings.c.company_id == company_id)
        counted = counted.join(job_postings, job_postings.c.id == job_applications.c.job_posting_id)
    if status is not None:
        wanted.append(job_applications.c.current_status == status)
    # Joined with more than that, a database may begin at the postings, of which there are many.
    total = (await tx.execute(select(func.count()).select_from(counted).where(*wanted))).scalar_one()
    rows = await tx.execute(
        select(*_SUMMARY)
        .select_from(_NAMED)
        .where(*wanted)
        .order_by(job_applications.c.last_transited_at.desc(), job_applications.c.id.desc())
        .limit(size)
        .offset(page * size)
    )
    return ApplicationPage(
        applications=tuple(ApplicationSummary(**_with_statuses(row)) for row in rows),
        total_count=total,
        page=page,
        size=size,
    )


async def load_versions(tx: Tx, application_ids: Collection[int]) -> dict[int, int]:
    """The version of each of these applications."""
    columns = (job_applications.c.id, job_applications.c.version)
    rows = await tx.execute(select(*columns).where(job_applications.c.id.in_(application_ids)))
    return {row.id: row.version for row in rows}


async def load_detail(tx: Tx, application_id: int) -> ApplicationDetail | None:
    """The application of that id with all that happened to it."""
    found = await _details(tx, job_applications.c.id == application_id, 1)
    return found[0] if found else None


async def load_details_after(tx: Tx, application_id: int, limit: int) -> tuple[ApplicationDetail, ...]:
    """Up to `limit` applications whose ids are larger, by id."""
    return await _details(tx, job_applications.c.id > application_id, limit)


async def _details(tx: Tx, wanted: ColumnElement[bool], limit: int) -> tuple[ApplicationDetail, ...]:
    query = select(*_DETAIL).select_from(_NAMED).where(wanted).order_by(job_applications.c.id).limit(limit)
    rows = (await tx.execute(query)).all()
    ids = [row.application_id for row in rows]
    histories, interviews = await load_histories(tx, ids), await load_interviews(tx, ids)
    details = []
    for row in rows:
        values = _with_statuses(row)
        details.append(
            ApplicationDetail(
                **values | {"posting_status": PostingStatus(row.posting_status)},
                status_histories=histories.get(row.application_id, ()),
                interviews=interviews.get(row.application_id, ()),
                allowed_next_statuses=allowed_next(values["current_status"]),
            )
        )
    return tuple(details)


def _with_statuses(row: Row[Any]) -> dict[str, Any]:
    values = dict(row._mapping)
    stage = values["rejected_at_stage"]
    values["current_status"] = ApplicationStatus(values["current_status"])
    values["rejected_at_stage"] = None if stage is None else ApplicationStatus(stage)
    return values
