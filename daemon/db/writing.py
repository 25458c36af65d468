"""Many rows in one statement, on each engine in its own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import mysql, sqlite

from daemon.db.units import Tx


async def insert_if_absent(tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert the rows whose unique key is free; rows already there are left untouched.

    Returns how many were new on SQLite; on MySQL the count is not exact, so decide nothing by it.
    """
    if not rows:
        return 0
    if tx.dialect == "sqlite":
        return (await tx.execute(sqlite.insert(table).on_conflict_do_nothing(), list(rows))).rowcount
    statement = mysql.insert(table)
    return (await tx.execute(statement.on_duplicate_key_update(id=table.c.id), list(rows))).rowcount


async def upsert(
    tx: Tx, table: Table, rows: Sequence[Mapping[str, Any]], key: Sequence[str], keep: Sequence[str]
) -> None:
    """Insert the rows, or where the unique `key` is taken replace every column given but the key and `keep`."""
    if not rows:
        return
    changed = [name for name in rows[0] if name not in key and name not in keep]
    if tx.dialect == "sqlite":
        lite = sqlite.insert(table)
        new = {name: lite.excluded[name] for name in changed}
        await tx.execute(lite.on_conflict_do_update(index_elements=list(key), set_=new), list(rows))
        return
    my = mysql.insert(table)
    await tx.execute(my.on_duplicate_key_update({name: my.inserted[name] for name in changed}), list(rows))
