"""A source's health from the ends of its cycles (seed 001, FR-15 and FR-19; seed 000, 호환 projection)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from daemon.collection.model import CycleStatus, RunStatus

BROKEN_AFTER_DAYS = 3
"""Abnormal days in a row that make a source broken (FR-19)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Health:
    """What is remembered of a source's days."""

    abnormal_days: int = 0
    broken_since: datetime | None = None
    failure_episode: int = 0
    last_normal_at: datetime | None = None


def is_abnormal(status: CycleStatus | RunStatus, fetched: int) -> bool:
    """Failed, or complete with nothing in it: a parser that silently reads nothing looks just like that."""
    if status in (CycleStatus.FAILED, RunStatus.FAILED):
        return True
    return status in (CycleStatus.SUCCESS, RunStatus.SUCCESS) and fetched == 0


def is_close_guarded(status: CycleStatus, fetched: int, guarded: bool) -> bool:
    """Whether nothing may be concluded from what the list left out: true but for a complete list with postings."""
    return status is not CycleStatus.SUCCESS or fetched == 0 or guarded


def next_health(health: Health, *, abnormal: bool, now: datetime) -> Health:
    """Health after one more day. Breaking begins a new episode, so that a source that breaks again is told again."""
    if not abnormal:
        return Health(failure_episode=health.failure_episode, last_normal_at=now)
    days = health.abnormal_days + 1
    breaks = days >= BROKEN_AFTER_DAYS and health.broken_since is None
    return Health(
        abnormal_days=days,
        broken_since=now if breaks else health.broken_since,
        failure_episode=health.failure_episode + breaks,
        last_normal_at=health.last_normal_at,
    )
