"""Copies of one posting on several sources (seed 001, 방안 9)."""

from __future__ import annotations

from sqlalchemy import func, select

from daemon.db import Tx
from daemon.posting.tables import job_postings


async def load_copies(tx: Tx, posting_id: int) -> tuple[int, ...]:
    """The ids of one posting's copies on all sources, their representative first (FR-64); none for an unknown id."""
    stands_for = func.coalesce(job_postings.c.representative_id, job_postings.c.id)
    found = await tx.execute(select(stands_for).where(job_postings.c.id == posting_id))
    representative = found.scalar_one_or_none()
    if representative is None:
        return ()
    copies = await tx.execute(select(job_postings.c.id).where(job_postings.c.representative_id == representative))
    return (representative, *sorted(copies.scalars()))
