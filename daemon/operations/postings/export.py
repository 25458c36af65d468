"""Postings as a spreadsheet, some hundreds of rows at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from daemon.db import Database
from daemon.messages import Language, text
from daemon.operations.postings.actions import export_postings
from daemon.operations.postings.model import PostingRecord
from daemon.operations.spreadsheet import Cell, csv_head, csv_rows

_COLUMNS = (
    "column.id",
    "column.company",
    "column.title",
    "column.address",
    "column.posting_state",
    "column.closed_reason",
    "column.deadline",
    "column.matched",
    "column.arrangement",
    "column.confidence",
    "column.application",
    "column.platform",
    "column.origin_of_posting",
    "column.represented_by",
    "column.copies",
    "column.found_at",
    "column.last_seen_at",
    "column.changed_at",
    "column.closed_at",
)


async def postings_csv(db: Database, language: Language) -> AsyncGenerator[bytes, None]:
    """Every posting, duplicates too, as a CSV file with columns and Korean times in the person's language."""
    # With the first rows, not before them: while there is nothing to read, an answer is still an error.
    head = csv_head([text(language, key) for key in _COLUMNS])
    async with aclosing(export_postings(db)) as lots:
        async for records in lots:
            yield head + csv_rows(_row(record, language) for record in records)
            head = b""
    if head:
        yield head


def _row(record: PostingRecord, language: Language) -> tuple[Cell, ...]:
    arrangement = record.work_arrangement

    def told(code: str | None) -> str | None:
        return None if code is None else text(language, f"cell.{code}")

    return (
        record.job_posting_id,
        record.company_name,
        record.title,
        record.posting_url,
        told(record.posting_status),
        told(record.closed_reason),
        text(language, "cell.always_open") if record.deadline_at is None else record.deadline_at,
        text(language, "cell.matched") if record.matched else None,
        None if arrangement is None else arrangement.keyword,
        None if arrangement is None else told(arrangement.confidence),
        record.application_id,
        record.platform,
        told(record.posting_origin),
        record.representative_id,
        record.alternate_source_count,
        record.first_seen_at,
        record.last_seen_at,
        record.changed_at,
        record.closed_at,
    )
