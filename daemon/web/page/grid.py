"""The outcomes of each source over the last days, as rows of small squares. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from daemon.collection.model import CycleStatus
from daemon.operations.model import DayOutcome

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


_SQUARES = tuple(f"M{position * STEP} 0h{SQUARE}v{SQUARE}h-{SQUARE}z" for position in range(DAYS))


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
    last_failure: DayOutcome | None


def rows_of(outcomes: Iterable[DayOutcome], today: date) -> tuple[Row, ...]:
    """One row per source, in the order of their ids; `outcomes` are those of the last `DAYS` days."""
    by_source: dict[int, dict[date, DayOutcome]] = {}
    for each in outcomes:
        by_source.setdefault(each.job_source_id, {})[each.run_date] = each
    shown = [
        (today - timedelta(days=back), square) for back, square in zip(reversed(range(DAYS)), _SQUARES, strict=True)
    ]
    return tuple(_row(key, by_source[key], shown) for key in sorted(by_source))


def _row(job_source_id: int, days: Mapping[date, DayOutcome], shown: Iterable[tuple[date, str]]) -> Row:
    squares: dict[Fate | None, list[str]] = {None: [], **{fate: [] for fate in Fate}}
    last_failure = None
    for day, square in shown:
        outcome = days.get(day)
        fate = None if outcome is None else _FATES.get(outcome.status, Fate.UNDER_WAY)
        squares[fate].append(square)
        if fate is Fate.FAILED:
            last_failure = outcome
    return Row(
        job_source_id=job_source_id,
        source_label=next(iter(days.values())).source_label,
        paths=tuple((fate, "".join(squares[fate])) for fate in Fate if squares[fate]),
        empty="".join(squares[None]),
        counts={fate: len(squares[fate]) for fate in Fate},
        last_failure=last_failure,
    )
