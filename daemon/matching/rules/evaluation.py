"""How postings fare against the criteria, and which have to be judged anew (seed 001, JobPostingEvaluation)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, islice

from daemon.matching.model import (
    Basis,
    DraftPreview,
    Evaluation,
    EvaluationTarget,
    Keyword,
    MatchCriteria,
    MatchedGroup,
    Preview,
    PreviewedPosting,
    TitleMatch,
)
from daemon.matching.rules.forms import keyword_form
from daemon.matching.rules.titles import Title, TitleLot
from daemon.matching.rules.work_arrangement import ArrangementKeyword, detect_work_arrangement

PREVIEWED = 50
"""Postings that a preview shows; it counts all of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """Criteria made ready for judging any number of postings."""

    revision: int
    groups: tuple[tuple[int, tuple[tuple[str, str], ...]], ...]
    """Id of each keyword group, and its synonyms with their normal forms."""
    exclusions: tuple[tuple[Keyword, str], ...]
    arrangements: tuple[ArrangementKeyword, ...]

    @classmethod
    def of(cls, criteria: MatchCriteria) -> Judge:
        """The judge by these criteria."""
        return cls(
            revision=criteria.criteria_revision,
            groups=tuple(
                (group.id, tuple((synonym, keyword_form(synonym)) for synonym in group.synonyms))
                for group in criteria.keyword_groups
            ),
            exclusions=tuple((each, keyword_form(each.keyword)) for each in criteria.exclusion_keywords),
            arrangements=tuple(ArrangementKeyword.of(each) for each in criteria.work_arrangement_keywords),
        )

    def title(self, text: str) -> TitleMatch:
        """How a title fares: every keyword group with a synonym in it, and the first exclusion keyword in it."""
        title = Title.of(text)
        found = ((group_id, _first_held(title, synonyms)) for group_id, synonyms in self.groups)
        groups = tuple(MatchedGroup(group_id=group_id, synonym=word) for group_id, word in found if word is not None)
        excluded = next((keyword for keyword, needle in self.exclusions if title.holds(needle)), None)
        return TitleMatch(groups=groups, excluded_by=excluded)

    @property
    def needles(self) -> frozenset[str]:
        """The normal forms of all words that it looks for in titles."""
        synonyms = (needle for _, words in self.groups for _, needle in words)
        return frozenset((*synonyms, *(needle for _, needle in self.exclusions)))

    def matched_of(self, held: Mapping[str, frozenset[int]]) -> frozenset[int]:
        """Which titles have a keyword, given which hold each needle."""
        return frozenset().union(*(held[needle] for _, synonyms in self.groups for _, needle in synonyms))

    def excluded_of(self, held: Mapping[str, frozenset[int]]) -> frozenset[int]:
        """Which titles have an exclusion keyword, matched or not, given the same."""
        return frozenset().union(*(held[needle] for _, needle in self.exclusions))

    def evaluate(self, target: EvaluationTarget) -> Evaluation:
        """How a posting fares. The same target and criteria always make the same evaluation."""
        return Evaluation(
            job_posting_id=target.job_posting_id,
            basis=Basis(criteria_revision=self.revision, posting_version=target.posting_version),
            title=self.title(target.title),
            evidence=detect_work_arrangement(target.structured_tags, target.description_body, self.arrangements),
        )


def _first_held(title: Title, synonyms: Iterable[tuple[str, str]]) -> str | None:
    return next((word for word, needle in synonyms if title.holds(needle)), None)


def is_outdated(judged: Basis | None, fresh: Basis) -> bool:
    """Whether a posting has to be judged by `fresh`, given what its result was made from (None: it has none).

    A result made from newer criteria or a newer posting is left to whoever made it: results only move forward.
    """
    if judged is None:
        return True
    return judged != fresh and (
        judged.criteria_revision <= fresh.criteria_revision and judged.posting_version <= fresh.posting_version
    )


def preview(criteria: MatchCriteria, ids: Sequence[int], lines: str) -> Preview:
    """Which of the stored postings, newest first, the criteria would match, without storing anything.

    `lines` are their titles, a line each, which may be taken together: few of them are looked at one by one.
    """
    judge = Judge.of(criteria)
    lot = TitleLot.of(lines)
    held = {needle: lot.holding(needle) for needle in judge.needles}
    matched = judge.matched_of(held)
    return Preview(
        posting_count=len(ids),
        matched_count=len(matched),
        excluded_count=len(matched & judge.excluded_of(held)),
        postings=_previewed(judge, ids, lot, matched),
    )


def preview_draft(before: MatchCriteria, after: MatchCriteria, ids: Sequence[int], lines: str) -> DraftPreview:
    """Which of the stored postings, newest first, a change of the criteria would gain and lose; `lines` as above."""
    old, new = Judge.of(before), Judge.of(after)
    lot = TitleLot.of(lines)
    held = {needle: lot.holding(needle) for needle in old.needles | new.needles}
    was = old.matched_of(held) - old.excluded_of(held)
    is_now = new.matched_of(held) - new.excluded_of(held)
    return DraftPreview(
        posting_count=len(ids),
        matched_before=len(was),
        matched_after=len(is_now),
        gained_count=len(is_now - was),
        lost_count=len(was - is_now),
        gained=_previewed(new, ids, lot, is_now - was),
        lost=_previewed(new, ids, lot, was - is_now),
    )


def preview_of_all(lots: Sequence[Preview]) -> Preview:
    """The preview of all postings from those of some at a time, the newest first."""
    return Preview(
        posting_count=sum(lot.posting_count for lot in lots),
        matched_count=sum(lot.matched_count for lot in lots),
        excluded_count=sum(lot.excluded_count for lot in lots),
        postings=_first_of(lot.postings for lot in lots),
    )


def draft_preview_of_all(lots: Sequence[DraftPreview]) -> DraftPreview:
    """The same of what a change would do."""
    return DraftPreview(
        posting_count=sum(lot.posting_count for lot in lots),
        matched_before=sum(lot.matched_before for lot in lots),
        matched_after=sum(lot.matched_after for lot in lots),
        gained_count=sum(lot.gained_count for lot in lots),
        lost_count=sum(lot.lost_count for lot in lots),
        gained=_first_of(lot.gained for lot in lots),
        lost=_first_of(lot.lost for lot in lots),
    )


def _first_of(lots: Iterable[Iterable[PreviewedPosting]]) -> tuple[PreviewedPosting, ...]:
    return tuple(islice(chain.from_iterable(lots), PREVIEWED))


def _previewed(judge: Judge, ids: Sequence[int], lot: TitleLot, numbers: Iterable[int]) -> tuple[PreviewedPosting, ...]:
    """The first of these titles, and how they fare."""
    shown = [(ids[number], lot.texts[number]) for number in nsmallest(PREVIEWED, numbers)]
    return tuple(_shown(posting_id, title, judge.title(title)) for posting_id, title in shown)


def _shown(posting_id: int, title: str, match: TitleMatch) -> PreviewedPosting:
    return PreviewedPosting(
        job_posting_id=posting_id,
        title=title,
        matched_synonyms=tuple(group.synonym for group in match.groups),
        excluded_by=None if match.excluded_by is None else match.excluded_by.keyword,
    )
