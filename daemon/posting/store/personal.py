"""Postings as a person enters and changes them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select, update

from daemon.db import Tx
from daemon.posting.model import PersonalPosting, PostingOrigin, PostingStatus
from daemon.posting.tables import job_postings


async def find_address(tx: Tx, company_id: int, posting_url: str) -> int | None:
    """The company's posting at this address, the first one if there are several."""
    found = await tx.execute(
        select(job_postings.c.id)
        .where(job_postings.c.company_id == company_id, job_postings.c.posting_url == posting_url)
        .order_by(job_postings.c.id)
        .limit(1)
    )
    return found.scalar_one_or_none()


async def add_by_hand(
    tx: Tx, company_id: int, title: str, posting_url: str, deadline_at: datetime | None, dedup_key: str, now: datetime
) -> int:
    """Insert a posting that the person entered; returns its id. It is no news to them, so they are never told of it."""
    added = await tx.execute(
        insert(job_postings).values(
            company_id=company_id,
            dedup_key=dedup_key,
            posting_origin=PostingOrigin.MANUAL,
            title=title,
            posting_url=posting_url,
            deadline_at=deadline_at,
            posting_status=PostingStatus.OPEN,
            notification_eligible=0,
            first_seen_at=now,
            last_seen_at=now,
            created_at=now,
            updated_at=now,
        )
    )
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def load_company_id(tx: Tx, posting_id: int) -> int | None:
    """The company of a posting; None when there is no posting of this id."""
    found = await tx.execute(select(job_postings.c.company_id).where(job_postings.c.id == posting_id))
    return found.scalar_one_or_none()


async def lock_personal(tx: Tx, posting_id: int) -> PersonalPosting | None:
    """What a person may change of a posting, locked; None when there is none of this id."""
    columns = job_postings.c
    found = await tx.execute(
        select(
            columns.id,
            columns.company_id,
            columns.posting_origin,
            columns.title,
            columns.posting_url,
            columns.deadline_at,
            columns.posting_status,
            columns.version,
        )
        .where(columns.id == posting_id)
        .with_for_update()
    )
    row = found.one_or_none()
    if row is None:
        return None
    return PersonalPosting(
        id=row.id,
        company_id=row.company_id,
        origin=PostingOrigin(row.posting_origin),
        title=row.title,
        posting_url=row.posting_url,
        deadline_at=row.deadline_at,
        status=PostingStatus(row.posting_status),
        version=row.version,
    )


async def save_personal(
    tx: Tx, posting: PersonalPosting, edited: PersonalPosting, dedup_key: str | None, now: datetime
) -> bool:
    """Write a person's change of a posting; False (0 rows) when it is no longer at the version they changed.

    `dedup_key` None leaves it as it is. One closed by the person has no reason of ours.
    """
    values: dict[str, object] = {
        "title": edited.title,
        "posting_url": edited.posting_url,
        "deadline_at": edited.deadline_at,
    }
    if dedup_key is not None:
        values["dedup_key"] = dedup_key
    if edited.status is not posting.status:
        opened = edited.status is PostingStatus.OPEN
        values |= {"posting_status": edited.status, "closed_reason": None, "closed_at": None if opened else now}
        values |= {"reopened_at": now, "consecutive_miss_count": 0} if opened else {}
    saved = await tx.execute(
        update(job_postings)
        .where(job_postings.c.id == posting.id, job_postings.c.version == posting.version)
        .values(**values, dedup_pending=1, version=posting.version + 1, updated_at=now)
    )
    return saved.rowcount == 1
