"""Looking for a company's boards: recognised, linked to, or guessed; politely, at public addresses, never for ever."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from daemon.collection.tables import external_request_host_limits
from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import Platform
from tests.engines import rows
from tests.sources.hostile import HostileSite
from tests.sources.names import Names
from tests.web.conftest import Client, Serve

PATH = "/api/companies/source-discoveries"
BOARDS = (Platform.GREENHOUSE, Platform.WOOWAHAN, Platform.INCRUIT)


@pytest.fixture
async def site() -> AsyncIterator[HostileSite]:
    """The platforms of company boards and everybody's career pages, told apart by path."""
    async with HostileSite() as started:
        yield started


def looking(site: HostileSite, **settings: Any) -> Executor:
    """An executor for which every host is the local server; `private.example.com` alone stays private."""
    chosen = Settings(platform_origins=dict.fromkeys(BOARDS, site.origin), **{"request_delay_seconds": 0, **settings})
    names = Names(site.port, {"private.example.com": "127.0.0.2"}, "127.0.0.1")
    return Executor(chosen, may_reach=lambda address: address == "127.0.0.1", resolver=names)


def job(number: int, company: str = "당근마켓") -> dict[str, Any]:
    return {
        "id": number,
        "title": f"백엔드 {number}",
        "absolute_url": f"https://about.daangn.com?gh_jid={number}",
        "updated_at": "2026-05-25T21:00:02-04:00",
        "application_deadline": None,
        "company_name": company,
        "location": {"name": "SEOUL"},
        "metadata": None,
        "content": "",
    }


def publish(site: HostileSite, slug: str, postings: int, company: str = "당근마켓") -> None:
    """A board on Greenhouse."""
    body = {"jobs": [job(number, company) for number in range(1, postings + 1)], "meta": {"total": postings}}
    site.answers(f"/v1/boards/{slug}/jobs", json.dumps(body).encode(), kind="application/json")


async def look(client: Client, name: str, url: str | None = None) -> dict[str, Any]:
    """What is found of a company."""
    answer = await client.post(PATH, json={"companyName": name, "siteUrl": url})
    assert answer.status == 200, await answer.text()
    found: dict[str, Any] = await answer.json()
    return found


def asked(site: HostileSite) -> list[str]:
    return [hit.path for hit in site.hits]


async def test_an_address_of_a_board_is_enough_and_its_candidate_can_be_registered_as_it_is(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    publish(site, "daangn", 5)
    client = await serve(db, executor=looking(site))
    found = await look(client, "당근마켓", "https://boards.greenhouse.io/daangn/jobs/7726903003")
    assert asked(site) == ["/v1/boards/daangn/jobs"]
    (candidate,) = found["candidates"]
    assert (candidate["platform"], candidate["sourceSlug"], candidate["foundBy"]) == (
        "GREENHOUSE",
        "daangn",
        "SITE_URL",
    )
    assert candidate["baseUrl"] == "https://boards-api.greenhouse.io/v1/boards/daangn/jobs"
    assert (candidate["postingCount"], candidate["jobSourceId"]) == (5, None)
    assert "Greenhouse" in candidate["knownTerms"]
    assert candidate["samplePostings"] == [
        {
            "sourceJobId": str(number),
            "title": f"백엔드 {number}",
            "postingUrl": f"https://about.daangn.com?gh_jid={number}",
            "deadlineAt": None,
            "companyName": "당근마켓",
        }
        for number in (1, 2, 3)
    ]
    assert (found["hint"], found["unconfirmed"]) == ("REGISTER", [])
    assert "등록" in found["hintText"]
    assert await rows(db, job_sources) == []
    board = {name: candidate[name] for name in ("platform", "sourceSlug", "baseUrl")}
    made = await client.post("/api/companies", json={"name": "당근마켓", "sources": [board]})
    assert made.status == 201
    (again,) = (await look(client, "당근마켓", "boards.greenhouse.io/daangn"))["candidates"]
    registered = await made.json()
    assert (again["jobSourceId"], again["companyId"]) == (registered["sourceIds"][0], registered["companyId"])


async def test_a_career_page_is_opened_once_for_the_boards_it_links_to(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    publish(site, "daangn", 2)
    site.answers("/jobs", b'<script src="https://boards.greenhouse.io/embed/job_board/js?for=daangn"></script>')
    client = await serve(db, executor=looking(site))
    found = await look(client, "당근마켓", "http://about.daangn.com/jobs")
    (candidate,) = found["candidates"]
    assert (candidate["sourceSlug"], candidate["foundBy"], found["hint"]) == ("daangn", "SITE_PAGE", "REGISTER")
    pages = [hit for hit in site.hits if hit.headers["host"] == "about.daangn.com"]
    assert [hit.path for hit in pages] == ["/jobs"]
    limits = {row["host"] for row in await rows(db, external_request_host_limits)}
    assert limits == {"about.daangn.com", f"127.0.0.1:{site.port}"}


async def test_a_name_is_tried_as_a_slug_and_the_person_is_told_that_it_is_a_guess(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    publish(site, "moloco", 1, "Moloco")
    client = await serve(db, executor=looking(site))
    found = await look(client, "Moloco Inc.")
    (candidate,) = found["candidates"]
    assert (candidate["sourceSlug"], candidate["foundBy"], found["hint"]) == ("moloco", "NAME", "COMPARE")
    assert asked(site) == ["/v1/boards/moloco/jobs", "/moloco/job/"]
    assert found["unconfirmed"] == []


async def test_nothing_is_asked_when_nothing_can_be_guessed(db: Database, serve: Serve, site: HostileSite) -> None:
    client = await serve(db, executor=looking(site))
    found = await look(client, "당근마켓")
    assert (found["candidates"], found["unconfirmed"], found["hint"]) == ([], [], "GIVE_SITE")
    assert "주소" in found["hintText"]
    assert site.hits == []


async def test_a_page_without_links_and_names_without_boards_end_in_registering_by_hand(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    site.answers("/jobs", b"<p>careers@example.com</p>")
    client = await serve(db, executor=looking(site))
    found = await look(client, "당근마켓", "http://about.daangn.com/jobs")
    assert (found["candidates"], found["unconfirmed"], found["hint"]) == ([], [], "REGISTER_MANUALLY")
    assert asked(site) == ["/jobs", "/v1/boards/daangn/jobs", "/daangn/job/"]


async def test_the_one_company_of_a_platform_is_found_by_its_korean_name(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    board = {"code": "2000", "data": {"pageNumber": 1, "totalPageNumber": 1, "totalSize": 0, "list": []}}
    site.answers("/w1/recruits", json.dumps(board).encode(), kind="application/json")
    client = await serve(db, executor=looking(site))
    (candidate,) = (await look(client, "(주)우아한형제들"))["candidates"]
    assert (candidate["platform"], candidate["sourceSlug"], candidate["postingCount"]) == ("WOOWAHAN", "woowahan", 0)
    assert "robots.txt" in candidate["knownTerms"]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/", "NOT_PUBLIC"),
        ("http://localhost/", "NOT_PUBLIC"),
        ("http://169.254.169.254/latest/meta-data/", "NOT_PUBLIC"),
        ("http://[::1]/", "NOT_PUBLIC"),
        ("http://2130706433/", "NOT_PUBLIC"),
        ("file:///etc/passwd", "NOT_WEB"),
        ("http://user:secret@example.com/", "NOT_WEB"),
        ("http://example.com:3306/", "NOT_WEB"),
        ("http://exa mple.com/", "NOT_AN_ADDRESS"),
    ],
)
async def test_an_address_that_is_not_of_the_public_web_is_422_and_nothing_is_asked(
    db: Database, serve: Serve, site: HostileSite, url: str, code: str
) -> None:
    client = await serve(db, executor=looking(site))
    answer = await client.post(PATH, json={"companyName": "Moloco", "siteUrl": url})
    problem = await answer.json()
    assert (answer.status, problem["errors"][0]["field"], problem["errors"][0]["code"]) == (422, "siteUrl", code)
    assert site.hits == []


async def test_a_name_that_leads_to_a_private_address_is_not_asked(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    client = await serve(db, executor=looking(site))
    found = await look(client, "당근마켓", "http://private.example.com/jobs")
    (failed,) = [one for one in found["unconfirmed"] if one["platform"] is None]
    assert (failed["address"], failed["outcome"]) == ("http://private.example.com/jobs", "BLOCKED")
    assert [hit for hit in site.hits if hit.headers["host"] == "private.example.com"] == []


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://127.0.0.1/admin", "NOT_PUBLIC"),
        ("http://[::1]:9200/", "NOT_WEB"),
        ("file:///etc/passwd", "NOT_WEB"),
        ("http://private.example.com/admin", "not a public address"),
    ],
)
async def test_a_redirect_to_an_address_that_is_not_public_is_not_followed(
    db: Database, serve: Serve, site: HostileSite, location: str, reason: str
) -> None:
    site.answers("/jobs", b"", f"Location: {location}", status="302 Found")
    client = await serve(db, executor=looking(site))
    found = await look(client, "당근마켓", "http://about.example.com/jobs")
    (failed,) = [one for one in found["unconfirmed"] if one["platform"] is None]
    assert reason in failed["reason"]
    assert "/admin" not in asked(site)
    assert found["hint"] == "TRY_AGAIN"


async def test_a_redirect_to_a_board_names_it_and_the_way_there_is_short(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    publish(site, "daangn", 1)
    site.answers("/jobs", b"", "Location: https://boards.greenhouse.io/daangn", status="301 Moved")
    client = await serve(db, executor=looking(site))
    (candidate,) = (await look(client, "당근마켓", "http://jobs.daangn.com/jobs"))["candidates"]
    assert (candidate["sourceSlug"], candidate["foundBy"]) == ("daangn", "SITE_URL")
    for number in range(6):
        site.answers(
            f"/{number}", b"", f"Location: http://host{number + 1}.example.com/{number + 1}", status="302 Found"
        )
    site.hits.clear()
    found = await look(client, "당근마켓", "http://host0.example.com/0")
    assert "more than 3 redirects" in next(one["reason"] for one in found["unconfirmed"] if one["platform"] is None)
    assert [path for path in asked(site) if len(path) == 2] == ["/0", "/1", "/2", "/3"]


@pytest.mark.parametrize(
    ("play", "outcome"),
    [
        ("drip-body", "TIMEOUT"),
        ("bomb-gzip", "TOO_LARGE"),
        ("resets", "SERVER_ERROR"),
        ("lying-encoding", "PROTOCOL_ERROR"),
    ],
)
async def test_a_page_that_can_not_be_read_does_not_keep_the_name_from_being_tried(
    db: Database, serve: Serve, site: HostileSite, play: str, outcome: str
) -> None:
    publish(site, "moloco", 1)
    site.plays("/jobs", play)
    client = await serve(db, executor=looking(site, request_timeout_seconds=0.4 if play == "drip-body" else 20))
    found = await look(client, "Moloco", "http://about.moloco.com/jobs")
    (failed,) = found["unconfirmed"]
    assert (failed["platform"], failed["outcome"]) == (None, outcome)
    assert [one["sourceSlug"] for one in found["candidates"]] == ["moloco"]


async def test_a_board_that_fails_is_left_out_with_the_reason(db: Database, serve: Serve, site: HostileSite) -> None:
    site.answers("/v1/boards/daangn/jobs", b"{}", status="500 Oops", kind="application/json")
    site.answers("/daangn/job/", b"<html><p>not a list</p></html>")
    client = await serve(db, executor=looking(site))
    found = await look(client, "Daangn")
    assert found["candidates"] == []
    assert {(one["platform"], one["sourceSlug"], one["outcome"]) for one in found["unconfirmed"]} == {
        ("GREENHOUSE", "daangn", "SERVER_ERROR"),
        ("INCRUIT", "daangn", "LAYOUT_CHANGED"),
    }
    assert found["hint"] == "TRY_AGAIN"
    named = await look(client, "당근마켓", "https://boards.greenhouse.io/gone")
    assert [(one["sourceSlug"], one["outcome"]) for one in named["unconfirmed"]] == [("gone", "NOT_FOUND")]


async def test_a_platform_that_wants_to_be_left_alone_is_left_alone_by_everyone(
    db: Database, serve: Serve, site: HostileSite
) -> None:
    site.answers("/v1", b"", "Retry-After: 3600", status="429 Too Many Requests")
    found = await look(await serve(db, executor=looking(site)), "Seoul Robotics")
    limited = [one for one in found["unconfirmed"] if one["platform"] == "GREENHOUSE"]
    assert [one["sourceSlug"] for one in limited] == ["seoulrobotics", "seoul-robotics"]
    assert {one["outcome"] for one in limited} == {"RATE_LIMITED"}
    assert "/v1/boards/seoul-robotics/jobs" not in asked(site)
    hits = len(site.hits)
    again = await look(await serve(db, executor=looking(site)), "Moloco")
    assert "left alone until" in again["unconfirmed"][0]["reason"]
    assert len(site.hits) == hits


async def test_a_board_in_hostile_shapes_is_no_candidate(db: Database, serve: Serve, site: HostileSite) -> None:
    client = await serve(db, executor=looking(site))
    for body in (b"[" * 100_000, b'{"jobs": {"a": 1}}', b"\xff\xfe\x00", b'{"jobs": [{}, {}, {}]}', b"<html>"):
        site.answers("/v1/boards/moloco/jobs", body, kind="application/json")
        found = await look(client, "당근마켓", "https://boards.greenhouse.io/moloco")
        assert found["candidates"] == []
        assert [one["platform"] for one in found["unconfirmed"]] == ["GREENHOUSE"]


@pytest.mark.parametrize("name", ["", " ", "당근\n마켓", "가" * 201])
async def test_a_name_that_no_company_has_is_422(db: Database, serve: Serve, name: str) -> None:
    answer = await (await serve(db)).post(PATH, json={"companyName": name})
    assert (answer.status, (await answer.json())["errors"][0]["field"]) == (422, "companyName")
