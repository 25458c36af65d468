"""The person's criteria and what stored postings make of them over HTTP (seed 001, API 계약; FR-22 to FR-26)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from daemon.matching.actions import criteria as criteria_actions
from daemon.matching.actions import evaluation, preview
from daemon.matching.model import (
    KEYWORD_CHARACTERS,
    MAXIMUM_KEYWORDS,
    MAXIMUM_SYNONYMS,
    CriteriaFull,
    CriteriaTarget,
    CriterionAdded,
    CriterionExists,
    Evaluated,
    InvalidCriterion,
    MatchCriteria,
    Preview,
    UnknownCriterion,
)
from daemon.web.problem import Fault, Problem, refused
from daemon.web.route import Format, Input, Route, RowId, Web, route

Word = Annotated[str, Field(min_length=1, max_length=KEYWORD_CHARACTERS), Format("keyword")]
Synonyms = Annotated[list[Word], Field(min_length=1, max_length=MAXIMUM_SYNONYMS)]


class NewKeywordGroup(Input):
    """A job that the person looks for."""

    display_name: Word
    """Its name in lists and messages; unique."""
    synonyms: Synonyms
    """Words of which one in the title is a match, whatever its case, blanks and hyphens."""


class NewKeyword(Input):
    """A word to look for."""

    keyword: Word


class CriterionPath(Input):
    """Which criterion."""

    id: RowId


class ReEvaluation(Input):
    """What is to be judged."""

    force: bool = False
    """True judges postings whose result is up to date, too; it raises the revision."""


class PreviewedGroup(Input):
    """A keyword group that is only tried out."""

    synonyms: Synonyms
    exclusion_keywords: Annotated[list[Word], Field(max_length=MAXIMUM_KEYWORDS)] | None = None
    """Words that rule out; null takes those in force."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeywordGroupAdded:
    """The keyword group that was made."""

    group_id: int
    criteria_revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CriteriaRevised:
    """The criteria as they are numbered now."""

    criteria_revision: int


async def show_criteria(web: Web) -> MatchCriteria:
    """The criteria in force, all of one revision."""
    return await criteria_actions.current_criteria(web.db)


async def add_keyword_group(web: Web, body: NewKeywordGroup) -> KeywordGroupAdded:
    """Look for a job under its synonyms."""
    with _changing(web):
        added = await criteria_actions.add_keyword_group(web.db, body.display_name, body.synonyms)
    return KeywordGroupAdded(group_id=added.id, criteria_revision=added.criteria_revision)


async def remove_keyword_group(web: Web, path: CriterionPath) -> CriteriaRevised:
    """Look for a job no more."""
    return await _remove(web, CriteriaTarget.KEYWORD_GROUP, path.id)


async def add_exclusion_keyword(web: Web, body: NewKeyword) -> CriterionAdded:
    """Rule out postings with a word in their title."""
    with _changing(web):
        return await criteria_actions.add_exclusion_keyword(web.db, body.keyword)


async def remove_exclusion_keyword(web: Web, path: CriterionPath) -> CriteriaRevised:
    """Rule a word out no more."""
    return await _remove(web, CriteriaTarget.EXCLUSION_KEYWORD, path.id)


async def add_work_arrangement_keyword(web: Web, body: NewKeyword) -> CriterionAdded:
    """Look for a word that tells of a work arrangement, in tags and texts."""
    with _changing(web):
        return await criteria_actions.add_work_arrangement_keyword(web.db, body.keyword)


async def remove_work_arrangement_keyword(web: Web, path: CriterionPath) -> CriteriaRevised:
    """Look for a work arrangement no more."""
    return await _remove(web, CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, path.id)


async def re_evaluate_postings(web: Web, body: ReEvaluation) -> Evaluated:
    """Judge the stored postings by the criteria in force; no site is asked."""
    return await evaluation.re_evaluate(web.db, force=body.force)


async def preview_criteria(web: Web, body: PreviewedGroup) -> Preview:
    """Which stored postings a keyword group would match; nothing is changed."""
    with _refusals_told():
        return await preview.preview_criteria(web.db, web.titles, body.synonyms, body.exclusion_keywords)


async def _remove(web: Web, target: CriteriaTarget, id: int) -> CriteriaRevised:
    with _changing(web):
        return CriteriaRevised(criteria_revision=await criteria_actions.remove_criterion(web.db, target, id))


@contextmanager
def _changing(web: Web) -> Iterator[None]:
    """A change of the criteria: stored postings are judged by it at once, by this process."""
    with _refusals_told():
        yield
    web.recorded.set()


@contextmanager
def _refusals_told() -> Iterator[None]:
    """Turn the refusals of the actions into problems."""
    try:
        yield
    except InvalidCriterion as error:
        raise refused("body", [Fault(field=to_camel(error.field), code="invalid", message=error.message)]) from error
    except UnknownCriterion as error:
        raise Problem(status=404, kind="unknown-criterion", detail=str(error)) from error
    except CriterionExists as error:
        held = {"existingId": error.id, "existingName": error.name}
        raise Problem(status=409, kind="criterion-exists", detail=str(error), members=held) from error
    except CriteriaFull as error:
        held = {"limit": error.limit}
        raise Problem(status=409, kind="criteria-full", detail=str(error), members=held) from error


_TAKEN = {409: "There is the same already (`existingId`), or as many as there may be (`limit`)"}
_UNKNOWN = {404: "None in force has this id"}

ROUTES: tuple[Route, ...] = (
    route("GET", "/api/matching/criteria", show_criteria),
    route(
        "POST",
        "/api/matching/keyword-groups",
        add_keyword_group,
        status=201,
        refusals=_TAKEN,
        links={"remove_keyword_group": {"id": "groupId"}},
    ),
    route("DELETE", "/api/matching/keyword-groups/{id}", remove_keyword_group, refusals=_UNKNOWN),
    route(
        "POST",
        "/api/matching/exclusion-keywords",
        add_exclusion_keyword,
        status=201,
        refusals=_TAKEN,
        links={"remove_exclusion_keyword": {"id": "id"}},
    ),
    route("DELETE", "/api/matching/exclusion-keywords/{id}", remove_exclusion_keyword, refusals=_UNKNOWN),
    route(
        "POST",
        "/api/matching/work-arrangement-keywords",
        add_work_arrangement_keyword,
        status=201,
        refusals=_TAKEN,
        links={"remove_work_arrangement_keyword": {"id": "id"}},
    ),
    route("DELETE", "/api/matching/work-arrangement-keywords/{id}", remove_work_arrangement_keyword, refusals=_UNKNOWN),
    route("POST", "/api/matching/re-evaluations", re_evaluate_postings),
    route("POST", "/api/matching/previews", preview_criteria),
)
