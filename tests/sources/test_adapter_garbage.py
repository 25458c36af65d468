"""No adapter can be broken by what a site sends: whatever it is, there is an outcome, and never an exception.

Here are answers that never were right; those that once were, with a part of them broken, are tests/fuzz's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.sources.model import (
    CollectionTarget,
    ListPage,
    NotFetched,
    Outcome,
    Page,
    Platform,
    RawJobPosting,
    SourceAdapter,
    SourceType,
    Unreadable,
)
from daemon.sources.reading import read_detail, read_list
from daemon.sources.registry import ADAPTERS, adapter_of
from tests.sources.hostile_plays import CHALLENGE
from tests.sources.saved_answers import saved_answers

NOW = datetime(2026, 9, 17, 3, 0, tzinfo=UTC)

GARBAGE = {
    "nothing": b"",
    "blanks": b" \r\n\t ",
    "nul": b"\0" * 1000,
    "every-byte": bytes(range(256)) * 10,
    "half-utf8": "가".encode()[:2],
    "cp949-in-json": b'{"data": "\xb0\xf8"}',
    "utf16": "<html>가나다</html>".encode("utf-16"),
    "text": "점검 중입니다. 잠시 후 다시 시도해 주세요.".encode(),
    "html": b"<html><body><h1>Service unavailable</h1></body></html>",
    "challenge": CHALLENGE,
    "unclosed": b"<" * 10_000,
    "deep-json": b"[" * 100_000,
    "deep-object": b'{"a":' * 100_000,
    "json-null": b"null",
    "json-number": b"1e999",
    "json-nan": b"NaN",
    "json-big-number": b"9" * 10_000,
    "json-string": b'"jobs"',
    "json-list": b"[1, null, {}]",
    "json-nothing": b"{}",
    "json-half-emoji": b'{"data": ["\\ud83d"' + b"[" * 50_000,
    "json-cut": b'{"jobs": [{"id": 1, "title": "a"',
    "json-nul": b'{"jobs": [\0]}',
    "json-error": b'{"error": {"code": 500, "message": "internal"}}',
    "xml": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>',
    "gzip": b"\x1f\x8b\x08" + b"\0" * 100,
}


@pytest.fixture(params=sorted(ADAPTERS), ids=str)
def adapter(request: pytest.FixtureRequest) -> SourceAdapter:
    return adapter_of(request.param)


def page(body: bytes, status: int = 200) -> Page:
    return Page(body=body, answered_at=NOW, status=status, content_type="text/html; charset=euc-kr")


def target(adapter: SourceAdapter) -> CollectionTarget:
    platform = adapter.capabilities.platform
    if adapter.capabilities.source_type is SourceType.COMPANY_BOUND:
        return CollectionTarget(job_source_id=1, platform=platform, slug="woowahan")
    return CollectionTarget(job_source_id=1, platform=platform, category_code=adapter.categories()[0].code)


def listed() -> RawJobPosting:
    return RawJobPosting(
        source_job_id="1", title="백엔드 XJ-9 시험", posting_url="https://a.example/1", deadline_at=None, signature=None
    )


def read_every_way(
    adapter: SourceAdapter, body: bytes, status: int = 200
) -> list[ListPage | RawJobPosting | Unreadable]:
    """The parsers themselves, without the net of `reading`: anything but Unreadable fails the test."""
    answer = page(body, status)
    ways: list[Callable[[], ListPage | RawJobPosting]] = [
        lambda: adapter.parse_list(None, answer, None),
        lambda: adapter.parse_list(target(adapter), answer, None),
        lambda: adapter.parse_detail(answer, None),
        lambda: adapter.parse_detail(answer, listed()),
    ]
    results: list[ListPage | RawJobPosting | Unreadable] = []
    for way in ways:
        try:
            results.append(way())
        except Unreadable as refusal:
            results.append(refusal)
    refusals = [result for result in results if isinstance(result, Unreadable)]
    assert all(refusal.reason and refusal.outcome is not Outcome.FETCHED for refusal in refusals)
    return results


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("name", sorted(GARBAGE))
def test_garbage_is_refused_by_name(adapter: SourceAdapter, name: str, status: int) -> None:
    named = {Outcome.LAYOUT_CHANGED} if status == 200 else {Outcome.LAYOUT_CHANGED, Outcome.PROTOCOL_ERROR}
    for result in read_every_way(adapter, GARBAGE[name], status):
        assert isinstance(result, Unreadable), f"{name} was read as {result}"
        assert result.outcome in named


KOREAN_WALL = "<p>비정상적인 접근이 감지되어 페이지를 찾을 수 없습니다. 보안문자를 입력해 주세요.</p>"


@pytest.mark.parametrize("wall", [CHALLENGE, KOREAN_WALL.encode(), KOREAN_WALL.encode("cp949")])
def test_a_walls_page_is_blocked_for_every_site(adapter: SourceAdapter, wall: bytes) -> None:
    answer = read_list(adapter, None, page(wall), None)
    assert isinstance(answer, NotFetched)
    assert answer.outcome is Outcome.BLOCKED
    detail = read_detail(adapter, page(wall), listed())
    assert isinstance(detail, NotFetched)
    assert detail.outcome is Outcome.BLOCKED


@pytest.mark.parametrize("foreign", sorted(Platform), ids=str)
def test_another_sites_answer_lists_no_posting(adapter: SourceAdapter, foreign: Platform) -> None:
    own = {file.path for file in saved_answers(adapter.capabilities.platform)}
    for file in saved_answers(foreign):
        if file.path not in own:
            for result in read_every_way(adapter, file.body)[:2]:
                # Surfit's shape is a guess, so an empty list under a likely name passes for one: an abnormal zero.
                empty = isinstance(result, ListPage) and not result.postings
                assert empty or isinstance(result, Unreadable), f"{file} was read as {result}"


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_noise_is_refused_by_name(adapter: SourceAdapter, body: bytes) -> None:
    for result in read_every_way(adapter, body):
        assert isinstance(result, Unreadable)


NAMES = ("jobs", "data", "meta", "id", "title", "result", "code", "list", "total", "links", "next", "totalPages")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), inner, max_size=5)
    ),
    max_leaves=20,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=json_values)
def test_json_of_any_shape_has_an_outcome(adapter: SourceAdapter, value: Any) -> None:
    for result in read_every_way(adapter, json.dumps(value).encode()):
        assert isinstance(result, ListPage | RawJobPosting | Unreadable)
