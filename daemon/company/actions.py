"""Registering companies and sources; what the API, the page and the shell call (seed 001, FR-1 to FR-5, FR-60)."""

from __future__ import annotations

import unicodedata
from collections.abc import Awaitable, Callable, Sequence
from typing import Concatenate, ParamSpec, TypeVar

import structlog
from sqlalchemy.exc import IntegrityError

from daemon.company import rules
from daemon.company.model import (
    CompanyExists,
    CompanyOrigin,
    CompanyPage,
    CompanySource,
    InvalidValue,
    JobSource,
    RegisteredCompany,
    RegistrationType,
    SourceFollowed,
    UnknownCategory,
    UnknownCompany,
    UnknownSource,
)
from daemon.company.store import names, registry, sources
from daemon.db import Database, Tx, reading, transaction
from daemon.sources.model import Platform, SourceType
from daemon.sources.registry import adapter_of
from daemon.sources.text import collapse

log = structlog.get_logger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

SLUG_CHARACTERS = 200
KEYWORD_CHARACTERS = 200
ADDRESS_CHARACTERS = 500


async def register_company(
    db: Database, name: str, followed: Sequence[CompanySource], aliases: Sequence[str] = ()
) -> RegisteredCompany:
    """Watch a company, with the boards on which it publishes; without any it is MANUAL_ONLY.

    A company that was only discovered so far is promoted, and takes the name given here. Raises InvalidValue,
    CompanyExists (name or alias taken by another), SourceFollowed.
    """
    name = _checked_name("name", name)
    named = {rules.name_key(alias): alias for alias in (_checked_name("aliases", alias) for alias in aliases)}
    named.pop(rules.name_key(name), None)
    checked = tuple(_checked_source(source) for source in followed)
    registered = await _unless_overtaken(db, _register, name, checked, named)
    log.info("company.registered", company_id=registered.company_id, sources=len(registered.source_ids))
    return registered


async def _register(tx: Tx, name: str, followed: Sequence[CompanySource], aliases: dict[str, str]) -> RegisteredCompany:
    now = await tx.now()
    key = rules.name_key(name)
    registration = RegistrationType.AUTO if followed else RegistrationType.MANUAL_ONLY
    taken = await names.find_by_keys(tx, [key, *aliases])
    known = taken.get(key)
    if known is None:
        company_id = await registry.add_watched(tx, name, key, registration, now)
    elif known.origin is CompanyOrigin.WATCHED:
        raise CompanyExists(known.company_id, known.name)
    else:
        company_id = known.company_id
        await registry.save_promotion(tx, company_id, registration, now, name=None if known.by_alias else name)
    new_aliases = [(alias, key) for key, alias in sorted(aliases.items()) if _is_free(taken.get(key), company_id)]
    await registry.add_aliases(tx, company_id, new_aliases, now)
    source_ids = [await _follow(tx, company_id, source) for source in followed]
    return RegisteredCompany(
        company_id=company_id,
        registration_type=registration,
        company_origin=CompanyOrigin.WATCHED,
        source_ids=tuple(source_ids),
    )


async def _follow(tx: Tx, company_id: int, source: CompanySource) -> int:
    followed = await sources.find_board(tx, source.platform, source.source_slug)
    if followed is not None:
        raise SourceFollowed(followed)
    return await sources.add_board(tx, company_id, source, await tx.now())


async def add_alias(db: Database, company_id: int, alias: str) -> bool:
    """Let a company also be found by `alias`; tells whether that is new.

    A company that was merely discovered under that name keeps its postings until they are seen again. Raises
    InvalidValue, UnknownCompany, CompanyExists (the name belongs to another watched company or alias).
    """
    return await _unless_overtaken(db, _add_alias, company_id, _checked_name("alias", alias))


async def _add_alias(tx: Tx, company_id: int, alias: str) -> bool:
    if not await registry.has_company(tx, company_id):
        raise UnknownCompany(company_id)
    key = rules.name_key(alias)
    if not _is_free((await names.find_by_keys(tx, [key])).get(key), company_id):
        return False
    await registry.add_aliases(tx, company_id, [(alias, key)], await tx.now())
    return True


def _is_free(holder: names.Named | None, company_id: int) -> bool:
    """Whether an alias is to be added: False when it leads to the company already; raises CompanyExists if taken.

    A discovered company gives its name up: the person knows better which company is meant.
    """
    if holder is None:
        return True
    if holder.company_id == company_id:
        return False
    if holder.by_alias or holder.origin is CompanyOrigin.WATCHED:
        raise CompanyExists(holder.company_id, holder.name)
    return True


async def list_companies(
    db: Database, origin: CompanyOrigin | None = None, page: int = 0, size: int = 50
) -> CompanyPage:
    """One page of the companies, watched ones first; `page` counts from 0."""
    return await reading(db, registry.load_companies, origin, page, size)


async def register_aggregator_source(db: Database, platform: Platform, category_code: str, keyword: str = "") -> int:
    """Follow a search on an aggregator; returns the source's id. One that was disabled is enabled again.

    Raises InvalidValue (the platform is no aggregator, the keyword is too long), UnknownCategory, SourceFollowed.
    """
    adapter = adapter_of(platform)
    if adapter.capabilities.source_type is not SourceType.AGGREGATOR:
        raise InvalidValue("platform", f"{platform} is a company's own board, not an aggregator")
    known = {category.code: category.label for category in adapter.categories()}
    if category_code not in known:
        raise UnknownCategory(platform, category_code, known)
    keyword = collapse(unicodedata.normalize("NFC", keyword))
    if len(keyword) > KEYWORD_CHARACTERS:
        raise InvalidValue("search_keyword", f"longer than {KEYWORD_CHARACTERS} characters")
    source_id = await _unless_overtaken(db, _follow_search, platform, category_code, keyword)
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


async def disable_source(db: Database, job_source_id: int) -> JobSource:
    """Stop following a source from its next collection on; history and postings stay. Repeating it changes nothing.

    Raises UnknownSource.
    """
    source = await transaction(db, _switch_source, job_source_id, False)
    log.info("source.disabled", job_source_id=job_source_id)
    return source


async def enable_source(db: Database, job_source_id: int) -> JobSource:
    """Follow a disabled source again; it seeds anew. Repeating it changes nothing. Raises UnknownSource."""
    source = await transaction(db, _switch_source, job_source_id, True)
    log.info("source.enabled", job_source_id=job_source_id)
    return source


async def _switch_source(tx: Tx, job_source_id: int, on: bool) -> JobSource:
    now = await tx.now()
    await (sources.save_enabled if on else sources.save_disabled)(tx, job_source_id, now)
    found = await sources.load_sources(tx, [job_source_id])
    if not found:
        raise UnknownSource(job_source_id)
    return found[0]


async def _unless_overtaken(
    db: Database, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `unit`; if someone else took one of its unique keys meanwhile, once more, so that it sees who did."""
    try:
        return await transaction(db, unit, *args, **kwargs)
    except IntegrityError:
        return await transaction(db, unit, *args, **kwargs)


def _checked_name(field: str, name: str) -> str:
    clean = collapse(unicodedata.normalize("NFC", name))
    if not clean:
        raise InvalidValue(field, "empty")
    if len(clean) > rules.NAME_CHARACTERS:
        raise InvalidValue(field, f"longer than {rules.NAME_CHARACTERS} characters")
    return clean


def _checked_source(source: CompanySource) -> CompanySource:
    """The source as it can be followed. Raises InvalidValue."""
    capabilities = adapter_of(source.platform).capabilities
    if capabilities.source_type is not SourceType.COMPANY_BOUND:
        raise InvalidValue("platform", f"{source.platform} is an aggregator, not a company's own board")
    slug = source.source_slug
    # It becomes part of a path: `..` would climb out of the allowed one.
    usable = slug.strip(".") and slug.isprintable() and not any(sign in slug for sign in " /?#\\%")
    if not usable or len(slug) > SLUG_CHARACTERS:
        raise InvalidValue("source_slug", f"{slug!r} can't be a company's name on {source.platform}")
    if source.base_url is not None and len(source.base_url) > ADDRESS_CHARACTERS:
        raise InvalidValue("base_url", f"longer than {ADDRESS_CHARACTERS} characters")
    if source.base_url is not None and rules.names_another_host(source.base_url, capabilities.compliance.host):
        raise InvalidValue("base_url", f"not an address of {capabilities.compliance.host}")
    return source
