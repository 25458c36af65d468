"""What a list makes of a stored posting that it shows (seed 001, 상태 전이 표 JobPosting; DESIGN 1.4, 1.5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from daemon.posting.model import ClosedReason, DetailState, KnownPosting, Observed, PostingStatus
from daemon.posting.rules import decide_found, dedup_key, is_edited, may_reopen, normalized_tags, wanted_details
from daemon.sources.model import ChangeSignalKind, ChangeSignature, DetailUse, RawJobPosting

NOW = datetime(2026, 12, 1, tzinfo=UTC)
DAY = timedelta(days=1)
COMPANY = 7


def signature(value: str, kind: ChangeSignalKind = ChangeSignalKind.SOURCE_VERSION) -> ChangeSignature:
    return ChangeSignature(kind=kind, value=value)


KNOWN = KnownPosting(
    id=1,
    source_job_id="R1",
    company_id=COMPANY,
    title="백엔드 개발자",
    posting_url="https://example.com/R1",
    deadline_at=NOW + DAY,
    status=PostingStatus.OPEN,
    closed_reason=None,
    signature=signature("1"),
    miss_count=0,
    access_restricted=False,
    detail_verified_at=NOW - DAY,
    version=0,
)
SAME = RawJobPosting(
    source_job_id="R1",
    title=KNOWN.title,
    posting_url=KNOWN.posting_url,
    deadline_at=KNOWN.deadline_at,
    signature=KNOWN.signature,
)
MISSING = replace(KNOWN, status=PostingStatus.CLOSED, closed_reason=ClosedReason.NOT_FOUND_TWICE)
PASSED = replace(KNOWN, status=PostingStatus.CLOSED, closed_reason=ClosedReason.DEADLINE_PASSED)


def shown(raw: RawJobPosting = SAME, detail: DetailState = DetailState.NOT_WANTED) -> Observed:
    return Observed(raw=raw, detail=detail)


# --- edits -----------------------------------------------------------------------------------------------------------


def test_an_equal_signature_means_unchanged_whatever_the_title_says() -> None:
    assert not is_edited(KNOWN, shown(replace(SAME, title="다른 제목")))


@pytest.mark.parametrize("fresh", [signature("2"), signature("1", ChangeSignalKind.FIELD_HASH)])
def test_another_signature_is_an_edit(fresh: ChangeSignature) -> None:
    assert is_edited(KNOWN, shown(replace(SAME, signature=fresh)))


def test_a_first_signature_is_not_an_edit_but_is_kept() -> None:
    unsigned = replace(KNOWN, signature=None)
    change = decide_found(unsigned, shown(), COMPANY, NOW)
    assert (change.edited, change.rewritten) == (False, True)


@pytest.mark.parametrize(
    ("raw", "edited"),
    [
        (SAME, False),
        (replace(SAME, title="다른 제목"), True),
        (replace(SAME, deadline_at=None), True),
        (replace(SAME, posting_url="https://example.com/other"), False),
    ],
)
def test_without_a_signature_title_and_deadline_decide(raw: RawJobPosting, edited: bool) -> None:
    assert is_edited(KNOWN, shown(replace(raw, signature=None))) is edited


def test_a_posting_found_as_it_was_stored_needs_no_write() -> None:
    change = decide_found(KNOWN, shown(), COMPANY, NOW)
    assert (change.edited, change.reopened, change.rewritten) == (False, False, False)


@pytest.mark.parametrize(
    "raw",
    [
        replace(SAME, title="다른 제목"),
        replace(SAME, posting_url="https://example.com/other"),
        replace(SAME, deadline_at=None),
    ],
)
def test_what_the_list_shows_differently_is_written_even_when_the_site_calls_it_unchanged(raw: RawJobPosting) -> None:
    change = decide_found(KNOWN, shown(raw), COMPANY, NOW)
    assert (change.edited, change.rewritten) == (False, True)


def test_a_posting_of_another_company_is_rewritten() -> None:
    assert decide_found(KNOWN, shown(), COMPANY + 1, NOW).rewritten


def test_a_wall_counts_only_when_the_posting_was_asked_for() -> None:
    walled = replace(SAME, access_restricted=True)
    assert decide_found(KNOWN, shown(walled, DetailState.READ), COMPANY, NOW).rewritten
    assert not decide_found(KNOWN, shown(walled), COMPANY, NOW).rewritten


def test_a_first_text_is_written_and_a_second_is_not() -> None:
    never = replace(KNOWN, detail_verified_at=None)
    assert decide_found(never, shown(detail=DetailState.READ), COMPANY, NOW).rewritten
    assert not decide_found(never, shown(), COMPANY, NOW).rewritten
    assert not decide_found(KNOWN, shown(detail=DetailState.READ), COMPANY, NOW).rewritten


# --- reopening -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deadline", [None, NOW + DAY, NOW - DAY])
def test_an_open_posting_does_not_reopen(deadline: datetime | None) -> None:
    assert not may_reopen(KNOWN, deadline, NOW)


@pytest.mark.parametrize("deadline", [None, NOW + DAY, NOW - DAY])
def test_one_closed_as_missing_reopens_whatever_its_deadline(deadline: datetime | None) -> None:
    """Seed 001, `CLOSED` × 재발견 → `OPEN` (FR-16)."""
    assert may_reopen(MISSING, deadline, NOW)


@pytest.mark.parametrize(
    ("deadline", "reopens"),
    [(None, True), (NOW + timedelta(microseconds=1), True), (NOW, False), (NOW - DAY, False)],
)
def test_one_closed_by_its_deadline_reopens_only_with_none_or_a_later_one(
    deadline: datetime | None, reopens: bool
) -> None:
    """DESIGN 1.4: otherwise it would open and close every day."""
    assert may_reopen(PASSED, deadline, NOW) is reopens


def test_reopening_alone_is_no_edit() -> None:
    change = decide_found(MISSING, shown(), COMPANY, NOW)
    assert (change.edited, change.reopened, change.rewritten) == (False, True, True)


def test_whether_a_posting_found_again_reopens_depends_on_what_the_list_says_now() -> None:
    later, passed = replace(SAME, deadline_at=NOW + DAY), replace(SAME, deadline_at=NOW)
    assert decide_found(PASSED, shown(later), COMPANY, NOW).reopened
    assert not decide_found(PASSED, shown(passed), COMPANY, NOW).reopened
    assert decide_found(PASSED, shown(later), COMPANY, NOW).posting is PASSED


# --- details ---------------------------------------------------------------------------------------------------------


def raw(key: str, value: str = "1") -> RawJobPosting:
    return replace(SAME, source_job_id=key, signature=signature(value))


def known(key: str, verified: datetime | None = NOW) -> KnownPosting:
    return replace(KNOWN, source_job_id=key, detail_verified_at=verified)


LISTED = [raw("old"), raw("edited", "2"), raw("older"), raw("new"), raw("unread"), raw("new2")]
STORED = {
    each.source_job_id: each
    for each in (known("old"), known("edited"), known("older", NOW - 3 * DAY), known("unread", None))
}


@pytest.mark.parametrize(
    ("use", "wanted"),
    [
        (DetailUse.NONE, []),
        (DetailUse.ENRICHMENT, ["new", "new2", "edited", "unread"]),
        (DetailUse.SIGNATURE, ["new", "new2", "edited", "unread", "older", "old"]),
    ],
)
def test_details_go_to_new_then_changed_then_longest_unverified_postings(use: DetailUse, wanted: list[str]) -> None:
    """DESIGN 1.4."""
    assert [each.source_job_id for each in wanted_details(LISTED, STORED, use)] == wanted


# --- keys and tags ---------------------------------------------------------------------------------------------------


def test_the_key_across_sources_ignores_legal_forms_blanks_and_width() -> None:
    """DESIGN 1.5."""
    assert dedup_key("(주)당근마켓", "[Platform] 백엔드 개발자") == dedup_key(
        "당근마켓", "ＰＬＡＴＦＯＲＭ 백엔드개발자!"
    )
    assert dedup_key("당근", "마켓") != dedup_key("당근마켓", "")


def test_a_long_key_fits_the_column_and_still_tells_titles_apart() -> None:
    one, other = dedup_key("당근마켓", "가" * 500), dedup_key("당근마켓", "가" * 499 + "나")
    assert len(one) == len(other) == 255
    assert one != other


def test_tags_are_kept_as_shown_once_each_with_their_normal_form() -> None:
    assert normalized_tags(["Back-End", "Back-End", "원격 근무", "ＲＥＭＯＴＥ"]) == [
        ("Back-End", "backend"),
        ("원격 근무", "원격근무"),
        ("ＲＥＭＯＴＥ", "remote"),
    ]


def test_a_tags_normal_form_fits_its_column() -> None:
    """NFKC can make one character many: `㈱` alone becomes three."""
    assert all(len(normal) <= 200 for _, normal in normalized_tags(["㈱" * 200]))
