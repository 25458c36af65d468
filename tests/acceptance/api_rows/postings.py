"""Postings, exports and the feed (seed 001, API 계약, rows 9 to 11; DESIGN 1.10)."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

from tests.acceptance.api_rows.row import Facts, Rows
from tests.acceptance.inhabited import Inhabited
from tests.acceptance.shapes import APPLICATION_STATUS, INSTANT, PLATFORM, SOURCE_TYPE, Maybe, require, require_problem

ROWS = row = Rows()

_CONFIDENCE = {"CONFIRMED", "LIKELY", "INFERRED"}
_ITEM = {
    "jobPostingId": int,
    "companyId": int,
    "companyName": str,
    "title": str,
    "postingUrl": str,
    "postingStatus": {"OPEN", "CLOSED"},
    "closedReason": Maybe({"NOT_FOUND_TWICE", "DEADLINE_PASSED"}),
    "deadlineAt": Maybe(INSTANT),
    "matched": bool,
    "workArrangement": Maybe({"keyword": str, "confidence": _CONFIDENCE}),
    "applicationId": Maybe(int),
    "sourceType": Maybe(SOURCE_TYPE),
    "alternateSourceCount": int,
    "accessRestricted": bool,
    "postingOrigin": {"COLLECTED", "MANUAL"},
    "firstSeenAt": INSTANT,
}
_DETAIL = _ITEM | {
    "workArrangements": [
        {
            "keyword": str,
            "confidence": _CONFIDENCE,
            "evidenceStage": {"STRUCTURED_FIELD", "DESCRIPTION_BODY"},
            "snippet": str,
        }
    ],
    "matchedWords": [{"group": str, "synonym": str}],
    "application": Maybe(
        {
            "applicationId": int,
            "jobPostingId": int,
            "companyName": str,
            "jobPostingTitle": str,
            "currentStatus": APPLICATION_STATUS,
            "rejectedAtStage": Maybe(APPLICATION_STATUS),
            "appliedAt": INSTANT,
            "lastTransitedAt": INSTANT,
        }
    ),
    "descriptionBody": Maybe(str),
    "alternateSources": [
        {"jobSourceId": Maybe(int), "platform": Maybe(PLATFORM), "postingUrl": str, "isRepresentative": bool}
    ],
    "version": int,
}
_PAGE = {"jobPostings": [_ITEM], "totalCount": int, "totalIsExact": bool, "page": int, "size": int}


@row("GET /api/companies/{companyId}/job-postings")
async def list_of_company(at: Inhabited, facts: Facts) -> None:
    """A company's postings, by state and in three orders."""
    for sort in ("WORK_ARRANGEMENT", "DEADLINE", "DISCOVERED"):
        found = await at.ask("GET", f"/api/companies/1/job-postings?postingStatus=OPEN&sort={sort}")
        assert found.status == 200
        require(found.json, _PAGE)
        postings = found.json["jobPostings"]
        assert {(one["companyName"], one["postingStatus"], one["sourceType"]) for one in postings} == {
            ("당근마켓", "OPEN", "COMPANY_BOUND")
        }
    by_deadline = (await at.ask("GET", "/api/companies/1/job-postings?sort=DEADLINE")).json["jobPostings"]
    told = [one["deadlineAt"] for one in by_deadline]
    assert told == sorted(told, key=lambda at: at or "9999"), "those that are always open come last"
    wrong = await at.ask("GET", "/api/companies/1/job-postings?sort=NEWEST")
    require_problem(wrong, 422, "invalid-value", field="sort")
    require_problem(await at.ask("GET", "/api/companies/999999/job-postings"), 404, "unknown-company")


@row("GET /api/job-postings")
async def list_all(at: Inhabited, facts: Facts) -> None:
    """All companies' postings in pages that neither overlap nor leave out."""
    whole = await at.ask("GET", "/api/job-postings?size=200")
    require(whole.json, _PAGE)
    pages = [(await at.ask("GET", f"/api/job-postings?size=7&page={page}")).json["jobPostings"] for page in range(3)]
    ids = [one["jobPostingId"] for page in pages for one in page]
    assert ids == [one["jobPostingId"] for one in whole.json["jobPostings"]][: len(ids)]
    matched = (await at.ask("GET", "/api/job-postings?matched=true&size=200")).json
    assert {one["matched"] for one in matched["jobPostings"]} == {True}
    assert 0 < matched["totalCount"] < whole.json["totalCount"]
    facts["posting"] = matched["jobPostings"][0]["jobPostingId"]
    require_problem(await at.ask("GET", "/api/job-postings?size=201"), 422, "invalid-value", field="size")
    require_problem(await at.ask("GET", "/api/job-postings?page=-1"), 422, "invalid-value", field="page")
    require_problem(await at.ask("GET", "/api/job-postings?paeg=1"), 422, "invalid-value", field="paeg")


@row("GET /api/job-postings/{id}")
async def show(at: Inhabited, facts: Facts) -> None:
    """With its text, and every place where it is published, this one too."""
    found = await at.ask("GET", f"/api/job-postings/{facts['posting']}")
    assert found.status == 200
    require(found.json, _DETAIL)
    assert found.json["application"] is None
    assert [one["isRepresentative"] for one in found.json["alternateSources"]] == [True]
    assert found.headers["ETag"] == f'"{found.json["version"]}"'
    require_problem(await at.ask("GET", "/api/job-postings/999999"), 404, "unknown-posting", jobPostingId=999999)


@row("POST /api/job-postings/manual-registrations")
async def register(at: Inhabited, facts: Facts) -> None:
    """By hand, for a company without a source; told where it is."""
    body = {
        "companyId": facts["bare company"],
        "title": "  전산직\t신입 ",
        "postingUrl": "https://suhyup.example/1",
        "deadlineAt": "2026-12-24T23:59:59+09:00",
    }
    made = await at.ask("POST", "/api/job-postings/manual-registrations", body)
    assert made.status == 201, made.body
    require(made.json, {"jobPostingId": int})
    facts["own posting"] = made.json["jobPostingId"]
    assert made.headers["Location"] == f"/api/job-postings/{facts['own posting']}"
    shown = (await at.ask("GET", made.headers["Location"])).json
    require(shown, _DETAIL)
    told = (shown["title"], shown["deadlineAt"], shown["postingOrigin"], shown["sourceType"])
    assert told == ("전산직 신입", "2026-12-24T14:59:59Z", "MANUAL", None)
    again = await at.ask("POST", "/api/job-postings/manual-registrations", body)
    require_problem(again, 409, "posting-exists", jobPostingId=facts["own posting"])
    nowhere = await at.ask("POST", "/api/job-postings/manual-registrations", {**body, "companyId": 999999})
    require_problem(nowhere, 404, "unknown-company")
    script = await at.ask(
        "POST", "/api/job-postings/manual-registrations", {**body, "postingUrl": "javascript:alert(1)"}
    )
    require_problem(script, 422, "invalid-value", field="postingUrl")
    no_offset = await at.ask(
        "POST", "/api/job-postings/manual-registrations", {**body, "deadlineAt": "2026-12-24T23:59:59"}
    )
    require_problem(no_offset, 422, "invalid-value", field="deadlineAt")


@row("PATCH /api/job-postings/{id}")
async def edit(at: Inhabited, facts: Facts) -> None:
    """Only against the version that was read; a site's own words are not a person's to change."""
    path = f"/api/job-postings/{facts['own posting']}"
    before = (await at.ask("GET", path)).headers["ETag"]
    edited = await at.ask("PATCH", path, {"deadlineAt": None}, If_Match=before)
    assert edited.status == 200
    require(edited.json, {"jobPostingId": facts["own posting"]})
    shown = await at.ask("GET", path)
    assert (shown.json["deadlineAt"], shown.headers["ETag"]) == (None, edited.headers["ETag"])
    stale = await at.ask("PATCH", path, {"title": "다른 제목"}, If_Match=before)
    require_problem(stale, 412, "posting-changed", jobPostingId=facts["own posting"], version=shown.json["version"])
    assert stale.headers["ETag"] == edited.headers["ETag"]
    require_problem(
        await at.ask("PATCH", path, {"title": "다른 제목"}, If_Match="3"), 422, "invalid-value", field="If-Match"
    )
    collected = await at.ask("PATCH", f"/api/job-postings/{facts['posting']}", {"title": "내 제목"})
    require_problem(collected, 409, "edit-refused", jobPostingId=facts["posting"], reason="COLLECTED")


@row("GET /api/export/postings.json")
async def export_json(at: Inhabited, facts: Facts) -> None:
    """Every posting, by id."""
    found = await at.ask("GET", "/api/export/postings.json")
    ours = {"platform": Maybe(PLATFORM), "representativeId": Maybe(int), "closedAt": Maybe(INSTANT)}
    record = _ITEM | ours | {"changedAt": Maybe(INSTANT), "lastSeenAt": INSTANT}
    require(found.json, {"jobPostings": [record]})
    ids = [one["jobPostingId"] for one in found.json["jobPostings"]]
    assert ids == sorted(ids)
    assert facts["own posting"] in ids


@row("GET /api/export/postings.csv")
async def export_csv(at: Inhabited, facts: Facts) -> None:
    """A spreadsheet reads it: UTF-8 is marked, every row is as wide as the head, and nothing in it calculates."""
    formula = '=HYPERLINK("https://evil.example")'
    danger = {"companyId": facts["bare company"], "title": formula, "postingUrl": "https://suhyup.example/2"}
    assert (await at.ask("POST", "/api/job-postings/manual-registrations", danger)).status == 201
    found = await at.ask("GET", "/api/export/postings.csv")
    assert found.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in found.headers["Content-Disposition"]
    head, *rows = csv.reader(io.StringIO(found.body.decode("utf-8")))
    assert head[0].startswith("\ufeff")
    assert {len(one) for one in rows} == {len(head)}
    cells = [cell for one in rows for cell in one]
    assert f"'{formula}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


@row("GET /api/feed.atom")
async def feed(at: Inhabited, facts: Facts) -> None:
    """A well-formed feed of what matched: each entry has an id, a title, its times and where it leads."""
    found = await at.ask("GET", "/api/feed.atom")
    assert found.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    atom = {"a": "http://www.w3.org/2005/Atom"}
    document = ElementTree.fromstring(found.body)
    assert document.tag == "{http://www.w3.org/2005/Atom}feed"
    for name in ("id", "title", "updated", "author/a:name"):
        assert document.findtext(f"a:{name}", namespaces=atom), name
    entries = document.findall("a:entry", atom)
    matched = (await at.ask("GET", "/api/job-postings?matched=true")).json["totalCount"]
    assert len(entries) == min(matched, 100)
    for entry in entries:
        assert entry.findtext("a:id", "", atom).startswith("urn:gonggo:posting:")
        assert entry.findtext("a:title", "", atom)
        require(entry.findtext("a:updated", "", atom), INSTANT)
        link = entry.find("a:link", atom)
        assert link is not None
        assert link.attrib["href"].startswith("http")
