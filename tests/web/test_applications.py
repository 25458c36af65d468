"""Applications over HTTP: the seeds' fields, statuses and refusals (seed 001, API 계약, FR-42 to FR-50)."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import ClientResponse
from sqlalchemy import update

from daemon.application.model import ApplicationStatus
from daemon.clock import ManualClock
from daemon.db import Database
from daemon.posting.tables import job_postings
from tests.db.applied import add_company, add_posting, some_posting
from tests.engines import write
from tests.web.conftest import Client, Serve

AT = "2026-11-28T19:30:00+09:00"
AT_UTC = "2026-11-28T10:30:00Z"


async def created(client: Client, posting: int, **more: object) -> int:
    """Apply for a posting; the application's id."""
    answer = await client.post("/api/applications", json={"jobPostingId": posting, "appliedAt": AT, **more})
    assert answer.status == 201, await answer.text()
    made: dict[str, Any] = await answer.json()
    return int(made["applicationId"])


async def move(client: Client, application: int, status: str, **options: Any) -> ClientResponse:
    """Ask for a change of status."""
    path = f"/api/applications/{application}/status-transitions"
    return await client.post(path, json={"nextStatus": status}, **options)


async def document(answer: ClientResponse, status: int, kind: str) -> dict[str, Any]:
    """The problem document that refuses."""
    assert answer.status == status, await answer.text()
    assert answer.content_type == "application/problem+json"
    told: dict[str, Any] = json.loads(await answer.text())
    assert told["type"] == f"urn:gonggo:problem:{kind}"
    return told


async def test_an_application_is_made_shown_and_begins_its_timeline(db: Database, serve: Serve) -> None:
    """Seed 001, failure path 19, over HTTP."""
    company = await add_company(db, "당근마켓")
    posting = await add_posting(db, company, "백엔드 개발자", posting_url="https://example.com/1")
    client = await serve(db)
    body = {"jobPostingId": posting, "appliedAt": AT, "memo": "추천"}
    answer = await client.post("/api/applications", json=body)
    made = await answer.json()
    assert (answer.status, made) == (201, {"applicationId": made["applicationId"], "status": "APPLIED"})
    assert answer.headers["Location"] == f"/api/applications/{made['applicationId']}"
    assert answer.headers["ETag"] == '"0"'
    shown = await client.get(answer.headers["Location"])
    found = await shown.json()
    assert (shown.status, shown.headers["ETag"]) == (200, '"0"')
    (step,) = found.pop("statusHistories")
    assert found == {
        "applicationId": made["applicationId"],
        "jobPostingId": posting,
        "companyId": company,
        "companyName": "당근마켓",
        "jobPostingTitle": "백엔드 개발자",
        "postingUrl": "https://example.com/1",
        "postingStatus": "OPEN",
        "deadlineAt": None,
        "currentStatus": "APPLIED",
        "rejectedAtStage": None,
        "appliedAt": AT_UTC,
        "lastTransitedAt": AT_UTC,
        "memo": "추천",
        "version": 0,
        "interviews": [],
        "allowedNextStatuses": ["DOCUMENT_SCREENING", "REJECTED", "WITHDRAWN"],
    }
    assert step == {
        "historyId": step["historyId"],
        "previousStatus": None,
        "nextStatus": "APPLIED",
        "transitedAt": AT_UTC,
        "memo": "추천",
    }


async def test_a_second_application_for_a_posting_names_the_first(db: Database, serve: Serve) -> None:
    client = await serve(db)
    posting = await some_posting(db)
    copy = await some_posting(db, representative_id=posting)
    first = await created(client, posting)
    for again in (posting, copy):
        answer = await client.post("/api/applications", json={"jobPostingId": again, "appliedAt": AT})
        told = await document(answer, 409, "application-exists")
        assert (told["applicationId"], told["jobPostingId"], told["currentStatus"]) == (first, posting, "APPLIED")
        assert told["allowedNextStatuses"] == ["DOCUMENT_SCREENING", "REJECTED", "WITHDRAWN"]
    unknown = await client.post("/api/applications", json={"jobPostingId": 404, "appliedAt": AT})
    assert (await document(unknown, 404, "unknown-posting"))["jobPostingId"] == 404


async def test_a_move_answers_where_it_is_and_where_it_may_go(db: Database, serve: Serve, clock: ManualClock) -> None:
    client = await serve(db)
    application = await created(client, await some_posting(db))
    clock.advance(timedelta(days=1))
    path = f"/api/applications/{application}/status-transitions"
    answer = await client.post(path, json={"nextStatus": "DOCUMENT_SCREENING", "memo": "서류 접수 확인"})
    moved = await answer.json()
    assert (answer.status, answer.headers["ETag"]) == (200, '"1"')
    assert moved == {
        "status": "DOCUMENT_SCREENING",
        "rejectedAtStage": None,
        "historyId": moved["historyId"],
        "allowedNextStatuses": ["INTERVIEWING", "REJECTED", "WITHDRAWN"],
    }
    rejected = await (await move(client, application, "REJECTED")).json()
    assert (rejected["status"], rejected["rejectedAtStage"]) == ("REJECTED", "DOCUMENT_SCREENING")
    assert rejected["allowedNextStatuses"] == []
    found = await (await client.get(f"/api/applications/{application}")).json()
    steps = [(step["previousStatus"], step["nextStatus"], step["memo"]) for step in found["statusHistories"]]
    assert steps == [
        (None, "APPLIED", None),
        ("APPLIED", "DOCUMENT_SCREENING", "서류 접수 확인"),
        ("DOCUMENT_SCREENING", "REJECTED", None),
    ]
    assert found["statusHistories"][1]["historyId"] == moved["historyId"]
    assert (found["lastTransitedAt"], found["appliedAt"]) == ("2026-12-01T15:00:00Z", AT_UTC)
    assert (found["currentStatus"], found["rejectedAtStage"], found["allowedNextStatuses"]) == (
        "REJECTED",
        "DOCUMENT_SCREENING",
        [],
    )


async def test_a_refused_move_names_the_allowed_ones_and_leaves_no_trace(db: Database, serve: Serve) -> None:
    """Seed 001, failure paths 11 and 12, over HTTP."""
    client = await serve(db)
    application = await created(client, await some_posting(db))

    async def refused(status: str) -> dict[str, Any]:
        return await document(await move(client, application, status), 409, "transition-refused")

    skipped = await refused("OFFERED")
    assert (skipped["reason"], skipped["nextStatus"], skipped["currentStatus"]) == (
        "STAGE_SKIPPED",
        "OFFERED",
        "APPLIED",
    )
    assert skipped["allowedNextStatuses"] == ["DOCUMENT_SCREENING", "REJECTED", "WITHDRAWN"]
    assert (await refused("APPLIED"))["reason"] == "SAME_STATUS"
    for status in ("DOCUMENT_SCREENING", "INTERVIEWING", "OFFERED"):
        assert (await move(client, application, status)).status == 200
    withdrawn = await refused("WITHDRAWN")
    assert (withdrawn["reason"], withdrawn["allowedNextStatuses"]) == (
        "DECLINE_THE_OFFER",
        ["ACCEPTED", "OFFER_DECLINED"],
    )
    assert "OFFER_DECLINED" in withdrawn["detail"]
    assert (await move(client, application, "OFFER_DECLINED")).status == 200
    for status in ApplicationStatus:
        ended = await refused(status)
        assert (ended["reason"], ended["allowedNextStatuses"]) == ("TERMINAL", [])
    found = await (await client.get(f"/api/applications/{application}")).json()
    assert (found["version"], len(found["statusHistories"])) == (4, 5)


async def test_a_move_with_a_stale_tag_is_a_412_and_one_with_the_present_tag_is_made(
    db: Database, serve: Serve
) -> None:
    client = await serve(db)
    application = await created(client, await some_posting(db))
    assert (await move(client, application, "DOCUMENT_SCREENING", headers={"If-Match": '"0"'})).status == 200
    for stale in ('"0"', 'W/"1"', '"elsewhere"'):
        answer = await move(client, application, "INTERVIEWING", headers={"If-Match": stale})
        told = await document(answer, 412, "application-changed")
        assert (told["version"], told["currentStatus"]) == (1, "DOCUMENT_SCREENING")
        assert answer.headers["ETag"] == '"1"'
    bad = await document(
        await move(client, application, "INTERVIEWING", headers={"If-Match": "1"}), 422, "invalid-value"
    )
    assert [(error["in"], error["field"]) for error in bad["errors"]] == [("header", "If-Match")]
    assert (await move(client, application, "INTERVIEWING", headers={"If-Match": '"7", "1"'})).status == 200
    assert (await move(client, application, "OFFERED", headers={"If-Match": "*"})).status == 200


async def test_of_two_requests_at_once_one_is_made_and_one_refused(db: Database, serve: Serve) -> None:
    """Seed 001, 동시성: 지원 상태 이중 전이."""
    client = await serve(db)
    for wanted in (("REJECTED", "WITHDRAWN"), ("DOCUMENT_SCREENING", "DOCUMENT_SCREENING")):
        application = await created(client, await some_posting(db))
        answers = await asyncio.gather(*(move(client, application, status) for status in wanted))
        assert sorted(answer.status for answer in answers) == [200, 409]
        (lost,) = [json.loads(await answer.text()) for answer in answers if answer.status == 409]
        assert lost["type"].rpartition(":")[2] in {"application-changed", "transition-refused"}
        assert "allowedNextStatuses" in lost
        found = await (await client.get(f"/api/applications/{application}")).json()
        assert len(found["statusHistories"]) == 2


async def test_a_list_has_the_fields_of_the_seed_and_is_filtered_and_paged(
    db: Database, serve: Serve, clock: ManualClock
) -> None:
    client = await serve(db)
    one, two = await add_company(db, "당근마켓"), await add_company(db, "우아한형제들")
    postings = [await add_posting(db, company, f"공고 {company}") for company in (one, one, two)]
    ids = [await created(client, posting) for posting in postings]
    clock.advance(timedelta(hours=1))
    await move(client, ids[0], "REJECTED")

    async def listed(query: str) -> dict[str, Any]:
        answer = await client.get(f"/api/applications?{query}")
        assert answer.status == 200, await answer.text()
        found: dict[str, Any] = await answer.json()
        return found

    everything = await listed("")
    assert (everything["totalCount"], everything["page"], everything["size"]) == (3, 0, 50)
    assert [each["applicationId"] for each in everything["applications"]] == [ids[0], ids[2], ids[1]]
    assert everything["applications"][0] == {
        "applicationId": ids[0],
        "jobPostingId": postings[0],
        "companyName": "당근마켓",
        "jobPostingTitle": f"공고 {one}",
        "currentStatus": "REJECTED",
        "rejectedAtStage": "APPLIED",
        "appliedAt": AT_UTC,
        "lastTransitedAt": "2026-11-30T16:00:00Z",
    }
    assert [each["applicationId"] for each in (await listed(f"companyId={one}"))["applications"]] == [ids[0], ids[1]]
    assert (await listed("companyId=404"))["applications"] == []
    assert (await listed("companyId="))["totalCount"] == 3
    assert [each["applicationId"] for each in (await listed("currentStatus=REJECTED"))["applications"]] == [ids[0]]
    second = await listed("size=2&page=1")
    assert ([each["applicationId"] for each in second["applications"]], second["totalCount"]) == ([ids[1]], 3)


async def test_a_closed_posting_keeps_its_application_in_list_and_detail(db: Database, serve: Serve) -> None:
    """Seed 001, NFR-5."""
    client = await serve(db)
    application = await created(client, await some_posting(db))
    await write(db, update(job_postings).values(posting_status="CLOSED", closed_reason="NOT_FOUND_TWICE"))
    found = await (await client.get(f"/api/applications/{application}")).json()
    assert (found["postingStatus"], found["currentStatus"]) == ("CLOSED", "APPLIED")
    assert (await (await client.get("/api/applications")).json())["totalCount"] == 1
    assert (await move(client, application, "DOCUMENT_SCREENING")).status == 200


async def test_interviews_are_added_edited_and_shown_by_round(db: Database, serve: Serve) -> None:
    """Seed 001, FR-46: what is left out of a PATCH stays, null takes it away."""
    client = await serve(db)
    application = await created(client, await some_posting(db))
    path = f"/api/applications/{application}/interviews"
    later = await client.post(path, json={"roundNumber": 2, "label": "2차 임원면접"})
    first = await client.post(
        path, json={"roundNumber": 1, "label": "1차 기술면접", "scheduledAt": "2026-12-05T14:00:00+09:00"}
    )
    made = await first.json()
    assert (first.status, later.status, set(made), first.headers["ETag"]) == (201, 201, {"interviewId"}, '"0"')

    async def shown() -> dict[str, Any]:
        found = await (await client.get(f"/api/applications/{application}")).json()
        assert [each["roundNumber"] for each in found["interviews"]] == [1, 2]
        interview: dict[str, Any] = found["interviews"][0]
        return interview

    assert await shown() == {
        "interviewId": made["interviewId"],
        "roundNumber": 1,
        "label": "1차 기술면접",
        "scheduledAt": "2026-12-05T05:00:00Z",
        "interviewResult": None,
        "memo": None,
        "version": 0,
    }
    one = f"{path}/{made['interviewId']}"
    edited = await client.patch(one, json={"interviewResult": "PASSED", "memo": "좋았음"})
    assert (edited.status, await edited.json(), edited.headers["ETag"]) == (200, made, '"1"')
    kept = await shown()
    assert (kept["scheduledAt"], kept["interviewResult"], kept["memo"]) == ("2026-12-05T05:00:00Z", "PASSED", "좋았음")
    assert (await client.patch(one, json={"scheduledAt": None, "label": "코딩 테스트"})).status == 200
    cleared = await shown()
    assert (cleared["scheduledAt"], cleared["interviewResult"], cleared["label"], cleared["version"]) == (
        None,
        "PASSED",
        "코딩 테스트",
        2,
    )
    same = await client.patch(one, json={})
    assert (same.status, same.headers["ETag"]) == (200, '"2"')
    stale = await client.patch(one, json={"memo": None}, headers={"If-Match": '"1"'})
    told = await document(stale, 412, "interview-changed")
    assert (told["interviewId"], told["version"], stale.headers["ETag"]) == (made["interviewId"], 2, '"2"')
    assert (await client.patch(one, json={"memo": None}, headers={"If-Match": '"2"'})).status == 200
    assert (await shown())["memo"] is None


async def test_a_round_given_twice_and_interviews_that_are_not_there_are_refused(db: Database, serve: Serve) -> None:
    client = await serve(db)
    application, other = [await created(client, await some_posting(db)) for _ in range(2)]
    path = f"/api/applications/{application}/interviews"
    made = await (await client.post(path, json={"roundNumber": 1, "label": "1차"})).json()
    again = await document(
        await client.post(path, json={"roundNumber": 1, "label": "다시"}), 409, "interview-round-exists"
    )
    assert (again["interviewId"], again["roundNumber"]) == (made["interviewId"], 1)
    elsewhere = f"/api/applications/{other}/interviews/{made['interviewId']}"
    await document(await client.patch(elsewhere, json={"memo": "x"}), 404, "unknown-interview")
    await document(
        await client.post("/api/applications/404/interviews", json={"roundNumber": 1, "label": "1차"}),
        404,
        "unknown-application",
    )
    await document(await move(client, 404, "REJECTED"), 404, "unknown-application")
    await document(await client.get("/api/applications/404"), 404, "unknown-application")


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "", {"appliedAt": AT}, "jobPostingId"),
        ("POST", "", {"jobPostingId": 1}, "appliedAt"),
        ("POST", "", {"jobPostingId": "1", "appliedAt": AT}, "jobPostingId"),
        ("POST", "", {"jobPostingId": 0, "appliedAt": AT}, "jobPostingId"),
        ("POST", "", {"jobPostingId": 1, "appliedAt": "2026-11-28"}, "appliedAt"),
        ("POST", "", {"jobPostingId": 1, "appliedAt": "2026-11-28T19:30:00"}, "appliedAt"),
        ("POST", "", {"jobPostingId": 1, "appliedAt": 1764000000}, "appliedAt"),
        ("POST", "", {"jobPostingId": 1, "appliedAt": "9999-12-31T23:59:59-12:00"}, "appliedAt"),
        ("POST", "", {"jobPostingId": 1, "appliedAt": AT, "memo": "가" * 2001}, "memo"),
        ("POST", "", {"jobPostingId": 1, "appliedAt": AT, "status": "OFFERED"}, "status"),
        ("POST", "/1/status-transitions", {"nextStatus": "HIRED"}, "nextStatus"),
        ("POST", "/1/status-transitions", {"nextStatus": None}, "nextStatus"),
        ("POST", "/1/status-transitions", {}, "nextStatus"),
        ("POST", "/1/interviews", {"roundNumber": 0, "label": "1차"}, "roundNumber"),
        ("POST", "/1/interviews", {"roundNumber": 1, "label": ""}, "label"),
        ("POST", "/1/interviews", {"roundNumber": 1, "label": " \u3000"}, "label"),
        ("POST", "/1/interviews", {"roundNumber": 1, "label": "가" * 101}, "label"),
        ("PATCH", "/1/interviews/1", {"interviewResult": "MAYBE"}, "interviewResult"),
        ("PATCH", "/1/interviews/1", {"label": None}, "label"),
        ("PATCH", "/1/interviews/1", {"roundNumber": 2}, "roundNumber"),
        ("GET", "?companyId=x", None, "companyId"),
        ("GET", "?currentStatus=HIRED", None, "currentStatus"),
        ("GET", "?size=201", None, "size"),
    ],
)
async def test_a_wrong_value_is_refused_by_the_name_of_its_field(
    serve: Serve, offline: Database, method: str, path: str, body: object, field: str
) -> None:
    client = await serve(offline)
    options = {} if body is None else {"json": body}
    answer = await client.request(method, f"/api/applications{path}", **options)  # type: ignore[arg-type]  # JSON
    told = await document(answer, 422, "invalid-value")
    assert [error["field"] for error in told["errors"]] == [field]


async def test_an_edit_is_described_without_a_default_that_would_be_refused(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    described = await (await client.get("/api/openapi.json")).json()
    edit = described["components"]["schemas"]["InterviewEdit"]
    assert "default" not in edit["properties"]["label"]
    assert "required" not in edit
    move_operation = described["paths"]["/api/applications/{id}/status-transitions"]["post"]
    assert ("If-Match", "header", False) in {
        (parameter["name"], parameter["in"], parameter["required"]) for parameter in move_operation["parameters"]
    }
    assert {"200", "404", "409", "412", "422"} <= set(move_operation["responses"])
    assert "ETag" in move_operation["responses"]["200"]["headers"]
