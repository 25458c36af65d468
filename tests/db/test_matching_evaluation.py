"""Evaluation of stored postings: one path for the event, the 08:50 job and the person (seed 001, matching)."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from daemon.clock import ManualClock
from daemon.collection.engine import Engine
from daemon.db import Database, reading, transaction
from daemon.foreground import GoOn
from daemon.matching.actions.criteria import add_exclusion_keyword, add_keyword_group, remove_criterion
from daemon.matching.actions.evaluation import evaluate_pending, evaluate_touched, re_evaluate
from daemon.matching.actions.preview import KnownTitles, preview_criteria
from daemon.matching.model import (
    Basis,
    Confidence,
    CriteriaTarget,
    Evaluated,
    Evaluation,
    EvidenceStage,
    Keyword,
    MatchedGroup,
    TitleMatch,
    WorkArrangementEvidence,
)
from daemon.matching.rules.evaluation import is_outdated
from daemon.matching.store.results import is_judged, save_evaluations
from daemon.matching.tables import (
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
)
from daemon.posting.model import DetailState
from daemon.posting.store.evaluable import count_judged, load_evaluable, load_titles, load_touched
from daemon.posting.tables import job_postings
from tests.board import Board, Posting
from tests.databases import open_second, statements
from tests.db.judged import BODY, add_criteria, judgements, posting, record, results
from tests.engines import DAY, add_source, collect_day, row, rows, write
from tests.postings import add_company, add_posting


async def judged(db: Database) -> list[int]:
    return sorted(await results(db))


async def test_a_stop_between_two_steps_leaves_the_batch_to_the_next_run(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.matching.actions.evaluation._STEP", 2)
    monkeypatch.setattr("daemon.matching.actions.evaluation._BATCH", 4)
    await record(db, *(posting(str(number)) for number in range(7)))
    asked = 0

    def for_so_long(steps: int) -> GoOn:
        async def go_on() -> bool:
            nonlocal asked
            asked += 1
            return asked <= steps

        return go_on

    # Page; batch, two steps; batch, two steps; page.
    for steps, evaluated in ((0, 0), (1, 0), (3, 0), (4, 4), (99, 3)):
        asked = 0
        assert (await evaluate_pending(db, for_so_long(steps))).evaluated_count == evaluated, steps
    assert len(await judged(db)) == 7


# --- what is stored --------------------------------------------------------------------------------------------------


async def test_an_evaluation_stores_match_groups_and_evidence(db: Database, clock: ManualClock) -> None:
    revision = await add_criteria(db)
    (posting_id,) = await record(db, posting("1", "Backend 인턴", tags=["Remote"]))
    clock.advance(DAY)
    assert await evaluate_pending(db) == Evaluated(evaluated_count=1, skipped_count=0, criteria_revision=revision)
    result = await row(db, job_posting_match_results)
    told = {
        "job_posting_id": posting_id,
        "criteria_revision": revision,
        "matched": 1,
        "notifiable": 0,
        "top_confidence": "CONFIRMED",
        "work_arrangement_sort_rank": 1,
        "posting_version": 0,
        **dict.fromkeys(("evaluated_at", "created_at", "updated_at"), clock.now()),
    }
    assert {name: value for name, value in result.items() if name != "id"} == told
    group = await row(db, job_posting_matched_keyword_groups)
    assert (group["job_posting_match_result_id"], group["matched_synonym"]) == (result["id"], "backend")
    evidence = [
        (each["job_posting_id"], each["evidence_stage"], each["confidence"], each["snippet"])
        for each in await rows(db, job_posting_work_arrangements)
    ]
    assert evidence == [
        (posting_id, "STRUCTURED_FIELD", "CONFIRMED", "Remote"),
        (posting_id, "DESCRIPTION_BODY", "LIKELY", BODY),
    ]


async def test_a_posting_without_a_text_is_evaluated_as_unknown(db: Database) -> None:
    """Seed 001, failure path 18: its page could not be read; nothing raises, and it still matches by its title."""
    await add_criteria(db)
    await record(db, posting("1", body=None), detail=DetailState.FAILED)
    await evaluate_pending(db)
    result = await row(db, job_posting_match_results)
    assert (result["matched"], result["top_confidence"], result["work_arrangement_sort_rank"]) == (1, "UNKNOWN", 99)
    assert await rows(db, job_posting_work_arrangements) == []


async def test_a_text_that_denies_remote_work_is_no_evidence(db: Database) -> None:
    """Seed 001, failure path 10."""
    await add_criteria(db)
    await record(db, posting("1", body="본 포지션은 재택근무 불가입니다"))
    await evaluate_pending(db)
    assert (await row(db, job_posting_match_results))["top_confidence"] == "UNKNOWN"
    assert await rows(db, job_posting_work_arrangements) == []


async def test_an_edit_rewrites_all_that_was_derived(db: Database, clock: ManualClock) -> None:
    await add_criteria(db)
    (posting_id,) = await record(db, posting("1", tags=["Remote"]))
    await evaluate_pending(db)
    before = await row(db, job_posting_match_results)
    clock.advance(DAY)
    await record(db, posting("1", "마케터", body="전면 출근, 재택근무 종료", version="2"))
    assert (await evaluate_pending(db)).evaluated_count == 1
    after = await row(db, job_posting_match_results)
    assert (after["id"], after["created_at"], after["evaluated_at"]) == (
        before["id"],
        before["created_at"],
        clock.now(),
    )
    assert (await judgements(db))[posting_id][1:] == (1, 0, 0, "UNKNOWN", 99, [], [])
    assert await rows(db, job_posting_matched_keyword_groups) == []


async def test_a_text_that_is_read_later_is_judged_then(db: Database, clock: ManualClock) -> None:
    """The budget did not allow its page on the first day; that title and signature are the same changes nothing."""
    await add_criteria(db)
    await record(db, posting("1", body=None), detail=DetailState.SKIPPED)
    await evaluate_pending(db)
    clock.advance(DAY)
    await record(db, posting("1"), detail=DetailState.READ)
    assert (await evaluate_pending(db)).evaluated_count == 1
    assert (await row(db, job_posting_match_results))["top_confidence"] == "LIKELY"


async def test_only_open_collected_readable_postings_are_judged(db: Database) -> None:
    """Seed 001, findAllEvaluable."""
    await add_criteria(db)
    company = await add_company(db, "회사")
    good, _walled = await record(db, posting("1"), posting("2", restricted=True))
    await add_posting(db, company, 1, posting_status="CLOSED")
    await add_posting(db, company, None)
    assert (await evaluate_pending(db)).evaluated_count == 1
    assert await judged(db) == [good]


# --- again and again -------------------------------------------------------------------------------------------------


async def test_evaluating_again_changes_nothing_and_writes_nothing(db: Database, clock: ManualClock) -> None:
    revision = await add_criteria(db)
    await record(db, *(posting(str(number)) for number in range(5)))
    await evaluate_pending(db)
    before = [await rows(db, table) for table in (job_posting_match_results, job_posting_work_arrangements)]
    clock.advance(DAY)
    with statements(db) as written:
        again = await evaluate_pending(db)
    assert again == Evaluated(evaluated_count=0, skipped_count=5, criteria_revision=revision)
    assert written == []
    assert before == [await rows(db, table) for table in (job_posting_match_results, job_posting_work_arrangements)]


async def test_a_person_re_evaluates_without_any_site_being_asked(collector: Engine, board: Board) -> None:
    """Seed 001, failure path 17 and FR-25: what is stored is enough, and requests are not repeated."""
    board.fill(3)
    board.postings[0] = Posting("R00001", "백엔드 개발자")
    await add_source(collector.db)
    await collect_day(collector)
    asked = board.requests
    await evaluate_pending(collector.db)
    await add_keyword_group(collector.db, "백엔드", ["백엔드"])
    done = await re_evaluate(collector.db)
    assert (done.evaluated_count, done.skipped_count, done.criteria_revision) == (3, 0, 1)
    assert board.requests == asked
    assert (await re_evaluate(collector.db)).skipped_count == 3


async def test_force_raises_the_revision_and_judges_what_is_up_to_date(db: Database) -> None:
    """Seed 001, 멱등한 재실행: a forced re-evaluation is a new revision."""
    revision = await add_criteria(db)
    await record(db, posting("1"), posting("2"))
    await re_evaluate(db)
    before = await judgements(db)
    done = await re_evaluate(db, force=True)
    assert done == Evaluated(evaluated_count=2, skipped_count=0, criteria_revision=revision + 1)
    after = await judgements(db)
    assert {key: told[1:] for key, told in after.items()} == {key: told[1:] for key, told in before.items()}
    assert {told[0] for told in after.values()} == {revision + 1}


async def test_removed_criteria_leave_no_trace_in_results(db: Database) -> None:
    await add_criteria(db)
    await record(db, posting("1"))
    await evaluate_pending(db)
    group = (await row(db, job_posting_matched_keyword_groups))["job_keyword_group_id"]
    await remove_criterion(db, CriteriaTarget.KEYWORD_GROUP, group)
    await evaluate_pending(db)
    assert (await row(db, job_posting_match_results))["matched"] == 0
    assert await rows(db, job_posting_matched_keyword_groups) == []


async def test_a_batch_takes_the_same_number_of_statements_however_long_it_is(db: Database) -> None:
    await add_criteria(db)

    async def written(first: int, count: int) -> int:
        await record(db, *(posting(str(number)) for number in range(first, first + count)))
        with statements(db) as seen:
            await evaluate_pending(db)
        return len(seen)

    assert await written(0, 2) == await written(100, 150)


# --- writers that meet -----------------------------------------------------------------------------------------------


def evaluation(posting_id: int, revision: int, version: int, synonym: str = "a") -> Evaluation:
    keyword = Keyword(id=1, keyword="remote")
    found = WorkArrangementEvidence(
        keyword=keyword, stage=EvidenceStage.DESCRIPTION_BODY, confidence=Confidence.LIKELY, snippet=synonym
    )
    return Evaluation(
        job_posting_id=posting_id,
        basis=Basis(criteria_revision=revision, posting_version=version),
        title=TitleMatch(groups=(MatchedGroup(group_id=1, synonym=synonym),)),
        evidence=(found,),
    )


async def save(db: Database, *evaluations: Evaluation) -> int:
    return await transaction(db, save_evaluations, evaluations, db.clock.now())


@pytest.mark.parametrize(("revision", "version"), [(1, 5), (2, 4), (1, 4), (3, 4), (1, 6)])
async def test_a_result_of_newer_criteria_or_a_newer_posting_is_not_overwritten(
    db: Database, revision: int, version: int
) -> None:
    await save(db, evaluation(1, 2, 5, "newest"))
    assert await save(db, evaluation(1, revision, version, "late")) == 0
    ((*_, groups, evidence),) = (await judgements(db)).values()
    assert (groups, evidence[0][-1]) == ([[1, "newest"]], "newest")


async def test_a_result_of_an_older_program_is_made_anew(db: Database) -> None:
    await save(db, evaluation(1, 2, 0, "old"))
    await write(db, job_posting_match_results.update().values(posting_version=None))
    assert await save(db, evaluation(1, 2, 0, "new")) == 1
    assert (await row(db, job_posting_matched_keyword_groups))["matched_synonym"] == "new"


async def test_instances_that_judge_the_same_postings_at_once_leave_one_whole_result(db: Database) -> None:
    await add_criteria(db)
    ids = await record(db, *(posting(str(number), tags=["Remote"]) for number in range(60)))
    async with open_second(db) as second:
        homes = [db, second if db.shared else db]
        done = await asyncio.gather(*(evaluate_pending(homes[number % 2]) for number in range(6)))
    assert sum(each.evaluated_count for each in done) >= len(ids)
    stored = await judgements(db)
    assert sorted(stored) == sorted(ids)
    assert {len(told[-2]) for told in stored.values()} == {1}
    assert {len(told[-1]) for told in stored.values()} == {2}
    assert (await evaluate_pending(db)).evaluated_count == 0


async def test_the_database_leaves_out_what_the_rule_calls_judged(db: Database) -> None:
    """No result, and one of older, the same and newer criteria and postings; NULL is a version older than all."""
    made: list[tuple[int, int | None]] = [(revision, at) for revision in (1, 2, 3) for at in (None, 0, 1, 2)]
    ids = sorted(await record(db, *(posting(str(number)) for number in range(len(made) + 1))))
    await write(db, job_postings.update().values(version=1))
    for posting_id, (revision, at) in zip(ids, made, strict=False):
        await save(db, evaluation(posting_id, revision, at or 0))
        result = job_posting_match_results.c.job_posting_id == posting_id
        await write(db, job_posting_match_results.update().where(result).values(posting_version=at))
    judged_from = [
        *(Basis(criteria_revision=revision, posting_version=-1 if at is None else at) for revision, at in made),
        None,
    ]
    fresh = Basis(criteria_revision=2, posting_version=1)
    wanted = [key for key, basis in zip(ids, judged_from, strict=True) if is_outdated(basis, fresh)]
    assert 0 < len(wanted) < len(ids)
    judged_by = partial(is_judged, 2)
    assert [each.id for each in await reading(db, load_evaluable, judged_by, None, 100)] == wanted[::-1]
    assert [each.id for each in await reading(db, load_touched, judged_by, db.clock.now(), None, 100)] == wanted
    assert await reading(db, count_judged, judged_by) == len(ids) - len(wanted)


async def test_a_posting_that_is_edited_while_it_is_judged_is_judged_again(db: Database) -> None:
    """Its version is read before its text: a result of what it was is told apart from one of what it is."""
    revision = await add_criteria(db)
    (posting_id,) = await record(db, posting("1", body=None))
    await record(db, posting("1", version="2"))
    await save(db, evaluation(posting_id, revision, 0, "before the edit"))
    assert (await evaluate_pending(db)).evaluated_count == 1
    result = await row(db, job_posting_match_results)
    assert (result["posting_version"], result["top_confidence"]) == (1, "LIKELY")


# --- what was touched, and what would match --------------------------------------------------------------------------


async def test_of_what_was_touched_everything_is_judged_and_nothing_else(db: Database, clock: ManualClock) -> None:
    await add_criteria(db)
    old = await record(db, posting("old"))
    clock.advance(DAY)
    new = await record(db, *(posting(str(number)) for number in range(3)))
    assert await evaluate_touched(db, clock.now()) == 3
    assert await judged(db) == sorted(new)
    assert await evaluate_touched(db, clock.now() - DAY) == 1
    assert await judged(db) == sorted([*old, *new])


async def test_touched_postings_are_paged_though_many_have_one_instant(
    db: Database, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> None:
    monkeypatch.setattr("daemon.matching.actions.evaluation._PAGE", 3)
    await record(db, *(posting(f"a{number}") for number in range(7)))
    clock.advance(DAY)
    await record(db, *(posting(f"b{number}") for number in range(4)))
    assert await evaluate_touched(db, clock.now() - DAY) == 11
    assert (await evaluate_pending(db)).skipped_count == 11


async def test_a_preview_counts_stored_postings_and_stores_nothing(db: Database) -> None:
    await add_exclusion_keyword(db, "인턴")
    await record(db, posting("1", "Back-End 개발자"), posting("2", "백엔드 인턴"), posting("3", "마케터"))
    with statements(db) as written:
        found = await preview_criteria(db, KnownTitles(), ["backend", "백엔드"])
        free = await preview_criteria(db, KnownTitles(), ["backend", "백엔드"], [])
        strict = await preview_criteria(db, KnownTitles(), ["backend"], ["개발자"])
    assert (found.posting_count, found.matched_count, found.excluded_count) == (3, 2, 1)
    assert [(one.title, one.excluded_by) for one in found.postings] == [
        ("백엔드 인턴", "인턴"),
        ("Back-End 개발자", None),
    ]
    assert (free.excluded_count, strict.excluded_count) == (0, 1)
    assert [statement for statement in written if not statement.startswith("SELECT")] == []


async def test_titles_come_as_lines_newest_first_however_long_they_are(db: Database) -> None:
    titles = ["가" * 500, "두\n줄", "", "백엔드, 'x' \\ %s", *("개발자 " * 100 + str(number) for number in range(60))]
    await record(db, *(posting(str(number), title) for number, title in enumerate(titles)))
    to_judge = await reading(db, load_evaluable, partial(is_judged, 1), None, 100)
    stored = [(each.id, each.title.replace("\n", " ")) for each in to_judge]
    assert len(stored) == len(titles)
    found: list[tuple[int, str]] = []
    for _ in range(4):
        ids, lines = await reading(db, load_titles, found[-1][0] if found else None, 21)
        found += zip(ids, lines.split("\n"), strict=True)
    assert found == stored
    assert await reading(db, load_titles, found[-1][0], 21) == ([], "")
