"""Searches on aggregators (seed 001, API 계약, rows 5 to 8)."""

from __future__ import annotations

from tests.acceptance.api_rows.row import Facts, Rows
from tests.acceptance.inhabited import Inhabited
from tests.acceptance.shapes import INSTANT, PLATFORM, Maybe, require, require_problem

ROWS = row = Rows()

_PATH = "/api/aggregator-sources"


@row("GET /api/aggregator-sources/categories")
async def categories(at: Inhabited, facts: Facts) -> None:
    """The platform's own codes and words; a company's own board has none."""
    found = await at.ask("GET", f"{_PATH}/categories?platform=JUMPIT")
    assert found.status == 200
    require(found.json, {"categories": [{"code": str, "label": str}]})
    assert {"code": "1", "label": "서버/백엔드 개발자"} in found.json["categories"]
    assert (await at.ask("GET", f"{_PATH}/categories?platform=SARAMIN")).json["categories"]
    assert (await at.ask("GET", f"{_PATH}/categories?platform=WOOWAHAN")).json == {"categories": []}
    require_problem(await at.ask("GET", f"{_PATH}/categories"), 422, "invalid-value", field="platform")


@row("POST /api/aggregator-sources")
async def register(at: Inhabited, facts: Facts) -> None:
    """A search without a word keeps `""`, so that the same one is refused; codes are the platform's."""
    search = {"platform": "JUMPIT", "searchCategoryCode": "2"}
    made = await at.ask("POST", _PATH, search)
    assert made.status == 201, made.body
    require(made.json, {"jobSourceId": int, "platform": "JUMPIT", "knownTerms": str})
    facts["search"] = made.json["jobSourceId"]
    again = await at.ask("POST", _PATH, {**search, "searchKeyword": ""})
    require_problem(again, 409, "source-followed", jobSourceId=facts["search"])
    worded = await at.ask("POST", _PATH, {**search, "searchKeyword": "토스"})
    assert worded.status == 201
    unknown = await at.ask("POST", _PATH, {**search, "searchCategoryCode": "nonsense"})
    require_problem(unknown, 422, "invalid-value", field="searchCategoryCode")
    board = await at.ask("POST", _PATH, {**search, "platform": "GREENHOUSE"})
    require_problem(board, 422, "invalid-value", field="platform")


@row("GET /api/aggregator-sources")
async def list_searches(at: Inhabited, facts: Facts) -> None:
    """Searches that are on and off together."""
    found = await at.ask("GET", _PATH)
    search = {
        "jobSourceId": int,
        "platform": PLATFORM,
        "searchCategoryCode": str,
        "searchCategoryLabel": Maybe(str),
        "searchKeyword": str,
        "disabled": bool,
        "brokenStatus": {"NORMAL", "BROKEN"},
    }
    ours = {"brokenSince": Maybe(INSTANT), "disabledAt": Maybe(INSTANT), "seededAt": Maybe(INSTANT)}
    require(found.json, {"sources": [search | ours]})
    (mine,) = [one for one in found.json["sources"] if one["jobSourceId"] == facts["search"]]
    told = (mine["searchCategoryCode"], mine["searchCategoryLabel"], mine["searchKeyword"], mine["disabled"])
    assert told == ("2", "프론트엔드 개발자", "", False)


@row("DELETE /api/aggregator-sources/{id}")
async def disable(at: Inhabited, facts: Facts) -> None:
    """Soft: it stays in the list, with the instant; a company's board is not switched off here."""
    off = await at.ask("DELETE", f"{_PATH}/{facts['search']}")
    assert off.status == 200
    require(off.json, {"jobSourceId": facts["search"], "disabledAt": INSTANT})
    again = await at.ask("DELETE", f"{_PATH}/{facts['search']}")
    assert again.json == off.json
    listed = {one["jobSourceId"]: one for one in (await at.ask("GET", _PATH)).json["sources"]}
    assert listed[facts["search"]]["disabled"]
    assert listed[facts["search"]]["disabledAt"] == off.json["disabledAt"]
    require_problem(await at.ask("DELETE", f"{_PATH}/{facts['board']}"), 404, "unknown-source")


@row("DELETE /api/sources/{id}")
async def remove(at: Inhabited, facts: Facts) -> None:
    """What has brought something stays; one registered by mistake is gone for good."""
    collected = 1
    kept = await at.ask("DELETE", f"/api/sources/{collected}")
    require_problem(kept, 409, "source-kept", jobSourceId=collected, kept="COLLECTED")
    wrong = {"platform": "SARAMIN", "searchCategoryCode": "84", "searchKeyword": "없는말"}
    made = (await at.ask("POST", _PATH, wrong)).json["jobSourceId"]
    gone = await at.ask("DELETE", f"/api/sources/{made}")
    if gone.status == 200:
        require(gone.json, {"jobSourceId": made, "platform": "SARAMIN"})
    else:
        # The daemon was quicker: it is collecting it, or has done so.
        require_problem(gone, 409, "source-kept", jobSourceId=made)
    require_problem(await at.ask("DELETE", "/api/sources/999999"), 404, "unknown-source")


@row("POST /api/aggregator-sources/{id}/activation")
async def enable(at: Inhabited, facts: Facts) -> None:
    """On again, under the same id."""
    on = await at.ask("POST", f"{_PATH}/{facts['search']}/activation")
    assert on.status == 200
    require(on.json, {"jobSourceId": facts["search"], "platform": "JUMPIT"})
    require_problem(await at.ask("POST", f"{_PATH}/999999/activation"), 404, "unknown-source")
