"""Companies, their boards and searches on aggregators over HTTP (seed 001, API 계약)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from daemon.company import store
from daemon.db import Database, transaction
from daemon.sources.model import Platform
from daemon.sources.registry import adapter_of
from tests.web.conftest import Client, Serve

DAANGN = {"platform": "GREENHOUSE", "sourceSlug": "daangn"}
TERMS = {platform: adapter_of(platform).capabilities.compliance.known_terms for platform in Platform}


async def sent(client: Client, method: str, path: str, **body: Any) -> tuple[int, Any]:
    """Status and body of a request; without a body none is sent."""
    answer = await client.request(method, path, json=body or None)
    return answer.status, await answer.json()


async def test_a_company_is_registered_with_its_boards_and_their_terms_are_told(db: Database, serve: Serve) -> None:
    client = await serve(db)
    boards = [{**DAANGN, "baseUrl": "https://boards-api.greenhouse.io/v1/boards/daangn/jobs"}]
    status, made = await sent(client, "POST", "/api/companies", name="당근마켓", sources=boards, aliases=["당근"])
    assert status == 201
    (source_id,) = made["sourceIds"]
    assert made == {
        "companyId": made["companyId"],
        "registrationType": "AUTO",
        "companyOrigin": "WATCHED",
        "sourceIds": [source_id],
        "knownTerms": {"GREENHOUSE": TERMS[Platform.GREENHOUSE]},
    }
    status, page = await sent(client, "GET", "/api/companies")
    assert status == 200
    assert page == {
        "companies": [
            {
                "id": made["companyId"],
                "name": "당근마켓",
                "registrationType": "AUTO",
                "companyOrigin": "WATCHED",
                "sourceCount": 1,
                "brokenSourceCount": 0,
                "aliases": ["당근"],
            }
        ],
        "totalCount": 1,
        "page": 0,
        "size": 50,
        "watchedCount": 1,
        "discoveredCount": 0,
    }


async def test_a_company_without_boards_is_manual_only(db: Database, serve: Serve) -> None:
    client = await serve(db)
    status, made = await sent(client, "POST", "/api/companies", name="우아한형제들", sources=[])
    assert (status, made["registrationType"], made["sourceIds"]) == (201, "MANUAL_ONLY", [])
    assert (await sent(client, "POST", "/api/companies", name="당근마켓"))[0] == 201


async def test_a_refusal_names_the_company_or_source_there_is(db: Database, serve: Serve) -> None:
    client = await serve(db)
    _, made = await sent(client, "POST", "/api/companies", name="당근마켓", sources=[DAANGN])
    status, problem = await sent(client, "POST", "/api/companies", name="(주) 당근 마켓")
    assert (status, problem["type"]) == (409, "urn:gonggo:problem:company-exists")
    assert (problem["companyId"], problem["companyName"]) == (made["companyId"], "당근마켓")
    status, problem = await sent(client, "POST", "/api/companies", name="다른 회사", sources=[DAANGN])
    assert (status, problem["type"]) == (409, "urn:gonggo:problem:source-followed")
    assert (problem["jobSourceId"], problem["companyId"], problem["disabled"]) == (
        made["sourceIds"][0],
        made["companyId"],
        False,
    )
    assert (await sent(client, "GET", "/api/companies"))[1]["totalCount"] == 1


async def test_of_two_registrations_of_one_company_at_once_one_is_409(db: Database, serve: Serve) -> None:
    one, two = await serve(db), await serve(db)
    for number in range(5):
        board = {"platform": "INCRUIT", "sourceSlug": f"board{number}"}
        named = await asyncio.gather(
            sent(one, "POST", "/api/companies", name=f"회사 {number}"),
            sent(two, "POST", "/api/companies", name=f"㈜회사{number}"),
        )
        assert sorted(status for status, _ in named) == [201, 409]
        followed = await asyncio.gather(
            sent(one, "POST", "/api/companies", name=f"하나 {number}", sources=[board]),
            sent(two, "POST", "/api/companies", name=f"둘 {number}", sources=[board]),
        )
        assert sorted(status for status, _ in followed) == [201, 409]
    assert (await sent(one, "GET", "/api/companies"))[1]["totalCount"] == 10


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "  "}, "name"),
        ({"name": "당근\n마켓"}, "name"),
        ({"name": "가" * 201}, "name"),
        ({"name": 7}, "name"),
        ({}, "name"),
        ({"name": "당근", "aliases": ["당\t근"]}, "aliases"),
        ({"name": "당근", "sources": [{"platform": "SARAMIN", "sourceSlug": "x"}]}, "platform"),
        ({"name": "당근", "sources": [{"platform": "NOSITE", "sourceSlug": "x"}]}, "sources.0.platform"),
        ({"name": "당근", "sources": [{"platform": "INCRUIT", "sourceSlug": "../x"}]}, "sourceSlug"),
        ({"name": "당근", "sources": [{"platform": "INCRUIT"}]}, "sources.0.sourceSlug"),
        ({"name": "당근", "sources": [DAANGN, DAANGN]}, "sources"),
        ({"name": "당근", "sources": [{**DAANGN, "baseUrl": "https://evil.example/"}]}, "baseUrl"),
        ({"name": "당근", "sources": [{**DAANGN, "baseUrl": "https://boards-api.greenhouse.io/\nx"}]}, "baseUrl"),
        ({"name": "당근", "nonsense": 1}, "nonsense"),
    ],
)
async def test_a_value_that_does_not_fit_is_422_by_its_name(
    db: Database, serve: Serve, body: dict[str, Any], field: str
) -> None:
    client = await serve(db)
    answer = await client.post("/api/companies", json=body)
    problem = await answer.json()
    assert (answer.status, [fault["field"] for fault in problem["errors"]]) == (422, [field])
    assert (await sent(client, "GET", "/api/companies"))[1]["totalCount"] == 0


async def test_a_discovered_company_is_listed_apart_and_promoted(db: Database, serve: Serve) -> None:
    client = await serve(db)
    found = (await transaction(db, store.resolve_companies, ["토스"])).ids["토스"]
    await sent(client, "POST", "/api/companies", name="당근마켓")
    _, page = await sent(client, "GET", "/api/companies?companyOrigin=DISCOVERED")
    assert [(one["id"], one["name"]) for one in page["companies"]] == [(found, "토스")]
    assert (page["totalCount"], page["watchedCount"], page["discoveredCount"]) == (1, 1, 1)
    for _ in range(2):
        assert await sent(client, "POST", f"/api/companies/{found}/promotion") == (
            200,
            {"companyId": found, "companyOrigin": "WATCHED"},
        )
    _, page = await sent(client, "GET", "/api/companies?companyOrigin=WATCHED&page=1&size=1")
    assert (page["totalCount"], [one["name"] for one in page["companies"]]) == (2, ["토스"])
    assert (await sent(client, "GET", "/api/companies?companyOrigin=MINE"))[0] == 422


async def test_a_discovered_company_whose_name_is_anothers_alias_is_not_promoted(db: Database, serve: Serve) -> None:
    client = await serve(db)
    found = (await transaction(db, store.resolve_companies, ["토스"])).ids["토스"]
    _, other = await sent(client, "POST", "/api/companies", name="비바리퍼블리카", aliases=["토스"])
    status, problem = await sent(client, "POST", f"/api/companies/{found}/promotion")
    assert (status, problem["type"]) == (409, "urn:gonggo:problem:company-exists")
    assert problem["companyId"] == other["companyId"]
    assert (await sent(client, "GET", "/api/companies?companyOrigin=DISCOVERED"))[1]["totalCount"] == 1


async def test_boards_are_added_switched_off_and_on(db: Database, serve: Serve) -> None:
    client = await serve(db)
    _, made = await sent(client, "POST", "/api/companies", name="당근마켓")
    base = f"/api/companies/{made['companyId']}"
    status, followed = await sent(client, "POST", f"{base}/sources", **DAANGN)
    assert status == 201
    source = followed["jobSourceId"]
    assert followed == {
        "jobSourceId": source,
        "platform": "GREENHOUSE",
        "knownTerms": TERMS[Platform.GREENHOUSE],
    }
    assert (await sent(client, "POST", f"{base}/sources", **DAANGN))[0] == 409
    status, off = await sent(client, "DELETE", f"{base}/sources/{source}")
    assert (status, off["jobSourceId"]) == (200, source)
    assert await sent(client, "DELETE", f"{base}/sources/{source}") == (200, off)
    _, shown = await sent(client, "GET", base)
    (board,) = shown["sources"]
    assert (board["disabled"], board["disabledAt"], shown["registrationType"]) == (True, off["disabledAt"], "AUTO")
    for _ in range(2):
        assert await sent(client, "POST", f"{base}/sources/{source}/activation") == (
            200,
            {"jobSourceId": source, "platform": "GREENHOUSE"},
        )
    await sent(client, "DELETE", f"{base}/sources/{source}")
    status, again = await sent(client, "POST", f"{base}/sources", **DAANGN)
    assert (status, again["jobSourceId"]) == (201, source)
    _, other = await sent(client, "POST", "/api/companies", name="다른 회사")
    for method, path in (("DELETE", f"/sources/{source}"), ("POST", f"/sources/{source}/activation")):
        status, problem = await sent(client, method, f"/api/companies/{other['companyId']}{path}")
        assert (status, problem["type"]) == (404, "urn:gonggo:problem:unknown-source")


async def test_aliases_are_added_and_removed(db: Database, serve: Serve) -> None:
    client = await serve(db)
    _, made = await sent(client, "POST", "/api/companies", name="당근마켓")
    _, other = await sent(client, "POST", "/api/companies", name="우아한형제들", aliases=["배민"])
    base = f"/api/companies/{made['companyId']}/aliases"
    status, added = await sent(client, "POST", base, alias="당근")
    assert (status, [one["alias"] for one in added["aliases"]]) == (200, ["당근"])
    assert await sent(client, "POST", base, alias="㈜당근") == (200, added)
    status, problem = await sent(client, "POST", base, alias="배민")
    assert (status, problem["companyId"]) == (409, other["companyId"])
    assert (await sent(client, "POST", base, alias="당\n근"))[0] == 422
    alias_id = added["aliases"][0]["aliasId"]
    assert await sent(client, "DELETE", f"{base}/{alias_id}") == (
        200,
        {"companyId": made["companyId"], "aliasId": alias_id, "alias": "당근"},
    )
    assert (await sent(client, "DELETE", f"{base}/{alias_id}"))[0] == 404


@pytest.mark.parametrize("number", ["999999", "99999999999999999999", "0", "-1", "x"])
async def test_whatever_is_not_there_is_404(db: Database, serve: Serve, number: str) -> None:
    client = await serve(db)
    for method, path, body in (
        ("GET", f"/api/companies/{number}", {}),
        ("POST", f"/api/companies/{number}/promotion", {}),
        ("POST", f"/api/companies/{number}/sources", DAANGN),
        ("POST", f"/api/companies/{number}/aliases", {"alias": "당근"}),
        ("DELETE", f"/api/companies/{number}/aliases/1", {}),
        ("DELETE", f"/api/companies/1/sources/{number}", {}),
        ("DELETE", f"/api/aggregator-sources/{number}", {}),
        ("POST", f"/api/aggregator-sources/{number}/activation", {}),
    ):
        assert (await sent(client, method, path, **body))[0] == 404, path


async def test_the_categories_of_a_platform_are_those_of_its_adapter(db: Database, serve: Serve) -> None:
    client = await serve(db)
    for platform in Platform:
        status, found = await sent(client, "GET", f"/api/aggregator-sources/categories?platform={platform}")
        known = [{"code": one.code, "label": one.label} for one in adapter_of(platform).categories()]
        assert (status, found) == (200, {"categories": known})
    assert (await sent(client, "GET", "/api/aggregator-sources/categories"))[0] == 422


async def test_a_search_is_followed_listed_switched_off_and_on(db: Database, serve: Serve) -> None:
    client = await serve(db)
    path = "/api/aggregator-sources"
    status, plain = await sent(client, "POST", path, platform="SARAMIN", searchCategoryCode="84")
    assert status == 201
    assert plain == {
        "jobSourceId": plain["jobSourceId"],
        "platform": "SARAMIN",
        "knownTerms": TERMS[Platform.SARAMIN],
    }
    body = {"platform": "SARAMIN", "searchCategoryCode": "84", "searchKeyword": " 백엔드  개발 "}
    _, worded = await sent(client, "POST", path, **body)
    status, problem = await sent(client, "POST", path, platform="SARAMIN", searchCategoryCode="84", searchKeyword=None)
    assert (status, problem["jobSourceId"]) == (409, plain["jobSourceId"])
    status, off = await sent(client, "DELETE", f"{path}/{plain['jobSourceId']}")
    assert (status, off["jobSourceId"]) == (200, plain["jobSourceId"])
    assert await sent(client, "DELETE", f"{path}/{plain['jobSourceId']}") == (200, off)
    _, listed = await sent(client, "GET", path)
    assert [
        (one["jobSourceId"], one["searchKeyword"], one["disabled"], one["disabledAt"]) for one in listed["sources"]
    ] == [
        (plain["jobSourceId"], "", True, off["disabledAt"]),
        (worded["jobSourceId"], "백엔드 개발", False, None),
    ]
    assert {
        (one["platform"], one["searchCategoryCode"], one["searchCategoryLabel"], one["brokenStatus"])
        for one in listed["sources"]
    } == {("SARAMIN", "84", "백엔드/서버개발", "NORMAL")}
    status, on = await sent(client, "POST", f"{path}/{plain['jobSourceId']}/activation")
    assert (status, on) == (200, {"jobSourceId": plain["jobSourceId"], "platform": "SARAMIN"})
    await sent(client, "DELETE", f"{path}/{plain['jobSourceId']}")
    status, again = await sent(client, "POST", path, platform="SARAMIN", searchCategoryCode="84")
    assert (status, again["jobSourceId"]) == (201, plain["jobSourceId"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"platform": "SARAMIN", "searchCategoryCode": "no-such"}, "searchCategoryCode"),
        ({"platform": "GREENHOUSE", "searchCategoryCode": "84"}, "platform"),
        ({"platform": "SARAMIN"}, "searchCategoryCode"),
        ({"platform": "SARAMIN", "searchCategoryCode": "84", "searchKeyword": "가" * 201}, "searchKeyword"),
        ({"platform": "SARAMIN", "searchCategoryCode": "84", "searchKeyword": "가\n나"}, "searchKeyword"),
    ],
)
async def test_a_search_that_the_platform_does_not_have_is_422(
    db: Database, serve: Serve, body: dict[str, Any], field: str
) -> None:
    client = await serve(db)
    status, problem = await sent(client, "POST", "/api/aggregator-sources", **body)
    assert (status, [fault["field"] for fault in problem["errors"]]) == (422, [field])
    assert (await sent(client, "GET", "/api/aggregator-sources"))[1] == {"sources": []}


async def test_a_board_of_a_company_is_no_search_on_an_aggregator(db: Database, serve: Serve) -> None:
    client = await serve(db)
    _, made = await sent(client, "POST", "/api/companies", name="당근마켓", sources=[DAANGN])
    assert (await sent(client, "DELETE", f"/api/aggregator-sources/{made['sourceIds'][0]}"))[0] == 404
    assert (await sent(client, "GET", f"/api/companies/{made['companyId']}"))[1]["sources"][0]["disabled"] is False
