"""What was told of a posting or a source before, and the history that a person looks at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, func, select

from daemon.db import Tx, chunks
from daemon.notification.model import DispatchStatus, MessageKey, NotificationType, Past, TargetType
from daemon.notification.tables import notification_digest_postings as digest_postings
from daemon.notification.tables import notification_dispatches as dispatches

DispatchRow = Row[Any]
"""A row of `notification_dispatches`."""

_PAST = (
    dispatches.c.notification_type,
    dispatches.c.dispatch_sequence,
    dispatches.c.dispatch_status,
    dispatches.c.unconfirmed_count,
    dispatches.c.attempted_at,
    dispatches.c.delivered_at,
)


def key_of(row: Row[Any]) -> MessageKey:
    """The message that a row is about."""
    return MessageKey(
        target_type=TargetType(row.target_type),
        target_id=row.target_id,
        notification_type=NotificationType(row.notification_type),
        dispatch_sequence=row.dispatch_sequence,
    )


def _to_past(row: Row[Any]) -> Past:
    return Past(
        notification_type=NotificationType(row.notification_type),
        dispatch_sequence=row.dispatch_sequence,
        status=DispatchStatus(row.dispatch_status),
        unconfirmed=row.unconfirmed_count,
        told_at=row.delivered_at or row.attempted_at,
    )


async def load_past(tx: Tx, target_type: TargetType, target_ids: Collection[int]) -> Mapping[int, Sequence[Past]]:
    """Every row about each of these postings or sources; a digest's row counts for each posting in it."""
    found: dict[int, list[Past]] = defaultdict(list)
    for chunk in chunks(sorted(target_ids)):
        own = await tx.execute(
            select(dispatches.c.target_id, *_PAST).where(
                dispatches.c.target_type == target_type, dispatches.c.target_id.in_(chunk)
            )
        )
        for row in own:
            found[row.target_id].append(_to_past(row))
        if target_type is TargetType.JOB_POSTING:
            in_digests = await tx.execute(
                select(digest_postings.c.job_posting_id, *_PAST)
                .join(dispatches, dispatches.c.id == digest_postings.c.notification_dispatch_id)
                .where(digest_postings.c.job_posting_id.in_(chunk))
            )
            for row in in_digests:
                found[row.job_posting_id].append(_to_past(row))
    return found


async def load_page(
    tx: Tx, since: datetime, status: DispatchStatus | None, page: int, size: int
) -> tuple[Sequence[Row[Any]], int]:
    """One page of the rows made since then, newest first, and how many there are; `page` counts from 0."""
    wanted: list[ColumnElement[bool]] = [dispatches.c.created_at >= since]
    if status is not None:
        wanted.append(dispatches.c.dispatch_status == status)
    total = (await tx.execute(select(func.count()).select_from(dispatches).where(*wanted))).scalar_one()
    rows = await tx.execute(
        select(dispatches)
        .where(*wanted)
        .order_by(dispatches.c.created_at.desc(), dispatches.c.id.desc())
        .limit(size)
        .offset(page * size)
    )
    return rows.all(), total


async def newest_rows(tx: Tx, keys: Collection[MessageKey]) -> Mapping[MessageKey, int]:
    """The id of the newest row of each of these messages."""
    targets = {key.target_id for key in keys}
    rows = await tx.execute(
        select(
            dispatches.c.target_type,
            dispatches.c.target_id,
            dispatches.c.notification_type,
            dispatches.c.dispatch_sequence,
            func.max(dispatches.c.id).label("newest"),
        )
        .where(
            dispatches.c.target_type.in_({key.target_type for key in keys}),
            dispatches.c.target_id.in_(targets),
        )
        .group_by(
            dispatches.c.target_type,
            dispatches.c.target_id,
            dispatches.c.notification_type,
            dispatches.c.dispatch_sequence,
        )
    )
    return {key_of(row): row.newest for row in rows}


async def newest_digest(tx: Tx) -> int | None:
    """The date ordinal of the newest digest; None when there never was one."""
    rows = await tx.execute(
        select(func.max(dispatches.c.dispatch_sequence)).where(dispatches.c.target_type == TargetType.DAILY_DIGEST)
    )
    found: int | None = rows.scalar_one()
    return found
