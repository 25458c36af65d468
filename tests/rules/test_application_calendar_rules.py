"""Calendar entries and the file they make, read back by a parser that is not ours (RFC 5545)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar, Timezone

from daemon.application.model import ApplicationStatus, InterviewResult
from daemon.clock import KST
from daemon.messages import Language
from daemon.operations.calendar.ics import calendar_document
from daemon.operations.calendar.model import Appointment, Deadline, Entry
from daemon.operations.calendar.rules import entry_of_appointment, entry_of_deadline, is_cancelled

CHANGED = datetime(2026, 11, 30, 23, 59, 58, 999_999, tzinfo=UTC)

DEADLINE = Deadline(
    job_posting_id=7,
    company_name="당근마켓",
    title="백엔드 개발자",
    posting_url="https://example.com/jobs/7",
    deadline_at=datetime(2026, 12, 5, 23, 59, 59, tzinfo=KST),
    current_status=None,
    version=3,
    updated_at=CHANGED,
)

APPOINTMENT = Appointment(
    application_id=1,
    interview_id=9,
    company_name="당근마켓",
    title="백엔드 개발자",
    posting_url="https://example.com/jobs/7",
    label="1차 기술면접",
    round_number=1,
    scheduled_at=datetime(2026, 12, 8, 14, 0, tzinfo=KST),
    interview_result=None,
    memo=None,
    current_status=ApplicationStatus.INTERVIEWING,
    last_transited_at=datetime(2026, 12, 1, tzinfo=UTC),
    version=2,
    updated_at=CHANGED,
)


def read(*entries: Entry, name: str = "공고 일정") -> list[Any]:
    """The events of the calendar, as icalendar reads them; it complains about what is not RFC 5545."""
    document = calendar_document(name, entries)
    (calendar,) = Calendar.from_ical(document, multiple=True)
    assert calendar.errors == []
    assert (str(calendar["VERSION"]), str(calendar["X-WR-CALNAME"])) == ("2.0", name)
    found = list(calendar.walk("VEVENT"))
    assert [event.errors for event in found] == [[] for _ in found]
    assert calendar.walk("VALARM") == []
    return found


def test_a_deadline_at_the_end_of_a_day_is_that_whole_korean_day() -> None:
    (event,) = read(entry_of_deadline(DEADLINE, "ko"))
    assert event.decoded("DTSTART") == date(2026, 12, 5)
    assert "DURATION" not in event
    assert "DTEND" not in event
    assert str(event["SUMMARY"]) == "[마감] 당근마켓 - 백엔드 개발자"
    assert str(event["DESCRIPTION"]) == "마감: 2026-12-05 23:59 (한국 시간)\nhttps://example.com/jobs/7"
    assert str(event["URL"]) == "https://example.com/jobs/7"
    assert (str(event["UID"]), str(event["TRANSP"])) == ("deadline-7@gonggo", "TRANSPARENT")


def test_a_deadline_at_another_hour_is_a_moment() -> None:
    afternoon = replace(DEADLINE, deadline_at=datetime(2026, 12, 5, 8, 0, tzinfo=UTC))
    (event,) = read(entry_of_deadline(afternoon, "en"))
    assert event.decoded("DTSTART") == datetime(2026, 12, 5, 17, 0, tzinfo=KST)
    assert str(event["DTSTART"].params["TZID"]) == "Asia/Seoul"
    assert "DURATION" not in event
    assert str(event["SUMMARY"]) == "[Deadline] 당근마켓 - 백엔드 개발자"


def test_the_deadline_of_a_posting_applied_for_says_how_far_the_application_is() -> None:
    entry = entry_of_deadline(replace(DEADLINE, current_status=ApplicationStatus.DOCUMENT_SCREENING), "ko")
    assert "지원 상태: 서류 전형" in entry.description.splitlines()


def test_an_interview_takes_an_hour_of_the_persons_time() -> None:
    (event,) = read(entry_of_appointment(replace(APPOINTMENT, memo="3층\n신분증"), "ko"))
    assert event.decoded("DTSTART") == datetime(2026, 12, 8, 14, 0, tzinfo=KST)
    assert event.decoded("DURATION") == timedelta(hours=1)
    assert str(event["SUMMARY"]) == "[면접] 당근마켓 - 1차 기술면접"
    assert str(event["DESCRIPTION"]).splitlines() == [
        "백엔드 개발자",
        "1회차",
        "3층",
        "신분증",
        "https://example.com/jobs/7",
    ]
    assert (str(event["UID"]), str(event["STATUS"]), str(event["TRANSP"])) == (
        "interview-9@gonggo",
        "CONFIRMED",
        "OPAQUE",
    )


def test_an_interview_tells_its_result() -> None:
    entry = entry_of_appointment(replace(APPOINTMENT, interview_result=InterviewResult.PASSED), "ko")
    assert "결과: 합격" in entry.description.splitlines()


@pytest.mark.parametrize("result", [None, *InterviewResult])
@pytest.mark.parametrize("status", [ApplicationStatus.INTERVIEWING, ApplicationStatus.WITHDRAWN])
@pytest.mark.parametrize("ended_before", [True, False])
def test_an_interview_is_cancelled_when_the_application_ended_before_it(
    result: InterviewResult | None, status: ApplicationStatus, ended_before: bool
) -> None:
    moved = APPOINTMENT.scheduled_at + timedelta(days=-1 if ended_before else 1)
    appointment = replace(APPOINTMENT, interview_result=result, current_status=status, last_transited_at=moved)
    undecided = result in (None, InterviewResult.PENDING)
    assert is_cancelled(appointment) == (ended_before and undecided and status is ApplicationStatus.WITHDRAWN)


def test_an_interview_that_an_application_ended_with_took_place() -> None:
    ended = replace(APPOINTMENT, current_status=ApplicationStatus.REJECTED, last_transited_at=APPOINTMENT.scheduled_at)
    assert not is_cancelled(ended)
    assert is_cancelled(replace(ended, last_transited_at=APPOINTMENT.scheduled_at - timedelta(microseconds=1)))


@pytest.mark.parametrize(("language", "names"), [("ko", ("공고 마감", "면접")), ("en", ("Deadlines", "Interviews"))])
def test_entries_are_of_a_kind_in_the_persons_language(language: Language, names: tuple[str, str]) -> None:
    deadline, interview = entry_of_deadline(DEADLINE, language), entry_of_appointment(APPOINTMENT, language)
    assert (deadline.category, interview.category) == names
    assert (deadline.busy, deadline.cancelled) == (False, False)


def test_a_cancelled_interview_stays_in_the_calendar_as_a_newer_revision() -> None:
    ended = datetime(2026, 12, 3, 1, 2, 3, tzinfo=UTC)
    withdrawn = replace(APPOINTMENT, current_status=ApplicationStatus.WITHDRAWN, last_transited_at=ended)
    before, after = read(entry_of_appointment(APPOINTMENT, "ko"), entry_of_appointment(withdrawn, "ko"))
    assert before["UID"] == after["UID"]
    assert (str(before["STATUS"]), str(after["STATUS"]), str(after["TRANSP"])) == (
        "CONFIRMED",
        "CANCELLED",
        "TRANSPARENT",
    )
    assert after["SEQUENCE"] > before["SEQUENCE"]
    assert after.decoded("DTSTAMP") == ended


def test_stamps_come_from_the_data_so_that_the_same_data_makes_the_same_bytes() -> None:
    entries = [entry_of_deadline(DEADLINE, "ko"), entry_of_appointment(APPOINTMENT, "ko")]
    assert calendar_document("x", entries) == calendar_document("x", entries)
    for event in read(*entries):
        assert event.decoded("DTSTAMP") == CHANGED.replace(microsecond=0) == event.decoded("LAST-MODIFIED")
    assert [event["SEQUENCE"] for event in read(*entries)] == [3, 2]


def test_a_calendar_without_entries_is_still_one() -> None:
    assert read() == []
    assert calendar_document("x", []).count(b"BEGIN:") == 3


def test_the_korean_zone_that_the_file_defines_is_nine_hours_ahead() -> None:
    (calendar,) = Calendar.from_ical(calendar_document("x", []), multiple=True)
    (zone,) = calendar.walk("VTIMEZONE")
    assert isinstance(zone, Timezone)
    assert str(zone["TZID"]) == "Asia/Seoul"
    assert zone.to_tz().utcoffset(datetime(2026, 12, 1, 12)) == timedelta(hours=9)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://example.com/a?b=1&c=%20#d", "https://example.com/a?b=1&c=%20#d"),
        ("https://example.com/채용 공고\r\nX-EVIL:1", "https://example.com/%EC%B1%84%EC%9A%A9%20%EA%B3%B5%EA%B3%A0%0D%0AX-EVIL:1"),
    ],
)  # fmt: skip
def test_a_link_is_told_in_ascii_and_cannot_begin_a_line_of_its_own(given: str, address: str) -> None:
    (event,) = read(entry_of_deadline(replace(DEADLINE, posting_url=given), "ko"))
    assert str(event["URL"]) == address
    assert "X-EVIL" not in event


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
CONTROLS = {*map(chr, range(9)), *map(chr, range(0x0E, 0x20)), "\x7f"}


def plain(text: str) -> str:
    """What a calendar can keep of a text: no control characters, and one kind of line end."""
    for end in ("\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"):
        text = text.replace(end, "\n")
    return "".join(character for character in text if character not in CONTROLS)


@given(company=ANY_TEXT, title=ANY_TEXT, memo=ANY_TEXT)
def test_any_text_comes_back_as_it_was_and_no_line_is_longer_than_75_octets(
    company: str, title: str, memo: str
) -> None:
    appointment = replace(APPOINTMENT, company_name=company, title=title, memo=memo, label="면접; a,b\\n")
    document = calendar_document("이름, \\ ;", [entry_of_appointment(appointment, "ko")])
    assert document.endswith(b"\r\n")
    for line in document.split(b"\r\n"):
        assert len(line) <= 75
        line.decode("utf-8")
        assert b"\n" not in line
        assert b"\r" not in line
    (event,) = read(entry_of_appointment(appointment, "ko"))
    assert str(event["SUMMARY"]) == plain(f"[면접] {company} - 면접; a,b\\n")
    assert str(event["DESCRIPTION"]) == plain("\n".join([title, "1회차", memo, "https://example.com/jobs/7"]))
