"""Forgetting a source that was registered by mistake: all of it goes, or nothing does."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import Table

from daemon.clock import ManualClock, kst
from daemon.collection.actions.remove_source import remove_source
from daemon.collection.model import CycleStatus, Kept, SourceKept
from daemon.collection.tables import (
    job_posting_collection_cycles,
    job_posting_collection_runs,
    job_posting_collection_seen_postings,
    job_source_health,
)
from daemon.company.model import UnknownSource
from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.sources.model import Platform
from tests.db.collected import add, add_cycle, add_header, add_item, add_seen
from tests.engines import add_source, rows
from tests.postings import add_company, add_posting

DAY = date(2026, 12, 1)
YESTERDAY = date(2026, 11, 30)
TABLES: tuple[Table, ...] = (
    job_sources,
    job_posting_collection_cycles,
    job_posting_collection_runs,
    job_posting_collection_seen_postings,
    job_source_health,
)


async def test_what_never_brought_anything_goes_with_all_that_there_is_of_it(db: Database, clock: ManualClock) -> None:
    wrong = await add_source(db, Platform.GREENHOUSE, "daangm")
    other = await add_source(db, Platform.GREENHOUSE, "daangn")
    for source in (wrong, other):
        await add_cycle(db, source, YESTERDAY, CycleStatus.FAILED, failure_reason="NOT_FOUND")
        cycle = await add_cycle(db, source, DAY, CycleStatus.PENDING)
        await add_seen(db, cycle, 2, clock.now())
        stamps = {"created_at": clock.now(), "updated_at": clock.now()}
        await add(db, job_source_health, {"job_source_id": source, "consecutive_abnormal_days": 1, **stamps})
    await add_header(db, DAY, "PENDING")
    before = {table: len(await rows(db, table)) for table in TABLES}
    removed = await remove_source(db, wrong)
    assert (removed.id, removed.source_slug) == (wrong, "daangm")
    assert {table: 2 * len(await rows(db, table)) for table in TABLES} == before
    assert [row["id"] for row in await rows(db, job_sources)] == [other]
    with pytest.raises(UnknownSource):
        await remove_source(db, wrong)


async def test_a_source_of_another_is_not_removed(db: Database) -> None:
    board = await add_source(db, Platform.GREENHOUSE, "daangn")
    search = await add_source(db, Platform.SARAMIN, category="84")
    owners: tuple[tuple[int, int | None], ...] = ((board, None), (board, 999), (search, 1))
    for source, owner in owners:
        with pytest.raises(UnknownSource):
            await remove_source(db, source, owner)
    assert len(await rows(db, job_sources)) == 2


@pytest.mark.parametrize("status", [CycleStatus.SUCCESS, CycleStatus.BUDGET_EXHAUSTED])
async def test_what_was_collected_once_is_kept(db: Database, status: CycleStatus) -> None:
    source = await add_source(db)
    await add_cycle(db, source, YESTERDAY, status)
    assert await _why_kept(db, source) is Kept.COLLECTED


async def test_what_has_a_posting_is_kept_even_if_no_day_of_it_ended(db: Database) -> None:
    source = await add_source(db, category="84", platform=Platform.SARAMIN)
    await add_posting(db, await add_company(db, "토스"), source)
    assert await _why_kept(db, source) is Kept.COLLECTED


async def test_what_a_snapshot_tells_of_is_kept(db: Database) -> None:
    source = await add_source(db)
    await add_cycle(db, source, YESTERDAY, CycleStatus.FAILED)
    await add_item(db, await add_header(db, YESTERDAY, "CAPTURED"), source, CycleStatus.FAILED, 0)
    assert await _why_kept(db, source) is Kept.RECORDED


async def test_what_was_told_to_be_broken_is_kept(db: Database, clock: ManualClock) -> None:
    source = await add_source(db)
    stamps = {"created_at": clock.now(), "updated_at": clock.now()}
    await add(db, job_source_health, {"job_source_id": source, "failure_episode": 1, **stamps})
    assert await _why_kept(db, source) is Kept.RECORDED


async def test_what_is_being_collected_or_about_to_be_recorded_is_kept_for_the_moment(
    db: Database, clock: ManualClock
) -> None:
    source = await add_source(db)
    idle = await add_source(db, slug="other")
    await add_cycle(db, source, DAY, CycleStatus.RUNNING)
    await add_header(db, DAY, "PENDING")
    assert await _why_kept(db, source) is Kept.AT_WORK
    clock.set(kst(DAY, 9))
    assert await _why_kept(db, idle) is Kept.AT_WORK


async def _why_kept(db: Database, source: int) -> Kept:
    """Why the source is not removed; all that there is of it stands as before."""
    before = [await rows(db, table) for table in TABLES]
    with pytest.raises(SourceKept) as kept:
        await remove_source(db, source)
    assert kept.value.source.id == source
    assert [await rows(db, table) for table in TABLES] == before
    return kept.value.kept
