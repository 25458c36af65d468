"""What every benchmark gives back, and the one table that shows it.

A row has two sides measured in the same run on the same machine, and their ratio; only the ratio is held to a goal,
for machines differ and are shared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """A bound for a ratio: `at_most` (costs) or `at_least` (rates); exactly one is given."""

    at_most: float | None = None
    at_least: float | None = None

    def met(self, ratio: float) -> bool:
        """Whether the ratio keeps the bound."""
        if self.at_most is not None:
            return ratio <= self.at_most
        assert self.at_least is not None, "a goal needs a bound"
        return ratio >= self.at_least

    def __str__(self) -> str:
        return f"<= {self.at_most:g}" if self.at_most is not None else f">= {self.at_least:g}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One measurement: ours beside the other side's, each with its unit, as text; what is compared is `ratio`."""

    bench: str
    what: str
    ours: str
    beside: str
    ratio: float
    goal: Goal | None = None
    """None for a figure that is shown and not held to anything."""
    holds: bool = True
    """False when a condition beside the ratio failed: counts that differ, a permit that came too early."""

    @property
    def met(self) -> bool:
        return self.holds and (self.goal is None or self.goal.met(self.ratio))


def show(rows: Sequence[Row], console: Console | None = None) -> None:
    """Print the table; a goal that is missed is marked."""
    table = Table(
        "bench", "what", "ours", "beside", "ratio", "goal", "", title="Gonggo, measured", title_justify="left"
    )
    for row in rows:
        mark = ("met" if row.met else "MISSED") if row.goal or not row.holds else ""
        table.add_row(row.bench, row.what, row.ours, row.beside, f"{row.ratio:.3f}", str(row.goal or ""), mark)
    (console or Console(width=None)).print(table)
