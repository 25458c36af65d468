"""The person's criteria: numbered changes, soft deletes, one snapshot, and no two alike (seed 001, FR-22 to FR-26)."""

from __future__ import annotations

import asyncio

import pytest

from daemon.clock import ManualClock
from daemon.db import Database, Tx, transaction
from daemon.matching.actions.criteria import (
    add_exclusion_keyword,
    add_keyword_group,
    add_work_arrangement_keyword,
    current_criteria,
    raise_revision,
    remove_criterion,
)
from daemon.matching.model import (
    CriteriaTarget,
    CriterionAdded,
    CriterionExists,
    InvalidCriterion,
    Keyword,
    MatchCriteria,
    UnknownCriterion,
)
from daemon.matching.store.criteria import bump_revision, load_current, lock_criteria
from daemon.matching.tables import (
    job_exclusion_keywords,
    job_keyword_groups,
    job_keyword_synonyms,
    match_criteria_revisions,
)
from tests.databases import open_second
from tests.db.judged import add_criteria
from tests.engines import row, rows


async def test_before_the_first_change_there_is_nothing_of_revision_zero(db: Database) -> None:
    assert await current_criteria(db) == MatchCriteria(criteria_revision=0)


async def test_each_change_counts_the_revision_up_by_one_and_is_noted(db: Database, clock: ManualClock) -> None:
    group = await add_keyword_group(db, "백엔드", ["Back-End", "서버 개발"])
    word = await add_exclusion_keyword(db, "인턴")
    await add_work_arrangement_keyword(db, "재택근무")
    assert (group.criteria_revision, word.criteria_revision) == (1, 2)
    assert await remove_criterion(db, CriteriaTarget.EXCLUSION_KEYWORD, word.id) == 4
    assert await raise_revision(db) == 5
    noted = [
        (each["revision"], each["change_target"], each["change_reason"], each["created_at"])
        for each in await rows(db, match_criteria_revisions, match_criteria_revisions.c.revision)
    ]
    assert noted == [
        (0, "NOTHING", "before the first change", clock.now()),
        (1, "KEYWORD_GROUP", "added 백엔드: Back-End, 서버 개발", clock.now()),
        (2, "EXCLUSION_KEYWORD", "added 인턴", clock.now()),
        (3, "WORK_ARRANGEMENT_KEYWORD", "added 재택근무", clock.now()),
        (4, "EXCLUSION_KEYWORD", "removed 인턴", clock.now()),
        (5, "RE_EVALUATION", "re-evaluation was forced", clock.now()),
    ]


async def test_the_snapshot_has_what_is_in_force_in_the_order_in_which_it_was_added(db: Database) -> None:
    revision = await add_criteria(db)
    second = await add_keyword_group(db, "데이터", ["data", "데이터 엔지니어"])
    found = await current_criteria(db)
    assert found.criteria_revision == revision + 1
    assert [(group.display_name, group.synonyms) for group in found.keyword_groups] == [
        ("백엔드", ("백엔드", "backend")),
        ("데이터", ("data", "데이터 엔지니어")),
    ]
    assert found.keyword_groups[1].id == second.id
    assert [each.keyword for each in found.exclusion_keywords] == ["인턴"]
    assert [each.keyword for each in found.work_arrangement_keywords] == ["재택근무", "remote"]


async def test_words_are_kept_as_written_with_their_normal_form(db: Database) -> None:
    await add_keyword_group(db, "C++", ["C++ 개발", "Ｃ＋＋"])
    stored = [(each["synonym"], each["normalized_value"]) for each in await rows(db, job_keyword_synonyms)]
    assert stored == [("C++ 개발", "c++개발"), ("C++", "c++")]


@pytest.mark.parametrize(
    "target",
    [CriteriaTarget.KEYWORD_GROUP, CriteriaTarget.EXCLUSION_KEYWORD, CriteriaTarget.WORK_ARRANGEMENT_KEYWORD],
)
async def test_what_is_removed_is_out_of_force_but_stays_in_its_table(
    db: Database, clock: ManualClock, target: CriteriaTarget
) -> None:
    await add_criteria(db)
    before = await current_criteria(db)
    removed = {
        CriteriaTarget.KEYWORD_GROUP: before.keyword_groups[0].id,
        CriteriaTarget.EXCLUSION_KEYWORD: before.exclusion_keywords[0].id,
        CriteriaTarget.WORK_ARRANGEMENT_KEYWORD: before.work_arrangement_keywords[0].id,
    }[target]
    await remove_criterion(db, target, removed)
    after = await current_criteria(db)
    assert len(after.keyword_groups) + len(after.exclusion_keywords) + len(after.work_arrangement_keywords) == 3
    if target is CriteriaTarget.KEYWORD_GROUP:
        assert (await row(db, job_keyword_groups))["deleted_at"] == clock.now()
        assert len(await rows(db, job_keyword_synonyms)) == 2
    with pytest.raises(UnknownCriterion):
        await remove_criterion(db, target, removed)
    assert (await current_criteria(db)).criteria_revision == after.criteria_revision


async def test_a_refused_change_raises_no_revision(db: Database) -> None:
    revision = await add_criteria(db)
    with pytest.raises(CriterionExists):
        await add_keyword_group(db, "백-엔드", ["server"])
    with pytest.raises(CriterionExists):
        await add_work_arrangement_keyword(db, "재택 근무")
    with pytest.raises(InvalidCriterion):
        await add_exclusion_keyword(db, "-")
    with pytest.raises(UnknownCriterion):
        await remove_criterion(db, CriteriaTarget.EXCLUSION_KEYWORD, 2**62)
    assert (await current_criteria(db)).criteria_revision == revision
    assert len(await rows(db, match_criteria_revisions)) == revision + 1


async def test_a_removed_keyword_may_come_back_under_a_new_id(db: Database) -> None:
    first = await add_exclusion_keyword(db, "인턴")
    await remove_criterion(db, CriteriaTarget.EXCLUSION_KEYWORD, first.id)
    second = await add_exclusion_keyword(db, "인턴")
    assert second.id != first.id
    assert (await current_criteria(db)).exclusion_keywords == (Keyword(id=second.id, keyword="인턴"),)


async def test_one_synonym_may_stand_in_two_groups(db: Database) -> None:
    await add_keyword_group(db, "백엔드", ["서버"])
    await add_keyword_group(db, "인프라", ["서버"])
    assert [group.synonyms for group in (await current_criteria(db)).keyword_groups] == [("서버",), ("서버",)]


async def test_changes_at_once_get_distinct_revisions_without_a_gap(db: Database) -> None:
    """Each is numbered once, also on two instances (SQLite: one instance, many tasks)."""
    async with open_second(db) as second:
        homes = [db, second if db.shared else db]
        added = await asyncio.gather(
            *(add_exclusion_keyword(homes[number % 2], f"낱말{number}") for number in range(20))
        )
    assert sorted(each.criteria_revision for each in added) == list(range(1, 21))
    assert len((await current_criteria(db)).exclusion_keywords) == 20


async def test_of_the_same_keyword_added_at_once_one_gets_in(db: Database) -> None:
    async with open_second(db) as second:
        homes = [db, second if db.shared else db]
        ended = await asyncio.gather(
            *(add_exclusion_keyword(homes[number % 2], "인턴") for number in range(8)), return_exceptions=True
        )
    assert sum(isinstance(each, CriterionAdded) for each in ended) == 1
    assert sum(isinstance(each, CriterionExists) for each in ended) == 7
    assert len(await rows(db, job_exclusion_keywords)) == 1


async def test_of_one_keyword_removed_at_once_one_removal_counts(db: Database) -> None:
    word = await add_exclusion_keyword(db, "인턴")
    ended = await asyncio.gather(
        *(remove_criterion(db, CriteriaTarget.EXCLUSION_KEYWORD, word.id) for _ in range(5)), return_exceptions=True
    )
    assert sorted(each for each in ended if isinstance(each, int)) == [2]
    assert sum(isinstance(each, UnknownCriterion) for each in ended) == 4


async def test_a_change_that_is_not_committed_is_in_no_snapshot(server_db: Database) -> None:
    """The snapshot is one statement: it has a revision with all that belongs to it, or with nothing of it."""
    added, looked = asyncio.Event(), asyncio.Event()

    async def change(tx: Tx) -> None:
        await lock_criteria(tx, await tx.now())
        await tx.execute(
            job_exclusion_keywords.insert().values(
                keyword="인턴", normalized_value="인턴", created_at=await tx.now(), updated_at=await tx.now()
            )
        )
        await bump_revision(tx, CriteriaTarget.EXCLUSION_KEYWORD, "added", await tx.now())
        assert (await load_current(tx)).criteria_revision == 1
        added.set()
        await looked.wait()

    changing = asyncio.ensure_future(transaction(server_db, change))
    await added.wait()
    assert await current_criteria(server_db) == MatchCriteria(criteria_revision=0)
    looked.set()
    await changing
    found = await current_criteria(server_db)
    assert (found.criteria_revision, len(found.exclusion_keywords)) == (1, 1)
