"""`gonggo collect`: today's collection now, with the guards of the daemon, watched until it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from datetime import date, timedelta
from typing import Protocol

from daemon.app import opened_engine, stop_signals
from daemon.clock import business_date, wait_for
from daemon.collection.actions.legacy import collect_legacy
from daemon.collection.actions.prepare import prepare_day
from daemon.collection.engine import Engine
from daemon.collection.loop import recover, run_slices
from daemon.company.model import JobSource, UnknownSource
from daemon.company.store import load_active_targets
from daemon.db import Tx, reading
from daemon.matching.actions.evaluation import evaluate_pending
from daemon.operations.actions import today
from daemon.operations.model import SourceToday
from daemon.settings import Settings
from daemon.sources.model import SourceType

_LOOK = timedelta(seconds=0.2)


class Watcher(Protocol):
    """What is told how far each source has come (`terminal.Progress`)."""

    def begin(self, key: str, label: str, total: int | None = None) -> None:
        """A source's collection begins."""

    def update(self, key: str, done: int, *, total: int | None = None, note: str = "") -> None:
        """Postings seen so far, and how many the site declares."""

    def end(self, key: str, note: str = "") -> None:
        """The source's day is over."""


async def collect(settings: Settings, wanted: Collection[int], watcher: Watcher) -> None:
    """Collect today's share of the sources `wanted` (none given: all) and return when each is over or was stopped.

    What was already collected today is not asked again. Raises UnknownSource for an id that is not an active source,
    KeyboardInterrupt after a stop by signal (slices are released first), and what `opened_engine` raises.
    """
    async with opened_engine(settings) as engine:
        stopping = engine.stopping
        with stop_signals(stopping):
            sources = await _sources(engine, wanted)
            day, _ = await reading(engine.db, _today)
            await recover(engine)
            if await prepare_day(engine, day) is None:
                await _collect_legacy(engine, day, sources, watcher, stopping)
            else:
                await _collect_cycles(engine, sources, watcher, stopping)
            await evaluate_pending(engine.db, stopping.is_set)
    if stopping.is_set():
        raise KeyboardInterrupt


async def _sources(engine: Engine, wanted: Collection[int]) -> dict[int, JobSource]:
    _, active = await reading(engine.db, _today)
    known = {source.id: source for source in active}
    for source_id in wanted:
        if source_id not in known:
            raise UnknownSource(source_id)
    return {key: source for key, source in known.items() if not wanted or key in wanted}


async def _today(tx: Tx) -> tuple[date, tuple[JobSource, ...]]:
    return business_date(await tx.now()), await load_active_targets(tx)


async def _collect_cycles(
    engine: Engine, sources: Mapping[int, JobSource], watcher: Watcher, stopping: asyncio.Event
) -> None:
    done = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(run_slices(engine, done, frozenset(sources)))
        group.create_task(_stop_with(stopping, done))
        await _watch(engine, sources, watcher, stopping)
        done.set()


async def _stop_with(stopping: asyncio.Event, done: asyncio.Event) -> None:
    waiters = [asyncio.ensure_future(event.wait()) for event in (stopping, done)]
    await asyncio.wait(waiters, return_when=asyncio.FIRST_COMPLETED)
    for waiter in waiters:
        waiter.cancel()
    done.set()


async def _watch(engine: Engine, sources: Mapping[int, JobSource], watcher: Watcher, stopping: asyncio.Event) -> None:
    """Tell the watcher of every source until each is over. One without a cycle today (a flag is off) is not awaited."""
    open_keys = set(sources)
    for key, source in sources.items():
        watcher.begin(str(key), source.label)
    while open_keys and not stopping.is_set():
        shown = {one.job_source_id: one for one in (await today(engine.db)).sources}
        for key in tuple(open_keys):
            if _tell(watcher, key, shown.get(key)):
                open_keys.discard(key)
        await recover(engine)
        await wait_for(engine.clock, stopping, _LOOK)


def _tell(watcher: Watcher, key: int, one: SourceToday | None) -> bool:
    if one is None or one.status is None:
        watcher.end(str(key), "-")
        return True
    watcher.update(str(key), one.fetched_count, note=str(one.status))
    over = one.status.value in {"SUCCESS", "FAILED", "BUDGET_EXHAUSTED"}
    if over:
        watcher.end(str(key), f"{one.status} {one.reason or ''}".strip())
    return over


async def _collect_legacy(
    engine: Engine, day: date, sources: Mapping[int, JobSource], watcher: Watcher, stopping: asyncio.Event
) -> None:
    for source_type in SourceType:
        for key, source in sources.items():
            if source.source_type is not source_type or stopping.is_set():
                continue
            watcher.begin(str(key), source.label)
            ended = await collect_legacy(engine, day, source_type, stopping.is_set, {key})
            watcher.end(str(key), str(ended[0][1]) if ended else "-")
