"""SQLite: each statement goes to the thread of its connection and back once, its rows with it.

The driver goes there four times: to make a cursor, to run the statement, to fetch the rows, to close the cursor. Each
way wakes two threads, and waits for what else runs in the process, twice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import aiosqlite
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
)


class _Statement:
    """What the dialect takes for a cursor of the driver: it runs one statement and holds all that came of it."""

    description: Any = None
    rowcount = -1
    lastrowid: int | None = None
    arraysize = 1

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection: Any = connection  # private methods: those that are public take more ways
        self._rows: Sequence[Any] = ()

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        await self._connection._execute(self._run, self._connection._conn.execute, sql, parameters)

    async def executemany(self, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        await self._connection._execute(self._run, self._connection._conn.executemany, sql, parameters)

    def _run(self, run: Callable[[str, Any], sqlite3.Cursor], sql: str, parameters: Any) -> None:
        """On the connection's thread."""
        cursor = run(sql, parameters)
        self.description = cursor.description
        self._rows = () if cursor.description is None else cursor.fetchall()
        self.rowcount, self.lastrowid = cursor.rowcount, cursor.lastrowid
        cursor.close()

    async def fetchall(self) -> Sequence[Any]:
        return self._rows

    def close(self) -> None:
        """Nothing is left open."""


class _Cursor(AsyncAdapt_aiosqlite_cursor):
    __slots__ = ()

    _awaitable_cursor_close = False

    def _make_new_cursor(self, connection: Any) -> Any:
        return _Statement(connection)

    def _aenter_cursor(self, cursor: Any) -> Any:
        return cursor


class _Connection(AsyncAdapt_aiosqlite_connection):
    __slots__ = ()

    _cursor_cls = _Cursor


class _Driver(AsyncAdapt_aiosqlite_dbapi):
    def connect(self, *args: Any, **kwargs: Any) -> AsyncAdapt_aiosqlite_connection:
        return _Connection(self, super().connect(*args, **kwargs)._connection)


def embedded_driver() -> Any:
    """The driver of SQLite, for `create_engine(module=…)`."""
    return _Driver(aiosqlite, sqlite3)
