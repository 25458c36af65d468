"""From an empty database to a first matched posting, as one who has read nothing: the real commands, a real daemon, the
sites' replica, a real browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from daemon.clock import SimulatedClock, kst
from daemon.demo.replica import Replica
from daemon.demo.world import World
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import told_of
from tests.page.browser.chromium import WAYS_ON_SERVERS, Tab, opened_tab

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.acceptance]

NOON = kst(date(2026, 12, 1), 12)
PATIENCE = 60_000
"""Milliseconds until the first collection must be seen."""


@pytest_asyncio.fixture(loop_scope="session")
async def daemon(blank_url: str, tmp_path: Path) -> AsyncIterator[Daemon]:
    """`gonggo init`, then `gonggo run`, where there was nothing; the sites are the replica's."""
    clock_file = tmp_path / "clock.json"
    SimulatedClock.write(clock_file, NOON, 1.0)
    replica = Replica(World(calm=True, scale=0.3), SimulatedClock(clock_file))
    await replica.start()
    daemons = Daemons(tmp_path)
    try:
        origins = {platform.value: origin for platform, origin in replica.origins.items()}
        told = told_of(blank_url, clock_file, origins) | {"GONGGO_RECOVERY_SECONDS": "1"}
        prepared = await daemons.spawn("init", told, "init")
        assert await prepared.ended() == 0, prepared.output
        started = await daemons.start("run", told)
        yield started
        assert started.events("http.failed") == []
        assert await started.stop() == 0, started.output[-3000:]
    finally:
        await daemons.end_all()
        await replica.stop()


async def test_who_has_read_nothing_comes_to_a_first_matched_posting(daemon: Daemon, chromium: Browser) -> None:
    desktop, phone = WAYS_ON_SERVERS
    async with opened_tab(chromium, daemon.address, desktop) as tab:
        await tab.open("/")
        await tab.press(".guide button")
        await follow_a_search(tab)
        await tab.press("header .name")
        await say_what_is_sought(tab)
        await tab.press("header .name")
        # Nothing is to be done now but to wait; the page itself looks for what comes.
        await tab.css(".posting h3").first.wait_for(timeout=PATIENCE)
        titles = await tab.texts(".posting h3")
        assert all(re.search("백 ?엔드|back.?end|서버 ?개발", title, re.IGNORECASE) for title in titles), titles
        await tab.keep_picture("first-posting")
        assert tab.faults == []
    async with opened_tab(chromium, daemon.address, phone) as tab:
        await tab.open("/")
        assert await tab.css(".guide").count() == 0
        await register_a_company(tab)
        await tab.open("/postings?matched=1")
        await tab.press(".posting h3 a")
        await tab.press("form[action$='/apply'] button")
        assert tab.says("지원함", "Applied") == await tab.text(".track .here")
        await tab.open("/operations")
        assert tab.says("완료", "complete") in await tab.texts("#today .state")
        assert tab.faults == []


async def follow_a_search(tab: Tab) -> None:
    """The guide's second step, by the easiest way that it names."""
    await tab.press(".guide a[href='/sources']")
    await tab.choose("#platform", "JUMPIT", "form[action='/sources'][method=get] button")
    await tab.page.select_option("#category", label="서버/백엔드 개발자")
    await tab.press("form[action='/sources'][method=post] button")
    assert tab.says("몇 분 안에", "within minutes") in await tab.text(".told")


async def say_what_is_sought(tab: Tab) -> None:
    """The third step."""
    await tab.press(".guide a[href='/criteria']")
    await tab.page.fill("#synonyms", "백엔드, backend, 서버 개발")
    await tab.press("form[action='/criteria/groups'] button.main")


async def register_a_company(tab: Tab) -> None:
    """By its name on the platform: its board is looked for, and its postings are shown before anything is stored."""
    await tab.open("/companies/new")
    await tab.page.fill("#sought", "Daangn")
    await tab.press("form[action='/companies/look'] button")
    assert await tab.css(".samples li").count() == 3
    await tab.page.check("input[name=board][value='GREENHOUSE:daangn']")
    await tab.press("section[aria-labelledby=found] form button")
    assert await tab.text("h1") == "Daangn"
