"""The page of operations: today, thirty days as squares, flags."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from daemon.collection.model import CycleStatus, RunStatus
from daemon.db import Database
from daemon.flags.actions import list_flags
from daemon.operations.model import CollectionRun
from daemon.sources.model import Platform, SourceType
from daemon.web.page.grid import Fate, rows_of
from tests.engines import add_source
from tests.page.conftest import Browse

TODAY = date(2026, 12, 30)
RUN = CollectionRun(
    job_source_id=1,
    source_label="JUMPIT 백엔드",
    run_date=TODAY,
    run_status=RunStatus.SUCCESS,
    fetched_count=1,
    new_count=0,
    closed_count=0,
    error_message=None,
    abnormal=False,
    platform=Platform.JUMPIT,
    source_type=SourceType.AGGREGATOR,
    cycle_status=CycleStatus.SUCCESS,
    is_complete=True,
    close_guarded=False,
    list_page_count=1,
    changed_count=0,
    missed_count=0,
    detail_request_count=0,
    detail_failure_count=0,
    detail_skipped_count=0,
    declared_total=None,
    budget_exhausted_reason=None,
    failure_reason=None,
    started_at=datetime(2026, 12, 30, tzinfo=UTC),
    finished_at=None,
)


def on(days_ago: int, status: CycleStatus | None, run: RunStatus | None = None) -> CollectionRun:
    return replace(RUN, run_date=TODAY - timedelta(days=days_ago), cycle_status=status, run_status=run)


def test_a_row_has_a_square_for_each_of_thirty_days() -> None:
    runs = [on(0, CycleStatus.RUNNING), on(1, CycleStatus.SUCCESS), on(29, CycleStatus.FAILED)]
    (row,) = rows_of(runs, TODAY)
    squares = {fate: path.count("M") for fate, path in row.paths}
    assert squares == {Fate.GOOD: 1, Fate.FAILED: 1, Fate.UNDER_WAY: 1}
    assert row.empty.count("M") == 27
    assert dict(row.paths)[Fate.FAILED].startswith("M0 0")
    assert dict(row.paths)[Fate.UNDER_WAY].startswith("M377 0")
    assert row.last_failure == runs[2]


def test_a_legacy_day_counts_by_its_run() -> None:
    (row,) = rows_of([on(0, None, RunStatus.FAILED), on(1, None, RunStatus.SUCCESS), on(2, None)], TODAY)
    assert dict(row.counts) == {Fate.FAILED: 1, Fate.GOOD: 1, Fate.UNDER_WAY: 1}


async def test_flags_are_switched_with_a_click(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.open("/operations")
    assert page.texts("#flags h3 .badge") == ["꺼짐"] * 7
    page = await browser.send("/operations/flags", {"flag": "posting.auto-close", "to": "on"})
    assert page.texts("#flags h3 .badge").count("켜짐") == 1
    assert [str(flag.flag_key) for flag in await list_flags(db) if flag.enabled] == ["posting.auto-close"]
    assert (await browser.send("/operations/flags", {"flag": "nothing", "to": "on"})).status == 404


async def test_every_source_has_its_row_of_today(db: Database, browse: Browse) -> None:
    await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    await add_source(db, Platform.SARAMIN, category="84")
    page = await (await browse(db, "en")).open("/operations")
    rows = page.texts("#today tbody tr")
    assert len(rows) == 2
    assert all("not begun" in row for row in rows)
    assert "before the 09:00 snapshot" in page.text("#snapshot")
