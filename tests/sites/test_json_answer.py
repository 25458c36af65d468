"""What all JSON sites have in common: whatever comes is a list, a posting, or a named outcome."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from daemon.sources import json_answer
from daemon.sources.model import ListPage, Outcome, RawJobPosting, SourceAdapter, Unreadable
from daemon.sources.sites import greenhouse, jumpit, remember, surfit, wanted, woowahan
from tests.sites.answers import own_json, page, refusal_of_detail, refusal_of_list

SITES = [
    pytest.param(greenhouse.ADAPTER, id="greenhouse"),
    pytest.param(woowahan.ADAPTER, id="woowahan"),
    pytest.param(jumpit.ADAPTER, id="jumpit"),
    pytest.param(wanted.ADAPTER, id="wanted"),
    pytest.param(remember.ADAPTER, id="remember"),
    pytest.param(surfit.ADAPTER, id="surfit"),
]

LISTS = [
    pytest.param(greenhouse.ADAPTER, "greenhouse_board", id="greenhouse"),
    pytest.param(woowahan.ADAPTER, "woowahan_page1of2", id="woowahan"),
    pytest.param(jumpit.ADAPTER, "jumpit_page1", id="jumpit"),
    pytest.param(wanted.ADAPTER, "wanted_page", id="wanted"),
    pytest.param(remember.ADAPTER, "remember_page1of3", id="remember"),
    pytest.param(surfit.ADAPTER, "surfit_guess", id="surfit"),
]

DETAILS = [
    pytest.param(woowahan.ADAPTER, "woowahan_detail", id="woowahan"),
    pytest.param(jumpit.ADAPTER, "jumpit_detail", id="jumpit"),
    pytest.param(wanted.ADAPTER, "wanted_detail", id="wanted"),
    pytest.param(remember.ADAPTER, "remember_detail", id="remember"),
]

ODD_VALUES: list[Any] = [None, True, -1, 10**30, 1.5, "", "x\0\u200by", "9" * 300, [], [[]], {}, {"id": {}}]


@pytest.mark.parametrize("adapter", SITES)
def test_a_login_page_in_place_of_json_is_told_from_a_changed_layout(adapter: SourceAdapter) -> None:
    answer = page(b"<form><input name=pw type='password'></form>")
    assert refusal_of_list(adapter, answer).outcome is Outcome.LOGIN_REQUIRED


@pytest.mark.parametrize("adapter", SITES)
@pytest.mark.parametrize(
    ("status", "outcome"), [(404, Outcome.NOT_FOUND), (410, Outcome.NOT_FOUND), (400, Outcome.PROTOCOL_ERROR)]
)
@pytest.mark.parametrize("body", [b"", b"<h1>Error</h1>", b"oops", b'{"message": "bad request"}', b"[1]"])
def test_an_error_status_is_the_outcome_when_the_body_has_no_word_of_its_own(
    adapter: SourceAdapter, status: int, outcome: Outcome, body: bytes
) -> None:
    assert refusal_of_list(adapter, page(body, status=status)).outcome is outcome


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from _places(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from _places(value[index], (*path, index))


def _altered(answer: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(answer)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return changed


def _without(answer: Any, path: tuple[Any, ...]) -> Any:
    changed = copy.deepcopy(answer)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    return changed


def _variants(answer: Any) -> Iterator[Any]:
    for path in _places(answer):
        yield _without(answer, path)
        for value in ODD_VALUES:
            yield _altered(answer, path, value)


def _assert_sound(posting: RawJobPosting) -> None:
    assert 0 < len(posting.source_job_id) <= 200
    assert posting.title.strip() == posting.title != ""
    assert posting.posting_url.startswith("https://")
    assert posting.signature is not None
    assert posting.deadline_at is None or posting.deadline_at.tzinfo is not None
    assert "\0" not in f"{posting.title}{posting.company_name}{posting.structured_tags}{posting.description_body}"


@pytest.mark.parametrize(("adapter", "name"), LISTS)
def test_no_wrong_type_anywhere_in_a_list_breaks_its_parser(adapter: SourceAdapter, name: str) -> None:
    read = 0
    for variant in _variants(own_json(name)):
        try:
            listed = adapter.parse_list(None, page(variant), None)
        except Unreadable:
            continue
        assert isinstance(listed, ListPage)
        for posting in listed.postings:
            _assert_sound(posting)
        read += 1
    assert read > 100, "most fields only enrich: without them the list is still a list"


@pytest.mark.parametrize(("adapter", "name"), DETAILS)
def test_no_wrong_type_anywhere_in_a_detail_breaks_its_parser(adapter: SourceAdapter, name: str) -> None:
    read = 0
    for variant in _variants(own_json(name)):
        try:
            _assert_sound(adapter.parse_detail(page(variant), None))
        except Unreadable:
            continue
        read += 1
    assert read > 100


@pytest.mark.parametrize(("adapter", "name"), LISTS)
def test_a_list_is_no_detail(adapter: SourceAdapter, name: str) -> None:
    assert refusal_of_detail(adapter, page(own_json(name))).outcome is Outcome.LAYOUT_CHANGED


@pytest.mark.parametrize(("adapter", "name"), DETAILS)
def test_a_detail_is_no_list(adapter: SourceAdapter, name: str) -> None:
    assert refusal_of_list(adapter, page(own_json(name))).outcome is Outcome.LAYOUT_CHANGED


def test_a_byte_order_mark_is_no_part_of_the_answer() -> None:
    assert json_answer.read_object(page(b'\xef\xbb\xbf{"a": 1}')) == {"a": 1}


def test_half_an_emoji_costs_a_character_and_not_the_list() -> None:
    answer = json_answer.read_object(page(b'{"cut": "\\ud83d", "whole": "\\ud83d\\ude00"}'))
    assert answer == {"cut": "?", "whole": "\U0001f600"}


@pytest.mark.parametrize("bad", [None, True, "", "12/../3", -5, 1.5, "1" * 201, [1]])
def test_an_id_that_is_no_number_is_none(bad: object) -> None:
    assert json_answer.item_id({"id": bad}) == ""
    assert json_answer.item_id(bad) == ""
    assert (json_answer.item_id({"id": 7}), json_answer.item_id({"id": "7"})) == ("7", "7")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("  R&D \n 팀장\u200b ", "R&D 팀장"),
        ("Q&amp;A &lt;서버&gt; &#39;x&#39; &nbsp;끝", "Q&A <서버> 'x' 끝"),
        ("AT&T &copy 2026", "AT&T &copy 2026"),
    ],
)
def test_a_title_is_what_a_reader_of_the_site_sees(written: str, shown: str) -> None:
    answer = own_json("greenhouse_board")
    answer["jobs"][0]["title"] = written
    assert greenhouse.ADAPTER.parse_list(None, page(answer), None).postings[0].title == shown


@pytest.mark.parametrize(
    ("years", "tag"),
    [
        ((3, 12), ("경력 3~12년",)),
        ((0, 5), ("신입~5년",)),
        ((10, None), ("경력 10년 이상",)),
        ((0, 0), ()),
        ((-1, -1), ()),
        ((None, None), ()),
    ],
)
def test_years_of_experience_read_as_korean_sites_word_them(
    years: tuple[int | None, int | None], tag: tuple[str, ...]
) -> None:
    assert json_answer.career_years(*years) == tag
