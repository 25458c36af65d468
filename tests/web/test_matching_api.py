"""The matching endpoints of the seeds over a real socket: fields, refusals, effects (seed 001, API 계약)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from daemon.db import Database
from daemon.matching.model import KEYWORD_CHARACTERS, MAXIMUM_KEYWORDS, MAXIMUM_SYNONYMS
from daemon.matching.tables import job_exclusion_keywords
from tests.db.collected import add
from tests.db.judged import posting, record, results
from tests.web.conftest import Client, Serve

GROUPS = "/api/matching/keyword-groups"
EXCLUSIONS = "/api/matching/exclusion-keywords"
ARRANGEMENTS = "/api/matching/work-arrangement-keywords"
RE_EVALUATIONS = "/api/matching/re-evaluations"
PREVIEWS = "/api/matching/previews"


async def send(client: Client, method: str, path: str, body: Any = None, *, status: int = 200) -> dict[str, Any]:
    """The answer's body; problems are problem documents."""
    options = {} if body is None else {"json": body}
    answer = await client.request(method, path, **options)
    assert answer.status == status, await answer.text()
    assert answer.content_type == ("application/json" if status < 400 else "application/problem+json")
    document: dict[str, Any] = await answer.json(content_type=None)
    return document


async def criteria(client: Client) -> dict[str, Any]:
    return await send(client, "GET", "/api/matching/criteria")


async def test_after_a_change_of_the_criteria_stored_postings_are_judged_at_once(db: Database, serve: Serve) -> None:
    recorded = asyncio.Event()
    client = await serve(db, recorded=recorded)
    for path, body in (
        (GROUPS, {"displayName": "백엔드", "synonyms": ["백엔드"]}),
        (EXCLUSIONS, {"keyword": "인턴"}),
        (ARRANGEMENTS, {"keyword": "재택근무"}),
    ):
        made = await send(client, "POST", path, body, status=201)
        assert recorded.is_set(), path
        recorded.clear()
        await send(client, "DELETE", f"{path}/{made.get('groupId') or made['id']}")
        assert recorded.is_set(), path
        recorded.clear()
    await send(client, "DELETE", f"{GROUPS}/999999", status=404)
    assert not recorded.is_set()


async def test_criteria_are_added_shown_and_removed_with_the_fields_of_the_seeds(db: Database, serve: Serve) -> None:
    client = await serve(db)
    empty = {"criteriaRevision": 0, "keywordGroups": [], "exclusionKeywords": [], "workArrangementKeywords": []}
    assert await criteria(client) == empty
    group = await send(
        client, "POST", GROUPS, {"displayName": "백엔드", "synonyms": ["백엔드", "back-end"]}, status=201
    )
    assert group == {"groupId": group["groupId"], "criteriaRevision": 1}
    excluded = await send(client, "POST", EXCLUSIONS, {"keyword": "인턴"}, status=201)
    assert excluded == {"id": excluded["id"], "criteriaRevision": 2}
    arranged = await send(client, "POST", ARRANGEMENTS, {"keyword": "재택근무"}, status=201)
    assert arranged == {"id": arranged["id"], "criteriaRevision": 3}
    assert await criteria(client) == {
        "criteriaRevision": 3,
        "keywordGroups": [{"id": group["groupId"], "displayName": "백엔드", "synonyms": ["백엔드", "back-end"]}],
        "exclusionKeywords": [{"id": excluded["id"], "keyword": "인턴"}],
        "workArrangementKeywords": [{"id": arranged["id"], "keyword": "재택근무"}],
    }
    for number, (path, key) in enumerate(
        [(GROUPS, group["groupId"]), (EXCLUSIONS, excluded["id"]), (ARRANGEMENTS, arranged["id"])]
    ):
        assert await send(client, "DELETE", f"{path}/{key}") == {"criteriaRevision": 4 + number}
    assert await criteria(client) == {**empty, "criteriaRevision": 6}


@pytest.mark.parametrize("path", [GROUPS, EXCLUSIONS, ARRANGEMENTS])
@pytest.mark.parametrize("key", ["1", "9223372036854775807", "0", "first"])
async def test_removing_what_is_not_in_force_is_unknown(db: Database, serve: Serve, path: str, key: str) -> None:
    client = await serve(db)
    await send(client, "DELETE", f"{path}/{key}", status=404)
    assert (await criteria(client))["criteriaRevision"] == 0


@pytest.mark.parametrize(
    ("path", "first", "again"),
    [
        (
            GROUPS,
            {"displayName": "Back-End", "synonyms": ["서버"]},
            {"displayName": "ｂａｃｋ ｅｎｄ", "synonyms": ["backend"]},
        ),
        (EXCLUSIONS, {"keyword": "Part-Time"}, {"keyword": "part time"}),
        (ARRANGEMENTS, {"keyword": "재택 근무"}, {"keyword": "재택근무"}),
    ],
)
async def test_the_same_again_in_another_spelling_is_a_conflict_that_names_the_first(
    db: Database, serve: Serve, path: str, first: dict[str, Any], again: dict[str, Any]
) -> None:
    client = await serve(db)
    added = await send(client, "POST", path, first, status=201)
    found = await send(client, "POST", path, again, status=409)
    assert found["type"] == "urn:gonggo:problem:criterion-exists"
    assert found["existingId"] == added.get("groupId", added.get("id"))
    assert found["existingName"] == first.get("displayName", first.get("keyword"))
    assert (await criteria(client))["criteriaRevision"] == 1


async def test_more_than_the_limit_is_a_conflict(db: Database, serve: Serve) -> None:
    now = db.clock.now()
    rows = [
        {"keyword": f"w{number}", "normalized_value": f"w{number}", "created_at": now, "updated_at": now}
        for number in range(MAXIMUM_KEYWORDS)
    ]
    await add(db, job_exclusion_keywords, *rows)
    client = await serve(db)
    found = await send(client, "POST", EXCLUSIONS, {"keyword": "인턴"}, status=409)
    assert (found["type"], found["limit"]) == ("urn:gonggo:problem:criteria-full", MAXIMUM_KEYWORDS)
    await send(client, "POST", ARRANGEMENTS, {"keyword": "인턴"}, status=201)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        (GROUPS, {"displayName": "백엔드"}, "synonyms"),
        (GROUPS, {"displayName": "백엔드", "synonyms": []}, "synonyms"),
        (GROUPS, {"displayName": "백엔드", "synonyms": ["ok", "-"]}, "synonyms.1"),
        (GROUPS, {"displayName": "백엔드", "synonyms": ["w"] * (MAXIMUM_SYNONYMS + 1)}, "synonyms"),
        (GROUPS, {"displayName": " ", "synonyms": ["ok"]}, "displayName"),
        (GROUPS, {"displayName": "가" * (KEYWORD_CHARACTERS + 1), "synonyms": ["ok"]}, "displayName"),
        (GROUPS, {"displayName": "백엔드", "synonyms": "backend"}, "synonyms"),
        (GROUPS, {"display_name": "백엔드", "synonyms": ["ok"]}, "display_name"),
        (EXCLUSIONS, {}, "keyword"),
        (EXCLUSIONS, {"keyword": ""}, "keyword"),
        (EXCLUSIONS, {"keyword": "/"}, "keyword"),
        (EXCLUSIONS, {"keyword": "가\u0000나"}, "keyword"),
        (EXCLUSIONS, {"keyword": "㈱" * 60}, "keyword"),
        (ARRANGEMENTS, {"keyword": 1}, "keyword"),
        (RE_EVALUATIONS, {"force": "yes"}, "force"),
        (PREVIEWS, {"synonyms": []}, "synonyms"),
        (PREVIEWS, {"synonyms": ["ok"], "exclusionKeywords": ["-"]}, "exclusionKeywords.0"),
    ],
)
async def test_a_value_that_can_not_be_is_named(
    db: Database, serve: Serve, path: str, body: dict[str, Any], field: str
) -> None:
    client = await serve(db)
    found = await send(client, "POST", path, body, status=422)
    assert field in [error["field"] for error in found["errors"]]
    assert (await criteria(client))["criteriaRevision"] == 0


async def test_re_evaluations_count_what_they_judged_and_what_they_left(db: Database, serve: Serve) -> None:
    """FR-25; failure path 17: the sites are not even known here."""
    await record(db, posting("1"), posting("2", "마케터"))
    client = await serve(db)
    await send(client, "POST", GROUPS, {"displayName": "백엔드", "synonyms": ["백엔드"]}, status=201)
    first = {"evaluatedCount": 2, "skippedCount": 0, "criteriaRevision": 1}
    assert await send(client, "POST", RE_EVALUATIONS, {}) == first
    again = {"evaluatedCount": 0, "skippedCount": 2, "criteriaRevision": 1}
    assert await send(client, "POST", RE_EVALUATIONS, {"force": False}) == again
    forced = {"evaluatedCount": 2, "skippedCount": 0, "criteriaRevision": 2}
    assert await send(client, "POST", RE_EVALUATIONS, {"force": True}) == forced
    assert sorted(each["matched"] for each in (await results(db)).values()) == [0, 1]


async def test_a_re_evaluation_needs_no_body(db: Database, serve: Serve) -> None:
    client = await serve(db)
    assert (await send(client, "POST", RE_EVALUATIONS))["evaluatedCount"] == 0
    answer = await client.post(EXCLUSIONS)
    assert answer.status == 400


async def test_a_preview_shows_what_would_match_and_keeps_nothing(db: Database, serve: Serve) -> None:
    first, second, _ = await record(db, posting("1"), posting("2", "Backend 인턴"), posting("3", "마케터"))
    client = await serve(db)
    await send(client, "POST", EXCLUSIONS, {"keyword": "인턴"}, status=201)
    found = await send(client, "POST", PREVIEWS, {"synonyms": ["backend", "백엔드"]})
    assert found == {
        "postingCount": 3,
        "matchedCount": 2,
        "excludedCount": 1,
        "postings": [
            {
                "jobPostingId": second,
                "title": "Backend 인턴",
                "matchedSynonyms": ["backend"],
                "excludedBy": "인턴",
            },
            {"jobPostingId": first, "title": "백엔드 개발자", "matchedSynonyms": ["백엔드"], "excludedBy": None},
        ],
    }
    assert (await send(client, "POST", PREVIEWS, {"synonyms": ["backend"], "exclusionKeywords": []}))[
        "excludedCount"
    ] == 0
    assert (await criteria(client))["criteriaRevision"] == 1
    assert await results(db) == {}


async def test_criteria_are_described(db: Database, serve: Serve) -> None:
    client = await serve(db)
    paths = (await send(client, "GET", "/api/openapi.json"))["paths"]
    assert set(paths["/api/matching/keyword-groups/{id}"]["delete"]["responses"]) >= {"200", "403", "404"}
    assert set(paths[GROUPS]["post"]["responses"]) >= {"201", "400", "409", "422"}
    assert paths[RE_EVALUATIONS]["post"]["requestBody"]["required"] is False
    assert paths[GROUPS]["post"]["requestBody"]["required"] is True
