"""Hundreds of rows as one text: read row by row, the driver's work for each is more than the database's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import Date, SelectBase, select
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
        self._instants = tuple(place for place, column in enumerate(rows.c) if isinstance(column.type, UtcDateTime))
        self._days = tuple(place for place, column in enumerate(rows.c) if isinstance(column.type, Date))

    async def rows(self, tx: Tx, values: Mapping[str, Any]) -> list[list[Any]]:
        """The rows, in no order, each with the values of its columns; `values` are those of the query's parameters."""
        told: str | None = (await tx.execute(self._statement, values)).scalar_one()
        rows: list[list[Any]] = [] if told is None else json.loads(told)
        for row in rows:
            for place in self._instants:
                if row[place] is not None:
                    row[place] = instant(row[place])
            for place in self._days:
                if row[place] is not None:
                    row[place] = date.fromisoformat(row[place])
        return rows
