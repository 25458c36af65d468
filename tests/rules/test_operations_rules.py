"""What the operations views conclude (seed 000, operation contract)."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import pytest

from daemon.clock import kst
from daemon.collection.model import CaptureStatus, CycleStatus, RunStatus
from daemon.operations.model import SeenLevel, SlaHeader, SlaItem, SnapshotStatus
from daemon.operations.rules import is_late, seen_level, sla_snapshot, success_rate
from daemon.sources.model import SourceType

DAY = date(2026, 12, 1)
NINE = kst(DAY, 9)


def header(status: CaptureStatus, *, captured: bool = False, missed: bool = False) -> SlaHeader:
    return SlaHeader(
        id=1,
        capture_status=status,
        captured_at=NINE if captured else None,
        miss_reason="no instance was running" if missed else None,
    )


def item(source_id: int, status: CycleStatus) -> SlaItem:
    return SlaItem(
        job_source_id=source_id,
        source_label=f"source {source_id}",
        source_type=SourceType.COMPANY_BOUND,
        captured_cycle_status=status,
        captured_fetched_count=3,
        captured_is_complete=status is CycleStatus.SUCCESS,
        captured_abnormal=False,
        captured_close_guarded=False,
        late=is_late(status),
    )


@pytest.mark.parametrize(
    ("rows", "level"),
    [
        (0, SeenLevel.OK),
        (1, SeenLevel.WARNING),
        (999, SeenLevel.WARNING),
        (1000, SeenLevel.CRITICAL),
        (5000, SeenLevel.CRITICAL),
    ],
)
def test_one_left_over_seen_row_warns_and_a_thousand_are_critical(rows: int, level: SeenLevel) -> None:
    """Seed 000 Testing Plan, operation contract: `seenRowsOlderThan48Hours` at 1 and 1,000."""
    assert seen_level(rows) is level


def test_before_nine_nobody_is_late_and_there_are_no_items() -> None:
    """Seed 000 Testing Plan, operation contract: before 09:00 count 0, items absent."""
    found = sla_snapshot(DAY, header(CaptureStatus.PENDING), (), NINE - timedelta(microseconds=1))
    assert (found.capture_status, found.late_before_notification_count, found.items) == (SnapshotStatus.PENDING, 0, ())
    assert (found.snapshot_date, found.scheduled_at) == (DAY, NINE)
    assert (found.captured_at, found.miss_reason) == (None, None)


@pytest.mark.parametrize("status", [CaptureStatus.PENDING, CaptureStatus.CAPTURING])
def test_from_nine_on_an_unsettled_header_says_that_nothing_is_known(status: CaptureStatus) -> None:
    found = sla_snapshot(DAY, header(status), (), NINE)
    assert (found.late_before_notification_count, found.items) == (None, None)


def test_a_captured_snapshot_counts_every_status_but_success_as_late() -> None:
    """Seed 000 Testing Plan, operation contract: CAPTURED gives the immutable items and their late count."""
    items = tuple(item(number, status) for number, status in enumerate(CycleStatus))
    found = sla_snapshot(DAY, header(CaptureStatus.CAPTURED, captured=True), items, NINE + timedelta(hours=5))
    assert found.items == items
    assert found.late_before_notification_count == 5
    assert [each.captured_cycle_status for each in items if not each.late] == [CycleStatus.SUCCESS]
    assert found.captured_at == NINE


def test_a_captured_snapshot_without_sources_has_none_late() -> None:
    found = sla_snapshot(DAY, header(CaptureStatus.CAPTURED, captured=True), (), NINE)
    assert (found.late_before_notification_count, found.items) == (0, ())


@pytest.mark.parametrize("hour", [8, 9, 23])
def test_a_missed_or_void_or_absent_snapshot_is_null_at_any_time(hour: int) -> None:
    """Seed 000 Testing Plan, operation contract: MISSED, NOT_APPLICABLE, UNAVAILABLE give null for both."""
    now = kst(DAY, hour)
    missed = sla_snapshot(DAY, header(CaptureStatus.MISSED, missed=True), (), now)
    void = sla_snapshot(DAY, header(CaptureStatus.NOT_APPLICABLE), (), now)
    absent = sla_snapshot(DAY, None, (), now)
    for found in (missed, void, absent):
        assert (found.late_before_notification_count, found.items, found.captured_at) == (None, None, None)
    assert (missed.miss_reason, void.miss_reason) == ("no instance was running", None)
    assert absent.capture_status is SnapshotStatus.UNAVAILABLE


Days = Counter[CycleStatus | RunStatus]


def test_a_budget_end_is_no_failure_and_what_is_under_way_does_not_count() -> None:
    ended: Days = Counter([CycleStatus.SUCCESS, CycleStatus.BUDGET_EXHAUSTED, CycleStatus.FAILED])
    under_way: Days = Counter([CycleStatus.NOT_STARTED, CycleStatus.PENDING, CycleStatus.RUNNING])
    legacy: Days = Counter([RunStatus.SUCCESS, RunStatus.FAILED])
    assert success_rate(ended) == pytest.approx(2 / 3)
    assert success_rate(ended + under_way) == pytest.approx(2 / 3)
    assert success_rate(ended + legacy) == pytest.approx(3 / 5)
    assert success_rate(under_way) is None
    assert success_rate({}) is None
