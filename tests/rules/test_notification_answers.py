"""What follows from Discord's answers (seed 001: three tries, 1 s, 2 s, 4 s; DESIGN 1.7)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.notification.model import (
    Accepted,
    Answer,
    Deliver,
    GiveUp,
    Halt,
    RateLimited,
    Refused,
    TryAgain,
    Unavailable,
    Unconfirmed,
    WebhookGone,
)
from daemon.notification.rules.answers import LONGEST_WAIT, MOST_UNCONFIRMED, TRIES, claim_lease, next_step

SECOND = timedelta(seconds=1)
DOWN = Unavailable(reason="HTTP 503")
SILENT = Unconfirmed(reason="no answer")


def test_what_arrived_is_delivered_whatever_came_before() -> None:
    assert next_step(Accepted(message_id="1"), 3, 1) == Deliver(message_id="1")


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 1), (2, 2)])
def test_a_failure_waits_one_and_then_two_seconds(attempt: int, seconds: int) -> None:
    step = next_step(DOWN, attempt, 0)
    assert step == TryAgain(pause=seconds * SECOND, reason="HTTP 503", unconfirmed=0)


def test_the_third_failure_is_the_last_of_its_day_and_waits_four_seconds() -> None:
    assert TRIES == 3
    assert next_step(DOWN, 3, 0) == GiveUp(pause=4 * SECOND, reason="HTTP 503", unconfirmed=0, outage=True)


def test_a_wait_that_discord_asks_for_goes_before_the_back_off() -> None:
    asked = timedelta(seconds=40.25)
    again = next_step(RateLimited(retry_after=asked), 1, 0)
    reason = "rate limited for 40.250 s"
    assert again == TryAgain(pause=asked, reason=reason, unconfirmed=0)
    last = next_step(RateLimited(retry_after=asked), 3, 0)
    assert last == GiveUp(pause=asked, reason=reason, unconfirmed=0, outage=True)
    down = next_step(Unavailable(reason="HTTP 503", retry_after=asked), 1, 0)
    assert isinstance(down, TryAgain)
    assert down.pause == asked


def test_a_rate_limit_of_an_hour_ends_the_run_and_parks_nothing() -> None:
    step = next_step(RateLimited(retry_after=timedelta(hours=1)), 1, 0)
    assert step == Halt(reason="rate limited for 3600 s", park=False)
    assert isinstance(next_step(RateLimited(retry_after=LONGEST_WAIT), 1, 0), TryAgain)


def test_a_webhook_that_is_gone_is_parked_at_once() -> None:
    assert next_step(WebhookGone(reason="HTTP 404"), 1, 0) == Halt(reason="HTTP 404", park=True)


def test_a_refused_message_is_not_tried_again_and_speaks_of_no_outage() -> None:
    step = next_step(Refused(reason="HTTP 400"), 1, 0)
    assert step == GiveUp(pause=timedelta(0), reason="HTTP 400", unconfirmed=0, outage=False)


def test_an_answer_that_never_came_may_be_repeated_once_over_all_runs() -> None:
    assert MOST_UNCONFIRMED == 2
    assert next_step(SILENT, 1, 0) == TryAgain(pause=SECOND, reason="no answer", unconfirmed=1)
    for attempt in (1, 2, 3):
        told = "no answer; not confirmed 2 times, not sent again"
        pause = (SECOND, 2 * SECOND, 4 * SECOND)[attempt - 1]
        assert next_step(SILENT, attempt, 1) == GiveUp(pause=pause, reason=told, unconfirmed=2, outage=True)


@pytest.mark.parametrize("answer", [DOWN, Refused(reason="HTTP 400"), RateLimited(retry_after=SECOND)])
def test_what_certainly_did_not_arrive_adds_nothing_to_what_may_have(answer: Answer) -> None:
    for attempt in range(1, 4):
        step = next_step(answer, attempt, 1)
        assert isinstance(step, TryAgain | GiveUp)
        assert step.unconfirmed == 1


@pytest.mark.parametrize("seconds", [0.05, 10, 60, 600])
def test_a_claim_outlives_its_request(seconds: float) -> None:
    timeout = timedelta(seconds=seconds)
    assert claim_lease(timeout) >= max(2 * timeout, timedelta(seconds=60))


def test_a_claim_stands_for_two_timeouts_and_a_half_minute_or_one_minute() -> None:
    assert claim_lease(14 * SECOND) == timedelta(minutes=1)
    assert claim_lease(20 * SECOND) == timedelta(seconds=70)
