"""Where the peers write: a table of postings and one of their tags, a unique key each."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, MetaData, String, Table, UniqueConstraint

from tests.bench.reading.raw import Raw

metadata = MetaData()
_OPTIONS: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}

postings = Table(
    "postings",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=True),
    Column("source", String(20), nullable=False),
    Column("source_job_id", String(200), nullable=False),
    Column("title", String(500), nullable=False),
    Column("posting_url", String(2000), nullable=False),
    Column("company", String(200), nullable=False),
    Column("company_identifier", String(200), nullable=False),
    Column("deadline", String(100), nullable=False),
    UniqueConstraint("source", "source_job_id"),
    **_OPTIONS,
)

tags = Table(
    "posting_tags",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=True),
    Column("source_job_id", String(200), nullable=False),
    Column("tag", String(200), nullable=False),
    UniqueConstraint("source_job_id", "tag"),
    **_OPTIONS,
)

SOURCE = "SARAMIN"


def posting_row(raw: Raw) -> dict[str, str]:
    """The row of `postings`."""
    return {
        "source": SOURCE,
        "source_job_id": raw.source_job_id,
        "title": raw.title,
        "posting_url": raw.url,
        "company": raw.company,
        "company_identifier": raw.company_identifier,
        "deadline": raw.deadline,
    }


def tag_rows(raw: Raw) -> list[dict[str, str]]:
    """The rows of `posting_tags`."""
    return [{"source_job_id": raw.source_job_id, "tag": tag} for tag in raw.tags]
