"""What must be stored after days of which each source read what its cycle says it read: the oracle of acceptance tests.

Like `daemon.demo.world.truth.ledger`, but for days that a kill cut short as well: a cycle that ended FAILED after n
committed pages has seen the first n pages of the site's list, no more, and concludes nothing from what it did not see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from daemon.clock import kst
from daemon.demo.sources import DemoSource
from daemon.demo.world import World
from daemon.demo.world.truth import PAGE_SIZES, PostingTruth, Truth, truth

SWEEP = timedelta(minutes=30)
"""The deadline sweep, after midnight; cycles are over by then."""


@dataclass(slots=True)
class Stored:
    """What is known of one posting."""

    version: int
    title: str
    deadline: datetime | None
    walled: bool
    """Its own page is for members only."""
    restricted: bool
    """Its collector knows so: it has asked for that page."""
    misses: int = 0
    closed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """The counters of a cycle."""

    new: int
    changed: int
    missed: int
    closed: int


class Replay:
    """One source's postings, day after day."""

    def __init__(self, world: World, source: DemoSource) -> None:
        self._world = world
        self._source = source
        self.stored: dict[str, Stored] = {}

    def truth(self, day: date) -> Truth:
        """What a perfect collector finds."""
        return truth(self._world, self._source.platform, self._source.board, day)

    def live(self, day: date, *, complete: bool, pages: int, swept: bool = False) -> Counts:
        """A day whose cycle read the whole list, or its first `pages`; then (or first, if `swept`) the day's sweep."""
        today = self.truth(day)
        if swept:
            self._sweep(day)
        seen = today.postings if complete else self._first_pages(today, day, pages)
        new, changed = self._see(seen, day)
        missed = closed = 0
        if complete and not today.close_guarded and today.seen_ids:
            missed, closed = self._miss(today)
        self._sweep(day)
        return Counts(new=new, changed=changed, missed=missed, closed=closed)

    def _sweep(self, day: date) -> None:
        for one in self.stored.values():
            passed = one.deadline is not None and one.deadline < kst(day, 0) + SWEEP
            one.closed = one.closed or (passed and not one.restricted)

    def _first_pages(self, today: Truth, day: date, pages: int) -> tuple[PostingTruth, ...]:
        listed = self._world.on(day).listed(self._source.platform, self._source.board) or ()
        size = PAGE_SIZES.get(self._source.platform, max(1, len(listed)))
        shown = {one.site_id for one in listed[: pages * size]}
        return tuple(one for one in today.postings if one.source_job_id in shown)

    def _see(self, seen: tuple[PostingTruth, ...], day: date) -> tuple[int, int]:
        new = changed = 0
        for one in seen:
            known = self.stored.get(one.source_job_id)
            if known is None:
                new += 1
                known = Stored(
                    version=one.version,
                    title=one.title,
                    deadline=one.deadline_at,
                    walled=one.access_restricted,
                    restricted=one.access_restricted,
                )
                self.stored[one.source_job_id] = known
                continue
            changed += known.version != one.version
            known.version, known.title, known.deadline, known.misses = one.version, one.title, one.deadline_at, 0
            if known.closed and (known.deadline is None or known.deadline > kst(day, 0) + SWEEP):
                known.closed = False
        return new, changed

    def _miss(self, today: Truth) -> tuple[int, int]:
        missed = closed = 0
        for key, one in self.stored.items():
            if one.closed or one.restricted or key in today.seen_ids:
                continue
            missed += 1
            one.misses += 1
            if one.misses >= 2:
                one.closed, closed = True, closed + 1
        return missed, closed


def as_stored(rows: Mapping[str, Mapping[str, object]]) -> dict[str, tuple[object, ...]]:
    """What a source's rows say that `Replay.stored` says too: title, deadline, whether closed."""
    return {key: (row["title"], row["deadline_at"], row["posting_status"] == "CLOSED") for key, row in rows.items()}


def expected(replay: Replay) -> dict[str, tuple[object, ...]]:
    """What `as_stored` must give."""
    return {key: (one.title, one.deadline, one.closed) for key, one in replay.stored.items()}
