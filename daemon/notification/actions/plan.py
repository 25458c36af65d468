"""Making the day's messages due: new ones are added, those that wait get today's words, what is no news is dropped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import structlog

from daemon.db import Database, Tx, transaction
from daemon.messages import Language
from daemon.notification.actions.targets import drafts_of_day
from daemon.notification.model import MessageKey, TargetType
from daemon.notification.rules.due import is_of_day
from daemon.notification.store import outbox, webhooks

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """What planning a day did."""

    added: int
    kept: int
    """Due before and still so."""
    dropped: int
    """Due or failed before, and not to be sent any more."""


async def plan_day(db: Database, run_date: date, webhook_key: str, language: Language) -> Planned:
    """Decide what is due on the KST day `run_date`. Running it again adds nothing.

    One planner at a time (the webhook's row is its lock), so a message has at most one row that is due or being sent.
    """
    await transaction(db, _add_webhook, webhook_key)
    planned = await transaction(db, _plan, run_date, webhook_key, language)
    log.info("notification.planned", run_date=str(run_date), added=planned.added, dropped=planned.dropped)
    return planned


async def _add_webhook(tx: Tx, webhook_key: str) -> None:
    await webhooks.add_webhook(tx, webhook_key, await tx.now())


async def _plan(tx: Tx, run_date: date, webhook_key: str, language: Language) -> Planned:
    await webhooks.lock_webhook(tx, webhook_key)
    now = await tx.now()
    overdue = await outbox.overdue(tx, now)
    await outbox.save_expired(tx, overdue, None, now)
    # Locked before what was said is read: none of these is sent, and none that is being sent is among them.
    waiting = await outbox.lock_waiting(tx)
    drafts = {draft.key: draft for draft in await drafts_of_day(tx, run_date, now, language)}
    stale = [id for key, id in waiting.items() if key not in drafts and not _stays(key, run_date)]
    await outbox.save_expired(tx, stale, "no news any more", now)
    for key, draft in drafts.items():
        if key in waiting:
            await outbox.save_refreshed(tx, waiting[key], draft, now)
        else:
            await outbox.add_draft(tx, draft, now)
    kept = len(drafts.keys() & waiting.keys())
    return Planned(added=len(drafts) - kept, kept=kept, dropped=len(overdue) + len(stale))


def _stays(key: MessageKey, run_date: date) -> bool:
    """Whether a message that waits is not planned anew: a day's digest is made once."""
    return key.target_type is TargetType.DAILY_DIGEST and is_of_day(key, run_date)
