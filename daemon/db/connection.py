"""An engine for the address of a database: isolation, time zone, time limits, pragmas."""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self

from pymysql.constants import FIELD_TYPE
from pymysql.converters import decoders
from sqlalchemy import event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util.concurrency import await_only, in_greenlet

from daemon.clock import Clock, SystemClock
from daemon.db.columns import instant
from daemon.db.embedded import embedded_driver
from daemon.db.literals import row_texts
from daemon.db.outage import Outage

_SILENCE_SECONDS = 30
"""The server ends a session that says nothing for so long, and rolls it back.

A box that was suspended in the middle of a transaction would else hold its locks for hours: on the gate, on a host.
Well under a lease, and less than what the attempts of those who wait for the locks take together. An idle connection
of the pool is ended too; it is tested before it is used.
"""

_CACHE = "cache_size=-1024"
"""KiB of pages that a connection to SQLite keeps: there may be twenty, and the system keeps the file in memory too."""

_DECODERS = {**decoders, FIELD_TYPE.DATETIME: instant}
"""How the driver reads what MySQL writes, by type."""

_FRESH_SECONDS = 1.0
"""A connection that was used so recently is not tested: it would double the round trips of a short transaction."""

Patience = Callable[[float], bool]
"""Whether to go on waiting for a database that has been away for so many (real) seconds."""


def _none(_waited: float) -> bool:
    return False


class Database:
    """An engine together with the clock that its transactions use."""

    def __init__(self, engine: AsyncEngine, clock: Clock) -> None:
        self.engine = engine
        self.clock = clock
        self.write_lock = asyncio.Lock() if engine.dialect.name == "sqlite" else None
        """On SQLite writers queue here instead of polling the file lock against each other."""
        self.outage = Outage()
        self.patience: Patience = _none

    @property
    def shared(self) -> bool:
        """Whether several instances may run on it (a server, not a file)."""
        return self.write_lock is None

    def patient(self, patience: Patience) -> Self:
        """The same database for someone who would rather wait than fail while it is away.

        Units then block until it is back, and raise only when `patience` says no.
        """
        other = copy.copy(self)
        other.patience = patience
        return other

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
    """An engine for `text`, configured once and for all.

    Every transaction ends with a commit or a rollback of its own, so the pool needs not roll back once more.
    """
    url = database_url(text)
    if url.get_backend_name() == "sqlite":
        engine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_reset_on_return=None,
            connect_args={"timeout": 30},
            module=embedded_driver(),
        )
        _prepare_sqlite(engine)
        return Database(engine, clock)
    # Ten megabytes that on SQLite would be for nothing.
    from daemon.db.pipeline import connect

    engine = create_async_engine(
        url,
        isolation_level="READ COMMITTED",
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_recycle=3600,
        pool_reset_on_return=None,
        connect_args={
            "async_creator_fn": connect,
            "connect_timeout": 10,
            "conv": _DECODERS,
            "init_command": (
                "SET time_zone='+00:00', innodb_lock_wait_timeout=10, sql_mode='TRADITIONAL', "
                # Two indexes read whole where one of them, in order, would end after the first page of a list.
                "optimizer_switch='index_merge_intersection=off', "
                "group_concat_max_len=16777216, "
                f"wait_timeout={_SILENCE_SECONDS}"
            ),
        },
    )
    event.listen(engine.sync_engine, "do_executemany", _many_rows_at_once)
    event.listen(engine.sync_engine, "close", _close)
    db = Database(engine, clock)
    _test_the_idle(engine, db.outage)
    return db


def _prepare_sqlite(engine: AsyncEngine) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "temp_store=MEMORY", _CACHE):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        reading = connection.get_execution_options().get("gonggo_reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _test_the_idle(engine: AsyncEngine, outage: Outage) -> None:
    """Ask a pooled connection whether it lives before it is used again, unless it did a moment ago.

    One that has died since then is found out by its first statement, and the unit is run again. What has lain there
    since before that is opened anew unasked. The pool itself stays: what is in use, of a pool that is left behind,
    nobody closes.
    """
    pool, dialect, ticks = engine.sync_engine.pool, engine.sync_engine.dialect, SystemClock().ticks

    @event.listens_for(pool, "checkin")
    def checkin(_connection: Any, record: Any) -> None:
        record.info["used_at"] = ticks()

    @event.listens_for(pool, "checkout")
    def checkout(connection: Any, record: Any, _fairy: Any) -> None:
        used_at = record.info.get("used_at")
        if used_at is None:
            return
        if used_at <= outage.noticed_at:
            raise DisconnectionError("idle while another connection was lost")
        if ticks() - used_at < _FRESH_SECONDS:
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            if dialect.is_disconnect(error, connection, None):
                raise InvalidatePoolError from error  # they all have died with the server, most likely
            raise


def _close(connection: Any, _record: Any) -> None:
    """Close the socket even where the server has ended the session and no longer hears the goodbye.

    The driver then raises and leaves the socket open. What the pool does next finds the connection closed.
    """
    driver = connection.driver_connection
    try:
        if in_greenlet():
            with suppress(OSError):
                await_only(driver.ensure_closed())
    finally:
        driver.close()


_INSERT = re.compile(
    r"(INSERT INTO [^%]+ VALUES )\(%s(?:, %s)*\)((?: AS new)?(?: ON DUPLICATE KEY UPDATE [^%]+)?)", re.DOTALL
)


def _many_rows_at_once(cursor: Any, statement: str, parameters: Sequence[Any], _context: Any) -> bool:
    """Send an INSERT or upsert of many rows in a few statements.

    The driver knows the upsert of MySQL 5 only and sends MySQL 8's row by row, and it takes its time over every value.
    """
    parts = _INSERT.fullmatch(statement)
    if parts is None or len(parameters) == 1:
        return False
    head, tail = parts.groups()
    for rows in row_texts(zip(*parameters, strict=True)):
        cursor.execute(f"{head}{rows}{tail}")
    return True
