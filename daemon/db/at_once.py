"""Hundreds of rows as one text, or each as one: rows and columns cost the driver more than they cost the database."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Date, Select, SelectBase, func, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from daemon.db.columns import UtcDateTime, instant
from daemon.db.units import Tx


class _AsJson(FunctionElement[str]):
    """All rows as an array of arrays; its arguments are their columns."""

    inherit_cache = True


@compiles(_AsJson)
def _on_a_server(element: _AsJson, compiler: SQLCompiler, **options: Any) -> str:
    return f"JSON_ARRAYAGG(JSON_ARRAY({compiler.process(element.clauses, **options)}))"


@compiles(_AsJson, "sqlite")
def _embedded(element: _AsJson, compiler: SQLCompiler, **options: Any) -> str:
    return f"json_group_array(json_array({compiler.process(element.clauses, **options)}))"


class AtOnce:
    """A query whose rows are read together; for columns of numbers, texts, days and instants."""

    def __init__(self, query: SelectBase) -> None:
        rows = query.subquery()
        self._statement = select(_AsJson(*rows.c))
        self._columns = _Columns(rows.c)

    async def rows(self, tx: Tx, values: Mapping[str, Any]) -> list[list[Any]]:
        """The rows, in no order, each with the values of its columns; `values` are those of the query's parameters."""
        told: str | None = (await tx.execute(self._statement, values)).scalar_one()
        rows: list[list[Any]] = [] if told is None else json.loads(told)
        for row in rows:
            self._columns.read(row)
        return rows


class EachAtOnce:
    """A query of few rows with many columns: each row comes as one text, in the query's order and under its locks."""

    def __init__(self, query: Select[Any]) -> None:
        columns = list(query.selected_columns)
        self._statement = query.with_only_columns(func.json_array(*columns), maintain_column_froms=True)
        self._columns = _Columns(columns)
        self._named = namedtuple("Row", [str(column.key) for column in columns])  # type: ignore[misc]  # as asked

    async def rows(self, tx: Tx, values: Mapping[str, Any]) -> list[Any]:
        """The rows, with their columns by name; `values` are those of the query's parameters."""
        found = [json.loads(told) for told in (await tx.execute(self._statement, values)).scalars()]
        return [self._named(*self._columns.read(row)) for row in found]


class _Columns:
    """What JSON has no type for, by its place."""

    def __init__(self, columns: Iterable[ColumnElement[Any]]) -> None:
        kinds = [column.type for column in columns]
        self._instants = tuple(place for place, kind in enumerate(kinds) if isinstance(kind, UtcDateTime))
        self._days = tuple(place for place, kind in enumerate(kinds) if isinstance(kind, Date))

    def read(self, row: list[Any]) -> list[Any]:
        """The row itself, its texts of instants and days read."""
        for place in self._instants:
            if row[place] is not None:
                row[place] = instant(row[place])
        for place in self._days:
            if row[place] is not None:
                row[place] = date.fromisoformat(row[place])
        return row
