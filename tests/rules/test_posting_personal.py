"""What a person may enter and change of a posting (FR-20; seed 001, 데이터 롤백)."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import pytest

from daemon.posting.model import (
    EditRefusal,
    InvalidPosting,
    PersonalPosting,
    PostingEdit,
    PostingOrigin,
    PostingStatus,
)
from daemon.posting.rules import checked_address, checked_deadline, checked_title, decide_edit

NOW = datetime(2026, 12, 1, 3, tzinfo=UTC)
HOUR = timedelta(hours=1)

ENTERED = PersonalPosting(
    id=1,
    company_id=2,
    origin=PostingOrigin.MANUAL,
    title="백엔드 개발자",
    posting_url="https://a.example/1",
    deadline_at=NOW + HOUR,
    status=PostingStatus.OPEN,
    version=3,
)
COLLECTED = replace(ENTERED, origin=PostingOrigin.COLLECTED)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(" 백엔드 \n 개발자 ", "백엔드 개발자"), ("e\u0301", "é"), ("e\0\u0301", "é"), ("가" * 500, "가" * 500)],
)
def test_a_title_is_kept_in_one_line(given: str, kept: str) -> None:
    assert checked_title(given) == kept


@pytest.mark.parametrize(
    ("given", "message"),
    [("", "empty"), (" \u200b\n", "empty"), ("가" * 501, "longer than 500 characters")],
)
def test_a_title_that_is_none_is_refused(given: str, message: str) -> None:
    with pytest.raises(InvalidPosting) as refused:
        checked_title(given)
    assert (refused.value.field, refused.value.message) == ("title", message)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://a.example/1?b=c#d", "https://a.example/1?b=c#d"),
        (" http://a.example ", "http://a.example"),
        ("https://당근.kr/채용", "https://당근.kr/채용"),
        ("https://a.example/X", "https://a.example/X"),
        ("https://a.example:8443/", "https://a.example:8443/"),
        ("https://a.example/" + "a" * 1982, "https://a.example/" + "a" * 1982),
    ],
)
def test_an_address_for_a_browser_is_kept(given: str, kept: str) -> None:
    assert checked_address(given) == kept


BAD_SIGN = "contains a sign that no address has"
NO_WEB = "write an address that begins with http:// or https://"
SECRET = "an address with a name or password in it is not kept"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", NO_WEB),
        ("a.example/1", NO_WEB),
        ("ftp://a.example/1", NO_WEB),
        ("javascript:alert(1)", NO_WEB),
        ("https://", NO_WEB),
        ("https:///1", NO_WEB),
        ("https://a.example/" + "a" * 1983, "longer than 2000 characters"),
        ("https://a.example:99999/", "not an address"),
        ("https://[", "not an address"),
        ("https://me@a.example/", SECRET),
        ("https://:pw@a.example/", SECRET),
        ("https://me:pw@a.example/", SECRET),
        *((f"https://a.example/{sign}", BAD_SIGN) for sign in ('"', "<", ">", "\\", "`")),
        ("https://a.example/a b", BAD_SIGN),
        ("https://a.example/\u202e1", BAD_SIGN),
    ],
)
def test_an_address_that_a_browser_should_not_be_given_is_refused(given: str, message: str) -> None:
    with pytest.raises(InvalidPosting) as refused:
        checked_address(given)
    assert (refused.value.field, refused.value.message) == ("posting_url", message)


@pytest.mark.parametrize("year", [1970, 2026, 9998])
def test_a_deadline_that_every_database_can_tell_is_kept(year: int) -> None:
    assert checked_deadline(NOW.replace(year=year)) == NOW.replace(year=year)
    assert checked_deadline(None) is None


@pytest.mark.parametrize("year", [1, 1969, 9999])
def test_a_deadline_beyond_is_refused(year: int) -> None:
    with pytest.raises(InvalidPosting) as refused:
        checked_deadline(NOW.replace(year=year))
    assert (refused.value.field, refused.value.message) == ("deadline_at", "the year must be from 1970 to 9998")


EDITS: list[PostingEdit] = [
    {"title": "서버 개발자"},
    {"posting_url": "https://a.example/2"},
    {"deadline_at": None},
    {"posting_status": PostingStatus.CLOSED},
]


@pytest.mark.parametrize("edit", EDITS)
def test_what_a_person_entered_is_theirs_and_what_was_collected_is_the_sites(edit: PostingEdit) -> None:
    edited = decide_edit(ENTERED, edit, NOW)
    assert isinstance(edited, PersonalPosting)
    values = {"posting_status" if key == "status" else key: value for key, value in asdict(edited).items()}
    before = {"posting_status" if key == "status" else key: value for key, value in asdict(ENTERED).items()}
    assert values == before | edit
    assert decide_edit(COLLECTED, edit, NOW) is EditRefusal.COLLECTED


@pytest.mark.parametrize("posting", [ENTERED, COLLECTED, replace(COLLECTED, status=PostingStatus.CLOSED)])
def test_a_change_that_changes_nothing_is_no_change(posting: PersonalPosting) -> None:
    same: PostingEdit = {"title": posting.title, "posting_status": posting.status, "deadline_at": posting.deadline_at}
    assert decide_edit(posting, same, NOW) is posting
    assert decide_edit(posting, {}, NOW + 2 * HOUR) is posting


@pytest.mark.parametrize("posting", [ENTERED, COLLECTED])
@pytest.mark.parametrize("deadline", [None, NOW + timedelta(microseconds=1)])
def test_a_wrong_closing_can_be_undone_while_one_may_apply(posting: PersonalPosting, deadline: datetime | None) -> None:
    closed = replace(posting, status=PostingStatus.CLOSED, deadline_at=deadline)
    reopened = replace(closed, status=PostingStatus.OPEN)
    assert decide_edit(closed, {"posting_status": PostingStatus.OPEN}, NOW) == reopened


@pytest.mark.parametrize("posting", [ENTERED, COLLECTED])
@pytest.mark.parametrize("late", [timedelta(0), HOUR])
def test_nothing_is_opened_whose_deadline_has_passed(posting: PersonalPosting, late: timedelta) -> None:
    closed = replace(posting, status=PostingStatus.CLOSED, deadline_at=NOW - late)
    assert decide_edit(closed, {"posting_status": PostingStatus.OPEN}, NOW) is EditRefusal.DEADLINE_PASSED


def test_an_open_posting_may_be_given_a_deadline_that_has_passed() -> None:
    """For the history of an application; the next night closes it."""
    assert decide_edit(ENTERED, {"deadline_at": NOW - HOUR}, NOW) == replace(ENTERED, deadline_at=NOW - HOUR)


def test_undoing_a_closing_changes_nothing_else_of_a_collected_posting() -> None:
    closed = replace(COLLECTED, status=PostingStatus.CLOSED)
    edit: PostingEdit = {"posting_status": PostingStatus.OPEN, "title": "서버 개발자"}
    assert decide_edit(closed, edit, NOW) is EditRefusal.COLLECTED
