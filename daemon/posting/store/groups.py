"""Copies of one posting on several sources: which they are, and which of them stands for the others (seed 001, 방안 9).

Standing is no edit: none of this raises `version` or `updated_at`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Column, Row, Update, case, func, or_, select, update

from daemon.company.store import load_sources
from daemon.db import Tx, chunks
from daemon.flags.model import FlagKey
from daemon.flags.store import is_enabled
from daemon.posting import rules
from daemon.posting.model import Copy, CopyGroup, PostingStatus, Standing
from daemon.posting.tables import job_postings

_BY_ID = "FORCE INDEX (PRIMARY)"
"""Left to itself MariaDB goes through a small table by another index, and waits for rows that are not asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Locked:
    """All postings of some dedup keys, none of which anyone else changes until commit."""

    copies: Mapping[str, tuple[Copy, ...]]
    """By key."""
    strangers: frozenset[int]
    """Postings of other keys at the other end of a link from before a posting moved from key to key; locked too."""

    @property
    def ids(self) -> list[int]:
        """The postings of these keys."""
        return [copy.id for group in self.copies.values() for copy in group]


async def load_pending_ids(tx: Tx) -> list[int]:
    """The postings touched since copies were last grouped, by id."""
    rows = await tx.execute(
        select(job_postings.c.id)
        # The optimizer knows two values of the mark, not that nearly all rows have one of them.
        .with_hint(job_postings, "FORCE INDEX (idx_job_postings_dedup_pending)", "mysql")
        .where(job_postings.c.dedup_pending == 1, job_postings.c.dedup_key.is_not(None))
        .order_by(job_postings.c.id)
    )
    return list(rows.scalars())


async def load_pending_keys(tx: Tx, ids: Collection[int]) -> list[str]:
    """The dedup keys of those of these postings that are still to be looked at, in order."""
    rows = await tx.execute(
        select(job_postings.c.dedup_key)
        .where(job_postings.c.id.in_(ids), job_postings.c.dedup_pending == 1, job_postings.c.dedup_key.is_not(None))
        .distinct()
    )
    return sorted(rows.scalars())


_COPY = (
    job_postings.c.id,
    job_postings.c.dedup_key,
    job_postings.c.job_source_id,
    job_postings.c.posting_status,
    job_postings.c.deadline_at,
    job_postings.c.first_seen_at,
    job_postings.c.representative_id,
    job_postings.c.notification_eligible,
    job_postings.c.eligible_alone,
)


async def lock_copies(tx: Tx, keys: Collection[str]) -> Locked:
    """Lock all postings of these keys and whatever they are linked to.

    A key is left out while another is writing to any of its postings or to one linked to them: so this never waits,
    and can't be part of a deadlock with the pages that are being committed. A posting that gets one of the keys after
    this is touched, and so looked at later.
    """
    key_of: dict[int, str] = {}
    for chunk in chunks(keys):
        of_keys = select(job_postings.c.id, job_postings.c.dedup_key).where(job_postings.c.dedup_key.in_(chunk))
        key_of |= {row.id: row.dedup_key for row in await tx.execute(of_keys)}
    rows = {row.id: row for row in await _lock_free(tx, key_of, _COPY)}
    busy = {key for id, key in key_of.items() if id not in rows or rows[id].dedup_key != key}
    links = [(row.id, row.representative_id) for row in rows.values() if row.representative_id is not None]
    for chunk in chunks(rows):
        backwards = select(job_postings.c.representative_id, job_postings.c.id)
        found = await tx.execute(backwards.where(job_postings.c.representative_id.in_(chunk)))
        links += [(row.representative_id, row.id) for row in found]
    beyond = {end for start, end in links if end not in rows and key_of[start] not in busy}
    held = rows.keys() | {row.id for row in await _lock_free(tx, beyond, (job_postings.c.id,))}
    busy |= {key_of[start] for start, end in links if end not in held}
    settled = [row for row in rows.values() if key_of[row.id] not in busy]
    ours = {row.id for row in settled}
    return Locked(
        copies=await _by_key(tx, settled),
        strangers=frozenset(end for start, end in links if start in ours and end not in ours),
    )


async def _lock_free(tx: Tx, ids: Collection[int], columns: Sequence[Column[Any]]) -> list[Row[Any]]:
    """Lock those of these postings that no one else is writing to, by id; nothing is waited for."""
    rows: list[Row[Any]] = []
    for chunk in chunks(sorted(ids)):
        query = select(*columns).with_hint(job_postings, _BY_ID, "mysql").where(job_postings.c.id.in_(chunk))
        rows += await tx.execute(query.order_by(job_postings.c.id).with_for_update(skip_locked=True))
    return rows


async def load_related_ids(tx: Tx, posting_id: int) -> list[int]:
    """A posting, those of its key, and those that it is linked to."""
    this = select(job_postings.c.dedup_key, job_postings.c.representative_id).where(job_postings.c.id == posting_id)
    row = (await tx.execute(this)).one()
    related = select(job_postings.c.id).where(
        or_(
            job_postings.c.id.in_([posting_id, row.representative_id or posting_id]),
            job_postings.c.dedup_key == row.dedup_key,
            job_postings.c.representative_id == posting_id,
        )
    )
    return sorted((await tx.execute(related)).scalars())


async def wait_for(tx: Tx, posting_id: int) -> None:
    """Wait until no one else is writing to the posting. Call it alone, or it waits while it holds something."""
    await tx.execute(select(job_postings.c.id).where(job_postings.c.id == posting_id).with_for_update())


async def load_copies_by_key(tx: Tx, ids: Collection[int]) -> dict[str, tuple[Copy, ...]]:
    """All postings that have the dedup key of one of these, by key; nothing is locked."""
    rows: list[Row[Any]] = []
    for chunk in chunks(ids):
        keys = select(job_postings.c.dedup_key).where(job_postings.c.id.in_(chunk)).distinct().subquery()
        rows += await tx.execute(select(*_COPY).join(keys, keys.c.dedup_key == job_postings.c.dedup_key))
    return await _by_key(tx, list({row.id: row for row in rows}.values()))


async def _by_key(tx: Tx, rows: Sequence[Row[Any]]) -> dict[str, tuple[Copy, ...]]:
    # Read after the postings: a source may be as new as its first posting.
    sources = await load_sources(tx, {row.job_source_id for row in rows if row.job_source_id is not None})
    types = {source.id: source.source_type for source in sources}
    copies: dict[str, list[Copy]] = {}
    for row in rows:
        copies.setdefault(row.dedup_key, []).append(
            Copy(
                id=row.id,
                source_type=types.get(row.job_source_id),
                status=PostingStatus(row.posting_status),
                deadline_at=row.deadline_at,
                first_seen_at=row.first_seen_at,
                standing=_to_standing(row),
            )
        )
    return {key: tuple(group) for key, group in copies.items()}


def _to_standing(row: Row[Any]) -> Standing:
    return Standing(
        representative_id=row.representative_id,
        notification_eligible=bool(row.notification_eligible),
        eligible_alone=None if row.eligible_alone is None else bool(row.eligible_alone),
    )


async def load_duplicate_ids(tx: Tx) -> list[int]:
    """Every posting for which another one stands, by id."""
    rows = await tx.execute(select(job_postings.c.id).where(job_postings.c.representative_id.is_not(None)))
    return sorted(rows.scalars())


async def lock_standings(tx: Tx, ids: Collection[int]) -> dict[int, Standing]:
    """How those of these postings stand that no one else is writing to. They are locked, nothing is waited for."""
    columns = (
        job_postings.c.id,
        job_postings.c.representative_id,
        job_postings.c.notification_eligible,
        job_postings.c.eligible_alone,
    )
    return {row.id: _to_standing(row) for row in await _lock_free(tx, ids, columns)}


async def save_standings(tx: Tx, standings: Mapping[int, Standing]) -> None:
    """Write how these postings stand, in a few statements however many they are."""

    def kind(posting_id: int) -> tuple[bool, bool, bool]:
        standing = standings[posting_id]
        return standing.representative_id is None, standing.notification_eligible, bool(standing.eligible_alone)

    for (alone, eligible, eligible_alone), ids in groupby(sorted(standings, key=kind), key=kind):
        for chunk in chunks(sorted(ids)):
            by_id = {posting_id: standings[posting_id].representative_id for posting_id in chunk}
            await tx.execute(
                _of_ids(chunk).values(
                    representative_id=None if alone else case(by_id, value=job_postings.c.id),
                    notification_eligible=int(eligible),
                    eligible_alone=None if alone else int(eligible_alone),
                )
            )


async def save_pending(tx: Tx, ids: Collection[int], pending: bool) -> None:
    """Say of these postings, which are locked, whether their groups are to be looked at."""
    for chunk in chunks(ids):
        await tx.execute(_of_ids(chunk).values(dedup_pending=int(pending)))


def _of_ids(ids: Collection[int]) -> Update:
    return update(job_postings).with_hint(_BY_ID, dialect_name="mysql").where(job_postings.c.id.in_(ids))


async def group_of(tx: Tx, posting_ids: Collection[int]) -> dict[int, CopyGroup]:
    """The copies of each of these postings, and which stands for them, as they are now (FR-65).

    By the rules, not as the last 08:30 run left it: a copy found since belongs to its group already. Whoever tells of a
    posting tells of its representative, and only when none of the group was told of. While
    `posting.cross-source-dedup` is off each posting is a group of its own. An id that no posting has is left out.
    """
    rows = await tx.execute(select(job_postings.c.id).where(job_postings.c.id.in_(posting_ids)))
    found = {id: CopyGroup(representative_id=id, posting_ids=(id,)) for id in rows.scalars()}
    if await is_enabled(tx, FlagKey.CROSS_SOURCE_DEDUP):
        for copies in (await load_copies_by_key(tx, list(found))).values():
            for group in rules.group_copies(copies):
                ids = tuple(copy.id for copy in group)
                found |= {id: CopyGroup(representative_id=ids[0], posting_ids=ids) for id in ids if id in found}
    return found


async def load_copies(tx: Tx, posting_id: int) -> tuple[int, ...]:
    """The ids of one posting's copies on all sources, their representative first (FR-64); none for an unknown id."""
    stands_for = func.coalesce(job_postings.c.representative_id, job_postings.c.id)
    found = await tx.execute(select(stands_for).where(job_postings.c.id == posting_id))
    representative = found.scalar_one_or_none()
    if representative is None:
        return ()
    copies = await tx.execute(select(job_postings.c.id).where(job_postings.c.representative_id == representative))
    return (representative, *sorted(copies.scalars()))
