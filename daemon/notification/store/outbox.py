"""The outbox: rows that are due, claimed for one request, and ended. A write on a claim repeats its fence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, and_, exists, func, insert, select, update

from daemon.db import Tx
from daemon.notification.model import (
    Claim,
    ClaimLost,
    DispatchStatus,
    Draft,
    Due,
    MessageKey,
    NotificationType,
    TargetType,
)
from daemon.notification.store.history import key_of
from daemon.notification.tables import notification_digest_postings as digest_postings
from daemon.notification.tables import notification_dispatches as dispatches

ERROR_CHARACTERS = 500

_columns = dispatches.c


async def add_draft(tx: Tx, draft: Draft, now: datetime) -> None:
    """Make a message due, with the postings of its digest."""
    added = await tx.execute(
        insert(dispatches).values(
            target_type=draft.key.target_type,
            target_id=draft.key.target_id,
            notification_type=draft.key.notification_type,
            dispatch_sequence=draft.key.dispatch_sequence,
            dispatch_status=DispatchStatus.PENDING,
            message_summary=draft.message.summary,
            payload=draft.message.payload,
            expires_at=draft.expires_at,
            unconfirmed_count=draft.unconfirmed,
            created_at=now,
            updated_at=now,
        )
    )
    if draft.job_posting_ids:
        assert added.inserted_primary_key is not None
        dispatch_id = added.inserted_primary_key[0]
        rows = [
            {"notification_dispatch_id": dispatch_id, "job_posting_id": posting_id, "created_at": now}
            for posting_id in draft.job_posting_ids
        ]
        await tx.execute(insert(digest_postings), rows)


async def save_refreshed(tx: Tx, dispatch_id: int, draft: Draft, now: datetime) -> None:
    """Give a message that is still due the words of today."""
    await tx.execute(
        update(dispatches)
        .where(_columns.id == dispatch_id, _columns.dispatch_status == DispatchStatus.PENDING)
        .values(
            message_summary=draft.message.summary,
            payload=draft.message.payload,
            expires_at=draft.expires_at,
            updated_at=now,
        )
    )


async def lock_waiting(tx: Tx) -> dict[MessageKey, int]:
    """The rows that are due and that nobody is sending, by their message, locked."""
    rows = await tx.execute(
        select(dispatches).where(_columns.dispatch_status == DispatchStatus.PENDING).with_for_update()
    )
    return {key_of(row): row.id for row in rows}


async def has_digest(tx: Tx, sequence: int) -> bool:
    """Whether the digest of the day with this date ordinal was begun."""
    found = await tx.execute(
        select(_columns.id)
        .where(
            _columns.target_type == TargetType.DAILY_DIGEST,
            _columns.notification_type == NotificationType.DAILY_DIGEST,
            _columns.dispatch_sequence == sequence,
        )
        .limit(1)
    )
    return found.first() is not None


async def save_expired(tx: Tx, dispatch_ids: Collection[int], reason: str | None, now: datetime) -> None:
    """Give those of these up that nobody is sending; a `reason` replaces the last error."""
    if not dispatch_ids:
        return
    values: dict[str, Any] = {"dispatch_status": DispatchStatus.EXPIRED, "updated_at": now}
    if reason is not None:
        values["last_error"] = reason
    at_rest = _columns.dispatch_status.in_((DispatchStatus.PENDING, DispatchStatus.FAILED))
    await tx.execute(update(dispatches).where(_columns.id.in_(list(dispatch_ids)), at_rest).values(values))


async def overdue(tx: Tx, now: datetime) -> list[int]:
    """Messages whose time has passed: those due, and those that failed without a later row that took over."""
    later = dispatches.alias("later")
    same = and_(
        later.c.target_type == _columns.target_type,
        later.c.target_id == _columns.target_id,
        later.c.notification_type == _columns.notification_type,
        later.c.dispatch_sequence == _columns.dispatch_sequence,
        later.c.id > _columns.id,
    )
    # What stood in a digest that failed is in the next one.
    next_digest = and_(
        _columns.target_type == TargetType.DAILY_DIGEST,
        later.c.target_type == TargetType.DAILY_DIGEST,
        later.c.dispatch_sequence > _columns.dispatch_sequence,
    )
    rows = await tx.execute(
        select(_columns.id).where(
            _columns.dispatch_status.in_((DispatchStatus.PENDING, DispatchStatus.FAILED)),
            _columns.expires_at <= now,
            ~exists().where(same),
            ~exists().where(next_digest),
        )
    )
    return list(rows.scalars())


async def next_due(tx: Tx) -> Due | None:
    """The row to send next: the oldest that is due."""
    rows = await tx.execute(
        select(_columns.id, _columns.unconfirmed_count)
        .where(_columns.dispatch_status == DispatchStatus.PENDING)
        .order_by(_columns.created_at, _columns.id)
        .limit(1)
    )
    row = rows.one_or_none()
    return None if row is None else Due(dispatch_id=row.id, unconfirmed=row.unconfirmed_count)


async def lock_due(tx: Tx, dispatch_id: int) -> Row[Any] | None:
    """The row, locked, if it is still due; waits for someone who is about to take it."""
    rows = await tx.execute(
        select(dispatches)
        .where(_columns.id == dispatch_id, _columns.dispatch_status == DispatchStatus.PENDING)
        .with_for_update()
    )
    return rows.one_or_none()


async def is_taken_over(tx: Tx, row: Row[Any]) -> bool:
    """Whether the message of this row was delivered by another row, or an earlier one is still to deliver it."""
    open_before = and_(
        _columns.dispatch_status.in_((DispatchStatus.PENDING, DispatchStatus.SENDING)), _columns.id < row.id
    )
    found = await tx.execute(
        select(_columns.id)
        .where(
            _columns.target_type == row.target_type,
            _columns.target_id == row.target_id,
            _columns.notification_type == row.notification_type,
            _columns.dispatch_sequence == row.dispatch_sequence,
            _columns.id != row.id,
            (_columns.dispatch_status == DispatchStatus.DELIVERED) | open_before,
        )
        .limit(1)
    )
    return found.first() is not None


async def save_claim(tx: Tx, row: Row[Any], token: str, now: datetime) -> Claim:
    """Claim the locked row for one request."""
    await tx.execute(
        update(dispatches)
        .where(_columns.id == row.id)
        .values(
            dispatch_status=DispatchStatus.SENDING,
            claim_token=token,
            claimed_at=now,
            attempted_at=now,
            attempt_count=_columns.attempt_count + 1,
            updated_at=now,
        )
    )
    return Claim(
        dispatch_id=row.id,
        token=token,
        key=key_of(row),
        payload=row.payload or "",
        attempt=row.attempt_count + 1,
        unconfirmed=row.unconfirmed_count,
    )


async def save_delivered(tx: Tx, claim: Claim, message_id: str | None, now: datetime) -> None:
    """End a claim whose message arrived. Raises ClaimLost; an IntegrityError means that it had been delivered."""
    await _end(
        tx,
        claim,
        now,
        dispatch_status=DispatchStatus.DELIVERED,
        idempotency_key=str(claim.key),
        discord_message_id=message_id,
        delivered_at=now,
        last_error=None,
    )


async def save_duplicate(tx: Tx, claim: Claim, now: datetime) -> None:
    """End a claim whose message another row had delivered. Raises ClaimLost."""
    reason = "delivered by another row"
    await _end(tx, claim, now, dispatch_status=DispatchStatus.EXPIRED, last_error=reason)


async def save_failed(tx: Tx, claim: Claim, reason: str, unconfirmed: int, now: datetime) -> None:
    """End a claim whose message did not arrive in this run. Raises ClaimLost."""
    await _end(
        tx,
        claim,
        now,
        dispatch_status=DispatchStatus.FAILED,
        last_error=reason[:ERROR_CHARACTERS],
        unconfirmed_count=unconfirmed,
    )


async def save_released(tx: Tx, claim: Claim, reason: str, unconfirmed: int, now: datetime) -> None:
    """End a claim whose message is to be sent once more. Raises ClaimLost."""
    await _end(
        tx,
        claim,
        now,
        dispatch_status=DispatchStatus.PENDING,
        last_error=reason[:ERROR_CHARACTERS],
        unconfirmed_count=unconfirmed,
    )


async def _end(tx: Tx, claim: Claim, now: datetime, **values: Any) -> None:
    """Write what came of a claim. Raises ClaimLost, having written nothing, when it is not held any more."""
    ended = await tx.execute(
        update(dispatches)
        .where(
            _columns.id == claim.dispatch_id,
            _columns.claim_token == claim.token,
            _columns.dispatch_status == DispatchStatus.SENDING,
        )
        .values(claim_token=None, claimed_at=None, updated_at=now, **values)
    )
    if ended.rowcount != 1:
        raise ClaimLost(claim)


async def save_failed_unsent(tx: Tx, dispatch_id: int, reason: str, now: datetime) -> None:
    """Leave a message that is due to the next day's run."""
    await tx.execute(
        update(dispatches)
        .where(_columns.id == dispatch_id, _columns.dispatch_status == DispatchStatus.PENDING)
        .values(dispatch_status=DispatchStatus.FAILED, last_error=reason[:ERROR_CHARACTERS], updated_at=now)
    )


async def lock_stale(tx: Tx, claimed_before: datetime) -> Sequence[Row[Any]]:
    """The claims made at or before that instant whose holders never came back, locked."""
    rows = await tx.execute(
        select(dispatches)
        .where(_columns.dispatch_status == DispatchStatus.SENDING, _columns.claimed_at <= claimed_before)
        .order_by(_columns.id)
        .with_for_update(skip_locked=True)
    )
    return rows.all()


async def save_recovered(tx: Tx, dispatch_id: int, status: DispatchStatus, reason: str, now: datetime) -> None:
    """Take a locked stale claim from its holder: one request more whose answer never came."""
    await tx.execute(
        update(dispatches)
        .where(_columns.id == dispatch_id)
        .values(
            dispatch_status=status,
            claim_token=None,
            claimed_at=None,
            unconfirmed_count=_columns.unconfirmed_count + 1,
            last_error=reason,
            updated_at=now,
        )
    )


async def oldest_claim(tx: Tx) -> datetime | None:
    """When the oldest claim that stands was made; None when none does."""
    rows = await tx.execute(
        select(_columns.claimed_at)
        .where(_columns.dispatch_status == DispatchStatus.SENDING)
        .order_by(_columns.claimed_at)
        .limit(1)
    )
    return rows.scalars().first()


async def count_waiting(tx: Tx) -> int:
    """How many messages are due or being sent."""
    open_now = (DispatchStatus.PENDING, DispatchStatus.SENDING)
    counted = await tx.execute(
        select(func.count()).select_from(dispatches).where(_columns.dispatch_status.in_(open_now))
    )
    return int(counted.scalar_one())


async def count_of_day(tx: Tx, since: datetime) -> Mapping[DispatchStatus, int]:
    """How many rows made since then, and rows still due, are in each status."""
    rows = await tx.execute(
        select(_columns.dispatch_status).where(
            (_columns.created_at >= since)
            | _columns.dispatch_status.in_((DispatchStatus.PENDING, DispatchStatus.SENDING))
        )
    )
    counts = dict.fromkeys(DispatchStatus, 0)
    for status in rows.scalars():
        counts[DispatchStatus(status)] += 1
    return counts
