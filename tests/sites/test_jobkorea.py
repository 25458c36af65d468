"""JobKorea's list page, posting page and the frame with the text."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from daemon.sources.model import CollectionTarget, DetailUse, ListPage, Outcome, Platform, RawJobPosting, Request
from daemon.sources.rules import ComplianceViolation, permitted_target
from daemon.sources.sites.jobkorea import ADAPTER
from tests.sites.answers import at, by_id, captured, own_html, page, refusal_of_detail, refusal_of_list, until

SEEN = at(2026, 9, 28)
DEVELOPMENT = CollectionTarget(job_source_id=1, platform=Platform.JOBKOREA, category_code="10031")
FRAME_URL = "https://www.jobkorea.co.kr/Recruit/GI_Read_Comt_Ifrm?Gno={}"


def read(html: str | None = None, answered_at: datetime = SEEN) -> ListPage:
    return ADAPTER.parse_list(None, page(own_html("jobkorea_list") if html is None else html, answered_at), None)


def first(html: str | None = None) -> RawJobPosting:
    return by_id(read(html))["70000001"]


class TestRequests:
    def test_the_list_is_one_page_of_the_category(self) -> None:
        request = ADAPTER.list_request(DEVELOPMENT, None)
        assert request == Request(url="https://www.jobkorea.co.kr/recruit/joblist?menucode=duty&dutyCtgr=10031")
        assert ADAPTER.capabilities.list_page_limit == 1
        with pytest.raises(ValueError, match="one page"):
            ADAPTER.list_request(DEVELOPMENT, "2")

    def test_a_posting_is_asked_for_by_its_page_and_then_its_frame(self) -> None:
        assert [request.url for request in ADAPTER.detail_requests(DEVELOPMENT, first())] == [
            "https://www.jobkorea.co.kr/Recruit/GI_Read/70000001",
            FRAME_URL.format(70000001),
        ]
        assert ADAPTER.capabilities.detail_use is DetailUse.ENRICHMENT

    def test_every_request_keeps_the_policy(self) -> None:
        requests = (ADAPTER.list_request(DEVELOPMENT, None), *ADAPTER.detail_requests(DEVELOPMENT, first()))
        paths = [permitted_target(ADAPTER.capabilities.compliance, request).path for request in requests]
        assert paths == ["/recruit/joblist", "/Recruit/GI_Read/70000001", "/Recruit/GI_Read_Comt_Ifrm"]

    @pytest.mark.parametrize(
        "path",
        ["/Search/?stext=x", "/Recruit/Home/_GI_List", "/recruit/_GI_List?Page=2", "/Recruit/GI_Read_Other", "/"],
    )
    def test_no_other_path_can_be_asked_for(self, path: str) -> None:
        with pytest.raises(ComplianceViolation):
            permitted_target(ADAPTER.capabilities.compliance, Request(url=f"https://www.jobkorea.co.kr{path}"))

    def test_categories_are_codes_with_labels(self) -> None:
        found = {category.code: category.label for category in ADAPTER.categories()}
        assert len(found) == 21
        assert found["10031"] == "AI·개발·데이터"


class TestList:
    def test_a_row_is_read_as_the_site_shows_it(self) -> None:
        assert first() == RawJobPosting(
            source_job_id="70000001",
            title="백엔드 | 서버 개발자",
            posting_url="https://www.jobkorea.co.kr/Recruit/GI_Read/70000001",
            deadline_at=until(2026, 10, 9),
            signature=first().signature,
            structured_tags=("경력무관", "서울 강남구", "정규직 외", "백엔드", "Java", "재택"),
            company_name="㈜하늘시스템",
            company_identifier="5001",
        )

    def test_the_number_is_never_the_legacy_one(self) -> None:
        assert list(by_id(read())) == ["70000001", "70000002", "70000003"]
        without_attribute = own_html("jobkorea_list").replace('data-gno="70000001" ', "")
        assert "70000001" in by_id(read(without_attribute))
        without_link = without_attribute.replace("/Recruit/GI_Read/70000001?", "/x/")
        assert "70000001" in by_id(read(without_link))

    def test_the_deadline_is_the_dated_period_whatever_the_order_of_the_other_fields(self) -> None:
        words_only = own_html("jobkorea_list").replace("|2026-09-20|2026-10-09|", "|")
        other_order = own_html("jobkorea_list").replace(
            "백엔드 | 서버 개발자|70000001|81000001|2026-09-20|2026-10-09|㈜하늘시스템|5001",
            "|㈜하늘시스템|70000001|2026-09-20|2026-10-09|5001",
        )
        year_in_words = own_html("jobkorea_list").replace("2026-10-09", "2027-10-09")
        assert first(words_only).deadline_at == first(other_order).deadline_at == until(2026, 10, 9)
        assert first(year_in_words).deadline_at == until(2027, 10, 9)

    def test_words_serve_where_there_is_no_period(self) -> None:
        assert by_id(read())["70000002"].deadline_at == until(2026, 9, 28)

    def test_always_open_in_words_or_in_2070_is_no_deadline(self) -> None:
        assert by_id(read())["70000003"].deadline_at is None
        assert by_id(read(own_html("jobkorea_list").replace("상시채용", "")))["70000003"].deadline_at is None

    def test_more_pages_than_the_one_that_policy_allows_are_not_hidden(self) -> None:
        assert (read().next_cursor, read().declared_total) == ("2", 1041)
        by_total_only = own_html("jobkorea_list").split('<div id="dvGIPaging">')[0]
        assert read(by_total_only).next_cursor == "2"

    def test_a_list_of_which_the_site_counts_no_more_rows_is_whole(self) -> None:
        whole = own_html("jobkorea_list").split('<div id="dvGIPaging">')[0].replace(" 1,041", " 3")
        assert (read(whole).next_cursor, read(whole).declared_total) == (None, 3)

    def test_the_age_the_days_wording_and_the_order_of_conditions_are_no_edit(self) -> None:
        later = (
            own_html("jobkorea_list")
            .replace("9</span>분 전 등록", "3</span>일 전 등록")
            .replace("~10/09</span>(금)", "</span>오늘마감")
            .replace(
                '<span class="cell">경력무관</span> <span class="cell">서울 강남구</span>',
                '<span class="cell">서울 강남구</span><span class="cell">경력무관</span>',
            )
        )
        assert by_id(read(later, at(2026, 10, 9)))["70000001"].signature == first().signature

    @pytest.mark.parametrize(
        ("old", "new"), [("2026-10-09", "2026-10-16"), ("경력무관", "신입"), ("㈜하늘시스템</a>", "하늘</a>")]
    )
    def test_deadline_conditions_and_company_are_edits(self, old: str, new: str) -> None:
        assert first(own_html("jobkorea_list").replace(old, new)).signature != first().signature


class TestWhatIsNotAPosting:
    def rows(self, count: int) -> str:
        """The list with `count` further good rows, so that one bad row is under a fifth."""
        row = "<tr" + own_html("jobkorea_list").split("<tr")[1]
        more = "".join(row.replace("70000001", f"7100000{n}") for n in range(count))
        return own_html("jobkorea_list").replace("</tbody>", f"{more}</tbody>")

    def test_a_row_without_title_is_seen_but_malformed(self) -> None:
        assert read(self.rows(4).replace(">데이터 분석가</a>", "></a>")).skipped_ids == ("70000002",)

    def test_a_row_without_company_is_seen_but_malformed(self) -> None:
        assert read(self.rows(4).replace(">바다소프트</a>", "></a>")).skipped_ids == ("70000002",)

    def test_a_row_with_neither_period_nor_known_words_is_seen_but_malformed(self) -> None:
        assert read(self.rows(4).replace("오늘마감", "마감임박")).skipped_ids == ("70000002",)

    def test_a_row_without_number_makes_the_list_incomplete(self) -> None:
        html = self.rows(4).replace('data-info=" 70000002|', 'data-info=" |').replace("GI_Read/70000002", "GI_Read/x")
        assert read(html).unidentified == 1

    def test_no_rows_are_a_complete_list_only_when_the_total_is_zero(self) -> None:
        empty = own_html("jobkorea_list").split("<table>")[0]
        assert refusal_of_list(ADAPTER, page(empty, SEEN)).outcome is Outcome.LAYOUT_CHANGED
        found = read(empty.replace(" 1,041", " 0"))
        assert (found.postings, found.declared_total, found.next_cursor) == ((), 0, None)


class TestDetail:
    def test_the_page_adds_its_conditions_and_leaves_what_the_list_said(self) -> None:
        listed = first()
        found = ADAPTER.parse_detail(page(own_html("jobkorea_detail"), SEEN), listed)
        assert found == replace(listed, description_body="근무시간 주5일, 재택근무 가능")

    def test_the_frames_text_follows_the_pages(self) -> None:
        found = ADAPTER.parse_detail(page(own_html("jobkorea_detail"), SEEN), first())
        found = ADAPTER.parse_detail(page(own_html("jobkorea_frame"), SEEN, url=FRAME_URL.format(70000001)), found)
        assert found.description_body == "근무시간 주5일, 재택근무 가능\n주요업무\nㆍ서버 개발\nㆍ주 2회 재택"

    def test_a_frame_of_another_make_is_known_by_its_address(self) -> None:
        answer = page("<body><p>서버 개발</p></body>", SEEN, url=FRAME_URL.format(70000001))
        assert ADAPTER.parse_detail(answer, first()).description_body == "서버 개발"

    def test_a_frame_without_any_text_leaves_the_posting_as_it_is(self) -> None:
        answer = page("<body><img src='x.png'></body>", SEEN, url=FRAME_URL.format(70000001))
        assert ADAPTER.parse_detail(answer, first()) == first()

    def test_the_frame_of_another_posting_is_refused(self) -> None:
        answer = page(own_html("jobkorea_frame"), SEEN, url=FRAME_URL.format(1))
        assert refusal_of_detail(ADAPTER, answer, first()).outcome is Outcome.LAYOUT_CHANGED

    def test_a_saved_frame_alone_names_no_posting(self) -> None:
        assert refusal_of_detail(ADAPTER, page(own_html("jobkorea_frame"), SEEN)).outcome is Outcome.LAYOUT_CHANGED

    def test_only_the_json_ld_of_a_job_posting_counts(self) -> None:
        found = ADAPTER.parse_detail(page(own_html("jobkorea_detail"), SEEN), None)
        assert (found.source_job_id, found.title, found.company_name) == ("70000001", "백엔드 & 서버", "하늘시스템")
        assert found.deadline_at == at(2026, 10, 9, 18)

    def test_a_page_of_another_posting_is_not_read_into_this_one(self) -> None:
        other = own_html("jobkorea_detail").replace('"value": "70000001"', '"value": "70000009"')
        assert refusal_of_detail(ADAPTER, page(other, SEEN), first()).outcome is Outcome.LAYOUT_CHANGED

    @pytest.mark.parametrize("ends", ["2070-01-01T23:59:59+09:00", "2027-09-20T23:59"])
    def test_an_end_in_2070_or_about_a_year_ahead_means_always_open(self, ends: str) -> None:
        html = own_html("jobkorea_detail").replace("2026-10-09T18:00", ends)
        assert ADAPTER.parse_detail(page(html, SEEN), None).deadline_at is None

    def test_the_home_page_in_place_of_a_posting_is_not_found(self) -> None:
        home = (
            '<title>잡코리아</title><link rel="canonical" href="https://www.jobkorea.co.kr/">'
            '<script type="application/ld+json">{"@type": "Organization", "name": "잡코리아"}</script>'
            '<div data-gno="49000000">추천 공고</div>'
        )
        assert refusal_of_detail(ADAPTER, page(home, SEEN), first()).outcome is Outcome.NOT_FOUND

    def test_a_page_without_json_ld_is_read_by_its_head(self) -> None:
        html = own_html("jobkorea_detail").replace('"@type": "JobPosting"', '"@type": "WebPage"')
        found = ADAPTER.parse_detail(page(html, SEEN), None)
        assert (found.source_job_id, found.title, found.company_name) == ("70000001", "백엔드", "하늘시스템")


class TestCapturedAnswers:
    """Values read by eye from the captured pages."""

    def test_two_rows_of_2026_09_26(self) -> None:
        found = ADAPTER.parse_list(None, captured("jobkorea/joblist_rows_2026-09-26_2of3.html", at(2026, 9, 26)), None)
        assert [
            (p.source_job_id, p.title, p.company_name, p.company_identifier, p.deadline_at) for p in found.postings
        ] == [
            (
                "50052681",
                "[압구정] 도산공원 일식당 아루 에서 조리사 신입,경력직 구인 주5일 근무",
                "아루",
                "38646418",
                until(2026, 10, 26),
            ),
            (
                "50052658",
                "러스트베이커리 바리스타 채용 공고 [주5일/연차가능]",
                "러스트베이커리",
                "25207166",
                until(2026, 10, 26),
            ),
        ]
        assert (found.next_cursor, found.declared_total) == (None, None)
        assert found.postings[1].structured_tags == (
            "경력무관",
            "학력무관",
            "서울 영등포구",
            "정규직 외",
            "255만원 이상(월)",
            "사원급 외",
            "제과제빵점",
            "카페",
        )

    def test_the_list_of_2024_with_total_and_pager(self) -> None:
        answer = captured("jobkorea/joblist_2024-05_total_row_pager.html", at(2024, 5, 30))
        found = ADAPTER.parse_list(None, answer, None)
        assert [(p.source_job_id, p.title, p.company_name, p.deadline_at) for p in found.postings] == [
            ("44738554", "[아르네코리아㈜] 개발팀 정규직 채용(광주)", "아르네코리아㈜", until(2024, 6, 7))
        ]
        assert (found.next_cursor, found.declared_total) == ("2", 117_341)

    def test_the_posting_page_with_json_ld(self) -> None:
        answer = captured("jobkorea/detail_jsonld_49679719_2026-07-30_excerpt.html", at(2026, 7, 30))
        found = ADAPTER.parse_detail(answer, None)
        assert (found.source_job_id, found.title) == ("49679719", "용접 자동화 설비 S/W 개발 (비전과 제어)")
        assert (found.company_name, found.deadline_at) == ("한국모니터링시스템", until(2026, 8, 28))
        assert found.description_body is not None
        assert "근무시간 주5일(월~금), 09:00 ~ 18:00, 탄력근무제" in found.description_body.split("\n")

    def test_the_classic_posting_page_of_2024_without_job_posting_json_ld(self) -> None:
        answer = captured("jobkorea/detail_classic_46099393_2024-12-15.html", at(2024, 12, 15))
        found = ADAPTER.parse_detail(answer, None)
        assert (found.source_job_id, found.title) == ("46099393", "[잡코리아] Data Scientist (5년 이상)")
        assert (found.company_name, found.deadline_at) == ("잡코리아(유)", until(2025, 1, 5))

    def test_the_frame_of_a_posting(self) -> None:
        answer = captured("jobkorea/body_iframe_47985035_2025-11.html", at(2025, 11, 19))
        assert refusal_of_detail(ADAPTER, answer).outcome is Outcome.LAYOUT_CHANGED
        body = ADAPTER.parse_detail(answer, first()).description_body or ""
        assert body.startswith("㈜마크애니\n") is False
        assert "ㆍ자사 보안 솔루션 제품의 현장 구축 및 유지보수를 담당합니다." in body.split("\n")
        assert "채용제목을 입력해주세요" not in body

    def test_the_home_page_that_came_for_a_legacy_number_is_not_found(self) -> None:
        answer = captured("jobkorea/home_returned_for_unknown_gno_49849287_2025-11.html", at(2025, 11, 19))
        assert refusal_of_detail(ADAPTER, answer).outcome is Outcome.NOT_FOUND
        assert refusal_of_detail(ADAPTER, answer, first()).outcome is Outcome.NOT_FOUND
        assert refusal_of_list(ADAPTER, answer).outcome is Outcome.LAYOUT_CHANGED
