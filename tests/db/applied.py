"""Postings to apply for, written straight into the tables."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import insert

from daemon.company.tables import companies
from daemon.db import Database, Tx, transaction
from daemon.matching.tables import job_posting_match_results
from daemon.posting.tables import job_postings


async def add_company(db: Database, name: str = "당근마켓") -> int:
    """A watched company without sources; returns its id."""
    return await transaction(db, _add_company, name)


async def _add_company(tx: Tx, name: str) -> int:
    now = await tx.now()
    added = await tx.execute(
        insert(companies).values(
            name=name,
            name_key=name,
            registration_type="MANUAL_ONLY",
            company_origin="WATCHED",
            created_at=now,
            updated_at=now,
        )
    )
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def add_posting(db: Database, company_id: int, title: str = "백엔드 개발자", **columns: Any) -> int:
    """An open posting of a company; returns its id. `columns` replace what it has."""
    return await transaction(db, _add_posting, {"company_id": company_id, "title": title, **columns})


async def _add_posting(tx: Tx, columns: dict[str, Any]) -> int:
    now = await tx.now()
    values = {
        "posting_origin": "COLLECTED",
        "posting_url": "https://example.com/jobs/1",
        "posting_status": "OPEN",
        "first_seen_at": now,
        "last_seen_at": now,
        "created_at": now,
        "updated_at": now,
        **columns,
    }
    added = await tx.execute(insert(job_postings).values(values))
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def some_posting(db: Database, **columns: Any) -> int:
    """An open posting of a company of its own, numbered so that it can be made again and again."""
    return await add_posting(db, await add_company(db, f"회사 {await _next_number(db)}"), **columns)


async def _next_number(db: Database) -> int:
    async def highest(tx: Tx) -> int:
        rows = await tx.execute(companies.select().order_by(companies.c.id.desc()).limit(1))
        last = rows.one_or_none()
        return 1 if last is None else int(last.id) + 1

    return await transaction(db, highest)


async def match(db: Database, job_posting_id: int, *, matched: bool = True, notifiable: bool = True) -> None:
    """Say how a posting fared against the criteria."""
    await transaction(db, _match, job_posting_id, matched, notifiable)


async def _match(tx: Tx, job_posting_id: int, matched: bool, notifiable: bool) -> None:
    now: datetime = await tx.now()
    await tx.execute(
        insert(job_posting_match_results).values(
            job_posting_id=job_posting_id,
            criteria_revision=1,
            matched=int(matched),
            notifiable=int(notifiable),
            top_confidence="UNKNOWN",
            work_arrangement_sort_rank=99,
            evaluated_at=now,
            created_at=now,
            updated_at=now,
        )
    )
