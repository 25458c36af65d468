"""Greenhouse: one answer is the whole board."""

from __future__ import annotations

import pytest

from daemon.sources.model import ChangeSignalKind, Outcome, Platform
from daemon.sources.sites.greenhouse import ADAPTER
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

BOARD = target(Platform.GREENHOUSE, slug="moonrice")


def test_the_whole_board_is_asked_for_with_its_texts() -> None:
    request = ADAPTER.list_request(BOARD, None)
    assert request.url == "https://boards-api.greenhouse.io/v1/boards/moonrice/jobs?content=true"
    assert request.method == "GET"


def test_one_answer_is_the_end_of_the_list() -> None:
    listed = ADAPTER.parse_list(BOARD, page(own_json("greenhouse_board")), None)
    assert (len(listed.postings), listed.next_cursor, listed.declared_total) == (3, None, 3)


def test_an_empty_board_is_a_complete_zero() -> None:
    listed = ADAPTER.parse_list(BOARD, page({"jobs": [], "meta": {"total": 0}}), None)
    assert (listed.postings, listed.next_cursor, listed.declared_total) == ((), None, 0)


def test_a_board_says_its_total_even_when_it_brings_less() -> None:
    answer = own_json("greenhouse_board")
    answer["meta"]["total"] = 40
    assert ADAPTER.parse_list(BOARD, page(answer), None).declared_total == 40


def test_a_posting_carries_title_link_company_and_text() -> None:
    posting = ADAPTER.parse_list(BOARD, page(own_json("greenhouse_board")), None).postings[0]
    assert posting.source_job_id == "7001"
    assert posting.title == "서버 개발자 (R&D) & 인프라"
    assert posting.posting_url == "https://job-boards.greenhouse.io/moonrice/jobs/7001"
    assert posting.company_name == "달떡"
    assert posting.description_body == "달떡 팀 소개\nR&D 팀이에요.\n주 3회 재택근무\na < b"


def test_content_that_is_not_escaped_is_not_unescaped() -> None:
    answer = own_json("greenhouse_board")
    answer["jobs"][0]["content"] = "<p>a &lt;b&gt; c</p>"
    assert ADAPTER.parse_list(BOARD, page(answer), None).postings[0].description_body == "a <b> c"


def test_a_structured_field_is_a_tag_unless_it_says_no_or_is_housekeeping() -> None:
    posting = ADAPTER.parse_list(BOARD, page(own_json("greenhouse_board")), None).postings[0]
    assert posting.structured_tags == (
        "Employment Type: 정규직",
        "Work Style: 원격근무",
        "Work Style: 출근",
        "Visa Support: Yes",
        "Keywords: 서버, 백엔드",
        "Location: Seoul",
    )


def test_edits_are_noticed_by_updated_at_in_utc_whatever_offset_it_has() -> None:
    postings = ADAPTER.parse_list(BOARD, page(own_json("greenhouse_board")), None).postings
    signatures = [posting.signature for posting in postings if posting.signature]
    assert [each.value for each in signatures] == [
        "2026-05-26T01:00:02+00:00",
        "2026-01-10T14:00:00+00:00",
        "2026-05-26T01:00:02+00:00",
    ]
    assert {each.kind for each in signatures} == {ChangeSignalKind.UPDATED_AT}


@pytest.mark.parametrize("broken", ["", "yesterday", "2026-05-25T21:00:02", "0001-01-01T00:00:00+09:00", None])
def test_a_posting_without_a_readable_updated_at_is_malformed(broken: str | None) -> None:
    answer = own_json("greenhouse_board")
    answer["jobs"] = [{**answer["jobs"][1], "id": n} for n in range(5)]
    answer["jobs"][0]["updated_at"] = broken
    listed = ADAPTER.parse_list(BOARD, page(answer), None)
    assert (listed.skipped_ids, len(listed.postings)) == (("0",), 4)


def test_a_board_without_deadlines_is_always_open() -> None:
    """Failure path 9 of seed 001, first half: no deadline on Greenhouse is always open."""
    posting = ADAPTER.parse_list(BOARD, page(own_json("greenhouse_board")), None).postings[0]
    assert posting.deadline_at is None


@pytest.mark.parametrize(
    ("written", "deadline"),
    [
        ("2026-06-30", until(2026, 6, 30)),
        ("2026-06-30T00:00:00-04:00", until(2026, 6, 30)),
        ("2026-06-30T18:00:00-04:00", at(2026, 7, 1, 7)),
        ("", None),
        (None, None),
    ],
)
def test_only_application_deadline_is_a_deadline(written: str | None, deadline: object) -> None:
    answer = own_json("greenhouse_board")
    answer["jobs"][0]["application_deadline"] = written
    assert ADAPTER.parse_list(BOARD, page(answer), None).postings[0].deadline_at == deadline


@pytest.mark.parametrize("address", ["javascript:alert(1)", "/jobs/7001", "https://", "https://x y", ""])
def test_a_posting_whose_link_is_no_web_address_is_malformed(address: str) -> None:
    answer = own_json("greenhouse_board")
    answer["jobs"] = [{**answer["jobs"][1], "id": n} for n in range(5)]
    answer["jobs"][4]["absolute_url"] = address
    assert ADAPTER.parse_list(BOARD, page(answer), None).skipped_ids == ("4",)


def test_an_unknown_board_is_not_found() -> None:
    refused = refusal_of_list(ADAPTER, page({"status": 404, "error": "Job board not found"}, status=404), BOARD)
    assert refused.outcome is Outcome.NOT_FOUND
    assert refusal_of_list(ADAPTER, page({"status": 404, "error": "Job board not found"})).outcome is Outcome.NOT_FOUND


def test_no_detail_is_ever_asked_for_but_a_saved_one_is_read() -> None:
    job = own_json("greenhouse_board")["jobs"][0]
    posting = ADAPTER.parse_list(BOARD, page(own_json("greenhouse_board")), None).postings[0]
    assert ADAPTER.detail_requests(BOARD, posting) == ()
    assert ADAPTER.parse_detail(page({**job, "questions": []}), None) == posting
    assert refusal_of_detail(ADAPTER, page({**job, "id": 1}), posting).outcome is Outcome.LAYOUT_CHANGED


def test_the_captured_board_of_daangn_reads_as_it_shows() -> None:
    listed = ADAPTER.parse_list(BOARD, captured("greenhouse/daangn_jobs_2026-05-27_first14.json"), None)
    assert (len(listed.postings), listed.declared_total, listed.next_cursor) == (14, 14, None)
    assert (listed.skipped_ids, listed.unidentified) == ((), 0)
    assert {posting.deadline_at for posting in listed.postings} == {None}
    assert {posting.company_name for posting in listed.postings} == {"당근마켓"}
    intern = by_id(listed)["7726903003"]
    assert intern.title == "[2026 당근 썸머 디자인] Product Designer (인턴)"
    assert intern.posting_url == "https://about.daangn.com?gh_jid=7726903003"
    assert intern.signature is not None
    assert intern.signature.value == "2026-05-26T01:00:02+00:00"
    assert {"Corporate: 당근", "Employment Type: 인턴", "Prior Experience: 신입/경력"} <= set(intern.structured_tags)
    assert intern.description_body is not None
    assert intern.description_body.startswith("당근 팀 합류 여정에 오르신 것을 진심으로 환영해요\n당근은 회사의 성장에")
    assert all(escape not in intern.description_body for escape in ("&nbsp;", "&amp;", "&lt;", "<p>"))
    network = by_id(listed)["5004587003"]
    assert network.title == "Network Engineer | 인프라 (네트워크, Cloud)"
    assert {"Engineer: Yes", "Alternative Civilian Service: Yes"} <= set(network.structured_tags)


def test_the_captured_board_of_krafton_reads_as_it_shows() -> None:
    listed = ADAPTER.parse_list(BOARD, captured("greenhouse/krafton_jobs_2026-06-06.json"), None)
    assert (len(listed.postings), listed.declared_total) == (11, 11)
    amsterdam = by_id(listed)["8561970002"]
    assert amsterdam.title == "AI Engineer", "the board's own title ends in a blank"
    assert amsterdam.structured_tags == ("Employment Type: Regular", "Corp./Studios: KRAFTON", "Location: Amsterdam")
    assert amsterdam.signature is not None
    assert amsterdam.signature.value == "2026-05-22T13:31:19+00:00"
    assert amsterdam.posting_url == "https://job-boards.greenhouse.io/krafton/jobs/8561970002"


def test_the_captured_board_of_moloco_reads_without_any_metadata() -> None:
    listed = ADAPTER.parse_list(BOARD, captured("greenhouse/moloco_jobs_2026-06-06.json"), None)
    assert [(posting.source_job_id, posting.title) for posting in listed.postings] == [
        ("7635045003", "Machine Learning Engineer Intern (3-month internship)"),
        ("7715502003", "Director, Internal Communications"),
        ("7562204003", "Applied Scientist II (응용 과학자 II)"),
        ("7719162003", "Director of APAC Communications"),
        ("7711666003", "Expression of Interest(채용관심등록): Software Engineer - Korea"),
    ]
    assert listed.postings[0].structured_tags == ("Location: Seoul, Korea",)
    assert {posting.company_name for posting in listed.postings} == {"Moloco"}
