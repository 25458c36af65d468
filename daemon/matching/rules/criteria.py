"""What criteria a person may have (seed 001, FR-22, FR-23, FR-26; limits and conflicts: DESIGN 1.10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from daemon.matching.model import (
    KEYWORD_CHARACTERS,
    MAXIMUM_KEYWORDS,
    MAXIMUM_SYNONYMS,
    CriteriaDraft,
    CriteriaFull,
    CriteriaTarget,
    CriterionExists,
    InvalidCriterion,
    Keyword,
    KeywordGroup,
    MatchCriteria,
)
from daemon.matching.rules.forms import collapsed, keyword_form

_MOST_TYPED = 4 * KEYWORD_CHARACTERS
"""Of four characters NFKC leaves at least one, and it may make eighteen of one: what is longer is not looked at."""


def checked_word(field: str, text: str) -> str:
    """A keyword or name as it is kept. Raises InvalidCriterion."""
    if len(" ".join(text.split())) > _MOST_TYPED:
        raise InvalidCriterion(field, f"longer than {KEYWORD_CHARACTERS} characters")
    clean = collapsed(text)
    form = keyword_form(clean)
    if max(len(clean), len(form)) > KEYWORD_CHARACTERS:
        raise InvalidCriterion(field, f"longer than {KEYWORD_CHARACTERS} characters")
    if not clean.isprintable() or not any(character.isalnum() for character in form):
        # A lone sign would be in any title.
        raise InvalidCriterion(field, "needs a letter or a digit, and no control characters")
    return clean


def checked_words(field: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Synonyms as they are kept, each normal form once, in the order given. Raises InvalidCriterion."""
    words: dict[str, str] = {}
    for number, text in enumerate(texts):
        word = checked_word(f"{field}.{number}", text)
        words.setdefault(keyword_form(word), word)
    if not words:
        raise InvalidCriterion(field, "needs at least one")
    if len(words) > MAXIMUM_SYNONYMS:
        raise InvalidCriterion(field, f"more than {MAXIMUM_SYNONYMS}")
    return tuple(words.values())


def require_new_group(criteria: MatchCriteria, display_name: str) -> None:
    """Raises CriterionExists when a group has that name, CriteriaFull when there are too many."""
    named = [Keyword(id=group.id, keyword=group.display_name) for group in criteria.keyword_groups]
    _require_new(CriteriaTarget.KEYWORD_GROUP, named, display_name)


def require_new_keyword(criteria: MatchCriteria, target: CriteriaTarget, keyword: str) -> None:
    """Raises CriterionExists when there is such a keyword, CriteriaFull when there are too many."""
    _require_new(target, keywords_of(criteria, target), keyword)


def keywords_of(criteria: MatchCriteria, target: CriteriaTarget) -> Sequence[Keyword]:
    """The keywords of one of the two kinds that have no synonyms."""
    if target is CriteriaTarget.EXCLUSION_KEYWORD:
        return criteria.exclusion_keywords
    assert target is CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, target
    return criteria.work_arrangement_keywords


def drafted(criteria: MatchCriteria, draft: CriteriaDraft) -> MatchCriteria:
    """The criteria as a change would make them. Raises InvalidCriterion."""
    groups, exclusions = criteria.keyword_groups, criteria.exclusion_keywords
    if draft.without is not None:
        target, id = draft.without
        if target is CriteriaTarget.KEYWORD_GROUP:
            groups = tuple(group for group in groups if group.id != id)
        elif target is CriteriaTarget.EXCLUSION_KEYWORD:
            exclusions = tuple(each for each in exclusions if each.id != id)
    if draft.synonyms:
        words = checked_words("synonyms", draft.synonyms)
        groups = (*groups, KeywordGroup(id=0, display_name="", synonyms=words))
    if draft.exclusion_keywords:
        words = checked_words("exclusion_keywords", draft.exclusion_keywords)
        exclusions = (*exclusions, *(Keyword(id=0, keyword=word) for word in words))
    return replace(criteria, keyword_groups=groups, exclusion_keywords=exclusions)


def _require_new(target: CriteriaTarget, present: Sequence[Keyword], word: str) -> None:
    form = keyword_form(word)
    for each in present:
        if keyword_form(each.keyword) == form:
            raise CriterionExists(target, each.id, each.keyword)
    if len(present) >= MAXIMUM_KEYWORDS:
        raise CriteriaFull(target, MAXIMUM_KEYWORDS)
