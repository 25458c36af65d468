"""Companies that a person registers, and their aliases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Row, Select, delete, insert, select, update

from daemon.company.model import Alias, CompanyOrigin, Registration, RegistrationType
from daemon.company.tables import companies, company_aliases
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


async def load_registration(tx: Tx, company_id: int) -> Registration | None:
    """How a company stands in the register; None when there is none of this id."""
    return _to_registration((await tx.execute(_registration(company_id))).one_or_none())


async def lock_registration(tx: Tx, company_id: int) -> Registration | None:
    """As `load_registration`, the company's row locked."""
    return _to_registration((await tx.execute(_registration(company_id).with_for_update())).one_or_none())


def _registration(company_id: int) -> Select[tuple[str, str, str]]:
    return select(companies.c.name, companies.c.registration_type, companies.c.company_origin).where(
        companies.c.id == company_id
    )


def _to_registration(row: Row[tuple[str, str, str]] | None) -> Registration | None:
    if row is None:
        return None
    return Registration(
        name=row.name,
        registration_type=RegistrationType(row.registration_type),
        company_origin=CompanyOrigin(row.company_origin),
    )


async def save_watched(
    tx: Tx, company_id: int, registration: RegistrationType, now: datetime, *, name: str | None = None
) -> None:
    """Make a company a watched one, under the `name` that the person gave it (None keeps the old one)."""
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


async def load_aliases_of(tx: Tx, company_id: int) -> tuple[Alias, ...]:
    """The aliases of one company, in the order in which they were added."""
    rows = await tx.execute(
        select(company_aliases.c.id, company_aliases.c.alias)
        .where(company_aliases.c.company_id == company_id)
        .order_by(company_aliases.c.id)
    )
    return tuple(Alias(alias_id=row.id, alias=row.alias) for row in rows)


async def remove_alias(tx: Tx, alias_id: int) -> None:
    """Delete an alias: it is the person's word, and nothing else refers to it."""
    await tx.execute(delete(company_aliases).where(company_aliases.c.id == alias_id))
