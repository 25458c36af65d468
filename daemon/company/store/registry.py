"""Companies that a person registers, and lists of companies."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, insert, select, update

from daemon.company.model import CompanyOrigin, CompanyPage, CompanySummary, RegistrationType
from daemon.company.store.names import load_aliases
from daemon.company.tables import companies, company_aliases, job_sources
from daemon.db import Tx


async def add_watched(tx: Tx, name: str, key: str, registration: RegistrationType, now: datetime) -> int:
    """Insert a watched company; returns its id. An IntegrityError means that someone else has just done so."""
    added = await tx.execute(
        insert(companies).values(
            name=name,
            name_key=key,
            registration_type=registration,
            company_origin=CompanyOrigin.WATCHED,
            created_at=now,
            updated_at=now,
        )
    )
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def save_promotion(
    tx: Tx, company_id: int, registration: RegistrationType, now: datetime, *, name: str | None
) -> None:
    """Make a discovered company a watched one, under the `name` that the person gave it (None keeps the old one)."""
    values: dict[str, object] = {
        "company_origin": CompanyOrigin.WATCHED,
        "registration_type": registration,
        "updated_at": now,
    }
    if name is not None:
        values["name"] = name
    await tx.execute(update(companies).where(companies.c.id == company_id).values(values))


async def add_aliases(tx: Tx, company_id: int, aliases: Sequence[tuple[str, str]], now: datetime) -> None:
    """Insert aliases, given with their normal forms. An IntegrityError means that one is taken."""
    if aliases:
        rows = [
            {"company_id": company_id, "alias": alias, "alias_key": key, "created_at": now} for alias, key in aliases
        ]
        await tx.execute(insert(company_aliases), rows)


async def has_company(tx: Tx, company_id: int) -> bool:
    """Whether there is such a company."""
    found = await tx.execute(select(companies.c.id).where(companies.c.id == company_id))
    return found.scalar_one_or_none() is not None


async def load_companies(tx: Tx, origin: CompanyOrigin | None, page: int, size: int) -> CompanyPage:
    """One page of the companies, watched ones first, then by name; `page` counts from 0."""
    wanted = [] if origin is None else [companies.c.company_origin == origin]
    total = (await tx.execute(select(func.count()).select_from(companies).where(*wanted))).scalar_one()
    sources = (
        select(func.count())
        .where(job_sources.c.company_id == companies.c.id, job_sources.c.disabled_at.is_(None))
        .scalar_subquery()
    )
    listed = (
        await tx.execute(
            select(companies, sources.label("source_count"))
            .where(*wanted)
            .order_by(companies.c.company_origin.desc(), companies.c.name, companies.c.id)
            .limit(size)
            .offset(page * size)
        )
    ).all()
    aliases = await load_aliases(tx, [row.id for row in listed])
    summaries = tuple(
        CompanySummary(
            id=row.id,
            name=row.name,
            registration_type=RegistrationType(row.registration_type),
            company_origin=CompanyOrigin(row.company_origin),
            aliases=aliases.get(row.id, ()),
            source_count=row.source_count,
        )
        for row in listed
    )
    return CompanyPage(companies=summaries, total_count=total, page=page)
