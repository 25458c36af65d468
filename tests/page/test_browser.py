"""The page in a real browser: the way of a new user, on a desk and on a phone, with script and without."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from daemon.application.actions import add_interview, apply_for_posting
from daemon.clock import ManualClock
from daemon.company.actions import list_sources
from daemon.db import Database, transaction
from daemon.matching.actions.evaluation import re_evaluate
from daemon.matching.model import Confidence
from daemon.operations.postings.actions import list_postings
from daemon.operations.postings.model import PostingFilter
from daemon.posting.store import save_descriptions
from daemon.sources.model import Platform
from tests.db.test_posting_views import add_evidence, add_result
from tests.engines import DAY, add_source
from tests.page.chromium import CHROMIUM, WAYS, Tab, Way, opened_tab
from tests.page.conftest import Serve
from tests.postings import add_company, add_posting

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
    pytest.mark.timeout(240),
]

BODY = "우리는 함께 일할 분을 찾습니다.\n주 2회 재택근무가 가능합니다.\n문의는 채용 페이지로."


def both(tab: Tab, korean: str, english: str) -> str:
    return korean if tab.way.language == "ko" else english


async def origin_of(serve: Serve, db: Database) -> str:
    return str((await serve(db)).make_url("/")).rstrip("/")


@pytest.mark.parametrize("way", WAYS, ids=str)
async def test_a_new_user_comes_from_nothing_to_an_interview(
    db: Database, engine: str, serve: Serve, clock: ManualClock, way: Way
) -> None:
    if engine != "sqlite" and way not in (WAYS[0], WAYS[-1]):
        pytest.skip("on a server two ways will do")
    async with opened_tab(await origin_of(serve, db), way) as tab:
        await begins(tab, db)
        await follows_a_board_and_a_company(tab, db)
        await says_what_is_sought(tab, db)
        await finds_a_posting(tab, db, clock)
        await applies_and_is_invited(tab)
        await looks_at_the_machine(tab)
        assert tab.faults == []
        assert all(url.startswith(tab.origin) for url in tab.requests)


async def begins(tab: Tab, db: Database) -> None:
    await tab.open("/")
    assert await tab.css(".steps > li").count() == 4
    await tab.keep_picture("guide")
    await tab.press("form[action='/begin'] button")
    assert await tab.css(".steps .ready").count() == 1
    assert both(tab, "기능을 켰습니다", "Switched on") in await tab.css(".told.done").inner_text()


async def follows_a_board_and_a_company(tab: Tab, db: Database) -> None:
    await tab.press(".steps a[href='/sources']")
    if tab.way.script:
        async with tab.page.expect_navigation(wait_until="networkidle"):
            await tab.page.select_option("#platform", "SARAMIN")
    else:
        await tab.page.select_option("#platform", "SARAMIN")
        await tab.press("form[action='/sources'][method=get] button")
    await tab.page.select_option("#category", index=1)
    await tab.keep_picture("sources")
    await tab.press("form[action='/sources'][method=post] button.main")
    await tab.open("/companies/new")
    await tab.css("details summary").first.click()
    await tab.page.fill("#name", "당근마켓")
    await tab.page.fill("#slug", "daangn")
    await tab.press("form[action='/companies/new'] button")
    assert await tab.css("h1").inner_text() == "당근마켓"
    assert [source.platform for source in await list_sources(db)] == [Platform.SARAMIN, Platform.GREENHOUSE]


async def says_what_is_sought(tab: Tab, db: Database) -> None:
    company = int(tab.page.url.rpartition("/")[2])
    (_, board) = await list_sources(db)
    posting = await add_posting(db, company, board.id, "백엔드 개발자 (Kotlin)")
    await add_posting(db, company, board.id, "백엔드 인턴")
    await transaction(db, save_descriptions, {posting: BODY}, db.clock.now())
    await tab.open("/criteria")
    await tab.page.fill("#synonyms", "백엔드, backend")
    if not tab.way.script:
        await tab.press("form[action='/criteria/groups'] button[formmethod=get]")
    await tab.css("#preview .figures").wait_for()
    assert "0 → 2" in await tab.css("#preview .figures").inner_text()
    await tab.keep_picture("criteria")
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
    assert await tab.css(".posting h3").all_inner_texts() == ["백엔드 개발자 (Kotlin)"]
    await tab.keep_picture("today")
    await tab.open("/postings")
    assert await tab.css(".posting").count() == 2
    if tab.way.script:
        async with tab.page.expect_navigation(wait_until="networkidle"):
            await tab.page.check("input[name=matched]")
    else:
        await tab.page.check("input[name=matched]")
        await tab.press(".filters button")
    assert await tab.css(".posting").count() == 1
    await tab.keep_picture("postings")
    await tab.press(".posting h3 a")
    assert "재택근무" in await tab.css(".body mark").inner_text()
    await tab.keep_picture("posting")


async def applies_and_is_invited(tab: Tab) -> None:
    await tab.press("form[action$='/apply'] button")
    assert both(tab, "지원을 기록", "Recorded") in await tab.css(".told").inner_text()
    await tab.page.fill("#memo", "서류 접수 메일")
    await tab.press("form[action$='/move'] button.main")
    assert await tab.css(".story li").count() == 2
    await tab.open("/applications")
    await tab.css(".moves summary").first.click()
    assert await tab.css(".moves button").count() == 3
    await tab.keep_picture("board")
    await tab.press(".moves button[value=INTERVIEWING]")
    await tab.press(".card h3 a")
    await tab.css("details.add summary").click()
    await tab.page.fill("#label", "기술면접")
    await tab.page.fill("#scheduled_at", "2026-12-04T14:00")
    await tab.press("form[action$='/interviews'] button")
    assert await tab.css(".round h3").count() == 1
    await tab.keep_picture("application")
    await tab.open("/")
    assert "14:00" in await tab.css("section[aria-labelledby=interviews] li").inner_text()


async def looks_at_the_machine(tab: Tab) -> None:
    await tab.open("/operations")
    assert await tab.css("#today tbody tr").count() == 2
    await tab.press("form[action='/operations/flags'] button >> nth=0")
    assert await tab.css("#flags .badge.off").count() == 3
    await tab.keep_picture("operations")
    other = "English" if tab.way.language == "ko" else "한국어"
    await tab.press(f"footer button:has-text('{other}')")
    assert await tab.css("h1").inner_text() == both(tab, "Operations", "운영")


async def a_full_world(db: Database, clock: ManualClock) -> list[str]:
    """Something on every page; returns their paths."""
    board = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    await add_source(db, Platform.SARAMIN, category="84")
    company = await add_company(db, "토스")
    first = await add_posting(
        db, company, board, "백엔드 개발자", deadline_at=clock.now() + 2 * DAY, changed_at=clock.now()
    )
    await add_result(db, first, top=Confidence.LIKELY)
    await add_evidence(db, first, "재택", Confidence.LIKELY, "주 2회 재택근무가 가능합니다.")
    await transaction(db, save_descriptions, {first: BODY}, clock.now())
    by_hand = await add_posting(db, company, None, "직접 넣은 공고", posting_status="CLOSED")
    for number in range(45):
        await add_posting(db, company, board, f"긴 제목의 공고 {number} " + "Unbreakable" * 12)
    made = await apply_for_posting(db, first, None, "메모")
    await add_interview(db, made.id, 1, "기술면접", clock.now() + DAY)
    plain = ["/", "/postings", "/postings/new", "/applications", "/companies", "/companies/new", "/criteria"]
    of_one = [f"/postings/{first}", f"/postings/{by_hand}", f"/applications/{made.id}", f"/companies/{company}"]
    return [
        *plain,
        *of_one,
        "/sources?platform=SARAMIN",
        "/operations",
        "/criteria?synonyms=공고",
        "/nothing",
        "/sign-in",
    ]


@pytest.mark.parametrize("way", [way for way in WAYS if way.script], ids=str)
async def test_an_accessibility_engine_finds_no_serious_fault_on_any_page(
    db: Database, serve: Serve, clock: ManualClock, sqlite_only: None, way: Way
) -> None:
    from axe_playwright_python.async_playwright import Axe

    paths = await a_full_world(db, clock)
    found: dict[str, Any] = {}
    async with opened_tab(await origin_of(serve, db), way) as tab:
        for path in paths:
            await tab.open(path)
            # Closed parts hold half of the forms.
            await tab.page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
            results = await Axe().run(tab.page)
            serious = [
                (one["id"], one["nodes"][0]["html"], one["nodes"][0]["failureSummary"])
                for one in results.response["violations"]
                if one["impact"] in ("serious", "critical", "moderate")
            ]
            if serious:
                found[path] = serious
            assert not await tab.is_too_wide(), f"{path} is wider than the window"
            assert len(tab.requests) <= 20, path
    assert found == {}


@pytest.mark.parametrize("way", WAYS[:1], ids=str)
async def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    db: Database, serve: Serve, clock: ManualClock, sqlite_only: None, way: Way
) -> None:
    await a_full_world(db, clock)
    async with opened_tab(await origin_of(serve, db), way) as tab:
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
    listed = await list_postings(db, PostingFilter(), size=1)
    assert listed.total_count == 47
