"""Postings that change hands when a person says what a company is also called."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select

from daemon.db import Tx, update_each
from daemon.posting.tables import job_postings


async def lock_titles(tx: Tx, company_id: int, limit: int) -> dict[int, str]:
    """Title by id of up to `limit` postings of a company to which no one else is writing. They are locked."""
    rows = await tx.execute(
        select(job_postings.c.id, job_postings.c.title)
        .where(job_postings.c.company_id == company_id)
        .order_by(job_postings.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return {row.id: row.title for row in rows}


async def save_company(tx: Tx, company_id: int, dedup_keys: Mapping[int, str], now: datetime) -> None:
    """Give these postings, which are locked, to a company, each with its new dedup key."""
    common = {"company_id": company_id, "updated_at": now}
    rows = [{"id": posting_id, "dedup_key": key, **common} for posting_id, key in dedup_keys.items()]
    await update_each(tx, job_postings, rows, {"dedup_pending": "1", "version": "version + 1"})
