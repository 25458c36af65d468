"""Postings that a person may be told of: found by a source after its seeding, open, standing for themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, select

from daemon.db import Tx
from daemon.posting.model import PostingOrigin, PostingStatus
from daemon.posting.tables import job_postings


@dataclass(frozen=True, kw_only=True, slots=True)
class News:
    """What telling of a posting needs to know of it."""

    id: int
    company_id: int
    job_source_id: int | None
    title: str
    posting_url: str
    deadline_at: datetime | None
    first_seen_at: datetime


_NEWS = (
    job_postings.c.id,
    job_postings.c.company_id,
    job_postings.c.job_source_id,
    job_postings.c.title,
    job_postings.c.posting_url,
    job_postings.c.deadline_at,
    job_postings.c.first_seen_at,
)

_TELLABLE = (
    job_postings.c.posting_status == PostingStatus.OPEN,
    # What the person entered is no news to them.
    job_postings.c.posting_origin == PostingOrigin.COLLECTED,
    job_postings.c.representative_id.is_(None),
    # Neither found while seeding nor a duplicate (FR-10, FR-65).
    job_postings.c.notification_eligible == 1,
)


def _to_news(row: Row[Any]) -> News:
    return News(**row._mapping)


async def load_new(tx: Tx, since: datetime) -> list[News]:
    """Postings first seen after `since`, never closed and reopened in between (FR-16), by id."""
    return await _load(
        tx,
        # Never earlier than the first sight, and the one that has an index.
        job_postings.c.updated_at > since,
        job_postings.c.first_seen_at > since,
        job_postings.c.reopened_at.is_(None),
    )


async def load_closing(tx: Tx, after: datetime, until: datetime) -> list[News]:
    """Postings whose deadline lies after the one instant and before the other, by id."""
    return await _load(tx, job_postings.c.deadline_at > after, job_postings.c.deadline_at < until)


async def load_always_open(tx: Tx, seen_before: datetime) -> list[News]:
    """Postings without a deadline that were first seen before that instant, by id."""
    return await _load(tx, job_postings.c.deadline_at.is_(None), job_postings.c.first_seen_at < seen_before)


async def _load(tx: Tx, *conditions: ColumnElement[bool]) -> list[News]:
    rows = await tx.execute(select(*_NEWS).where(*_TELLABLE, *conditions).order_by(job_postings.c.id))
    return [_to_news(row) for row in rows]
