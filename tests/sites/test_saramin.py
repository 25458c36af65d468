"""Saramin's list and saved posting pages."""

from __future__ import annotations

from datetime import UTC, datetime

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
from daemon.sources.sites.saramin import ADAPTER
from tests.sites.answers import at, by_id, captured, own_html, page, refusal_of_detail, refusal_of_list, until

SEEN = at(2026, 9, 28)
BACKEND = CollectionTarget(job_source_id=1, platform=Platform.SARAMIN, category_code="84")


def read(html: str | None = None, answered_at: datetime = SEEN) -> ListPage:
    return ADAPTER.parse_list(None, page(own_html("saramin_list") if html is None else html, answered_at), None)


def signature(html: str, number: str, answered_at: datetime = SEEN) -> str:
    found = by_id(read(html, answered_at))[number].signature
    assert found is not None
    return found.value


class TestRequests:
    def test_the_list_is_asked_for_by_category_in_pages_of_a_hundred(self) -> None:
        assert ADAPTER.list_request(BACKEND, None).url == (
            "https://www.saramin.co.kr/zf_user/jobs/list/job-category?cat_kewd=84&page=1&page_count=100"
        )
        assert "&page=3&" in ADAPTER.list_request(BACKEND, "3").url

    def test_every_request_keeps_the_policy(self) -> None:
        for cursor in (None, "26"):
            target = permitted_target(ADAPTER.capabilities.compliance, ADAPTER.list_request(BACKEND, cursor))
            assert target.path == "/zf_user/jobs/list/job-category"

    def test_no_posting_page_is_asked_for(self) -> None:
        posting = read().postings[0]
        assert ADAPTER.capabilities.detail_use is DetailUse.NONE
        assert ADAPTER.detail_requests(BACKEND, posting) == ()

    def test_categories_are_codes_with_labels(self) -> None:
        found = {category.code: category.label for category in ADAPTER.categories()}
        assert found["84"] == "백엔드/서버개발"
        assert found["2248"] == "데이터 사이언티스트"
        assert all(code.isdigit() and label for code, label in found.items())


class TestList:
    def test_a_row_is_read_as_the_site_shows_it(self) -> None:
        assert by_id(read())["90000001"] == RawJobPosting(
            source_job_id="90000001",
            title="R&D 센터 백엔드 (PL <PMO>)",
            posting_url="https://www.saramin.co.kr/zf_user/jobs/view?rec_idx=90000001",
            deadline_at=until(2026, 10, 9),
            signature=by_id(read())["90000001"].signature,
            structured_tags=("백엔드/서버개발", "Java", "서울 마포구", "경력 3년↑ · 정규직", "학력무관"),
            company_name="(주)하늘시스템",
            company_identifier="QUJD",
        )

    def test_a_company_without_a_page_of_its_own_is_still_the_company(self) -> None:
        posting = by_id(read())["90000002"]
        assert (posting.company_name, posting.company_identifier) == ("바다소프트", None)

    def test_an_advertisement_is_no_row_even_when_it_is_for_a_listed_posting(self) -> None:
        listed = read()
        assert [posting.source_job_id for posting in listed.postings] == [f"9000000{n}" for n in range(1, 6)]
        assert by_id(listed)["90000002"].title == "서버 개발자"

    def test_each_word_for_a_deadline_gives_its_instant(self) -> None:
        ends = {number: posting.deadline_at for number, posting in by_id(read()).items()}
        assert ends == {
            "90000001": until(2026, 10, 9),
            "90000002": None,
            "90000003": until(2026, 9, 29),
            "90000004": until(2026, 10, 5),
            "90000005": None,
        }
        assert all(end is None or end.tzinfo is UTC for end in ends.values())

    def test_the_title_attribute_serves_when_the_link_is_empty_and_is_unescaped_twice(self) -> None:
        html = own_html("saramin_list").replace("R&amp;D 센터  백엔드\n        (PL &lt;PMO&gt;)", "")
        assert by_id(read(html))["90000001"].title == "R&D 센터 백엔드 (PL <PMO>)"

    def test_the_total_and_the_next_page_are_the_sites_own_words(self) -> None:
        assert (read().declared_total, read().next_cursor) == (1203, "2")

    def test_the_last_page_has_no_next_one(self) -> None:
        html = own_html("saramin_list").replace('page="2"', 'page="1"').replace('active">1', 'active">13')
        assert read(html).next_cursor is None

    def test_the_last_page_of_a_block_of_pages_leads_to_the_next_block(self) -> None:
        html = own_html("saramin_list").replace('page="2"', 'class="BtnNext"').replace('active">1', 'active">10')
        assert (
            read(html.replace('class="BtnType SizeS" class="BtnNext"', 'class="BtnType BtnNext"')).next_cursor == "11"
        )

    def test_a_list_without_pager_is_its_only_page(self) -> None:
        assert read(own_html("saramin_list").split('<div class="PageBox">')[0]).next_cursor is None

    def test_page_1_in_place_of_a_page_past_the_end_has_no_next_one(self) -> None:
        answer = page(own_html("saramin_list"), SEEN)
        assert ADAPTER.parse_list(BACKEND, answer, "7").next_cursor is None
        assert ADAPTER.parse_list(BACKEND, answer, None).next_cursor == "2"

    def test_a_list_of_another_category_than_asked_for_is_refused(self) -> None:
        other = CollectionTarget(job_source_id=1, platform=Platform.SARAMIN, category_code="87")
        with pytest.raises(Unreadable, match="84, not of 87") as refused:
            ADAPTER.parse_list(other, page(own_html("saramin_list"), SEEN), None)
        assert refused.value.outcome is Outcome.LAYOUT_CHANGED


class TestSignature:
    def test_ages_badges_and_the_deadlines_wording_are_no_edit(self) -> None:
        first = own_html("saramin_list")
        later = (
            first.replace("3일 전 등록", "9시간 전 수정").replace("인기있는", "IT 지원 TOP100").replace("effect", "")
        )
        assert signature(first, "90000001") == signature(
            later.replace("~10.09(금)", "D-7"), "90000001", at(2026, 10, 2)
        )

    def test_the_hour_that_the_last_day_is_given_is_no_edit(self) -> None:
        today = own_html("saramin_list").replace("D-7", "15시마감")
        assert signature(own_html("saramin_list"), "90000004", at(2026, 9, 21)) == signature(today, "90000004")

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("서버 개발자", "서버 리더"),
            ("바다소프트</span></div>", "바다</span></div>"),
            ("부산", "서울"),
            ("상시채용", "~10.09(금)"),
        ],
    )
    def test_title_company_conditions_and_deadline_are_edits(self, old: str, new: str) -> None:
        html = own_html("saramin_list")
        assert signature(html, "90000002") != signature(html.replace(old, new), "90000002")

    def test_it_is_a_field_hash(self) -> None:
        found = read().postings[0].signature
        assert found is not None
        assert found.kind is ADAPTER.capabilities.change_signal_kind is ChangeSignalKind.FIELD_HASH
        assert len(found.value) == 64


class TestWhatIsNotAPosting:
    @pytest.mark.parametrize(
        "broken",
        [
            "<span>QA 엔지니어</span>",
            '<span class="str_tit">들판</span>',
            "내일마감",
            '<span class="date">내일마감</span>',
        ],
    )
    def test_a_row_without_title_company_or_a_known_deadline_is_seen_but_malformed(self, broken: str) -> None:
        found = read(own_html("saramin_list").replace(broken, "<span>마감임박</span>" if broken == "내일마감" else ""))
        assert found.skipped_ids == ("90000003",)
        assert "90000003" not in by_id(found)

    def test_the_number_of_a_row_may_stand_in_its_link_only(self) -> None:
        assert "90000003" in by_id(read(own_html("saramin_list").replace('id="rec-90000003" ', "")))

    def test_a_row_without_any_number_makes_the_list_incomplete(self) -> None:
        html = own_html("saramin_list").replace('id="rec-90000003" ', "").replace("rec_idx=90000003", "x=1")
        assert read(html).unidentified == 1

    def test_more_than_a_fifth_of_broken_rows_is_a_changed_layout(self) -> None:
        html = own_html("saramin_list").replace("<span>QA 엔지니어</span>", "").replace("<span>SRE</span>", "")
        assert refusal_of_list(ADAPTER, page(html, SEEN)).outcome is Outcome.LAYOUT_CHANGED

    def test_an_empty_list_is_complete_only_when_the_site_says_that_the_total_is_zero(self) -> None:
        head, _, tail = own_html("saramin_list").partition('<div id="rec-90000001"')
        empty = head + tail.partition("</section>")[1]
        assert refusal_of_list(ADAPTER, page(empty, SEEN)).outcome is Outcome.LAYOUT_CHANGED
        found = read(empty.replace("1,203", "0"))
        assert (found.postings, found.declared_total, found.next_cursor) == ((), 0, None)

    def test_a_list_whose_element_is_gone_is_a_changed_layout(self) -> None:
        html = own_html("saramin_list").replace('class="list_recruiting"', 'class="list_renewed"')
        assert refusal_of_list(ADAPTER, page(html, SEEN)).outcome is Outcome.LAYOUT_CHANGED

    def test_a_login_page_is_told_from_a_changed_layout(self) -> None:
        html = "<title>로그인 - 사람인</title><form><input name=id><input type=password name=password></form>"
        assert refusal_of_list(ADAPTER, page(html, SEEN)).outcome is Outcome.LOGIN_REQUIRED


class TestSavedPosting:
    HEAD = (
        '<title>x</title><meta property="og:title" content="[A[B](주)] [급구] 개발자(D-27) - 사람인">'
        '<meta name="description" content="A[B](주), [급구] 개발자, 경력:신입, 마감일:2026-04-09, 홈페이지:">'
        '<link rel="canonical" href="https://www.saramin.co.kr/zf_user/jobs/view?rec_idx=53293016">'
    )

    def test_company_and_title_are_told_apart_by_the_description_when_both_hold_brackets(self) -> None:
        posting = ADAPTER.parse_detail(page(self.HEAD, SEEN), None)
        assert (posting.company_name, posting.title) == ("A[B](주)", "[급구] 개발자")
        assert posting.deadline_at == until(2026, 4, 9)

    def test_a_page_of_another_posting_is_not_read_into_this_one(self) -> None:
        refused = refusal_of_detail(ADAPTER, page(self.HEAD, SEEN), read().postings[0])
        assert (refused.outcome, refused.reason) == (Outcome.LAYOUT_CHANGED, "asked for 90000001, answered 53293016")


class TestCapturedAnswers:
    """Values read by eye from the captured pages."""

    def test_five_rows_of_2026_10_02(self) -> None:
        found = ADAPTER.parse_list(
            None, captured("saramin/list_contents_mcls2_2026-10-02_5rows.html", at(2026, 10, 2)), None
        )
        assert [(p.source_job_id, p.title, p.company_name, p.deadline_at) for p in found.postings] == [
            (
                "55081974",
                "[올거나이즈코리아] B2B AI 솔루션 IT 운영 PM 채용 (경력)",
                "(주)맨파워그룹코리아",
                until(2026, 10, 11),
            ),
            (
                "55165625",
                "[반도체 중견기업] 10월 신입/경력 모집 (엔지니어, 제조직)",
                "(주)샘씨엔에스",
                until(2026, 10, 22),
            ),
            ("55127527", "연구소 소프트웨어 개발 정규직 채용", "(주)디오넷", until(2026, 10, 28)),
            ("55144201", "인천 씨티은행 (PL or PMO & 영어능숙자) 고급 구인", "C&C KOREA", None),
            ("55147183", "삼성서울병원 AX운영팀 계약직 의공학기사 채용", "삼성서울병원", until(2026, 10, 6)),
        ]
        assert (found.next_cursor, found.declared_total, found.skipped_ids, found.unidentified) == (
            None,
            None,
            (),
            0,
        )
        assert found.postings[4].company_identifier == "ejdLMHVOVjVNQTlVaklPK0EwWDdTUT09"
        assert found.postings[3].structured_tags == (
            "SI개발",
            "PL(프로젝트리더)",
            "PMO",
            "인천 남동구",
            "경력 9년↑ · 프리랜서",
            "학력무관",
        )

    def test_the_category_page_with_advertisements_and_pager(self) -> None:
        answer = captured("saramin/list_job_category_84_2026-09_ads_rows_pager.html", at(2026, 9, 6))
        found = ADAPTER.parse_list(BACKEND, answer, None)
        assert [(p.source_job_id, p.title, p.company_name, p.deadline_at) for p in found.postings] == [
            (
                "54926795",
                "토스플레이스 자회사 [iShopCARE] 대규모 채용｜영업·마케팅·인사·법무·전략·CX·물류·AS·운영 外",
                "(주)아이샵케어",
                until(2026, 10, 2),
            ),
            (
                "54897583",
                "[솔탑] 2026년 위성·항공·경영 분야 부문별 신입/경력 채용",
                "(주)솔탑",
                until(2026, 10, 3),
            ),
            (
                "54945299",
                "IT, 몰라도 가르쳐 드립니다! GPU 서버 엔지니어/유지보수 정규직 채용 (신입)",
                "(주)바로에이아이",
                until(2026, 11, 2),
            ),
            ("54867136", "다우기술 경력•신입 대규모 인재영입", "(주)다우기술", until(2026, 9, 10)),
            (
                "54854498",
                "쎄트렉아이 2026 하반기 신입 채용, SI Future-Ship 모집",
                "(주)쎄트렉아이",
                until(2026, 9, 15),
            ),
            ("54930076", "[안랩] 2026년 9월 신입/경력 채용", "(주)안랩", until(2026, 9, 13)),
        ]
        assert (found.declared_total, found.next_cursor) == (540, "2")
        assert by_id(found)["54867136"].structured_tags[5] == "경기 성남시 외"

    @pytest.mark.parametrize(
        ("name", "number", "title", "company", "last_day"),
        [
            (
                "detail_raw_53293016_2026-03-13",
                "53293016",
                "(주)지투이 2026년 상반기 IT개발자 신입 채용",
                "(주)지투이",
                (2026, 4, 9),
            ),
            (
                "detail_dom_49488749_2024-12-07",
                "49488749",
                "개인정보보호 담당자(경력9년~14년)",
                "피엠인터내셔널코리아(유)",
                (2024, 12, 27),
            ),
            (
                "detail_dom_38655001_2020-09-09",
                "38655001",
                "웹 /응용프로그램 개발자 모집",
                "(주)매그파이소프트",
                (2020, 9, 20),
            ),
        ],
    )
    def test_a_saved_posting_page_gives_number_title_company_and_last_day(
        self, name: str, number: str, title: str, company: str, last_day: tuple[int, int, int]
    ) -> None:
        posting = ADAPTER.parse_detail(captured(f"saramin/{name}.html", SEEN), None)
        assert (posting.source_job_id, posting.title, posting.company_name) == (number, title, company)
        assert posting.deadline_at == until(*last_day)
        assert posting.posting_url == f"https://www.saramin.co.kr/zf_user/jobs/view?rec_idx={number}"
