"""What a person does every day, in a real browser: reading the news, sifting postings, applying, minding the machine.

Each flow in each way: phone and desktop, Korean and English, with and without script, light and dark.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.application.actions import transit_application
from daemon.application.model import ApplicationStatus
from daemon.clock import ManualClock
from daemon.company.actions import list_sources
from daemon.db import Database
from daemon.flags.actions import list_flags
from daemon.matching.actions.criteria import current_criteria
from daemon.matching.actions.evaluation import re_evaluate
from tests.page.browser.chromium import Way
from tests.page.browser.conftest import Visit
from tests.page.browser.world import live_in
from tests.postings import add_posting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_morning_begins_with_what_is_new_and_what_is_wrong(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    world = await live_in(db, clock)
    tab = await visit(way)
    await tab.open("/")
    assert tab.says("소스 6곳 중 2곳 수집 완료", "collected: 2 of 6") in await tab.text(".front .line")
    assert tab.says("09:00에 1곳이 늦음", "1 late at 09:00") in await tab.text(".front .line")
    trouble = await tab.texts(".trouble li")
    assert [line.partition(" ·")[0] for line in trouble] == [
        tab.says("우아한형제들 (배민 woowahan)", "우아한형제들 (Woowahan woowahan)"),
        tab.says("원티드 개발", "Wanted 개발"),
    ]
    assert tab.says("사이트가 거절했습니다", "The site refuses") in trouble[0]
    assert "결제 서버 백엔드 개발자 (Kotlin)" in await tab.texts(".posting h3")
    assert "14:00" in await tab.text("section[aria-labelledby=interviews] li")
    assert await tab.css(".week > li").count() == 7
    # Away for a night: what was found meanwhile is news, and nothing else.
    clock.advance(timedelta(hours=12))
    await tab.open("/operations")
    await add_posting(db, world.daangn, world.board, "백엔드 개발자 (밤새)")
    await re_evaluate(db)
    clock.advance(timedelta(hours=1))
    await tab.open("/")
    assert await tab.texts(".posting h3") == ["백엔드 개발자 (밤새)"]
    await tab.press(".week a >> nth=0")
    assert (await tab.path()).startswith("/postings")


async def test_postings_are_sifted_read_and_entered_by_hand(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    world = await live_in(db, clock)
    tab = await visit(way)
    await tab.open("/postings")
    assert await tab.css(".posting").count() == 40
    await tab.press(".pager a[rel=next]")
    assert await tab.css(".pager a[rel=prev]").count() == 1
    await tab.page.fill("#q", "결제 서버")
    await tab.press(".filters button")
    assert await tab.css(".posting").count() == 1
    badges = await tab.texts(".posting .badge")
    assert badges[0] == "백엔드"
    for badge in (tab.says("재택근무 · 유력", "재택근무 · likely"), tab.says("수정됨", "changed")):
        assert badge in badges, badge
    assert tab.says("2곳에 게재", "in 2 places") in badges
    await tab.press(".posting h3 a")
    assert await tab.texts("h1 mark") == ["백엔드 개발자"]
    assert await tab.texts(".body mark") == ["주 2회 재택근무가 가능합니다."]
    assert len(await tab.texts("section[aria-labelledby=places] li")) == 2
    assert await tab.css(".story li").count() == 3
    await tab.open("/postings?status=CLOSED")
    assert tab.says("마감 · 두 번 연속 보이지 않음", "closed · not found twice") in await tab.texts(".posting .badge")
    await tab.open("/postings")
    await tab.choose("#place", "hand", ".filters button")
    await tab.press(".posting h3 a")
    assert await tab.path() == f"/postings/{world.by_hand}"
    await tab.unfold("details:has(#title)")
    await tab.page.fill("#title", "지인이 알려 준 서버 개발자")
    await tab.press("form[action$='/edit']:has(#title) button")
    assert await tab.text("h1") == "지인이 알려 준 서버 개발자"
    await tab.open("/postings/new")
    await tab.page.fill("#company", "당근마켓")
    await tab.page.fill("#title", "직접 찾은 공고")
    await tab.page.fill("#posting_url", "https://example.com/found")
    await tab.press("main form button.main")
    assert tab.says("공고를 등록했습니다.", "The posting is entered.") == await tab.text(".told")
    await tab.press("form[action$='/apply'] button")
    assert (await tab.path()).startswith("/applications/")


async def test_applications_move_only_where_they_may_and_a_stale_window_is_told(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    world = await live_in(db, clock)
    tab = await visit(way)
    await tab.open("/applications")
    assert await tab.css(".board .card").count() == 6
    async with tab.page.expect_download() as waiting:
        await tab.page.get_by_role("link", name="CSV", exact=True).click()
    assert (await waiting.value).suggested_filename.endswith(".csv")
    await tab.open(f"/applications/{world.application}")
    assert (await tab.text(".track .here")).lower() == tab.says("면접 진행", "interviewing")
    assert len(await tab.texts(".story li")) == 3
    assert await tab.texts(".round h3 .badge") == [tab.says("합격", "passed")]
    # Another window, or the command line, is quicker.
    await transit_application(db, world.application, ApplicationStatus.OFFERED)
    await tab.page.fill("#memo", "그만두기로 함")
    await tab.press("form[action$='/move'] button[value=WITHDRAWN]")
    assert tab.says("그 사이에 상태가", "meanwhile") in await tab.text(".told.refused")
    assert await tab.page.input_value("#memo") == "그만두기로 함"
    assert await tab.css("form[action$='/move'] button[value=WITHDRAWN]").count() == 0
    await tab.press("form[action$='/move'] button[value=OFFER_DECLINED]")
    assert await tab.css("form[action$='/move']").count() == 0
    assert "그만두기로 함" in await tab.text(".story li >> nth=0")
    await tab.unfold(".round:has-text('문화면접') details")
    await tab.page.locator(".round:has-text('문화면접') select").select_option("FAILED")
    await tab.press(".round:has-text('문화면접') button")
    assert len(await tab.texts(".round h3 .badge")) == 2


async def test_companies_are_promoted_named_and_their_boards_stopped(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    world = await live_in(db, clock)
    tab = await visit(way)
    await tab.open("/companies")
    assert await tab.css(".rows > li").count() == 2
    await tab.press(".tabs a >> nth=1")
    await tab.press(f"form[action='/companies/{world.discovered}/promote'] button")
    assert await tab.path() == f"/companies/{world.discovered}"
    await tab.page.fill("#alias", "핀테크")
    await tab.press("form[action$='/aliases'] button")
    assert await tab.texts(".words bdi") == ["핀테크"]
    await tab.press(".words .x")
    assert await tab.css(".words bdi").count() == 0
    await tab.unfold("details.add")
    await tab.page.select_option("#platform", "INCRUIT")
    await tab.page.fill("#slug", "khmc")
    await tab.press("details.add button")
    assert await tab.css(".round").count() == 1
    await tab.press("form[action$='/sources/switch'] button")
    assert await tab.texts(".round h3 .badge") == [tab.says("멈춤", "disabled")]
    await tab.open(f"/companies/{world.daangn}")
    assert (await tab.texts(".round .state"))[0] == tab.says("완료", "complete")
    assert len(await tab.text(".round .terms")) > 30
    await tab.open("/sources")
    assert len(await tab.texts(".rows > li")) == 5
    await tab.choose("#platform", "JUMPIT", "form[action='/sources'][method=get] button")
    assert len(await tab.text(".terms")) > 30
    await tab.page.select_option("#category", index=2)
    await tab.press("form[action='/sources'][method=post] button.main")
    assert len(await list_sources(db)) == 9


async def test_criteria_show_what_would_be_gained_and_lost_before_they_are_saved(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    await live_in(db, clock)
    tab = await visit(way)
    await tab.open("/criteria")
    before = await current_criteria(db)
    await tab.page.fill("#synonyms", "기획자")
    if not tab.way.script:
        await tab.press("form[action='/criteria/groups'] button[formmethod=get]")
    await tab.css("#preview h3").wait_for()
    assert await tab.text("#preview h3") == tab.says("새로 맞는 공고 45건", "45 gained")
    await tab.press(".group a >> nth=1")
    assert tab.says("빠지는 공고 15건", "15 lost") in await tab.texts("#preview h3")
    await tab.page.fill("#exclusions-words", "데이터")
    await tab.page.locator("form[action='/criteria/exclusions'] button[formmethod=get]").click()
    await tab.css("#preview h3").wait_for()
    assert await tab.texts("#preview h3") == [tab.says("빠지는 공고 15건", "15 lost")]
    assert await current_criteria(db) == before
    await tab.press("form[action='/criteria/exclusions'] button >> nth=0")
    await tab.press("form[action='/criteria/remove'] button >> nth=0")
    after = await current_criteria(db)
    assert [each.keyword for each in after.exclusion_keywords] == ["신입", "데이터"]
    assert [each.display_name for each in after.keyword_groups] == ["데이터"]


async def test_the_machine_is_seen_at_work_and_its_functions_are_switched(
    db: Database, visit: Visit, clock: ManualClock, way: Way
) -> None:
    await live_in(db, clock)
    tab = await visit(way)
    await tab.open("/operations")
    states = await tab.texts("#today .state")
    assert states == [
        tab.says("완료", "complete"),
        tab.says("실패", "failed"),
        tab.says("수집 중", "collecting"),
        tab.says("대기", "waiting"),
        tab.says("실패", "failed"),
        tab.says("하루 한도까지", "day's limit"),
    ]
    assert await tab.css("svg.days").count() == 6
    assert tab.says("20일째", "day 20") in await tab.texts(".badge.seal")
    assert tab.says("소스 2곳 중 1곳이 늦었습니다", "sources late: 1 of 2") in await tab.text("#snapshot")
    assert await tab.css("table:has-text('08:30') .state").count() >= 6
    assert "www.saramin.co.kr" in await tab.text("section[aria-labelledby=hosts]")
    assert tab.says("09:00에 다시", "again at") in await tab.text("section[aria-labelledby=messages] tbody")
    await tab.press("form[action='/operations/flags'] button >> nth=0")
    assert [str(flag.flag_key) for flag in await list_flags(db) if not flag.enabled and not flag.flag_key.is_taste] == [
        "posting.auto-close"
    ]
    other = tab.says("English", "한국어")
    await tab.press(f"footer button:has-text('{other}')")
    assert await tab.text("h1") == tab.says("Operations", "운영")
    await tab.press("footer button[name=theme][value=dark]")
    assert await tab.page.evaluate("document.documentElement.dataset.theme") == "dark"
