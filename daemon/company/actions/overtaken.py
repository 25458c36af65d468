"""One more look after someone else was faster."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy.exc import IntegrityError

from daemon.db import Database, Tx, transaction

P = ParamSpec("P")
T = TypeVar("T")


async def unless_overtaken(
    db: Database, unit: Callable[Concatenate[Tx, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Run `unit`; if someone else took one of its unique keys meanwhile, once more, so that it sees who did."""
    try:
        return await transaction(db, unit, *args, **kwargs)
    except IntegrityError:
        return await transaction(db, unit, *args, **kwargs)
