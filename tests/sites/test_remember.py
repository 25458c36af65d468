"""Remember: a search by POST whose echo tells whether the server understood it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from daemon.sources.model import ChangeSignalKind, Outcome, Platform
from daemon.sources.sites.remember import ADAPTER
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

BACKEND = target(Platform.REMEMBER, category_code="310")


def _body(category_code: str, cursor: str | None = None, **asked: Any) -> Any:
    request = ADAPTER.list_request(target(Platform.REMEMBER, category_code=category_code, **asked), cursor)
    assert request.url == "https://career-api.rememberapp.co.kr/job_postings/search"
    assert request.method == "POST"
    assert request.json_body is not None
    return json.loads(request.json_body)


def test_the_search_names_its_category_in_snake_case_within_50_a_page() -> None:
    assert _body("311", "3") == {
        "search": {
            "job_category_names": [{"level1": "SW개발", "level2": "프론트엔드"}],
            "organization_type": "without_headhunter",
        },
        "sort": "starts_at_desc",
        "page": 3,
        "per": 50,
    }


def test_a_keyword_is_a_list_of_one() -> None:
    assert _body("310", keyword="서버")["search"]["keywords"] == ["서버"]


def test_a_category_without_a_known_number_is_named_by_its_code() -> None:
    named = _body("디자인/UX>IT프로덕트/UX디자인")["search"]["job_category_names"]
    assert named == [{"level1": "디자인/UX", "level2": "IT프로덕트/UX디자인"}]
    assert _body("영업")["search"]["job_category_names"] == [{"level1": "영업", "level2": None}]


def test_only_what_was_updated_since_is_asked_for_only_when_the_target_says_so() -> None:
    since = datetime(2026, 9, 16, 15, 0, tzinfo=UTC)
    assert _body("310", incremental_since=since)["search"]["min_updated_at"] == "2026-09-17T00:00:00.000+09:00"
    assert "min_updated_at" not in _body("310")["search"]


def test_the_list_ends_with_the_last_page_it_names() -> None:
    answer = own_json("remember_page1of3")
    first = ADAPTER.parse_list(BACKEND, page(answer), None)
    assert (first.next_cursor, first.declared_total) == ("2", 122)
    assert ADAPTER.parse_list(BACKEND, page(answer), "2").next_cursor == "3"
    assert ADAPTER.parse_list(BACKEND, page(answer), "3").next_cursor is None
    answer["data"] = []
    assert ADAPTER.parse_list(BACKEND, page(answer), "2").next_cursor is None


def test_a_saved_file_tells_its_page_itself() -> None:
    answer = own_json("remember_page1of3")
    answer["meta"]["page"] = 2
    assert ADAPTER.parse_list(None, page(answer), None).next_cursor == "3"


def test_a_posting_carries_what_the_list_shows() -> None:
    posting = ADAPTER.parse_list(BACKEND, page(own_json("remember_page1of3")), None).postings[0]
    assert (posting.source_job_id, posting.title) == ("341001", "백엔드 개발자")
    assert (posting.company_name, posting.company_identifier) == ("(주)달떡", "3510000")
    assert posting.posting_url == "https://career.rememberapp.co.kr/job/posting/341001"
    assert posting.structured_tags == ("SW개발 > 백엔드", "SW개발 > 프론트엔드", "서울특별시 강남구", "경력 5~8년")
    assert posting.description_body == (
        "떡 회사\n주요업무\n· 서버 개발\n· 운영\n자격요건\n· Java\n채용절차\n서류 → 면접\n"
        "기타\n근무형태: 정규직\n재택근무 주 2회"
    )
    assert "담당자" not in repr(posting), "a person's name is never read"


@pytest.mark.parametrize(
    ("ends_at", "explicit_due", "deadline"),
    [
        (None, False, None),
        (None, True, None),
        ("2026-10-31T23:59:59.000+09:00", True, until(2026, 10, 31)),
        ("2026-10-31T23:59:59.999+09:00", False, until(2026, 10, 31)),
        ("2026-10-31T00:00:00.000+09:00", True, until(2026, 10, 31)),
        ("2026-10-31T18:00:00.000+09:00", True, at(2026, 10, 31, 18)),
        ("2026-10-31", True, until(2026, 10, 31)),
    ],
)
def test_ends_at_alone_decides(ends_at: str | None, explicit_due: bool, deadline: object) -> None:
    answer = own_json("remember_page1of3")
    answer["data"][0].update(ends_at=ends_at, explicit_due=explicit_due)
    assert ADAPTER.parse_list(BACKEND, page(answer), None).postings[0].deadline_at == deadline


def test_a_list_without_ends_at_does_not_read_as_always_open() -> None:
    answer = own_json("remember_page1of3")
    for job in answer["data"]:
        del job["ends_at"]
    assert "ends_at" in refusal_of_list(ADAPTER, page(answer), BACKEND).reason


def test_a_closed_posting_counts_towards_the_total_only() -> None:
    listed = ADAPTER.parse_list(BACKEND, page(own_json("remember_page1of3")), None)
    assert (set(by_id(listed)), listed.withdrawn_ids) == ({"341001", "341002"}, ("341003",))


def _with_echo(**echo: Any) -> Any:
    answer = own_json("remember_page1of3")
    answer["meta"]["logger_info"]["query_meta_data"]["search"].update(echo)
    return page(answer)


@pytest.mark.parametrize(
    "echo",
    [
        {"job_category_ids": None},
        {"job_category_ids": []},
        {"job_category_ids": [311]},
    ],
)
def test_a_search_that_the_server_did_not_understand_is_refused(echo: dict[str, Any]) -> None:
    refused = refusal_of_list(ADAPTER, _with_echo(**echo), BACKEND)
    assert refused.outcome is Outcome.LAYOUT_CHANGED
    assert refused.reason == f"asked for category 310, the server understood {echo['job_category_ids']}"
    assert len(ADAPTER.parse_list(None, _with_echo(**echo), None).postings) == 2, "a saved file can't be checked"


def test_a_category_by_names_is_understood_once_the_server_has_any_number_for_it() -> None:
    named = target(Platform.REMEMBER, category_code="AI·데이터>데이터 분석가")
    assert len(ADAPTER.parse_list(named, _with_echo(job_category_ids=[345]), None).postings) == 2
    assert refusal_of_list(ADAPTER, _with_echo(job_category_ids=None), named).outcome is Outcome.LAYOUT_CHANGED


def test_a_keyword_that_the_server_did_not_understand_is_refused() -> None:
    search = target(Platform.REMEMBER, category_code="310", keyword="서버")
    assert len(ADAPTER.parse_list(search, _with_echo(keywords=["서버"]), None).postings) == 2
    for heard in (None, [], ["데이터"]):
        refused = refusal_of_list(ADAPTER, _with_echo(keywords=heard), search)
        assert refused.outcome is Outcome.LAYOUT_CHANGED


def test_an_incremental_search_that_the_server_did_not_understand_is_refused() -> None:
    since = replace(BACKEND, incremental_since=datetime(2026, 9, 16, tzinfo=UTC))
    heard = _with_echo(min_updated_at="2026-09-16T09:00:00.000+09:00")
    assert len(ADAPTER.parse_list(since, heard, None).postings) == 2
    assert refusal_of_list(ADAPTER, _with_echo(), since).outcome is Outcome.LAYOUT_CHANGED


def test_without_an_echo_the_categories_of_the_postings_decide() -> None:
    answer = own_json("remember_page1of3")
    answer["meta"]["logger_info"] = None
    assert len(ADAPTER.parse_list(BACKEND, page(answer), None).postings) == 2
    sales = target(Platform.REMEMBER, category_code="240")
    refused = refusal_of_list(ADAPTER, page(answer), sales)
    assert refused.reason == "the list is not filtered by category 240: 3 of 3 postings are of others"


def _signature(changes: dict[str, object]) -> str:
    answer = own_json("remember_page1of3")
    answer["data"][0].update(changes)
    signature = ADAPTER.parse_list(BACKEND, page(answer), None).postings[0].signature
    assert signature is not None
    assert signature.kind is ChangeSignalKind.FIELD_HASH
    return signature.value


ORGANIZATION = {"id": 1, "name": "(주)달떡 ", "company_id": 3510000}


@pytest.mark.parametrize(
    "noise",
    [
        {"matching_reward": 1, "spotlight": True, "ad_types": ["x"], "viewed_at": "2026-09-17"},
        {"chips": [{"category": "x", "value": "y"}], "company": {"id": 1}},
        {"organization": {**ORGANIZATION, "application_response_metrics": {"response_rate": 1}}},
        {"starts_at": "2026-09-18T00:00:00.000+09:00"},
        {"recruiter": {"name": "담당자B"}},
        {"additional_information": "근무형태: 정규직\r\n\r\n재택근무  주 2회 "},
    ],
)
def test_what_moves_by_itself_is_no_edit(noise: dict[str, object]) -> None:
    assert _signature(noise) == _signature({})


@pytest.mark.parametrize(
    "edit",
    [
        {"title": "백엔드 개발자 (시니어)"},
        {"organization": {**ORGANIZATION, "name": "달떡"}},
        {"ends_at": "2026-10-31T23:59:59.000+09:00"},
        {"job_categories": [{"id": 310, "level1": "SW개발", "level2": "백엔드"}]},
        {"addresses": []},
        {"min_experience": 3},
        {"max_experience": None},
        {"additional_information": "근무형태: 정규직"},
    ],
)
def test_what_an_editor_edits_is_an_edit(edit: dict[str, object]) -> None:
    assert _signature(edit) != _signature({})


def test_the_detail_adds_skills_and_tags_and_leaves_the_rest() -> None:
    listed = ADAPTER.parse_list(BACKEND, page(own_json("remember_page1of3")), None).postings[0]
    (request,) = ADAPTER.detail_requests(BACKEND, listed)
    assert (request.method, request.url) == ("GET", "https://career-api.rememberapp.co.kr/job_postings/341001")
    posting = ADAPTER.parse_detail(page(own_json("remember_detail")), listed)
    assert posting == replace(listed, structured_tags=(*listed.structured_tags, "Java", "재택근무"))
    assert ADAPTER.parse_detail(page(own_json("remember_detail")), None) == posting


def test_a_closed_detail_still_answers_and_is_not_found() -> None:
    detail = own_json("remember_detail")
    detail["data"]["status"] = "closed"
    refused = refusal_of_detail(ADAPTER, page(detail))
    assert (refused.outcome, refused.reason) == (Outcome.NOT_FOUND, "341001 has status closed")


def test_a_detail_of_another_posting_is_not_read_into_this_one() -> None:
    listed = ADAPTER.parse_list(BACKEND, page(own_json("remember_page1of3")), None).postings[1]
    assert refusal_of_detail(ADAPTER, page(own_json("remember_detail")), listed).outcome is Outcome.LAYOUT_CHANGED


def test_the_categories_have_the_numbers_that_captures_give_them() -> None:
    found = {category.code: category.label for category in ADAPTER.categories()}
    assert len(found) == 16
    assert (found["310"], found["340"]) == ("SW개발 > 백엔드", "AI·데이터 > MLOps")
    assert found["디자인/UX>UX리서치"] == "디자인/UX > UX리서치"


def test_the_captured_search_reads_as_it_shows() -> None:
    frontend = target(Platform.REMEMBER, category_code="311")
    listed = ADAPTER.parse_list(frontend, captured("remember/search_per2_page1_2026-09-17.json"), None)
    assert (listed.next_cursor, listed.declared_total) == ("2", 122)
    assert [(each.source_job_id, each.title, each.company_name, each.deadline_at) for each in listed.postings] == [
        ("341688", "프론트엔드 개발자", "(주)인피니티익스체인지코리아", None),
        ("341768", "IT개발팀 리더 (7년 이상)", "빅웨이브로보틱스(주)", None),
    ]
    assert listed.postings[0].description_body is not None
    assert "근무형태: 정규직(수습기간 3개월)" in listed.postings[0].description_body
    assert listed.postings[1].structured_tags[-2:] == ("서울특별시 강남구", "경력 7~15년")


def test_the_captured_search_is_no_answer_to_another() -> None:
    answer = captured("remember/search_per2_page1_2026-09-17.json")
    assert refusal_of_list(ADAPTER, answer, BACKEND).outcome is Outcome.LAYOUT_CHANGED
    searched = target(Platform.REMEMBER, category_code="311", keyword="React")
    assert refusal_of_list(ADAPTER, answer, searched).outcome is Outcome.LAYOUT_CHANGED


def test_the_captured_detail_has_the_signature_and_the_text_of_its_list_item() -> None:
    listed = ADAPTER.parse_list(None, captured("remember/search_per2_page1_2026-09-17.json"), None)
    detail = ADAPTER.parse_detail(captured("remember/job_posting_detail_341688_2026-09-17.json"), None)
    item = by_id(listed)["341688"]
    assert (detail.signature, detail.description_body) == (item.signature, item.description_body)
    assert set(detail.structured_tags) - set(item.structured_tags) >= {"Next.js", "TypeScript", "반반차 제도"}
