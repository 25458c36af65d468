"""How postings fare against the criteria, and which have to be judged anew (seed 001, JobPostingEvaluation)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from heapq import nlargest
from itertools import islice
from operator import or_

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
from daemon.matching.rules.titles import NO_TITLE, Title, TitleLot, TitleSet, numbers_of
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

    def matched_of(self, held: Mapping[str, TitleSet]) -> TitleSet:
        """Which titles have a keyword, given which hold each needle."""
        return reduce(or_, (held[needle] for _, synonyms in self.groups for _, needle in synonyms), NO_TITLE)

    def excluded_of(self, held: Mapping[str, TitleSet]) -> TitleSet:
        """Which titles have an exclusion keyword, matched or not, given the same."""
        return reduce(or_, (held[needle] for _, needle in self.exclusions), NO_TITLE)

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


@dataclass(frozen=True, slots=True)
class StoredLot:
    """Some of the stored postings, newest first."""

    ids: Sequence[int]
    titles: TitleLot
    gone: TitleSet = NO_TITLE
    """Those that are no longer what they are here: they are not looked at."""

    def holding(self, needles: Iterable[str]) -> dict[str, TitleSet]:
        """By keyword in its normal form, which of them hold it."""
        return {needle: found & ~self.gone for needle, found in self.titles.holding(needles).items()}

    @property
    def posting_count(self) -> int:
        """How many are looked at."""
        return len(self.ids) - self.gone.bit_count()


def preview(criteria: MatchCriteria, lots: Sequence[StoredLot]) -> Preview:
    """Which of the postings the criteria would match, without storing anything."""
    judge = Judge.of(criteria)
    held = [lot.holding(judge.needles) for lot in lots]
    matched = [judge.matched_of(of_lot) for of_lot in held]
    excluded = [of_lot & judge.excluded_of(held_of) for of_lot, held_of in zip(matched, held, strict=True)]
    return Preview(
        posting_count=sum(lot.posting_count for lot in lots),
        matched_count=_count(matched),
        excluded_count=_count(excluded),
        postings=_newest(judge, lots, matched),
    )


def preview_draft(before: MatchCriteria, after: MatchCriteria, lots: Sequence[StoredLot]) -> DraftPreview:
    """Which of the postings a change of the criteria would gain and lose."""
    old, new = Judge.of(before), Judge.of(after)
    held = [lot.holding(old.needles | new.needles) for lot in lots]
    was = [old.matched_of(of_lot) & ~old.excluded_of(of_lot) for of_lot in held]
    is_now = [new.matched_of(of_lot) & ~new.excluded_of(of_lot) for of_lot in held]
    gained = [then & ~past for past, then in zip(was, is_now, strict=True)]
    lost = [past & ~then for past, then in zip(was, is_now, strict=True)]
    return DraftPreview(
        posting_count=sum(lot.posting_count for lot in lots),
        matched_before=_count(was),
        matched_after=_count(is_now),
        gained_count=_count(gained),
        lost_count=_count(lost),
        gained=_newest(new, lots, gained),
        lost=_newest(new, lots, lost),
    )


def _count(of_lots: Iterable[TitleSet]) -> int:
    return sum(titles.bit_count() for titles in of_lots)


def _newest(judge: Judge, lots: Sequence[StoredLot], of_lots: Sequence[TitleSet]) -> tuple[PreviewedPosting, ...]:
    """The newest of these titles of each lot, and how they fare."""
    found = [
        (lot.ids[number], place, number)
        for place, (lot, titles) in enumerate(zip(lots, of_lots, strict=True))
        for number in islice(numbers_of(titles), PREVIEWED)
    ]
    newest = nlargest(PREVIEWED, found)
    texts = {place: lots[place].titles.texts for place in {place for _, place, _ in newest}}
    shown = [(posting_id, texts[place][number]) for posting_id, place, number in newest]
    return tuple(_shown(posting_id, title, judge.title(title)) for posting_id, title in shown)


def _shown(posting_id: int, title: str, match: TitleMatch) -> PreviewedPosting:
    return PreviewedPosting(
        job_posting_id=posting_id,
        title=title,
        matched_synonyms=tuple(group.synonym for group in match.groups),
        excluded_by=None if match.excluded_by is None else match.excluded_by.keyword,
    )
