"""The person's criteria: each change raises their revision by one (seed 001, MatchCriteriaDomainService)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import structlog

from daemon.db import Database, Tx, reading, transaction
from daemon.matching.model import CriteriaTarget, CriterionAdded, MatchCriteria, UnknownCriterion
from daemon.matching.rules import criteria as rules
from daemon.matching.store import criteria as store

log = structlog.get_logger(__name__)

Change = Callable[[Tx, MatchCriteria], Awaitable[tuple[int, str]]]
"""Changes the criteria, of which it is handed those in force; returns the id and what changed, for a person."""


async def current_criteria(db: Database) -> MatchCriteria:
    """The criteria in force, as one snapshot."""
    return await reading(db, store.load_current)


async def add_keyword_group(db: Database, display_name: str, synonyms: Sequence[str]) -> CriterionAdded:
    """Look for a job under these synonyms. Raises InvalidCriterion, CriterionExists, CriteriaFull."""
    name, words = rules.checked_word("display_name", display_name), rules.checked_words("synonyms", synonyms)

    async def add(tx: Tx, criteria: MatchCriteria) -> tuple[int, str]:
        rules.require_new_group(criteria, name)
        return await store.add_group(tx, name, words, await tx.now()), f"added {name}: {', '.join(words)}"

    return await _change(db, CriteriaTarget.KEYWORD_GROUP, add)


async def add_exclusion_keyword(db: Database, keyword: str) -> CriterionAdded:
    """Rule out titles that hold a keyword. Raises InvalidCriterion, CriterionExists, CriteriaFull."""
    return await _add_keyword(db, CriteriaTarget.EXCLUSION_KEYWORD, keyword)


async def add_work_arrangement_keyword(db: Database, keyword: str) -> CriterionAdded:
    """Look for a work arrangement in texts. Raises InvalidCriterion, CriterionExists, CriteriaFull."""
    return await _add_keyword(db, CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, keyword)


async def remove_criterion(db: Database, target: CriteriaTarget, id: int) -> int:
    """Take a criterion out of force, for good; returns the new revision. Its row stays. Raises UnknownCriterion."""

    async def remove(tx: Tx, criteria: MatchCriteria) -> tuple[int, str]:
        if not await store.save_deleted(tx, target, id, await tx.now()):
            raise UnknownCriterion(target, id)
        return id, f"removed {_name(criteria, target, id)}"

    return (await _change(db, target, remove)).criteria_revision


async def raise_revision(db: Database) -> int:
    """Make every result outdated without changing the criteria; returns the new revision."""

    async def nothing(_tx: Tx, _criteria: MatchCriteria) -> tuple[int, str]:
        return 0, "re-evaluation was forced"

    return (await _change(db, CriteriaTarget.RE_EVALUATION, nothing)).criteria_revision


async def _add_keyword(db: Database, target: CriteriaTarget, keyword: str) -> CriterionAdded:
    word = rules.checked_word("keyword", keyword)

    async def add(tx: Tx, criteria: MatchCriteria) -> tuple[int, str]:
        rules.require_new_keyword(criteria, target, word)
        return await store.add_keyword(tx, target, word, await tx.now()), f"added {word}"

    return await _change(db, target, add)


def _name(criteria: MatchCriteria, target: CriteriaTarget, id: int) -> str:
    if target is CriteriaTarget.KEYWORD_GROUP:
        return next(group.display_name for group in criteria.keyword_groups if group.id == id)
    return next(each.keyword for each in rules.keywords_of(criteria, target) if each.id == id)


async def _change(db: Database, target: CriteriaTarget, change: Change) -> CriterionAdded:
    changed = await transaction(db, _changed, target, change)
    log.info("criteria.changed", target=str(target), criterion_id=changed.id, revision=changed.criteria_revision)
    return changed


async def _changed(tx: Tx, target: CriteriaTarget, change: Change) -> CriterionAdded:
    """Changes queue: each sees what all before it did, and gets the next revision."""
    await store.lock_criteria(tx, await tx.now())
    id, reason = await change(tx, await store.load_current(tx))
    return CriterionAdded(id=id, criteria_revision=await store.bump_revision(tx, target, reason, await tx.now()))
