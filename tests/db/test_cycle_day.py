"""A source's day, from preparation to its end, over a real site on every engine."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from structlog.testing import capture_logs

from daemon.clock import ManualClock, business_date
from daemon.collection.actions.prepare import prepare_day
from daemon.collection.engine import Engine
from daemon.collection.tables import (
    job_posting_collection_cycles,
    job_posting_collection_runs,
    job_posting_collection_seen_postings,
    job_source_health,
)
from daemon.company.store import load_sources
from daemon.db import reading
from daemon.posting.tables import job_postings
from tests.board import Board, Posting
from tests.engines import add_source, collect_day, row, rows

DAY = timedelta(days=1)


async def test_a_complete_list_is_stored_and_ends_in_success(collector: Engine, board: Board) -> None:
    board.fill(25)
    await add_source(collector.db)
    await collect_day(collector)
    cycle = await row(collector.db, job_posting_collection_cycles)
    assert (cycle["cycle_status"], cycle["is_complete"], cycle["close_guarded"]) == ("SUCCESS", 1, 0)
    assert (cycle["list_page_count"], cycle["fetched_count"], cycle["new_count"]) == (3, 25, 25)
    assert cycle["lease_token"] is None
    assert cycle["finished_at"] is not None
    run = await row(collector.db, job_posting_collection_runs)
    assert (run["run_status"], run["fetched_count"]) == ("SUCCESS", 25)
    assert await rows(collector.db, job_posting_collection_seen_postings) == []
    assert board.lists_asked == [0, 1, 2]
    postings = await rows(collector.db, job_postings)
    assert [each["source_job_id"] for each in postings] == [f"R{number:05d}" for number in range(1, 26)]
    assert {each["notification_eligible"] for each in postings} == {0}, "the first cycle is the seeding"
    health = await row(collector.db, job_source_health)
    assert (health["consecutive_abnormal_days"], health["broken_since"]) == (0, None)


async def test_the_next_day_tells_new_changed_and_missed_apart(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    board.fill(12)
    await add_source(collector.db)
    await collect_day(collector)
    clock.advance(DAY)
    board.postings[0].version = 2
    board.postings[0].name = "고친 제목"
    gone = board.postings.pop(5)
    board.postings.append(Posting("R90001"))
    await collect_day(collector)
    cycle = (await rows(collector.db, job_posting_collection_cycles))[1]
    counts = ("fetched_count", "new_count", "changed_count", "missed_count", "closed_count")
    assert [cycle[name] for name in counts] == [12, 1, 1, 1, 0]
    by_id = {each["source_job_id"]: each for each in await rows(collector.db, job_postings)}
    assert by_id["R90001"]["notification_eligible"] == 1
    assert by_id["R00001"]["title"] == "고친 제목"
    assert by_id["R00001"]["changed_at"] is not None
    assert (by_id[gone.number]["posting_status"], by_id[gone.number]["consecutive_miss_count"]) == ("OPEN", 1)
    clock.advance(DAY)
    await collect_day(collector)
    closed = {each["source_job_id"]: each for each in await rows(collector.db, job_postings)}[gone.number]
    assert (closed["posting_status"], closed["closed_reason"]) == ("CLOSED", "NOT_FOUND_TWICE")


async def test_a_day_that_two_prepare_at_once_is_logged_once_and_each_end_names_its_source(
    collector: Engine, board: Board
) -> None:
    """The timetable and the recovery tick both prepare; the journal is read by a person, who knows no source by id."""
    board.fill(1)
    source = await add_source(collector.db)
    run_date = business_date(collector.clock.now())
    with capture_logs() as logs:
        made = await asyncio.gather(*(prepare_day(collector, run_date) for _ in range(4)))
        await collect_day(collector)
    assert made.count(1) == 1
    assert made.count(0) == 3
    assert [entry["cycles"] for entry in logs if entry["event"] == "day.prepared"] == [1]
    (ended,) = [entry for entry in logs if entry["event"] == "cycle.ended"]
    known = {each.id: each.label for each in await reading(collector.db, load_sources)}
    assert (ended["job_source_id"], ended["source"]) == (source, known[source])
