"""The three HTML sites: rows beside advertisements, words for deadlines, bytes under a wrong label, lying numbers."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from daemon.demo.exchange import Answer, Ask
from daemon.demo.sites import SITES
from daemon.demo.world import Day, Posting, Trait, World
from daemon.sources.model import Platform

_P = Platform
SARAMIN = "/zf_user/jobs/list/job-category?cat_kewd=84&page_count=100&page="
JOBKOREA = "/recruit/joblist?menucode=duty&dutyCtgr=10031"


def ask(day: Day, platform: Platform, target: str) -> Answer:
    """The answer of a site to `target` (path and query)."""
    parts = urlsplit(target)
    made = Ask(path=parts.path, query=tuple(parse_qsl(parts.query)))
    site = SITES[platform]
    return site.render(made, site.locate(made), day, ())


def tree(day: Day, platform: Platform, target: str) -> LexborHTMLParser:
    answer = ask(day, platform, target)
    assert answer.status == 200
    return LexborHTMLParser(answer.body.decode("cp949" if platform is _P.INCRUIT else "utf-8"))


def listed(day: Day, platform: Platform, code: str) -> tuple[Posting, ...]:
    return day.listed(platform, code) or ()


@pytest.fixture
def today(world: World) -> Day:
    return world.on(world.day_number(2))


def row_ids(page: LexborHTMLParser) -> list[str]:
    return [str(row.attributes["id"]).removeprefix("rec-") for row in page.css("section.list_recruiting div.list_item")]


def test_saramin_lists_100_rows_a_page_over_27_pages_and_declares_the_total_with_a_comma(today: Day) -> None:
    pages = [tree(today, _P.SARAMIN, f"{SARAMIN}{number}") for number in range(1, 28)]
    ids = [found for page in pages for found in row_ids(page)]
    postings = listed(today, _P.SARAMIN, "84")
    assert ids == [one.site_id for one in postings]
    total = pages[0].css_first(".total_count em")
    assert total is not None
    assert total.text() == f"{len(postings):,}"


def test_saramin_repeats_page_1_past_its_end(today: Day) -> None:
    assert row_ids(tree(today, _P.SARAMIN, f"{SARAMIN}99")) == row_ids(tree(today, _P.SARAMIN, f"{SARAMIN}1"))


def test_saramin_advertises_postings_of_the_list_under_other_words_on_page_1_only(today: Day) -> None:
    first, second = (tree(today, _P.SARAMIN, f"{SARAMIN}{number}") for number in (1, 2))
    ads = first.css("ul.list_product li[id*=_link_]")
    titles = {one.site_id: one.title for one in listed(today, _P.SARAMIN, "84")}
    assert len(ads) == 5
    for ad in ads:
        heading = ad.css_first("strong.tit")
        assert heading is not None
        assert heading.text() != titles[str(ad.attributes["id"]).rpartition("_")[2]]
    assert second.css("ul.list_product") == []
    html = ask(today, _P.SARAMIN, f"{SARAMIN}1").body.decode()
    assert html.index("list_product") < html.index('class="list_recruiting"')


def test_saramin_escapes_the_title_attribute_twice_and_the_text_once(today: Day) -> None:
    html = "".join(ask(today, _P.SARAMIN, f"{SARAMIN}{number}").body.decode() for number in range(1, 28))
    assert "<span>R&amp;D  백엔드 개발자 (C++ &amp; &lt;임베디드&gt;)" in html
    assert 'title="R&amp;amp;D  백엔드 개발자 (C++ &amp;amp; &amp;lt;임베디드&amp;gt;)' in html


def test_saramin_shows_a_company_without_a_page_in_a_bare_span(today: Day) -> None:
    bare = {one.site_id for one in listed(today, _P.SARAMIN, "84")[:100] if one.has(Trait.NO_COMPANY_PAGE)}
    assert bare
    for row in tree(today, _P.SARAMIN, f"{SARAMIN}1").css("div.list_item"):
        company = row.css_first(".company_nm .str_tit")
        assert company is not None
        assert (company.tag == "span") == (str(row.attributes["id"]).removeprefix("rec-") in bare)


def test_saramin_words_a_deadline_by_the_days_that_are_left(today: Day) -> None:
    words: dict[int | None, set[str]] = {}
    by_id = {one.site_id: one for one in listed(today, _P.SARAMIN, "92")}
    for number in range(1, 5):
        for row in tree(today, _P.SARAMIN, f"{SARAMIN.replace('84', '92')}{number}").css("div.list_item"):
            date = row.css_first(".support_detail .date")
            assert date is not None
            left = by_id[str(row.attributes["id"]).removeprefix("rec-")].days_left
            words.setdefault(left if left is None or left < 8 else 8, set()).add(date.text())
    assert words[None] == {"채용시", "상시채용"}
    assert words[0] == {"오늘마감"}
    assert words[1] <= {"D-1", "내일마감"}
    assert words[3] == {"D-3"}
    assert all(re.fullmatch(r"~\d\d\.\d\d\([월화수목금토일]\)", word) for word in words[8])


def test_saramin_ages_differ_from_day_to_day_in_the_class_named_deadlines(world: World) -> None:
    def ages(number: int) -> dict[str, str]:
        page = tree(world.on(world.day_number(number)), _P.SARAMIN, f"{SARAMIN}1")
        return {row.id or "": row.css(".deadlines")[0].text() for row in page.css("div.list_item")}

    before, after = ages(1), ages(2)
    shared = before.keys() & after.keys()
    assert shared
    assert any(before[key] != after[key] for key in shared)
    assert all(re.fullmatch(r"\d+(일|시간) 전 (등록|수정)", age) for age in after.values())


def test_saramin_pager_has_buttons_without_links_and_none_beyond_the_last_page(today: Day) -> None:
    middle, last = (tree(today, _P.SARAMIN, f"{SARAMIN}{number}") for number in (11, 27))
    assert middle.css(".PageBox a") == []
    assert [button.attributes["page"] for button in middle.css(".PageBox button[page]")][:2] == ["12", "13"]
    assert middle.css_first(".PageBox .BtnNext") is not None
    assert last.css_first(".PageBox .BtnNext") is None
    assert "cat_kewd=84" in str(middle.css(".PageBox button")[0].attributes["onclick"])


def test_saramin_texts_come_by_a_second_request_and_some_are_one_image(today: Day) -> None:
    postings = listed(today, _P.SARAMIN, "84")
    worded = next(one for one in postings if not one.has(Trait.IMAGE_ONLY))
    pictured = next(one for one in postings if one.has(Trait.IMAGE_ONLY))
    path = "/zf_user/jobs/relay/view-detail?rec_seq=0&rec_idx="
    shell = ask(today, _P.SARAMIN, f"/zf_user/jobs/relay/view?rec_idx={worded.site_id}").body.decode()
    assert worded.body.tasks[0] not in shell
    assert worded.body.tasks[0] in ask(today, _P.SARAMIN, f"{path}{worded.site_id}").body.decode()
    assert "<img" in ask(today, _P.SARAMIN, f"{path}{pictured.site_id}").body.decode()
    assert ask(today, _P.SARAMIN, f"{path}1").status == 404


def test_jobkorea_lists_40_rows_of_a_larger_total_and_ignores_the_page(today: Day) -> None:
    first = ask(today, _P.JOBKOREA, JOBKOREA)
    page = LexborHTMLParser(first.body.decode())
    postings = listed(today, _P.JOBKOREA, "10031")
    rows = page.css("tr.devloopArea")
    assert [row.attributes["data-gno"] for row in rows] == [one.site_id for one in postings[:40]]
    assert page.css("#hdnGICnt")[0].attributes["value"] == f" {len(postings):,}"
    assert len(postings) > 40
    assert ask(today, _P.JOBKOREA, f"{JOBKOREA}&Page=2").body == first.body
    assert ask(today, _P.JOBKOREA, "/recruit/_GI_List?Page=2").status == 404


def test_jobkorea_lists_everything_when_the_category_parameter_is_misspelt(today: Day) -> None:
    page = tree(today, _P.JOBKOREA, "/recruit/joblist?menucode=duty&duty=10031")
    total = int(str(page.css("#hdnGICnt")[0].attributes["value"]).replace(",", ""))
    assert total > len(listed(today, _P.JOBKOREA, "10031"))


def test_jobkorea_rows_carry_dates_with_year_and_a_larger_legacy_number(today: Day) -> None:
    by_id = {one.site_id: one for one in listed(today, _P.JOBKOREA, "10031")}
    for row in tree(today, _P.JOBKOREA, JOBKOREA).css("tr.devloopArea"):
        braze = str(row.css("button[data-brazeinfo]")[0].attributes["data-brazeinfo"]).split("|")
        number, legacy, opened, closes = braze[-6:-2]
        one = by_id[number]
        assert opened == one.listing.posted.isoformat()
        assert closes == (one.last_day.isoformat() if one.last_day else "2070-01-01")
        assert len(number) == len(legacy) == 8
        assert int(legacy) > int(number)
        assert str(row.attributes["data-info"]).startswith(f" {number}|{legacy}|")
        # The preview button repeats the number: who counts these counts every posting twice.
        assert len(row.css("[data-gno]")) == 2


def test_jobkorea_json_ld_names_the_posting_by_an_object_and_says_nothing_of_its_text(today: Day) -> None:
    dated, open_ended = (
        next(one for one in listed(today, _P.JOBKOREA, "10031") if (one.deadline is None) == endless)
        for endless in (False, True)
    )
    found = {}
    for one in (dated, open_ended):
        page = tree(today, _P.JOBKOREA, f"/Recruit/GI_Read/{one.site_id}")
        found[one.site_id] = json.loads(page.css('script[type="application/ld+json"]')[0].text())
        assert page.css("iframe") == []
    assert found[dated.site_id]["identifier"]["value"] == dated.site_id
    assert found[dated.site_id]["validThrough"] == f"{dated.last_day}T23:59"
    assert found[open_ended.site_id]["validThrough"][:4] == str(open_ended.listing.posted.year + 1)
    assert dated.body.tasks[0] not in found[dated.site_id]["description"]
    frame = ask(today, _P.JOBKOREA, f"/Recruit/GI_Read_Comt_Ifrm?Gno={dated.site_id}").body.decode()
    assert dated.body.tasks[0] in frame


def test_jobkorea_answers_an_unknown_number_with_200_and_its_home_page(today: Day) -> None:
    page = tree(today, _P.JOBKOREA, "/Recruit/GI_Read/51671903")
    assert page.css('link[rel="canonical"]')[0].attributes["href"] == "https://www.jobkorea.co.kr/"
    assert json.loads(page.css('script[type="application/ld+json"]')[0].text())["@type"] == "Organization"


@pytest.mark.parametrize("slug", ["khmc", "wooribank"])
def test_incruit_sends_cp949_under_an_euc_kr_label_in_a_template_of_each_company(today: Day, slug: str) -> None:
    answer = ask(today, _P.INCRUIT, f"/{slug}/job/")
    text = answer.body.decode("cp949")
    postings = listed(today, _P.INCRUIT, slug)
    assert answer.content_type == "text/html; charset=euc-kr"
    assert "charset=euc-kr" in text
    with pytest.raises(UnicodeDecodeError):
        answer.body.decode("utf-8")
    assert re.findall(rf'href="//recruit\.incruit\.com/{slug}/job/(\d{{10}})"', text) == [
        one.site_id for one in postings
    ]
    assert ("inner-box" in text) == (slug == "khmc")


def test_incruit_titles_have_syllables_that_strict_euc_kr_cannot_decode(today: Day) -> None:
    body = ask(today, _P.INCRUIT, "/khmc/job/").body
    assert "뷁·똠·펲시드" in body.decode("cp949")
    with pytest.raises(UnicodeDecodeError):
        body.decode("euc-kr")


def test_incruit_periods_have_no_blank_round_the_tilde_and_keep_the_hour(today: Day) -> None:
    periods = [node.text() for node in tree(today, _P.INCRUIT, "/khmc/job/").css("em.date")]
    assert all(re.fullmatch(r"\d{4}\.\d\d\.\d\d 00:00~\d{4}\.\d\d\.\d\d \d\d:\d\d", period) for period in periods)
    assert {period[-5:] for period in periods} >= {"23:59", "18:00", "15:00"}


def test_incruit_calls_a_closed_posting_closed_while_it_still_lists_it(world: World) -> None:
    states = [
        [node.text() for node in tree(world.on(world.day_number(number)), _P.INCRUIT, "/khmc/job/").css("span.state")]
        for number in (2, 3)
    ]
    assert [found.count("마감") for found in states] == [1, 0]


def test_incruit_restricts_postings_by_redirect_or_by_the_login_form_but_every_page_links_to_the_login(
    today: Day,
) -> None:
    restricted = {
        trait: next(one for one in listed(today, _P.INCRUIT, slug) if one.has(trait))
        for slug, trait in (("khmc", Trait.LOGIN_REDIRECT), ("wooribank", Trait.LOGIN_FORM))
    }
    usual = next(one for one in listed(today, _P.INCRUIT, "khmc") if not one.listing.traits)
    away = ask(today, _P.INCRUIT, f"/khmc/job/{restricted[Trait.LOGIN_REDIRECT].site_id}")
    form = ask(today, _P.INCRUIT, f"/wooribank/job/{restricted[Trait.LOGIN_FORM].site_id}")
    page = ask(today, _P.INCRUIT, f"/khmc/job/{usual.site_id}")
    assert away.status == 302
    assert dict(away.headers)["Location"].startswith("https://edit.incruit.com/login/login.asp")
    assert b"txtUserID" in form.body
    assert b"login.asp" in page.body
    assert b"txtUserID" not in page.body


def test_incruit_has_a_landing_page_and_404_for_a_company_or_a_posting_that_it_has_not(today: Day) -> None:
    assert "채용공고 보기" in ask(today, _P.INCRUIT, "/khmc/").body.decode("cp949")
    assert b"/khmc/job/2" not in ask(today, _P.INCRUIT, "/khmc/").body
    assert ask(today, _P.INCRUIT, "/nobody/job/").status == 404
    assert ask(today, _P.INCRUIT, "/khmc/job/1111111111").status == 404


def test_deadlines_without_a_year_cross_into_the_next_one(today: Day) -> None:
    later = [one for one in listed(today, _P.SARAMIN, "84") if one.last_day and one.last_day.year > today.date.year]
    assert later
    assert all((one.last_day or today.date) - today.date < timedelta(days=100) for one in later)
