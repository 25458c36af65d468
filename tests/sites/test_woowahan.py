"""Woowahan: pages counted from 0 in the request and from 1 in the answer; postings known by their number."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from daemon.sources.model import ChangeSignalKind, ChangeSignature, Outcome, Platform
from daemon.sources.sites.woowahan import ADAPTER
from tests.sites.answers import (
    at,
    by_id,
    captured,
    own_json,
    page,
    refusal_of_detail,
    refusal_of_list,
    target,
    until,
)

BOARD = target(Platform.WOOWAHAN, slug="woowahan")


@pytest.mark.parametrize(("cursor", "number"), [(None, "0"), ("1", "1"), ("7", "7")])
def test_pages_are_asked_for_from_0_at_the_agreed_size(cursor: str | None, number: str) -> None:
    parts = urlsplit(ADAPTER.list_request(BOARD, cursor).url)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "career.woowahan.com", "/w1/recruits")
    assert parse_qs(parts.query) == {
        "page": [number],
        "size": ["100"],
        "sort": ["updateDate,desc"],
        "recruitCampaignSeq": ["0"],
    }


def test_the_next_page_is_the_one_after_the_page_asked_for() -> None:
    answer = own_json("woowahan_page1of2")
    assert ADAPTER.parse_list(BOARD, page(answer), None).next_cursor == "1"
    answer["data"].update(pageNumber=2)
    assert ADAPTER.parse_list(BOARD, page(answer), "1").next_cursor is None


def test_a_saved_file_tells_its_page_itself() -> None:
    answer = own_json("woowahan_page1of2")
    answer["data"].update(pageNumber=2, totalPageNumber=3)
    assert ADAPTER.parse_list(None, page(answer), None).next_cursor == "2"


def test_a_first_page_that_is_not_the_first_is_not_what_was_asked_for() -> None:
    answer = own_json("woowahan_page1of2")
    answer["data"]["pageNumber"] = 2
    refused = refusal_of_list(ADAPTER, page(answer), BOARD)
    assert (refused.outcome, refused.reason) == (
        Outcome.LAYOUT_CHANGED,
        "the first page was asked for and page 2 came",
    )


def test_an_empty_page_is_the_end() -> None:
    answer = own_json("woowahan_page1of2")
    answer["data"].update(list=[], totalSize=0, totalPageNumber=0)
    listed = ADAPTER.parse_list(BOARD, page(answer), None)
    assert (listed.postings, listed.next_cursor, listed.declared_total) == ((), None, 0)


def test_a_posting_is_known_by_its_number_and_its_version() -> None:
    listed = ADAPTER.parse_list(BOARD, page(own_json("woowahan_page1of2")), None)
    assert listed.declared_total == 105
    posting = listed.postings[0]
    assert posting.source_job_id == "R2609001"
    assert posting.signature == ChangeSignature(kind=ChangeSignalKind.SOURCE_VERSION, value="3")
    assert posting.posting_url == "https://career.woowahan.com/recruitment/R2609001/detail"
    assert posting.title == "서버 개발자 (배달)"
    assert (posting.company_name, posting.structured_tags, posting.description_body) == (None, (), None)


def test_an_edit_keeps_the_posting_and_changes_its_version() -> None:
    before = own_json("woowahan_page1of2")
    after = own_json("woowahan_page1of2")
    after["data"]["list"][0].update(recruitSeq=99999, recruitVersion=4)
    old = ADAPTER.parse_list(BOARD, page(before), None).postings[0]
    new = ADAPTER.parse_list(BOARD, page(after), None).postings[0]
    assert old.source_job_id == new.source_job_id
    assert old.signature != new.signature


@pytest.mark.parametrize(
    ("end", "unlimited", "deadline"),
    [
        ("9999-12-31 00:00:00", True, None),
        ("9999-12-31 00:00:00", False, None),
        ("2999-12-31 00:00:00", False, None),
        ("2026-12-16 00:00:00", True, None),
        ("2026-12-16 00:00:00", False, until(2026, 12, 16)),
        ("2026-12-16 23:59:00", False, until(2026, 12, 16)),
        ("2026-12-16 18:00:00", False, at(2026, 12, 16, 18)),
    ],
)
def test_a_year_that_never_comes_is_always_open(end: str, unlimited: bool, deadline: object) -> None:
    """Failure path 9 of seed 001, second half: Baemin's `9999-12-31` is no deadline."""
    answer = own_json("woowahan_page1of2")
    answer["data"]["list"][0].update(recruitEndDate=end, isUnlimitedEndDate=unlimited)
    assert ADAPTER.parse_list(BOARD, page(answer), None).postings[0].deadline_at == deadline


def test_the_internal_close_date_is_no_deadline() -> None:
    answer = own_json("woowahan_page1of2")
    answer["data"]["list"][0]["recruitCloseDate"] = "2021-12-16 00:00:00"
    assert ADAPTER.parse_list(BOARD, page(answer), None).postings[0].deadline_at is None


@pytest.mark.parametrize(
    "flag",
    [
        {"isHidden": True},
        {"recruitDeleteYn": True},
        {"isTemporaryStatus": True},
        {"isAfterOrEqualEndDay": True},
        {"isAfterOrEqualOpenDay": False},
    ],
)
def test_what_the_site_does_not_show_counts_towards_the_total_only(flag: dict[str, bool]) -> None:
    answer = own_json("woowahan_page1of2")
    answer["data"]["list"][0].update(flag)
    listed = ADAPTER.parse_list(BOARD, page(answer), None)
    assert listed.withdrawn_ids == ("R2609001", "R2609005")
    assert "R2609001" not in by_id(listed)


@pytest.mark.parametrize("number", ["../../etc", "R1/..", "", "R1?x=1", "R 1"])
def test_a_number_that_would_bend_an_address_is_no_id(number: str) -> None:
    answer = own_json("woowahan_page1of2")
    answer["data"]["list"][0]["recruitNumber"] = number
    assert ADAPTER.parse_list(BOARD, page(answer), None).unidentified == 1
    detail = own_json("woowahan_detail")
    detail["data"]["recruitNumber"] = number
    assert refusal_of_detail(ADAPTER, page(detail)).outcome is Outcome.LAYOUT_CHANGED


def test_the_detail_by_number_adds_the_text_and_leaves_the_rest() -> None:
    listed = ADAPTER.parse_list(BOARD, page(own_json("woowahan_page1of2")), None).postings[0]
    (request,) = ADAPTER.detail_requests(BOARD, listed)
    assert request.url == "https://career.woowahan.com/w1/recruits/R2609001"
    detail = own_json("woowahan_detail")
    detail["data"].update(recruitVersion=4, recruitName="다른 이름")
    posting = ADAPTER.parse_detail(page(detail), listed)
    assert posting.description_body == "[업무내용]\n- 배달 서버\n- 주 2회 재택근무"
    assert (posting.title, posting.signature) == (listed.title, listed.signature)


def test_a_detail_of_another_posting_is_not_read_into_this_one() -> None:
    listed = ADAPTER.parse_list(BOARD, page(own_json("woowahan_page1of2")), None).postings[1]
    assert refusal_of_detail(ADAPTER, page(own_json("woowahan_detail")), listed).outcome is Outcome.LAYOUT_CHANGED


def test_a_detail_that_is_hidden_by_now_is_not_found() -> None:
    detail = own_json("woowahan_detail")
    detail["data"]["isHidden"] = True
    assert refusal_of_detail(ADAPTER, page(detail)).outcome is Outcome.NOT_FOUND


@pytest.mark.parametrize("status", [200, 400])
def test_the_sites_own_error_9002_is_not_found(status: int) -> None:
    refused = refusal_of_detail(ADAPTER, page(own_json("woowahan_no_such_posting"), status=status))
    assert (refused.outcome, refused.reason) == (Outcome.NOT_FOUND, "code 9002: RecruitService::findTopBy:25747")


@pytest.mark.parametrize("code", ["5000", None, 2000])
def test_another_code_than_success_is_another_layout(code: object) -> None:
    answer = {**own_json("woowahan_page1of2"), "code": code}
    assert refusal_of_list(ADAPTER, page(answer), BOARD).outcome is Outcome.LAYOUT_CHANGED


def test_the_captured_first_page_of_2021_reads_as_it_shows() -> None:
    listed = ADAPTER.parse_list(None, captured("woowahan/recruits_page0_size21_2021.json"), None)
    assert (len(listed.postings), listed.declared_total, listed.next_cursor) == (21, 62, "1")
    assert (listed.skipped_ids, listed.withdrawn_ids, listed.unidentified) == ((), (), 0)
    first = listed.postings[0]
    assert (first.source_job_id, first.title) == ("R2007104", "B마트 iOS 개발자 모집")
    assert first.signature == ChangeSignature(kind=ChangeSignalKind.SOURCE_VERSION, value="6")
    dated = [posting for posting in listed.postings if posting.deadline_at is not None]
    assert [(each.source_job_id, each.title, each.deadline_at) for each in dated] == [
        ("R2101525", "공통기술부문 공통 플랫폼 개발자 모집", until(2025, 12, 16)),
    ]


def test_the_captured_list_of_2026_reads_as_it_shows() -> None:
    listed = ADAPTER.parse_list(BOARD, captured("woowahan/recruits_size50_2026-09.json"), None)
    assert (len(listed.postings), listed.declared_total, listed.next_cursor) == (9, 9, None)
    assert [(each.source_job_id, each.title, each.signature and each.signature.value) for each in listed.postings] == [
        ("R2605009", "QA Engineer(Test)", "5"),
        ("R2609005", "데이터엔지니어링(데이터서비스 AI)", "1"),
        ("R2602042", "데이터엔지니어링(마케팅플랫폼)", "12"),
        ("R2603042", "QA Engineer(자동화 및 품질 전략)", "17"),
        ("R2607038", "로보틱스 S/W 엔지니어링(자율주행 ML/팀장급)", "3"),
        ("R2606008", "데이터과학(딜리버리)", "6"),
        ("R2601047", "플랫폼엔지니어링(배포시스템)", "4"),
        ("R2508018", "로보틱스 S/W 엔지니어링(SLAM 개발)", "11"),
        ("R2606029", "데이터엔지니어링(딜리버리데이터)", "2"),
    ]
    assert {posting.deadline_at for posting in listed.postings} == {None}


def test_the_captured_detail_adds_its_text_to_its_list_item() -> None:
    listed = ADAPTER.parse_list(None, captured("woowahan/recruits_page0_size21_2021.json"), None)
    detail = captured("woowahan/recruit_detail_R2001105_2021.json")
    posting = ADAPTER.parse_detail(detail, by_id(listed)["R2001105"])
    assert posting == ADAPTER.parse_detail(detail, None)
    assert posting.title == "내부통제(ITGC) 담당자 모집"
    assert posting.description_body is not None
    assert posting.description_body.startswith(
        "[업무내용]\n- 우아한형제들의 고객에게 안전한 전자금융서비스를 제공하기 위한 내부통제 업무\n"
    )
    assert posting.description_body.endswith("CIA(Certified Internal Auditor) 자격증을 보유한 분")
