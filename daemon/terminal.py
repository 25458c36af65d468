"""What commands show a person: tables and progress that survive Korean text and a narrow window.

A Korean letter takes two cells, so everything is measured in cells, not characters. Only ASCII frames are drawn: line
and block characters are of "ambiguous" width, and a Korean terminal may draw them twice as wide. Where the output is
not a terminal (a pipe, a log), the same content is plain text of full width without movement.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import Progress as Bars
from rich.progress import ProgressColumn, Task, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from daemon.clock import SystemClock

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_NARROW_CELLS = 12
"""A text column is never squeezed below this; the rows are shown as records instead."""

_GAP = "  "
_BAR_CELLS = 20
_COUNT_CELLS = 10
"""Room for `1234/12345`."""
_NARROW_WINDOW = 60
"""In a window of fewer cells there is no bar: the numbers tell as much in less room."""

_PLAIN_SECONDS = 10.0
"""How often a plain progress line is repeated for work that goes on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column of a table; numbers stand right and are never broken."""

    title: str
    number: bool = False


def shown(value: object) -> str:
    """`value` as one line: control and direction characters become spaces, None is empty."""
    return "" if value is None else _CONTROL.sub(" ", str(value)).strip()


def fitted(text: str, cells: int) -> str:
    """`text` cut or filled to exactly `cells` terminal cells."""
    if cell_len(text) <= cells or cells < 3:
        return set_cell_size(text, cells)
    return set_cell_size(text, cells - 2) + ".."


def say(line: str, stream: TextIO | None = None) -> None:
    """Write one line; `stream` is standard output when None."""
    (sys.stdout if stream is None else stream).write(line + "\n")


def show_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[object]],
    *,
    stream: TextIO | None = None,
    width: int | None = None,
) -> None:
    """Write the rows: as a table, as records where the window is too narrow for one, plain where there is no window.

    `stream` is standard output when None; `width` in cells replaces the window's.
    """
    output = sys.stdout if stream is None else stream
    cells = [[shown(value) for value in row] for row in rows]
    natural = [
        max([cell_len(column.title), *(cell_len(row[index]) for row in cells)]) for index, column in enumerate(columns)
    ]
    if width is None and not output.isatty():
        _write_plain(output, columns, cells, natural)
        return
    console = Console(file=output, width=width, highlight=False, markup=False, emoji=False)
    least = [size if column.number else min(size, _NARROW_CELLS) for column, size in zip(columns, natural, strict=True)]
    if sum(least) + len(_GAP) * (len(columns) - 1) > console.width:
        _write_records(console, columns, cells)
    else:
        _write_table(console, columns, cells, least)


def _write_plain(output: TextIO, columns: Sequence[Column], rows: list[list[str]], natural: list[int]) -> None:
    for row in [[column.title for column in columns], *rows]:
        aligned = [
            " " * (size - cell_len(text)) + text if column.number else set_cell_size(text, size)
            for column, text, size in zip(columns, row, natural, strict=True)
        ]
        output.write(_GAP.join(aligned).rstrip() + "\n")


def _write_records(console: Console, columns: Sequence[Column], rows: list[list[str]]) -> None:
    for number, row in enumerate(rows):
        if number:
            console.print()
        for column, text in zip(columns, row, strict=True):
            console.print(Text.assemble((f"{column.title}: ", "bold"), text, overflow="fold"))


def _write_table(console: Console, columns: Sequence[Column], rows: list[list[str]], least: list[int]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, len(_GAP), 0, 0), header_style="bold")
    for column, size in zip(columns, least, strict=True):
        table.add_column(
            Text(column.title),
            justify="right" if column.number else "left",
            no_wrap=column.number,
            overflow="fold",
            min_width=size,
        )
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    console.print(table)


class _Bar(ProgressColumn):
    """`[######......] 3/7`; without the bar when it has no cells, while the total is unknown how much has been done."""

    def __init__(self, cells: int) -> None:
        super().__init__()
        self.cells = cells

    def render(self, task: Task) -> Text:
        if not task.total:
            return Text(f"{int(task.completed)}")
        counted = f"{int(task.completed)}/{int(task.total)}"
        if not self.cells:
            return Text(counted)
        filled = min(self.cells, int(self.cells * task.completed / task.total))
        return Text(f"[{'#' * filled}{'.' * (self.cells - filled)}] {counted}")


class Progress:
    """Several pieces of long work, one line each. Use as a context manager; keys are the caller's own.

    In a terminal the lines move; elsewhere each piece writes a line when it ends and at most every 10 s until then.
    """

    def __init__(self, stream: TextIO | None = None, ticks: Callable[[], float] | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._ticks = SystemClock().ticks if ticks is None else ticks
        self._labels: dict[str, str] = {}
        self._tasks: dict[str, TaskID] = {}
        self._last: dict[str, float] = {}
        self._bars: Bars | None = None
        if self._stream.isatty():
            console = Console(file=self._stream, highlight=False, markup=False, emoji=False)
            bar = _Bar(min(_BAR_CELLS, console.width // 5) if console.width >= _NARROW_WINDOW else 0)
            self._label_cells = max(8, min(28, console.width // 3))
            around = (bar.cells + 3 if bar.cells else 0) + _COUNT_CELLS + 2
            self._note_cells = max(3, console.width - self._label_cells - around)
            self._bars = Bars(
                TextColumn("{task.description}", markup=False),
                bar,
                TextColumn("{task.fields[note]}", markup=False),
                console=console,
            )

    def __enter__(self) -> Progress:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def begin(self, key: str, label: str, total: int | None = None) -> None:
        """Show a piece of work, `total` steps long where that is known. A key that is shown begins anew."""
        self._labels[key] = shown(label)
        self._last[key] = self._ticks()
        if self._bars is None:
            return
        if key in self._tasks:
            self._bars.reset(self._tasks[key], total=total, note="")
        else:
            self._tasks[key] = self._bars.add_task(fitted(shown(label), self._label_cells), total=total, note="")

    def update(self, key: str, done: int, *, total: int | None = None, note: str = "") -> None:
        """Say how far the piece has come; `total` replaces the one known so far."""
        if self._bars is not None:
            self._bars.update(self._tasks[key], completed=done, total=total, note=self._note(note))
        elif self._ticks() - self._last[key] >= _PLAIN_SECONDS:
            self._last[key] = self._ticks()
            self._plain(key, f"{done}" if total is None else f"{done}/{total}", note)

    def end(self, key: str, note: str = "") -> None:
        """The piece is over; `note` says how it ended."""
        if self._bars is None:
            self._plain(key, note)
            return
        task = self._bars.tasks[self._bars.task_ids.index(self._tasks[key])]
        total = task.total or task.completed or 1
        self._bars.update(self._tasks[key], completed=task.completed or total, total=total, note=self._note(note))

    def say(self, line: str) -> None:
        """Write a line of its own, above the moving ones."""
        if self._bars is not None:
            self._bars.console.print(Text(shown(line)))
        else:
            say(shown(line), self._stream)

    def _note(self, note: str) -> str:
        """`note` within its room: a line that wraps would be drawn twice."""
        line = shown(note)
        return line if cell_len(line) <= self._note_cells else fitted(line, self._note_cells)

    def _plain(self, key: str, *parts: str) -> None:
        say(_GAP.join([self._labels[key], *(shown(part) for part in parts if part)]), self._stream)
        self._stream.flush()
