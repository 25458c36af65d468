"""Sources: what is followed, what is collected, what is switched off."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, insert, select, tuple_, update

from daemon.company.model import CompanySource, JobSource
from daemon.company.tables import companies, job_sources
from daemon.db import Tx
from daemon.sources.model import Platform, SourceType
from daemon.sources.registry import adapter_of


async def load_active_targets(tx: Tx, types: Collection[SourceType] = tuple(SourceType)) -> tuple[JobSource, ...]:
    """The sources to be collected, of the given types: those not disabled, by id."""
    return await _load(tx, job_sources.c.disabled_at.is_(None), job_sources.c.source_type.in_(types))


async def load_sources(tx: Tx, ids: Collection[int] | None = None) -> tuple[JobSource, ...]:
    """The sources with these ids (None: all), disabled ones too, by id."""
    rows = await (tx.execute(_SOURCES) if ids is None else tx.execute(_SOURCES_OF, {"ids": list(ids)}))
    return tuple(source_of(row) for row in rows)


async def find_board(tx: Tx, platform: Platform, slug: str) -> JobSource | None:
    """The source that follows this company's board."""
    found = await _load(tx, job_sources.c.platform == platform, job_sources.c.source_slug == slug)
    return found[0] if found else None


async def find_boards(tx: Tx, boards: Collection[CompanySource]) -> tuple[JobSource, ...]:
    """The sources that follow any of these boards, by id."""
    if not boards:
        return ()
    wanted = [(board.platform, board.source_slug) for board in boards]
    return await _load(tx, tuple_(job_sources.c.platform, job_sources.c.source_slug).in_(wanted))


async def find_search(tx: Tx, platform: Platform, category_code: str, keyword: str) -> JobSource | None:
    """The source that follows this search."""
    found = await _load(
        tx,
        job_sources.c.platform == platform,
        job_sources.c.search_category_code == category_code,
        job_sources.c.search_keyword == keyword,
    )
    return found[0] if found else None


async def add_board(tx: Tx, company_id: int, source: CompanySource, now: datetime) -> int:
    """Follow a company's board; returns the source's id. An IntegrityError means that someone just has."""
    return await _add(
        tx,
        now,
        company_id=company_id,
        platform=source.platform,
        source_type=SourceType.COMPANY_BOUND,
        source_slug=source.source_slug,
        base_url=source.base_url,
    )


async def add_search(tx: Tx, platform: Platform, category_code: str, keyword: str, now: datetime) -> int:
    """Follow a search; returns the source's id. An IntegrityError means that someone just has."""
    return await _add(
        tx,
        now,
        platform=platform,
        source_type=SourceType.AGGREGATOR,
        search_category_code=category_code,
        search_keyword=keyword,
    )


async def save_disabled(tx: Tx, job_source_id: int, now: datetime) -> bool:
    """Switch a source off; False when it is off already, since when does not change. History and postings stay."""
    switched = await tx.execute(
        update(job_sources)
        .where(job_sources.c.id == job_source_id, job_sources.c.disabled_at.is_(None))
        .values(disabled_at=now, updated_at=now)
    )
    return switched.rowcount == 1


async def save_enabled(tx: Tx, job_source_id: int, now: datetime) -> bool:
    """Switch a source on again; False when it is on. It seeds anew: what appeared meanwhile is no news."""
    switched = await tx.execute(
        update(job_sources)
        .where(job_sources.c.id == job_source_id, job_sources.c.disabled_at.is_not(None))
        .values(disabled_at=None, seeded_at=None, updated_at=now)
    )
    return switched.rowcount == 1


_SAVE_SEEDED = (
    update(job_sources)
    .where(job_sources.c.id == bindparam("source_id"), job_sources.c.seeded_at.is_(None))
    .values(seeded_at=bindparam("now"), updated_at=bindparam("now"))
)


async def save_seeded(tx: Tx, job_source_id: int, now: datetime) -> None:
    """End a source's seeding, once (DESIGN 1.4: with its first cycle that is SUCCESS or BUDGET_EXHAUSTED)."""
    await tx.write(_SAVE_SEEDED, {"source_id": job_source_id, "now": now})


async def _add(tx: Tx, now: datetime, **columns: object) -> int:
    added = await tx.execute(insert(job_sources).values(**columns, created_at=now, updated_at=now))
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


def with_company(query: Select[Any], sources: FromClause) -> Select[Any]:
    """A query over `sources` (the sources' table, or what it is joined with) made fit for `source_of`."""
    named = sources.join(companies, companies.c.id == job_sources.c.company_id, isouter=True)
    return query.add_columns(companies.c.name.label("company_name")).select_from(named)


_SOURCES = with_company(select(job_sources), job_sources).order_by(job_sources.c.id)
_SOURCES_OF = _SOURCES.where(job_sources.c.id.in_(bindparam("ids", expanding=True)))


async def _load(tx: Tx, *conditions: ColumnElement[bool]) -> tuple[JobSource, ...]:
    return tuple(source_of(row) for row in await tx.execute(_SOURCES.where(*conditions)))


@cache
def _category_labels(platform: Platform) -> dict[str, str]:
    return {category.code: category.label for category in adapter_of(platform).categories()}


def source_of(row: Any) -> JobSource:
    """The source in a row of `with_company`."""
    platform = Platform(row.platform)
    return JobSource(
        id=row.id,
        platform=platform,
        source_type=SourceType(row.source_type),
        company_id=row.company_id,
        company_name=row.company_name,
        source_slug=row.source_slug,
        base_url=row.base_url,
        search_category_code=row.search_category_code,
        search_keyword=row.search_keyword,
        seeded_at=row.seeded_at,
        disabled_at=row.disabled_at,
        category_label=_category_labels(platform).get(row.search_category_code),
    )
