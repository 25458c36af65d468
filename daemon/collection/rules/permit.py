"""Host permits: one request per host and spacing, over all instances (seed 000, external_request_host_limits)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, kw_only=True, slots=True)
class Granted:
    """A request may start at `not_before`; the host is free again at `next_allowed_at`."""

    not_before: datetime
    next_allowed_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class HostBusy:
    """The host is taken for longer than it makes sense to wait for; nothing was reserved."""

    until: datetime


def decide_permit(
    next_allowed_at: datetime, now: datetime, spacing: timedelta, longest_wait: timedelta
) -> Granted | HostBusy:
    """`GREATEST(now, next_allowed_at)` is when the request may start; the next one `spacing` later (seed 000)."""
    not_before = max(now, next_allowed_at)
    if not_before - now > longest_wait:
        return HostBusy(until=not_before)
    return Granted(not_before=not_before, next_allowed_at=not_before + spacing)
