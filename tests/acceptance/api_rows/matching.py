"""The person's criteria (seed 001, API 계약, rows 12 to 19)."""

from __future__ import annotations

from tests.acceptance.api_rows.row import Facts, Rows
from tests.acceptance.inhabited import Inhabited
from tests.acceptance.shapes import Maybe, require, require_problem

ROWS = row = Rows()

_PATH = "/api/matching"
_KEYWORD = {"id": int, "keyword": str}


async def _revision(at: Inhabited) -> int:
    return int((await at.ask("GET", f"{_PATH}/criteria")).json["criteriaRevision"])


@row("GET /api/matching/criteria")
async def show(at: Inhabited, facts: Facts) -> None:
    """The criteria in force, all of one revision."""
    found = await at.ask("GET", f"{_PATH}/criteria")
    assert found.status == 200
    group = {"id": int, "displayName": str, "synonyms": [str]}
    criteria = {"criteriaRevision": int, "keywordGroups": [group]}
    require(found.json, criteria | {"exclusionKeywords": [_KEYWORD], "workArrangementKeywords": [_KEYWORD]})


@row("POST /api/matching/keyword-groups")
async def add_group(at: Inhabited, facts: Facts) -> None:
    """Raises the revision; synonyms of one normal form are one."""
    before = await _revision(at)
    body = {"displayName": "백엔드", "synonyms": ["백엔드", "back-end", "Backend", "서버"]}
    made = await at.ask("POST", f"{_PATH}/keyword-groups", body)
    assert made.status == 201, made.body
    require(made.json, {"groupId": int, "criteriaRevision": before + 1})
    facts["group"] = made.json["groupId"]
    (group,) = (await at.ask("GET", f"{_PATH}/criteria")).json["keywordGroups"]
    assert group == {"id": facts["group"], "displayName": "백엔드", "synonyms": ["백엔드", "back-end", "서버"]}
    again = await at.ask("POST", f"{_PATH}/keyword-groups", body)
    require_problem(again, 409, "criterion-exists", existingId=facts["group"])
    empty = await at.ask("POST", f"{_PATH}/keyword-groups", {"displayName": "빈", "synonyms": []})
    require_problem(empty, 422, "invalid-value", field="synonyms")
    sign = await at.ask("POST", f"{_PATH}/keyword-groups", {"displayName": "부호", "synonyms": ["백엔드", "!!"]})
    require_problem(sign, 422, "invalid-value", field="synonyms.1")


@row("POST /api/matching/exclusion-keywords")
async def exclude(at: Inhabited, facts: Facts) -> None:
    """A word that rules out."""
    made = await at.ask("POST", f"{_PATH}/exclusion-keywords", {"keyword": "인턴"})
    assert made.status == 201
    require(made.json, {"id": int, "criteriaRevision": await _revision(at)})
    facts["exclusion"] = made.json["id"]
    again = await at.ask("POST", f"{_PATH}/exclusion-keywords", {"keyword": " 인턴 "})
    require_problem(again, 409, "criterion-exists", existingId=facts["exclusion"])


@row("POST /api/matching/work-arrangement-keywords")
async def arrange(at: Inhabited, facts: Facts) -> None:
    """A word that tells of a work arrangement."""
    made = await at.ask("POST", f"{_PATH}/work-arrangement-keywords", {"keyword": "재택"})
    assert made.status == 201
    require(made.json, {"id": int, "criteriaRevision": await _revision(at)})
    facts["arrangement"] = made.json["id"]


@row("POST /api/matching/re-evaluations")
async def re_evaluate(at: Inhabited, facts: Facts) -> None:
    """Judges what is not judged by these criteria yet; `force` judges all, under a revision of its own."""
    await at.ask("POST", f"{_PATH}/re-evaluations")
    done = await at.ask("POST", f"{_PATH}/re-evaluations", {"force": False})
    assert done.status == 200
    require(done.json, {"evaluatedCount": 0, "skippedCount": int, "criteriaRevision": await _revision(at)})
    total = (await at.ask("GET", "/api/job-postings")).json["totalCount"]
    forced = await at.ask("POST", f"{_PATH}/re-evaluations", {"force": True})
    all_anew = {"evaluatedCount": total, "skippedCount": 0, "criteriaRevision": done.json["criteriaRevision"] + 1}
    require(forced.json, all_anew)
    wrong = await at.ask("POST", f"{_PATH}/re-evaluations", {"force": "yes"})
    require_problem(wrong, 422, "invalid-value", field="force")


@row("POST /api/matching/previews")
async def preview(at: Inhabited, facts: Facts) -> None:
    """What a group would match, without keeping it."""
    before = await _revision(at)
    found = await at.ask("POST", f"{_PATH}/previews", {"synonyms": ["개발자"], "exclusionKeywords": None})
    assert found.status == 200
    posting = {
        "jobPostingId": int,
        "title": str,
        "matchedSynonyms": [str],
        "excludedBy": Maybe("인턴"),
    }
    counts = {"postingCount": int, "matchedCount": int, "excludedCount": int}
    require(found.json, counts | {"postings": [posting]})
    assert all("개발자" in one["title"] for one in found.json["postings"])
    assert await _revision(at) == before


@row("DELETE /api/matching/keyword-groups/{id}")
async def remove_group(at: Inhabited, facts: Facts) -> None:
    """Soft: out of force at once, and the revision is raised."""
    made = await at.ask("POST", f"{_PATH}/keyword-groups", {"displayName": "잠깐", "synonyms": ["디자이너"]})
    path = f"{_PATH}/keyword-groups/{made.json['groupId']}"
    removed = await at.ask("DELETE", path)
    assert removed.status == 200
    require(removed.json, {"criteriaRevision": made.json["criteriaRevision"] + 1})
    require_problem(await at.ask("DELETE", path), 404, "unknown-criterion")


@row("DELETE /api/matching/exclusion-keywords/{id}")
async def include_again(at: Inhabited, facts: Facts) -> None:
    """The word rules out no more."""
    await _removed(at, "exclusion-keywords", "exclusionKeywords", facts["exclusion"])


@row("DELETE /api/matching/work-arrangement-keywords/{id}")
async def arrange_no_more(at: Inhabited, facts: Facts) -> None:
    """The word is looked for no more."""
    await _removed(at, "work-arrangement-keywords", "workArrangementKeywords", facts["arrangement"])


async def _removed(at: Inhabited, kind: str, listed: str, key: int) -> None:
    before = await _revision(at)
    removed = await at.ask("DELETE", f"{_PATH}/{kind}/{key}")
    assert removed.status == 200
    require(removed.json, {"criteriaRevision": before + 1})
    assert key not in [one["id"] for one in (await at.ask("GET", f"{_PATH}/criteria")).json[listed]]
    require_problem(await at.ask("DELETE", f"{_PATH}/{kind}/{key}"), 404, "unknown-criterion")
