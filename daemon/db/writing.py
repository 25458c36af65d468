"""Many rows in one statement, on each engine in its own words, and many ids in one list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Table, case, literal, update
from sqlalchemy.dialects import mysql

from daemon.db.literals import row_texts
from daemon.db.units import Tx

T = TypeVar("T")


async def insert_rows(tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows, all of which name the same columns."""
    if rows:
        await insert_columns(tx, table, _columns_of(rows))


async def insert_columns(tx: Tx, table: Table, columns: Mapping[str, Sequence[Any]]) -> None:
    """Insert rows given as their columns, all of one length: many small rows cost less so."""
    if all(columns.values()):
        await _send_columns(tx, table, columns, "")


def _columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


async def insert_if_absent(tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert the rows whose unique key is free; rows already there are left untouched.

    All name the same columns. How many were new no server tells exactly: who must know reads before or after.
    """
    if not rows:
        return
    # Not `id = id`: where others insert too, MariaDB then loses new rows behind one that was there (10.11, measured).
    first = next(iter(rows[0]))
    kept = "CONFLICT DO NOTHING" if tx.dialect == "sqlite" else f"DUPLICATE KEY UPDATE {first} = {table.name}.{first}"
    await _send_columns(tx, table, _columns_of(rows), f" ON {kept}")


async def _send_columns(tx: Tx, table: Table, columns: Mapping[str, Sequence[Any]], tail: str) -> None:
    """Send rows without SQLAlchemy, whose work for each row is more than the database's."""
    into = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES"
    bound = [tx.bound(table.c[name], values) for name, values in columns.items()]
    if tx.dialect == "sqlite":
        await tx.send(f"{into} ({', '.join('?' * len(columns))}){tail}", list(zip(*bound, strict=True)))
        return
    for values in row_texts(bound):
        await tx.send(f"{into} {values}{tail}")


async def upsert(
    tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]], key: Sequence[str], keep: Sequence[str]
) -> None:
    """Insert the rows, or where the unique `key` is taken replace every column given but the key and `keep`."""
    if not rows:
        return
    changed = [name for name in rows[0] if name not in key and name not in keep]
    if tx.dialect == "sqlite":
        new = ", ".join(f"{name} = excluded.{name}" for name in changed)
        await _send_columns(tx, table, _columns_of(rows), f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {new}")
        return
    my = mysql.insert(table)
    await tx.execute(my.on_duplicate_key_update({name: my.inserted[name] for name in changed}), list(rows))


_IDS_OF_A_LIST = 1000


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """`values` in lists short enough for the IN of one statement, in their order."""
    remaining = iter(values)
    while some := list(islice(remaining, _IDS_OF_A_LIST)):
        yield some


_ROWS_OF_AN_UPDATE = 250
"""Rows in one UPDATE: its text grows with them, and so does the time to put it together."""


async def update_each(
    tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]], also: Mapping[str, Any] | None = None
) -> None:
    """Give each row, found by its `id`, values of its own, and to all of them what is in `also` (SQL, if you like).

    Every row must name the same columns. Drivers send an UPDATE of many rows one by one; this does not.
    """
    for start in range(0, len(rows), _ROWS_OF_AN_UPDATE):
        some = rows[start : start + _ROWS_OF_AN_UPDATE]
        values: dict[str, Any] = dict(also or {})
        for name in some[0]:
            if name != "id":
                column = table.c[name]
                chosen = {row["id"]: literal(row[name], column.type) for row in some}
                alike = len({row[name] for row in some}) == 1
                values[name] = some[0][name] if alike else case(chosen, value=table.c.id, else_=column)
        # Left to itself a server reads a small table whole, and locks what others write.
        by_id = update(table).with_hint("FORCE INDEX (PRIMARY)", dialect_name="mysql")
        await tx.execute(by_id.where(table.c.id.in_([row["id"] for row in some])).values(values))
