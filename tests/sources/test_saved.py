"""A saved answer as `gonggo parse` shows it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from daemon.sources.model import (
    ChangeSignalKind,
    ChangeSignature,
    ListPage,
    NotFetched,
    Outcome,
    Platform,
    Unreadable,
)
from daemon.sources.registry import adapter_of
from daemon.sources.saved import SavedAnswer, read_saved
from tests.sources.plain_site import NOW, PlainSite, posting

FULL = posting(
    "42",
    deadline_at=datetime(2026, 10, 2, 14, 59, 59, tzinfo=UTC),
    signature=ChangeSignature(kind=ChangeSignalKind.SOURCE_VERSION, value="3"),
    structured_tags=("재택", "서울"),
    description_body="본문",
    company_name="당근마켓",
    access_restricted=True,
)


def test_a_posting_has_the_keys_of_the_documented_format_and_korean_time() -> None:
    listed = ListPage(postings=(FULL, posting("43")), next_cursor="2", declared_total=7, skipped_ids=())
    answer = read_saved(PlainSite(listed=listed), b"{}", "list", NOW)
    assert isinstance(answer, SavedAnswer)
    assert json.loads(json.dumps(answer.postings)) == [
        {
            "sourceJobId": "42",
            "title": "백엔드 개발자",
            "postingUrl": "https://boards.example/1",
            "deadlineAt": "2026-10-02T23:59:59+09:00",
            "companyName": "당근마켓",
            "signatureKind": "SOURCE_VERSION",
            "signatureValue": "3",
            "tags": ["재택", "서울"],
            "descriptionBody": "본문",
            "accessRestricted": True,
        },
        {
            "sourceJobId": "43",
            "title": "백엔드 개발자",
            "postingUrl": "https://boards.example/1",
            "deadlineAt": None,
            "companyName": None,
            "signatureKind": None,
            "signatureValue": None,
            "tags": [],
            "descriptionBody": None,
            "accessRestricted": False,
        },
    ]
    assert answer.summary == "items=2 skipped=0 total=7 next=2"


def test_what_could_not_be_read_is_counted_and_what_the_site_withdrew_is_not() -> None:
    good = tuple(posting(str(number)) for number in range(10))
    listed = ListPage(
        postings=good, next_cursor=None, skipped_ids=("a",), unidentified=1, withdrawn_ids=("b", "c", "d")
    )
    answer = read_saved(PlainSite(listed=listed), b"{}", "list", NOW)
    assert isinstance(answer, SavedAnswer)
    assert answer.summary == "items=10 skipped=1 total=- next=- unidentified=1"


def test_a_detail_is_one_posting() -> None:
    answer = read_saved(PlainSite(detail=FULL), b"{}", "detail", NOW)
    assert isinstance(answer, SavedAnswer)
    assert [each["sourceJobId"] for each in answer.postings] == ["42"]
    assert answer.summary == "items=1 skipped=0 total=- next=-"


def test_an_answer_that_cannot_be_read_has_an_outcome() -> None:
    refused = PlainSite(listed=Unreadable(Outcome.LOGIN_REQUIRED, "login page"), detail=ValueError())
    assert read_saved(refused, b"", "list", NOW) == NotFetched(outcome=Outcome.LOGIN_REQUIRED, reason="login page")
    broken = read_saved(refused, b"", "detail", NOW)
    assert isinstance(broken, NotFetched)
    assert broken.outcome is Outcome.LAYOUT_CHANGED


def test_a_saved_page_with_a_text_but_no_name_is_read_as_the_text_alone() -> None:
    """JobKorea's frame: a person who opens it reads the posting's text, and not whose it is."""
    body = (Path(__file__).parents[1] / "sites" / "html" / "jobkorea_frame.html").read_bytes()
    answer = read_saved(adapter_of(Platform.JOBKOREA), body, "detail", NOW)
    assert isinstance(answer, SavedAnswer)
    (posting,) = answer.postings
    assert (posting["sourceJobId"], posting["title"], posting["postingUrl"]) == (None, None, None)
    assert posting["descriptionBody"]


def test_a_page_that_is_no_posting_is_not_read_as_a_text() -> None:
    for name in ("jobkorea_list", "saramin_list", "incruit_list"):
        body = (Path(__file__).parents[1] / "sites" / "html" / f"{name}.html").read_bytes()
        for platform in (Platform.JOBKOREA, Platform.SARAMIN, Platform.INCRUIT):
            assert isinstance(read_saved(adapter_of(platform), body, "detail", NOW), NotFetched), (name, platform)
