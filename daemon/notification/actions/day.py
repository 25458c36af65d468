"""The 09:00 job: plan the day's messages and send them (seed 001, 09:00 알림 발송; DESIGN 1.7)."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from functools import partial

from daemon.db import Database, reading
from daemon.flags.model import FlagKey
from daemon.messages import text
from daemon.notification.actions.claim import DISPATCH_OFF, recover_claims, why_closed
from daemon.notification.actions.plan import plan_day
from daemon.notification.actions.send import Sender
from daemon.notification.actions.webhook import opened_webhook, webhook_key_of
from daemon.notification.rules.answers import claim_lease
from daemon.notification.store import outbox
from daemon.notification.wording.upkeep import told_reason
from daemon.schedule.model import JobNotReady
from daemon.settings import Settings


async def dispatch_notifications(db: Database, settings: Settings, run_date: date, stopping: asyncio.Event) -> str:
    """Send what is due on the KST day `run_date`; returns a line on what was done, in the language of the settings.

    Nothing is sent, planned or lost while dispatch is switched off, no webhook is set, or it is parked: what is still
    news is told when that has changed. Safe to run again on the same day, also beside itself: each message is claimed.

    Raises JobNotReady when the process stops before every message was sent.
    """
    said = partial(_said, settings)
    webhook_key = webhook_key_of(settings)
    if webhook_key is None:
        return said("no_webhook")
    closed = await why_closed(db, webhook_key)
    if closed == DISPATCH_OFF:
        return said("dispatch_off", flag=FlagKey.DISCORD_DISPATCH)
    if closed is not None:
        return said("not_notified", reason=told_reason(settings.language, closed))
    lease = claim_lease(timedelta(seconds=settings.notification_timeout_seconds))
    await recover_claims(db, lease)
    await plan_day(db, run_date, webhook_key, settings.language)
    async with opened_webhook(settings, db.clock) as webhook:
        sender = Sender(db, webhook, webhook_key, lease, stopping)
        await sender.send_all()
    left = await reading(db, outbox.count_waiting)
    if left and stopping.is_set():
        raise JobNotReady("stopped before every message was sent")
    tally = sender.tally
    key = "notified" if tally.halted is None else "notified_until"
    reason = told_reason(settings.language, tally.halted)
    return said(key, delivered=tally.delivered, failed=tally.failed, left=left, reason=reason)


def _said(settings: Settings, key: str, **values: object) -> str:
    return text(settings.language, f"job.{key}", **values)
