"""What a change of the criteria would gain and lose."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.matching.model import (
    CriteriaDraft,
    CriteriaTarget,
    DraftPreview,
    InvalidCriterion,
    Keyword,
    KeywordGroup,
    MatchCriteria,
    Preview,
)
from daemon.matching.rules.criteria import drafted
from daemon.matching.rules.evaluation import (
    PREVIEWED,
    Judge,
    StoredLot,
    preview,
    preview_draft,
)
from daemon.matching.rules.titles import TitleLot

IN_FORCE = MatchCriteria(
    criteria_revision=3,
    keyword_groups=(KeywordGroup(id=1, display_name="백엔드", synonyms=("백엔드", "backend")),),
    exclusion_keywords=(Keyword(id=7, keyword="인턴"),),
)
Titles = Sequence[tuple[int, str]]

TITLES = [(4, "데이터 엔지니어"), (3, "백엔드 개발자 (시니어)"), (2, "백엔드 인턴"), (1, "Backend Engineer")]


def lot_of(titles: Titles) -> StoredLot:
    return StoredLot([number for number, _ in titles], TitleLot.of("\n".join(title for _, title in titles)))


def previewed(criteria: MatchCriteria, *lots: Titles) -> Preview:
    return preview(criteria, [lot_of(titles) for titles in lots])


def changed(after: MatchCriteria, *lots: Titles) -> DraftPreview:
    return preview_draft(IN_FORCE, after, [lot_of(titles) for titles in lots])


def tried(draft: CriteriaDraft) -> DraftPreview:
    return changed(drafted(IN_FORCE, draft), TITLES)


def test_a_further_group_gains_what_only_it_matches() -> None:
    found = tried(CriteriaDraft(synonyms=("데이터", "백엔드")))
    assert (found.posting_count, found.matched_before, found.matched_after) == (4, 2, 3)
    assert [each.job_posting_id for each in found.gained] == [4]
    assert found.gained[0].matched_synonyms == ("데이터",)
    assert found.lost_count == 0


def test_a_further_exclusion_loses_what_it_rules_out_and_says_so() -> None:
    found = tried(CriteriaDraft(exclusion_keywords=("시니어",)))
    assert (found.matched_before, found.matched_after, found.gained_count) == (2, 1, 0)
    assert [(each.job_posting_id, each.excluded_by) for each in found.lost] == [(3, "시니어")]


def test_taking_an_exclusion_out_gains_and_taking_a_group_out_loses() -> None:
    found = tried(CriteriaDraft(without=(CriteriaTarget.EXCLUSION_KEYWORD, 7)))
    assert ([each.job_posting_id for each in found.gained], found.lost_count) == ([2], 0)
    found = tried(CriteriaDraft(without=(CriteriaTarget.KEYWORD_GROUP, 1)))
    assert ([each.job_posting_id for each in found.lost], found.matched_after) == ([3, 1], 0)


def test_a_draft_of_nothing_changes_nothing() -> None:
    assert drafted(IN_FORCE, CriteriaDraft()) == IN_FORCE
    found = tried(CriteriaDraft())
    assert (found.gained_count, found.lost_count, found.matched_after) == (0, 0, 2)


def test_all_are_counted_and_some_are_shown() -> None:
    titles = [(number, "데이터 분석가") for number in range(PREVIEWED + 30, 0, -1)]
    found = changed(drafted(IN_FORCE, CriteriaDraft(synonyms=("데이터",))), titles)
    assert found.gained_count == PREVIEWED + 30
    assert [each.job_posting_id for each in found.gained] == [number for number, _ in titles[:PREVIEWED]]


def test_a_draft_holds_only_what_criteria_may_hold() -> None:
    with pytest.raises(InvalidCriterion):
        drafted(IN_FORCE, CriteriaDraft(synonyms=("-",)))
    with pytest.raises(InvalidCriterion):
        drafted(IN_FORCE, CriteriaDraft(exclusion_keywords=("x" * 101,)))


def test_lots_looked_at_one_after_the_other_make_the_preview_of_all() -> None:
    titles = [(number, ("데이터 분석가", "백엔드 개발자", "백엔드 인턴")[number % 3]) for number in range(200, 0, -1)]
    draft = CriteriaDraft(synonyms=("데이터",), exclusion_keywords=("개발자",))
    after = drafted(IN_FORCE, draft)
    lots = [titles[start : start + 70] for start in range(0, len(titles), 70)]
    whole = changed(after, titles)
    assert changed(after, *lots) == changed(after, *reversed(lots)) == whole
    assert whole.gained_count > PREVIEWED
    assert whole.lost_count > PREVIEWED
    assert previewed(after, *lots) == previewed(after, titles)
    assert changed(after).posting_count == 0


@given(
    titles=st.lists(st.text(alphabet="백엔드 back-end자바java·인턴", max_size=12), min_size=1, max_size=8),
    words=st.lists(st.sampled_from(["백엔드", "java", "back-end", "자바", "엔드 b"]), min_size=1, max_size=3),
    ruled_out=st.lists(st.sampled_from(["인턴", "end", "va"]), max_size=2),
)
def test_titles_passed_over_are_those_that_no_criteria_look_at(
    titles: list[str], words: list[str], ruled_out: list[str]
) -> None:
    after = drafted(IN_FORCE, CriteriaDraft(synonyms=words, exclusion_keywords=ruled_out))
    numbered = list(enumerate(titles))
    old, new = Judge.of(IN_FORCE), Judge.of(after)
    wanted = [(number, old.title(title).notifiable, new.title(title).notifiable) for number, title in numbered]
    found = changed(after, numbered)
    assert [each.job_posting_id for each in found.gained] == [number for number, was, now in wanted if now and not was]
    assert [each.job_posting_id for each in found.lost] == [number for number, was, now in wanted if was and not now]
    assert found.matched_before == sum(was for _, was, _ in wanted)
    assert previewed(after, numbered).matched_count == sum(new.title(title).matched for _, title in numbered)
