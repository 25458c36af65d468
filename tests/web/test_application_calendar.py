"""The calendar feed: which deadlines and interviews are in it, and who may read it (DESIGN 1.10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from icalendar import Calendar
from sqlalchemy import update

from daemon.application.actions import add_interview, apply_for_posting, edit_interview, transit_application
from daemon.application.model import ApplicationStatus
from daemon.application.tables import job_application_interviews, job_applications
from daemon.clock import ManualClock, kst
from daemon.db import Database
from daemon.posting.tables import job_postings
from tests.db.applied import add_company, add_posting, match, some_posting
from tests.engines import write
from tests.web.conftest import Client, Serve

DUE = datetime(2026, 12, 10, 14, 59, 59, tzinfo=UTC)


async def events(client: Client, **options: Any) -> dict[str, Any]:
    """The events of the feed by their UID."""
    answer = await client.get("/api/calendar.ics", **options)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/calendar; charset=utf-8")
    (calendar,) = Calendar.from_ical(await answer.read(), multiple=True)
    found = calendar.walk("VEVENT")
    assert calendar.errors == []
    by_uid = {str(event["UID"]): event for event in found}
    assert len(by_uid) == len(found)
    return by_uid


async def test_the_deadlines_are_those_of_open_postings_that_concern_the_person(db: Database, serve: Serve) -> None:
    company = await add_company(db, "당근마켓")

    async def posting(**columns: Any) -> int:
        return await add_posting(db, company, **{"deadline_at": DUE, "job_source_id": 1, **columns})

    matched = await posting(title="백엔드, 서버; 개발자")
    by_hand = await posting(posting_origin="MANUAL", job_source_id=None)
    applied = await posting()
    represents_applied = await posting()
    copy = await posting(representative_id=represents_applied)
    ruled_out, unmatched, unjudged = [await posting() for _ in range(3)]
    closed = await posting(posting_status="CLOSED")
    always_open = await posting(deadline_at=None)
    matched_copy = await posting(representative_id=matched)
    long_past = await posting(deadline_at=kst(datetime(2026, 10, 31).date(), 0))
    just_past = await posting(deadline_at=kst(datetime(2026, 11, 2).date(), 0))
    for each in (matched, closed, always_open, matched_copy, long_past, just_past):
        await match(db, each)
    await match(db, ruled_out, notifiable=False)
    await match(db, unmatched, matched=False, notifiable=False)
    await apply_for_posting(db, applied, None, None)
    await apply_for_posting(db, copy, None, None)
    found = await events(await serve(db))
    expected = {matched, by_hand, applied, represents_applied, just_past}
    assert set(found) == {f"deadline-{each}@gonggo" for each in expected}
    assert unjudged not in expected
    event = found[f"deadline-{matched}@gonggo"]
    assert str(event["SUMMARY"]) == "[마감] 당근마켓 - 백엔드, 서버; 개발자"
    assert event.decoded("DTSTART") == datetime(2026, 12, 10).date()
    assert "지원 상태: 지원함" in str(found[f"deadline-{represents_applied}@gonggo"]["DESCRIPTION"])


async def test_an_application_for_what_became_a_copy_counts_for_its_representative(db: Database, serve: Serve) -> None:
    company = await add_company(db)
    first, later = [await add_posting(db, company, deadline_at=DUE, job_source_id=1) for _ in range(2)]
    await apply_for_posting(db, first, None, None)
    await write(db, update(job_postings).where(job_postings.c.id == first).values(representative_id=later))
    assert set(await events(await serve(db))) == {f"deadline-{later}@gonggo"}


async def test_interviews_keep_their_place_when_they_change_and_after_the_end(
    db: Database, serve: Serve, clock: ManualClock
) -> None:
    client = await serve(db)
    application = (await apply_for_posting(db, await some_posting(db), None, None)).id
    at = clock.now() + timedelta(days=7)
    dated = await add_interview(db, application, 1, "1차 기술면접", at)
    await add_interview(db, application, 2, "날짜 없음")
    uid = f"interview-{dated.interview_id}@gonggo"
    first = await events(client)
    assert set(first) == {uid}
    assert first[uid].decoded("DTSTART") == at
    assert first[uid].decoded("DTSTAMP") == clock.now()
    clock.advance(timedelta(hours=1))
    await edit_interview(db, application, dated.interview_id, {"scheduled_at": at + timedelta(days=1)})
    moved = (await events(client))[uid]
    assert (moved.decoded("DTSTART"), moved.decoded("DTSTAMP")) == (at + timedelta(days=1), clock.now())
    assert moved["SEQUENCE"] == first[uid]["SEQUENCE"] + 1
    clock.advance(timedelta(hours=1))
    await transit_application(db, application, ApplicationStatus.WITHDRAWN)
    cancelled = (await events(client))[uid]
    assert (str(cancelled["STATUS"]), cancelled.decoded("DTSTAMP")) == ("CANCELLED", clock.now())
    await write(db, update(job_application_interviews).values(interview_result="PASSED"))
    await write(db, update(job_applications).values(current_status="ACCEPTED"))
    assert str((await events(client))[uid]["STATUS"]) == "CONFIRMED"


async def test_the_feed_is_the_same_bytes_until_something_changes(
    db: Database, serve: Serve, clock: ManualClock
) -> None:
    posting = await some_posting(db, deadline_at=DUE)
    await match(db, posting)
    await add_interview(db, (await apply_for_posting(db, posting, None, None)).id, 1, "1차", clock.now())
    client = await serve(db)
    one = await (await client.get("/api/calendar.ics")).read()
    clock.advance(timedelta(days=2))
    assert await (await client.get("/api/calendar.ics")).read() == one


async def test_the_calendar_speaks_the_persons_language(db: Database, serve: Serve) -> None:
    posting = await some_posting(db, deadline_at=DUE, title="Backend")
    await match(db, posting)
    (event,) = (await events(await serve(db, language="en"))).values()
    assert str(event["SUMMARY"]).startswith("[Deadline] ")


async def test_the_calendar_needs_the_token_where_the_api_does(serve: Serve, offline: Database) -> None:
    client = await serve(offline, api_token="correct-horse-battery-staple")
    assert (await client.get("/api/calendar.ics")).status == 401
    assert (await client.get("/api/export/applications.csv")).status == 401
    allowed = {"Authorization": "Bearer correct-horse-battery-staple"}
    assert (await client.get("/api/calendar.ics", headers=allowed)).status == 503
