"""SQL of evaluation results: rewritten per posting, all of its rows in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, delete, exists, func, or_, select, update

from daemon.db import Tx, insert_rows
from daemon.matching.model import Basis, Evaluation
from daemon.matching.rules.evaluation import is_outdated
from daemon.matching.tables import (
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
)

_NEVER = -1
"""Version of a posting whose result an older program made: any version is newer."""

_RESULTS = job_posting_match_results
_GROUPS, _ARRANGEMENTS = job_posting_matched_keyword_groups, job_posting_work_arrangements
_AMONG: BindParameter[int] = bindparam("ids", expanding=True)

# What every page asks is put together once.
_IDS = select(_RESULTS.c.job_posting_id, _RESULTS.c.id).where(_RESULTS.c.job_posting_id.in_(_AMONG))
_OF_POSTINGS = (
    _IDS.add_columns(_RESULTS.c.criteria_revision, _RESULTS.c.posting_version)
    .order_by(_RESULTS.c.job_posting_id)
    .with_for_update()
)
_OUTCOME = (
    update(_RESULTS)
    .where(_RESULTS.c.id.in_(_AMONG))
    .values(
        criteria_revision=bindparam("new_criteria_revision"),
        posting_version=bindparam("new_posting_version"),
        matched=bindparam("new_matched"),
        notifiable=bindparam("new_notifiable"),
        top_confidence=bindparam("new_top_confidence"),
        work_arrangement_sort_rank=bindparam("new_work_arrangement_sort_rank"),
        evaluated_at=bindparam("now"),
        updated_at=bindparam("now"),
    )
)
_DELETE_GROUPS = delete(_GROUPS).where(_GROUPS.c.job_posting_match_result_id.in_(_AMONG))
_DELETE_ARRANGEMENTS = delete(_ARRANGEMENTS).where(_ARRANGEMENTS.c.job_posting_id.in_(_AMONG))


def is_judged(revision: int, posting_id: ColumnElement[int], version: ColumnElement[int]) -> ColumnElement[bool]:
    """SQL of: the posting has a result, and at these criteria and its version that is not outdated (`is_outdated`)."""
    results = job_posting_match_results
    made_from = func.coalesce(results.c.posting_version, _NEVER)
    newer = or_(results.c.criteria_revision > revision, made_from > version)
    same = and_(results.c.criteria_revision == revision, made_from == version)
    return exists().where(results.c.job_posting_id == posting_id, or_(newer, same))


async def _lock(tx: Tx, posting_ids: Collection[int]) -> dict[int, tuple[int, Basis]]:
    """Id of the result, and what it was made from, by posting; a posting without a result is absent."""
    return {
        posting_id: (
            result_id,
            Basis(criteria_revision=revision, posting_version=_NEVER if version is None else version),
        )
        for posting_id, result_id, revision, version in await tx.execute(_OF_POSTINGS, {"ids": list(posting_ids)})
    }


async def save_evaluations(tx: Tx, evaluations: Sequence[Evaluation], now: datetime) -> int:
    """Write those evaluations that are newer than what is stored; returns how many.

    A result made from newer criteria or a newer posting stays, whoever comes last. An IntegrityError means that someone
    else has just written the first result of one of the postings.
    """
    stored = await _lock(tx, [each.job_posting_id for each in evaluations])
    fresh = [each for each in evaluations if each.job_posting_id not in stored]
    known = [each for each in evaluations if each.job_posting_id in stored]
    changed = [each for each in known if is_outdated(stored[each.job_posting_id][1], each.basis)]
    ids = {posting_id: result_id for posting_id, (result_id, _) in stored.items()}
    await _save_outcomes(tx, [(ids[each.job_posting_id], each) for each in changed], now)
    await _delete_details(tx, {each.job_posting_id: ids[each.job_posting_id] for each in changed})
    # A plain INSERT, so that a result of someone else is met, not written over.
    await insert_rows(tx, job_posting_match_results, [_row(each, now) for each in fresh])
    if matched := [each.job_posting_id for each in fresh if each.title.groups]:
        ids |= dict((await tx.execute(_IDS, {"ids": matched})).all())
    await _add_details(tx, [*changed, *fresh], ids, now)
    return len(changed) + len(fresh)


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
        written = {f"new_{name}": value for name, value in outcome}
        await tx.execute(_OUTCOME, {"ids": ids, "now": now, **written})


async def _delete_details(tx: Tx, results: Mapping[int, int]) -> None:
    """Of these results (id by posting); derived rows are the one thing deleted for good (seed 001, 파생 캐시)."""
    if results:
        await tx.execute(_DELETE_GROUPS, {"ids": list(results.values())})
        await tx.execute(_DELETE_ARRANGEMENTS, {"ids": list(results)})


async def _add_details(tx: Tx, evaluations: Sequence[Evaluation], ids: Mapping[int, int], now: datetime) -> None:
    groups = [
        {
            "job_posting_match_result_id": ids[evaluation.job_posting_id],
            "job_keyword_group_id": group.group_id,
            "matched_synonym": group.synonym,
            "created_at": now,
        }
        for evaluation in evaluations
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
        for evaluation in evaluations
        for found in evaluation.evidence
    ]
    await insert_rows(tx, job_posting_matched_keyword_groups, groups)
    await insert_rows(tx, job_posting_work_arrangements, evidence)
