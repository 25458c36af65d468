"""Jumpit: a list by job category in which the company is named; details are never asked for."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from daemon.sources.model import ChangeSignalKind, DetailUse, Outcome, Platform
from daemon.sources.sites.jumpit import ADAPTER
from tests.sites.answers import (
    at,
    by_id,
    captured,
    is_refused_both_ways,
    own_json,
    page,
    refusal_of_detail,
    refusal_of_list,
    target,
    until,
)

SERVER = target(Platform.JUMPIT, category_code="1")


def test_a_category_is_asked_for_without_highlights_newest_first() -> None:
    parts = urlsplit(ADAPTER.list_request(SERVER, None).url)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "jumpit-api.saramin.co.kr", "/api/positions")
    assert parse_qs(parts.query) == {
        "page": ["1"],
        "size": ["200"],
        "jobCategory": ["1"],
        "sort": ["reg_dt"],
        "highlight": ["false"],
    }


def test_a_keyword_is_asked_for_too() -> None:
    asked = target(Platform.JUMPIT, category_code="19", keyword="데이터 엔지니어")
    query = parse_qs(urlsplit(ADAPTER.list_request(asked, "3:400").url).query)
    assert (query["keyword"], query["page"], query["jobCategory"]) == (["데이터 엔지니어"], ["3"], ["19"])


def test_the_list_ends_when_as_many_were_seen_as_there_are_whatever_the_page_size_is() -> None:
    answer = own_json("jumpit_page1")
    first = ADAPTER.parse_list(SERVER, page(answer), None)
    assert (first.declared_total, first.next_cursor) == (5, "2:3")
    answer["result"].update(page=2, positions=answer["result"]["positions"][:2])
    assert ADAPTER.parse_list(SERVER, page(answer), "2:3").next_cursor is None
    answer["result"].update(totalCount=500)
    assert ADAPTER.parse_list(SERVER, page(answer), "2:3").next_cursor == "3:5"


def test_an_empty_page_is_the_end() -> None:
    answer = own_json("jumpit_page1")
    answer["result"].update(positions=[], totalCount=5)
    assert ADAPTER.parse_list(SERVER, page(answer), "2:3").next_cursor is None
    answer["result"].update(totalCount=0, emptyPosition=True)
    listed = ADAPTER.parse_list(SERVER, page(answer), None)
    assert (listed.postings, listed.next_cursor, listed.declared_total) == ((), None, 0)


def test_a_saved_file_tells_its_page_itself() -> None:
    answer = own_json("jumpit_page1")
    answer["result"].update(page=4, totalCount=100)
    assert ADAPTER.parse_list(None, page(answer), None).next_cursor == "5:12"


def test_the_list_names_the_company_and_no_detail_is_asked_for() -> None:
    """Failure path 22 of seed 001: the list has `companyName`, so nothing else is needed."""
    posting = ADAPTER.parse_list(SERVER, page(own_json("jumpit_page1")), None).postings[0]
    assert (posting.company_name, posting.company_identifier) == ("달떡소프트", "1078100000")
    assert ADAPTER.detail_requests(SERVER, posting) == ()
    assert ADAPTER.capabilities.detail_use is DetailUse.NONE
    assert ADAPTER.capabilities.company_identifier_in_detail_only is False


def test_always_open_is_open_whatever_closed_at_says() -> None:
    """Failure path 21 of seed 001."""
    answer = own_json("jumpit_page1")
    for closed_at in ("2026-08-01T23:59:59", None, "상시"):
        answer["result"]["positions"][1]["closedAt"] = closed_at
        assert by_id(ADAPTER.parse_list(SERVER, page(answer), None))["54000002"].deadline_at is None
    del answer["result"]["positions"][1]["closedAt"]
    assert by_id(ADAPTER.parse_list(SERVER, page(answer), None))["54000002"].deadline_at is None


@pytest.mark.parametrize(
    ("written", "deadline"),
    [
        ("2026-08-01T23:59:59", until(2026, 8, 1)),
        ("2026-08-01 23:59:59", until(2026, 8, 1)),
        ("2026-08-01T23:59", until(2026, 8, 1)),
        ("2026-08-01", until(2026, 8, 1)),
        ("2026-08-01T00:00:00", until(2026, 8, 1)),
        ("2026-08-01T18:00:00", at(2026, 8, 1, 18)),
        (None, None),
    ],
)
def test_closed_at_is_korean_time(written: str | None, deadline: object) -> None:
    answer = own_json("jumpit_page1")
    answer["result"]["positions"][0]["closedAt"] = written
    assert ADAPTER.parse_list(SERVER, page(answer), None).postings[0].deadline_at == deadline


def test_a_list_whose_closed_at_has_gone_is_another_layout_and_not_always_open() -> None:
    answer = own_json("jumpit_page1")
    for position in answer["result"]["positions"]:
        position["closeDate"] = position.pop("closedAt")
    refused = refusal_of_list(ADAPTER, page(answer), SERVER)
    assert refused.outcome is Outcome.LAYOUT_CHANGED
    assert "closedAt is missing" in refused.reason


def test_highlights_are_no_part_of_what_is_shown() -> None:
    posting = ADAPTER.parse_list(SERVER, page(own_json("jumpit_page1")), None).postings[0]
    assert posting.title == "서버 개발자"
    assert posting.structured_tags == (
        "Java",
        "Spring",
        "서버/백엔드 개발자",
        "SW/솔루션",
        "서울 구로구",
        "경력 3~12년",
    )


def _signature(changes: dict[str, object]) -> str:
    answer = own_json("jumpit_page1")
    answer["result"]["positions"][0].update(changes)
    signature = ADAPTER.parse_list(SERVER, page(answer), None).postings[0].signature
    assert signature is not None
    assert signature.kind is ChangeSignalKind.FIELD_HASH
    return signature.value


@pytest.mark.parametrize(
    "noise",
    [
        {"viewCount": 999, "scrapCount": 77},
        {"celebration": 100},
        {"logo": "https://cdn.example.com/new.png", "imagePath": "x"},
        {"scraped": True, "applied": True},
        {"techStacks": ["Spring", "Java"], "jobCategory": "SW/솔루션,서버/백엔드 개발자"},
        {"title": "서버 <span>개발자</span>"},
        {"closedAt": "2026-08-01"},
    ],
)
def test_what_moves_by_itself_is_no_edit(noise: dict[str, object]) -> None:
    assert _signature(noise) == _signature({})


@pytest.mark.parametrize(
    "edit",
    [
        {"title": "서버 개발자 (시니어)"},
        {"companyName": "달떡"},
        {"closedAt": "2026-08-02T23:59:59"},
        {"alwaysOpen": True},
        {"techStacks": ["Java"]},
        {"jobCategory": "서버/백엔드 개발자"},
        {"locations": ["서울 마포구"]},
        {"minCareer": 5},
        {"newcomer": True},
    ],
)
def test_what_an_editor_edits_is_an_edit(edit: dict[str, object]) -> None:
    assert _signature(edit) != _signature({})


def test_a_list_of_other_categories_was_not_filtered() -> None:
    answer = own_json("jumpit_page1")
    labels = ["HW/임베디드", "서버/백엔드 개발자", "DBA"]
    for position, label in zip(answer["result"]["positions"], labels, strict=True):
        position["jobCategory"] = label
    refused = refusal_of_list(ADAPTER, page(answer), SERVER)
    assert (refused.outcome, refused.reason) == (
        Outcome.LAYOUT_CHANGED,
        "the list is not filtered by jobCategory 1 (서버/백엔드 개발자): 2 of 3 postings are of others",
    )
    assert len(ADAPTER.parse_list(None, page(answer), None).postings) == 3, "a saved file can't be checked"


def test_a_category_that_was_only_renamed_is_still_filtered() -> None:
    answer = own_json("jumpit_page1")
    for position in answer["result"]["positions"]:
        position["jobCategory"] = "백엔드,SW"
    assert len(ADAPTER.parse_list(SERVER, page(answer), None).postings) == 3


def test_a_posting_without_categories_is_no_evidence_against_the_filter() -> None:
    answer = own_json("jumpit_page1")
    for position in answer["result"]["positions"][1:]:
        position["jobCategory"] = ""
    assert len(ADAPTER.parse_list(SERVER, page(answer), None).postings) == 3


@pytest.mark.parametrize(("asked", "echoed"), [("서버", ""), ("", "서버"), ("서버", "데이터")])
def test_an_answer_that_echoes_another_keyword_is_refused(asked: str, echoed: str) -> None:
    answer = own_json("jumpit_page1")
    answer["result"]["keyword"] = echoed
    search = target(Platform.JUMPIT, category_code="1", keyword=asked)
    assert refusal_of_list(ADAPTER, page(answer), search).outcome is Outcome.LAYOUT_CHANGED


def test_a_removed_posting_is_not_found() -> None:
    refused = refusal_of_detail(ADAPTER, page(own_json("jumpit_removed"), status=400))
    assert (refused.outcome, refused.reason) == (Outcome.NOT_FOUND, "code C003: 존재하지 않는 포지션입니다.")


def test_an_answer_without_a_result_says_why() -> None:
    refused = refusal_of_list(ADAPTER, page({"message": "점검 중", "status": 200, "code": "E999", "result": None}))
    assert (refused.outcome, refused.reason) == (Outcome.LAYOUT_CHANGED, "no result; code 'E999': '점검 중'")


def test_an_answer_whose_result_is_no_object_is_another_layout() -> None:
    assert is_refused_both_ways(ADAPTER, page({"code": "C001", "result": []}), Outcome.LAYOUT_CHANGED)


@pytest.mark.parametrize("flag", ["invisible", "hiddenPosition"])
def test_a_hidden_detail_is_not_found(flag: str) -> None:
    detail = own_json("jumpit_detail")
    detail["result"][flag] = True
    assert refusal_of_detail(ADAPTER, page(detail)).outcome is Outcome.NOT_FOUND


def test_a_saved_detail_tells_what_the_list_tells_and_the_text() -> None:
    listed = ADAPTER.parse_list(SERVER, page(own_json("jumpit_page1")), None).postings[0]
    detail = ADAPTER.parse_detail(page(own_json("jumpit_detail")), None)
    assert detail.signature == listed.signature
    assert (detail.title, detail.company_name, detail.deadline_at) == ("서버 개발자", "달떡소프트", until(2026, 8, 1))
    body = "떡을 만드는 회사\n서버팀\n주요업무\n• 서버 개발\n자격요건\n• Java\n복지 및 혜택\n• 재택근무 주 2회"
    assert detail.description_body == body
    assert ADAPTER.parse_detail(page(own_json("jumpit_detail")), listed).description_body == body


def test_there_are_22_categories() -> None:
    found = {category.code: category.label for category in ADAPTER.categories()}
    assert len(found) == 22
    assert (found["1"], found["19"]) == ("서버/백엔드 개발자", "빅데이터 엔지니어")


def test_the_captured_category_page_reads_as_it_shows() -> None:
    ai = target(Platform.JUMPIT, category_code="8")
    listed = ADAPTER.parse_list(ai, captured("jumpit/positions_jobCategory_2026-07-20_page1.json"), None)
    assert (len(listed.postings), listed.declared_total, listed.next_cursor) == (16, 152, "2:16")
    assert (listed.skipped_ids, listed.unidentified) == ((), 0)
    first = listed.postings[0]
    assert (first.source_job_id, first.title) == ("54361338", "[로봇/AI] 3D vision Engineer (경력)")
    assert (first.company_name, first.company_identifier) == ("세코어로보틱스", "7068602814")
    assert first.deadline_at == until(2026, 8, 1)
    assert first.posting_url == "https://jumpit.saramin.co.kr/position/54361338"
    newcomer = by_id(listed)["54295530"]
    assert (newcomer.title, newcomer.deadline_at) == ("데이터 엔지니어(DE)", until(2026, 7, 28))
    assert newcomer.structured_tags[-2:] == ("서울 마포구", "신입")


def test_the_captured_page_that_ignored_its_keyword_is_refused_for_its_categories() -> None:
    answer = captured("jumpit/positions_keyword_2026-07-20_page1.json")
    asked = target(Platform.JUMPIT, category_code="19", keyword="데이터 엔지니어")
    assert refusal_of_list(ADAPTER, answer, asked).outcome is Outcome.LAYOUT_CHANGED
    saved = ADAPTER.parse_list(None, answer, None)
    assert (len(saved.postings), saved.declared_total) == (16, 610)
    assert (saved.postings[0].source_job_id, saved.postings[0].title) == ("54508661", "NVR Web viewer개발(13↑)")


def test_the_captured_page_with_an_empty_category_reads_as_it_shows() -> None:
    listed = ADAPTER.parse_list(None, captured("jumpit/positions_career0_2026-05-20_2items.json"), None)
    assert [(each.source_job_id, each.title, each.company_name) for each in listed.postings] == [
        ("53688979", "B2B 프로젝트 개발팀 신입", "에스피에이치"),
        ("53682712", "Windows 어플리케이션 개발자", "도프텍"),
    ]
    assert {posting.deadline_at for posting in listed.postings} == {until(2026, 5, 20)}
    assert listed.postings[1].structured_tags == (".NET", "C#", "Java", "WPF", "서울 중구", "경력 1~15년")
    assert listed.declared_total == 3


def test_the_captured_detail_has_the_signature_of_its_list_item() -> None:
    listed = ADAPTER.parse_list(None, captured("jumpit/positions_career0_2026-05-20_2items.json"), None)
    detail = ADAPTER.parse_detail(captured("jumpit/position_detail_53688979_2026-05-21.json"), None)
    assert detail.signature == by_id(listed)["53688979"].signature
    assert detail.deadline_at == until(2026, 5, 20)
    assert detail.description_body is not None
    assert "매주 금요일 원격(재택)근무" in detail.description_body
