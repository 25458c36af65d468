"""SQL of evaluation results: rewritten per posting, all of its rows in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, exists, func, insert, or_, select, update

from daemon.db import Tx
from daemon.matching.model import Basis, Evaluation
from daemon.matching.rules.evaluation import is_outdated
from daemon.matching.tables import (
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
)

_NEVER = -1
"""Version of a posting whose result an older program made: any version is newer."""


def is_judged(revision: int, posting_id: ColumnElement[int], version: ColumnElement[int]) -> ColumnElement[bool]:
    """SQL of: the posting has a result, and at these criteria and its version that is not outdated (`is_outdated`)."""
    results = job_posting_match_results
    made_from = func.coalesce(results.c.posting_version, _NEVER)
    newer = or_(results.c.criteria_revision > revision, made_from > version)
    same = and_(results.c.criteria_revision == revision, made_from == version)
    return exists().where(results.c.job_posting_id == posting_id, or_(newer, same))


async def _load(tx: Tx, posting_ids: Collection[int], *, lock: bool = False) -> dict[int, tuple[int, Basis]]:
    results = job_posting_match_results
    query = (
        select(results.c.id, results.c.job_posting_id, results.c.criteria_revision, results.c.posting_version)
        .where(results.c.job_posting_id.in_(posting_ids))
        .order_by(results.c.job_posting_id)
    )
    return {
        row.job_posting_id: (
            row.id,
            Basis(
                criteria_revision=row.criteria_revision,
                posting_version=_NEVER if row.posting_version is None else row.posting_version,
            ),
        )
        for row in await tx.execute(query.with_for_update() if lock else query)
    }


async def save_evaluations(tx: Tx, evaluations: Sequence[Evaluation], now: datetime) -> int:
    """Write those evaluations that are newer than what is stored; returns how many.

    A result made from newer criteria or a newer posting stays, whoever comes last. An IntegrityError means that someone
    else has just written the first result of one of the postings.
    """
    stored = await _load(tx, [each.job_posting_id for each in evaluations], lock=True)
    fresh = [each for each in evaluations if each.job_posting_id not in stored]
    known = [each for each in evaluations if each.job_posting_id in stored]
    changed = [
        (stored[each.job_posting_id][0], each)
        for each in known
        if is_outdated(stored[each.job_posting_id][1], each.basis)
    ]
    await _save_outcomes(tx, changed, now)
    added: list[tuple[int, Evaluation]] = []
    if fresh:
        # A plain INSERT: with `ON DUPLICATE KEY` the MySQL 8 driver sends row by row.
        await tx.execute(insert(job_posting_match_results), [_row(each, now) for each in fresh])
        made = await _load(tx, [each.job_posting_id for each in fresh])
        added = [(made[each.job_posting_id][0], each) for each in fresh]
    await _rewrite_details(tx, [*changed, *added], now)
    return len(changed) + len(added)


def _outcome(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "criteria_revision": evaluation.basis.criteria_revision,
        "posting_version": evaluation.basis.posting_version,
        "matched": int(evaluation.title.matched),
        "notifiable": int(evaluation.title.notifiable),
        "top_confidence": evaluation.top_confidence.value,
        "work_arrangement_sort_rank": evaluation.top_confidence.sort_rank,
    }


def _row(evaluation: Evaluation, now: datetime) -> dict[str, Any]:
    stamps = {"evaluated_at": now, "created_at": now, "updated_at": now}
    return {"job_posting_id": evaluation.job_posting_id, **_outcome(evaluation), **stamps}


async def _save_outcomes(tx: Tx, results: Sequence[tuple[int, Evaluation]], now: datetime) -> None:
    """One statement per distinct outcome: there are few of them, however many postings."""
    alike: dict[tuple[tuple[str, Any], ...], list[int]] = defaultdict(list)
    for result_id, evaluation in results:
        alike[tuple(_outcome(evaluation).items())].append(result_id)
    for outcome, ids in alike.items():
        await tx.execute(
            update(job_posting_match_results)
            .where(job_posting_match_results.c.id.in_(ids))
            .values(**dict(outcome), evaluated_at=now, updated_at=now)
        )


async def _rewrite_details(tx: Tx, results: Sequence[tuple[int, Evaluation]], now: datetime) -> None:
    """Derived rows are the one thing that is deleted for good (seed 001, 파생 캐시)."""
    groups, arrangements = job_posting_matched_keyword_groups, job_posting_work_arrangements
    if not results:
        return
    await tx.execute(delete(groups).where(groups.c.job_posting_match_result_id.in_([key for key, _ in results])))
    await tx.execute(
        delete(arrangements).where(arrangements.c.job_posting_id.in_([each.job_posting_id for _, each in results]))
    )
    matched = [
        {
            "job_posting_match_result_id": result_id,
            "job_keyword_group_id": group.group_id,
            "matched_synonym": group.synonym,
            "created_at": now,
        }
        for result_id, evaluation in results
        for group in evaluation.title.groups
    ]
    evidence = [
        {
            "job_posting_id": evaluation.job_posting_id,
            "work_arrangement_keyword_id": found.keyword.id,
            "evidence_stage": found.stage.value,
            "confidence": found.confidence.value,
            "snippet": found.snippet,
            "created_at": now,
        }
        for _, evaluation in results
        for found in evaluation.evidence
    ]
    if matched:
        await tx.execute(insert(groups), matched)
    if evidence:
        await tx.execute(insert(arrangements), evidence)
