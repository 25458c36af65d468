"""What each job of the KST timetable does (DESIGN 1.8): the place where the contexts meet the clock."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import date, timedelta

from daemon.collection.actions.legacy import collect_legacy
from daemon.collection.actions.prepare import prepare_day
from daemon.collection.actions.recover import delete_orphaned_seen
from daemon.collection.actions.snapshot import settle_snapshot
from daemon.collection.engine import Engine
from daemon.matching.actions.evaluation import evaluate_pending
from daemon.notification.actions.day import dispatch_notifications
from daemon.posting.actions import close_passed_deadlines, deduplicate
from daemon.schedule.loop import Job
from daemon.schedule.model import JobName, JobNotReady
from daemon.sources.model import SourceType


def timetable_jobs(engine: Engine, stopping: asyncio.Event) -> Mapping[JobName, Job]:
    """The day's jobs, each returning one line on what it did."""

    async def prepare(run_date: date) -> str:
        made = await prepare_day(engine, run_date)
        return "v2 is off" if made is None else f"{made} cycles prepared"

    async def sweep(_run_date: date) -> str:
        closed = await close_passed_deadlines(engine.db)
        return "auto-close is off" if closed is None else f"{closed} postings closed"

    async def dedup(_run_date: date) -> str:
        done = await deduplicate(engine.db)
        looked_at = f"{done.keys} keys looked at" if done.enabled else "dedup is off"
        return f"{looked_at}, {done.changed} postings changed, {done.left} left, {done.adopted} adopted"

    async def evaluate(_run_date: date) -> str:
        done = await evaluate_pending(engine.db, stopping.is_set)
        if stopping.is_set():
            raise JobNotReady("stopped before every posting was evaluated")
        return f"{done.evaluated_count} postings evaluated, {done.skipped_count} up to date"

    async def snapshot(run_date: date) -> str:
        status = await settle_snapshot(engine, run_date)
        if status is None:
            raise JobNotReady("it is not yet 09:00 by the database's time", timedelta(seconds=1))
        return status.value

    async def notify(run_date: date) -> str:
        # What is told at 09:00 comes after what is recorded of 09:00 (DESIGN 1.7).
        if await settle_snapshot(engine, run_date) is None:
            raise JobNotReady("the day's snapshot is not settled", timedelta(seconds=1))
        return await dispatch_notifications(engine.db, engine.settings, run_date, stopping)

    async def cleanup(_run_date: date) -> str:
        return f"{await delete_orphaned_seen(engine)} orphaned seen rows deleted"

    def legacy(source_type: SourceType) -> Job:
        async def collect(run_date: date) -> str:
            ended = await collect_legacy(engine, run_date, source_type, stopping.is_set)
            if stopping.is_set():
                raise JobNotReady("stopped before every source was collected")
            return "not collected the legacy way" if ended is None else f"{len(ended)} sources collected"

        return collect

    return {
        JobName.PREPARE: prepare,
        JobName.LEGACY_COMPANY_BOUND: legacy(SourceType.COMPANY_BOUND),
        JobName.LEGACY_AGGREGATORS: legacy(SourceType.AGGREGATOR),
        JobName.DEADLINE_SWEEP: sweep,
        JobName.DEDUP: dedup,
        JobName.EVALUATION: evaluate,
        JobName.SLA: snapshot,
        JobName.NOTIFICATION: notify,
        JobName.SEEN_CLEANUP: cleanup,
    }
