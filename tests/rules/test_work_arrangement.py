"""Work arrangement: what speaks for it, what denies it and from how far, and what a posting without a text says."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.matching.model import Confidence, EvidenceStage, Keyword, WorkArrangementEvidence
from daemon.matching.rules.denials import DENIALS, OF_THE_SEEDS
from daemon.matching.rules.work_arrangement import (
    CHARACTERS_AFTER,
    CHARACTERS_BEFORE,
    PLACES,
    SNIPPET_CHARACTERS,
    TEXT_CHARACTERS,
    ArrangementKeyword,
    detect_work_arrangement,
)

KEYWORDS = ("재택근무", "원격", "remote")


def detect(
    *tags: str, body: str | None = None, keywords: tuple[str, ...] = KEYWORDS
) -> tuple[WorkArrangementEvidence, ...]:
    wanted = [ArrangementKeyword.of(Keyword(id=number, keyword=word)) for number, word in enumerate(keywords)]
    return detect_work_arrangement(tags, body, wanted)


def offers(body: str) -> bool:
    return bool(detect(body=body))


# --- stages ----------------------------------------------------------------------------------------------------------


def test_a_posting_whose_text_could_not_be_read_has_no_evidence_and_raises_nothing() -> None:
    """Seed 001, failure path 18: without a text there is no second kind of evidence."""
    assert detect(body=None) == ()


def test_a_tag_still_confirms_what_a_missing_text_can_not_say() -> None:
    """Seed 001, failure path 18, the other half: the first kind of evidence needs no text."""
    (found,) = detect("근무 형태: 재택근무", body=None)
    assert (found.keyword.keyword, found.stage, found.confidence) == (
        "재택근무",
        EvidenceStage.STRUCTURED_FIELD,
        Confidence.CONFIRMED,
    )


def test_a_text_alone_makes_it_likely() -> None:
    (found,) = detect("서울", body="주 2회 재택근무 가능합니다")
    assert (found.stage, found.confidence) == (EvidenceStage.DESCRIPTION_BODY, Confidence.LIKELY)


def test_the_surest_evidence_comes_first_and_each_keyword_once() -> None:
    found = detect("Remote: Yes", "Remote", body="재택근무 가능. 재택근무 환영. remote")
    assert [(each.keyword.keyword, each.confidence) for each in found] == [
        ("remote", Confidence.CONFIRMED),
        ("재택근무", Confidence.LIKELY),
    ]


def test_a_denied_tag_leaves_the_text_to_speak() -> None:
    (found,) = detect("재택근무 불가", body="재택근무 가능")
    assert found.confidence is Confidence.LIKELY


def test_confidences_sort_by_rank_and_not_by_their_names() -> None:
    """Seed 001, FR-30: the alphabet would put INFERRED before LIKELY."""
    ranks = [each.sort_rank for each in Confidence]
    assert list(zip(Confidence, ranks, strict=True)) == [
        (Confidence.CONFIRMED, 1),
        (Confidence.LIKELY, 2),
        (Confidence.INFERRED, 99),
        (Confidence.UNKNOWN, 99),
    ]


# --- denials and their window ----------------------------------------------------------------------------------------


def test_the_dictionary_of_the_seeds_is_there_word_for_word() -> None:
    wanted = "불가 불가능 미지원 없음 아님 않습니다 종료 제외 전면출근 상시출근 출근전환 사무실출근"
    assert [word.replace(" ", "") for word in OF_THE_SEEDS] == wanted.split()
    assert set(OF_THE_SEEDS) <= set(DENIALS)


@pytest.mark.parametrize("denial", OF_THE_SEEDS)
def test_each_denial_of_the_seeds_voids_the_word_before_it_and_after_it(denial: str) -> None:
    """Seed 001, failure path 10."""
    assert not offers(f"재택근무 {denial}")
    assert not offers(f"{denial}: 재택근무")


def test_the_window_begins_twelve_characters_before_the_keyword() -> None:
    assert not offers("불가" + "가" * (CHARACTERS_BEFORE - 2) + "재택근무")
    assert offers("불가" + "가" * (CHARACTERS_BEFORE - 1) + "재택근무")


def test_the_window_ends_twenty_characters_after_the_keyword() -> None:
    assert not offers("재택근무" + "가" * (CHARACTERS_AFTER - 2) + "불가")
    assert offers("재택근무" + "가" * (CHARACTERS_AFTER - 1) + "불가")


def test_the_window_is_counted_in_text_whose_white_space_is_collapsed() -> None:
    """DESIGN 1.6: an indentation does not push a denial out of the window."""
    assert not offers("재택근무" + " \n\t\xa0" * 30 + "불가")


def test_each_place_is_judged_on_its_own() -> None:
    (found,) = detect(body="재택근무 불가." + "가" * 40 + " 다른 팀은 재택근무 가능")
    assert "가능" in found.snippet


def test_a_look_alike_denies_nothing_but_a_real_denial_beside_it_does() -> None:
    assert offers("재택근무 횟수 제한 없음")
    assert offers("제한 없는 재택근무")
    assert not offers("재택근무 없음, 나이 제한 없음")
    assert not offers("나이 제한 없음, 재택근무 없음")


@pytest.mark.parametrize("body", ["casino remote desk", "piano remote work", "remote teams on-site onlydays"])
def test_an_english_denial_is_a_word_and_not_the_end_of_one(body: str) -> None:
    assert offers(body)


# --- what the keyword looks like -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", ["재택 근무 가능", "재택-근무", "재택–근무", "재택  근무", "전면재택 근무", "재택\u200b근무"]
)
def test_a_keyword_may_be_written_apart(body: str) -> None:
    assert offers(body)


@pytest.mark.parametrize("body", ["존재 택근무자", "지원 격려금", "30만 원 격주 지급", "만원 격주"])
def test_the_end_of_one_word_and_the_start_of_another_are_no_keyword(body: str) -> None:
    assert not offers(body)


@pytest.mark.parametrize(
    ("body", "there"), [("Remotely", True), ("REMOTE", True), ("Ｒｅｍｏｔｅ", True), ("bremote", False)]
)
def test_an_english_keyword_begins_as_a_word_and_may_go_on(body: str, there: bool) -> None:
    assert offers(body) is there


def test_a_keyword_of_one_letter_may_end_a_word() -> None:
    assert detect(body="존재 택배", keywords=("재",))


# --- snippets --------------------------------------------------------------------------------------------------------


def test_a_snippet_shows_the_place_as_it_was_written() -> None:
    (found,) = detect(body="We are a Remote-First\n  company")
    assert found.snippet == "We are a Remote-First company"


def test_a_snippet_of_a_long_text_is_cut_on_both_sides() -> None:
    (found,) = detect(body="앞" * 100 + "재택근무" + "뒤" * 100)
    assert found.snippet == "…" + "앞" * 40 + "재택근무" + "뒤" * 80 + "…"


def test_a_snippet_of_the_longest_keyword_fits_its_column() -> None:
    keyword = "재택" * 50
    (found,) = detect(body="앞" * 100 + " " + " -".join(keyword) + " " + "뒤" * 100, keywords=(keyword,))
    assert 400 < len(found.snippet) <= SNIPPET_CHARACTERS


def test_letters_that_grow_in_lower_case_do_not_shift_the_snippet() -> None:
    (found,) = detect(body="İİİİ Remote İİİİ")
    assert found.snippet == "İİİİ Remote İİİİ"


# --- hostile texts ---------------------------------------------------------------------------------------------------


def test_a_text_is_looked_at_to_its_limits_only() -> None:
    assert offers("가 " * (TEXT_CHARACTERS // 2 - 10) + "재택근무")
    assert not offers("가 " * (TEXT_CHARACTERS // 2) + "재택근무")
    assert offers("재택근무 불가, " * (PLACES - 1) + "가" * 30 + "재택근무 가능")
    assert not offers("재택근무 불가, " * PLACES + "가" * 30 + "재택근무 가능")


def test_a_text_made_to_be_slow_takes_no_second() -> None:
    began = time.process_time()
    assert not offers("재택근무 불가 " * 1_000_000)
    assert not offers("r e m o t" * 200_000)
    assert time.process_time() - began < 1


@given(st.text(max_size=200), st.text(max_size=200))
def test_whatever_stands_around_it_no_text_is_too_odd_to_be_judged(before: str, after: str) -> None:
    for found in detect(before + "재택근무" + after, body=f"{before} remote {after}"):
        assert 0 < len(found.snippet) <= SNIPPET_CHARACTERS
