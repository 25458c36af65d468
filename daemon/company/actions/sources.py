"""Following and no longer following sources: a company's board, a search on an aggregator (seed 001, FR-60)."""

from __future__ import annotations

from typing import Literal

import structlog

from daemon.company import rules
from daemon.company.model import (
    CompanyOrigin,
    CompanySource,
    FollowedSource,
    JobSource,
    RegistrationType,
    SourceFollowed,
    SwitchedSource,
    UnknownCompany,
    UnknownSource,
)
from daemon.company.store import registry, sources
from daemon.db import Database, Tx, reading, transaction, unless_overtaken
from daemon.sources.model import Platform

log = structlog.get_logger(__name__)

Owner = int | Literal["anyone"] | None
"""Whom a source must belong to: a company, by its id; None is nobody, so an aggregator."""


async def follow_board(db: Database, company_id: int, source: CompanySource) -> FollowedSource:
    """Collect a company's board too; the company is then watched and AUTO. A board of its own that was off is on again.

    Raises InvalidValue, UnknownCompany, SourceFollowed (by this company and on, or by another company).
    """
    (checked,) = rules.checked_boards([source])
    followed = await unless_overtaken(db, _follow_board, company_id, checked)
    log.info("source.registered", job_source_id=followed.job_source_id, platform=str(source.platform))
    return followed


async def _follow_board(tx: Tx, company_id: int, source: CompanySource) -> FollowedSource:
    company = await registry.lock_registration(tx, company_id)
    if company is None:
        raise UnknownCompany(company_id)
    known = await sources.find_board(tx, source.platform, source.source_slug)
    if known is not None and (known.company_id != company_id or known.disabled_at is None):
        raise SourceFollowed(known)
    now = await tx.now()
    if (company.company_origin, company.registration_type) != (CompanyOrigin.WATCHED, RegistrationType.AUTO):
        await registry.save_watched(tx, company_id, RegistrationType.AUTO, now)
    if known is not None:
        await sources.save_enabled(tx, known.id, now)
        return FollowedSource(job_source_id=known.id, platform=source.platform, enabled_again=True)
    added = await sources.add_board(tx, company_id, source, now)
    return FollowedSource(job_source_id=added, platform=source.platform, enabled_again=False)


async def register_aggregator_source(db: Database, platform: Platform, category_code: str, keyword: str = "") -> int:
    """Follow a search on an aggregator; returns the source's id. One that was disabled is enabled again.

    Raises InvalidValue (the platform is no aggregator, the keyword is unfit), UnknownCategory, SourceFollowed.
    """
    keyword = rules.checked_search(platform, category_code, keyword)
    source_id = await unless_overtaken(db, _follow_search, platform, category_code, keyword)
    log.info("source.registered", job_source_id=source_id, platform=str(platform))
    return source_id


async def _follow_search(tx: Tx, platform: Platform, category_code: str, keyword: str) -> int:
    known = await sources.find_search(tx, platform, category_code, keyword)
    now = await tx.now()
    if known is None:
        return await sources.add_search(tx, platform, category_code, keyword, now)
    if known.disabled_at is None:
        raise SourceFollowed(known)
    await sources.save_enabled(tx, known.id, now)
    return known.id


async def list_sources(db: Database) -> tuple[JobSource, ...]:
    """Every source, disabled ones too, by id."""
    return await reading(db, sources.load_sources)


async def find_boards(db: Database, boards: list[CompanySource]) -> tuple[JobSource, ...]:
    """Those of the boards that are followed already, disabled ones too, by id."""
    return await reading(db, sources.find_boards, boards)


async def disable_source(db: Database, job_source_id: int, owner: Owner = "anyone") -> SwitchedSource:
    """Stop following a source from its next collection on; history and postings stay. Repeating it changes nothing.

    Raises UnknownSource, also when it is not the `owner`'s.
    """
    switched = await transaction(db, _switch_source, job_source_id, owner, False)
    if switched.changed:
        log.info("source.disabled", job_source_id=job_source_id)
    return switched


async def enable_source(db: Database, job_source_id: int, owner: Owner = "anyone") -> SwitchedSource:
    """Follow a disabled source again; it seeds anew. Repeating it changes nothing.

    Raises UnknownSource, also when it is not the `owner`'s.
    """
    switched = await transaction(db, _switch_source, job_source_id, owner, True)
    if switched.changed:
        log.info("source.enabled", job_source_id=job_source_id)
    return switched


async def _switch_source(tx: Tx, job_source_id: int, owner: Owner, on: bool) -> SwitchedSource:
    known = await sources.load_sources(tx, [job_source_id])
    if not known or (owner != "anyone" and known[0].company_id != owner):
        raise UnknownSource(job_source_id)
    changed = await (sources.save_enabled if on else sources.save_disabled)(tx, job_source_id, await tx.now())
    return SwitchedSource(source=(await sources.load_sources(tx, [job_source_id]))[0], changed=changed)
