"""Three days of the replica's whole story, lived through by real daemons: all is as the world's own truth says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import select

from daemon.clock import kst
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.demo.processes import PATIENCE, PERMIT_MARGIN_SECONDS
from daemon.demo.sources import demo_sources
from daemon.demo.world import World
from daemon.demo.world.truth import DayCounts, ledger
from daemon.posting.tables import job_postings
from daemon.schedule.model import JobName
from daemon.schedule.tables import scheduled_job_executions as executions
from daemon.sources.registry import adapter_of
from tests.acceptance.daemons import Daemons
from tests.acceptance.stage import Theatre, theatre_on, write_postings
from tests.databases import execute

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(1200)]

_DAYS = 3
_TIMETABLE = {
    JobName.PREPARE,
    JobName.LEGACY_COMPANY_BOUND,
    JobName.LEGACY_AGGREGATORS,
    JobName.DEADLINE_SWEEP,
    JobName.SLA,
    JobName.SEEN_CLEANUP,
}
"""Jobs that a day must have run, each once."""


async def test_three_days_of_the_story_give_each_source_the_counts_of_the_worlds_truth(
    engine: str, blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "3 simulated days, per source and day: status, pages, fetched, new, changed, missed, closed; the 09:00
    snapshot of each day; no two requests to a host closer than its delay", with one daemon on SQLite, two on servers.
    """
    world = World(days=_DAYS)
    names = ("first",) if engine == "sqlite" else ("first", "second")
    async with theatre_on(tmp_path, blank_url, kst(world.first_day, 0), world, demo_sources()) as theatre:
        truths = {key: ledger(world, source.platform, source.board) for key, source in theatre.sources.items()}
        # Simulated time runs at ten times the speed here, and so does lateness: limits on time are not the story's, and
        # requests keep twice the distance of the demo's.
        told = {"request_delay_seconds": 1, "permit_margin_seconds": 2 * PERMIT_MARGIN_SECONDS}
        running = [
            await daemons.start(name, {**theatre.stage.told(user_agent=name, **told), **PATIENCE}) for name in names
        ]
        timeline = theatre.timeline(*running)
        for number in range(1, _DAYS + 1):
            day = world.day_number(number)
            await write_postings(world, day, theatre.sources.values())
            await timeline.live_through(day)
            await _check_day(theatre, {key: found[number - 1] for key, found in truths.items()}, day)
            assert {request.user_agent for request in theatre.log.of(day=day)} == set(names)
        for daemon in running:
            assert await daemon.stop() == 0
        assert theatre.log.repeated_list_pages() == {}
        assert theatre.log.repeated_details() == {}
        for platform in {source.platform for source in theatre.sources.values()}:
            gap = theatre.log.closest_gap(platform)
            assert gap is None or gap >= adapter_of(platform).capabilities.compliance.request_delay.total_seconds()


async def _check_day(theatre: Theatre, truths: Mapping[int, DayCounts], day: date) -> None:
    db = theatre.stage.db
    cycles = await theatre.stage.cycles_of(day)
    assert set(cycles) == set(truths)
    for key, row in cycles.items():
        truth = truths[key].truth
        reason = row["failure_reason"] or row["budget_exhausted_reason"] or ""
        assert (row["cycle_status"], reason) == (truth.end, truth.reason), (theatre.sources[key], day)
        told = {name: row[f"{name}_count"] for name in ("fetched", "new", "changed", "missed", "closed")}
        assert told == {
            "fetched": len(truth.seen_ids),
            "new": truths[key].new,
            "changed": truths[key].changed,
            "missed": truths[key].missed,
            "closed": truths[key].closed,
        }, (theatre.sources[key], day)
    await _check_postings(theatre, truths)
    (header,) = await execute(db, select(headers).where(headers.c.snapshot_date == day))
    assert (header.capture_status, header.scheduled_at) == ("CAPTURED", kst(day, 9))
    captured = await execute(db, select(items).where(items.c.job_posting_collection_sla_snapshot_id == header.id))
    assert {item.job_source_id: item.captured_cycle_status for item in captured} == {
        key: row["cycle_status"] for key, row in cycles.items()
    }
    ran = await execute(db, select(executions).where(executions.c.run_date == day))
    assert {job.job_name for job in ran} >= _TIMETABLE
    assert {(job.job_status, job.attempt_count) for job in ran} == {("SUCCESS", 1)}


async def _check_postings(theatre: Theatre, truths: Mapping[int, DayCounts]) -> None:
    """Titles and deadlines of what was seen, and how many postings of each source are open."""
    open_of = dict.fromkeys(truths, 0)
    for posting in await execute(theatre.stage.db, select(job_postings)):
        open_of[posting.job_source_id] += posting.posting_status == "OPEN"
    assert open_of == {key: truth.open_after for key, truth in truths.items()}
    stored = {
        (posting.job_source_id, posting.source_job_id): posting
        for posting in await execute(theatre.stage.db, select(job_postings))
    }
    for key, counts in truths.items():
        for one in counts.truth.postings:
            posting = stored[key, one.source_job_id]
            assert (posting.title, posting.deadline_at) == (one.title, one.deadline_at)
