"""What is said of criteria that can't be, what a draft adds, what a preview shows, how denials are written down."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from daemon.matching.model import (
    CriteriaDraft,
    CriteriaFull,
    CriteriaTarget,
    CriterionExists,
    EvaluationTarget,
    InvalidCriterion,
    Keyword,
    KeywordGroup,
    MatchCriteria,
)
from daemon.matching.rules.criteria import (
    checked_word,
    checked_words,
    drafted,
    require_new_group,
    require_new_keyword,
)
from daemon.matching.rules.denials import _pattern, _searched, _words, is_denied
from daemon.matching.rules.evaluation import Judge, StoredLot, preview, preview_draft
from daemon.matching.rules.forms import collapsed, lowered
from daemon.matching.rules.titles import TitleLot
from daemon.matching.rules.work_arrangement import ArrangementKeyword, detect_work_arrangement

CRITERIA = MatchCriteria(
    criteria_revision=4,
    keyword_groups=(KeywordGroup(id=1, display_name="백엔드", synonyms=("백엔드", "backend")),),
    exclusion_keywords=(Keyword(id=2, keyword="인턴"),),
    work_arrangement_keywords=(Keyword(id=3, keyword="재택근무"),),
)


def invalid(check: Callable[..., object], *given: Any) -> tuple[str, str]:
    with pytest.raises(InvalidCriterion) as refused:
        check(*given)
    return refused.value.field, refused.value.message


# --- criteria


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs a letter or a digit, and no control characters"),
        ("+ #", "needs a letter or a digit, and no control characters"),
        ("재\x07택", "needs a letter or a digit, and no control characters"),
        ("가" * 101, "longer than 100 characters"),
        ("㎢" * 60, "longer than 100 characters"),
    ],
)
def test_a_word_that_is_none_is_refused_with_the_reason(text: str, message: str) -> None:
    assert invalid(checked_word, "keyword", text) == ("keyword", message)


def test_too_few_and_too_many_synonyms_are_refused_under_the_lists_name() -> None:
    assert invalid(checked_words, "synonyms", []) == ("synonyms", "needs at least one")
    assert invalid(checked_words, "synonyms", [f"a{n}" for n in range(51)]) == ("synonyms", "more than 50")


@pytest.mark.parametrize(
    ("check", "kind", "known", "id"),
    [
        (lambda word: require_new_group(CRITERIA, word), CriteriaTarget.KEYWORD_GROUP, "백 엔드", 1),
        (
            lambda word: require_new_keyword(CRITERIA, CriteriaTarget.EXCLUSION_KEYWORD, word),
            CriteriaTarget.EXCLUSION_KEYWORD,
            "인-턴",
            2,
        ),
        (
            lambda word: require_new_keyword(CRITERIA, CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, word),
            CriteriaTarget.WORK_ARRANGEMENT_KEYWORD,
            "재택 근무",
            3,
        ),
    ],
)
def test_what_is_there_already_is_named_with_its_kind(
    check: Callable[[str], None], kind: CriteriaTarget, known: str, id: int
) -> None:
    with pytest.raises(CriterionExists) as refused:
        check(known)
    assert (refused.value.target, refused.value.id) == (kind, id)
    check("다른 말")


def test_a_full_kind_is_named() -> None:
    full = tuple(Keyword(id=number, keyword=f"w{number}") for number in range(200))
    criteria = MatchCriteria(criteria_revision=1, exclusion_keywords=full)
    with pytest.raises(CriteriaFull) as refused:
        require_new_keyword(criteria, CriteriaTarget.EXCLUSION_KEYWORD, "new")
    assert (refused.value.target, refused.value.limit) == (CriteriaTarget.EXCLUSION_KEYWORD, 200)


def test_a_draft_adds_what_has_no_id_yet() -> None:
    changed = drafted(CRITERIA, CriteriaDraft(synonyms=["서버"], exclusion_keywords=["신입", "계약"]))
    assert changed.keyword_groups == (*CRITERIA.keyword_groups, KeywordGroup(id=0, display_name="", synonyms=("서버",)))
    added = (Keyword(id=0, keyword="신입"), Keyword(id=0, keyword="계약"))
    assert changed.exclusion_keywords == (*CRITERIA.exclusion_keywords, *added)
    assert changed.work_arrangement_keywords == CRITERIA.work_arrangement_keywords
    assert invalid(drafted, CRITERIA, CriteriaDraft(synonyms=["+"]))[0] == "synonyms.0"
    assert invalid(drafted, CRITERIA, CriteriaDraft(exclusion_keywords=["a", "+"]))[0] == "exclusion_keywords.1"


# --- evaluations and previews


def test_an_evaluation_and_a_preview_name_the_posting() -> None:
    judged = Judge.of(CRITERIA).evaluate(EvaluationTarget(job_posting_id=42, title="백엔드"))
    assert judged.job_posting_id == 42
    (shown,) = preview(CRITERIA, [StoredLot([42], TitleLot.of("백엔드 인턴"))]).postings
    assert (shown.job_posting_id, shown.title) == (42, "백엔드 인턴")
    assert (shown.matched_synonyms, shown.excluded_by) == (("백엔드",), "인턴")


def test_what_a_draft_gains_and_loses_is_shown_by_its_title() -> None:
    after = drafted(CRITERIA, CriteriaDraft(synonyms=["서버"], exclusion_keywords=["신입"]))
    change = preview_draft(CRITERIA, after, [StoredLot([1, 2, 3], TitleLot.of("서버 개발자\n백엔드 신입\n백엔드"))])
    assert [(each.job_posting_id, each.title) for each in change.gained] == [(1, "서버 개발자")]
    assert [(each.job_posting_id, each.title) for each in change.lost] == [(2, "백엔드 신입")]


# --- work arrangements


def test_a_keyword_that_a_tag_confirmed_leaves_the_others_to_the_text() -> None:
    keywords = [ArrangementKeyword.of(Keyword(id=number, keyword=word)) for number, word in enumerate(("재택", "원격"))]
    found = detect_work_arrangement(["재택"], "재택 또는 원격 가능", keywords)
    assert [each.keyword.id for each in found] == [0, 1]


def test_a_snippet_of_a_keyword_without_end_fits_its_column() -> None:
    """A keyword written apart by separators may stand over more of a text than the column holds."""
    keyword = ArrangementKeyword.of(Keyword(id=1, keyword="a" * 100))
    written = "--".join("a" * 100)
    text = f"{'b ' * 50}{written}{' c' * 100}"
    (found,) = detect_work_arrangement((), text, [keyword])
    assert len(found.snippet) <= 500


# --- denials


def test_words_of_a_dictionary_are_parted_by_commas_and_lines() -> None:
    assert _words("\n  불가, 안 됨,\n no remote*\n,\n") == ("불가", "안 됨", "no remote*")


@pytest.mark.parametrize(
    ("word", "found", "passed_over"),
    [
        ("불가", ("불가", "재택불가능"), ("불 가", "가능")),
        ("안 됨", ("안 됨", "안됨", "안-됨", "안 - 됨"), ("안 함",)),
        ("no remote*", ("no remote", "no-remotely", "noremote"), ("no  work", "piano remote")),
        ("no option", ("no option", "x no option."), ("no options", "casino option", "7no option", "no option2")),
        ("100% 출근", ("100% 출근", "100%출근"), ("2100% 출근", "100 출근")),
        ("on-site only", ("on-site only", "on site only", "onsite only"), ("on_site only",)),
        ("n/a", ("n/a",), ("xn/a", "n/ab")),
    ],
)
def test_a_word_of_a_dictionary_stands_for_its_spellings(
    word: str, found: tuple[str, ...], passed_over: tuple[str, ...]
) -> None:
    """Blanks and hyphens stand for any or none of them; an English word is whole, but for `*` at its end."""
    ((plain, pattern),) = _searched([word])
    assert plain == word.removesuffix("*").replace(" ", "").replace("-", "")
    assert pattern.pattern == _pattern(word)
    assert [text for text in found if pattern.search(text) is None] == []
    assert [text for text in passed_over if re.search(_pattern(word), text)] == []


def test_a_typographers_apostrophe_denies_as_well() -> None:
    text = "remote we don’t offer"
    assert is_denied(text, 0, len("remote"), len(text))
    assert not is_denied("remote we do offer", 0, len("remote"), len("remote we do offer"))


def test_a_denial_right_after_a_lookalike_counts() -> None:
    text = "재택근무 제한 없음불가"
    assert is_denied(text, 0, len("재택근무"), len(text))
    assert not is_denied("재택근무 제한 없음", 0, len("재택근무"), len("재택근무 제한 없음"))


# --- forms


@pytest.mark.parametrize(
    ("text", "line"),
    [("가  나", "가 나"), (" 가\t나\n", "가 나"), ("가 나", "가 나"), ("㎢", "km2"), ("ＡＢ  Ｃ", "AB C")],
)
def test_a_text_is_one_line_of_plain_characters(text: str, line: str) -> None:
    assert collapsed(text) == line


@pytest.mark.parametrize(("text", "low"), [("ABC", "abc"), ("İA", "İa"), ("ÀÉ가", "àé가"), ("ΑΣ", "ας")])
def test_lower_case_leaves_what_would_become_longer(text: str, low: str) -> None:
    """`İ` is two characters in lower case, and a place in the one form must be the same place in the other."""
    assert lowered(text) == low
    assert len(low) == len(text)
