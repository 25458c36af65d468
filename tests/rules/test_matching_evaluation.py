"""Judging a posting, which postings have to be judged anew, and trying criteria out (seed 001, evaluation)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.matching.model import (
    Basis,
    Confidence,
    EvaluationTarget,
    Keyword,
    KeywordGroup,
    MatchCriteria,
)
from daemon.matching.rules.evaluation import PREVIEWED, Judge, StoredLot, is_outdated, preview
from daemon.matching.rules.titles import TitleLot

CRITERIA = MatchCriteria(
    criteria_revision=7,
    keyword_groups=(
        KeywordGroup(id=1, display_name="백엔드", synonyms=("백엔드", "Back-End", "서버 개발")),
        KeywordGroup(id=2, display_name="자바", synonyms=("java",)),
    ),
    exclusion_keywords=(Keyword(id=3, keyword="인턴"), Keyword(id=4, keyword="계약직")),
    work_arrangement_keywords=(Keyword(id=5, keyword="재택근무"), Keyword(id=6, keyword="remote")),
)
JUDGE = Judge.of(CRITERIA)

counts = st.integers(0, 3)
bases = st.builds(lambda revision, version: Basis(criteria_revision=revision, posting_version=version), counts, counts)


def target(title: str = "백엔드 개발자", *tags: str, body: str | None = None) -> EvaluationTarget:
    return EvaluationTarget(
        job_posting_id=1, posting_version=4, title=title, structured_tags=tags, description_body=body
    )


def basis(revision: int, version: int) -> Basis:
    return Basis(criteria_revision=revision, posting_version=version)


# --- one posting -----------------------------------------------------------------------------------------------------


def test_every_group_with_a_synonym_in_the_title_matches_by_its_first_one() -> None:
    found = JUDGE.evaluate(target("Java Backend (서버개발)"))
    assert [(group.group_id, group.synonym) for group in found.title.groups] == [(1, "Back-End"), (2, "java")]
    assert (found.title.matched, found.title.notifiable) == (True, True)
    assert found.basis == basis(7, 4)


def test_an_exclusion_keyword_rules_out_but_does_not_unmatch() -> None:
    """FR-25, FR-33: what is ruled out stays in lists as a match, and is not told."""
    found = JUDGE.evaluate(target("백엔드 개발 인턴 (계약직)"))
    assert (found.title.matched, found.title.notifiable) == (True, False)
    assert found.title.excluded_by == Keyword(id=3, keyword="인턴")


def test_an_excluded_title_without_a_keyword_is_no_match() -> None:
    found = JUDGE.evaluate(target("마케팅 인턴"))
    assert (found.title.matched, found.title.notifiable) == (False, False)


def test_keywords_are_looked_for_in_the_title_alone() -> None:
    """Seed 001, Open Questions 2: a text says `백엔드와 협업` of any job."""
    assert not JUDGE.evaluate(target("마케터", "백엔드", body="백엔드 개발자와 협업합니다")).title.matched


def test_a_posting_whose_text_could_not_be_read_is_unknown() -> None:
    """Seed 001, failure path 18."""
    found = JUDGE.evaluate(target(body=None))
    assert (found.evidence, found.top_confidence) == ((), Confidence.UNKNOWN)
    assert found.top_confidence.sort_rank == 99


def test_a_text_that_says_there_is_no_remote_work_is_unknown() -> None:
    """Seed 001, failure path 10."""
    assert JUDGE.evaluate(target(body="본 포지션은 재택근무 불가")).top_confidence is Confidence.UNKNOWN


def test_the_top_confidence_is_that_of_the_surest_evidence() -> None:
    assert JUDGE.evaluate(target("개발자", "Remote", body="재택근무")).top_confidence is Confidence.CONFIRMED
    assert JUDGE.evaluate(target("개발자", "Office", body="재택근무")).top_confidence is Confidence.LIKELY


def test_without_criteria_nothing_matches_and_nothing_is_known() -> None:
    found = Judge.of(MatchCriteria(criteria_revision=0)).evaluate(target(body="재택근무"))
    assert (found.title.matched, found.evidence) == (False, ())


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3), st.none() | st.text(max_size=200))
def test_the_same_posting_and_criteria_always_make_the_same_evaluation(
    title: str, tags: list[str], body: str | None
) -> None:
    posting = target(title, *tags, body=body)
    assert JUDGE.evaluate(posting) == Judge.of(CRITERIA).evaluate(posting)


# --- which postings --------------------------------------------------------------------------------------------------


def test_a_result_is_outdated_by_newer_criteria_or_a_newer_posting() -> None:
    """Seed 001, failure path 16: no result, or one of an older revision."""
    assert is_outdated(None, basis(0, 0))
    assert is_outdated(basis(1, 1), basis(2, 1))
    assert is_outdated(basis(1, 1), basis(1, 2))
    assert not is_outdated(basis(1, 1), basis(1, 1))


@pytest.mark.parametrize("fresh", [basis(1, 2), basis(2, 1), basis(1, 1), basis(1, 3), basis(3, 1)])
def test_a_result_of_something_newer_is_left_alone(fresh: Basis) -> None:
    """Of two instances, the one with the older criteria or the older posting must not have the last word."""
    assert not is_outdated(basis(2, 2), fresh)


@given(st.lists(bases, min_size=1))
def test_whatever_the_order_of_writers_the_newest_of_both_is_never_overwritten(writers: list[Basis]) -> None:
    newest = basis(3, 3)
    stored: Basis | None = None
    for fresh in [*writers, newest, *writers]:
        if is_outdated(stored, fresh):
            stored = fresh
    assert stored == newest


# --- preview ---------------------------------------------------------------------------------------------------------


def test_a_preview_counts_all_and_shows_the_newest() -> None:
    titles = [(number, f"백엔드 {number}") for number in range(100, 0, -1)]
    titles = [(101, "마케터"), (102, "Backend 인턴"), *titles]
    lot = StoredLot([number for number, _ in titles], TitleLot.of("\n".join(title for _, title in titles)))
    found = preview(CRITERIA, [lot])
    assert (found.posting_count, found.matched_count, found.excluded_count) == (102, 101, 1)
    assert len(found.postings) == PREVIEWED
    first = found.postings[0]
    assert (first.job_posting_id, first.matched_synonyms, first.excluded_by) == (102, ("Back-End",), "인턴")


@given(
    st.lists(
        st.sampled_from(["백엔드", "Java 개발", "백엔드 인턴", "마케터", "서버 개발 계약직"]), min_size=1, max_size=20
    )
)
def test_a_preview_says_what_an_evaluation_would_say(titles: list[str]) -> None:
    found = preview(CRITERIA, [StoredLot(range(len(titles)), TitleLot.of("\n".join(titles)))])
    judged = [JUDGE.evaluate(target(title)).title for title in titles]
    assert found.matched_count == sum(each.matched for each in judged)
    assert found.matched_count - found.excluded_count == sum(each.notifiable for each in judged)
