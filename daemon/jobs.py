"""What each job of the KST timetable does (DESIGN 1.8): the place where the contexts meet the clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from functools import partial

from daemon.collection.actions.legacy import collect_legacy
from daemon.collection.actions.prepare import prepare_day
from daemon.collection.actions.recover import delete_orphaned_seen
from daemon.collection.actions.snapshot import settle_snapshot
from daemon.collection.engine import Engine
from daemon.flags.model import FlagKey
from daemon.matching.actions.evaluation import evaluate_pending
from daemon.messages import text
from daemon.notification.actions.day import dispatch_notifications
from daemon.posting.actions import close_passed_deadlines, deduplicate
from daemon.schedule.loop import Job
from daemon.schedule.model import JobName, JobNotReady
from daemon.sources.model import SourceType


def timetable_jobs(engine: Engine) -> Mapping[JobName, Job]:
    """The day's jobs, each returning one line on what it did, in the language of the settings."""
    said, stopping = partial(_said, engine), engine.stopping

    async def prepare(run_date: date) -> str:
        made = await prepare_day(engine, run_date)
        if made is None:
            return said("prepare_off", flag=FlagKey.COLLECTION_DISPATCH_V2)
        # The recovery tick prepares as well, and may have come first.
        return said("prepared", count=made) if made else said("prepared_before")

    async def sweep(_run_date: date) -> str:
        closed = await close_passed_deadlines(engine.db)
        return said("sweep_off", flag=FlagKey.AUTO_CLOSE) if closed is None else said("swept", count=closed)

    async def dedup(_run_date: date) -> str:
        done = await deduplicate(engine.db)
        key = "dedup" if done.enabled else "dedup_off"
        flag = FlagKey.CROSS_SOURCE_DEDUP
        return said(key, flag=flag, keys=done.keys, changed=done.changed, left=done.left, adopted=done.adopted)

    async def evaluate(_run_date: date) -> str:
        done = await evaluate_pending(engine.db, engine.foreground.until(stopping))
        if stopping.is_set():
            raise JobNotReady("stopped before every posting was evaluated")
        return said("evaluated", evaluated=done.evaluated_count, skipped=done.skipped_count)

    async def snapshot(run_date: date) -> str:
        status = await settle_snapshot(engine, run_date)
        if status is None:
            raise JobNotReady("it is not yet 09:00 by the database's time", timedelta(seconds=1))
        return said("snapshot", reason=text(engine.settings.language, f"sla.{status}"))

    async def notify(run_date: date) -> str:
        # What is told at 09:00 comes after what is recorded of 09:00 (DESIGN 1.7).
        if await settle_snapshot(engine, run_date) is None:
            raise JobNotReady("the day's snapshot is not settled", timedelta(seconds=1))
        return await dispatch_notifications(engine.db, engine.settings, run_date, stopping)

    async def cleanup(_run_date: date) -> str:
        return said("cleaned", count=await delete_orphaned_seen(engine))

    return {
        JobName.PREPARE: prepare,
        JobName.LEGACY_COMPANY_BOUND: _legacy(engine, SourceType.COMPANY_BOUND),
        JobName.LEGACY_AGGREGATORS: _legacy(engine, SourceType.AGGREGATOR),
        JobName.DEADLINE_SWEEP: sweep,
        JobName.DEDUP: dedup,
        JobName.EVALUATION: evaluate,
        JobName.SLA: snapshot,
        JobName.NOTIFICATION: notify,
        JobName.SEEN_CLEANUP: cleanup,
    }


def _legacy(engine: Engine, source_type: SourceType) -> Job:
    async def collect(run_date: date) -> str:
        ended = await collect_legacy(engine, run_date, source_type)
        if engine.stopping.is_set():
            raise JobNotReady("stopped before every source was collected")
        return _said(engine, "legacy_unused") if ended is None else _said(engine, "collected", count=len(ended))

    return collect


def _said(engine: Engine, key: str, **values: object) -> str:
    return text(engine.settings.language, f"job.{key}", **values)
