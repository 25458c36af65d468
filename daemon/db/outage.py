"""When the connection to the database server is lost: how that shows, and how it is told."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import structlog
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from daemon.clock import SystemClock

log = structlog.get_logger(__name__)

DATABASE_FAULTS = (OperationalError, InterfaceError, NoConnectionFree, TimeoutError)
"""What `transaction` and `reading` raise when the database is at fault and not the work: away, busy, locked, full."""

_UNREACHABLE = frozenset({1040, 1203, 2002, 2003, 2005})
"""Nobody answers at the address, or the server has no place left for us."""

_LOST = _UNREACHABLE | {
    *(1053, 1077, 1078, 1079),  # the server shuts down
    *(1152, 1158, 1159, 1160, 1161, 1184),  # the server gave the connection up
    *(1317, 1927, 3169, 4031),  # the statement or the session was ended from outside, or for its silence
    *(2006, 2013, 2014, 2027, 2055),  # the driver noticed that nobody is there any more
}
"""Codes of MySQL and MariaDB after which nothing can be said on that connection."""


def error_code(error: DBAPIError) -> int | None:
    """The server's or the driver's number for what went wrong."""
    arguments = getattr(error.orig, "args", ())
    return arguments[0] if arguments and isinstance(arguments[0], int) else None


def is_lost(error: BaseException) -> bool:
    """Whether `transaction` or `reading` raised this because the database can't be reached, or stopped answering.

    Nothing is wrong with the work then: done again later it may well succeed.
    """
    if not isinstance(error, DBAPIError):
        return False
    driver = error.orig
    silent = isinstance(error, InterfaceError) and "onnected" in str(driver)
    garbled = "Packet sequence number wrong" in str(driver)
    return error.connection_invalidated or error_code(error) in _LOST or silent or garbled


def is_unreachable(error: DBAPIError) -> bool:
    """Whether there was not even a connection to lose."""
    return error_code(error) in _UNREACHABLE


def lost_by(cause: BaseException) -> OperationalError:
    """The one kind of error that callers see, for what the driver lets through as it comes: sockets, streams, time."""
    if isinstance(cause, TimeoutError) and not cause.args:
        cause = TimeoutError("no answer from the database server")
    return OperationalError("", None, cause, connection_invalidated=True)


@dataclass(slots=True)
class Outage:
    """Whether the database is away, as far as this process has noticed: told once, however many notice it."""

    since: float | None = field(default=None)
    noticed_at: float = field(default=-math.inf)
    """When a connection was last lost, or could not be had, by `SystemClock.ticks`; most likely they all have died."""

    def begun(self, error: BaseException) -> None:
        """A connection was lost, or could not be had."""
        self.noticed_at = SystemClock().ticks()
        if self.since is None:
            self.since = self.noticed_at
            log.warning("database.lost", error=str(error).splitlines()[0])

    def over(self) -> None:
        """A unit has ended in good order."""
        if self.since is not None:
            log.info("database.back", seconds=round(SystemClock().ticks() - self.since, 1))
            self.since = None
