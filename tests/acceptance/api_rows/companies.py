"""Companies, their boards and names (seed 001, API 계약, rows 1 to 4)."""

from __future__ import annotations

from tests.acceptance.api_rows.row import Facts, Rows
from tests.acceptance.inhabited import Inhabited
from tests.acceptance.shapes import INSTANT, PLATFORM, Maybe, require, require_problem

ROWS = row = Rows()

_SAMPLE = {
    "sourceJobId": str,
    "title": str,
    "postingUrl": str,
    "deadlineAt": Maybe(INSTANT),
    "companyName": Maybe(str),
}
_BOARD = {
    "jobSourceId": int,
    "platform": PLATFORM,
    "sourceSlug": str,
    "baseUrl": Maybe(str),
    "disabled": bool,
    "disabledAt": Maybe(INSTANT),
    "seededAt": Maybe(INSTANT),
    "brokenStatus": {"NORMAL", "BROKEN"},
    "brokenSince": Maybe(INSTANT),
}


@row("POST /api/companies/source-discoveries")
async def discover(at: Inhabited, facts: Facts) -> None:
    """The board exists, so it is a candidate, with three samples to recognise it by; nothing is stored."""
    found = await at.ask("POST", "/api/companies/source-discoveries", {"companyName": "KRAFTON"})
    assert found.status == 200, found.body
    candidate = {"platform": PLATFORM, "sourceSlug": str, "baseUrl": Maybe(str), "samplePostings": [_SAMPLE]} | {
        "postingCount": int,
        "foundBy": {"SITE_URL", "SITE_PAGE", "NAME"},
        "knownTerms": str,
        "jobSourceId": None,
        "companyId": None,
    }
    unconfirmed = {"address": str, "platform": Maybe(PLATFORM), "sourceSlug": Maybe(str), "outcome": str, "reason": str}
    require(found.json, {"candidates": [candidate], "unconfirmed": [unconfirmed], "hint": str, "hintText": str})
    (board,) = [one for one in found.json["candidates"] if one["platform"] == "GREENHOUSE"]
    assert (board["sourceSlug"], len(board["samplePostings"])) == ("krafton", 3)
    private = {"companyName": "당근마켓", "siteUrl": "http://127.0.0.1:8787/"}
    require_problem(
        await at.ask("POST", "/api/companies/source-discoveries", private), 422, "invalid-value", field="siteUrl"
    )
    nameless = await at.ask("POST", "/api/companies/source-discoveries", {"companyName": ""})
    require_problem(nameless, 422, "invalid-value", field="companyName")


@row("POST /api/companies")
async def register(at: Inhabited, facts: Facts) -> None:
    """With a board AUTO, without one MANUAL_ONLY; what is there already is named, never made twice."""
    board = {"platform": "GREENHOUSE", "sourceSlug": "krafton", "baseUrl": None}
    made = await at.ask("POST", "/api/companies", {"name": "크래프톤", "sources": [board], "aliases": ["KRAFTON"]})
    assert made.status == 201, made.body
    registered = {"companyId": int, "registrationType": "AUTO", "companyOrigin": "WATCHED", "sourceIds": [int]}
    require(made.json, registered | {"knownTerms": {"GREENHOUSE": str}})
    facts["company"], facts["board"] = made.json["companyId"], made.json["sourceIds"][0]

    bare = await at.ask("POST", "/api/companies", {"name": "수협은행", "sources": []})
    assert bare.status == 201
    require(bare.json, registered | {"registrationType": "MANUAL_ONLY", "sourceIds": [], "knownTerms": {}})
    facts["bare company"] = bare.json["companyId"]

    same_name = await at.ask("POST", "/api/companies", {"name": "(주)크래프톤", "sources": []})
    require_problem(same_name, 409, "company-exists", companyId=facts["company"])
    same_board = await at.ask("POST", "/api/companies", {"name": "다른 회사", "sources": [board]})
    require_problem(same_board, 409, "source-followed", jobSourceId=facts["board"])
    elsewhere = {"platform": "GREENHOUSE", "sourceSlug": "x", "baseUrl": "https://evil.example"}
    named_wrong = await at.ask("POST", "/api/companies", {"name": "또 다른 회사", "sources": [elsewhere]})
    require_problem(named_wrong, 422, "invalid-value", field="baseUrl")
    unknown_member = await at.ask("POST", "/api/companies", {"name": "회사", "sorces": []})
    require_problem(unknown_member, 422, "invalid-value", field="sorces")
    broken = await at.send("POST", "/api/companies", b'{"name": ', "application/json")
    require_problem(broken, 400, "unreadable-body")


@row("GET /api/companies")
async def list_companies(at: Inhabited, facts: Facts) -> None:
    """Paged, by origin, each with the number of its sources and of those that are broken."""
    first = await at.ask("GET", "/api/companies?companyOrigin=WATCHED&page=0&size=2")
    assert first.status == 200
    item = {"id": int, "name": str, "registrationType": {"AUTO", "MANUAL_ONLY"}, "companyOrigin": "WATCHED"} | {
        "sourceCount": int,
        "brokenSourceCount": 0,
        "aliases": [str],
    }
    page = {"companies": [item], "totalCount": 3, "page": 0, "size": 2, "watchedCount": 3, "discoveredCount": int}
    require(first.json, page)
    second = await at.ask("GET", "/api/companies?companyOrigin=WATCHED&page=1&size=2")
    found = {one["name"]: one["sourceCount"] for one in first.json["companies"] + second.json["companies"]}
    assert found == {"당근마켓": 1, "크래프톤": 1, "수협은행": 0}
    discovered = await at.ask("GET", "/api/companies?companyOrigin=DISCOVERED&size=1")
    require(discovered.json["companies"], [item | {"companyOrigin": "DISCOVERED"}])
    facts["discovered company"] = discovered.json["companies"][0]["id"]
    wrong = await at.ask("GET", "/api/companies?companyOrigin=ANY")
    require_problem(wrong, 422, "invalid-value", field="companyOrigin")


@row("GET /api/companies/{id}")
async def show(at: Inhabited, facts: Facts) -> None:
    """The company with its other names and boards."""
    found = await at.ask("GET", f"/api/companies/{facts['company']}")
    detail = {"id": facts["company"], "name": "크래프톤", "registrationType": "AUTO", "companyOrigin": "WATCHED"}
    require(found.json, detail | {"aliases": [{"aliasId": int, "alias": "KRAFTON"}], "sources": [_BOARD]})
    assert [one["jobSourceId"] for one in found.json["sources"]] == [facts["board"]]
    require_problem(await at.ask("GET", "/api/companies/999999"), 404, "unknown-company", companyId=999999)
    require_problem(await at.ask("GET", "/api/companies/0"), 404, None)


@row("POST /api/companies/{id}/promotion")
async def promote(at: Inhabited, facts: Facts) -> None:
    """From discovered to watched; once more changes nothing."""
    company = facts["discovered company"]
    for _ in range(2):
        found = await at.ask("POST", f"/api/companies/{company}/promotion")
        assert found.status == 200
        require(found.json, {"companyId": company, "companyOrigin": "WATCHED"})
    assert (await at.ask("GET", f"/api/companies/{company}")).json["companyOrigin"] == "WATCHED"
    require_problem(await at.ask("POST", "/api/companies/999999/promotion"), 404, "unknown-company")


@row("POST /api/companies/{id}/sources")
async def add_board(at: Inhabited, facts: Facts) -> None:
    """A board for a company that had none."""
    path = f"/api/companies/{facts['bare company']}/sources"
    made = await at.ask("POST", path, {"platform": "INCRUIT", "sourceSlug": "suhyup-bank"})
    assert made.status == 201, made.body
    require(made.json, {"jobSourceId": int, "platform": "INCRUIT", "knownTerms": str})
    facts["bare board"] = made.json["jobSourceId"]
    taken = await at.ask("POST", path, {"platform": "GREENHOUSE", "sourceSlug": "krafton"})
    require_problem(taken, 409, "source-followed", jobSourceId=facts["board"], companyId=facts["company"])
    aggregator = await at.ask("POST", path, {"platform": "SARAMIN", "sourceSlug": "x"})
    require_problem(aggregator, 422, "invalid-value", field="platform")
    require_problem(
        await at.ask("POST", "/api/companies/999999/sources", {"platform": "INCRUIT", "sourceSlug": "y"}),
        404,
        "unknown-company",
    )


@row("DELETE /api/companies/{id}/sources/{jobSourceId}")
async def disable_board(at: Inhabited, facts: Facts) -> None:
    """Off, with its instant; only through the company it belongs to."""
    path = f"/api/companies/{facts['bare company']}/sources/{facts['bare board']}"
    off = await at.ask("DELETE", path)
    assert off.status == 200
    require(off.json, {"jobSourceId": facts["bare board"], "disabledAt": INSTANT})
    stranger = await at.ask("DELETE", f"/api/companies/{facts['company']}/sources/{facts['bare board']}")
    require_problem(stranger, 404, "unknown-source")


@row("POST /api/companies/{id}/sources/{jobSourceId}/activation")
async def enable_board(at: Inhabited, facts: Facts) -> None:
    """On again."""
    path = f"/api/companies/{facts['bare company']}/sources/{facts['bare board']}/activation"
    on = await at.ask("POST", path)
    assert on.status == 200
    require(on.json, {"jobSourceId": facts["bare board"], "platform": "INCRUIT"})
    shown = await at.ask("GET", f"/api/companies/{facts['bare company']}")
    assert [one["disabled"] for one in shown.json["sources"]] == [False]
    await at.ask("DELETE", path.removesuffix("/activation"))


@row("POST /api/companies/{id}/aliases")
async def add_alias(at: Inhabited, facts: Facts) -> None:
    """Another name under which boards show it."""
    path = f"/api/companies/{facts['bare company']}/aliases"
    added = await at.ask("POST", path, {"alias": "수협"})
    assert added.status == 200
    require(added.json, {"companyId": facts["bare company"], "aliases": [{"aliasId": int, "alias": "수협"}]})
    facts["alias"] = added.json["aliases"][0]["aliasId"]
    taken = await at.ask("POST", path, {"alias": "크래프톤"})
    require_problem(taken, 409, "company-exists", companyId=facts["company"])
    two_lines = await at.ask("POST", path, {"alias": "수협\n은행"})
    require_problem(two_lines, 422, "invalid-value", field="alias")


@row("DELETE /api/companies/{id}/aliases/{aliasId}")
async def remove_alias(at: Inhabited, facts: Facts) -> None:
    """The name stands for the company no more; a second time there is none."""
    path = f"/api/companies/{facts['bare company']}/aliases/{facts['alias']}"
    removed = await at.ask("DELETE", path)
    assert removed.status == 200
    require(removed.json, {"companyId": facts["bare company"], "aliasId": facts["alias"], "alias": "수협"})
    require_problem(await at.ask("DELETE", path), 404, "unknown-alias")
