"""Judging only what changed gives what judging everything anew gives, whatever happened before (FR-25)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from daemon.clock import ManualClock
from daemon.db import Database, transaction
from daemon.foreground import at_once
from daemon.matching.actions.criteria import (
    add_exclusion_keyword,
    add_keyword_group,
    add_work_arrangement_keyword,
    current_criteria,
    remove_criterion,
)
from daemon.matching.actions.evaluation import Standing, evaluate_pending, re_evaluate
from daemon.matching.loop import look
from daemon.matching.model import CriteriaTarget, CriterionExists
from daemon.matching.tables import (
    job_exclusion_keywords,
    job_keyword_groups,
    job_keyword_synonyms,
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
    match_criteria_revisions,
    work_arrangement_keywords,
)
from daemon.posting.model import DetailState
from daemon.posting.store import save_missed
from daemon.posting.tables import job_posting_descriptions, job_posting_source_tags, job_postings
from tests.db.judged import judgements, posting, record
from tests.engines import keyed, write

RESULTS = (job_posting_match_results, job_posting_matched_keyword_groups, job_posting_work_arrangements)
EVERYTHING = (
    *RESULTS,
    *(job_exclusion_keywords, job_keyword_groups, job_keyword_synonyms, work_arrangement_keywords),
    *(match_criteria_revisions, job_posting_descriptions, job_posting_source_tags, job_postings),
)

Step = tuple[Any, ...]

key = st.integers(0, 5)
title = st.sampled_from(["백엔드 개발자", "Back-End 인턴", "마케터", "JavaScript 개발자", "Java 서버 개발자"])
body = st.sampled_from([None, "재택근무 가능", "재택근무 불가", "remote ok", "사무실 근무"])
tags = st.lists(st.sampled_from(["Remote", "재택근무 불가", "Java"]), max_size=2, unique=True)
word = st.sampled_from(["백엔드", "java", "인턴", "재택근무", "remote", "개발"])
detail = st.sampled_from([DetailState.NOT_WANTED, DetailState.READ, DetailState.SKIPPED])
step = st.one_of(
    st.tuples(st.just("shown"), key, title, body, tags, st.integers(0, 3), detail, st.booleans()),
    st.tuples(st.just("shown"), key, title, body, tags, st.integers(0, 3), detail, st.just(False)),
    st.tuples(st.just("closed"), key),
    st.tuples(st.just("group"), word),
    st.tuples(st.just("exclusion"), word),
    st.tuples(st.just("arrangement"), word),
    st.tuples(st.just("removed"), st.integers(0, 9)),
    st.tuples(st.just("forced")),
    st.tuples(st.just("looked")),
    st.tuples(st.just("passed"), st.sampled_from([0, 1, 60, 89, 91, 86_400])),
)
"""What lists, a person, the loop and time do; a `shown` posting is new, edited, or found again after it was closed."""


class History:
    """Postings and criteria that change, and a loop that looks now and then."""

    def __init__(self, db: Database, clock: ManualClock) -> None:
        self.db = db
        self.clock = clock
        self.seen: Standing | None = None

    async def take(self, step: Step) -> None:
        """Let one thing happen, by the functions that the product has for it."""
        match step:
            case ("shown", number, name, text, said, version, state, walled):
                raw = posting(str(number), name, body=text, tags=said, version=str(version), restricted=walled)
                await record(self.db, raw, detail=state)
            case ("closed", number):
                ids = [row["id"] for row in (await self._postings()).values() if row["source_job_id"] == str(number)]
                await transaction(self.db, save_missed, (), ids, self.clock.now())
            case ("removed", number):
                await self._remove(number)
            case ("forced",):
                await re_evaluate(self.db, force=True)
            case ("looked",):
                self.seen = await look(self.db, self.seen, at_once)
            case ("passed", seconds):
                self.clock.advance(timedelta(seconds=seconds))
            case (kind, name):
                await self._add(kind, name)

    async def _add(self, kind: str, name: str) -> None:
        try:
            match kind:
                case "group":
                    await add_keyword_group(self.db, name, [name, f"{name} 채용"])
                case "exclusion":
                    await add_exclusion_keyword(self.db, name)
                case "arrangement":
                    await add_work_arrangement_keyword(self.db, name)
        except CriterionExists:
            return

    async def _remove(self, number: int) -> None:
        found = await current_criteria(self.db)
        present = [
            *((CriteriaTarget.KEYWORD_GROUP, group.id) for group in found.keyword_groups),
            *((CriteriaTarget.EXCLUSION_KEYWORD, each.id) for each in found.exclusion_keywords),
            *((CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, each.id) for each in found.work_arrangement_keywords),
        ]
        if present:
            await remove_criterion(self.db, *present[number % len(present)])

    async def _postings(self) -> dict[int, dict[str, Any]]:
        return await keyed(self.db, job_postings, "id")

    async def evaluable(self) -> dict[int, tuple[Any, ...]]:
        """What is stored of those postings that evaluation is responsible for."""
        found = await judgements(self.db)
        postings = await self._postings()
        of_concern = {
            posting_id
            for posting_id, row in postings.items()
            if row["posting_status"] == "OPEN" and not row["access_restricted"]
        }
        assert of_concern <= found.keys(), "a posting was left without a result"
        return {posting_id: found[posting_id] for posting_id in of_concern}


@settings(max_examples=40, deadline=timedelta(seconds=20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(step, min_size=3, max_size=25))
async def test_after_any_history_the_loop_has_led_to_the_results_of_a_full_re_evaluation(
    db: Database, clock: ManualClock, steps: list[Step]
) -> None:
    for table in EVERYTHING:
        await write(db, delete(table))
    history = History(db, clock)
    for each in [*steps, ("passed", 60), ("looked",)]:
        await history.take(each)
    incremental = await history.evaluable()
    assert (await evaluate_pending(db)).evaluated_count == 0, "the loop left something to the sweep"
    for table in RESULTS:
        await write(db, delete(table))
    assert (await evaluate_pending(db)).evaluated_count == len(incremental)
    assert await history.evaluable() == incremental
