"""The limits that hold for every site: what reaches the database fits it, whatever a parser returns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from daemon.sources.model import (
    ChangeSignalKind,
    ChangeSignature,
    ListPage,
    NotFetched,
    Outcome,
    RawJobPosting,
    Unreadable,
)
from daemon.sources.reading import read_detail, read_list
from tests.sources.hostile_plays import CHALLENGE
from tests.sources.plain_site import NOW, PlainSite, page, posting


def listed(*postings: RawJobPosting, next_cursor: str | None = None, **fields: object) -> ListPage | NotFetched:
    answer = ListPage(postings=postings, next_cursor=next_cursor, **fields)  # type: ignore[arg-type]  # tests name the field
    return read_list(PlainSite(listed=answer), None, page(), None)


def kept(raw: RawJobPosting) -> RawJobPosting:
    """What becomes of `raw` in a list that is otherwise in order."""
    good = [posting(f"good{number}") for number in range(9)]
    answer = listed(raw, *good)
    assert isinstance(answer, ListPage)
    return answer.postings[0]


# --- failures --------------------------------------------------------------------------------------------------------


def test_a_parsers_own_word_is_the_outcome() -> None:
    answer = read_list(PlainSite(listed=Unreadable(Outcome.NOT_FOUND, "no such board\x1b[31m")), None, page(), None)
    assert answer == NotFetched(outcome=Outcome.NOT_FOUND, reason="no such board [31m")


def test_a_parser_that_breaks_is_a_changed_layout_and_one_log_event() -> None:
    with capture_logs() as logs:
        answer = read_list(PlainSite(listed=KeyError("secret page content")), None, page(), None)
        detail = read_detail(PlainSite(detail=RecursionError()), page(), None)
    assert answer == NotFetched(outcome=Outcome.LAYOUT_CHANGED, reason="parser failed: KeyError")
    assert detail == NotFetched(outcome=Outcome.LAYOUT_CHANGED, reason="parser failed: RecursionError")
    assert [(event["event"], event["error"]) for event in logs] == [
        ("source.parser_failed", "KeyError"),
        ("source.parser_failed", "RecursionError"),
    ]


@pytest.mark.parametrize("failure", [Unreadable(Outcome.LAYOUT_CHANGED, "not JSON"), ValueError("not JSON")])
def test_a_bot_walls_page_is_blocked_not_a_changed_layout(failure: Exception) -> None:
    answer = read_list(PlainSite(listed=failure), None, page(CHALLENGE), None)
    assert isinstance(answer, NotFetched)
    assert answer.outcome is Outcome.BLOCKED


def test_a_page_that_can_be_read_is_not_a_block_page_whatever_words_it_holds() -> None:
    answer = read_list(PlainSite(listed=ListPage(postings=(posting(),), next_cursor=None)), None, page(CHALLENGE), None)
    assert isinstance(answer, ListPage)


# --- items -----------------------------------------------------------------------------------------------------------


def test_what_no_column_holds_counts_with_what_the_parser_could_not_read() -> None:
    good = [posting(str(number)) for number in range(8)]
    assert isinstance(listed(*good, posting("a", title=""), unidentified=1), ListPage)
    one_more = listed(*good, posting("a", title=""), skipped_ids=("b",), unidentified=1)
    assert one_more == NotFetched(outcome=Outcome.LAYOUT_CHANGED, reason="3 of 11 items unreadable; a: no usable title")


@pytest.mark.parametrize("bad", ["", "   ", "x" * 201, "1\x002", "a\nb", "\ud800"])
def test_an_id_that_no_column_holds_makes_an_item_unidentified(bad: str) -> None:
    good = [posting(f"good{number}") for number in range(18)]
    answer = listed(posting(bad), *good, skipped_ids=(bad,), withdrawn_ids=(bad,), unidentified=1)
    assert isinstance(answer, ListPage)
    assert answer.unidentified == 4
    assert [each.source_job_id for each in answer.postings] == [each.source_job_id for each in good]


def test_ids_are_trimmed_and_200_characters_fit() -> None:
    assert kept(posting(" 123\n")).source_job_id == "123"
    assert kept(posting("x" * 200)).source_job_id == "x" * 200


def test_an_id_given_twice_on_a_page_is_kept_once_and_first() -> None:
    answer = listed(posting("1", title="첫째"), posting(" 1 ", title="둘째"), posting("2"), skipped_ids=("1", "1"))
    assert isinstance(answer, ListPage)
    assert [(each.source_job_id, each.title) for each in answer.postings] == [("1", "첫째"), ("2", "백엔드 개발자")]
    assert answer.skipped_ids == ()


@pytest.mark.parametrize(
    "raw",
    [
        posting("bad", title=" \0\u200b "),
        posting("bad", posting_url="javascript:alert(1)"),
        posting("bad", posting_url="/recruit/1"),
        posting("bad", posting_url="https:///x"),
        posting("bad", posting_url=""),
    ],
)
def test_an_item_without_a_title_or_a_web_address_is_seen_but_not_stored(raw: RawJobPosting) -> None:
    answer = listed(raw, *(posting(str(number)) for number in range(9)))
    assert isinstance(answer, ListPage)
    assert answer.skipped_ids == ("bad",)
    assert len(answer.postings) == 9


@pytest.mark.parametrize(
    ("total", "cursor"), [(-1, None), (2**31, None), (10**400, None), (None, ""), (None, "x" * 2001)]
)
def test_a_total_or_a_next_page_that_cannot_be_is_a_changed_layout(total: int | None, cursor: str | None) -> None:
    answer = listed(posting(), declared_total=total, next_cursor=cursor)
    assert isinstance(answer, NotFetched)
    assert answer.outcome is Outcome.LAYOUT_CHANGED


# --- fields ----------------------------------------------------------------------------------------------------------


def test_a_title_of_100000_characters_is_cut_to_what_the_column_holds() -> None:
    assert kept(posting(title="가" * 100_000)).title == "가" * 500


def test_nul_control_characters_and_half_characters_are_removed() -> None:
    raw = kept(
        posting(
            title="백\0엔드\x1b[31m \ud83d개발자\n서울",
            description_body="한\0 줄\r\n두\t줄\x07\ud800\r셋",
            company_name="\0주식회사\x85공고",
            company_identifier="a\0b",
            posting_url=" https://boards.example/1\0",
            structured_tags=("a\0b", "\0"),
        )
    )
    assert raw.title == "백 엔드 [31m 개발자 서울"
    assert raw.description_body == "한 줄\n두\t줄\n셋"
    assert raw.company_name == "주식회사 공고"
    assert raw.company_identifier == "a b"
    assert raw.posting_url == "https://boards.example/1"
    assert raw.structured_tags == ("a b",)


def test_texts_are_cut_to_their_columns() -> None:
    raw = kept(
        posting(
            posting_url="https://boards.example/" + "x" * 5000,
            description_body="x" * 300_000,
            company_name="x" * 300,
            company_identifier="x" * 201,
        )
    )
    assert (len(raw.posting_url), len(raw.description_body or ""), len(raw.company_name or "")) == (2000, 200_000, 200)
    assert raw.company_identifier is None


def test_tags_are_short_unique_and_at_most_a_hundred() -> None:
    raw = kept(posting(structured_tags=("재택", " 재택 ", "", "x" * 300, *map(str, range(200)))))
    assert raw.structured_tags[:3] == ("재택", "x" * 200, "0")
    assert len(raw.structured_tags) == 100


@pytest.mark.parametrize("year", [1, 1970, 1999, 2101, 2999, 9999])
def test_a_deadline_in_a_year_that_means_never_is_none(year: int) -> None:
    assert kept(posting(deadline_at=datetime(year, 1, 1, tzinfo=UTC))).deadline_at is None


def test_a_deadline_is_utc() -> None:
    korean = datetime(2026, 10, 2, 23, 59, 59, tzinfo=timezone(timedelta(hours=9)))
    stored = kept(posting(deadline_at=korean)).deadline_at
    assert stored == korean
    assert stored.tzinfo is UTC
    assert isinstance(listed(posting(deadline_at=korean.replace(tzinfo=None))), NotFetched)


def test_a_long_signature_is_hashed_so_that_an_edit_at_its_end_is_still_noticed() -> None:
    def value(text: str) -> str | None:
        signature = kept(posting(signature=ChangeSignature(kind=ChangeSignalKind.UPDATED_AT, value=text))).signature
        return signature.value if signature else None

    assert value("2026-09-01T00:00:00Z") == "2026-09-01T00:00:00Z"
    assert len(value("x" * 201) or "") == 64
    assert value("x" * 201) != value("x" * 200 + "y")
    assert value(" \0") is None


any_text = st.text(st.characters(codec=None), max_size=300)


@given(st.lists(st.builds(posting, any_text, title=any_text, posting_url=any_text.map("https://x".__add__))))
def test_whatever_a_parser_returns_what_is_kept_can_be_stored(postings: list[RawJobPosting]) -> None:
    answer = listed(*postings)
    if isinstance(answer, ListPage):
        ids = [each.source_job_id for each in answer.postings]
        assert len(ids) == len(set(ids))
        for each in answer.postings:
            assert 0 < len(each.source_job_id) <= 200
            assert 0 < len(each.title) <= 500
            assert "\0" not in each.title
            (each.source_job_id + each.title + each.posting_url).encode()


# --- details ---------------------------------------------------------------------------------------------------------


def test_a_detail_within_the_limits_is_what_the_parser_made_of_it() -> None:
    full = posting("1", description_body="본문", deadline_at=NOW)
    assert read_detail(PlainSite(detail=full), page(), posting("1")) == full
    assert read_detail(PlainSite(detail=full), page(), None) == full


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (posting("2"), "asked for 1, answered 2"),
        (posting(""), "the posting has no usable id"),
        (posting("1", title=" "), "1: no usable title"),
        (posting("1", posting_url="x"), "1: no usable address"),
    ],
)
def test_a_detail_that_is_not_the_posting_asked_for_is_a_changed_layout(raw: RawJobPosting, reason: str) -> None:
    answer = read_detail(PlainSite(detail=raw), page(), posting("1"))
    assert answer == NotFetched(outcome=Outcome.LAYOUT_CHANGED, reason=reason)
