"""What the operations views conclude (seed 000: SLA, 48-hour metric, 30-day success rate)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from daemon.collection.model import CaptureStatus, CycleStatus, RunStatus
from daemon.collection.rules.snapshot import scheduled_at
from daemon.operations.model import SeenLevel, SlaHeader, SlaItem, SlaSnapshot, SnapshotStatus

SEEN_WARNING = 1
SEEN_CRITICAL = 1000
"""More than one nightly cleanup (1,000 rows) can take away."""


def is_late(status: CycleStatus) -> bool:
    """Whether a source in this state at 09:00 was late: anything but SUCCESS."""
    return status is not CycleStatus.SUCCESS


def seen_level(rows: int) -> SeenLevel:
    """1 left-over seen row warns, 1,000 are critical."""
    if rows >= SEEN_CRITICAL:
        return SeenLevel.CRITICAL
    return SeenLevel.WARNING if rows >= SEEN_WARNING else SeenLevel.OK


def success_rate(days: Mapping[CycleStatus | RunStatus, int]) -> float | None:
    """Share of the days that are over and did not fail (see `CollectionRuns.success_rate`); None when none is over.

    `days` says how many days stand how. A legacy run's statuses are spelt like a cycle's, and mean the same.
    """
    good = days.get(CycleStatus.SUCCESS, 0) + days.get(CycleStatus.BUDGET_EXHAUSTED, 0)
    over = good + days.get(CycleStatus.FAILED, 0)
    return good / over if over else None


def sla_snapshot(day: date, header: SlaHeader | None, items: tuple[SlaItem, ...], now: datetime) -> SlaSnapshot:
    """A day's snapshot as it may be told at `now` (seed 000, `slaSnapshot`).

    Before 09:00 nobody is late: 0 and no items. CAPTURED: the immutable items and how many of them are late. In every
    other case, also when 09:00 has passed and the header is not settled yet, neither is known, and null says so.
    """
    deadline = scheduled_at(day)
    status = SnapshotStatus.UNAVAILABLE if header is None else SnapshotStatus(header.capture_status)
    late: int | None = None
    told: tuple[SlaItem, ...] | None = None
    if status is SnapshotStatus.CAPTURED:
        told, late = items, sum(item.late for item in items)
    elif status is SnapshotStatus.PENDING and now < deadline:
        told, late = (), 0
    return SlaSnapshot(
        snapshot_date=day,
        scheduled_at=deadline,
        capture_status=status,
        captured_at=header.captured_at if header and header.capture_status is CaptureStatus.CAPTURED else None,
        miss_reason=header.miss_reason if header and header.capture_status is CaptureStatus.MISSED else None,
        late_before_notification_count=late,
        items=told,
    )
