"""The views of companies and aggregator sources, each one reading transaction; what the API and the shell call."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from daemon.company.model import CompanyOrigin, JobSource, UnknownCompany
from daemon.company.store.registry import load_aliases_of, load_registration
from daemon.db import Database, Tx, reading
from daemon.operations.companies import store
from daemon.operations.companies.model import (
    AggregatorSource,
    AggregatorSources,
    BoardView,
    BrokenStatus,
    CompanyDetail,
    CompanyName,
    CompanyPage,
)
from daemon.operations.store import load_broken


async def list_companies(
    db: Database, origin: CompanyOrigin | None = None, page: int = 0, size: int = 50
) -> CompanyPage:
    """One page of the companies, watched ones first; `page` counts from 0 (FR-50, FR-61)."""
    return await reading(db, _list, origin, page, size)


async def _list(tx: Tx, origin: CompanyOrigin | None, page: int, size: int) -> CompanyPage:
    counts = await store.count_by_origin(tx)
    return CompanyPage(
        companies=await store.load_companies(tx, origin, page, size),
        total_count=sum(counts.values()) if origin is None else counts[origin],
        page=page,
        size=size,
        watched_count=counts[CompanyOrigin.WATCHED],
        discovered_count=counts[CompanyOrigin.DISCOVERED],
    )


async def watched_companies(db: Database, limit: int) -> tuple[CompanyName, ...]:
    """The first `limit` watched companies by name."""
    return await reading(db, store.load_watched, limit)


async def show_company(db: Database, company_id: int) -> CompanyDetail:
    """A company with its other names and its boards. Raises UnknownCompany."""
    return await reading(db, _show, company_id)


async def _show(tx: Tx, company_id: int) -> CompanyDetail:
    known = await load_registration(tx, company_id)
    if known is None:
        raise UnknownCompany(company_id)
    broken = await load_broken(tx)
    return CompanyDetail(
        id=company_id,
        name=known.name,
        registration_type=known.registration_type,
        company_origin=known.company_origin,
        aliases=await load_aliases_of(tx, company_id),
        sources=tuple(_board(source, broken) for source in await store.load_boards(tx, company_id)),
    )


def _board(source: JobSource, broken: Mapping[int, datetime]) -> BoardView:
    return BoardView(
        job_source_id=source.id,
        platform=source.platform,
        source_slug=source.source_slug or "",
        base_url=source.base_url,
        disabled=source.disabled_at is not None,
        disabled_at=source.disabled_at,
        seeded_at=source.seeded_at,
        broken_status=_status(source, broken),
        broken_since=broken.get(source.id),
    )


async def list_aggregator_sources(db: Database) -> AggregatorSources:
    """Every search on an aggregator, disabled ones too, by id (FR-60)."""
    return await reading(db, _list_searches)


async def _list_searches(tx: Tx) -> AggregatorSources:
    broken = await load_broken(tx)
    return AggregatorSources(sources=tuple(_search(source, broken) for source in await store.load_searches(tx)))


def _search(source: JobSource, broken: Mapping[int, datetime]) -> AggregatorSource:
    return AggregatorSource(
        job_source_id=source.id,
        platform=source.platform,
        search_category_code=source.search_category_code or "",
        search_category_label=source.category_label,
        search_keyword=source.search_keyword or "",
        disabled=source.disabled_at is not None,
        broken_status=_status(source, broken),
        broken_since=broken.get(source.id),
        disabled_at=source.disabled_at,
        seeded_at=source.seeded_at,
    )


def _status(source: JobSource, broken: Mapping[int, datetime]) -> BrokenStatus:
    return BrokenStatus.BROKEN if source.id in broken else BrokenStatus.NORMAL
