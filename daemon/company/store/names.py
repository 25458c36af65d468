"""From names to companies, set-based: by the normal form of a company's name or of one of its aliases."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, literal, select, union_all

from daemon.company import rules
from daemon.company.model import CompanyOrigin, RegistrationType, ResolvedCompanies
from daemon.company.tables import companies, company_aliases
from daemon.db import AtOnce, Tx, insert_if_absent
from daemon.sources.text import collapse


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """The company that a normal form stands for."""

    company_id: int
    name: str
    origin: CompanyOrigin
    by_alias: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Namesake:
    """A company that is really another one, as the person's alias says."""

    discovered_id: int
    company_id: int
    """The company that it is."""
    name: str
    """The name of that one."""


# What every page asks is put together once.
_BY_NAME = select(
    companies.c.name_key.label("name_key"),
    companies.c.id.label("company_id"),
    companies.c.name.label("name"),
    companies.c.company_origin.label("origin"),
    literal(0).label("by_alias"),
).where(companies.c.name_key.in_(bindparam("keys", expanding=True)))
_BY_ALIAS = (
    select(
        company_aliases.c.alias_key,
        companies.c.id,
        companies.c.name,
        companies.c.company_origin,
        literal(1),
    )
    .join(companies, companies.c.id == company_aliases.c.company_id)
    .where(company_aliases.c.alias_key.in_(bindparam("keys", expanding=True)))
)
_BY_KEYS = AtOnce(union_all(_BY_NAME, _BY_ALIAS))
_LOCKED_BY_KEYS = AtOnce(
    select(companies.c.name_key, companies.c.id, companies.c.name, companies.c.company_origin)
    .with_hint(companies, "FORCE INDEX (uk_companies_name_key)", "mysql")
    .where(companies.c.name_key.in_(bindparam("keys", expanding=True)))
    .with_for_update(read=True)
)


async def find_by_keys(tx: Tx, keys: Collection[str]) -> dict[str, Named]:
    """The companies that these normal forms stand for. One statement.

    An alias goes before a name: a person who calls a discovered company by an alias of another means the other.
    """
    if not keys:
        return {}
    found: dict[str, Named] = {}
    for key, company_id, name, origin, by_alias in await _BY_KEYS.rows(tx, {"keys": list(keys)}):
        if key not in found or by_alias:
            found[key] = Named(company_id=company_id, name=name, origin=CompanyOrigin(origin), by_alias=bool(by_alias))
    return found


async def lock_other_holder(tx: Tx, keys: Collection[str], company_id: int) -> int | None:
    """`companies.id` of another watched company that is called by one of these normal forms; what is read is locked.

    Asked after one's own rows were written: of two that give one name to two companies at the same time one then waits
    for the other and finds it, or both wait and the server has one of them run again.
    """
    by_alias = (
        select(company_aliases.c.company_id)
        .with_hint(company_aliases, "FORCE INDEX (uk_company_aliases_alias_key)", "mysql")
        .where(company_aliases.c.alias_key.in_(keys), company_aliases.c.company_id != company_id)
        .with_for_update()
    )
    by_name = (
        select(companies.c.id)
        .with_hint(companies, "FORCE INDEX (uk_companies_name_key)", "mysql")
        .where(
            companies.c.name_key.in_(keys),
            companies.c.id != company_id,
            companies.c.company_origin == CompanyOrigin.WATCHED,
        )
        .with_for_update()
    )
    for query in (by_alias, by_name):
        holder = (await tx.execute(query)).scalars().first()
        if holder is not None:
            return int(holder)
    return None


async def resolve_companies(tx: Tx, names: Collection[str]) -> ResolvedCompanies:
    """The companies of a page's names, as the site shows them; unknown ones are made, as DISCOVERED (FR-61).

    Names of one normal form, and aliases, are one company. A name without any visible character is left out; what is
    over 200 characters is cut. At most three statements, and safe while others do the same: whoever inserts a normal
    form first makes the company, everyone else reads it. Rows are inserted in key order, so that two pages with the
    same names can't wait for each other.
    """
    shown = {name: collapse(name)[: rules.NAME_CHARACTERS].strip() for name in names}
    keys = {name: rules.name_key(clean) for name, clean in shown.items() if clean}
    found = await find_by_keys(tx, set(keys.values()))
    # One name per new key: the least, so that the outcome doesn't depend on the order within a page.
    missing: dict[str, str] = {}
    for name, key in keys.items():
        if key not in found:
            missing[key] = min(shown[name], missing.get(key, shown[name]))
    if missing:
        await add_discovered(tx, missing, await tx.now())
        found |= await _lock_by_keys(tx, missing)
    return ResolvedCompanies(
        ids={name: found[key].company_id for name, key in keys.items()},
        names={company.company_id: company.name for company in found.values()},
    )


async def _lock_by_keys(tx: Tx, keys: Collection[str]) -> dict[str, Named]:
    """The companies of these normal forms, which were just made by this transaction or by another before it.

    A locking read finds what is committed by now, however old the transaction's view of the database is.
    """
    return {
        key: Named(company_id=company_id, name=name, origin=CompanyOrigin(origin), by_alias=False)
        for key, company_id, name, origin in await _LOCKED_BY_KEYS.rows(tx, {"keys": list(keys)})
    }


async def add_discovered(tx: Tx, names: Mapping[str, str], now: datetime) -> None:
    """Insert companies (name by normal form) whose normal form is free; the others are left as they are."""
    rows = [
        {
            "name": names[key],
            "name_key": key,
            "registration_type": RegistrationType.MANUAL_ONLY,
            "company_origin": CompanyOrigin.DISCOVERED,
            "created_at": now,
            "updated_at": now,
        }
        for key in sorted(names)
    ]
    await insert_if_absent(tx, companies, rows)


async def lock_company(tx: Tx, company_id: int) -> str | None:
    """The name of a company, locked; None when there is none of this id."""
    found = await tx.execute(select(companies.c.name).where(companies.c.id == company_id).with_for_update())
    return found.scalar_one_or_none()


async def load_namesakes(tx: Tx) -> tuple[Namesake, ...]:
    """Discovered companies whose name has since become an alias of another: what is theirs is the other's."""
    named = companies.alias()
    rows = await tx.execute(
        select(companies.c.id.label("discovered_id"), named.c.id.label("company_id"), named.c.name)
        .join(company_aliases, company_aliases.c.alias_key == companies.c.name_key)
        .join(named, named.c.id == company_aliases.c.company_id)
        .where(named.c.id != companies.c.id)
        .order_by(companies.c.id)
    )
    return tuple(Namesake(discovered_id=row.discovered_id, company_id=row.company_id, name=row.name) for row in rows)


async def load_aliases(tx: Tx, company_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The aliases of each company that has any, in the order in which they were added."""
    rows = await tx.execute(
        select(company_aliases.c.company_id, company_aliases.c.alias)
        .where(company_aliases.c.company_id.in_(company_ids))
        .order_by(company_aliases.c.id)
    )
    found: dict[int, tuple[str, ...]] = {}
    for row in rows:
        found[row.company_id] = (*found.get(row.company_id, ()), row.alias)
    return found
