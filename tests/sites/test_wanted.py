"""Wanted: the v4 list, followed by the offset of its own next link."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from daemon.sources.model import ChangeSignalKind, CollectionTarget, Outcome, Platform
from daemon.sources.sites.wanted import ADAPTER
from tests.sites.answers import (
    by_id,
    captured,
    own_json,
    page,
    refusal_of_detail,
    refusal_of_list,
    target,
    until,
)

SERVER = target(Platform.WANTED, category_code="872", keyword="서버")


def test_a_category_is_asked_for_newest_first_from_an_offset() -> None:
    parts = urlsplit(ADAPTER.list_request(SERVER, "200").url)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "www.wanted.co.kr", "/api/v4/jobs")
    assert parse_qs(parts.query) == {
        "country": ["kr"],
        "tag_type_ids": ["872"],
        "locations": ["all"],
        "years": ["-1"],
        "limit": ["100"],
        "offset": ["200"],
        "job_sort": ["job.latest_order"],
        "query": ["서버"],
    }


def test_no_keyword_asks_for_none() -> None:
    query = parse_qs(urlsplit(ADAPTER.list_request(target(Platform.WANTED, category_code="518"), None).url).query)
    assert ("query" in query, query["offset"]) == (False, ["0"])


def test_the_next_page_is_where_the_sites_own_link_leads() -> None:
    listed = ADAPTER.parse_list(SERVER, page(own_json("wanted_page")), None)
    assert (listed.next_cursor, listed.declared_total) == ("100", None)


def test_a_null_link_or_an_empty_page_is_the_end() -> None:
    last = own_json("wanted_page")
    last["links"]["next"] = None
    assert ADAPTER.parse_list(SERVER, page(last), "100").next_cursor is None
    empty = own_json("wanted_page")
    empty["data"] = []
    listed = ADAPTER.parse_list(SERVER, page(empty), "100")
    assert (listed.postings, listed.next_cursor) == ((), None)


def test_a_list_without_links_is_no_list_that_has_ended() -> None:
    answer = own_json("wanted_page")
    del answer["links"]["next"]
    assert refusal_of_list(ADAPTER, page(answer), SERVER).outcome is Outcome.LAYOUT_CHANGED


KEPT = "tag_type_ids=872&query=%EC%84%9C%EB%B2%84"


@pytest.mark.parametrize(
    "link",
    [
        f"https://evil.example/api/v4/jobs?{KEPT}&offset=100",
        f"//evil.example/api/v4/jobs?{KEPT}&offset=100",
        f"http://www.wanted.co.kr/api/v4/jobs?{KEPT}&offset=100",
        f"/api/chaos/navigation/v1/results?{KEPT}&offset=100",
        f"/api/v4/jobs/../../admin?{KEPT}&offset=100",
        f"/api/v4/jobs2?{KEPT}&offset=100",
        f"/api/v4/jobs?{KEPT}",
        f"/api/v4/jobs?{KEPT}&offset=",
        f"/api/v4/jobs?{KEPT}&offset=abc",
        f"/api/v4/jobs?{KEPT}&offset=-100",
        f"/api/v4/jobs?{KEPT}&offset=1e9",
        f"/api/v4/jobs?{KEPT}&offset=1{'0' * 30}",
        f"/api/v4/jobs?{KEPT}&offset=0",
        "/api/v4/jobs?query=%EC%84%9C%EB%B2%84&offset=100",
        "/api/v4/jobs?tag_type_ids=518&query=%EC%84%9C%EB%B2%84&offset=100",
        "/api/v4/jobs?tag_type_ids=872&offset=100",
        "http://[",
        "",
    ],
)
def test_a_next_link_that_is_not_that_of_the_list_asked_for_is_refused(link: str) -> None:
    answer = own_json("wanted_page")
    answer["links"]["next"] = link
    assert refusal_of_list(ADAPTER, page(answer), SERVER).outcome is Outcome.LAYOUT_CHANGED


def test_a_next_link_that_does_not_move_on_is_refused() -> None:
    assert ADAPTER.parse_list(SERVER, page(own_json("wanted_page")), "99").next_cursor == "100"
    refused = refusal_of_list(ADAPTER, page(own_json("wanted_page")), SERVER, "100")
    assert refused.reason.startswith("links.next does not move on from 100")


def test_an_absolute_link_to_the_same_list_is_followed() -> None:
    answer = own_json("wanted_page")
    answer["links"]["next"] = f"https://www.wanted.co.kr/api/v4/jobs?{KEPT}&offset=40"
    assert ADAPTER.parse_list(SERVER, page(answer), None).next_cursor == "40"


def test_a_posting_carries_what_the_list_shows() -> None:
    listed = ADAPTER.parse_list(SERVER, page(own_json("wanted_page")), None)
    posting = listed.postings[0]
    assert (posting.source_job_id, posting.title) == ("380001", "서버 개발자")
    assert (posting.company_name, posting.company_identifier) == ("달떡 (Moonrice)", "498")
    assert posting.posting_url == "https://www.wanted.co.kr/wd/380001"
    assert posting.deadline_at == until(2026, 9, 30)
    assert posting.structured_tags == ("서버 개발자", "자바 개발자", "서울 강남구", "경력 5년 이상")
    assert (listed.postings[1].deadline_at, listed.postings[1].structured_tags[-1]) == (None, "신입~5년")


def test_closed_and_hidden_postings_count_towards_the_total_only() -> None:
    listed = ADAPTER.parse_list(SERVER, page(own_json("wanted_page")), None)
    assert (len(listed.postings), listed.withdrawn_ids) == (2, ("380003", "380004"))


def test_a_list_without_due_times_does_not_read_as_always_open() -> None:
    answer = own_json("wanted_page")
    for job in answer["data"]:
        del job["due_time"]
    refused = refusal_of_list(ADAPTER, page(answer), SERVER)
    assert refused.outcome is Outcome.LAYOUT_CHANGED
    assert "due_time" in refused.reason


@pytest.mark.parametrize("asked", ["669", "511"])
def test_a_list_of_other_categories_was_not_filtered(asked: str) -> None:
    answer = own_json("wanted_page")
    answer["links"]["next"] = None
    refused = refusal_of_list(ADAPTER, page(answer), target(Platform.WANTED, category_code=asked))
    assert refused.reason == f"the list is not filtered by tag_type_ids {asked}: 4 of 4 postings are of others"


@pytest.mark.parametrize("asked", ["872", "660", "518"])
def test_a_posting_is_of_its_categories_and_of_their_group(asked: str) -> None:
    answer = own_json("wanted_page")
    answer["links"]["next"] = None
    assert len(ADAPTER.parse_list(target(Platform.WANTED, category_code=asked), page(answer), None).postings) == 2


def _signature(changes: dict[str, object]) -> str:
    answer = own_json("wanted_page")
    answer["data"][0].update(changes)
    signature = ADAPTER.parse_list(SERVER, page(answer), None).postings[0].signature
    assert signature is not None
    assert signature.kind is ChangeSignalKind.FIELD_HASH
    return signature.value


COMPANY = {"id": 498, "name": "달떡 (Moonrice)"}


@pytest.mark.parametrize(
    "noise",
    [
        {"like_count": 31, "is_like": True, "score": 0.7, "matching_score": 1, "is_recommended": True},
        {"reward": {"formatted_total": "1,000,000원"}},
        {"title_img": {"origin": "y"}, "logo_img": None, "compare_country": False},
        {"company": {**COMPANY, "industry_name": "제조", "application_response_stats": {"avg_rate": 90.0}}},
        {"category_tags": [{"parent_id": 518, "id": 660}, {"parent_id": 518, "id": 872}]},
        {"address": {"location": "서울", "district": "강남구", "full_location": "서울 강남구 논현로 2"}},
    ],
)
def test_what_moves_by_itself_is_no_edit(noise: dict[str, object]) -> None:
    assert _signature(noise) == _signature({})


@pytest.mark.parametrize(
    "edit",
    [
        {"position": "서버 개발자 (시니어)"},
        {"company": {**COMPANY, "name": "달떡"}},
        {"due_time": None},
        {"due_time": "2026-10-01"},
        {"category_tags": [{"parent_id": 518, "id": 872}]},
        {"annual_from": 3},
        {"annual_to": 10},
        {"address": {"location": "서울", "district": "서초구"}},
    ],
)
def test_what_an_editor_edits_is_an_edit(edit: dict[str, object]) -> None:
    assert _signature(edit) != _signature({})


def test_the_detail_adds_text_and_skills_and_leaves_the_rest() -> None:
    listed = ADAPTER.parse_list(SERVER, page(own_json("wanted_page")), None).postings[0]
    (request,) = ADAPTER.detail_requests(SERVER, listed)
    assert request.url == "https://www.wanted.co.kr/api/v4/jobs/380001"
    posting = ADAPTER.parse_detail(page(own_json("wanted_detail")), listed)
    assert posting.description_body == (
        "떡 회사\n주요업무\n• 서버 개발\n• 운영\n자격요건\n• Java\n혜택 및 복지\n• 원격근무 가능"
    )
    assert posting.structured_tags == (*listed.structured_tags, "Java", "Kafka")
    assert (posting.title, posting.signature, posting.deadline_at) == (
        listed.title,
        listed.signature,
        listed.deadline_at,
    )


def test_a_saved_detail_tells_what_the_list_tells() -> None:
    listed = ADAPTER.parse_list(SERVER, page(own_json("wanted_page")), None).postings[0]
    detail = ADAPTER.parse_detail(page(own_json("wanted_detail")), None)
    assert (detail.signature, detail.title, detail.company_name) == (
        listed.signature,
        "서버 개발자",
        "달떡 (Moonrice)",
    )


@pytest.mark.parametrize("state", [{"status": "close"}, {"status": "draft"}, {"hidden": True}])
def test_a_closed_detail_is_not_found(state: dict[str, object]) -> None:
    detail = own_json("wanted_detail")
    detail["job"].update(state)
    assert refusal_of_detail(ADAPTER, page(detail)).outcome is Outcome.NOT_FOUND


def test_a_detail_of_another_posting_is_not_read_into_this_one() -> None:
    listed = ADAPTER.parse_list(SERVER, page(own_json("wanted_page")), None).postings[1]
    assert refusal_of_detail(ADAPTER, page(own_json("wanted_detail")), listed).outcome is Outcome.LAYOUT_CHANGED


def test_groups_and_the_categories_of_development_can_be_chosen() -> None:
    found = {category.code: category.label for category in ADAPTER.categories()}
    assert len(found) == 58
    assert (found["518"], found["872"], found["669"]) == ("개발", "개발 > 서버 개발자", "개발 > 프론트엔드 개발자")


@pytest.mark.parametrize("asked", [None, target(Platform.WANTED, category_code="669")])
def test_the_captured_page_with_a_next_link_reads_as_it_shows(asked: CollectionTarget | None) -> None:
    listed = ADAPTER.parse_list(asked, captured("wanted/v4_jobs_limit3_2026-08-15.json"), None)
    assert (listed.next_cursor, listed.declared_total) == ("3", None)
    assert [(each.source_job_id, each.title, each.company_name, each.deadline_at) for each in listed.postings] == [
        ("380901", "Senior Full-Stack Developer", "버티고우게임즈 (Vertigo Games)", until(2026, 9, 30)),
        ("380853", "Software Engineer, Anti-Adblock", "애드쉴드", None),
        ("380814", "프론트엔드 개발자 (4~10년) [역삼역]", "모멘티", until(2026, 8, 30)),
    ]


def test_the_captured_last_page_reads_as_it_shows() -> None:
    listed = ADAPTER.parse_list(None, captured("wanted/v4_jobs_query_2026-07-09_last_page.json"), None)
    assert (len(listed.postings), listed.next_cursor) == (5, None)
    assert [(each.source_job_id, each.deadline_at) for each in listed.postings] == [
        ("363969", until(2026, 7, 31)),
        ("326795", None),
        ("326794", None),
        ("321823", None),
        ("321821", None),
    ]
    assert listed.postings[1].title == "[병역특례] 데이터 엔지니어 (Growth Data Engineer), 부산"
    assert listed.postings[1].company_name == "페이타랩(패스오더)"


def test_the_captured_page_of_one_category_is_no_answer_for_another() -> None:
    answer = captured("wanted/v4_jobs_query_2026-07-09_last_page.json")
    frontend = target(Platform.WANTED, category_code="669")
    assert refusal_of_list(ADAPTER, answer, frontend).outcome is Outcome.LAYOUT_CHANGED


def test_the_captured_detail_has_the_signature_of_its_list_item() -> None:
    listed = ADAPTER.parse_list(None, captured("wanted/v4_jobs_limit3_2026-08-15.json"), None)
    detail = ADAPTER.parse_detail(captured("wanted/v4_job_detail_380901_2026-08-15.json"), None)
    assert detail.signature == by_id(listed)["380901"].signature
    assert (detail.deadline_at, detail.company_identifier) == (until(2026, 9, 30), "498")
    assert detail.description_body is not None
    assert detail.description_body.startswith("버티고우게임즈(Vertigo Games)는 혁신적인 게임 개발과")
    assert detail.description_body.endswith("• 경조사 지원 (경조금&경조휴가)")
    assert {"React", "Spring Boot", "Restful API"} <= set(detail.structured_tags)
    assert "출퇴근" not in detail.structured_tags, "a tag of the company is no tag of the posting"
