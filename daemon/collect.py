"""`gonggo collect`: today's collection now, with the guards of the daemon, watched until it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Protocol

from daemon.app import opened_engine, stop_signals
from daemon.clock import business_date, wait_for
from daemon.collection.actions.legacy import collect_legacy
from daemon.collection.actions.prepare import prepare_day
from daemon.collection.engine import Engine
from daemon.collection.loop import recover, run_recovery, run_slices
from daemon.collection.model import RunStatus
from daemon.company.model import JobSource, UnknownSource
from daemon.company.store import load_active_targets
from daemon.db import Tx, reading
from daemon.flags.model import FlagKey
from daemon.matching.actions.evaluation import evaluate_pending
from daemon.messages import Language, text
from daemon.operations.actions import today
from daemon.operations.model import SourceToday
from daemon.settings import Settings
from daemon.sources.model import SourceType

_LOOK = timedelta(seconds=0.5)


class Watcher(Protocol):
    """What is told how far each source has come (`terminal.Progress`)."""

    def begin(self, key: str, label: str, total: int | None = None) -> None:
        """A source's collection begins."""

    def update(self, key: str, done: int, *, total: int | None = None, note: str = "") -> None:
        """Postings seen so far, and how many the site declares."""

    def end(self, key: str, note: str = "") -> None:
        """The source's day is over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What became of the sources that were to be collected; each is in one of the three at most."""

    sources: Mapping[int, JobSource]
    collected_before: frozenset[int]
    """Their day was over before: nothing was asked again."""
    switched_off: frozenset[int]
    """Job boards, while `aggregator.collection` is off."""


async def collect(settings: Settings, wanted: Collection[int], watcher: Watcher) -> Asked:
    """Collect today's share of the sources `wanted` (none given: all) and return when each is over or was stopped.

    What was already collected today is not asked again. Raises UnknownSource for an id that is not an active source,
    KeyboardInterrupt after a stop by signal (slices are released first), and what `opened_engine` raises.
    """
    async with opened_engine(settings) as engine:
        stopping = engine.stopping
        with stop_signals(stopping):
            asked = await _asked(engine, await _sources(engine, wanted))
            engine = engine.patient()
            done = asked.collected_before | asked.switched_off
            left = {key: source for key, source in asked.sources.items() if key not in done}
            day, _ = await reading(engine.db, _today)
            await recover(engine)
            if await prepare_day(engine, day) is None:
                await _collect_legacy(engine, day, left, watcher)
            elif left:
                await _collect_cycles(engine, left, watcher)
            await evaluate_pending(engine.db, engine.foreground.until(stopping))
    if stopping.is_set():
        raise KeyboardInterrupt
    return asked


async def _asked(engine: Engine, sources: Mapping[int, JobSource]) -> Asked:
    found = await today(engine.db)
    over = {one.job_source_id for one in found.sources if is_over(one)}
    boards_on = any(flag.enabled for flag in found.flags if flag.flag_key is FlagKey.AGGREGATOR_COLLECTION)
    boards = {key for key, source in sources.items() if source.source_type is SourceType.AGGREGATOR}
    return Asked(
        sources=sources,
        collected_before=frozenset(over & sources.keys()),
        switched_off=frozenset() if boards_on else frozenset(boards - over),
    )


def is_over(one: SourceToday) -> bool:
    """Whether nothing more will be asked of the source today."""
    return isinstance(one.status, RunStatus) or (one.status is not None and one.status.terminal)


async def _sources(engine: Engine, wanted: Collection[int]) -> dict[int, JobSource]:
    _, active = await reading(engine.db, _today)
    known = {source.id: source for source in active}
    for source_id in wanted:
        if source_id not in known:
            raise UnknownSource(source_id)
    return {key: source for key, source in known.items() if not wanted or key in wanted}


async def _today(tx: Tx) -> tuple[date, tuple[JobSource, ...]]:
    return business_date(await tx.now()), await load_active_targets(tx)


async def _collect_cycles(engine: Engine, sources: Mapping[int, JobSource], watcher: Watcher) -> None:
    done = asyncio.Event()
    working = replace(engine, stopping=done)
    async with asyncio.TaskGroup() as group:
        group.create_task(run_slices(working, frozenset(sources)))
        group.create_task(run_recovery(working))
        await _watch(engine, sources, watcher)
        done.set()


async def _watch(engine: Engine, sources: Mapping[int, JobSource], watcher: Watcher) -> None:
    """Tell the watcher of every source until each is over. One without a cycle today (a flag is off) is not awaited."""
    open_keys = set(sources)
    for key, source in sources.items():
        watcher.begin(str(key), source.label)
    while open_keys and not engine.stopping.is_set():
        shown = {one.job_source_id: one for one in (await today(engine.db)).sources}
        for key in tuple(open_keys):
            if _tell(watcher, engine.settings.language, key, shown.get(key)):
                open_keys.discard(key)
        await wait_for(engine.clock, engine.stopping, _LOOK)


def _tell(watcher: Watcher, language: Language, key: int, one: SourceToday | None) -> bool:
    if one is None or one.status is None:
        watcher.end(str(key), "-")
        return True
    watcher.update(str(key), one.fetched_count, note=text(language, f"state.{one.status}"))
    if is_over(one):
        watcher.end(str(key), f"{text(language, f'state.{one.status}')} {one.reason or ''}".strip())
    return is_over(one)


async def _collect_legacy(engine: Engine, day: date, sources: Mapping[int, JobSource], watcher: Watcher) -> None:
    for source_type in SourceType:
        for key, source in sources.items():
            if source.source_type is not source_type or engine.stopping.is_set():
                continue
            watcher.begin(str(key), source.label)
            ended = await collect_legacy(engine, day, source_type, {key})
            watcher.end(str(key), text(engine.settings.language, f"state.{ended[0][1]}") if ended else "-")
