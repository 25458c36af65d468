"""What a client stored, in words that are the same for all clients."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import create_engine, select

from daemon.company.rules import name_key
from daemon.company.tables import companies
from daemon.posting.tables import job_posting_source_tags, job_postings
from daemon.sources.text import deadline_of
from tests.bench.end_to_end import peer_tables


@dataclass(frozen=True, slots=True)
class Stored:
    """How many postings there are, and a hash over all that is known of them."""

    postings: int
    content: str


_Posting = tuple[str, str, str, str, datetime | None, str]


def _stored(postings: list[_Posting], tags: dict[str, list[str]]) -> Stored:
    digest = hashlib.sha256()
    for posting in sorted(postings, key=lambda one: one[0]):
        digest.update(repr((posting, sorted(tags.get(posting[0], ())))).encode())
    return Stored(len(postings), digest.hexdigest())


def of_ours(database: str) -> Stored:
    """In the product's tables."""
    engine = create_engine(_driver(database))
    posting = job_postings.c
    with engine.connect() as connection:
        rows = connection.execute(
            select(
                posting.source_job_id,
                posting.title,
                posting.posting_url,
                companies.c.name_key,
                posting.deadline_at,
                posting.source_company_identifier,
            ).join(companies, companies.c.id == posting.company_id)
        )
        found: list[_Posting] = [
            (*texts, end and end.replace(tzinfo=UTC), identifier or "") for *texts, end, identifier in rows
        ]
        tags: dict[str, list[str]] = defaultdict(list)
        for key, tag in connection.execute(
            select(posting.source_job_id, job_posting_source_tags.c.tag_value).join(
                job_postings, posting.id == job_posting_source_tags.c.job_posting_id
            )
        ):
            tags[key].append(tag)
    engine.dispose()
    return _stored(found, tags)


def of_peer(database: str, now: datetime) -> Stored:
    """In the peers' tables; the words of a deadline are understood only here, and a company's name as ours is."""
    engine = create_engine(_driver(database))
    row = peer_tables.postings.c
    with engine.connect() as connection:
        found: list[_Posting] = [
            (one.source_job_id, one.title, one.posting_url, name_key(one.company), end, one.company_identifier)
            for one in connection.execute(
                select(row.source_job_id, row.title, row.posting_url, row.company, row.deadline, row.company_identifier)
            )
            for end in (deadline_of(one.deadline, now),)
        ]
        tags: dict[str, list[str]] = defaultdict(list)
        for key, tag in connection.execute(select(peer_tables.tags.c.source_job_id, peer_tables.tags.c.tag)):
            tags[key].append(tag)
    engine.dispose()
    return _stored(found, tags)


def _driver(database: str) -> str:
    return database.replace("mysql://", "mysql+pymysql://")
