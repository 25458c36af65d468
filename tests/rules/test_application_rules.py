"""Which way an application may go: every pair of statuses (seed 001, 상태 전이 표 Application)."""

from __future__ import annotations

import pytest

from daemon.application.model import ApplicationStatus, InvalidValue, Refusal, Refused, Step
from daemon.application.rules import (
    allowed_next,
    checked_label,
    checked_memo,
    checked_round,
    decide_transition,
    is_terminal,
)
from daemon.messages import has_text

HEADER = "APPLIED DOCUMENT_SCREENING INTERVIEWING OFFERED ACCEPTED REJECTED WITHDRAWN OFFER_DECLINED"

TABLE = """
APPLIED            same  ok    skip  skip  offer ok    ok      offer
DOCUMENT_SCREENING back  same  ok    skip  offer ok    ok      offer
INTERVIEWING       back  back  same  ok    offer ok    ok      offer
OFFERED            back  back  back  same  ok    stand decline ok
ACCEPTED           over  over  over  over  over  over  over    over
REJECTED           over  over  over  over  over  over  over    over
WITHDRAWN          over  over  over  over  over  over  over    over
OFFER_DECLINED     over  over  over  over  over  over  over    over
"""
"""Rows: from; columns: to, in the same order."""

WHY = {
    "same": Refusal.SAME_STATUS,
    "skip": Refusal.STAGE_SKIPPED,
    "back": Refusal.BACKWARDS,
    "offer": Refusal.NOT_OFFERED,
    "stand": Refusal.OFFER_STANDS,
    "decline": Refusal.DECLINE_THE_OFFER,
    "over": Refusal.TERMINAL,
}

PAIRS = [
    (ApplicationStatus(row.split()[0]), ApplicationStatus(wanted), cell)
    for row in TABLE.strip().splitlines()
    for wanted, cell in zip(HEADER.split(), row.split()[1:], strict=True)
]


def test_the_table_has_every_pair_of_statuses() -> None:
    assert len({(current, wanted) for current, wanted, _ in PAIRS}) == len(ApplicationStatus) ** 2 == 64


@pytest.mark.parametrize(("current", "wanted", "cell"), PAIRS)
def test_a_move_is_decided_as_the_table_of_the_seed_says(
    current: ApplicationStatus, wanted: ApplicationStatus, cell: str
) -> None:
    """Seed 001, failure paths 11 (terminal statuses) and 12 (OFFERED -> WITHDRAWN) among them."""
    decided = decide_transition(current, wanted)
    if cell == "ok":
        stage = current if wanted is ApplicationStatus.REJECTED else None
        assert decided == Step(previous=current, next=wanted, rejected_at_stage=stage)
    else:
        assert decided == Refused(refusal=WHY[cell])


@pytest.mark.parametrize("current", ApplicationStatus)
def test_the_statuses_told_as_allowed_are_those_that_are(current: ApplicationStatus) -> None:
    told = allowed_next(current)
    assert set(told) == {w for c, w, cell in PAIRS if c is current and cell == "ok"}
    assert len(told) == len(set(told))
    assert is_terminal(current) == (not told)


def test_the_way_forward_is_told_first() -> None:
    assert allowed_next(ApplicationStatus.APPLIED)[0] is ApplicationStatus.DOCUMENT_SCREENING
    assert allowed_next(ApplicationStatus.OFFERED)[0] is ApplicationStatus.ACCEPTED


def test_every_status_and_every_refusal_has_words_for_a_person() -> None:
    assert [status for status in ApplicationStatus if not has_text(f"cell.{status}")] == []
    assert [refusal for refusal in Refusal if not has_text(f"refusal.{refusal}")] == []


@pytest.mark.parametrize(
    ("given", "kept"), [(None, None), ("", None), (" \n ", None), (" 추천 \n둘째 줄 ", "추천 \n둘째 줄")]
)
def test_a_note_is_kept_without_blank_ends_and_an_empty_one_is_none(given: str | None, kept: str | None) -> None:
    assert checked_memo(given) == kept


def test_a_note_of_two_thousand_characters_fits_and_one_more_does_not() -> None:
    assert checked_memo(" " + "가" * 2000) == "가" * 2000
    with pytest.raises(InvalidValue) as refused:
        checked_memo("가" * 2001)
    assert (refused.value.field, refused.value.message) == ("memo", "longer than 2000 characters")


def test_a_label_is_one_line_of_at_most_a_hundred_characters_and_not_empty() -> None:
    assert checked_label("  1차\n기술면접 ") == "1차 기술면접"
    assert checked_label("가" * 100) == "가" * 100
    for wrong, message in (("", "empty"), (" \t\u3000", "empty"), ("가" * 101, "longer than 100 characters")):
        with pytest.raises(InvalidValue) as refused:
            checked_label(wrong)
        assert (refused.value.field, refused.value.message) == ("label", message)


def test_rounds_are_counted_from_one() -> None:
    assert [checked_round(number) for number in (1, 1000)] == [1, 1000]
    for wrong in (0, -1, 1001):
        with pytest.raises(InvalidValue) as refused:
            checked_round(wrong)
        assert (refused.value.field, refused.value.message) == ("round_number", "must be from 1 to 1000")
