"""Keywords in titles, their normal form, and which words may become criteria."""

from __future__ import annotations

import tracemalloc
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.matching.model import (
    KEYWORD_CHARACTERS,
    MAXIMUM_KEYWORDS,
    MAXIMUM_SYNONYMS,
    CriteriaFull,
    CriteriaTarget,
    CriterionExists,
    InvalidCriterion,
    Keyword,
    KeywordGroup,
    MatchCriteria,
)
from daemon.matching.rules.criteria import checked_word, checked_words, require_new_group, require_new_keyword
from daemon.matching.rules.forms import SEPARATORS, keyword_form, lowered
from daemon.matching.rules.titles import Title

words = st.text(st.characters(categories=("L", "N"), max_codepoint=0xFFFF), min_size=1, max_size=12)


# --- normal form -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["Back-End", "back end", "BACKEND", "Ｂａｃｋ－Ｅｎｄ", "back\u2010\u2014end", " Back\tEnd "]
)
def test_case_width_blanks_and_hyphens_make_no_other_keyword(text: str) -> None:
    assert keyword_form(text) == "backend"


def test_signs_stay_in_the_normal_form() -> None:
    assert [keyword_form(word) for word in ("C++", "C#", ".NET", "R&D", "Node.js")] == [
        "c++",
        "c#",
        ".net",
        "r&d",
        "node.js",
    ]


@given(words)
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    assert keyword_form(keyword_form(text)) == keyword_form(text)


@given(st.text(max_size=50))
def test_lower_case_keeps_every_character_in_its_place(text: str) -> None:
    assert len(lowered(text)) == len(text)


# --- in a title ------------------------------------------------------------------------------------------------------


@given(words, words, words)
def test_a_keyword_with_blanks_around_it_is_found(before: str, word: str, after: str) -> None:
    assert Title.of(f"{before} {word} {after}").holds(keyword_form(word))


@given(st.text("abc", min_size=1, max_size=4), st.text("xyz019", min_size=1, max_size=4), st.text("abc", max_size=4))
def test_an_ascii_keyword_that_goes_on_on_one_side_is_never_found(before: str, word: str, after: str) -> None:
    assert not Title.of(f"개발 {before}{word}{after} 모집").holds(word)
    assert not Title.of(f"개발 {after}{word}{before} 모집").holds(word)


@pytest.mark.parametrize(
    ("title", "word"),
    [
        ("JavaScript / Java 개발자", "java"),
        ("Go Django", "go"),
        ("Django Go", "go"),
        ("Django Go Django", "go"),
        ("cr r", "r"),
    ],
)
def test_a_word_is_found_wherever_in_the_title_it_stands_by_itself(title: str, word: str) -> None:
    assert Title.of(title).holds(word)


@given(words, st.sampled_from(SEPARATORS))
def test_a_separator_inside_a_keyword_changes_nothing(word: str, separator: str) -> None:
    assert Title.of(separator.join(f"개발 {word} 모집")).holds(keyword_form(word))


def test_the_boundary_is_that_of_the_title_as_it_is_written() -> None:
    """DESIGN 1.6: once blanks are gone, `Big Ocean` holds `go`, and `Java Script` is `JavaScript`."""
    assert not Title.of("Big Ocean").holds("go")
    assert Title.of("Java Script").holds("java")


def test_a_korean_keyword_needs_no_boundary() -> None:
    assert Title.of("프론트백엔드개발자").holds("백엔드")


# --- what may become a criterion -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", " ", "-", "- -", "++", "/", "\u200b", "가\u0000", "a\u202eb", "가" * 101, "㈱" * 60, "\ufdfa" * 6]
)
def test_what_is_no_word_is_refused(text: str) -> None:
    with pytest.raises(InvalidCriterion) as refusal:
        checked_word("keyword", text)
    assert refusal.value.field == "keyword"


def test_a_word_far_too_long_is_refused_before_it_grows() -> None:
    tracemalloc.start()
    with pytest.raises(InvalidCriterion):
        checked_word("keyword", "\ufdfa" * 300_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**23


def test_letters_typed_with_all_their_accents_apart_are_as_many() -> None:
    letters = "\u1f82" * KEYWORD_CHARACTERS
    assert checked_word("keyword", f"  {unicodedata.normalize('NFD', letters)}\n\n") == letters


def test_a_keyword_of_both_scripts_needs_a_boundary_where_it_is_english() -> None:
    assert not Title.of("백javascript").holds("백java")
    assert not Title.of("xjava백").holds("java백")


def test_a_word_is_kept_as_it_was_written_but_for_white_space() -> None:
    assert checked_word("keyword", "  Back\n End ") == "Back End"
    assert checked_word("keyword", "C++") == "C++"
    assert checked_word("keyword", "가" * KEYWORD_CHARACTERS) == "가" * KEYWORD_CHARACTERS


def test_synonyms_of_one_normal_form_are_one_and_the_first_stays() -> None:
    assert checked_words("synonyms", ["Back-End", "backend", "서버"]) == ("Back-End", "서버")


def test_a_wrong_synonym_is_named_by_its_place() -> None:
    with pytest.raises(InvalidCriterion) as refusal:
        checked_words("synonyms", ["backend", "-"])
    assert refusal.value.field == "synonyms.1"


def test_a_group_has_from_one_to_fifty_synonyms() -> None:
    with pytest.raises(InvalidCriterion):
        checked_words("synonyms", [])
    with pytest.raises(InvalidCriterion):
        checked_words("synonyms", [f"w{number}" for number in range(MAXIMUM_SYNONYMS + 1)])
    assert len(checked_words("synonyms", [f"w{number}" for number in range(MAXIMUM_SYNONYMS)])) == MAXIMUM_SYNONYMS


def test_a_name_or_keyword_that_is_there_in_another_spelling_is_refused_and_named() -> None:
    criteria = MatchCriteria(
        criteria_revision=3,
        keyword_groups=(KeywordGroup(id=5, display_name="Back-End", synonyms=("서버",)),),
        exclusion_keywords=(Keyword(id=6, keyword="인턴"),),
    )
    with pytest.raises(CriterionExists) as taken:
        require_new_group(criteria, "backend")
    assert (taken.value.id, taken.value.name) == (5, "Back-End")
    with pytest.raises(CriterionExists) as taken:
        require_new_keyword(criteria, CriteriaTarget.EXCLUSION_KEYWORD, "인 턴")
    assert taken.value.id == 6
    require_new_keyword(criteria, CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, "인턴")


def test_there_is_a_limit_of_each_kind() -> None:
    many = tuple(Keyword(id=number, keyword=f"w{number}") for number in range(MAXIMUM_KEYWORDS))
    criteria = MatchCriteria(criteria_revision=1, exclusion_keywords=many)
    with pytest.raises(CriteriaFull) as full:
        require_new_keyword(criteria, CriteriaTarget.EXCLUSION_KEYWORD, "새 낱말")
    assert full.value.limit == MAXIMUM_KEYWORDS
    require_new_keyword(criteria, CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, "새 낱말")
