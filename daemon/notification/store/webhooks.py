"""Webhooks by the hash of their address: in use, or parked until a person has seen to them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update

from daemon.db import Tx, insert_if_absent
from daemon.notification.tables import notification_webhooks

REASON_CHARACTERS = 200

_columns = notification_webhooks.c


async def load_parked(tx: Tx, webhook_key: str) -> tuple[datetime, str] | None:
    """Since when and why nothing is sent to it; None when it is in use."""
    rows = await tx.execute(
        select(_columns.parked_at, _columns.parked_reason).where(
            _columns.webhook_key == webhook_key, _columns.parked_at.is_not(None)
        )
    )
    row = rows.one_or_none()
    return None if row is None else (row.parked_at, row.parked_reason)


async def add_webhook(tx: Tx, webhook_key: str, now: datetime) -> None:
    """Make the webhook's row unless there is one."""
    fresh = {"webhook_key": webhook_key, "created_at": now, "updated_at": now}
    await insert_if_absent(tx, notification_webhooks, [fresh])


async def lock_webhook(tx: Tx, webhook_key: str) -> None:
    """Hold the webhook's row, which is there: no one else plans for it until this transaction ends."""
    locked = await tx.execute(select(_columns.id).where(_columns.webhook_key == webhook_key).with_for_update())
    assert locked.one_or_none() is not None, "the webhook has no row"


async def save_parked(tx: Tx, webhook_key: str, reason: str, now: datetime) -> None:
    """Park it; one that is parked keeps its first instant and reason."""
    await add_webhook(tx, webhook_key, now)
    await tx.execute(
        update(notification_webhooks)
        .where(_columns.webhook_key == webhook_key, _columns.parked_at.is_(None))
        .values(parked_at=now, parked_reason=reason[:REASON_CHARACTERS], updated_at=now)
    )


async def save_unparked(tx: Tx, webhook_key: str, now: datetime) -> bool:
    """Use it again; tells whether it was parked."""
    done = await tx.execute(
        update(notification_webhooks)
        .where(_columns.webhook_key == webhook_key, _columns.parked_at.is_not(None))
        .values(parked_at=None, parked_reason=None, updated_at=now)
    )
    return done.rowcount == 1
