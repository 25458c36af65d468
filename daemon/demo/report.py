"""What `gonggo demo` shows while days pass and when they are over: nothing wider than 80 cells that is a table."""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

from daemon.clock import KST, business_date
from daemon.collection.model import CycleStatus
from daemon.company.actions import list_sources
from daemon.company.model import JobSource
from daemon.db import Database
from daemon.demo import harvest
from daemon.demo.discord import Discord, Posted
from daemon.demo.findings import Finding, Invariant, Script, gap_kept, impolite, mistold, short_label, ungrouped
from daemon.demo.request_log import RequestLog
from daemon.demo.world import World
from daemon.messages import Language, has_text, text
from daemon.operations.actions import today
from daemon.operations.model import SourceToday, Today
from daemon.sources.model import Platform
from daemon.terminal import Column, Progress, say, show_table, shown

_LOOK_SECONDS = 0.5
_ESCAPED = re.compile(r"\\(.)")
_NUMBERS = ("pages", "fetched", "new", "changed", "missed", "closed")
_PAGES_TO_LOOK_AT = (
    "/",
    "/postings?matched=1&status=OPEN",
    "/applications",
    "/operations",
    "/api/openapi.json",
)


class Report:
    """The demo's words; `serving` is True once only Ctrl-C is awaited."""

    def __init__(self, language: Language, world: World, days: int) -> None:
        self._language = language
        self._world = world
        self._days = days
        self._script = Script(language, world, days)
        self._findings: list[Finding] = []
        self.serving = False

    def _text(self, key: str, /, **values: object) -> str:
        return text(self._language, key, **values)

    def begin(self, kept: Path | None) -> None:
        """What is about to happen; `kept` is the folder that stays afterwards."""
        say(self._text("demo.begin", days=self._days))
        if kept is not None:
            say(self._text("demo.kept", folder=kept))

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
                        self._show_progress(bars, begun, over, one)
                    await asyncio.sleep(_LOOK_SECONDS)

            yield watch

    async def show_day(self, db: Database, day: date, discord: Discord) -> None:
        """The day's table, how its 09:00 snapshot was settled, and what the person was told."""
        found = await today(db)
        sources = {source.id: source for source in await list_sources(db)}
        self._show_sources(found.sources, sources)
        # In a thread: the script of a whole world takes a while, and Ctrl-C may come.
        wrong = await asyncio.to_thread(self._script.judge, day, found, sources)
        for finding in wrong:
            say("! " + finding.row)
        self._findings += wrong
        self._show_snapshot(found)
        self._show_told([one for one in discord.messages if _day_of(one) == day], first=day == self._world.first_day)

    def _show_sources(self, found: Iterable[SourceToday], sources: Mapping[int, JobSource]) -> None:
        show_table(
            (
                Column(title=self._text("column.source")),
                Column(title=self._text("column.state")),
                *(Column(title=self._text(f"column.{name}"), number=True) for name in _NUMBERS),
            ),
            [
                (
                    short_label(sources[one.job_source_id]),
                    self._state(one),
                    one.list_page_count,
                    one.fetched_count,
                    one.new_count,
                    one.changed_count,
                    one.missed_count,
                    one.closed_count,
                )
                for one in found
            ],
        )
        for one in found:
            if one.reason:
                label = short_label(sources[one.job_source_id])
                reason = self._text(f"outcome.{one.reason}") if has_text(f"outcome.{one.reason}") else one.reason
                say(self._text("demo.reason", source=label, status=self._state(one), reason=reason))

    def _state(self, one: SourceToday) -> str:
        return self._text(f"state.{one.status or 'NONE'}")

    def _show_progress(self, bars: Progress, begun: set[int], over: set[int], one: SourceToday) -> None:
        key = str(one.job_source_id)
        if one.status is None or one.job_source_id in over:
            return
        if one.job_source_id not in begun:
            begun.add(one.job_source_id)
            bars.begin(key, one.source_label)
        bars.update(key, one.fetched_count, note=self._state(one))
        if isinstance(one.status, CycleStatus) and one.status.terminal:
            over.add(one.job_source_id)
            bars.end(key, " ".join(part for part in (self._state(one), one.reason or "") if part))

    def _show_snapshot(self, found: Today) -> None:
        sla = found.sla_snapshot
        captured = "" if sla.captured_at is None else f"{sla.captured_at.astimezone(KST):%H:%M:%S}"
        items = 0 if sla.items is None else len(sla.items)
        late = sla.late_before_notification_count
        say(
            self._text(
                "demo.sla", status=self._text(f"sla.{sla.capture_status}"), captured=captured, items=items, late=late
            )
        )

    def _show_told(self, messages: Sequence[Posted], *, first: bool) -> None:
        """The headline of each message, as a phone would show it."""
        say(self._text("demo.told_seeding" if first and not messages else "demo.told", count=len(messages)))
        for message in messages:
            say("  " + _plain(message.content))

    def show_deed(self, at: datetime, told: str) -> None:
        """What the person does."""
        say(self._text("demo.deed", at=f"{at.astimezone(KST):%H:%M}", told=told))

    async def show_harvest(self, db: Database, day: date, discord: Discord, application_id: int | None) -> None:
        """What the person has at the end of `day`."""
        say("")
        await harvest.show_matches(db, self._language, day)
        say("")
        harvest.show_digest(self._language, [one for one in discord.messages if _is_digest(one)])
        say("")
        await harvest.show_timeline(db, self._language, application_id)

    async def show_invariants(self, db: Database, log: RequestLog, discord: Discord) -> bool:
        """Whether everything held; whatever did not is told row by row, on standard error too."""
        self._findings += impolite(self._language, log)
        self._findings += await mistold(db, discord, self._world.first_day)
        self._findings += await ungrouped(db, self._world)
        self._show_politeness(log)
        say("")
        failures = Counter(finding.invariant for finding in self._findings)
        show_table(
            [Column(title=self._text("column.invariant")), Column(title=self._text("column.result"))],
            [(self._text(f"demo.invariant.{each}"), self._result(failures[each] == 0)) for each in Invariant],
        )
        for finding in self._findings:
            what = self._text(f"demo.invariant.{finding.invariant}")
            say(self._text("demo.broken", what=what, row=shown(finding.row)), sys.stderr)
        return not self._findings

    def _show_politeness(self, log: RequestLog) -> None:
        """How close the requests to each site came."""
        say("")
        say(self._text("demo.polite"))
        rows = []
        for platform in Platform:
            delay, gap, kept = gap_kept(log, platform)
            requests = sum(1 for _ in log.of(platform))
            told = "" if gap is None else f"{gap:.2f}"
            rows.append((platform.value, requests, f"{delay:.2f}", told, self._result(kept)))
        titles = ("source", "requests", "delay", "gap", "result")
        show_table([Column(title=self._text(f"column.{name}"), number=name in titles[1:4]) for name in titles], rows)

    def _result(self, good: bool) -> str:
        return self._text("cell.ok" if good else "cell.failed")

    def show_folder(self, folder: Path) -> None:
        """Where database and logs are."""
        say(self._text("demo.kept", folder=folder))

    def show_address(self, port: int) -> None:
        """Where page and API are while the demo stays up."""
        self.serving = True
        say("")
        say(self._text("demo.serving"))
        for page in _PAGES_TO_LOOK_AT:
            say(f"  http://127.0.0.1:{port}{page}")

    def show_end(self) -> None:
        """The demo that stayed up is ended."""
        say("")
        say(self._text("demo.ended"))


def _plain(markdown: str) -> str:
    """A headline without its marks, as Discord would draw it."""
    return shown(_ESCAPED.sub(r"\1", markdown.replace("**", "")))


def _day_of(message: Posted) -> date:
    return business_date(datetime.fromtimestamp(message.at, KST))


def _is_digest(message: Posted) -> bool:
    """A digest is the only message whose details name no single company, source or posting."""
    return bool(message.embeds) and not any(embed.keys() & {"author", "title"} for embed in message.embeds)
