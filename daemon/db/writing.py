"""Many rows in one statement, on each engine in its own words, and many ids in one list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Table
from sqlalchemy.dialects import mysql

from daemon.db.literals import column_texts, row_texts
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
    await tx.write(my.on_duplicate_key_update({name: my.inserted[name] for name in changed}), list(rows))


_IDS_OF_A_LIST = 1000


def chunks(values: Iterable[T]) -> Iterator[list[T]]:
    """`values` in lists short enough for the IN of one statement, in their order."""
    remaining = iter(values)
    while some := list(islice(remaining, _IDS_OF_A_LIST)):
        yield some


_ROWS_OF_AN_UPDATE = 250
"""Rows in one UPDATE: its text grows with them, and so does the time to put it together."""


async def update_each(
    tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]], also: Mapping[str, str] | None = None
) -> None:
    """Give each row, found by its `id`, values of its own, and to all of them what is in `also`, which is SQL.

    Every row must name the same columns. A server's driver sends an UPDATE of many rows one by one; this does not.
    """
    for start in range(0, len(rows), _ROWS_OF_AN_UPDATE):
        columns = _columns_of(rows[start : start + _ROWS_OF_AN_UPDATE])
        ids = columns.pop("id")
        bound = {name: tx.bound(table.c[name], values) for name, values in columns.items()}
        shared = [f"{name} = {sql}" for name, sql in (also or {}).items()]
        if tx.dialect == "sqlite":
            set_to = ", ".join([*(f"{name} = ?" for name in bound), *shared])
            one_by_one = f"UPDATE {table.name} SET {set_to} WHERE id = ?"  # noqa: S608 - names are ours
            await tx.send(one_by_one, list(zip(*bound.values(), ids, strict=True)))
        else:
            set_to = ", ".join([*(f"{name} = {_chosen(name, ids, values)}" for name, values in bound.items()), *shared])
            # Left to itself a server reads a small table whole, and locks what others write.
            among = f"FORCE INDEX (PRIMARY) SET {set_to} WHERE id IN ({', '.join(map(str, ids))})"
            await tx.send(f"UPDATE {table.name} {among}")


def _chosen(name: str, ids: Sequence[int], values: Sequence[Any]) -> str:
    """The value of a column by the row's id."""
    texts = column_texts(values)
    if len(set(texts)) == 1:
        return texts[0]
    cases = " ".join(f"WHEN {key} THEN {text}" for key, text in zip(ids, texts, strict=True))
    return f"CASE id {cases} ELSE {name} END"
