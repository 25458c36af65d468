"""Claiming a message for one request, and writing down what came of it (DESIGN 1.7)."""

from __future__ import annotations

from datetime import timedelta
from typing import assert_never
from uuid import uuid4

import structlog
from sqlalchemy.exc import IntegrityError

from daemon.db import Database, Tx, reading, transaction
from daemon.flags import store as flags
from daemon.flags.model import FlagKey
from daemon.notification.model import Claim, Deliver, DispatchStatus, GiveUp, Halt, Step, TryAgain
from daemon.notification.rules.answers import MOST_UNCONFIRMED
from daemon.notification.store import outbox, webhooks

log = structlog.get_logger(__name__)

_HOLDER_GONE = "the sender died with the request under way"


async def claim_message(db: Database, dispatch_id: int, webhook_key: str) -> Claim | Halt | None:
    """Take a message that is due, for one request that must follow at once.

    None when it is not to be sent any more: its time has passed, or another row or sender has it. Halt when nothing at
    all may be sent, see `why_closed`.
    """
    return await transaction(db, _claim, dispatch_id, webhook_key, str(uuid4()))


DISPATCH_OFF = "discord-dispatch is off"
"""The reason that is no trouble: a person wanted it so."""


async def why_closed(db: Database, webhook_key: str) -> str | None:
    """Why nothing may be sent now, dispatch being off or the webhook parked; None when it may."""
    return await reading(db, _closed, webhook_key)


async def _closed(tx: Tx, webhook_key: str) -> str | None:
    if not await flags.is_enabled(tx, FlagKey.DISCORD_DISPATCH):
        return DISPATCH_OFF
    parked = await webhooks.load_parked(tx, webhook_key)
    return None if parked is None else f"the webhook is parked since {parked[0].isoformat()}: {parked[1]}"


async def _claim(tx: Tx, dispatch_id: int, webhook_key: str, token: str) -> Claim | Halt | None:
    closed = await _closed(tx, webhook_key)
    if closed is not None:
        return Halt(reason=closed, park=False)
    row = await outbox.lock_due(tx, dispatch_id)
    if row is None:
        return None
    now = await tx.now()
    if row.expires_at is not None and row.expires_at <= now:
        await outbox.save_expired(tx, [dispatch_id], None, now)
        return None
    if await outbox.is_taken_over(tx, row):
        await outbox.save_expired(tx, [dispatch_id], "delivered by another row", now)
        return None
    return await outbox.save_claim(tx, row, token, now)


async def record_step(db: Database, claim: Claim, step: Step, webhook_key: str) -> None:
    """Write down what came of the claim's request. Raises ClaimLost when the claim is not held any more."""
    try:
        await transaction(db, _record, claim, step, webhook_key)
    except IntegrityError:
        # Its key is taken: someone delivered this message under another row, which is as good (seed 001).
        log.info("notification.delivered_before", dispatch_id=claim.dispatch_id, idempotency_key=str(claim.key))
        await transaction(db, _record_duplicate, claim)


async def _record(tx: Tx, claim: Claim, step: Step, webhook_key: str) -> None:
    now = await tx.now()
    match step:
        case Deliver(message_id=message_id):
            await outbox.save_delivered(tx, claim, message_id, now)
        case TryAgain(reason=reason, unconfirmed=unconfirmed):
            await outbox.save_released(tx, claim, reason, unconfirmed, now)
        case GiveUp(reason=reason, unconfirmed=unconfirmed):
            await outbox.save_failed(tx, claim, reason, unconfirmed, now)
        case Halt(reason=reason, park=park):
            await outbox.save_released(tx, claim, reason, claim.unconfirmed, now)
            if park:
                await webhooks.save_parked(tx, webhook_key, reason, now)
        case _:
            assert_never(step)


async def _record_duplicate(tx: Tx, claim: Claim) -> None:
    await outbox.save_duplicate(tx, claim, await tx.now())


async def recover_claims(db: Database, lease: timedelta) -> int:
    """Take messages from senders that died with a request under way; returns how many.

    Whether such a message arrived nobody knows. It is sent once more; after a second such end it is left alone.
    """
    return await transaction(db, _recover, lease)


async def _recover(tx: Tx, lease: timedelta) -> int:
    now = await tx.now()
    stale = await outbox.lock_stale(tx, now - lease)
    for row in stale:
        spent = row.unconfirmed_count + 1 >= MOST_UNCONFIRMED
        status = DispatchStatus.FAILED if spent else DispatchStatus.PENDING
        await outbox.save_recovered(tx, row.id, status, _HOLDER_GONE, now)
        log.warning("notification.claim_expired", dispatch_id=row.id, sent_again=not spent)
    return len(stale)


async def postpone_message(db: Database, dispatch_id: int, reason: str) -> None:
    """Leave a message that is due to the next day's run."""
    await transaction(db, _postpone, dispatch_id, reason)


async def _postpone(tx: Tx, dispatch_id: int, reason: str) -> None:
    await outbox.save_failed_unsent(tx, dispatch_id, reason, await tx.now())
