"""The webhook of the settings: opened, tried, parked until a person has seen to it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from daemon.clock import Clock
from daemon.db import Database, Tx, reading, transaction
from daemon.notification.discord import DiscordWebhook, webhook_address
from daemon.notification.model import Accepted, Answer, RateLimited, WebhookState
from daemon.notification.store import webhooks
from daemon.notification.wording.upkeep import trial_message
from daemon.settings import Settings


class NoWebhook(Exception):
    """The settings name no webhook, or something that is no address."""


class NotTaken(Exception):
    """Discord did not take the message."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def webhook_key_of(settings: Settings) -> str | None:
    """What the database knows the settings' webhook by: the hash of its address. None when there is none."""
    if settings.discord_webhook_url is None:
        return None
    address = webhook_address(settings.discord_webhook_url.get_secret_value())
    return None if address is None else hashlib.sha256(str(address).encode()).hexdigest()


@asynccontextmanager
async def opened_webhook(settings: Settings, clock: Clock) -> AsyncIterator[DiscordWebhook]:
    """The settings' webhook, ready for requests. Raises NoWebhook."""
    secret = settings.discord_webhook_url
    address = None if secret is None else webhook_address(secret.get_secret_value())
    if address is None:
        raise NoWebhook
    timeout = timedelta(seconds=settings.notification_timeout_seconds)
    async with DiscordWebhook(address, clock, settings.effective_user_agent, timeout) as webhook:
        yield webhook


async def webhook_state(db: Database, settings: Settings) -> WebhookState:
    """Whether there is a webhook, and whether it is parked."""
    key = webhook_key_of(settings)
    parked = None if key is None else await reading(db, webhooks.load_parked, key)
    return WebhookState(
        configured=key is not None,
        parked_at=None if parked is None else parked[0],
        parked_reason=None if parked is None else parked[1],
    )


async def send_trial(db: Database, settings: Settings) -> bool:
    """Send the trial message now, whatever the flag says; tells whether that brought a parked webhook back into use.

    Raises NoWebhook, or NotTaken with the reason.
    """
    key = webhook_key_of(settings)
    if key is None:
        raise NoWebhook
    async with opened_webhook(settings, db.clock) as webhook:
        answer = await webhook.post(trial_message(settings.language).payload)
    if not isinstance(answer, Accepted):
        raise NotTaken(_why(answer))
    return await transaction(db, _unpark, key)


def _why(answer: Answer) -> str:
    if isinstance(answer, RateLimited):
        return f"rate limited for {answer.retry_after.total_seconds():.0f} s"
    return "" if isinstance(answer, Accepted) else answer.reason


async def unpark_webhook(db: Database, settings: Settings) -> bool:
    """Use the webhook again; tells whether it was parked. Raises NoWebhook."""
    key = webhook_key_of(settings)
    if key is None:
        raise NoWebhook
    return await transaction(db, _unpark, key)


async def _unpark(tx: Tx, webhook_key: str) -> bool:
    return await webhooks.save_unparked(tx, webhook_key, await tx.now())
