"""SQL of the views of companies; reads only."""

from __future__ import annotations

from sqlalchemy import ColumnElement, func, select

from daemon.collection.tables import job_source_health
from daemon.company.model import CompanyOrigin, JobSource, RegistrationType
from daemon.company.store.names import load_aliases
from daemon.company.store.sources import load_sources
from daemon.company.tables import companies, job_sources
from daemon.db import Tx
from daemon.operations.companies.model import CompanyItem, CompanyName
from daemon.sources.model import SourceType


async def count_by_origin(tx: Tx) -> dict[CompanyOrigin, int]:
    """How many companies there are of each origin, zeros included."""
    rows = await tx.execute(
        select(companies.c.company_origin, func.count().label("number")).group_by(companies.c.company_origin)
    )
    found = {row.company_origin: row.number for row in rows}
    return {origin: found.get(origin, 0) for origin in CompanyOrigin}


async def load_companies(tx: Tx, origin: CompanyOrigin | None, page: int, size: int) -> tuple[CompanyItem, ...]:
    """One page of the companies, watched ones first, then by name; `page` counts from 0."""
    sources = select(func.count()).where(
        job_sources.c.company_id == companies.c.id, job_sources.c.disabled_at.is_(None)
    )
    broken = sources.join(job_source_health, job_source_health.c.job_source_id == job_sources.c.id).where(
        job_source_health.c.broken_since.is_not(None)
    )
    listed = (
        await tx.execute(
            select(
                companies,
                sources.scalar_subquery().label("source_count"),
                broken.scalar_subquery().label("broken_source_count"),
            )
            .where(*_of(origin))
            .order_by(companies.c.company_origin.desc(), companies.c.name, companies.c.id)
            .limit(size)
            .offset(page * size)
        )
    ).all()
    aliases = await load_aliases(tx, [row.id for row in listed])
    return tuple(
        CompanyItem(
            id=row.id,
            name=row.name,
            registration_type=RegistrationType(row.registration_type),
            company_origin=CompanyOrigin(row.company_origin),
            source_count=row.source_count,
            broken_source_count=row.broken_source_count,
            aliases=aliases.get(row.id, ()),
        )
        for row in listed
    )


async def load_watched(tx: Tx, limit: int) -> tuple[CompanyName, ...]:
    """The first `limit` watched companies by name."""
    rows = await tx.execute(
        select(companies.c.id, companies.c.name)
        .where(companies.c.company_origin == CompanyOrigin.WATCHED)
        .order_by(companies.c.name, companies.c.id)
        .limit(limit)
    )
    return tuple(CompanyName(id=row.id, name=row.name) for row in rows)


def _of(origin: CompanyOrigin | None) -> list[ColumnElement[bool]]:
    return [] if origin is None else [companies.c.company_origin == origin]


async def load_boards(tx: Tx, company_id: int) -> tuple[JobSource, ...]:
    """The company's sources, disabled ones too, by id."""
    ids = await tx.execute(select(job_sources.c.id).where(job_sources.c.company_id == company_id))
    return await load_sources(tx, ids.scalars().all())


async def load_searches(tx: Tx) -> tuple[JobSource, ...]:
    """Every search on an aggregator, disabled ones too, by id."""
    ids = await tx.execute(select(job_sources.c.id).where(job_sources.c.source_type == SourceType.AGGREGATOR))
    return await load_sources(tx, ids.scalars().all())
