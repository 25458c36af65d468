"""What follows from Discord's answer to a request (seed 001, 알림 실패 경로·멱등; DESIGN 1.7)."""

from __future__ import annotations

from datetime import timedelta
from typing import assert_never

from daemon.notification.model import (
    Accepted,
    Answer,
    Deliver,
    GiveUp,
    Halt,
    RateLimited,
    Refused,
    Step,
    TryAgain,
    Unavailable,
    Unconfirmed,
    WebhookGone,
)

TRIES = 3
"""Requests for a message in one run (FR-41)."""

MOST_UNCONFIRMED = 2
"""Requests whose answer never came, after which a message is not sent again: at most one copy too many."""

OUTAGE_MESSAGES = 3
"""Messages in a row that fail for want of Discord, after which a run leaves the others for the next one."""

LONGEST_WAIT = timedelta(minutes=10)
"""A rate limit beyond this ends the run instead."""

_BACKOFF = (timedelta(seconds=1), timedelta(seconds=2), timedelta(seconds=4))
"""After the first, second and third failure (seed 001: 1 s, 2 s, 4 s)."""


def next_step(answer: Answer, attempt: int, unconfirmed: int) -> Step:
    """What to do after the `attempt`-th request (from 1) of this run for a message.

    `unconfirmed` are earlier requests for it whose answer never came. A request that certainly was not taken costs a
    try; one that may have been taken may be repeated once, over all runs.
    """
    match answer:
        case Accepted(message_id=message_id):
            return Deliver(message_id=message_id)
        case WebhookGone(reason=reason):
            return Halt(reason=reason, park=True)
        case Refused(reason=reason):
            return GiveUp(pause=timedelta(0), reason=reason, unconfirmed=unconfirmed, outage=False)
        case RateLimited(retry_after=wait) if wait > LONGEST_WAIT:
            return Halt(reason=f"rate limited for {wait.total_seconds():.0f} s", park=False)
        case RateLimited(retry_after=wait):
            return _again(attempt, wait, f"rate limited for {wait.total_seconds():.3f} s", unconfirmed)
        case Unavailable(reason=reason, retry_after=asked):
            pause = _backoff(attempt) if asked is None else min(asked, LONGEST_WAIT)
            return _again(attempt, pause, reason, unconfirmed)
        case Unconfirmed(reason=reason) if unconfirmed + 1 >= MOST_UNCONFIRMED:
            told = f"{reason}; not confirmed {unconfirmed + 1} times, not sent again"
            return GiveUp(pause=_backoff(attempt), reason=told, unconfirmed=unconfirmed + 1, outage=True)
        case Unconfirmed(reason=reason):
            return _again(attempt, _backoff(attempt), reason, unconfirmed + 1)
        case _:
            assert_never(answer)


def _again(attempt: int, pause: timedelta, reason: str, unconfirmed: int) -> Step:
    if attempt < TRIES:
        return TryAgain(pause=pause, reason=reason, unconfirmed=unconfirmed)
    return GiveUp(pause=pause, reason=reason, unconfirmed=unconfirmed, outage=True)


def _backoff(attempt: int) -> timedelta:
    return _BACKOFF[min(attempt, len(_BACKOFF)) - 1]


def claim_lease(request_timeout: timedelta) -> timedelta:
    """How long a claim stands for a request that is under way, before it counts as one whose answer never came."""
    return max(timedelta(seconds=60), request_timeout * 2 + timedelta(seconds=30))
