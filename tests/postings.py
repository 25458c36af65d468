"""Companies and postings of tests, stored as the engine stores them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import insert, select

from daemon.company.model import CompanyOrigin
from daemon.company.rules import name_key
from daemon.company.tables import companies
from daemon.db import Database, Tx, transaction
from daemon.posting.rules import dedup_key
from daemon.posting.tables import job_postings
from tests.engines import keyed


async def add_company(db: Database, name: str, origin: CompanyOrigin = CompanyOrigin.WATCHED) -> int:
    """A company without a source of its own; returns its id."""
    return await transaction(db, _add_company, name, origin)


async def _add_company(tx: Tx, name: str, origin: CompanyOrigin) -> int:
    now = await tx.now()
    company = {"name": name, "name_key": name_key(name), "registration_type": "MANUAL_ONLY", "company_origin": origin}
    added = await tx.execute(insert(companies).values(**company, created_at=now, updated_at=now))
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def add_posting(
    db: Database, company_id: int, source_id: int | None, title: str = "백엔드 개발자", **columns: Any
) -> int:
    """An open posting found now, or whatever `columns` say; returns its id."""
    return await transaction(db, _add_posting, company_id, source_id, title, columns)


async def _add_posting(tx: Tx, company_id: int, source_id: int | None, title: str, columns: dict[str, Any]) -> int:
    now: datetime = await tx.now()
    name = (await tx.execute(select(companies.c.name).where(companies.c.id == company_id))).scalar_one()
    row = {
        "company_id": company_id,
        "job_source_id": source_id,
        "dedup_key": dedup_key(name, title),
        "posting_origin": "MANUAL" if source_id is None else "COLLECTED",
        "title": title,
        "posting_url": "https://example.com/jobs/1",
        "posting_status": "OPEN",
        "first_seen_at": now,
        "last_seen_at": now,
        "created_at": now,
        "updated_at": now,
    }
    added = await tx.execute(insert(job_postings).values(**row | columns))
    assert added.inserted_primary_key is not None
    posting_id = int(added.inserted_primary_key[0])
    if source_id is not None and "source_job_id" not in columns:
        of_its_own = job_postings.update().where(job_postings.c.id == posting_id)
        await tx.execute(of_its_own.values(source_job_id=f"J{posting_id}"))
    return posting_id


async def representatives(db: Database) -> dict[int, int | None]:
    """`representative_id` by id of every posting."""
    return {key: row["representative_id"] for key, row in (await keyed(db, job_postings, "id")).items()}


async def eligible(db: Database) -> set[int]:
    """The postings that may be told."""
    return {key for key, row in (await keyed(db, job_postings, "id")).items() if row["notification_eligible"]}
