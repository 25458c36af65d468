"""The engine's two loops: one keeps slices going, one recovers what others left (DESIGN 2)."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from uuid import uuid4

import aiojobs
import structlog

from daemon.clock import SystemClock, business_date, wait_for, wait_for_any
from daemon.collection.actions.claim import Assignment, claim_ready_cycles, look
from daemon.collection.actions.prepare import enqueue_day, prepare_day
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.actions.snapshot import settle_due_snapshots
from daemon.collection.actions.work_slice import work_slice
from daemon.collection.engine import Engine
from daemon.collection.rules.snapshot import scheduled_at
from daemon.db import Tx, is_lost, reading
from daemon.sources.registry import adapter_of

log = structlog.get_logger(__name__)

IDLE_POLL = timedelta(seconds=5)
"""Longest sleep between two looks at the ready queue; a wake-up event only makes it shorter."""

TOGETHER = timedelta(seconds=0.005)
"""Real time given to slices that end at about the same time, so that one claim follows them all."""

_LOCKED = timedelta(seconds=0.2)
"""Sleep after a claim that found nothing though a cycle is ready: another instance has it locked for a moment."""


async def run_slices(engine: Engine, only: frozenset[int] | None = None) -> None:
    """Keep up to `WORKERS` slices going until `engine.stopping` is set, then let those in hand finish their page.

    Slices that are not done when the stop budget is spent are cancelled: their leases expire.
    """
    engine = engine.patient()
    scheduler = aiojobs.Scheduler(limit=None, close_timeout=5.0, exception_handler=_log_lost)
    try:
        while not engine.stopping.is_set():
            engine.wake.clear()
            pause = IDLE_POLL
            try:
                if _free(engine) > 0:
                    turn = engine.settled()
                    claimed, pause = await _claim(turn, only)
                    for assignment in claimed:
                        engine.progress.in_flight[assignment.claim.cycle_id] = _host(engine, assignment)
                        await scheduler.spawn(_work(turn, assignment))
            except Exception as error:  # the loop must outlive what befalls it; a database that is away has been told
                if not is_lost(error):
                    log.exception("engine.claim_failed")
            engine.progress.advanced_at = SystemClock().ticks()
            await wait_for_any(engine.clock, (engine.stopping, engine.wake), pause)
            if engine.progress.in_flight and engine.wake.is_set():
                await SystemClock().sleep(TOGETHER)
    finally:
        await scheduler.wait_and_close(timeout=engine.settings.stop_seconds)


async def run_recovery(engine: Engine) -> None:
    """The recovery tick: expired leases, due snapshots, and cycles for what was switched on or registered today.

    Also wakes at 09:00 KST by the database's time, so that the snapshot is taken within its grace even when no writer
    comes upon the gate.
    """
    engine = engine.patient()
    while not engine.stopping.is_set():
        engine.progress.recovery_due_at = SystemClock().ticks()
        pause = tick = timedelta(seconds=engine.settings.recovery_seconds)
        try:
            await recover(engine)
            now = await reading(engine.db, _now)
            pause = next_recovery(now, tick) - now
        except Exception as error:  # tried again at the next tick
            if not is_lost(error):
                log.exception("recovery.failed")
        engine.progress.recovery_due_at = SystemClock().ticks() + pause.total_seconds()
        await wait_for(engine.clock, engine.stopping, pause)


async def recover(engine: Engine) -> None:
    """One recovery tick. Safe at any time, on any number of instances."""
    await settle_due_snapshots(engine)
    await recover_expired_leases(engine)
    await prepare_day(engine, await _today(engine))


def next_recovery(now: datetime, tick: timedelta) -> datetime:
    """The next tick, or 09:00:00 KST when that comes first."""
    cutoff = scheduled_at(business_date(now))
    return cutoff if now < cutoff <= now + tick else now + tick


async def _claim(engine: Engine, only: frozenset[int] | None) -> tuple[list[Assignment], timedelta]:
    """What there is to work on, and how long to wait before the next look; an idle look is one that only reads."""
    outlook = await look(engine, _busy(engine), only)
    if outlook.not_queued:
        await enqueue_day(engine, outlook.run_date)
    if outlook.wait is None:
        return [], IDLE_POLL
    if outlook.wait > timedelta(0):
        return [], min(outlook.wait, IDLE_POLL)
    run_date, free, busy = outlook.run_date, _free(engine), _busy(engine)
    claimed = await claim_ready_cycles(engine, run_date, free, busy, lambda: str(uuid4()), only)
    return claimed, timedelta(0) if claimed else _LOCKED


async def _today(engine: Engine) -> date:
    return business_date(await reading(engine.db, _now))


async def _now(tx: Tx) -> datetime:
    return await tx.now()


def _host(engine: Engine, assignment: Assignment) -> str:
    return engine.executor.host_of(adapter_of(assignment.source.platform))


async def _work(engine: Engine, assignment: Assignment) -> None:
    try:
        await work_slice(engine, assignment)
    finally:
        engine.progress.in_flight.pop(assignment.claim.cycle_id, None)
        engine.progress.advanced_at = SystemClock().ticks()
        engine.wake.set()


def _free(engine: Engine) -> int:
    return engine.settings.workers - len(engine.progress.in_flight)


def _busy(engine: Engine) -> Counter[str]:
    return Counter(engine.progress.in_flight.values())


def _log_lost(_scheduler: object, context: dict[str, object]) -> None:
    log.error("slice.lost", **{key: str(value) for key, value in context.items() if key != "job"})
