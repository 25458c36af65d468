"""Databases for tests: a migrated, empty one per test on each engine, made cheap by migrating once per worker."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, delete, event, exists, insert, inspect, literal, make_url, select, union_all

from daemon.clock import Clock, SystemClock
from daemon.db import Database, Tx, open_database, transaction
from daemon.flags.tables import feature_flags
from daemon.schema import migrate
from daemon.tables import metadata
from tests.servers import RunFolder, admin

CHANGES = ("CREATE", "ALTER", "INSERT", "UPDATE", "DELETE", "DROP")
"""How a statement begins that changes anything."""


def url_of(db: Database) -> str:
    """The address of the database, for another engine or another process."""
    return db.engine.url.render_as_string(hide_password=False)


@asynccontextmanager
async def open_second(db: Database, clock: Clock | None = None) -> AsyncIterator[Database]:
    """An independent engine on the same database, as a second instance would have; by default on the same clock."""
    second = open_database(url_of(db), clock or db.clock)
    try:
        yield second
    finally:
        await second.close()


async def schema_differences(db: Database) -> list[Any]:
    """Where the database is not what `daemon.tables` says: tables, columns and their order, types, nullability,
    defaults, keys, indexes and (on servers) comments."""

    def compare(connection: Connection) -> list[Any]:
        options = {"compare_type": True, "compare_server_default": True}
        found = list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))
        for name, table in metadata.tables.items():
            columns = [column["name"] for column in inspect(connection).get_columns(name)]
            if columns != list(table.columns.keys()):
                found.append((name, columns))
        return found

    async with db.engine.connect() as connection:
        return await connection.run_sync(compare)


@contextmanager
def statements(db: Database) -> Iterator[list[str]]:
    """The statements that change anything, as they were executed."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.strip().startswith(CHANGES):
            seen.append(" ".join(statement.split()))

    event.listen(db.engine.sync_engine, "after_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(db.engine.sync_engine, "after_cursor_execute", note)


async def execute(db: Database, statement: Any, rows: Any = None) -> list[Any]:
    """Run one statement in a transaction of its own and return its rows, if it returns any."""
    async with db.engine.begin() as connection:
        result = await connection.execute(statement, rows)
        return list(result) if result.returns_rows else []


async def tables_in(db: Database) -> set[str]:
    """The names of the tables that are there."""
    async with db.engine.connect() as connection:
        return set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))


class Databases:
    """What one worker has: a migrated database per engine, emptied for each test, and blank ones on demand."""

    def __init__(self, run: RunFolder, given: dict[str, str], worker: str) -> None:
        self._run = run
        self._given = given
        self._prefix = f"gonggo_{run.path.name.rpartition('-')[2]}_{worker}"
        self._numbers = itertools.count(1)
        self._flags: dict[str, list[dict[str, Any]]] = {}
        self._made: set[tuple[str, str]] = set()

    def blank(self, engine: str) -> str:
        """The URL of an empty database without any table."""
        if engine == "sqlite":
            return f"sqlite:///{self._run.path}/{self._prefix}_{next(self._numbers)}.db"
        return self._on_server(engine, f"{self._prefix}_blank")

    async def migrated(self, engine: str) -> str:
        """The URL of a database at the head revision in which only the flags are, all off."""
        if engine == "sqlite":
            template = self._run.path / f"{self._prefix}_template.db"
            if engine not in self._flags:
                await self._migrate(engine, f"sqlite:///{template}")
            copy = self._run.path / f"{self._prefix}_{next(self._numbers)}.db"
            shutil.copyfile(template, copy)
            return f"sqlite:///{copy}"
        if engine not in self._flags:
            await self._migrate(engine, self._on_server(engine, self._prefix))
        return self._url(engine, self._prefix)

    async def reset(self, engine: str, db: Database) -> None:
        """Take out what the test before left behind. (A SQLite test has a file of its own.)"""
        if db.shared:
            await transaction(db, _empty, self._flags[engine])

    def forget(self, url: str) -> None:
        """Remove the files of a test that is over."""
        if url.startswith("sqlite"):
            path = Path(url.removeprefix("sqlite:///"))
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)

    def drop_all(self) -> None:
        """Leave nothing behind on servers that outlive the run."""
        for engine, name in self._made:
            if engine in self._given:
                with admin(self._server(engine)) as cursor:
                    cursor.execute(f"DROP DATABASE IF EXISTS {name}")

    def _server(self, engine: str) -> str:
        return self._given.get(engine) or self._run.server(engine)

    def _url(self, engine: str, name: str) -> str:
        return make_url(self._server(engine)).set(database=name).render_as_string(hide_password=False)

    def _on_server(self, engine: str, name: str) -> str:
        with admin(self._server(engine)) as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
            # The worst default there is: our tables must not lean on it.
            cursor.execute(f"CREATE DATABASE {name} CHARACTER SET latin1")
        self._made.add((engine, name))
        return self._url(engine, name)

    async def _migrate(self, engine: str, url: str) -> None:
        db = open_database(url, SystemClock())
        await migrate(db)
        self._flags[engine] = await transaction(db, _all_flags)
        await db.close()


async def _all_flags(tx: Tx) -> list[dict[str, Any]]:
    return [dict(row) for row in (await tx.execute(select(feature_flags))).mappings()]


async def _empty(tx: Tx, flags: list[dict[str, Any]]) -> None:
    filled = union_all(
        *(select(literal(name)).where(exists(select(literal(1)).select_from(t))) for name, t in metadata.tables.items())
    )
    for name in (await tx.execute(filled)).scalars():
        await tx.execute(delete(metadata.tables[name]))
    await tx.execute(insert(feature_flags), flags)
