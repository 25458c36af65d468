"""The page of operations: today, thirty days as squares, flags."""

from __future__ import annotations

from datetime import date, timedelta

from daemon.collection.model import CycleStatus, RunStatus
from daemon.db import Database, transaction
from daemon.flags.actions import list_flags
from daemon.notification.actions.webhook import webhook_key_of, webhook_state
from daemon.notification.store import webhooks
from daemon.operations.model import DayOutcome
from daemon.settings import Settings
from daemon.sources.model import Platform
from daemon.web.page.grid import Fate, rows_of
from tests.engines import add_source
from tests.page.conftest import Browse

WEBHOOK = "https://discord.com/api/webhooks/1/token-0123456789"
TODAY = date(2026, 12, 30)


def on(days_ago: int, status: CycleStatus | RunStatus) -> DayOutcome:
    day = TODAY - timedelta(days=days_ago)
    return DayOutcome(job_source_id=1, source_label="JUMPIT 백엔드", run_date=day, status=status, reason=None)


def test_a_row_has_a_square_for_each_of_thirty_days() -> None:
    days = [on(0, CycleStatus.RUNNING), on(1, CycleStatus.SUCCESS), on(29, CycleStatus.FAILED)]
    (row,) = rows_of(days, TODAY)
    squares = {fate: path.count("M") for fate, path in row.paths}
    assert squares == {Fate.GOOD: 1, Fate.FAILED: 1, Fate.UNDER_WAY: 1}
    assert row.empty.count("M") == 27
    assert dict(row.paths)[Fate.FAILED].startswith("M0 0")
    assert dict(row.paths)[Fate.UNDER_WAY].startswith("M377 0")
    assert row.last_failure == days[2]


def test_a_legacy_day_counts_by_its_run() -> None:
    (row,) = rows_of([on(0, RunStatus.FAILED), on(1, RunStatus.SUCCESS), on(2, CycleStatus.PENDING)], TODAY)
    assert dict(row.counts) == {Fate.GOOD: 1, Fate.BUDGET: 0, Fate.FAILED: 1, Fate.UNDER_WAY: 1}


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


async def test_a_parked_webhook_is_used_again_with_a_click(db: Database, browse: Browse) -> None:
    settings = Settings(database_url="sqlite://", discord_webhook_url=WEBHOOK)
    key = webhook_key_of(settings)
    assert key is not None
    await transaction(db, webhooks.save_parked, key, "HTTP 404, Unknown Webhook, 10015", db.clock.now())
    browser = await browse(db, discord_webhook_url=WEBHOOK)
    page = await browser.open("/operations")
    assert "디스코드가 이 웹훅을 모릅니다: HTTP 404" in page.text("section[aria-labelledby=messages]")
    page = await browser.fill(page, "/operations/webhook")
    assert page.text(".told") == "웹훅을 다시 씁니다."
    assert "/operations/webhook" not in page.actions()
    assert (await webhook_state(db, settings)).parked_at is None
    assert (await (await browse(db)).send("/operations/webhook", {})).status == 409
