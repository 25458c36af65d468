"""The first page: the way to a first posting, news since the last visit, what closes soon, the machine's work."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.application.actions import add_interview, apply_for_posting
from daemon.clock import ManualClock
from daemon.company.actions import register_aggregator_source
from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.flags.actions import list_flags
from daemon.matching.actions.criteria import add_keyword_group
from daemon.sources.model import Platform
from daemon.web.page.today import last_visit
from daemon.web.page.visit import VISIT_COOKIE
from tests.db.test_posting_views import add_result
from tests.engines import DAY, add_source, newest
from tests.page.conftest import Browse
from tests.postings import add_posting

HOUR = timedelta(hours=1)


async def test_who_begins_is_led_step_by_step_to_the_first_posting(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.open("/")
    assert len(page.texts(".steps > li")) == 4
    assert page.tree.css(".steps .ready") == []
    page = await browser.fill(page, "/begin")
    assert all(flag.enabled != flag.flag_key.is_taste for flag in await list_flags(db))
    assert [text.split(" 됐습니다")[0] for text in page.texts(".steps .ready h3")] == ["기능 켜기"]
    assert {"/sources", "/companies/new"} <= set(page.hrefs(".steps a"))
    source = await register_aggregator_source(db, Platform.SARAMIN, "84")
    await add_keyword_group(db, "백엔드", ["백엔드"])
    assert len((await browser.open("/")).texts(".steps .ready")) == 3
    await add_source(db, Platform.GREENHOUSE, "daangn")
    await add_posting(db, (await newest(db, job_sources))["company_id"], source)
    assert (await browser.open("/")).tree.css(".guide") == []


async def test_news_is_what_was_found_since_this_browser_was_here(
    db: Database, browse: Browse, clock: ManualClock
) -> None:
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]

    async def found(title: str) -> None:
        await add_result(db, await add_posting(db, company, source, title))

    browser = await browse(db)
    await found("첫째")
    clock.advance(HOUR)
    assert (await browser.open("/")).texts(".posting h3") == ["첫째"]
    clock.advance(3 * HOUR)
    await found("둘째")
    clock.advance(HOUR)
    assert (await browser.open("/")).texts(".posting h3") == ["둘째"]
    clock.advance(HOUR)
    page = await browser.open("/")
    assert page.texts(".posting h3") == ["둘째"], "loading it again keeps the news"
    assert page.text("#news .count") == "1"
    clock.advance(5 * HOUR)
    page = await browser.open("/")
    assert "새 공고는 없습니다" in page.texts(".nothing")[0]
    assert page.texts(".posting h3") == ["둘째", "첫째"], "what was found before is at hand"


@pytest.mark.parametrize("cookie", [None, "", "1.2.3", "x.y", "9999999999999.1", "-5.5", "99999999999.99999999999"])
def test_a_cookie_that_makes_no_sense_is_a_first_visit(cookie: str | None, clock: ManualClock) -> None:
    assert last_visit(cookie, clock.now()).since == clock.now() - DAY


async def test_the_week_shows_deadlines_that_concern_the_person_and_interviews(
    db: Database, browse: Browse, clock: ManualClock
) -> None:
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    matched = await add_posting(db, company, source, "맞는 것", deadline_at=clock.now() + 2 * DAY + 18 * HOUR)
    await add_result(db, matched)
    await add_posting(db, company, source, "안 맞는 것", deadline_at=clock.now() + 2 * DAY)
    await add_posting(db, company, None, "먼 것", deadline_at=clock.now() + 7 * DAY)
    made = await apply_for_posting(db, matched, None, None)
    await add_interview(db, made.id, 1, "기술면접", clock.now() + 3 * DAY + 14 * HOUR)
    await add_interview(db, made.id, 2, "먼 면접", clock.now() + 9 * DAY)
    page = await (await browse(db)).open("/")
    days = page.texts(".week > li")
    assert [day.partition(")")[0] + ")" for day in days[:2]] == ["12월 1일 (화)", "12월 2일 (수)"]
    assert len(days) == 7
    assert "맞는 것" in days[2]
    assert "18:00" in days[2]
    assert "지원함" in days[2]
    assert "안 맞는 것" not in page.source
    assert "먼 것" not in page.text(".week")
    (interview,) = page.texts("section[aria-labelledby=interviews] li")
    assert interview.startswith("12월 4일 (금) 14:00 · ")
    assert interview.endswith(" · 기술면접")
    assert "먼 면접" not in page.source


async def test_the_work_of_the_day_is_one_honest_line(db: Database, browse: Browse) -> None:
    await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    browser = await browse(db)
    assert browser.client.session.cookie_jar.filter_cookies(browser.client.make_url("/")).get(VISIT_COOKIE) is None
    page = await browser.open("/")
    line = page.text(".front .line")
    assert line.startswith("소스 1곳 중 0곳 수집 완료 · 1곳 대기 · 새 공고 0건")
    assert line.endswith("09:00 기록 전")
    assert page.text("h1") == "2026년 12월 1일 화요일"
