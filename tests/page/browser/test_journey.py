"""The way of a new user in a real browser, from nothing to an interview: on a desk and on a phone, with and without
script."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.clock import ManualClock
from daemon.company.actions import list_sources
from daemon.db import Database, transaction
from daemon.matching.actions.evaluation import re_evaluate
from daemon.posting.store import save_descriptions
from daemon.sources.model import Platform
from tests.page.browser.chromium import Tab, Way
from tests.page.browser.conftest import Visit
from tests.postings import add_posting

pytestmark = pytest.mark.asyncio(loop_scope="session")

BODY = "우리는 함께 일할 분을 찾습니다.\n주 2회 재택근무가 가능합니다.\n문의는 채용 페이지로."


async def test_a_new_user_comes_from_nothing_to_an_interview(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    tab = await visit(way)
    await begins(tab)
    await follows_a_board_and_a_company(tab, db)
    await says_what_is_sought(tab, db)
    await finds_a_posting(tab, db, clock)
    await applies_and_is_invited(tab)
    await tab.open("/")
    assert "14:00" in await tab.text("section[aria-labelledby=interviews] li")


async def begins(tab: Tab) -> None:
    await tab.open("/")
    assert await tab.css(".steps > li").count() == 4
    await tab.press("form[action='/begin'] button")
    assert await tab.css(".steps .ready").count() == 1
    assert tab.says("기능을 켰습니다", "Switched on") in await tab.text(".told.done")
    await tab.keep_picture("guide")


async def follows_a_board_and_a_company(tab: Tab, db: Database) -> None:
    await tab.press(".steps a[href='/sources']")
    await tab.choose("#platform", "SARAMIN", "form[action='/sources'][method=get] button")
    await tab.page.select_option("#category", index=1)
    await tab.press("form[action='/sources'][method=post] button.main")
    await tab.open("/companies/new")
    await tab.unfold("main details")
    await tab.page.fill("#name", "당근마켓")
    await tab.page.fill("#slug", "daangn")
    await tab.press("form[action='/companies/new'] button")
    assert await tab.text("h1") == "당근마켓"
    assert [source.platform for source in await list_sources(db)] == [Platform.SARAMIN, Platform.GREENHOUSE]


async def says_what_is_sought(tab: Tab, db: Database) -> None:
    company = int(tab.page.url.rpartition("/")[2])
    (_, board) = await list_sources(db)
    posting = await add_posting(db, company, board.id, "백엔드 개발자 (Kotlin)")
    await add_posting(db, company, board.id, "백엔드 인턴")
    await transaction(db, save_descriptions, {posting: BODY}, db.clock.now())
    await tab.open("/")
    await tab.press(".steps a[href='/criteria']")
    await tab.page.fill("#synonyms", "백엔드, backend")
    if not tab.way.script:
        await tab.press("form[action='/criteria/groups'] button[formmethod=get]")
    await tab.css("#preview .figures").wait_for()
    assert "0 → 2" in await tab.text("#preview .figures")
    await tab.press("form[action='/criteria/groups'] button.main")
    await tab.page.fill("#exclusions-words", "인턴")
    await tab.press("form[action='/criteria/exclusions'] button >> nth=0")
    await tab.page.fill("#arrangements-words", "재택근무")
    await tab.press("form[action='/criteria/arrangements'] button")
    assert await tab.css(".words li").count() == 4
    await re_evaluate(db)


async def finds_a_posting(tab: Tab, db: Database, clock: ManualClock) -> None:
    clock.advance(timedelta(hours=1))
    await tab.open("/")
    assert await tab.css(".guide").count() == 0
    assert await tab.texts(".posting h3") == ["백엔드 개발자 (Kotlin)"]
    await tab.open("/postings")
    assert await tab.css(".posting").count() == 2
    await tab.tick("input[name=matched]", ".filters button")
    assert await tab.css(".posting").count() == 1
    await tab.press(".posting h3 a")
    assert "재택근무" in await tab.text(".body mark")


async def applies_and_is_invited(tab: Tab) -> None:
    await tab.press("form[action$='/apply'] button")
    assert tab.says("지원을 기록", "Recorded") in await tab.text(".told")
    await tab.page.fill("#memo", "서류 접수 메일")
    await tab.press("form[action$='/move'] button.main")
    assert await tab.css(".story li").count() == 2
    await tab.open("/applications")
    await tab.unfold(".moves")
    assert await tab.css(".moves button").count() == 3
    await tab.press(".moves button[value=INTERVIEWING]")
    await tab.press(".card h3 a")
    await tab.unfold("details.add")
    await tab.page.fill("#label", "기술면접")
    await tab.page.fill("#scheduled_at", "2026-12-04T14:00")
    await tab.press("form[action$='/interviews'] button")
    assert await tab.css(".round h3").count() == 1
