"""Surfit: no real answer is known, so what is read is what the seeds name, and every surprise says what it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daemon.sources.model import ChangeSignalKind, DetailUse, Outcome, Platform
from daemon.sources.sites.surfit import ADAPTER
from tests.sites.answers import (
    at,
    by_id,
    own_json,
    page,
    refusal_of_list,
    target,
    until,
)

ALL = target(Platform.SURFIT, category_code="all")


@pytest.mark.parametrize(("cursor", "number"), [(None, 1), ("2", 2)])
def test_a_page_is_asked_for_by_post_with_the_sites_own_origin(cursor: str | None, number: int) -> None:
    request = ADAPTER.list_request(ALL, cursor)
    assert (request.method, request.url) == ("POST", "https://api.surfit.io/v1/jobs/all")
    assert json.loads(request.json_body or b"") == {"page": number}
    headers = dict(ADAPTER.capabilities.compliance.headers)
    assert (headers["Origin"], headers["Referer"]) == ("https://jobs.surfit.io", "https://jobs.surfit.io/")


def test_what_the_seeds_name_is_read() -> None:
    listed = ADAPTER.parse_list(ALL, page(own_json("surfit_guess")), None)
    assert [(each.source_job_id, each.title, each.company_name, each.deadline_at) for each in listed.postings] == [
        ("111135", "의료영상 AI Engineer (Junior)", "웨이브센", None),
        ("111260", "HR Partner", "플렉", until(2026, 10, 31)),
    ]
    assert listed.postings[0].posting_url == "https://jobs.surfit.io/post/111135"
    assert listed.postings[0].signature is not None
    assert listed.postings[0].signature.kind is ChangeSignalKind.FIELD_HASH
    assert (listed.withdrawn_ids, listed.declared_total) == (("68205",), 3)


def test_pages_go_on_until_one_is_empty_unless_the_answer_names_the_last() -> None:
    answer = own_json("surfit_guess")
    assert ADAPTER.parse_list(ALL, page(answer), None).next_cursor == "2"
    assert ADAPTER.parse_list(ALL, page({**answer, "data": []}), "2").next_cursor is None
    answer["meta"] = {"last_page": 2}
    assert ADAPTER.parse_list(ALL, page(answer), None).next_cursor == "2"
    assert ADAPTER.parse_list(ALL, page(answer), "2").next_cursor is None


@pytest.mark.parametrize("envelope", ["list", "jobs", "items", "results"])
def test_the_list_may_have_one_of_several_names(envelope: str) -> None:
    items = own_json("surfit_guess")["data"]
    for answer in ({envelope: items}, {"data": {envelope: items, "total": 9}}, {"result": {envelope: items}}, items):
        assert len(ADAPTER.parse_list(ALL, page(answer), None).postings) == 2


def _deadline(**fields: Any) -> object:
    item = {"id": 1, "title": "A", "company": "B", **fields}
    return ADAPTER.parse_list(ALL, page({"data": [item]}), None).postings[0].deadline_at


@pytest.mark.parametrize(
    ("close", "ads_end_at", "deadline"),
    [
        ("상시채용", "2026-10-31", None),
        ("채용시까지", "2026-10-31", None),
        ("채용 시 까지", None, None),
        (None, None, None),
        ("", "", None),
        (None, "2026-10-31 00:00:00", until(2026, 10, 31)),
        (None, "2026-10-31T18:00:00+09:00", at(2026, 10, 31, 18)),
        ("~10.31", None, until(2026, 10, 31)),
        ("D-3", None, until(2026, 9, 20)),
        ("낯선 말", "2026-10-31", until(2026, 10, 31)),
        (None, 1793458799, until(2026, 10, 31)),
        (None, 1793458799000, until(2026, 10, 31)),
    ],
)
def test_words_for_no_end_win_over_the_date(close: object, ads_end_at: object, deadline: object) -> None:
    assert _deadline(close=close, ads_end_at=ads_end_at) == deadline


def test_either_field_is_enough_but_one_must_be_there() -> None:
    assert _deadline(ads_end_at="2026-10-31") == until(2026, 10, 31)
    assert _deadline(close="상시채용") is None
    item = {"id": 1, "title": "A", "company": "B"}
    refused = refusal_of_list(ADAPTER, page({"data": [item]}), ALL)
    assert refused.outcome is Outcome.LAYOUT_CHANGED
    assert "neither close nor ads_end_at is there" in refused.reason


@pytest.mark.parametrize("surprise", ["낯선 말", "마감"])
def test_unknown_words_for_a_deadline_are_a_surprise(surprise: str) -> None:
    item = {"id": 1, "title": "A", "company": "B", "close": surprise, "ads_end_at": None}
    assert surprise in refusal_of_list(ADAPTER, page({"data": [item]}), ALL).reason


@pytest.mark.parametrize("number", [-1, 10**20, 1.5e300, True])
def test_a_number_that_is_no_instant_is_a_surprise(number: object) -> None:
    item = {"id": 1, "title": "A", "company": "B", "close": None, "ads_end_at": number}
    assert refusal_of_list(ADAPTER, page({"data": [item]}), ALL).outcome is Outcome.LAYOUT_CHANGED


def test_an_answer_without_a_list_names_the_keys_that_it_has() -> None:
    refused = refusal_of_list(ADAPTER, page({"postings": [], "ok": True}), ALL)
    assert refused.reason == "no list of postings in the answer; its keys: postings, ok"


def test_a_posting_without_a_company_is_malformed() -> None:
    item = {"title": "A", "close": None}
    items = [{**item, "id": n, "company": "B"} for n in range(4)] + [{**item, "id": 9, "company": {"name": None}}]
    assert ADAPTER.parse_list(ALL, page({"data": items}), None).skipped_ids == ("9",)


def test_nothing_can_be_chosen_but_everything() -> None:
    assert [(each.code, each.label) for each in ADAPTER.categories()] == [("all", "전체")]


def test_no_detail_is_known() -> None:
    posting = by_id(ADAPTER.parse_list(ALL, page(own_json("surfit_guess")), None))["111135"]
    assert ADAPTER.detail_requests(ALL, posting) == ()
    assert ADAPTER.capabilities.detail_use is DetailUse.NONE
