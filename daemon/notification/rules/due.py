"""Which postings and sources a message is due about (seed 001, 알림 실패 경로·멱등; FR-10, 16, 19, 35, 61, 62, 65)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date, datetime, timedelta

from daemon.clock import business_date
from daemon.notification.model import (
    DispatchStatus,
    MessageKey,
    NotificationType,
    Past,
    ResendState,
    TargetType,
)
from daemon.notification.rules.answers import MOST_UNCONFIRMED

NEWS_LASTS = timedelta(days=7)
"""A new posting is news for so long after it was first seen, a failure after the source broke."""

REMINDER_DAYS = 7

_NEWS = (NotificationType.NEW_JOB_POSTING, NotificationType.DAILY_DIGEST)


def posting_key(job_posting_id: int) -> MessageKey:
    """The message that a posting is new; there is only ever one."""
    return MessageKey(
        target_type=TargetType.JOB_POSTING,
        target_id=job_posting_id,
        notification_type=NotificationType.NEW_JOB_POSTING,
        dispatch_sequence=1,
    )


def digest_key(part: int, run_date: date) -> MessageKey:
    """Part `part` (from 0) of a KST day's digest; seed 001: `DAILY_DIGEST:0:DAILY_DIGEST:{date ordinal}`."""
    return MessageKey(
        target_type=TargetType.DAILY_DIGEST,
        target_id=part,
        notification_type=NotificationType.DAILY_DIGEST,
        dispatch_sequence=run_date.toordinal(),
    )


def is_of_day(key: MessageKey, run_date: date) -> bool:
    """Whether a digest is that of this KST day."""
    return key.dispatch_sequence == run_date.toordinal()


def failure_key(job_source_id: int, failure_episode: int) -> MessageKey:
    """The message that a source is broken: once per episode (FR-19)."""
    return MessageKey(
        target_type=TargetType.JOB_SOURCE,
        target_id=job_source_id,
        notification_type=NotificationType.SOURCE_FAILURE,
        dispatch_sequence=failure_episode,
    )


def deadline_key(job_posting_id: int, deadline_at: datetime) -> MessageKey:
    """The message that a posting closes tomorrow; a deadline put off to another day makes another message (FR-12)."""
    return MessageKey(
        target_type=TargetType.JOB_POSTING,
        target_id=job_posting_id,
        notification_type=NotificationType.DEADLINE_D1,
        dispatch_sequence=business_date(deadline_at).toordinal(),
    )


def reminder_key(job_posting_id: int, number: int) -> MessageKey:
    """The `number`-th reminder of an always-open posting."""
    return MessageKey(
        target_type=TargetType.JOB_POSTING,
        target_id=job_posting_id,
        notification_type=NotificationType.PERMANENT_REMINDER,
        dispatch_sequence=number,
    )


def is_new(first_seen_at: datetime, past: Collection[Past], run_date: date, now: datetime) -> bool:
    """Whether a posting is still to be told as new. `past` is that of all copies of it.

    One copy told, alone or in a digest, is all of them told: a change of representative tells nothing again (FR-65).
    """
    if now >= first_seen_at + NEWS_LASTS:
        return False
    return not any(_is_told_or_in_hand(each, run_date) for each in past if each.notification_type in _NEWS)


def is_told(past: Iterable[Past], notification_type: NotificationType, sequence: int) -> bool:
    """Whether this very message was delivered, is under way, or may not be sent again."""
    return any(
        _is_spent(each) or each.status is DispatchStatus.SENDING
        for each in past
        if (each.notification_type, each.dispatch_sequence) == (notification_type, sequence)
    )


def was_delivered(past: Iterable[Past]) -> bool:
    """Whether any of these arrived."""
    return any(each.status is DispatchStatus.DELIVERED for each in past)


def is_deadline_near(deadline_at: datetime, past: Collection[Past], run_date: date, now: datetime) -> bool:
    """Whether a deadline is tomorrow and not yet told; one of today only when yesterday's message failed."""
    day = business_date(deadline_at)
    sequence = day.toordinal()
    if deadline_at <= now or is_told(past, NotificationType.DEADLINE_D1, sequence):
        return False
    if day == run_date:
        tried = (each for each in past if each.notification_type is NotificationType.DEADLINE_D1)
        return any(each.dispatch_sequence == sequence for each in tried)
    return day == run_date + timedelta(days=1)


def due_reminder(first_seen_at: datetime, past: Collection[Past], run_date: date) -> int | None:
    """Which reminder of an always-open posting is due: 7 KST days after the person last heard of it; None when none."""
    spent = [each for each in past if _is_spent(each)]
    last_heard = max((each.told_at for each in spent if each.told_at is not None), default=first_seen_at)
    if (run_date - business_date(last_heard)).days < REMINDER_DAYS:
        return None
    reminders = [each for each in spent if each.notification_type is NotificationType.PERMANENT_REMINDER]
    number = max((each.dispatch_sequence for each in reminders), default=0) + 1
    return None if is_told(past, NotificationType.PERMANENT_REMINDER, number) else number


def unconfirmed_before(past: Iterable[Past], *types: NotificationType) -> int:
    """Requests about this, of messages of these types, whose answer never came: rows carry the count on."""
    return max((each.unconfirmed for each in past if each.notification_type in types), default=0)


def resend_state(
    status: DispatchStatus, unconfirmed: int, expires_at: datetime | None, replaced: bool, now: datetime
) -> ResendState:
    """What becomes of a row's message; `replaced` tells whether a later row is about it."""
    match status:
        case DispatchStatus.DELIVERED:
            return ResendState.NONE
        case DispatchStatus.EXPIRED:
            return ResendState.EXPIRED
        case _ if replaced:
            return ResendState.REPLACED
        case DispatchStatus.FAILED if unconfirmed >= MOST_UNCONFIRMED:
            return ResendState.UNCONFIRMED
    return ResendState.EXPIRED if expires_at is not None and now >= expires_at else ResendState.NEXT_RUN


def _is_spent(past: Past) -> bool:
    return past.status is DispatchStatus.DELIVERED or past.unconfirmed >= MOST_UNCONFIRMED


def _is_told_or_in_hand(past: Past, run_date: date) -> bool:
    if _is_spent(past) or past.status is DispatchStatus.SENDING:
        return True
    # A part of today's digest that still waits will tell it; one of an earlier day is dropped in favour of today's.
    in_digest = past.notification_type is NotificationType.DAILY_DIGEST
    return in_digest and past.status is DispatchStatus.PENDING and past.dispatch_sequence == run_date.toordinal()
