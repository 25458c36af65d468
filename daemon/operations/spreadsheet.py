"""CSV that a spreadsheet opens as it is meant, and that cannot make it calculate."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from daemon.clock import KST

CONTENT_TYPE = "text/csv; charset=utf-8"

_BOM = "\ufeff"
"""Without it Excel takes Korean text for CP949."""

_FORMULA = re.compile(r"[\s\ufeff\u200b]*[=+\-@＝＋－＠]")
"""What a spreadsheet may take for a formula; some take full-width signs too (OWASP, CSV injection)."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

Cell = str | int | datetime | None


def csv_head(header: Sequence[str]) -> bytes:
    """How the file begins: the mark of UTF-8 and the names of the columns."""
    return _BOM.encode() + csv_rows([header])


def csv_rows(rows: Iterable[Sequence[Cell]]) -> bytes:
    """Rows of a CSV file (RFC 4180, UTF-8). Instants are told in Korean time.

    Titles, companies and notes come from others: a text that begins like a formula gets an apostrophe before it.
    """
    output = io.StringIO()
    csv.writer(output, lineterminator="\r\n").writerows([_shown(cell) for cell in row] for row in rows)
    return output.getvalue().encode("utf-8", "replace")


def _shown(cell: Cell) -> str | int:
    match cell:
        case None:
            return ""
        case datetime():
            return korean_time(cell)
        case int():
            return cell
        case str():
            # A cell breaks its lines with a line feed alone.
            plain = _CONTROL.sub("", cell.replace("\r\n", "\n").replace("\r", "\n"))
            return f"'{plain}" if _FORMULA.match(plain) else plain


def korean_time(instant: datetime) -> str:
    """`2026-12-01 09:00:00`: what a spreadsheet reads as an instant, in Korean time."""
    return instant.astimezone(KST).strftime("%Y-%m-%d %H:%M:%S")
