"""The history of messages as a person sees it (seed 001, API 계약: notification-dispatches)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from daemon.clock import business_date, kst
from daemon.db import Database, Tx, reading
from daemon.notification.actions.webhook import webhook_state
from daemon.notification.model import (
    Dispatch,
    DispatchPage,
    DispatchStatus,
    MessageKey,
    ResendState,
    TargetType,
)
from daemon.notification.rules.due import resend_state
from daemon.notification.store import history, outbox
from daemon.schedule.model import JobName
from daemon.schedule.rules import due_at
from daemon.settings import Settings


async def list_dispatches(
    db: Database, settings: Settings, status: DispatchStatus | None, days: int, page: int, size: int
) -> DispatchPage:
    """One page of the messages of the last `days` KST days, today included, newest first; `page` counts from 0."""
    dispatches, total = await reading(db, _list, status, days, page, size)
    webhook = await webhook_state(db, settings)
    return DispatchPage(dispatches=dispatches, total_count=total, page=page, size=size, webhook=webhook)


async def _list(
    tx: Tx, status: DispatchStatus | None, days: int, page: int, size: int
) -> tuple[tuple[Dispatch, ...], int]:
    now = await tx.now()
    since = kst(business_date(now) - timedelta(days=days - 1), 0)
    rows, total = await history.load_page(tx, since, status, page, size)
    if not rows:
        return (), total
    newest = await history.newest_rows(tx, {history.key_of(row) for row in rows})
    newest_digest = await history.newest_digest(tx)
    return tuple(_to_dispatch(row, newest, newest_digest, now) for row in rows), total


def _to_dispatch(
    row: history.DispatchRow, newest: Mapping[MessageKey, int], newest_digest: int | None, now: datetime
) -> Dispatch:
    key = history.key_of(row)
    if key.target_type is TargetType.DAILY_DIGEST:
        # What stood in a digest that failed is in the next one.
        replaced = newest_digest is not None and newest_digest > key.dispatch_sequence
    else:
        replaced = newest[key] > row.id
    status = DispatchStatus(row.dispatch_status)
    resend = resend_state(status, row.unconfirmed_count, row.expires_at, replaced, now)
    return Dispatch(
        dispatch_id=row.id,
        target_type=key.target_type,
        target_id=key.target_id,
        notification_type=key.notification_type,
        dispatch_sequence=key.dispatch_sequence,
        dispatch_status=status,
        attempt_count=row.attempt_count,
        last_error=row.last_error,
        message_summary=row.message_summary,
        attempted_at=row.attempted_at,
        created_at=row.created_at,
        delivered_at=row.delivered_at,
        discord_message_id=row.discord_message_id,
        expires_at=row.expires_at,
        resend_state=resend,
        resend_at=_next_run(now) if resend is ResendState.NEXT_RUN else None,
        may_repeat=row.unconfirmed_count > 0,
    )


def _next_run(now: datetime) -> datetime:
    today = due_at(JobName.NOTIFICATION, business_date(now))
    return today if now < today else due_at(JobName.NOTIFICATION, business_date(now) + timedelta(days=1))


async def counts_of_today(db: Database) -> Mapping[DispatchStatus, int]:
    """How many messages of the present KST day, and of earlier ones still due, are in each status."""
    return await reading(db, _counts)


async def _counts(tx: Tx) -> Mapping[DispatchStatus, int]:
    return await outbox.count_of_day(tx, kst(business_date(await tx.now()), 0))
