"""Names and origins of companies, for what is told of their postings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import select

from daemon.company.model import CompanyOrigin
from daemon.company.tables import companies
from daemon.db import Tx, chunks


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """Who a company is to the person."""

    name: str
    origin: CompanyOrigin


async def load_identities(tx: Tx, company_ids: Collection[int]) -> Mapping[int, Identity]:
    """The companies with these ids."""
    found: dict[int, Identity] = {}
    for chunk in chunks(sorted(set(company_ids))):
        rows = await tx.execute(
            select(companies.c.id, companies.c.name, companies.c.company_origin).where(companies.c.id.in_(chunk))
        )
        found |= {row.id: Identity(name=row.name, origin=CompanyOrigin(row.company_origin)) for row in rows}
    return found
