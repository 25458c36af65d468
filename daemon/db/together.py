"""Several readings of one answer: one after the other on one connection, or side by side on two."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from daemon.db.connection import Database
from daemon.db.units import Tx, reading, shared_reading

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")
Reading = Callable[[], Awaitable[T]]


async def reading_together(db: Database, work: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work(…)` with all its readings of `db`, one after the other, as one transaction.

    A connection is waited for once, the time is read once, and on SQLite they see one state. `work` writes nothing and
    has no effect outside: it is run again whole where a reading by itself would be.
    """

    async def unit(tx: Tx) -> T:
        token = shared_reading.set(tx)
        try:
            return await work(*args, **kwargs)
        finally:
            shared_reading.reset(token)

    return await reading(db, unit)


async def side_by_side(db: Database, first: Reading[T], second: Reading[U]) -> tuple[T, U]:
    """What both come to, each by readings of its own: while a server works for one, the other gets on.

    One after the other on SQLite, whose thread would wait for this one with every answer. Raises what one of them
    raises, when both have ended.
    """
    if not db.shared:
        return await first(), await second()
    one, other = await asyncio.gather(first(), second(), return_exceptions=True)
    if isinstance(one, BaseException):
        raise one
    if isinstance(other, BaseException):
        raise other
    return one, other
