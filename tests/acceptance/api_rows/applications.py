"""Applications, interviews, the calendar (seed 001, API 계약, rows 20 to 25; DESIGN 1.10)."""

from __future__ import annotations

import csv
import io

from icalendar import Calendar

from tests.acceptance.api_rows.row import Facts, Rows
from tests.acceptance.inhabited import Inhabited
from tests.acceptance.shapes import APPLICATION_STATUS, INSTANT, Exactly, Maybe, require, require_problem

ROWS = row = Rows()

_PATH = "/api/applications"
_SUMMARY = {
    "applicationId": int,
    "jobPostingId": int,
    "companyName": str,
    "jobPostingTitle": str,
    "currentStatus": APPLICATION_STATUS,
    "rejectedAtStage": Maybe(APPLICATION_STATUS),
    "appliedAt": INSTANT,
    "lastTransitedAt": INSTANT,
}
_INTERVIEW = {
    "interviewId": int,
    "roundNumber": int,
    "label": str,
    "scheduledAt": Maybe(INSTANT),
    "interviewResult": Maybe({"PENDING", "PASSED", "FAILED"}),
    "memo": Maybe(str),
    "version": int,
}
_HISTORY = {
    "historyId": int,
    "previousStatus": Maybe(APPLICATION_STATUS),
    "nextStatus": APPLICATION_STATUS,
    "transitedAt": INSTANT,
    "memo": Maybe(str),
}
_DETAIL = _SUMMARY | {
    "companyId": int,
    "postingUrl": str,
    "postingStatus": {"OPEN", "CLOSED"},
    "deadlineAt": Maybe(INSTANT),
    "memo": Maybe(str),
    "version": int,
    "statusHistories": [_HISTORY],
    "interviews": [_INTERVIEW],
    "allowedNextStatuses": [APPLICATION_STATUS],
}


@row("POST /api/applications")
async def apply(at: Inhabited, facts: Facts) -> None:
    """Once per posting; the history begins with it."""
    body = {"jobPostingId": facts["posting"], "appliedAt": "2026-12-01T10:00:00+09:00", "memo": "추천으로"}
    made = await at.ask("POST", _PATH, body)
    assert made.status == 201, made.body
    require(made.json, {"applicationId": int, "status": "APPLIED"})
    facts["application"] = made.json["applicationId"]
    assert made.headers["Location"] == f"{_PATH}/{facts['application']}"
    posting = (await at.ask("GET", f"/api/job-postings/{facts['posting']}")).json
    assert posting["applicationId"] == posting["application"]["applicationId"] == facts["application"]
    again = await at.ask("POST", _PATH, body)
    require_problem(again, 409, "application-exists", applicationId=facts["application"])
    require_problem(await at.ask("POST", _PATH, {**body, "jobPostingId": 999999}), 404, "unknown-posting")
    require_problem(await at.ask("POST", _PATH, {**body, "appliedAt": "어제"}), 422, "invalid-value", field="appliedAt")


@row("GET /api/applications/{id}")
async def show(at: Inhabited, facts: Facts) -> None:
    """Company, title, history from nothing to APPLIED, and where it may go."""
    found = await at.ask("GET", f"{_PATH}/{facts['application']}")
    assert found.status == 200
    require(found.json, _DETAIL)
    (first,) = found.json["statusHistories"]
    assert (first["previousStatus"], first["nextStatus"]) == (None, "APPLIED")
    assert found.json["allowedNextStatuses"] == ["DOCUMENT_SCREENING", "REJECTED", "WITHDRAWN"]
    assert found.json["appliedAt"] == "2026-12-01T01:00:00Z"
    assert found.headers["ETag"] == f'"{found.json["version"]}"'
    require_problem(await at.ask("GET", f"{_PATH}/999999"), 404, "unknown-application")


@row("POST /api/applications/{id}/interviews")
async def add_interview(at: Inhabited, facts: Facts) -> None:
    """Each round once."""
    path = f"{_PATH}/{facts['application']}/interviews"
    body = {"roundNumber": 1, "label": "1차 기술 면접", "scheduledAt": "2026-12-10T14:00:00+09:00"}
    made = await at.ask("POST", path, body)
    assert made.status == 201
    require(made.json, {"interviewId": int})
    facts["interview"] = made.json["interviewId"]
    require_problem(
        await at.ask("POST", path, body), 409, "interview-round-exists", interviewId=facts["interview"], roundNumber=1
    )
    require_problem(await at.ask("POST", path, {**body, "roundNumber": 0}), 422, "invalid-value", field="roundNumber")


@row("PATCH /api/applications/{id}/interviews/{interviewId}")
async def edit_interview(at: Inhabited, facts: Facts) -> None:
    """Date, result and note, against the version that was read."""
    path = f"{_PATH}/{facts['application']}/interviews/{facts['interview']}"
    edited = await at.ask("PATCH", path, {"interviewResult": "PASSED", "memo": "좋았다"}, If_Match='"0"')
    assert edited.status == 200, edited.body
    require(edited.json, {"interviewId": facts["interview"]})
    (shown,) = (await at.ask("GET", f"{_PATH}/{facts['application']}")).json["interviews"]
    assert (shown["interviewResult"], shown["memo"], shown["version"]) == ("PASSED", "좋았다", 1)
    assert shown["scheduledAt"] == "2026-12-10T05:00:00Z"
    stale = await at.ask("PATCH", path, {"memo": "다른 창에서"}, If_Match='"0"')
    require_problem(stale, 412, "interview-changed", interviewId=facts["interview"], version=1)
    wrong = await at.ask("PATCH", path, {"interviewResult": "GREAT"})
    require_problem(wrong, 422, "invalid-value", field="interviewResult")
    elsewhere = await at.ask("PATCH", f"{_PATH}/999999/interviews/{facts['interview']}", {"memo": "x"})
    require_problem(elsewhere, 404, "unknown-interview")


@row("POST /api/applications/{id}/status-transitions")
async def transit(at: Inhabited, facts: Facts) -> None:
    """Forward only; a rejection keeps its stage; a refusal names what is allowed, and writes no history."""
    path = f"{_PATH}/{facts['application']}/status-transitions"
    moved = await at.ask("POST", path, {"nextStatus": "DOCUMENT_SCREENING", "memo": "서류"}, If_Match='"0"')
    assert moved.status == 200, moved.body
    answer = {"status": "DOCUMENT_SCREENING", "rejectedAtStage": None, "historyId": int}
    require(moved.json, answer | {"allowedNextStatuses": Exactly(["INTERVIEWING", "REJECTED", "WITHDRAWN"])})
    skipped = await at.ask("POST", path, {"nextStatus": "ACCEPTED"})
    allowed = ["INTERVIEWING", "REJECTED", "WITHDRAWN"]
    require_problem(skipped, 409, "transition-refused", reason=str, allowedNextStatuses=Exactly(allowed))
    stale = await at.ask("POST", path, {"nextStatus": "INTERVIEWING"}, If_Match='"0"')
    require_problem(stale, 412, "application-changed", version=1)
    rejected = await at.ask("POST", path, {"nextStatus": "REJECTED"})
    require(rejected.json, answer | {"status": "REJECTED", "rejectedAtStage": "DOCUMENT_SCREENING"} | {
        "allowedNextStatuses": Exactly([])
    })  # fmt: skip
    ended = await at.ask("POST", path, {"nextStatus": "INTERVIEWING"})
    require_problem(ended, 409, "transition-refused", reason="TERMINAL", allowedNextStatuses=Exactly([]))
    histories = (await at.ask("GET", f"{_PATH}/{facts['application']}")).json["statusHistories"]
    assert [one["nextStatus"] for one in histories] == ["APPLIED", "DOCUMENT_SCREENING", "REJECTED"]
    unknown = await at.ask("POST", path, {"nextStatus": "HIRED"})
    require_problem(unknown, 422, "invalid-value", field="nextStatus")


@row("GET /api/applications")
async def list_applications(at: Inhabited, facts: Facts) -> None:
    """Of one company or of all."""
    found = await at.ask("GET", _PATH)
    assert found.status == 200
    require(found.json, {"applications": [_SUMMARY], "totalCount": 1, "page": 0, "size": int})
    (mine,) = found.json["applications"]
    assert (mine["applicationId"], mine["currentStatus"], mine["rejectedAtStage"]) == (
        facts["application"],
        "REJECTED",
        "DOCUMENT_SCREENING",
    )
    other = await at.ask("GET", f"{_PATH}?companyId={facts['bare company']}")
    assert (other.json["applications"], other.json["totalCount"]) == ([], 0)
    none = await at.ask("GET", f"{_PATH}?companyId=0")
    require_problem(none, 422, "invalid-value", field="companyId")


@row("GET /api/export/applications.json")
async def export_json(at: Inhabited, facts: Facts) -> None:
    """Each application with all that belongs to it."""
    found = await at.ask("GET", "/api/export/applications.json")
    require(found.json, {"applications": [_DETAIL]})
    assert found.json["applications"] == [(await at.ask("GET", f"{_PATH}/{facts['application']}")).json]


@row("GET /api/export/applications.csv")
async def export_csv(at: Inhabited, facts: Facts) -> None:
    """A spreadsheet reads it."""
    found = await at.ask("GET", "/api/export/applications.csv")
    assert found.headers["Content-Type"] == "text/csv; charset=utf-8"
    head, *rows = csv.reader(io.StringIO(found.body.decode("utf-8")))
    assert head[0].startswith("\ufeff")
    assert rows
    assert {len(one) for one in rows} == {len(head)}


@row("GET /api/calendar.ics")
async def calendar(at: Inhabited, facts: Facts) -> None:
    """A calendar program reads it: the interview stands at its hour in Korea."""
    found = await at.ask("GET", "/api/calendar.ics")
    assert found.headers["Content-Type"] == "text/calendar; charset=utf-8"
    events = list(Calendar.from_ical(found.body).walk("VEVENT"))
    begins = [event.decoded("DTSTART").isoformat() for event in events]
    assert "2026-12-10T14:00:00+09:00" in begins
    assert len({event["UID"] for event in events}) == len(events)
