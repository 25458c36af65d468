"""Rows as text of a MySQL statement, a column at a time: done value by value it takes most of what a page costs.

The text is what the driver itself would send; it is loaded with the first connection to a server, for on SQLite its ten
megabytes would be for nothing. It counts on what `connection` asks of every session: utf8mb4, in which
no part of a character looks like a quote, and a `sql_mode` in which the backslash escapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

_MOST_ROWS = 1000
MOST_CHARACTERS = 350_000
"""What one statement may carry, roughly: a megabyte, for Korean takes three bytes a character; `max_allowed_packet` is
16 MiB and more."""

_special = re.compile("[\\\\'\"\0\n\r\x1a]").search


def row_texts(columns: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Rows, given as their columns, as they stand behind VALUES, in portions fit for one statement."""
    rows = list(map(",".join, zip(*map(column_texts, columns), strict=True)))
    if len(rows) <= _MOST_ROWS and sum(map(len, rows)) <= MOST_CHARACTERS:
        if rows:
            yield _values(rows)
        return
    texts: list[str] = []
    characters = 0
    for row in rows:
        if texts and (len(texts) == _MOST_ROWS or characters + len(row) > MOST_CHARACTERS):
            yield _values(texts)
            texts, characters = [], 0
        texts.append(row)
        characters += len(row)
    yield _values(texts)


def _values(rows: list[str]) -> str:
    return f"({'),('.join(rows)})"


def column_texts(values: Sequence[Any]) -> list[str]:
    """Values of one column as they stand in a statement."""
    kinds = set(map(type, values))
    if len(kinds) > 1:
        return [_BY_TYPE.get(type(value), _other)(value) for value in values]
    kind = kinds.pop()
    literal = _BY_TYPE.get(kind, _other)
    if values.count(values[0]) == len(values):
        return [literal(values[0])] * len(values)
    # Hardly any text has something to escape, and looking is much faster than translating Korean.
    if kind is str and _special("".join(values)) is None:
        return [f"'{value}'" for value in values]
    return list(map(literal, values))


def _text(value: str) -> str:
    if _special(value) is None:
        return f"'{value}'"
    from pymysql.converters import escape_string

    return f"'{escape_string(value)}'"


def _null(_value: None) -> str:
    return "NULL"


def _instant(value: datetime) -> str:
    return f"'{value.isoformat(' ')}'"


def _other(value: Any) -> str:
    from pymysql.converters import escape_item

    text: str = escape_item(value, "utf8mb4")
    return text


_BY_TYPE: dict[type, Callable[[Any], str]] = {str: _text, int: str, type(None): _null, datetime: _instant}
