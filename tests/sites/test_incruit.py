"""Incruit's company list and posting pages, in CP949."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.sources.model import (
    ChangeSignalKind,
    CollectionTarget,
    DetailUse,
    ListPage,
    Outcome,
    Platform,
    RawJobPosting,
    Unreadable,
)
from daemon.sources.rules import permitted_target
from daemon.sources.sites.incruit import ADAPTER
from tests.sites.answers import at, by_id, captured, own_html, page, refusal_of_detail, refusal_of_list, until

SEEN = at(2026, 10, 10)
COMPANY = CollectionTarget(job_source_id=1, platform=Platform.INCRUIT, slug="ddom")


def cp949(name: str) -> bytes:
    """A fixture of ours as the site sends it."""
    return own_html(name).encode("cp949")


def read(html: str | bytes) -> ListPage:
    return ADAPTER.parse_list(COMPANY, page(html, SEEN), None)


def listed() -> RawJobPosting:
    return by_id(read(own_html("incruit_list")))["2610080014"]


def detail(html: str | bytes, posting: RawJobPosting | None = None) -> RawJobPosting:
    return ADAPTER.parse_detail(page(html, SEEN), posting or listed())


class TestRequests:
    def test_the_list_is_below_the_companys_address_and_not_its_landing_page(self) -> None:
        assert ADAPTER.list_request(COMPANY, None).url == "https://recruit.incruit.com/ddom/job/"

    def test_every_posting_is_asked_for_and_keeps_the_policy(self) -> None:
        (request,) = ADAPTER.detail_requests(COMPANY, listed())
        assert request.url == "https://recruit.incruit.com/ddom/job/2610080014"
        for asked in (request, ADAPTER.list_request(COMPANY, None)):
            permitted_target(ADAPTER.capabilities.compliance, asked)
        assert ADAPTER.capabilities.detail_use is DetailUse.SIGNATURE
        assert ADAPTER.capabilities.change_signal_kind is ChangeSignalKind.DETAIL_BODY_HASH
        assert ADAPTER.capabilities.compliance.detail_request_limit_per_run == 200


class TestList:
    def test_titles_with_syllables_that_only_cp949_has_are_whole(self) -> None:
        """Failure path 8 of seed 001: an EUC-KR page gives no broken Korean."""
        found = by_id(read(cp949("incruit_list")))
        assert found["2610080014"].title == "똠얌 조리 연구원 [정규직] 채용"
        assert found["2610080012"].title == "펲 브랜드 매니저"
        assert found["2610080013"].title == "상시채용 인재풀"

    def test_bytes_and_label_may_disagree_without_changing_what_is_read(self) -> None:
        assert read(cp949("incruit_list")) == read(own_html("incruit_list"))
        labelled = page(cp949("incruit_list"), SEEN, content_type="text/html; charset=utf-8")
        assert ADAPTER.parse_list(COMPANY, labelled, None) == read(own_html("incruit_list"))

    def test_an_item_is_read_by_its_link_whatever_the_links_text(self) -> None:
        assert listed() == RawJobPosting(
            source_job_id="2610080014",
            title="똠얌 조리 연구원 [정규직] 채용",
            posting_url="https://recruit.incruit.com/ddom/job/2610080014",
            deadline_at=until(2026, 10, 18),
            signature=None,
        )

    def test_the_time_of_an_end_is_kept_and_what_has_no_period_has_no_deadline(self) -> None:
        found = by_id(read(own_html("incruit_list")))
        assert found["2610080012"].deadline_at == at(2026, 10, 16, 16)
        assert found["2610080013"].deadline_at is None
        assert found["2610080011"].deadline_at is None

    def test_an_item_that_says_it_is_closed_is_withdrawn(self) -> None:
        assert read(own_html("incruit_list")).withdrawn_ids == ("2609010001",)

    @pytest.mark.parametrize(
        "template",
        [
            "<ul>{}</ul>|<li><a href='//recruit.incruit.com/ddom/job/{n}'><strong class='title'>{t}</strong>"
            "<span class='day'><em>{p}</em></span></a></li>",
            "<table><tbody>{}</tbody></table>|<tr><td>1</td><td><a href='/ddom/job/{n}'>{t}</a></td><td>{p}</td></tr>",
            "<div>{}</div>|<div class='row'><h3>{t}</h3><p>{p}</p><p><a href='/ddom/job/{n}'>상세보기</a></p></div>",
            "<section>{}</section>|<article><a href='https://recruit.incruit.com/ddom/job/{n}'><img src=x></a>"
            "<p>{p}</p><a href='/ddom/job/{n}'>{t}</a></article>",
        ],
    )
    def test_a_posting_is_found_in_any_companys_template(self, template: str) -> None:
        around, item = template.split("|")
        items = "".join(
            item.format(n=f"261008000{n}", t=f"{n}기 연구원", p=f"2026.10.01 09:00~2026.10.{10 + n} 15:00")
            for n in range(3)
        )
        found = read(f"<ul><li><a href='/ddom/'>홈</a></li></ul>{around.format(items)}").postings
        assert [(p.source_job_id, p.title, p.deadline_at) for p in found] == [
            (f"261008000{n}", f"{n}기 연구원", at(2026, 10, 10 + n, 15)) for n in range(3)
        ]

    def test_links_to_another_companys_or_the_portals_postings_are_not_ours(self) -> None:
        html = own_html("incruit_list").replace(
            "//recruit.incruit.com/ddom/job/2610080014", "//recruit.incruit.com/other/job/2610080014"
        )
        html = html.replace("/ddom/job/2610080012/", "https://job.incruit.com/ddom/job/2610080012")
        assert set(by_id(read(html))) == {"2610080013", "2610080011"}

    def test_an_item_without_title_is_seen_but_malformed(self) -> None:
        html = own_html("incruit_list").replace('<span class="title">펲 브랜드 매니저</span>', "")
        assert read(html).skipped_ids == ("2610080012",)

    def test_an_item_without_link_makes_the_list_incomplete(self) -> None:
        html = own_html("incruit_list").replace('href="/ddom/job/2610080012/"', "href=\"javascript:go('2610080012')\"")
        assert read(html).unidentified == 1

    @pytest.mark.parametrize(
        "words", ["등록된 정보가 없습니다.", "등록된 채용공고가 없습니다.", "진행중인 채용공고가 없습니다."]
    )
    def test_a_list_that_says_there_is_nothing_is_complete(self, words: str) -> None:
        found = read(f"<html><body><div><p>{words}</p></div></body></html>".encode("cp949"))
        assert (found.postings, found.declared_total, found.next_cursor) == ((), 0, None)

    def test_such_words_in_a_script_say_nothing(self) -> None:
        html = "<body><script>var none = '등록된 정보가 없습니다.';</script><p>채용 안내</p></body>"
        assert refusal_of_list(ADAPTER, page(html, SEEN)).outcome is Outcome.LAYOUT_CHANGED

    def test_a_pager_is_followed_by_its_link_or_else_by_number(self) -> None:
        pager = "<p class='sqr_paging'><strong>1</strong><a href='{}'>2</a><a href='#'>3</a></p>"
        by_link = read(own_html("incruit_list") + pager.format("/ddom/job/?pageno=2"))
        by_script = read(own_html("incruit_list") + pager.format("#"))
        assert (by_link.next_cursor, by_script.next_cursor) == ("pageno=2", "page=2")
        assert ADAPTER.list_request(COMPANY, "pageno=2").url == "https://recruit.incruit.com/ddom/job/?pageno=2"
        assert (
            ADAPTER.parse_list(COMPANY, page(own_html("incruit_list") + pager.format("#"), SEEN), "page=3").next_cursor
            is None
        )

    def test_a_login_page_is_told_from_a_changed_layout(self) -> None:
        assert refusal_of_list(ADAPTER, page(cp949("incruit_login"), SEEN)).outcome is Outcome.LOGIN_REQUIRED


class TestPosting:
    def test_the_text_is_kept_without_surroundings_counters_and_the_recruiters_name(self) -> None:
        assert (detail(cp949("incruit_posting")).description_body or "").split("\n") == [
            "똠얌 조리 연구원 [정규직] 채용",
            "접수기간 2026.10.08 00:00 ~ 2026.10.18 18:00",
            "똠얌 소스를 연구합니다. 펲 브랜드와 함께 일합니다. 재택근무 가능.",
            "문의: 인사팀 담당자: , 02-000-0000",
            "담당자 확인 후 연락드립니다.",
        ]

    def test_the_signature_is_a_hash_of_that_text(self) -> None:
        html = own_html("incruit_posting")
        today = detail(html).signature
        tomorrow = (
            html.replace("D-8", "D-7")
            .replace("1,234", "1,250")
            .replace("1위 들판", "1위 바다")
            .replace("홍길동", "김영수")
        )
        assert detail(tomorrow.replace("\n", "\n   ")).signature == today
        assert detail(html.replace("재택근무 가능", "출근")).signature != today
        assert today is not None
        assert today.kind is ChangeSignalKind.DETAIL_BODY_HASH

    def test_what_the_list_said_stays(self) -> None:
        found = detail(own_html("incruit_posting"))
        assert replace(found, signature=None, description_body=None) == listed()
        undated = replace(listed(), deadline_at=None)
        assert detail(own_html("incruit_posting"), undated).deadline_at == at(2026, 10, 18, 18)

    def test_the_login_page_in_place_of_a_posting_means_restricted(self) -> None:
        assert detail(cp949("incruit_login")) == replace(listed(), access_restricted=True)
        plain = "<title>로그인</title><form><input name=id><input type=password name=pw></form>"
        assert detail(plain) == replace(listed(), access_restricted=True)
        at_its_address = page(own_html("incruit_login"), SEEN, url="https://recruit.incruit.com/ddom/job/2610080014")
        assert ADAPTER.parse_detail(at_its_address, listed()).access_restricted
        assert refusal_of_detail(ADAPTER, page(own_html("incruit_login"), SEEN)).outcome is Outcome.LOGIN_REQUIRED

    def test_a_link_to_the_login_page_proves_nothing(self) -> None:
        assert not detail(own_html("incruit_posting")).access_restricted

    def test_a_login_box_beside_the_posting_proves_nothing(self) -> None:
        box = own_html("incruit_login").split("<body>")[1].split("</body>")[0]
        html = own_html("incruit_posting").replace("<footer>", f"{box}<footer>")
        assert not detail(html).access_restricted

    def test_a_posting_that_is_gone_is_not_found(self) -> None:
        deleted = page("<body>삭제된 채용공고입니다.</body>", SEEN)
        assert refusal_of_detail(ADAPTER, deleted, listed()).outcome is Outcome.NOT_FOUND
        no_company = page("<p>요청하신 페이지가 존재하지 않습니다.</p>", SEEN)
        assert refusal_of_list(ADAPTER, no_company).outcome is Outcome.NOT_FOUND

    def test_a_page_of_another_posting_is_not_read_into_this_one(self) -> None:
        other = own_html("incruit_posting").replace(
            "<title>", '<link rel="canonical" href="https://recruit.incruit.com/ddom/job/2610080099"><title>'
        )
        assert refusal_of_detail(ADAPTER, page(other, SEEN), listed()).outcome is Outcome.LAYOUT_CHANGED

    def test_a_page_that_shows_nothing_of_the_posting_is_no_posting(self) -> None:
        with pytest.raises(Unreadable) as refused:
            detail("<body><h1>점검 안내</h1><p>시스템 점검 중입니다.</p></body>")
        assert refused.value.outcome is Outcome.LAYOUT_CHANGED


class TestCapturedAnswers:
    """Values read by eye from the captured pages."""

    def test_the_list_of_a_hospital(self) -> None:
        found = ADAPTER.parse_list(
            None, captured("incruit/recruit_khmc_job_list_2026-10_reduced_2of3.html", SEEN), None
        )
        assert [(p.source_job_id, p.title, p.deadline_at, p.posting_url) for p in found.postings] == [
            (
                "2610080014",
                "계약직 신입직원 [간호본부 조무사] 공개채용 모집공고_",
                until(2026, 10, 18),
                "https://recruit.incruit.com/khmc/job/2610080014",
            ),
            (
                "2610080012",
                "계약직 신입직원 [사무직] 공개채용 모집",
                at(2026, 10, 16, 16),
                "https://recruit.incruit.com/khmc/job/2610080012",
            ),
        ]
        assert (found.next_cursor, found.declared_total, found.unidentified) == (None, None, 0)

    @pytest.mark.parametrize("suffix", ["", ".derived-cp949"])
    def test_a_saved_posting_page_in_either_charset_is_read_without_broken_korean(self, suffix: str) -> None:
        """Failure path 8 of seed 001. Its many links to login.asp do not make it restricted."""
        answer = captured(f"incruit/detail_2605180002537_2026-05-24_excerpt{suffix}.html", at(2026, 5, 24))
        found = ADAPTER.parse_detail(answer, None)
        assert (found.source_job_id, found.title) == ("2605180002537", "UI/UX 웹디자인 퍼블리셔 과정 교육생 모집")
        assert (found.company_name, found.deadline_at) == ("(재)부산디자인진흥원", at(2026, 6, 26, 18))
        assert found.posting_url == "https://job.incruit.com/jobdb_info/jobpost.asp?job=2605180002537"
        assert not found.access_restricted
        body = (found.description_body or "").split("\n")
        assert "교육생(연수생)" in body
        assert "(재)부산디자인진흥원 홈페이지에서 지원을 받습니다." in body
        assert not any("홍길동" in line or "D-33" in line for line in body)
