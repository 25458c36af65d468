"""Registering companies and what they are also called (seed 001, FR-4, FR-5, FR-61)."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from daemon.company import rules
from daemon.company.model import (
    Alias,
    CompanyExists,
    CompanyOrigin,
    CompanySource,
    PromotedCompany,
    RegisteredCompany,
    RegistrationType,
    SourceFollowed,
    UnknownAlias,
    UnknownCompany,
    UnknownCompanyName,
)
from daemon.company.store import names, registry, sources
from daemon.db import Database, Tx, reading, transaction, unless_overtaken

log = structlog.get_logger(__name__)


async def register_company(
    db: Database, name: str, followed: Sequence[CompanySource], aliases: Sequence[str] = ()
) -> RegisteredCompany:
    """Watch a company, with the boards on which it publishes; without any it is MANUAL_ONLY.

    A company that was only discovered so far is promoted, and takes the name given here. Raises InvalidValue,
    CompanyExists (name or alias taken by another), SourceFollowed.
    """
    name = rules.checked_name("name", name)
    named = {rules.name_key(alias): alias for alias in (rules.checked_name("aliases", alias) for alias in aliases)}
    named.pop(rules.name_key(name), None)
    checked = rules.checked_boards(followed)
    registered = await unless_overtaken(db, _register, name, checked, named)
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
    else:
        company_id = known.company_id
        # Locked, for another registration may be making it a watched one at this moment.
        standing = await registry.lock_registration(tx, company_id)
        if standing is None or standing.company_origin is CompanyOrigin.WATCHED:
            raise CompanyExists(company_id, known.name)
        await registry.save_watched(tx, company_id, registration, now, name=None if known.by_alias else name)
    new_aliases = [(alias, key) for key, alias in sorted(aliases.items()) if _is_free(taken.get(key), company_id)]
    await registry.add_aliases(tx, company_id, new_aliases, now)
    await _refuse_taken(tx, company_id, [key, *aliases])
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


async def promote_company(db: Database, company_id: int) -> PromotedCompany:
    """Watch a company that was only discovered; one that is watched stays so (FR-61).

    Raises UnknownCompany, and CompanyExists when its name has become another's alias: it is that company then.
    """
    promoted = await transaction(db, _promote, company_id)
    if promoted.changed:
        log.info("company.promoted", company_id=company_id)
    return promoted


async def _promote(tx: Tx, company_id: int) -> PromotedCompany:
    known = await registry.lock_registration(tx, company_id)
    if known is None:
        raise UnknownCompany(company_id)
    discovered = known.company_origin is CompanyOrigin.DISCOVERED
    if discovered:
        await registry.save_watched(tx, company_id, known.registration_type, await tx.now())
        await _refuse_taken(tx, company_id, [rules.name_key(known.name)])
    return PromotedCompany(
        company_id=company_id, name=known.name, company_origin=CompanyOrigin.WATCHED, changed=discovered
    )


async def find_company(db: Database, given: str) -> int:
    """`companies.id` of the company of that name or alias, however it is spelt. Raises UnknownCompanyName.

    A number that is no company's name is taken as the id itself.
    """
    return await reading(db, _find_company, given)


async def _find_company(tx: Tx, given: str) -> int:
    key = rules.name_key(given)
    found = (await names.find_by_keys(tx, [key])).get(key)
    if found is not None:
        return found.company_id
    company_id = rules.row_id(given)
    if company_id is None or not await registry.has_company(tx, company_id):
        raise UnknownCompanyName(given)
    return company_id


async def add_alias(db: Database, company_id: int, alias: str) -> bool:
    """Let a company also be found by `alias`; tells whether that is new.

    What was found of a company that was merely discovered under that name is this company's from the next 08:30 on.
    Raises InvalidValue, UnknownCompany, CompanyExists (the name belongs to another watched company or alias).
    """
    added = await unless_overtaken(db, _add_alias, company_id, rules.checked_name("alias", alias))
    if added:
        log.info("company.alias_added", company_id=company_id)
    return added


async def _add_alias(tx: Tx, company_id: int, alias: str) -> bool:
    if not await registry.has_company(tx, company_id):
        raise UnknownCompany(company_id)
    key = rules.name_key(alias)
    if not _is_free((await names.find_by_keys(tx, [key])).get(key), company_id):
        return False
    await registry.add_aliases(tx, company_id, [(alias, key)], await tx.now())
    await _refuse_taken(tx, company_id, [key])
    return True


async def remove_alias(db: Database, company_id: int, alias: str | int) -> Alias:
    """Let a company no longer be found by an alias, given by its name in any spelling or by its id.

    What was collected under that name stays with the company; what is collected from now on belongs to a company of
    that name. Raises UnknownCompany, UnknownAlias.
    """
    removed = await transaction(db, _remove_alias, company_id, alias)
    log.info("company.alias_removed", company_id=company_id, alias_id=removed.alias_id)
    return removed


async def _remove_alias(tx: Tx, company_id: int, alias: str | int) -> Alias:
    if not await registry.has_company(tx, company_id):
        raise UnknownCompany(company_id)
    key = rules.name_key(alias) if isinstance(alias, str) else None
    for known in await registry.load_aliases_of(tx, company_id):
        if alias == known.alias_id or (key is not None and key == rules.name_key(known.alias)):
            await registry.remove_alias(tx, known.alias_id)
            return known
    raise UnknownAlias(company_id, alias)


async def _refuse_taken(tx: Tx, company_id: int, keys: Sequence[str]) -> None:
    """Raise CompanyExists when someone else has given one of these names to another company meanwhile."""
    holder = await names.lock_other_holder(tx, keys, company_id)
    if holder is not None:
        standing = await registry.load_registration(tx, holder)
        raise CompanyExists(holder, standing.name if standing else keys[0])


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
