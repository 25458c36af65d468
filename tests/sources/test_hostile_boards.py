"""A hostile board from the socket to the postings: real server, executor, a real adapter and the limits."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import (
    CollectionTarget,
    Fetched,
    ListPage,
    NotFetched,
    Outcome,
    Permit,
    Platform,
)
from daemon.sources.reading import read_list
from daemon.sources.registry import adapter_of
from tests.sources.hostile import HostileSite

NOW = datetime(2026, 9, 17, 3, 0, tzinfo=UTC)
BOARD = "/v1/boards/evil"


async def collected(site: HostileSite) -> ListPage | NotFetched:
    """One list page of the board, as a cycle would read it."""
    adapter = adapter_of(Platform.GREENHOUSE)
    executor = Executor(
        Settings.model_validate({"platform_origins": {Platform.GREENHOUSE: site.origin}, "request_timeout_seconds": 5})
    )
    target = CollectionTarget(job_source_id=1, platform=Platform.GREENHOUSE, slug="evil")
    try:
        async with executor.session(adapter) as session:
            request = adapter.list_request(target, None)
            answer = await session.fetch(request, Permit(host=executor.host_of(adapter)), lambda: NOW)
    finally:
        await executor.close()
    return read_list(adapter, target, answer.page, None) if isinstance(answer, Fetched) else answer


def job(number: int, **fields: object) -> dict[str, object]:
    return {
        "id": number,
        "title": f"백엔드 개발자 {number}",
        "absolute_url": f"https://boards.greenhouse.io/evil/jobs/{number}",
        "updated_at": "2026-09-01T00:00:00-04:00",
        "content": "&lt;p&gt;본문&lt;/p&gt;",
        "metadata": [],
        **fields,
    }


def board(*jobs: object) -> bytes:
    return json.dumps({"jobs": jobs, "meta": {"total": len(jobs)}}).encode()


def ten_good_and(*jobs: object) -> bytes:
    return board(*(job(number) for number in range(10)), *jobs)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("bomb-gzip", Outcome.TOO_LARGE),
        ("huge", Outcome.TOO_LARGE),
        ("redirect-loop", Outcome.REDIRECTED),
        ("html-for-json", Outcome.BLOCKED),
        ("wrong-types", Outcome.LAYOUT_CHANGED),
        ("nul", Outcome.LAYOUT_CHANGED),
        ("deep-json", Outcome.TOO_LARGE),
        ("charset-lies", Outcome.LAYOUT_CHANGED),
        ("charset-unknown", Outcome.LAYOUT_CHANGED),
    ],
)
async def test_a_hostile_board_has_a_named_outcome(site: HostileSite, name: str, outcome: Outcome) -> None:
    site.plays(BOARD, name)
    answer = await collected(site)
    assert isinstance(answer, NotFetched)
    assert answer.outcome is outcome


async def test_a_title_of_100000_characters_is_stored_as_far_as_it_fits(site: HostileSite) -> None:
    site.answers(BOARD, ten_good_and(job(99, title="가" * 100_000)), kind="application/json")
    answer = await collected(site)
    assert isinstance(answer, ListPage)
    assert answer.postings[10].title == "가" * 500


@pytest.mark.parametrize("bad", ["x" * 201, "9" * 201, "", None, True, {}, 1.5, "1\u0000"])
async def test_an_id_that_is_none_makes_the_list_incomplete_and_harms_no_other(site: HostileSite, bad: Any) -> None:
    site.answers(BOARD, ten_good_and(job(99, id=bad)), kind="application/json")
    answer = await collected(site)
    assert isinstance(answer, ListPage)
    assert len(answer.postings) == 10
    assert answer.unidentified == 1


async def test_nul_bytes_do_not_reach_a_posting(site: HostileSite) -> None:
    site.answers(
        BOARD, ten_good_and(job(99, title="백\0엔드", content="a\0b\ud800")), kind="application/json; charset=euc-kr"
    )
    answer = await collected(site)
    assert isinstance(answer, ListPage)
    last = answer.postings[10]
    assert "\0" not in last.title + (last.description_body or "")
    (last.title + (last.description_body or "")).encode()


@pytest.mark.parametrize("bad", [None, 5, [], {}, "", "2026-13-45", "가" * 5000])
@pytest.mark.parametrize(
    "field", ["title", "absolute_url", "updated_at", "content", "metadata", "application_deadline"]
)
async def test_a_field_of_the_wrong_type_costs_at_most_its_own_item(site: HostileSite, field: str, bad: Any) -> None:
    site.answers(BOARD, ten_good_and(job(99, **{field: bad})), kind="application/json")
    answer = await collected(site)
    assert isinstance(answer, ListPage)
    assert len(answer.postings) >= 10
    assert answer.unidentified == 0
