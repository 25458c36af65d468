"""The day's budgets: a protection with a name, no sign of trouble (seed 000, `BUDGET_EXHAUSTED`; DESIGN 1.3, 1.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_source_health
from daemon.company.tables import job_sources
from daemon.posting.tables import job_postings
from daemon.sources.model import DetailUse, SourceType
from tests.board import Adapt, Board, Posting
from tests.engines import DAY, add_source, collect_day, newest, row, rows, tuned, write


async def ended(engine: Engine) -> tuple[Any, ...]:
    """Collect the day; status, reason, completeness and pages of its cycle."""
    await collect_day(engine)
    cycle = await newest(engine.db, cycles)
    return cycle["cycle_status"], cycle["budget_exhausted_reason"], cycle["is_complete"], cycle["list_page_count"]


async def given_many(engine: Engine, board: Board, count: int = 100) -> None:
    board.fill(count)
    await add_source(engine.db)


async def test_the_days_pages_end_the_cycle_by_name(collector: Engine, board: Board) -> None:
    """Seed 000: 일일 50-page 상한 검증."""
    await given_many(collector, board)
    assert await ended(tuned(collector, daily_pages=7)) == ("BUDGET_EXHAUSTED", "LIST_PAGE_LIMIT", 0, 7)
    assert board.lists_asked == list(range(7))
    assert (await row(collector.db, cycles))["attempt_count"] == 2, "the limit is the day's, not the slice's"


async def test_the_days_postings_end_the_cycle_by_name(collector: Engine, board: Board) -> None:
    await given_many(collector, board)
    assert await ended(tuned(collector, daily_postings=65)) == ("BUDGET_EXHAUSTED", "POSTING_LIMIT", 0, 7)
    assert len(await rows(collector.db, job_postings)) == 70, "a page that was read is kept whole"


async def test_a_list_that_ends_with_the_last_page_of_the_budget_is_complete(collector: Engine, board: Board) -> None:
    await given_many(collector, board, 70)
    assert await ended(tuned(collector, daily_pages=7, daily_postings=70)) == ("SUCCESS", None, 1, 7)


async def test_a_policy_of_one_page_exhausts_the_budget_when_more_is_declared(
    collector: Engine, board: Board, adapt: Adapt
) -> None:
    """DESIGN 1.11, JobKorea: one list page by policy."""
    adapt(list_page_limit=1)
    await given_many(collector, board, 11)
    assert await ended(collector) == ("BUDGET_EXHAUSTED", "LIST_PAGE_LIMIT", 0, 1)


async def test_a_policy_of_one_page_is_a_success_when_it_held_the_declared_total(
    collector: Engine, board: Board, adapt: Adapt
) -> None:
    adapt(list_page_limit=1, edit_list=lambda listed, cursor: replace(listed, next_cursor="1"))
    await given_many(collector, board, 10)
    assert await ended(collector) == ("SUCCESS", None, 1, 1)
    assert (await row(collector.db, cycles))["close_guarded"] == 0


# --- BUDGET_EXHAUSTED says nothing against the source and nothing about what it did not show --------------------------


async def test_an_exhausted_budget_makes_no_run_no_miss_and_no_abnormal_day(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 000, Testing Plan: `BUDGET_EXHAUSTED`, … 가 final delta/false-close를 일으키지 않고 health 규칙이 일치."""
    await given_many(collector, board, 30)
    await collect_day(collector)
    (health,) = await rows(collector.db, job_source_health)
    (run,) = await rows(collector.db, runs)
    del board.postings[:5]
    for _ in range(4):
        clock.advance(DAY)
        assert (await ended(tuned(collector, daily_pages=2)))[0] == "BUDGET_EXHAUSTED"
    assert [each["consecutive_miss_count"] for each in await rows(collector.db, job_postings)] == [0] * 30
    assert await rows(collector.db, job_source_health) == [health]
    assert await rows(collector.db, runs) == [run], "BUDGET_EXHAUSTED: projection하지 않음"
    assert await rows(collector.db, seen) == []
    cycle = await newest(collector.db, cycles)
    assert (cycle["finished_at"], cycle["failure_reason"]) == (clock.now(), None)


async def test_an_exhausted_budget_does_not_heal_a_source_either(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await add_source(collector.db)
    for _ in range(3):
        await collect_day(collector)
        clock.advance(DAY)
    board.fill(30)
    assert (await ended(tuned(collector, daily_pages=2)))[0] == "BUDGET_EXHAUSTED"
    health = await row(collector.db, job_source_health)
    assert (health["consecutive_abnormal_days"], health["failure_episode"]) == (3, 1)


async def test_an_exhausted_budget_is_final_for_the_day(collector: Engine, board: Board) -> None:
    await given_many(collector, board)
    few = tuned(collector, daily_pages=2)
    await ended(few)
    await collect_day(few)
    assert board.lists_asked == [0, 1]


async def test_seeding_ends_with_an_exhausted_budget(collector: Engine, board: Board, clock: ManualClock) -> None:
    """DESIGN 1.4: with a source's first cycle that is SUCCESS or BUDGET_EXHAUSTED."""
    await given_many(collector, board, 20)
    few = tuned(collector, daily_pages=1)
    await ended(few)
    assert (await row(collector.db, job_sources))["seeded_at"] == clock.now()
    clock.advance(DAY)
    board.postings.insert(0, Posting("R90001"))
    await ended(few)
    eligible = {
        each["source_job_id"] for each in await rows(collector.db, job_postings) if each["notification_eligible"]
    }
    assert eligible == {"R90001"}


# --- a posting that only its own page explains ------------------------------------------------------------------------


@pytest.fixture
def _company_in_detail(adapt: Adapt) -> None:
    adapt(
        detail_use=DetailUse.SIGNATURE,
        company_in_detail="어느 회사",
        company_identifier_in_detail_only=True,
        source_type=SourceType.AGGREGATOR,
    )


@pytest.mark.usefixtures("_company_in_detail")
async def test_a_new_posting_without_a_company_ends_the_cycle_once_no_detail_is_left(
    collector: Engine, board: Board
) -> None:
    """DESIGN 1.4: where the detail is needed to know the posting at all → BUDGET_EXHAUSTED (DETAIL_LIMIT)."""
    await given_many(collector, board, 25)
    await nobodys(collector)
    assert await ended(tuned(collector, daily_details=14)) == ("BUDGET_EXHAUSTED", "DETAIL_LIMIT", 0, 2)
    assert len(await rows(collector.db, job_postings)) == 14


@pytest.mark.usefixtures("_company_in_detail")
async def test_postings_whose_company_is_known_already_do_not_end_it(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await given_many(collector, board, 9)
    await nobodys(collector)
    assert (await ended(collector))[0] == "SUCCESS"
    clock.advance(DAY)
    assert await ended(tuned(collector, daily_details=2)) == ("SUCCESS", None, 1, 1)


async def nobodys(engine: Engine) -> None:
    """The source belongs to no company, as an aggregator's."""
    await write(engine.db, job_sources.update().values(company_id=None))
