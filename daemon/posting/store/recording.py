"""Postings, their texts and tags as lists and deadlines change them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, Update, bindparam, delete, select, update

from daemon.db import AtOnce, Tx, chunks, insert_columns, insert_rows, update_each, upsert
from daemon.posting.model import ClosedReason, KnownPosting, PostingOrigin, PostingStatus
from daemon.posting.tables import job_posting_descriptions, job_posting_source_tags, job_postings
from daemon.sources.model import ChangeSignalKind, ChangeSignature

WrittenIds = Select[str]
"""Ids of postings at their site, where they are written down."""

# Reading a small table whole is cheap, so servers like to do it; but who locks what it reads would wait for the rows
# of every other source, and with them deadlock. Hence the indexes that locking statements name.

_KNOWN = (
    job_postings.c.id,
    job_postings.c.source_job_id,
    job_postings.c.company_id,
    job_postings.c.title,
    job_postings.c.posting_url,
    job_postings.c.deadline_at,
    job_postings.c.posting_status,
    job_postings.c.closed_reason,
    job_postings.c.change_signal_kind,
    job_postings.c.change_signal_value,
    job_postings.c.consecutive_miss_count,
    job_postings.c.access_restricted,
    job_postings.c.detail_verified_at,
    job_postings.c.version,
)

# What every page asks is put together once.
_AMONG = (
    job_postings.c.job_source_id == bindparam("job_source_id"),
    job_postings.c.source_job_id.in_(bindparam("ids", expanding=True)),
)
_IDS_AMONG = AtOnce(select(job_postings.c.source_job_id, job_postings.c.id).where(*_AMONG))
_KNOWN_QUERY = select(*_KNOWN).where(*_AMONG)
_KNOWN_AMONG = AtOnce(_KNOWN_QUERY)
_KNOWN_AMONG_LOCKED = AtOnce(
    _KNOWN_QUERY.with_hint(job_postings, "FORCE INDEX (uk_job_postings_source_job)", "mysql").with_for_update()
)
_MARK = update(job_postings).where(job_postings.c.id.in_(bindparam("ids", expanding=True)))
_FOUND = _MARK.values(last_seen_at=bindparam("now"), consecutive_miss_count=0)
_EDITED = _MARK.values(changed_at=bindparam("now"))
_VERIFIED = _MARK.values(detail_verified_at=bindparam("now"))
_REOPENED = _MARK.values(
    posting_status=PostingStatus.OPEN,
    closed_reason=None,
    closed_at=None,
    reopened_at=bindparam("now"),
    dedup_pending=1,
)
_DELETE_TAGS = delete(job_posting_source_tags).where(
    job_posting_source_tags.c.job_posting_id.in_(bindparam("ids", expanding=True))
)


def _to_known(row: Sequence[Any]) -> KnownPosting:
    (
        posting_id,
        source_job_id,
        company_id,
        title,
        posting_url,
        deadline_at,
        status,
        closed_reason,
        kind,
        value,
        miss_count,
        restricted,
        verified_at,
        version,
    ) = row
    return KnownPosting(
        id=posting_id,
        source_job_id=source_job_id,
        company_id=company_id,
        title=title,
        posting_url=posting_url,
        deadline_at=deadline_at,
        status=PostingStatus(status),
        closed_reason=ClosedReason(closed_reason) if closed_reason else None,
        signature=ChangeSignature(kind=ChangeSignalKind(kind), value=value) if kind and value else None,
        miss_count=miss_count,
        access_restricted=bool(restricted),
        detail_verified_at=verified_at,
        version=version,
    )


async def load_known(
    tx: Tx, job_source_id: int, source_job_ids: Collection[str], *, lock: bool = False
) -> dict[str, KnownPosting]:
    """The source's stored postings among `source_job_ids`; with `lock`, no one else changes them until commit."""
    found: dict[str, KnownPosting] = {}
    for chunk in chunks(source_job_ids):
        query = _KNOWN_AMONG_LOCKED if lock else _KNOWN_AMONG
        rows = await query.rows(tx, {"job_source_id": job_source_id, "ids": chunk})
        found |= {posting.source_job_id: posting for posting in map(_to_known, rows)}
    return found


async def add_postings(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert new postings."""
    await insert_rows(tx, job_postings, rows)


async def ids_of(tx: Tx, job_source_id: int, source_job_ids: Collection[str]) -> dict[str, int]:
    """The ids of the source's postings by their source job id."""
    found: dict[str, int] = {}
    for chunk in chunks(source_job_ids):
        found |= dict(await _IDS_AMONG.rows(tx, {"job_source_id": job_source_id, "ids": chunk}))
    return found


async def save_rewritten(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write changed postings. Each row has `id` and every column that a list may change.

    The rows are locked by the caller, so no version is compared; it is raised for those who compare it. Any of these
    columns can make the posting a copy of others, so the next deduplication looks at it.
    """
    await update_each(tx, job_postings, rows, {"dedup_pending": "1", "version": "version + 1"})


async def mark_found(tx: Tx, ids: Collection[int], now: datetime) -> None:
    """The list shows these: seen now, no miss any more."""
    await _mark(tx, _FOUND, ids, now)


async def mark_edited(tx: Tx, ids: Collection[int], now: datetime) -> None:
    """The site's evidence says that these were edited."""
    await _mark(tx, _EDITED, ids, now)


async def mark_reopened(tx: Tx, ids: Collection[int], now: datetime) -> None:
    """Closed postings that are found again are open again; they are no news (FR-16)."""
    await _mark(tx, _REOPENED, ids, now)


async def mark_verified(tx: Tx, ids: Collection[int], now: datetime) -> None:
    """The postings' own pages were read now."""
    await _mark(tx, _VERIFIED, ids, now)


async def _mark(tx: Tx, mark: Update, ids: Collection[int], now: datetime) -> None:
    for chunk in chunks(ids):
        await tx.write(mark, {"ids": chunk, "now": now})


async def save_descriptions(tx: Tx, bodies: Mapping[int, str], now: datetime) -> None:
    """Keep the latest text of each posting (one row per posting)."""
    rows = [
        {"job_posting_id": key, "body": body, "char_length": len(body), "created_at": now, "updated_at": now}
        for key, body in bodies.items()
    ]
    await upsert(tx, job_posting_descriptions, rows, ["job_posting_id"], ["created_at"])


async def replace_tags(
    tx: Tx, tags: Mapping[int, Sequence[tuple[str, str]]], now: datetime, *, fresh: Collection[int] = ()
) -> None:
    """Give each posting exactly these (value, normalised value) tags. Those in `fresh` are known to have none yet."""
    for chunk in chunks([key for key in tags if key not in fresh]):
        await tx.write(_DELETE_TAGS, {"ids": chunk})
    every = [tag for values in tags.values() for tag in values]
    columns: dict[str, list[Any]] = {
        "job_posting_id": [key for key, values in tags.items() for _ in values],
        "tag_value": [value for value, _ in every],
        "normalized_value": [normal for _, normal in every],
        "created_at": [now] * len(every),
    }
    await insert_columns(tx, job_posting_source_tags, columns)


async def load_open(tx: Tx, job_source_id: int, *, besides: WrittenIds | None = None) -> list[tuple[int, str, int]]:
    """The delta's population: (id, source_job_id, misses) of open, collected, unrestricted postings, locked.

    Those whose id at the site is among `besides` are left out.
    """
    population = (
        select(job_postings.c.id, job_postings.c.source_job_id, job_postings.c.consecutive_miss_count)
        .with_hint(job_postings, "FORCE INDEX (idx_job_postings_source_status)", "mysql")
        .where(
            job_postings.c.job_source_id == job_source_id,
            job_postings.c.posting_status == PostingStatus.OPEN,
            job_postings.c.posting_origin == PostingOrigin.COLLECTED,
            job_postings.c.access_restricted == 0,
        )
        .order_by(job_postings.c.id)
        .with_for_update()
    )
    if besides is not None:
        population = population.where(job_postings.c.source_job_id.not_in(besides))
    rows = await tx.execute(population)
    return [(row.id, row.source_job_id, row.consecutive_miss_count) for row in rows]


async def save_missed(tx: Tx, missed: Collection[int], closed: Collection[int], now: datetime) -> None:
    """Count one miss more for all of these, and close the second group."""
    for chunk in chunks(missed):
        await tx.write(
            update(job_postings)
            .where(job_postings.c.id.in_(chunk))
            .values(consecutive_miss_count=job_postings.c.consecutive_miss_count + 1, updated_at=now)
        )
    for chunk in chunks(closed):
        await tx.write(
            update(job_postings)
            .where(job_postings.c.id.in_(chunk))
            .values(
                consecutive_miss_count=job_postings.c.consecutive_miss_count + 1,
                posting_status=PostingStatus.CLOSED,
                closed_reason=ClosedReason.NOT_FOUND_TWICE,
                closed_at=now,
                dedup_pending=1,
                version=job_postings.c.version + 1,
                updated_at=now,
            )
        )


async def close_passed(tx: Tx, now: datetime, limit: int) -> int:
    """Close up to `limit` open postings whose deadline is before `now`; returns how many (FR-17).

    Always-open postings have no deadline, restricted ones are not judged (scenario 6).
    """
    rows = await tx.execute(
        select(job_postings.c.id)
        .with_hint(job_postings, "FORCE INDEX (idx_job_postings_status_deadline)", "mysql")
        .where(
            job_postings.c.posting_status == PostingStatus.OPEN,
            job_postings.c.deadline_at < now,
            job_postings.c.access_restricted == 0,
        )
        .order_by(job_postings.c.deadline_at)
        .limit(limit)
        .with_for_update()
    )
    ids = [row.id for row in rows]
    if ids:
        await tx.write(
            update(job_postings)
            .where(job_postings.c.id.in_(ids))
            .values(
                posting_status=PostingStatus.CLOSED,
                closed_reason=ClosedReason.DEADLINE_PASSED,
                closed_at=now,
                dedup_pending=1,
                version=job_postings.c.version + 1,
                updated_at=now,
            )
        )
    return len(ids)
