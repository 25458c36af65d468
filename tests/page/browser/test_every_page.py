"""What holds on every page of a world that is lived in, in a real browser: nothing missing, heavy, wide or foreign."""

from __future__ import annotations

import re
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.db import Database
from daemon.notification.actions.webhook import webhook_key_of
from daemon.settings import Settings
from tests.page.browser.chromium import WAYS, Way
from tests.page.browser.conftest import Visit
from tests.page.browser.world import live_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

CODES = re.compile(
    r"\b(?!GONGGO_)[A-Z]{3,}(?:_[A-Z]+)+\b|\b(?:None|PENDING|RUNNING|SUCCESS|FAILED|WATCHED|OPEN|CLOSED)\b"
)
"""Words of the database and of Python."""

WEBHOOK = "https://discord.com/api/webhooks/1/a-secret-that-nobody-has"


async def test_every_page_is_small_asks_for_little_and_fits_the_window(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    key = webhook_key_of(Settings(database_url="sqlite://", discord_webhook_url=WEBHOOK))
    world = await live_in(db, clock, key)
    tab = await visit(way, discord_webhook_url=WEBHOOK)
    for path in world.paths:
        await tab.open(path)
        await tab.keep_picture(path.strip("/").replace("/", "-").replace("?", "-") or "today")
        assert tab.bytes_sent <= 100_000, path
        assert len(tab.requests) <= 20, path
        assert await tab.css("h1").count() == 1, path
        assert not await tab.is_too_wide(), f"{path} is wider than the window"
        assert await tab.page.evaluate("document.documentElement.lang") == tab.way.language
        assert CODES.findall(await tab.text("main")) == [], f"{path} shows what only programs should read"


async def test_an_accessibility_engine_finds_no_fault_on_any_page(
    db: Database, visit: Visit, clock: ManualClock, sqlite_only: None
) -> None:
    from axe_playwright_python.async_playwright import Axe

    world = await live_in(db, clock)
    found: dict[str, Any] = {}
    for way in (way for way in WAYS if way.script):
        tab = await visit(way)
        for path in world.paths:
            await tab.open(path)
            # Closed parts hold half of the forms.
            await tab.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
            results = await Axe().run(tab.page)
            faults = [
                (one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"])
                for one in results.response["violations"]
            ]
            if faults:
                found[f"{path} {way}"] = faults
            assert not await tab.is_too_wide(), f"{path} is wider than the window"
    assert found == {}


async def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    db: Database, visit: Visit, clock: ManualClock, sqlite_only: None
) -> None:
    await live_in(db, clock)
    tab = await visit(WAYS[0])
    await tab.open("/postings")
    await tab.page.keyboard.press("Tab")
    assert await tab.page.evaluate("document.activeElement.className") == "skip"
    await tab.page.keyboard.press("Enter")
    assert await tab.page.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(40):
        await tab.page.keyboard.press("Tab")
        about = await tab.page.evaluate(
            "[document.activeElement.tagName, document.activeElement.name || document.activeElement.href,"
            " getComputedStyle(document.activeElement).outlineStyle]"
        )
        assert about[2] != "none", about
        reached.add(about[1])
    for name in ("q", "sort", "matched"):
        assert name in reached
