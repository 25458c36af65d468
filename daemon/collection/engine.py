"""What the engine's actions are handed: database, executor, limits, and the counters that it shows the world."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import timedelta

from daemon.clock import Clock
from daemon.collection.model import Budgets
from daemon.db import Database
from daemon.foreground import Foreground
from daemon.settings import Settings
from daemon.sources.executor import Executor

OUTAGE_PATIENCE_SECONDS = 120.0
"""How long background work waits for a database that is away before it starts afresh; less than the watchdog does."""


PARSED_AT_ONCE = 2
"""Pages in hand of a parser: the interpreter runs one thread at a time, so that more of them would be no faster but
hold their trees in memory; the second goes on where the first has met a page that takes long."""


@dataclass(slots=True)
class Progress:
    """What this process has done since it started; shown by metrics, watched by the watchdog."""

    advanced_at: float = 0.0
    """Real monotonic seconds at which the engine last got anything done, idling in good order included."""
    recovery_due_at: float = math.inf
    """Real monotonic seconds at which the next recovery tick was to begin, as its loop saw it last."""
    counts: Counter[str] = field(default_factory=Counter)
    """Events by name, e.g. `stale_write_rejected`, `lease_expired`, `permit_granted`."""
    in_flight: dict[int, str] = field(default_factory=dict)
    """Host by cycle id of the slices in hand."""

    @property
    def last_step_at(self) -> float:
        """When the engine last did what it had to: both of its loops, for either may be the one that is stuck."""
        return min(self.advanced_at, self.recovery_due_at)


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """Everything that an action of the engine needs from outside."""

    db: Database
    executor: Executor
    settings: Settings
    wake: asyncio.Event
    """Set when something became ready; only saves waiting, nothing depends on it."""
    progress: Progress = field(default_factory=Progress)
    host_turns: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    """Slices of this process that want the same host ask the database for it one after the other."""
    preparing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """The timetable and the recovery tick prepare the day; who comes second finds it prepared."""
    parsing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARSED_AT_ONCE))
    """Held while a page is parsed in a thread."""
    foreground: Foreground = field(default_factory=Foreground)
    """Before a page is parsed or written down, whoever waits for an answer goes first."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the engine's work is to end: no slice waits for a site any more, it gives its cycle back."""
    recorded: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when postings were stored or criteria changed: who judges them need not wait, and nothing depends on it."""

    def settled(self) -> Engine:
        """The same engine with the settings as they are now: what has begun goes on with those it began with."""
        return replace(self, settings=self.settings.model_copy())

    def patient(self) -> Engine:
        """The same engine for background work: while the database is away it waits, until `stopping` is set."""

        def patience(waited: float) -> bool:
            return waited < OUTAGE_PATIENCE_SECONDS and not self.stopping.is_set()

        return replace(self, db=self.db.patient(patience))

    @property
    def clock(self) -> Clock:
        """The clock of the database's transactions."""
        return self.db.clock

    @property
    def budgets(self) -> Budgets:
        """Limits per slice and per day."""
        s = self.settings
        return Budgets(
            slice_pages=s.slice_pages,
            slice_postings=s.slice_postings,
            slice_time=timedelta(seconds=s.slice_seconds),
            daily_pages=s.daily_pages,
            daily_postings=s.daily_postings,
            daily_details=s.daily_details,
        )

    @property
    def grace(self) -> timedelta:
        """How long after 09:00 a capture may begin and still be on time."""
        return timedelta(seconds=self.settings.sla_grace_seconds)

    @property
    def permit_margin(self) -> timedelta:
        """Spacing of permits on top of the delay."""
        return timedelta(seconds=self.settings.permit_margin_seconds)

    @property
    def longest_host_wait(self) -> timedelta:
        """How long a slice holds on for its host's next place, at most.

        A lease is renewed once a third of it has passed, and before a request only: what may be waited for is another
        third, so that the last is left for the request itself, and no holder loses its cycle to its own patience.
        """
        return min(timedelta(seconds=self.settings.host_wait_seconds), self.settings.lease / 3)
