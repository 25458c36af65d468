"""What `gonggo demo` shows while days pass and when they are over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from daemon.clock import KST
from daemon.collection.model import CycleStatus
from daemon.company.actions import list_sources
from daemon.company.model import JobSource
from daemon.db import Database
from daemon.demo.request_log import RequestLog
from daemon.demo.world import World
from daemon.demo.world.truth import DayCounts, ledger
from daemon.messages import Language, text
from daemon.operations.actions import today
from daemon.operations.model import SourceToday
from daemon.sources.model import Platform
from daemon.sources.registry import adapter_of
from daemon.terminal import Column, Progress, say, show_table

_LOOK_SECONDS = 0.5
_NUMBERS = ("pages", "fetched", "new", "changed", "missed", "closed")


class Report:
    """The demo's words; `serving` is True once only Ctrl-C is awaited."""

    def __init__(self, language: Language, world: World, days: int) -> None:
        self._language = language
        self._world = world
        self._days = days
        self.serving = False
        self.differing = 0
        """Sources, over all days, whose counts are not those of the world's script."""
        self._ledgers: dict[tuple[Platform, str], tuple[DayCounts, ...]] = {}

    def _text(self, key: str, /, **values: object) -> str:
        return text(self._language, key, **values)

    def begin(self, folder: Path) -> None:
        """What is about to happen."""
        say(self._text("demo.begin", days=self._days, folder=folder))

    @contextmanager
    def day(self, number: int, day: date) -> Iterator[Callable[[Database], Coroutine[Any, Any, None]]]:
        """Progress of one day; the yielded coroutine function watches the database until it is cancelled."""
        say("")
        say(self._text("demo.day", number=number, days=self._days, day=day))
        with Progress() as bars:
            begun: set[int] = set()
            over: set[int] = set()

            async def watch(db: Database) -> None:
                while True:
                    for one in (await today(db)).sources:
                        _show(bars, begun, over, one)
                    await asyncio.sleep(_LOOK_SECONDS)

            yield watch

    async def show_day(self, db: Database, day: date) -> None:
        """The day's table, and how its 09:00 snapshot was settled."""
        found = await today(db)
        expected = self._expected(await list_sources(db), day)
        wrong = {one.job_source_id for one in found.sources if _counts(one) != expected.get(one.job_source_id)}
        show_table(
            (
                Column(title=self._text("column.source")),
                Column(title=self._text("column.state")),
                *(Column(title=self._text(f"column.{name}"), number=True) for name in _NUMBERS),
                Column(title=self._text("column.world")),
                Column(title=self._text("column.reason")),
            ),
            [
                (
                    one.source_label,
                    one.status,
                    one.list_page_count,
                    one.fetched_count,
                    one.new_count,
                    one.changed_count,
                    one.missed_count,
                    one.closed_count,
                    self._text("cell.differs" if one.job_source_id in wrong else "cell.same"),
                    one.reason or "",
                )
                for one in found.sources
            ],
        )
        self.differing += len(wrong)
        sla = found.sla_snapshot
        captured = "" if sla.captured_at is None else sla.captured_at.astimezone(KST).strftime("%H:%M:%S")
        items = 0 if sla.items is None else len(sla.items)
        late = sla.late_before_notification_count
        say(self._text("demo.sla", day=day, status=sla.capture_status, captured=captured, items=items, late=late))

    def _expected(self, sources: Sequence[JobSource], day: date) -> dict[int, tuple[object, ...]]:
        """What a perfect collector counts on the day, by source, from the script of the world."""
        index = self._world.number_of(day) - 1
        found: dict[int, tuple[object, ...]] = {}
        for source in sources:
            board = (source.platform, source.source_slug or source.search_category_code or "")
            if board not in self._ledgers:
                self._ledgers[board] = ledger(self._world, *board, self._days)
            one = self._ledgers[board][index]
            found[source.id] = (one.truth.end.value, one.truth.reason, one.new, one.changed, one.missed, one.closed)
        return found

    def show_invariants(self, log: RequestLog) -> bool:
        """What the replica's own log says of politeness; returns whether all of it holds."""
        say("")
        say(self._text("demo.polite"))
        rows = []
        good = True
        for platform in Platform:
            requests = sum(1 for _ in log.of(platform))
            gap = log.closest_gap(platform)
            delay = adapter_of(platform).capabilities.compliance.request_delay.total_seconds()
            kept = gap is None or gap >= delay
            good = good and kept
            told = self._text("cell.ok" if kept else "cell.failed")
            rows.append((platform.value, requests, f"{delay:.2f}", "" if gap is None else f"{gap:.2f}", told))
        titles = ("source", "requests", "delay", "gap", "result")
        show_table([Column(title=self._text(f"column.{name}"), number=name in titles[1:4]) for name in titles], rows)
        repeated = len(log.repeated_list_pages())
        say(self._text("demo.repeated", count=repeated))
        say(self._text("demo.truth", count=self.differing))
        return good and repeated == 0 and self.differing == 0

    def show_address(self, port: int) -> None:
        """Where the API is while the demo stays up."""
        self.serving = True
        say("")
        say(self._text("demo.serving", address=f"http://127.0.0.1:{port}"))


def _counts(one: SourceToday) -> tuple[object, ...]:
    status = None if one.status is None else one.status.value
    return (status, one.reason or "", one.new_count, one.changed_count, one.missed_count, one.closed_count)


def _show(bars: Progress, begun: set[int], over: set[int], one: SourceToday) -> None:
    key = str(one.job_source_id)
    if one.status is None or one.job_source_id in over:
        return
    if one.job_source_id not in begun:
        begun.add(one.job_source_id)
        bars.begin(key, one.source_label)
    bars.update(key, one.fetched_count, note=str(one.status))
    if isinstance(one.status, CycleStatus) and one.status.terminal:
        over.add(one.job_source_id)
        bars.end(key, " ".join(part for part in (str(one.status), one.reason or "") if part))
