"""Sending what is due, one message after the other, as fast as Discord lets one sender (DESIGN 1.7)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

import structlog

from daemon.clock import wait_for
from daemon.db import DATABASE_FAULTS, Database, Tx, finished, reading
from daemon.notification.actions.claim import claim_message, postpone_message, record_step, recover_claims
from daemon.notification.discord import DiscordWebhook
from daemon.notification.model import Claim, ClaimLost, Deliver, Due, GiveUp, Halt, Step, TryAgain
from daemon.notification.rules.answers import OUTAGE_MESSAGES, next_step
from daemon.notification.store import outbox

log = structlog.get_logger(__name__)

"""What a transaction raises while the database is away."""

_RECORD_PATIENCE = timedelta(seconds=20)
"""How long a delivery is held until the database takes it: only a crash may make a message repeat."""

_RECORD_RETRY = timedelta(seconds=1)
_SILENT = "not confirmed, and Discord does not answer now"


@dataclass(kw_only=True, slots=True)
class Tally:
    """What a run has done so far."""

    delivered: int = 0
    failed: int = 0
    outages: int = 0
    """Messages in a row that failed for want of Discord."""
    halted: str | None = None
    """Why nothing more is sent in this run; None while something may be."""


class Sender:
    """One run of one sender on one webhook."""

    def __init__(
        self, db: Database, webhook: DiscordWebhook, webhook_key: str, lease: timedelta, stopping: asyncio.Event
    ) -> None:
        self._db = db
        self._webhook = webhook
        self._webhook_key = webhook_key
        self._lease = lease
        self._stopping = stopping
        self.tally = Tally()

    async def send_all(self) -> None:
        """Send until nothing is due, the run is halted, or the process stops.

        A message that someone else was sending is waited for: when its sender has died it is this one's. A cancelled
        run first writes down what came of the request under way.
        """
        while self._may_go_on():
            due = await reading(self._db, outbox.next_due)
            if due is not None:
                await self._send(due)
                continue
            held_for = await reading(self._db, _oldest_claim)
            if held_for is None:
                return
            await self._pause(self._lease - held_for)
            await recover_claims(self._db, self._lease)

    def _may_go_on(self) -> bool:
        return not self._stopping.is_set() and self.tally.halted is None

    async def _send(self, due: Due) -> None:
        """Make one request for a message, and pause as its outcome asks."""
        await self._pause(self._webhook.wait())
        if due.unconfirmed and not self._webhook.answers and not await self._webhook.probe():
            # The one request that may repeat it is not spent on a Discord that answers nobody.
            await postpone_message(self._db, due.dispatch_id, _SILENT)
            self._count_failure(outage=True)
            return
        if not self._may_go_on():
            return
        step = await finished(self._request(due.dispatch_id), "notification.failed_while_cancelled")
        match step:
            case None:
                log.debug("notification.not_ours", dispatch_id=due.dispatch_id)
            case Deliver():
                self.tally.delivered += 1
                self.tally.outages = 0
            case TryAgain(pause=pause):
                await self._pause(max(pause, self._webhook.wait()))
            case GiveUp(pause=pause, outage=outage):
                self._count_failure(outage=outage)
                await self._pause(pause)
            case Halt(reason=reason):
                self.tally.halted = reason
            case _:
                assert_never(step)

    async def _request(self, dispatch_id: int) -> Step | None:
        """Claim, post, write down: the part of a message's life in which its sender may not be interrupted.

        None when it was not this sender's to send.
        """
        claim = await claim_message(self._db, dispatch_id, self._webhook_key)
        if not isinstance(claim, Claim):
            return claim
        answer = await self._webhook.post(claim.payload)
        step = next_step(answer, claim.attempt, claim.unconfirmed)
        try:
            await self._record(claim, step)
        except ClaimLost:
            log.warning("notification.claim_lost", dispatch_id=dispatch_id, answer=type(answer).__name__)
            return None
        _tell(claim, step)
        return step

    async def _record(self, claim: Claim, step: Step) -> None:
        give_up_at = self._db.clock.now() + _RECORD_PATIENCE
        while True:
            try:
                return await record_step(self._db, claim, step, self._webhook_key)
            except DATABASE_FAULTS as error:
                if self._db.clock.now() >= give_up_at:
                    raise
                log.warning("notification.not_recorded", dispatch_id=claim.dispatch_id, error=type(error).__name__)
                await self._db.clock.sleep(_RECORD_RETRY)

    def _count_failure(self, *, outage: bool) -> None:
        self.tally.failed += 1
        self.tally.outages = self.tally.outages + 1 if outage else 0
        if self.tally.outages >= OUTAGE_MESSAGES:
            self.tally.halted = f"{self.tally.outages} messages in a row failed"

    async def _pause(self, duration: timedelta) -> None:
        await wait_for(self._db.clock, self._stopping, duration)


def _tell(claim: Claim, step: Step) -> None:
    facts = {
        "dispatch_id": claim.dispatch_id,
        "notification_type": claim.key.notification_type,
        "target_id": claim.key.target_id,
        "attempt": claim.attempt,
    }
    match step:
        case Deliver(message_id=message_id):
            log.info("notification.delivered", message_id=message_id, **facts)
        case TryAgain(reason=reason):
            log.info("notification.try_failed", reason=reason, **facts)
        case GiveUp(reason=reason):
            log.warning("notification.failed", reason=reason, **facts)
        case Halt(reason=reason, park=park):
            log.error("notification.halted", reason=reason, parked=park, **facts)
        case _:
            assert_never(step)


async def _oldest_claim(tx: Tx) -> timedelta | None:
    """How long ago the oldest claim that stands was made; None when none does."""
    claimed_at = await outbox.oldest_claim(tx)
    return None if claimed_at is None else await tx.now() - claimed_at
