"""The database seen from outside: plain SQL on a connection of our own, past every proxy; outlives its deaths."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

import pymysql
from sqlalchemy import make_url

Row = dict[str, Any]

_AWAY = (pymysql.err.MySQLError, sqlite3.Error, OSError)


class Reader:
    """Reads a database; one call at a time."""

    def __init__(self, url: str) -> None:
        self._at = make_url(url)
        self._connection: Any = None
        self._turn = asyncio.Lock()

    async def rows(self, query: str) -> list[Row] | None:
        """What a query returns; None when the database can't be asked just now."""
        async with self._turn:
            return await asyncio.to_thread(self._rows, query)

    async def tables(self, names: Iterable[str]) -> dict[str, list[Row]]:
        """Whole tables, all as of one instant."""
        async with self._turn:
            return await asyncio.to_thread(self._tables, tuple(names))

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _rows(self, query: str) -> list[Row] | None:
        try:
            return self._ask(query)
        except _AWAY:
            try:
                self.close()
            except _AWAY:
                self._connection = None
            return None

    def _tables(self, names: tuple[str, ...]) -> dict[str, list[Row]]:
        self._ask("BEGIN" if self._embedded else "START TRANSACTION WITH CONSISTENT SNAPSHOT")
        try:
            return {name: self._ask(f"SELECT * FROM {name} ORDER BY id") for name in names}
        finally:
            self._ask("ROLLBACK")

    @property
    def _embedded(self) -> bool:
        return self._at.get_backend_name() == "sqlite"

    def _ask(self, query: str) -> list[Row]:
        if self._connection is None:
            self._connection = self._connected()
        cursor = self._connection.cursor()
        cursor.execute(query)
        names = [column[0] for column in cursor.description or ()]
        return [
            {name: _value(name, value) for name, value in zip(names, found, strict=True)}
            for found in (cursor.fetchall() if names else ())
        ]

    def _connected(self) -> Any:
        if self._embedded:
            return sqlite3.connect(
                f"file:{self._at.database}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
            )
        return pymysql.connect(
            host=self._at.host or "127.0.0.1",
            port=self._at.port or 3306,
            user=self._at.username or "root",
            password=self._at.password or "",
            database=self._at.database,
            charset="utf8mb4",
            connect_timeout=5,
            read_timeout=20,
            autocommit=True,
        )


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name.endswith(("_at", "_until")):
        instant = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return instant.replace(tzinfo=UTC)
    if name.endswith("_date"):
        return value if isinstance(value, date) else date.fromisoformat(value)
    return value
