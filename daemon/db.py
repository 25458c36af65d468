"""The database: engine, transaction, and every difference between MySQL, MariaDB and SQLite.

MySQL and MariaDB run at READ COMMITTED (research: 1,309 deadlocks at REPEATABLE READ, none here). On SQLite a write
transaction is `BEGIN IMMEDIATE`, which stands in for the row locks.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import structlog
from sqlalchemy import (
    BigInteger,
    Column,
    CursorResult,
    DateTime,
    Executable,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    TypeDecorator,
    event,
    func,
    make_url,
    select,
)
from sqlalchemy.dialects import mysql, sqlite
from sqlalchemy.engine import URL, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from daemon.clock import Clock

log = structlog.get_logger(__name__)

metadata = MetaData()
"""Every table of the product; each context adds its own in `tables.py`."""

MYSQL_TABLE: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}
"""Keyword arguments of every table: equality means equality on all three engines (DESIGN 1.1)."""

_RETRYABLE = {1213, 1205, 1020}
"""Deadlock, lock wait timeout, snapshot conflict: the whole unit is rolled back and tried again."""

_ATTEMPTS = 8
_UNIT_SECONDS = 60.0
"""A database unit that takes longer is cancelled: aiomysql itself has no read timeout."""

_SILENCE_SECONDS = 30
"""The server ends a session that says nothing for so long, and rolls it back.

A box that was suspended in the middle of a transaction would else hold its locks for hours: on the gate, on a host.
Well under a lease, and less than what the attempts of those who wait for the locks take together. An idle connection
of the pool is ended too; it is tested before it is used.
"""

_in_transaction: ContextVar[bool] = ContextVar("in_transaction", default=False)

P = ParamSpec("P")
T = TypeVar("T")


def in_transaction() -> bool:
    """Whether the running task is inside a transaction, where no request, sleep or task spawn may happen."""
    return _in_transaction.get()


class UtcDateTime(TypeDecorator[datetime]):
    """DATETIME(6) in UTC <-> aware UTC datetime, whole microseconds. A naive value is a bug."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name in {"mysql", "mariadb"}:
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        return dialect.type_descriptor(DateTime())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        assert value.tzinfo is not None, "an instant without a time zone reached the database"
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


BigId = BigInteger().with_variant(Integer(), "sqlite")
"""BIGINT; on SQLite INTEGER, the only type whose primary key counts up by itself."""

Flag = SmallInteger().with_variant(mysql.TINYINT(display_width=1), "mysql", "mariadb")
"""TINYINT(1): 0 or 1 (seed 001: no BOOLEAN columns)."""

MediumText = Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
"""Text up to 16 MiB; a plain TEXT of MySQL holds only 64 KiB."""


def id_column() -> Column[int]:
    """The primary key that every table has: `id`, counted up by the database."""
    return Column("id", BigId, primary_key=True, autoincrement=True, comment="PK")


class Tx:
    """One open transaction. Stores take it, use it, and never commit."""

    def __init__(self, connection: AsyncConnection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._now: datetime | None = None

    @property
    def dialect(self) -> Literal["mysql", "sqlite"]:
        return "sqlite" if self._connection.dialect.name == "sqlite" else "mysql"

    async def execute(
        self, statement: Executable, rows: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Run one statement; with a list of rows, an executemany."""
        return await self._connection.execute(statement, rows)

    async def now(self) -> datetime:
        """The transaction's instant, read once on first use, by a statement of its own.

        It is the database server's time (a simulated clock's when there is one), so read it only after the locks that
        decide something about time are held: a statement's timestamp is that of its start (DESIGN 1.2).
        """
        if self._now is None:
            self._now = await self._read_now()
        return self._now

    async def _read_now(self) -> datetime:
        if self._clock.simulated or self.dialect == "sqlite":
            return self._clock.now()
        value: datetime = (await self._connection.execute(select(func.utc_timestamp(6)))).scalar_one()
        return value.replace(tzinfo=UTC)


class Database:
    """An engine together with the clock that its transactions use."""

    def __init__(self, engine: AsyncEngine, clock: Clock) -> None:
        self.engine = engine
        self.clock = clock
        self.write_lock = asyncio.Lock() if engine.dialect.name == "sqlite" else None
        """On SQLite writers queue here instead of polling the file lock against each other."""

    @property
    def shared(self) -> bool:
        """Whether several instances may run on it (a server, not a file)."""
        return self.write_lock is None

    async def close(self) -> None:
        """Close all pooled connections."""
        await self.engine.dispose()


def database_url(text: str) -> URL:
    """The async URL of a database address as people write it (`mysql://…`, `sqlite:///…`).

    Raises ValueError when the address names another kind of database.
    """
    url = make_url(text)
    backend = url.get_backend_name()
    if backend in {"mysql", "mariadb"}:
        return url.set(drivername="mysql+aiomysql").update_query_dict({"charset": "utf8mb4"})
    if backend == "sqlite":
        return url.set(drivername="sqlite+aiosqlite")
    raise ValueError(f"DATABASE_URL names {backend!r}; gonggo runs on mysql:// (MySQL, MariaDB) or sqlite:///")


def open_database(text: str, clock: Clock, *, pool_size: int = 10) -> Database:
    """An engine for `text`, configured once and for all: isolation, time zone, time limits, pragmas."""
    url = database_url(text)
    if url.get_backend_name() == "sqlite":
        engine = create_async_engine(url, pool_size=pool_size, max_overflow=pool_size, connect_args={"timeout": 30})
        _prepare_sqlite(engine)
        return Database(engine, clock)
    engine = create_async_engine(
        url,
        isolation_level="READ COMMITTED",
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_pre_ping=True,
        pool_recycle=3600,
        connect_args={
            "connect_timeout": 10,
            "init_command": (
                "SET time_zone='+00:00', innodb_lock_wait_timeout=10, sql_mode='TRADITIONAL', "
                f"wait_timeout={_SILENCE_SECONDS}"
            ),
        },
    )
    return Database(engine, clock)


def _prepare_sqlite(engine: AsyncEngine) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "temp_store=MEMORY"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        reading = connection.get_execution_options().get("gonggo_reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _error_code(error: DBAPIError) -> int | None:
    arguments = getattr(error.orig, "args", ())
    return arguments[0] if arguments and isinstance(arguments[0], int) else None


def is_retryable(error: DBAPIError) -> bool:
    """Whether the server rolled the unit back for no fault of its own, so that it may simply be run again."""
    return _error_code(error) in _RETRYABLE or "database is locked" in str(error.orig)


async def transaction(
    db: Database, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `unit(tx, …)` as one transaction and return its result: all of it is committed, or none.

    Deadlocks, lock timeouts and snapshot conflicts roll the whole unit back and run it again (with jitter), so a unit
    must have no effect outside the database. A cancelled caller waits until the unit has ended: no statement is left
    running on the server and no connection is dropped mid-packet.
    """
    return await _shielded(_attempts(db, False, unit, *args, **kwargs))


async def reading(
    db: Database, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `unit(tx, …)` as a transaction that only reads: it takes no write lock on SQLite."""
    return await _shielded(_attempts(db, True, unit, *args, **kwargs))


async def _shielded(work: Awaitable[T]) -> T:
    assert not in_transaction(), "a transaction inside a transaction"
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            await asyncio.wait({task})
        if not task.cancelled() and task.exception() is not None:
            log.warning("transaction.failed_while_cancelled", error=str(task.exception()))
        raise


async def _attempts(
    db: Database, read: bool, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            async with asyncio.timeout(_UNIT_SECONDS):
                return await _once(db, read, unit, *args, **kwargs)
        except DBAPIError as error:
            if attempt == _ATTEMPTS or not is_retryable(error):
                raise
            log.debug("transaction.retried", unit=unit.__name__, attempt=attempt, code=_error_code(error))
            await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))
    raise AssertionError("unreachable")


async def _once(
    db: Database, read: bool, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    if db.write_lock is None or read:
        return await _begin(db, read, unit, *args, **kwargs)
    async with db.write_lock:
        return await _begin(db, read, unit, *args, **kwargs)


async def _begin(
    db: Database, read: bool, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    async with db.engine.connect() as connection:
        await connection.execution_options(gonggo_reading=read)
        token = _in_transaction.set(True)
        try:
            async with connection.begin():
                return await unit(Tx(connection, db.clock), *args, **kwargs)
        finally:
            _in_transaction.reset(token)


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
