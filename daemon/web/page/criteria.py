"""What the person looks for, and what a change of it would gain and lose before it is made."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from daemon.db import Database
from daemon.matching.actions import criteria as actions
from daemon.matching.actions.preview import preview_draft
from daemon.matching.model import (
    KEYWORD_CHARACTERS,
    CriteriaDraft,
    CriteriaTarget,
    CriterionAdded,
    CriterionExists,
    DraftPreview,
    InvalidCriterion,
    MatchCriteria,
)
from daemon.web.page.visit import Form, Visit
from daemon.web.route import RowId

Word = Annotated[str, Field(max_length=KEYWORD_CHARACTERS)]
Words = Annotated[str, Field(max_length=6000)]
"""Separated by commas or line breaks."""

_TARGETS = {
    "group": CriteriaTarget.KEYWORD_GROUP,
    "exclusion": CriteriaTarget.EXCLUSION_KEYWORD,
    "arrangement": CriteriaTarget.WORK_ARRANGEMENT_KEYWORD,
}
Kind = Literal["group", "exclusion", "arrangement"]


def words_in(entered: str | None) -> list[str]:
    """The words that a person wrote, separated by commas or line breaks."""
    return [word.strip() for word in re.split(r"[,\n、，]", entered or "") if word.strip()]


class Tried(Form):
    """A change that is tried out."""

    synonyms: Words | None = None
    exclusions: Words | None = None
    without: Annotated[str, Field(pattern=r"^(group|exclusion):[1-9][0-9]{0,17}$")] | None = None

    def draft(self) -> CriteriaDraft | None:
        """The change; None when nothing is tried out."""
        synonyms, exclusions = words_in(self.synonyms), words_in(self.exclusions)
        without = None
        if self.without is not None:
            kind, _, id = self.without.partition(":")
            without = (_TARGETS[kind], int(id))
        if not synonyms and not exclusions and without is None:
            return None
        return CriteriaDraft(synonyms=synonyms, exclusion_keywords=exclusions, without=without)


async def show_criteria(visit: Visit) -> web.Response:
    """The criteria in force; with a change in the query, what it would do."""
    tried = visit.asked(Tried)
    criteria = await actions.current_criteria(visit.web.db)
    preview, unfit = await _preview(visit, criteria, tried.draft())
    return visit.show(
        "criteria.html",
        visit.web.db.clock.now(),
        criteria=criteria,
        tried=tried,
        preview=preview,
        unfit=unfit,
    )


async def _preview(
    visit: Visit, criteria: MatchCriteria, draft: CriteriaDraft | None
) -> tuple[DraftPreview | None, bool]:
    """What a change would do, and whether it is one that can't be made."""
    if draft is None:
        return None, False
    try:
        return await preview_draft(visit.web.db, visit.web.titles, criteria, draft), False
    except InvalidCriterion:
        return None, True


class NewGroup(Form):
    """A job that the person looks for."""

    name: Word | None = None
    synonyms: Words


async def add_group(visit: Visit) -> web.Response:
    """Look for a job under its synonyms; without a name it has that of the first."""
    entered = await visit.form(NewGroup)
    words = _some(visit, "synonyms", entered.synonyms)
    await actions.add_keyword_group(visit.web.db, entered.name or words[0], words)
    return _changed(visit)


class NewExclusions(Form):
    """Words that rule out."""

    exclusions: Words


async def add_exclusion(visit: Visit) -> web.Response:
    """Rule out postings with one of these words in their titles."""
    entered = await visit.form(NewExclusions)
    await _add_each(visit, actions.add_exclusion_keyword, _some(visit, "exclusions", entered.exclusions))
    return _changed(visit)


class NewArrangements(Form):
    """Words that tell of a work arrangement."""

    words: Words


async def add_arrangement(visit: Visit) -> web.Response:
    """Look for words that tell of a work arrangement."""
    entered = await visit.form(NewArrangements)
    await _add_each(visit, actions.add_work_arrangement_keyword, _some(visit, "words", entered.words))
    return _changed(visit)


async def _add_each(
    visit: Visit, add: Callable[[Database, str], Awaitable[CriterionAdded]], words: Sequence[str]
) -> None:
    """Add the words that are not there yet: sent again, a form adds what is missing. Refused when none is new."""
    there: CriterionExists | None = None
    added = 0
    for word in words:
        try:
            await add(visit.web.db, word)
        except CriterionExists as exists:
            there = exists
        else:
            added += 1
    if there is not None and not added:
        raise there


def _some(visit: Visit, name: str, entered: str) -> list[str]:
    words = words_in(entered)
    if not words:
        raise visit.unfit(name, "empty")
    return words


class Removed(Form):
    """Which criterion goes."""

    kind: Kind
    id: RowId


async def remove(visit: Visit) -> web.Response:
    """Take a criterion out of force."""
    entered = await visit.form(Removed)
    await actions.remove_criterion(visit.web.db, _TARGETS[entered.kind], entered.id)
    return _changed(visit)


def _changed(visit: Visit) -> web.Response:
    # Stored postings are judged by it at once: who looks at them next finds what they look for.
    visit.web.recorded.set()
    return visit.leave("/criteria", "criteria")
