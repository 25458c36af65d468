"""Postings over a real socket and a real database: paths, fields, statuses, preconditions (seed 001, API 계약)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from daemon.application.actions import apply_for_posting
from daemon.clock import ManualClock
from daemon.company.model import CompanyOrigin
from daemon.company.tables import job_sources
from daemon.db import Database, transaction
from daemon.flags.model import FlagKey
from daemon.matching.model import Confidence
from daemon.posting.actions import close_passed_deadlines, deduplicate
from daemon.posting.store import save_descriptions
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.db.test_posting_views import add_evidence, add_result
from tests.engines import DAY, add_source, keyed, newest, switch_on
from tests.notified import match
from tests.postings import add_company, add_posting
from tests.web.conftest import Client, Serve

URL = "https://careers.example.com/jobs/1"
ITEM = {
    "jobPostingId",
    "companyId",
    "companyName",
    "title",
    "postingUrl",
    "postingStatus",
    "closedReason",
    "deadlineAt",
    "matched",
    "workArrangement",
    "applicationId",
    "sourceType",
    "alternateSourceCount",
    "accessRestricted",
    "postingOrigin",
    "firstSeenAt",
}


async def answered(client: Client, method: str, path: str, status: int, **options: Any) -> dict[str, Any]:
    """The JSON that answers a request."""
    answer = await client.request(method, path, **options)
    assert answer.status == status, await answer.text()
    found: dict[str, Any] = await answer.json(content_type=None)
    return found


@pytest.fixture
async def daangn(db: Database) -> tuple[int, int]:
    """A watched company and its board."""
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    return (await newest(db, job_sources))["company_id"], source


# --- lists


async def test_a_companys_list_has_exactly_the_items_of_the_seeds(
    db: Database, serve: Serve, daangn: tuple[int, int], clock: ManualClock
) -> None:
    """GET /api/companies/{companyId}/job-postings (FR-50, 30, 33, 34)."""
    company, source = daangn
    posting = await add_posting(db, company, source, deadline_at=clock.now() + DAY)
    await add_result(db, posting, top=Confidence.CONFIRMED)
    await add_evidence(db, posting, "재택", Confidence.CONFIRMED, "재택 근무")
    client = await serve(db)
    found = await answered(client, "GET", f"/api/companies/{company}/job-postings", 200)
    assert set(found) == {"jobPostings", "totalCount", "totalIsExact", "page", "size"}
    (item,) = found["jobPostings"]
    assert set(item) == ITEM
    assert item["workArrangement"] == {"keyword": "재택", "confidence": "CONFIRMED"}
    assert (item["deadlineAt"], item["firstSeenAt"]) == ("2026-12-01T15:00:00Z", "2026-11-30T15:00:00Z")
    assert (item["matched"], item["accessRestricted"], item["applicationId"]) == (True, False, None)


async def test_a_list_is_sorted_filtered_and_paged_as_asked(
    db: Database, serve: Serve, daangn: tuple[int, int], clock: ManualClock
) -> None:
    company, source = daangn
    sure = await add_posting(db, company, source, posting_status="CLOSED", first_seen_at=clock.now() - DAY)
    late = await add_posting(db, company, source, deadline_at=clock.now() + 9 * DAY)
    soon = await add_posting(db, company, source, deadline_at=clock.now() + DAY)
    await add_result(db, sure, top=Confidence.LIKELY)
    client = await serve(db)

    async def ids(query: str) -> list[int]:
        found = await answered(client, "GET", f"/api/companies/{company}/job-postings?{query}", 200)
        return [item["jobPostingId"] for item in found["jobPostings"]]

    assert await ids("sort=DEADLINE") == [soon, late, sure]
    assert await ids("sort=DISCOVERED") == await ids("") == [soon, late, sure]
    assert await ids("sort=WORK_ARRANGEMENT") == [sure, soon, late]
    assert await ids("postingStatus=CLOSED") == [sure]
    assert await ids("postingStatus=&sort=DEADLINE&page=1&size=2") == [sure]
    for query in ("sort=TITLE", "postingStatus=GONE", "page=-1", "size=0", "size=201", "sorted=DEADLINE"):
        problem = await answered(client, "GET", f"/api/companies/{company}/job-postings?{query}", 422)
        assert problem["errors"][0]["field"] == query.partition("=")[0]


async def test_the_list_of_all_companies_is_filtered_by_what_a_person_asks(
    db: Database, serve: Serve, daangn: tuple[int, int]
) -> None:
    posting = await add_posting(db, *daangn)
    await add_result(db, posting)
    other = await add_posting(db, await add_company(db, "발견", CompanyOrigin.DISCOVERED), None, "디자이너")
    client = await serve(db)

    async def ids(query: str) -> list[int]:
        found = await answered(client, "GET", f"/api/job-postings?{query}", 200)
        assert found["totalCount"] == len(found["jobPostings"])
        return [item["jobPostingId"] for item in found["jobPostings"]]

    assert await ids("") == [other, posting]
    assert await ids("matched=true") == await ids("companyOrigin=WATCHED") == await ids("title=백엔드") == [posting]
    assert await ids("matched=false") == await ids("companyOrigin=DISCOVERED") == [other]
    assert await ids(f"companyId={daangn[0]}") == [posting]
    assert await ids("companyId=999999") == []


async def test_unknown_companies_and_postings_are_404(db: Database, serve: Serve) -> None:
    client = await serve(db)
    problem = await answered(client, "GET", "/api/companies/999999/job-postings", 404)
    assert (problem["type"], problem["companyId"]) == ("urn:gonggo:problem:unknown-company", 999999)
    problem = await answered(client, "GET", "/api/job-postings/999999", 404)
    assert (problem["type"], problem["jobPostingId"]) == ("urn:gonggo:problem:unknown-posting", 999999)
    for path in ("/api/job-postings/x", "/api/job-postings/0", "/api/companies/-1/job-postings"):
        await answered(client, "GET", path, 404)


# --- detail


async def test_a_detail_is_the_item_with_evidence_application_text_and_all_its_sources(
    db: Database, serve: Serve, daangn: tuple[int, int]
) -> None:
    """GET /api/job-postings/{id} (FR-29, 34, 42, 64). Failure path 24 as the reader sees it."""
    await switch_on(db, FlagKey.CROSS_SOURCE_DEDUP)
    company, source = daangn
    saramin = await add_source(db, Platform.SARAMIN, category="84")
    copy = await add_posting(db, company, saramin, posting_url="https://www.saramin.co.kr/1")
    posting = await add_posting(db, company, source)
    await deduplicate(db)
    await transaction(db, save_descriptions, {posting: "본문"}, db.clock.now())
    await match(db, posting)
    await add_evidence(db, posting, "재택", Confidence.LIKELY, "주 2회 재택 가능")
    applied = await apply_for_posting(db, posting, None, "지인 추천")
    client = await serve(db)
    answer = await client.get(f"/api/job-postings/{posting}")
    found = await answer.json()
    assert set(found) == {
        *ITEM,
        "workArrangements",
        "matchedWords",
        "application",
        "descriptionBody",
        "alternateSources",
        "version",
    }
    assert found["workArrangements"] == [
        {
            "keyword": "재택",
            "confidence": "LIKELY",
            "evidenceStage": "DESCRIPTION_BODY",
            "snippet": "주 2회 재택 가능",
        }
    ]
    assert found["matchedWords"] == [{"group": "백엔드", "synonym": "백엔드"}]
    assert found["alternateSources"] == [
        {
            "jobSourceId": source,
            "platform": "GREENHOUSE",
            "postingUrl": "https://example.com/jobs/1",
            "isRepresentative": True,
        },
        {
            "jobSourceId": saramin,
            "platform": "SARAMIN",
            "postingUrl": "https://www.saramin.co.kr/1",
            "isRepresentative": False,
        },
    ]
    assert (found["descriptionBody"], found["alternateSourceCount"], found["applicationId"]) == ("본문", 1, applied.id)
    assert found["application"]["currentStatus"] == "APPLIED"
    assert answer.headers["ETag"] == '"0"'
    assert (await answered(client, "GET", f"/api/job-postings/{copy}", 200))["sourceType"] == "AGGREGATOR"


async def test_a_single_posting_not_applied_for_has_itself_as_source_and_null_as_application(
    db: Database, serve: Serve, daangn: tuple[int, int]
) -> None:
    """단독 공고면 자기 자신 1건만(길이 1); "미지원"은 상태값이 아님 (FR-42)."""
    posting = await add_posting(db, *daangn)
    client = await serve(db)
    found = await answered(client, "GET", f"/api/job-postings/{posting}", 200)
    assert [one["isRepresentative"] for one in found["alternateSources"]] == [True]
    assert (found["application"], found["workArrangements"], found["descriptionBody"]) == (None, [], None)


# --- by hand


async def test_a_posting_is_entered_by_hand_and_found_where_the_answer_says(db: Database, serve: Serve) -> None:
    """POST /api/job-postings/manual-registrations (FR-20)."""
    company = await add_company(db, "당근마켓")
    client = await serve(db)
    body = {
        "companyId": company,
        "title": "백엔드 개발자",
        "postingUrl": URL,
        "deadlineAt": "2026-12-24T23:59:59+09:00",
    }
    answer = await client.post("/api/job-postings/manual-registrations", json=body)
    assert answer.status == 201, await answer.text()
    made = await answer.json()
    assert set(made) == {"jobPostingId"}
    found = await answered(client, "GET", answer.headers["Location"], 200)
    assert found["jobPostingId"] == made["jobPostingId"]
    names = ("title", "postingUrl", "deadlineAt", "postingOrigin", "postingStatus", "sourceType")
    assert [found[name] for name in names] == ["백엔드 개발자", URL, "2026-12-24T14:59:59Z", "MANUAL", "OPEN", None]


async def test_what_can_be_no_posting_is_refused_with_the_fields_at_fault(db: Database, serve: Serve) -> None:
    company = await add_company(db, "당근마켓")
    client = await serve(db)
    path = "/api/job-postings/manual-registrations"
    good = {"companyId": company, "title": "백엔드 개발자", "postingUrl": URL}
    for field, value in (
        ("companyId", "1"),
        ("companyId", 0),
        ("title", ""),
        ("title", "  "),
        ("title", None),
        ("postingUrl", "javascript:alert(1)"),
        ("postingUrl", "https://"),
        ("deadlineAt", "2026-12-24"),
        ("deadlineAt", "내일"),
        ("postingStatus", "OPEN"),
    ):
        problem = await answered(client, "POST", path, 422, json={**good, field: value})
        assert [(error["in"], error["field"]) for error in problem["errors"]] == [("body", field)]
    await answered(client, "POST", path, 422, json={"companyId": company})
    await answered(client, "POST", path, 400, data=b"{", headers={"Content-Type": "application/json"})
    await answered(client, "POST", path, 404, json={**good, "companyId": 999999})


async def test_an_address_entered_twice_is_a_conflict_that_names_the_posting(db: Database, serve: Serve) -> None:
    company = await add_company(db, "당근마켓")
    client = await serve(db)
    body = {"companyId": company, "title": "백엔드 개발자", "postingUrl": URL}
    path = "/api/job-postings/manual-registrations"
    made = await answered(client, "POST", path, 201, json=body)
    problem = await answered(client, "POST", path, 409, json={**body, "title": "다른 제목"})
    assert problem["type"] == "urn:gonggo:problem:posting-exists"
    assert problem["jobPostingId"] == made["jobPostingId"]


# --- changes


async def test_a_change_is_made_under_the_version_read_and_tells_the_next(db: Database, serve: Serve) -> None:
    posting = await add_posting(db, await add_company(db, "당근마켓"), None)
    client = await serve(db)
    path = f"/api/job-postings/{posting}"
    tag = (await client.get(path)).headers["ETag"]
    answer = await client.patch(path, json={"title": "새 제목"}, headers={"If-Match": tag})
    assert (answer.status, answer.headers["ETag"], await answer.json()) == (200, '"1"', {"jobPostingId": posting})
    problem = await answered(client, "PATCH", path, 412, json={"title": "또"}, headers={"If-Match": tag})
    assert (problem["type"], problem["version"]) == ("urn:gonggo:problem:posting-changed", 1)
    assert (await answered(client, "GET", path, 200))["title"] == "새 제목"
    await answered(client, "PATCH", path, 200, json={"deadlineAt": None, "postingStatus": "CLOSED"})
    assert (await answered(client, "GET", path, 200))["postingStatus"] == "CLOSED"
    for field, value in (("title", ""), ("title", None), ("postingUrl", "x"), ("postingStatus", None), ("id", 1)):
        problem = await answered(client, "PATCH", path, 422, json={field: value})
        assert problem["errors"][0]["field"] == field
    await answered(client, "PATCH", "/api/job-postings/999999", 404, json={"title": "공고"})


async def test_a_batch_that_closes_a_posting_makes_the_persons_version_stale(
    db: Database, serve: Serve, clock: ManualClock
) -> None:
    """배치 vs 사용자 API의 동일 공고 수정 (seed 001, 동시성): 412 instead of a lost update."""
    await switch_on(db, FlagKey.AUTO_CLOSE)
    deadline = clock.now() + timedelta(hours=1)
    posting = await add_posting(db, await add_company(db, "당근마켓"), None, deadline_at=deadline)
    client = await serve(db)
    path = f"/api/job-postings/{posting}"
    tag = (await client.get(path)).headers["ETag"]
    clock.advance(DAY)
    assert await close_passed_deadlines(db) == 1
    await answered(client, "PATCH", path, 412, json={"title": "새 제목"}, headers={"If-Match": tag})
    assert (await keyed(db, job_postings, "id"))[posting]["posting_status"] == "CLOSED"


async def test_what_a_site_says_is_not_the_persons_to_change(
    db: Database, serve: Serve, daangn: tuple[int, int]
) -> None:
    posting = await add_posting(db, *daangn, posting_status="CLOSED", closed_reason="NOT_FOUND_TWICE")
    client = await serve(db)
    path = f"/api/job-postings/{posting}"
    problem = await answered(client, "PATCH", path, 409, json={"title": "새 제목"})
    assert (problem["type"], problem["reason"]) == ("urn:gonggo:problem:edit-refused", "COLLECTED")
    await answered(client, "PATCH", path, 200, json={"postingStatus": "OPEN"})
    found = await answered(client, "GET", path, 200)
    assert (found["postingStatus"], found["closedReason"]) == ("OPEN", None)


async def test_a_database_that_does_not_answer_is_503_not_500(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    for path in ("/api/job-postings", "/api/export/postings.csv", "/api/export/postings.json", "/api/feed.atom"):
        problem = await answered(client, "GET", path, 503)
        assert problem["status"] == 503
