"""The outcomes of each source over the last days, as rows of small squares. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from daemon.collection.model import CycleStatus
from daemon.operations.model import CollectionRun

DAYS = 30
SQUARE = 10
STEP = 13
"""Width of a square and its gap, in the picture's own units."""


class Fate(StrEnum):
    """How a day ended for a source, as the grid tells apart."""

    GOOD = "good"
    BUDGET = "budget"
    FAILED = "failed"
    UNDER_WAY = "under_way"


_FATES: Mapping[str, Fate] = {
    CycleStatus.SUCCESS: Fate.GOOD,
    CycleStatus.BUDGET_EXHAUSTED: Fate.BUDGET,
    CycleStatus.FAILED: Fate.FAILED,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A source's days."""

    job_source_id: int
    source_label: str
    paths: tuple[tuple[Fate, str], ...]
    """Squares of one fate, as the `d` of an SVG path."""
    empty: str
    """The same for the days on which nothing was collected."""
    counts: Mapping[Fate, int]
    last_failure: CollectionRun | None


def rows_of(runs: Iterable[CollectionRun], today: date) -> tuple[Row, ...]:
    """One row per source, in the order of their ids."""
    by_source: dict[int, dict[date, CollectionRun]] = {}
    for run in runs:
        by_source.setdefault(run.job_source_id, {})[run.run_date] = run
    return tuple(_row(key, by_source[key], today) for key in sorted(by_source))


def fate_of(run: CollectionRun) -> Fate:
    """How a day's collection ended, or that it has not."""
    status = run.cycle_status or run.run_status
    return Fate.UNDER_WAY if status is None else _FATES.get(status, Fate.UNDER_WAY)


def _row(job_source_id: int, days: Mapping[date, CollectionRun], today: date) -> Row:
    squares: dict[Fate | None, list[str]] = {}
    for position in range(DAYS):
        run = days.get(today - timedelta(days=DAYS - 1 - position))
        fate = None if run is None else fate_of(run)
        squares.setdefault(fate, []).append(f"M{position * STEP} 0h{SQUARE}v{SQUARE}h-{SQUARE}z")
    newest_first = [days[day] for day in sorted(days, reverse=True)]
    return Row(
        job_source_id=job_source_id,
        source_label=newest_first[0].source_label,
        paths=tuple((fate, "".join(squares[fate])) for fate in Fate if fate in squares),
        empty="".join(squares.get(None, ())),
        counts=Counter(fate_of(run) for run in newest_first),
        last_failure=next((run for run in newest_first if fate_of(run) is Fate.FAILED), None),
    )
