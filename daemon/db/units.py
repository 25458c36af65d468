"""Transactions: a unit of work is committed whole or not at all, whatever happens to the connection meanwhile.

A unit that the server rolls back for no fault of its own is run again, and so is one whose connection is lost *before*
its commit was sent: the server rolls back what it had. A connection lost *during* the commit leaves a doubt, which
only the unit itself can settle. There are three kinds:

- `@repeatable`: once more on top of itself it does no harm, so it is simply run again.
- `@proven_by(landed)`: `landed` looks, on a new connection, whether the effects of that very run are there.
- all others: the driver's error is raised, and the caller does not know.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, TypeVarTuple

import structlog
from sqlalchemy import Column, CursorResult, DateTime, Executable, func, literal_column, select
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from daemon.clock import Clock, SystemClock
from daemon.db.connection import Database
from daemon.db.outage import error_code, is_lost, is_unreachable, lost_by

log = structlog.get_logger(__name__)

_RETRYABLE = {1213, 1205, 1020}
"""Deadlock, lock wait timeout, snapshot conflict: the whole unit is rolled back and tried again."""

_ATTEMPTS = 8
_OVERTAKEN = 2
"""How often a unit may be overtaken and still try once more: by as many instances as are likely to be there."""

_UNIT_SECONDS = 60.0
"""A database unit that takes longer is cancelled."""

_ANSWER_SECONDS = 25.0
"""For one answer of the server: aiomysql itself has no read timeout. Longer than a wait for a lock, and short enough
that a connection which has silently died is found out, and the work done again, within a lease."""

_LONGEST_PAUSE = 2.0
"""Seconds between two looks whether a database that is away is back."""

_NOW = select(func.utc_timestamp(6))

read_times = (func.utc_timestamp(6).label("begun_at"), literal_column("SYSDATE(6)", DateTime).label("read_at"))
"""When a statement began, and when it read the row, having waited for its lock (sessions are in UTC)."""

_in_transaction: ContextVar[bool] = ContextVar("in_transaction", default=False)
shared_reading: ContextVar[Tx | None] = ContextVar("shared_reading", default=None)
"""The transaction that all readings of the running task share (`daemon.db.together`)."""

P = ParamSpec("P")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def in_transaction() -> bool:
    """Whether the running task is inside a transaction, where no request, sleep or task spawn may happen."""
    return _in_transaction.get()


@asynccontextmanager
async def _answered(embedded: bool) -> AsyncIterator[None]:
    """What is awaited inside is an answer of the server. It can't be waited for for ever, nor fail in many tongues."""
    if embedded:
        yield
        return
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            yield
    except (OSError, EOFError) as error:
        raise lost_by(error) from error


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
    ) -> CursorResult[*tuple[Any, ...]]:
        """Run one statement; with a list of rows, an executemany."""
        async with _answered(self.dialect == "sqlite"):
            return await self._connection.execute(statement, rows)

    async def write(
        self, statement: Executable, rows: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None
    ) -> None:
        """As `execute`, where nothing is asked but that it is done: to a server it goes with the next statement.

        What is wrong with it is raised there, or by the commit.
        """
        with self._deferring():
            await self.execute(statement, rows)

    async def send(self, statement: str, rows: list[tuple[Any, ...]] | None = None) -> None:
        """As `write`, in the driver's own words, once for each of `rows` if there are any (`bound`, all of them).

        Without rows the statement is complete as it stands.
        """
        options = {"no_parameters": rows is None}
        with self._deferring():
            async with _answered(self.dialect == "sqlite"):
                await self._connection.exec_driver_sql(statement, rows, execution_options=options)

    @contextmanager
    def _deferring(self) -> Iterator[None]:
        if self.dialect == "sqlite":
            yield
            return
        driver = self._driver
        driver.deferring = True
        try:
            yield
        finally:
            driver.deferring = False

    @property
    def _driver(self) -> Any:
        """The `PipelinedConnection`."""
        connection = self._connection.sync_connection
        assert connection is not None
        return connection.connection.driver_connection

    def bound(self, column: Column[Any], values: Sequence[Any]) -> Sequence[Any]:
        """Values of a column as the driver takes them."""
        dialect = self._connection.dialect
        process = column.type.dialect_impl(dialect).bind_processor(dialect)
        if process is None:
            return values
        distinct = {value: process(value) for value in set(values)}  # most are the same instant
        return [distinct[value] for value in values]

    async def now(self) -> datetime:
        """The transaction's instant, read once on first use, by a statement of its own.

        It is the database server's time (a simulated clock's when there is one), so read it only after the locks that
        decide something about time are held: a statement's timestamp is that of its start (DESIGN 1.2).
        """
        if self._now is None:
            self._now = await self._read_now()
        return self._now

    @property
    def time_is_the_servers(self) -> bool:
        """Whether `now` is asked of the server."""
        return not self._clock.simulated and self.dialect != "sqlite"

    def take_time(self, begun_at: datetime, read_at: datetime) -> None:
        """The instant of `now`, from a locking read that brought `read_times`: one statement less.

        A server may be told to let SYSDATE be the statement's start as well (`--sysdate-is-now`); then the two are
        one, and `now` asks for itself.
        """
        if self._now is None and read_at > begun_at:
            self._now = read_at.replace(tzinfo=UTC)

    async def _read_now(self) -> datetime:
        if not self.time_is_the_servers:
            return self._clock.now()
        value: datetime = (await self.execute(_NOW)).scalar_one()
        return value.replace(tzinfo=UTC)


def _is_retryable(error: DBAPIError) -> bool:
    """Whether the server rolled the unit back for no fault of its own, so that it may simply be run again."""
    return error_code(error) in _RETRYABLE or "database is locked" in str(error.orig)


Landed = Callable[..., Awaitable[bool]]

_landed: dict[Callable[..., Any], Landed] = {}


def repeatable(unit: Callable[Concatenate[Tx, P], Awaitable[T]]) -> Callable[Concatenate[Tx, P], Awaitable[T]]:
    """Declare that `unit` may be run again although it was perhaps committed: the docstring or the code says why."""
    _landed[unit] = _never
    return unit


def proven_by(
    landed: Callable[[Tx, T, *Ts], Awaitable[bool]],
) -> Callable[[Callable[[Tx, *Ts], Awaitable[T]]], Callable[[Tx, *Ts], Awaitable[T]]]:
    """Declare how to find out whether a run of the unit was committed: `landed(tx, result, …)` with its arguments.

    The old session may still be alive on the server, and with it its commit: `landed` must lock a row that the unit
    had locked, so that it waits until that is over.
    """

    def declare(unit: Callable[[Tx, *Ts], Awaitable[T]]) -> Callable[[Tx, *Ts], Awaitable[T]]:
        _landed[unit] = landed
        return unit

    return declare


async def _never(_tx: Tx, *_: object, **__: object) -> bool:
    return False


async def transaction(
    db: Database, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `unit(tx, …)` as one transaction and return its result: all of it is committed, or none.

    Conflicts roll the whole unit back and run it again (with jitter), and so does a lost connection (above), at once
    and then for as long as the database's `patience` lasts: a unit must have no effect outside the database. Raises
    the driver's error when that does not help; `is_lost` tells those by which nothing but the connection is to blame.

    A cancelled caller waits until the run in hand has ended: no statement is left running on the server and no
    connection is dropped mid-packet.
    """
    return await _Attempts(db, False).run(unit, *args, **kwargs)


async def reading(
    db: Database, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `unit(tx, …)` as a transaction that only reads: it takes no write lock on SQLite."""
    shared = shared_reading.get()
    if shared is not None:
        return await unit(shared, *args, **kwargs)
    return await _Attempts(db, True).run(unit, *args, **kwargs)


async def unless_overtaken(
    db: Database, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """As `transaction`; if someone else takes one of the unit's unique keys meanwhile, again: it then sees who did.

    Raises IntegrityError when the third run meets a taken key too.
    """
    for _ in range(_OVERTAKEN):
        with suppress(IntegrityError):
            return await transaction(db, unit, *args, **kwargs)
    return await transaction(db, unit, *args, **kwargs)


async def finished(work: Awaitable[T], failure: str) -> T:
    """The result of `work`; a cancelled caller waits until it has ended, however often it is told, and ends then.

    What the work then failed with goes to the log under the event `failure`: nobody else will hear of it.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        # A second cancellation must not do what the first one was kept from.
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning(failure, error=str(error))
        raise


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """A run of a unit that came as far as its commit."""

    result: T
    doubt: DBAPIError | None = None
    """Why nobody knows whether it was committed."""


class _Attempts:
    """The runs of one unit, until one of them counts."""

    def __init__(self, db: Database, read: bool) -> None:
        self._db = db
        self._read = read
        self._conflicts = 0
        self._losses = 0
        self._lost_at = 0.0

    async def run(self, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        landed = _landed.get(unit)
        while True:
            done = await self._until_done(self._read, unit, *args, **kwargs)
            if done.doubt is None or self._read:
                return done.result
            if landed is None:
                raise done.doubt
            await self._lost(done.doubt)
            if landed is _never:
                continue
            found = await self._until_done(True, landed, done.result, *args, **kwargs)
            log.warning("transaction.doubt_settled", unit=unit.__name__, committed=found.result)
            if found.result:
                return done.result

    async def _until_done(
        self, read: bool, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> _Done[T]:
        assert not in_transaction(), "a transaction inside a transaction"
        while True:
            try:
                once = _once(self._db, read, unit, *args, **kwargs)
                done = await finished(once, "transaction.failed_while_cancelled")
            except DBAPIError as error:
                if is_lost(error):
                    await self._lost(error)
                elif _is_retryable(error) and self._conflicts < _ATTEMPTS - 1:
                    self._conflicts += 1
                    log.debug("transaction.retried", unit=unit.__name__, code=error_code(error))
                    await asyncio.sleep(random.uniform(0, 0.01 * 2**self._conflicts))
                else:
                    raise
            else:
                if done.doubt is None:
                    self._db.outage.over()
                    self._losses = 0
                return done

    async def _lost(self, error: DBAPIError) -> None:
        """Return when it is worth another try; else raise `error`."""
        self._db.outage.begun(error)
        now = SystemClock().ticks()
        if self._losses == 0:
            self._lost_at = now
        self._losses += 1
        if self._losses == 1 and not is_unreachable(error):
            return
        if not self._db.patience(now - self._lost_at):
            raise error
        await asyncio.sleep(min(_LONGEST_PAUSE, 0.05 * 2**self._losses) * random.uniform(0.5, 1))


async def _once(
    db: Database, read: bool, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> _Done[T]:
    async with asyncio.timeout(_UNIT_SECONDS):
        if db.write_lock is None or read:
            return await _in_one(db, read, unit, *args, **kwargs)
        async with db.write_lock:
            return await _in_one(db, read, unit, *args, **kwargs)


async def _in_one(
    db: Database, read: bool, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> _Done[T]:
    async with _connected(db) as connection:
        await connection.execution_options(gonggo_reading=read)
        token = _in_transaction.set(True)
        try:
            async with _answered(not db.shared):
                await connection.begin()
            result = await unit(Tx(connection, db.clock), *args, **kwargs)
        except BaseException:
            await _roll_back(db, connection)
            raise
        finally:
            _in_transaction.reset(token)
        try:
            async with _answered(not db.shared):
                await connection.commit()
        except DBAPIError as error:
            await _roll_back(db, connection)
            if not is_lost(error):
                raise
            return _Done(result, error)
        return _Done(result)


@asynccontextmanager
async def _connected(db: Database) -> AsyncIterator[AsyncConnection]:
    connection = db.engine.connect()
    async with _answered(not db.shared):
        await connection.start()
    try:
        yield connection
    finally:
        await connection.close()


async def _roll_back(db: Database, connection: AsyncConnection) -> None:
    """Roll back, or drop a connection on which even that is not possible: the server then does it."""
    try:
        async with _answered(not db.shared):
            await connection.rollback()
    except SQLAlchemyError:
        await connection.invalidate()
