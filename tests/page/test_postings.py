"""Postings in a browser without script: lists, filters, one posting, applied with one click, entered by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.application.actions import apply_for_posting
from daemon.clock import ManualClock
from daemon.company.model import CompanyOrigin
from daemon.company.tables import companies, job_sources
from daemon.db import Database, transaction
from daemon.matching.actions.evaluation import re_evaluate
from daemon.matching.model import Confidence
from daemon.operations.postings.store import listing
from daemon.posting.store import save_descriptions
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from daemon.web.page import postings
from tests.db.judged import add_criteria
from tests.db.test_posting_views import add_evidence, add_result
from tests.engines import DAY, add_source, keyed, newest
from tests.page.conftest import Browse
from tests.postings import add_company, add_posting


@pytest.fixture
async def daangn(db: Database) -> tuple[int, int]:
    """A watched company and its board."""
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    return (await newest(db, job_sources))["company_id"], source


async def test_a_list_shows_company_title_deadline_and_badges(
    db: Database, browse: Browse, daangn: tuple[int, int], clock: ManualClock
) -> None:
    posting = await add_posting(
        db, *daangn, deadline_at=clock.now() + 2 * DAY, changed_at=clock.now(), access_restricted=1
    )
    await add_result(db, posting, top=Confidence.LIKELY)
    await add_evidence(db, posting, "재택근무", Confidence.LIKELY, "주 2회 재택근무")
    await add_posting(db, *daangn, "디자이너", posting_status="CLOSED", closed_reason="NOT_FOUND_TWICE")
    page = await (await browse(db)).open("/postings")
    assert page.texts(".count[role=status]") == ["모두 2건"]
    closed, row = page.texts(".posting")
    assert "마감 · 두 번 연속 보이지 않음" in closed
    for told in ("백엔드 개발자", "D-2", "재택근무 · 유력", "수정됨", "로그인 필요", "Greenhouse", "오늘 00:00 발견"):
        assert told in row, told
    assert f"/postings/{posting}" in page.hrefs(".posting h3 a")
    assert page.actions().count(f"/postings/{posting}/apply") == 1


async def test_filters_come_from_the_address_and_stand_in_the_form(
    db: Database, browse: Browse, daangn: tuple[int, int], clock: ManualClock
) -> None:
    soon = await add_posting(db, *daangn, deadline_at=clock.now() + 3 * DAY)
    late = await add_posting(db, *daangn, "데이터 엔지니어", deadline_at=clock.now() + 20 * DAY)
    other = await add_posting(db, await add_company(db, "발견", CompanyOrigin.DISCOVERED), None, "기획자")
    await add_result(db, late)
    browser = await browse(db)

    async def shown(query: str) -> list[str]:
        return [href.rpartition("/")[2] for href in (await browser.open(f"/postings?{query}")).hrefs(".posting h3 a")]

    assert await shown("sort=DEADLINE") == [str(soon), str(late), str(other)]
    assert await shown("within=week") == [str(soon)]
    assert await shown("matched=1") == [str(late)]
    assert await shown("place=hand") == [str(other)]
    assert await shown("watched=1&q=엔지니어") == [str(late)]
    assert await shown("status=CLOSED") == []
    # What no form of ours can ask for is as good as not asked.
    assert len(await shown("sort=TITLE&page=x&within=year&status=GONE&q=")) == 3
    form = (await browser.open("/postings?within=week&matched=1&q=백엔드")).tree.css("form.filters")[0]
    assert [node.attributes["value"] for node in form.css("option[selected]")] == ["DISCOVERED", "week"]
    assert [node.attributes["name"] for node in form.css("input[checked]")] == ["matched"]


async def test_a_long_list_is_paged_and_keeps_what_was_asked(
    db: Database, browse: Browse, daangn: tuple[int, int]
) -> None:
    for number in range(43):
        await add_posting(db, *daangn, f"백엔드 {number}")
    browser = await browse(db)
    page = await browser.open("/postings?q=백엔드&sort=DEADLINE")
    assert len(page.hrefs(".posting h3 a")) == 40
    (after,) = page.hrefs(".pager a[rel=next]")
    page = await browser.open(f"/postings{after.removeprefix('/postings')}")
    assert len(page.hrefs(".posting h3 a")) == 3
    assert page.text(".pager span") == "2쪽 중 2쪽"
    assert [node.attributes["value"] for node in page.tree.css("#q")] == ["백엔드"]


async def test_words_are_looked_for_in_the_latest_postings_and_then_in_those_before(
    db: Database, browse: Browse, daangn: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "SEARCHED", 4)
    ids = [
        await add_posting(db, *daangn, f"{'백엔드' if number % 3 else '프론트엔드'} {number}") for number in range(10)
    ]
    browser = await browse(db)
    looked: list[list[str]] = []
    path = "/postings?q=프론트&status=OPEN"
    while True:
        page = await browser.open(path)
        looked.append([href.rpartition("/")[2] for href in page.hrefs(".posting h3 a")])
        earlier = page.hrefs("main p.nothing a")
        if not earlier:
            break
        assert page.text("p.count") == f"찾아본 공고 가운데 {len(looked[-1])}건"
        (path,) = earlier
        assert "status=OPEN" in path
    assert looked == [[str(ids[9]), str(ids[6])], [str(ids[3])], [str(ids[0])]]
    # Another order, a company's own list, and a list without words.
    assert len((await browser.open("/postings?q=백엔드&sort=DEADLINE")).hrefs(".posting h3 a")) == 2
    assert len((await browser.open(f"/companies/{daangn[0]}?q=프론트")).hrefs(".posting h3 a")) == 4
    assert (await browser.open("/postings?before=3")).text("p.count") == "모두 10건"
    page = await browser.open("/postings?q=없는말")
    assert (page.hrefs(".posting h3 a"), page.text("p.count")) == ([], "찾아본 공고 가운데 0건")
    assert (await browser.open("/postings?q=없는말&before=3")).text(".nothing").startswith("이런 공고가 없습니다.")


async def test_a_list_too_long_to_be_counted_is_paged_to_its_end_all_the_same(
    db: Database, browse: Browse, daangn: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "COUNTED", 41)
    for number in range(83):
        await add_posting(db, *daangn, f"백엔드 {number}")
    browser = await browse(db)
    address, shown, steps = "/postings", [], []
    while True:
        page = await browser.open(address)
        shown += page.hrefs(".posting h3 a")
        steps.append((page.text(".count[role=status]"), page.text(".pager span")))
        if not (after := page.hrefs(".pager a[rel=next]")):
            break
        address = after[0]
    assert len(set(shown)) == len(shown) == 83
    assert steps == [("41건 넘게 있음", f"{number}쪽") for number in (1, 2, 3)]


async def test_a_posting_shows_its_text_with_the_sentence_and_the_words_marked(
    db: Database, browse: Browse, daangn: tuple[int, int]
) -> None:
    await add_criteria(db)
    posting = await add_posting(db, *daangn, "Senior BackEnd Engineer")
    body = "우리는\n주 2회\n재택근무 가능합니다.\n함께해요"
    await transaction(db, save_descriptions, {posting: body}, db.clock.now())
    await re_evaluate(db)
    page = await (await browse(db)).open(f"/postings/{posting}")
    assert page.texts("h1 mark") == ["BackEnd"]
    assert "재택근무" in page.text(".body mark")
    assert "".join(node.text() for node in page.tree.css(".body")) == body
    assert page.texts(".evidence .badge") == ["재택근무 · 유력"]


async def test_the_story_of_a_posting_is_told_last_thing_first(
    db: Database, browse: Browse, daangn: tuple[int, int], clock: ManualClock
) -> None:
    posting = await add_posting(
        db,
        *daangn,
        first_seen_at=clock.now() - 9 * DAY,
        last_seen_at=clock.now() - DAY,
        changed_at=clock.now() - 5 * DAY,
        posting_status="CLOSED",
        closed_reason="DEADLINE_PASSED",
        closed_at=clock.now(),
    )
    page = await (await browse(db)).open(f"/postings/{posting}")
    assert page.texts(".story li span") == ["마감일이 지나 마감", "마지막으로 확인", "수정을 알아챔", "처음 찾음"]


async def test_one_click_records_an_application_and_a_second_one_leads_to_it(
    db: Database, browse: Browse, daangn: tuple[int, int]
) -> None:
    posting = await add_posting(db, *daangn)
    browser = await browse(db)
    page = await browser.open(f"/postings/{posting}")
    made = await browser.fill(page, f"/postings/{posting}/apply")
    assert made.path.startswith("/applications/")
    assert made.texts(".told") == ["지원을 기록했습니다."]
    again = await browser.fill(page, f"/postings/{posting}/apply")
    assert again.status == 409
    assert again.texts(".told") == ["이미 지원한 공고입니다. 보러 가기"]
    assert again.hrefs(".told a") == [made.path]
    assert again.actions().count(f"/postings/{posting}/apply") == 0


async def test_a_posting_entered_by_hand_is_shown_and_corrected(
    db: Database, browse: Browse, daangn: tuple[int, int]
) -> None:
    company = (await newest(db, companies))["name"]
    browser = await browse(db)
    page = await browser.open("/postings/new")
    values = {"company": company, "title": "서버 개발자", "posting_url": "https://example.com/9"}
    page = await browser.fill(page, "/postings/new", **values, deadline_at="2026-12-24T18:00")
    assert page.text("h1") == "서버 개발자"
    assert "12월 24일 (목) 18:00" in page.text(".posting-head")
    edit = page.path + "/edit"
    assert page.form(edit)["deadline_at"] == "2026-12-24T18:00"
    stale = page
    page = await browser.fill(page, edit, title="서버 개발자 (시니어)", deadline_at="")
    assert (page.text("h1"), page.text(".posting-head .due")) == ("서버 개발자 (시니어)", "상시채용")
    late = await browser.fill(stale, edit, title="다른 제목")
    assert late.status == 409
    assert "그 사이에 내용이 바뀌었습니다" in late.text(".told")
    assert (late.text("h1"), late.form(edit)["title"]) == ("서버 개발자 (시니어)", "다른 제목")
    saved = await browser.fill(late, edit)
    assert saved.text("h1") == "다른 제목"


async def test_what_is_wrong_with_a_form_is_said_and_what_was_entered_stays(
    db: Database, browse: Browse, daangn: tuple[int, int]
) -> None:
    await add_company(db, "토스")
    browser = await browse(db)
    page = await browser.open("/postings/new")
    good = {"company": "토스", "title": "서버", "posting_url": "https://example.com/9"}
    for wrong, told in (
        ({"title": " "}, "‘제목’ 칸을 채우고"),
        ({"title": "x" * 501}, "‘제목’ 칸의 글이 너무 깁니다"),
        ({"posting_url": "javascript:alert(1)"}, "‘공고 주소’ 칸의 값을 쓸 수 없습니다"),
        ({"deadline_at": "내일"}, "‘마감 (한국 시간)’ 칸에 날짜와 시각을"),
        ({"deadline_at": "2026-02-30T10:00"}, "‘마감 (한국 시간)’ 칸에 날짜와 시각을"),
        ({"company": "없는 회사"}, "‘없는 회사’(이)라는 회사가 없습니다"),
    ):
        refused = await browser.fill(page, "/postings/new", **good | wrong)
        assert refused.status == 422, wrong
        assert told in refused.text(".told[role=alert]")
        assert refused.form("/postings/new") == good | {"deadline_at": ""} | wrong
    assert await keyed(db, job_postings, "id") == {}


async def test_an_application_for_a_posting_stands_in_its_list(
    db: Database, browse: Browse, daangn: tuple[int, int]
) -> None:
    posting = await add_posting(db, *daangn)
    made = await apply_for_posting(db, posting, db.clock.now() - timedelta(hours=1), None)
    page = await (await browse(db)).open(f"/companies/{daangn[0]}")
    assert page.hrefs(".posting .badge") == [f"/applications/{made.id}"]
    assert page.tree.css(f'form[action="/postings/{posting}/apply"]') == []


async def test_a_list_says_whether_there_is_nothing_yet_or_nothing_like_that(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    assert (await browser.open("/postings?sort=DEADLINE&q=")).texts(".nothing") == ["아직 모은 공고가 없습니다."]
    for query in ("q=x", "status=OPEN", "matched=1", "within=week", "place=hand", "watched=1", "arranged=1"):
        (told,) = (await browser.open(f"/postings?{query}")).texts(".nothing")
        assert told.startswith("이런 공고가 없습니다."), query
