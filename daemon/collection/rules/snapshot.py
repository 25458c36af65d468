"""The 09:00 service-level snapshot: when it is due, on time, missed or void (seed 000; ticket BE-43; DESIGN 1.3)."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from daemon.clock import kst
from daemon.collection.model import CaptureStatus

CUTOFF_HOUR = 9


def scheduled_at(day: date) -> datetime:
    """The deadline of a business day: 09:00:00 KST, in UTC."""
    return kst(day, CUTOFF_HOUR)


def is_on_time(began_at: datetime, deadline: datetime, grace: timedelta) -> bool:
    """Whether a capture that began at `began_at` still speaks for the deadline.

    What counts is when the attempt began, not how long it then waited for writers that came before it.
    """
    return deadline <= began_at < deadline + grace


def was_on(enabled: bool, switched_at: datetime | None, instant: datetime) -> bool:
    """Whether a flag was on at a past `instant`, from its present state and its last switch (None: never)."""
    if switched_at is None or switched_at <= instant:
        return enabled
    return not enabled


def status_without_preparation(v2_was_on: bool) -> CaptureStatus:
    """A day whose header nobody made before 09:00: missed only if the promise existed then (DESIGN 1.3)."""
    return CaptureStatus.MISSED if v2_was_on else CaptureStatus.NOT_APPLICABLE
