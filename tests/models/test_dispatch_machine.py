"""Messages against a model: claims, answers, senders that die or come late, recovery, the parked webhook."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule
from pydantic import SecretStr

from daemon.db import Tx, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.notification.actions.claim import claim_message, postpone_message, record_step, recover_claims
from daemon.notification.actions.webhook import unpark_webhook, webhook_key_of
from daemon.notification.model import (
    Accepted,
    Answer,
    Claim,
    ClaimLost,
    Deliver,
    Draft,
    GiveUp,
    Halt,
    Message,
    MessageKey,
    NotificationType,
    RateLimited,
    Refused,
    Step,
    TargetType,
    TryAgain,
    Unavailable,
    Unconfirmed,
    WebhookGone,
)
from daemon.notification.rules.answers import next_step
from daemon.notification.store import outbox
from daemon.notification.tables import notification_dispatches
from daemon.settings import Settings
from tests.engines import rows, switch_on
from tests.models.machine import Machine, run_machine

SETTINGS = Settings(discord_webhook_url=SecretStr("https://discord.com/api/webhooks/1/secret"))
WEBHOOK = str(webhook_key_of(SETTINGS))
LEASE = timedelta(minutes=2)
LIFE = timedelta(hours=12)
POSTINGS = (1, 2, 3)

ANSWERS: tuple[Answer, ...] = (
    *(Accepted(message_id="m"), Accepted(message_id=None)),
    *(Unconfirmed(reason="reset"), Unconfirmed(reason="timeout"), Unavailable(reason="503"), Refused(reason="400")),
    *(RateLimited(retry_after=timedelta(seconds=2)), RateLimited(retry_after=timedelta(hours=1))),
    WebhookGone(reason="404"),
)

STEPS = (
    *("a_message_is_due", "time_passes", "claims_are_recovered", "dispatch_is_switched", "the_webhook_is_used_again"),
    *("a_sender_claims",) * 5,
    *("a_sender_writes_down",) * 4,
    *("a_sender_comes_late",) * 3,
    *("a_message_is_postponed", "claims_are_recovered"),
)


@dataclass
class Row:
    """What the model knows of a row."""

    posting: int
    expires: datetime
    status: str = "PENDING"
    claim: Claim | None = None
    claimed_at: datetime | None = None
    attempts: int = 0
    unconfirmed: int = 0


@dataclass
class Sent:
    """A request that was made for a claim, and what came of it."""

    row: int
    claim: Claim
    answer: Answer


class Dispatches(Machine):
    """Messages about three postings, planned as the 09:00 job does, sent by senders that may die or come late."""

    @initialize()
    def begin(self) -> None:
        self.run(switch_on(self.db, FlagKey.DISCORD_DISPATCH))
        self.on, self.parked = True, False
        self.messages: dict[int, Row] = {}
        self.sent: list[Sent] = []
        self.in_the_channel = dict.fromkeys(POSTINGS, 0)

    @rule(what=st.sampled_from(STEPS), data=st.data())
    def step(self, what: str, data: st.DataObject) -> None:
        """One rule for all, as in the machine of the cycles."""
        getattr(self, what)(data)

    def time_passes(self, data: st.DataObject) -> None:
        self.clock.advance(data.draw(st.sampled_from([timedelta(seconds=30), LEASE / 2, LEASE, timedelta(hours=5)])))

    def dispatch_is_switched(self, data: st.DataObject) -> None:
        self.on = data.draw(st.sampled_from([True, True, False]))
        self.run(switch_flag(self.db, FlagKey.DISCORD_DISPATCH, self.on))

    def the_webhook_is_used_again(self, _data: st.DataObject) -> None:
        self.run(unpark_webhook(self.db, SETTINGS))
        self.parked = False

    def a_message_is_due(self, data: st.DataObject) -> None:
        """A posting's first row, or the next one of a message that failed and may be repeated."""
        posting = data.draw(st.sampled_from(POSTINGS))
        before = [row for row in self.messages.values() if row.posting == posting]
        if any(row.status != "FAILED" for row in before):
            return
        unconfirmed = before[-1].unconfirmed if before else 0
        if unconfirmed >= 2:
            return
        draft = Draft(
            key=key_of(posting),
            message=Message(payload="{}", summary="백엔드"),
            expires_at=self.now + LIFE,
            unconfirmed=unconfirmed,
        )
        self.run(transaction(self.db, self._add, draft))
        self.messages[len(self.messages) + 1] = Row(posting, self.now + LIFE, unconfirmed=unconfirmed)

    async def _add(self, tx: Tx, draft: Draft) -> None:
        await outbox.add_draft(tx, draft, await tx.now())

    def _row(self, data: st.DataObject) -> int | None:
        waiting = [number for number, row in self.messages.items() if row.status == "PENDING"]
        numbers = waiting if waiting and data.draw(st.sampled_from([True, True, False])) else list(self.messages)
        return data.draw(st.sampled_from(numbers)) if numbers else None

    def a_sender_claims(self, data: st.DataObject) -> None:
        """And makes its request at once; whether the message then stands in the channel, only Discord knows."""
        if (number := self._row(data)) is None:
            self.a_message_is_due(data)
            return
        self._claim(number, data)

    def _claim(self, number: int, data: st.DataObject) -> None:
        row = self.messages[number]
        claim = self.run(claim_message(self.db, number, WEBHOOK))
        if not self.on or self.parked:
            assert isinstance(claim, Halt)
        elif row.status != "PENDING":
            assert claim is None
        elif row.expires <= self.now:
            assert claim is None
            row.status = "EXPIRED"
        else:
            assert isinstance(claim, Claim)
            row.status, row.claim, row.claimed_at = "SENDING", claim, self.now
            row.attempts += 1
            assert (claim.attempt, claim.unconfirmed, claim.key) == (row.attempts, row.unconfirmed, key_of(row.posting))
            answer = data.draw(st.sampled_from(ANSWERS))
            taken = isinstance(answer, Accepted) or (isinstance(answer, Unconfirmed) and data.draw(st.booleans()))
            self.in_the_channel[row.posting] += taken
            self.sent.append(Sent(number, claim, answer))

    def a_sender_writes_down(self, data: st.DataObject) -> None:
        """Mostly the last one; now and then one that everyone has given up, or that has written already."""
        if not self.sent:
            return
        self._write_down(self.sent[-1] if data.draw(st.integers(0, 3)) else data.draw(st.sampled_from(self.sent)))

    def a_sender_comes_late(self, data: st.DataObject) -> None:
        """Its lease ends while it waits, to the second; another one takes the message; then it writes."""
        if self.sent and self.messages[self.sent[-1].row].claim == (late := self.sent[-1]).claim:
            begun = self.messages[late.row].claimed_at
            assert begun is not None
            self.clock.set(max(self.now, begun + LEASE - timedelta(seconds=data.draw(st.sampled_from([0, 0, 1])))))
            self.claims_are_recovered(data)
            self._claim(late.row, data)
            self._write_down(late)

    def _write_down(self, sent: Sent) -> None:
        row = self.messages[sent.row]
        step = next_step(sent.answer, (sent.claim.attempt - 1) % 3 + 1, sent.claim.unconfirmed)
        holds = row.status == "SENDING" and row.claim == sent.claim
        try:
            self.run(record_step(self.db, sent.claim, step, WEBHOOK))
        except ClaimLost:
            assert not holds, "a sender that holds its message could not write"
        else:
            assert holds, "a sender that lost its message wrote all the same"
            self._written(row, step)

    def _written(self, row: Row, step: Step) -> None:
        row.claim = row.claimed_at = None
        match step:
            case Deliver():
                row.status = "DELIVERED"
            case TryAgain():
                row.status, row.unconfirmed = "PENDING", step.unconfirmed
            case GiveUp():
                row.status, row.unconfirmed = "FAILED", step.unconfirmed
            case Halt():
                row.status = "PENDING"
                self.parked = self.parked or step.park

    def claims_are_recovered(self, _data: st.DataObject) -> None:
        stale = [
            row
            for row in self.messages.values()
            if row.status == "SENDING" and row.claimed_at is not None and row.claimed_at <= self.now - LEASE
        ]
        assert self.run(recover_claims(self.db, LEASE)) == len(stale)
        for row in stale:
            row.unconfirmed += 1
            row.status = "FAILED" if row.unconfirmed >= 2 else "PENDING"
            row.claim = row.claimed_at = None

    def a_message_is_postponed(self, data: st.DataObject) -> None:
        if (number := self._row(data)) is not None:
            self.run(postpone_message(self.db, number, "outage"))
            row = self.messages[number]
            row.status = "FAILED" if row.status == "PENDING" else row.status

    @invariant()
    def rows_are_as_the_model_has_them(self) -> None:
        stored = {each["id"]: each for each in self.run(rows(self.db, notification_dispatches))}
        assert set(stored) == set(self.messages)
        for number, row in self.messages.items():
            each = stored[number]
            assert (each["dispatch_status"], each["attempt_count"], each["unconfirmed_count"], each["claimed_at"]) == (
                row.status,
                row.attempts,
                row.unconfirmed,
                row.claimed_at,
            )
            assert each["claim_token"] == (None if row.claim is None else row.claim.token)
            delivered = row.status == "DELIVERED"
            assert each["idempotency_key"] == (str(key_of(row.posting)) if delivered else None)
            assert (each["delivered_at"] is not None) is delivered

    @invariant()
    def no_message_stands_in_the_channel_more_than_twice(self) -> None:
        """Seed 001, 알림 멱등: one repeat is allowed, where an answer never came; a delivered one is never repeated."""
        assert all(count <= 2 for count in self.in_the_channel.values()), self.in_the_channel
        for posting in POSTINGS:
            delivered = [row for row in self.messages.values() if row.posting == posting and row.status == "DELIVERED"]
            assert len(delivered) <= 1
            assert not delivered or self.in_the_channel[posting] >= 1


def key_of(posting: int) -> MessageKey:
    return MessageKey(
        target_type=TargetType.JOB_POSTING,
        target_id=posting,
        notification_type=NotificationType.NEW_JOB_POSTING,
        dispatch_sequence=1,
    )


def test_messages_do_what_the_model_does(template: Path) -> None:
    """Seed 001, 상태 전이 표 NotificationDispatch and 알림 실패 경로."""
    assert run_machine(Dispatches, template, examples=15, steps=40)
