"""Judging stored postings: right after they were recorded, at 08:50, and when a person asks, all by one path.

What is read is told to matching as `EvaluationTarget`; it knows nothing else of postings (seed 001, 방안 7). A failure
leaves results outdated, never wrong: the next run finds and makes them (failure path 16).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial

import structlog

from daemon.db import Database, Tx, reading, unless_overtaken
from daemon.foreground import GoOn, at_once
from daemon.matching.actions.criteria import current_criteria, raise_revision
from daemon.matching.model import Evaluated, Evaluation, EvaluationTarget
from daemon.matching.rules.evaluation import Judge
from daemon.matching.store.criteria import load_revision
from daemon.matching.store.results import is_judged, save_evaluations
from daemon.posting.model import EvaluablePosting, PostingText
from daemon.posting.store.evaluable import count_judged, load_evaluable, load_texts, load_touched

log = structlog.get_logger(__name__)

_PAGE = 1000
"""Postings to judge that are looked up at a time."""

_BATCH = 200
"""Postings whose texts are read, and whose results are saved, at a time."""

_STEP = 20
"""Postings judged without a break: as long as their texts take, nothing else runs in the process."""

Pages = Callable[[Tx, EvaluablePosting | None], Awaitable[list[EvaluablePosting]]]
"""The postings to judge after one of them (None: from the start), at most a page; empty at the end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """The criteria's revision and the time, by the database."""

    revision: int
    now: datetime


async def standing(db: Database) -> Standing:
    """What a run that begins now will know of."""
    return await reading(db, _standing)


async def _standing(tx: Tx) -> Standing:
    now = await tx.now()
    return Standing(revision=await load_revision(tx), now=now)


async def evaluate_pending(db: Database, go_on: GoOn = at_once) -> Evaluated:
    """Judge every posting whose result is missing or outdated. Repeating it changes nothing."""
    judge = Judge.of(await current_criteria(db))
    judged = partial(is_judged, judge.revision)

    async def newest_first(tx: Tx, last: EvaluablePosting | None) -> list[EvaluablePosting]:
        return await load_evaluable(tx, judged, None if last is None else last.id, _PAGE)

    skipped = await reading(db, count_judged, judged)
    evaluated = await _evaluate(db, judge, newest_first, go_on)
    done = Evaluated(evaluated_count=evaluated, skipped_count=skipped, criteria_revision=judge.revision)
    log.info("postings.evaluated", **asdict(done))
    return done


async def evaluate_touched(db: Database, since: datetime, go_on: GoOn = at_once) -> int:
    """The same for postings that were recorded or edited at or after `since` only; returns how many were judged."""
    judge = Judge.of(await current_criteria(db))
    judged = partial(is_judged, judge.revision)

    async def oldest_touch_first(tx: Tx, last: EvaluablePosting | None) -> list[EvaluablePosting]:
        return await load_touched(tx, judged, since, None if last is None else (last.updated_at, last.id), _PAGE)

    evaluated = await _evaluate(db, judge, oldest_touch_first, go_on)
    if evaluated:
        # As often as pages are committed.
        log.debug("postings.evaluated", evaluated_count=evaluated, criteria_revision=judge.revision)
    return evaluated


async def re_evaluate(db: Database, *, force: bool = False) -> Evaluated:
    """Judge stored postings anew from what is stored of them (FR-25, failure path 17).

    Results that are up to date are skipped; `force` raises the revision first, so that none is.
    """
    if force:
        await raise_revision(db)
    return await evaluate_pending(db)


async def _evaluate(db: Database, judge: Judge, pages: Pages, go_on: GoOn) -> int:
    evaluated = 0
    last: EvaluablePosting | None = None
    while await go_on() and (postings := await reading(db, pages, last)):
        last = postings[-1]
        for start in range(0, len(postings), _BATCH):
            if await go_on():
                evaluated += await _evaluate_batch(db, judge, postings[start : start + _BATCH], go_on)
    return evaluated


async def _evaluate_batch(db: Database, judge: Judge, postings: Sequence[EvaluablePosting], go_on: GoOn) -> int:
    # The texts are read after the version: one that is edited in between is judged again, never forgotten.
    texts = await reading(db, load_texts, [posting.id for posting in postings])
    targets = _targets(postings, texts)
    evaluations: list[Evaluation] = []
    for start in range(0, len(targets), _STEP):
        if not await go_on():
            return 0
        evaluations += map(judge.evaluate, targets[start : start + _STEP])
    # Someone else may have the first result of one of them; then it is there to be compared with.
    return await unless_overtaken(db, _save, evaluations)


def _targets(postings: Iterable[EvaluablePosting], texts: dict[int, PostingText]) -> list[EvaluationTarget]:
    nothing = PostingText(tags=(), body=None)
    return [
        EvaluationTarget(
            job_posting_id=posting.id,
            posting_version=posting.version,
            title=posting.title,
            structured_tags=texts.get(posting.id, nothing).tags,
            description_body=texts.get(posting.id, nothing).body,
        )
        for posting in sorted(postings, key=lambda posting: posting.id)
    ]


async def _save(tx: Tx, evaluations: Sequence[Evaluation]) -> int:
    return await save_evaluations(tx, evaluations, await tx.now())
