"""What is due, by the rules alone (seed 001, 알림 실패 경로·멱등; FR-12, 16, 19, 35, 62, 65)."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from daemon.clock import kst
from daemon.notification.model import DispatchStatus, NotificationType, Past, ResendState
from daemon.notification.rules import due

RUN = date(2026, 12, 9)
NINE = kst(RUN, 9)
DAYS = timedelta(days=1)
NEW, DIGEST = NotificationType.NEW_JOB_POSTING, NotificationType.DAILY_DIGEST
D1, REMINDER = NotificationType.DEADLINE_D1, NotificationType.PERMANENT_REMINDER
DELIVERED, FAILED = DispatchStatus.DELIVERED, DispatchStatus.FAILED


def past(
    kind: NotificationType, status: DispatchStatus, sequence: int = 1, unconfirmed: int = 0, at: datetime | None = NINE
) -> Past:
    return Past(notification_type=kind, dispatch_sequence=sequence, status=status, unconfirmed=unconfirmed, told_at=at)


def test_the_keys_are_those_of_the_seeds() -> None:
    assert str(due.posting_key(1024)) == "JOB_POSTING:1024:NEW_JOB_POSTING:1"
    assert str(due.failure_key(7, 2)) == "JOB_SOURCE:7:SOURCE_FAILURE:2"
    assert str(due.digest_key(3, RUN)) == f"DAILY_DIGEST:3:DAILY_DIGEST:{RUN.toordinal()}"
    assert str(due.deadline_key(8, kst(RUN, 0))) == f"JOB_POSTING:8:DEADLINE_D1:{RUN.toordinal()}"
    assert str(due.reminder_key(9, 4)) == "JOB_POSTING:9:PERMANENT_REMINDER:4"


def test_a_digest_is_that_of_the_day_in_its_key() -> None:
    assert due.is_of_day(due.digest_key(1, RUN), RUN)
    assert not due.is_of_day(due.digest_key(1, RUN), RUN + DAYS)


def test_only_what_arrived_was_delivered() -> None:
    assert due.was_delivered([past(NEW, FAILED), past(D1, DELIVERED)])
    assert not due.was_delivered([past(NEW, FAILED), past(NEW, DispatchStatus.SENDING)])
    assert not due.was_delivered([])


def test_a_posting_is_news_for_seven_days_to_the_microsecond() -> None:
    tick = timedelta(microseconds=1)
    assert due.is_new(NINE - 7 * DAYS + tick, [], RUN, NINE)
    assert not due.is_new(NINE - 7 * DAYS, [], RUN, NINE)


@pytest.mark.parametrize(
    ("said", "still_new"),
    [
        (past(NEW, DELIVERED), False),
        (past(DIGEST, DELIVERED, RUN.toordinal() - 1), False),
        (past(NEW, DispatchStatus.SENDING), False),
        (past(NEW, FAILED), True),
        (past(NEW, FAILED, unconfirmed=1), True),
        (past(NEW, FAILED, unconfirmed=2), False),
        (past(NEW, DispatchStatus.EXPIRED), True),
        (past(NEW, DispatchStatus.PENDING), True),
        (past(DIGEST, DispatchStatus.PENDING, RUN.toordinal()), False),
        (past(DIGEST, DispatchStatus.PENDING, RUN.toordinal() - 1), True),
        (past(DIGEST, FAILED, RUN.toordinal() - 1), True),
        (past(D1, DELIVERED), True),
        (past(REMINDER, DELIVERED), True),
    ],
)
def test_a_posting_is_news_until_it_was_told_or_may_not_be_told_again(said: Past, still_new: bool) -> None:
    assert due.is_new(NINE - DAYS, [said], RUN, NINE) is still_new


@pytest.mark.parametrize(
    ("deadline", "near"),
    [
        (kst(RUN, 23, 59, 59), False),
        (kst(RUN + DAYS, 0), True),
        (kst(RUN + DAYS, 23, 59, 59), True),
        (kst(RUN + 2 * DAYS, 0), False),
        (kst(RUN, 8), False),
    ],
)
def test_a_deadline_is_near_on_the_korean_day_before_it(deadline: datetime, near: bool) -> None:
    assert due.is_deadline_near(deadline, [], RUN, NINE) is near


def test_a_deadline_is_told_once_and_once_more_when_it_was_put_off() -> None:
    """FR-12: 마감일 연장은 알림 대상."""
    deadline = kst(RUN + DAYS, 18)
    told = past(D1, DELIVERED, (RUN + DAYS).toordinal())
    assert not due.is_deadline_near(deadline, [told], RUN, NINE)
    assert not due.is_deadline_near(deadline + timedelta(hours=3), [told], RUN, NINE), "the same day"
    later = RUN + 5 * DAYS
    assert due.is_deadline_near(deadline + 5 * DAYS, [told], later, kst(later, 9))
    assert due.deadline_key(1, deadline) != due.deadline_key(1, deadline + 5 * DAYS)


def test_a_deadline_whose_message_failed_yesterday_is_told_on_its_day() -> None:
    deadline = kst(RUN, 18)
    tried = past(D1, FAILED, RUN.toordinal())
    assert due.is_deadline_near(deadline, [tried], RUN, NINE)
    assert not due.is_deadline_near(deadline, [], RUN, NINE)
    assert not due.is_deadline_near(deadline, [tried], RUN, kst(RUN, 18)), "it has passed"
    assert not due.is_deadline_near(deadline, [past(D1, FAILED, RUN.toordinal(), unconfirmed=2)], RUN, NINE)


def test_a_reminder_is_due_seven_days_after_the_person_last_heard_of_it() -> None:
    first_seen = NINE - 20 * DAYS
    assert due.due_reminder(first_seen, [], RUN) == 1
    assert due.due_reminder(first_seen, [past(NEW, DELIVERED, at=NINE - 6 * DAYS)], RUN) is None
    assert due.due_reminder(first_seen, [past(NEW, DELIVERED, at=NINE - 7 * DAYS)], RUN) == 1
    told = [past(NEW, DELIVERED, at=NINE - 14 * DAYS), past(REMINDER, DELIVERED, 1, at=NINE - 7 * DAYS)]
    assert due.due_reminder(first_seen, told, RUN) == 2
    assert due.due_reminder(NINE - 6 * DAYS, [], RUN) is None


def test_a_reminder_that_failed_keeps_its_number() -> None:
    told = [past(REMINDER, DELIVERED, 1, at=NINE - 8 * DAYS), past(REMINDER, FAILED, 2, at=NINE - DAYS)]
    assert due.due_reminder(NINE - 20 * DAYS, told, RUN) == 2


def test_a_reminder_that_is_under_way_is_not_due_again() -> None:
    under_way = past(REMINDER, DispatchStatus.SENDING, 1, at=None)
    assert due.due_reminder(NINE - 20 * DAYS, [under_way], RUN) is None
    other = past(D1, DispatchStatus.SENDING, 1, at=None)
    assert due.due_reminder(NINE - 20 * DAYS, [other], RUN) == 1


def test_a_reminder_that_may_not_be_sent_again_counts_as_heard() -> None:
    spent = past(REMINDER, FAILED, 1, unconfirmed=2, at=NINE - DAYS)
    assert due.due_reminder(NINE - 20 * DAYS, [spent], RUN) is None
    assert due.due_reminder(NINE - 20 * DAYS, [spent], RUN + 6 * DAYS) == 2


def test_what_went_unconfirmed_before_is_carried_on() -> None:
    said = [past(NEW, FAILED), past(DIGEST, FAILED, unconfirmed=1), past(D1, FAILED, unconfirmed=2)]
    assert due.unconfirmed_before(said, NEW, DIGEST) == 1
    assert due.unconfirmed_before([], NEW) == 0


@pytest.mark.parametrize(
    ("status", "unconfirmed", "expires", "replaced", "state"),
    [
        (DELIVERED, 0, -1, False, ResendState.NONE),
        (DispatchStatus.EXPIRED, 0, 1, False, ResendState.EXPIRED),
        (FAILED, 0, 1, False, ResendState.NEXT_RUN),
        (FAILED, 0, 0, False, ResendState.EXPIRED),
        (FAILED, 0, 1, True, ResendState.REPLACED),
        (FAILED, 2, 1, False, ResendState.UNCONFIRMED),
        (FAILED, 1, 1, False, ResendState.NEXT_RUN),
        (DispatchStatus.PENDING, 0, 1, False, ResendState.NEXT_RUN),
        (DispatchStatus.SENDING, 1, 1, False, ResendState.NEXT_RUN),
    ],
)
def test_the_history_says_what_becomes_of_each_message(
    status: DispatchStatus, unconfirmed: int, expires: int, replaced: bool, state: ResendState
) -> None:
    assert due.resend_state(status, unconfirmed, NINE + expires * DAYS, replaced, NINE) is state
