"""What systemd is told: ready, stopping, status, and a watchdog beat that stops when the engine stops.

The protocol is sd_notify(3): one datagram of `NAME=value` lines to the socket named by `$NOTIFY_SOCKET`. Without that
variable every call does nothing. Telling is best effort: a socket that is gone or full never disturbs the daemon.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from datetime import timedelta

import structlog

from daemon.clock import Clock, SystemClock, wait_for

log = structlog.get_logger(__name__)

_STATUS_CHARACTERS = 200


def watchdog_interval(environ: Mapping[str, str] = os.environ, pid: int | None = None) -> timedelta | None:
    """How long systemd waits for a beat before it kills the unit; None when it does not watch this process.

    From `$WATCHDOG_USEC`, which counts only for the process named by `$WATCHDOG_PID` (sd_watchdog_enabled(3)).
    """
    watched = environ.get("WATCHDOG_PID")
    if watched is not None and watched != str(os.getpid() if pid is None else pid):
        return None
    microseconds = environ.get("WATCHDOG_USEC", "")
    if not microseconds.isdecimal() or int(microseconds) == 0:
        return None
    return timedelta(microseconds=int(microseconds))


class Notifier:
    """The way to the service manager; `address` None (not started by systemd) makes every call a no-op."""

    def __init__(self, address: str | None) -> None:
        self._address = _socket_address(address)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Notifier:
        """The notifier for `$NOTIFY_SOCKET`."""
        return cls(environ.get("NOTIFY_SOCKET"))

    @property
    def connected(self) -> bool:
        """Whether anyone listens."""
        return self._address is not None

    def ready(self) -> None:
        """The daemon works: to be sent after the database and its revision were found good."""
        self._send("READY=1")

    def reloading(self) -> None:
        """The daemon reads its settings again; `ready` ends that.

        With the time at which it began, as `Type=notify-reload` wants it (systemd.service(5), since systemd 253).
        """
        self._send(f"RELOADING=1\nMONOTONIC_USEC={int(SystemClock().ticks() * 1_000_000)}")

    def stopping(self) -> None:
        """The daemon has begun to stop."""
        self._send("STOPPING=1")

    def beat(self) -> None:
        """One watchdog beat. `feed_watchdog` decides when it is deserved."""
        self._send("WATCHDOG=1")

    def status(self, line: str) -> None:
        """What `systemctl status` shows; one line, cut at 200 characters."""
        self._send("STATUS=" + " ".join(line.split())[:_STATUS_CHARACTERS])

    def extend_timeout(self, duration: timedelta) -> None:
        """Ask for `duration` more, from now on, for the start or stop under way."""
        self._send(f"EXTEND_TIMEOUT_USEC={duration // timedelta(microseconds=1)}")

    def _send(self, lines: str) -> None:
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.setblocking(False)
                sender.sendto(lines.encode("utf-8", "replace"), self._address)
        except OSError as error:
            log.warning("sdnotify.failed", message=lines.partition("=")[0], error=str(error))


def _socket_address(text: str | None) -> str | None:
    """A file system path, or `@name` for a socket in Linux's abstract name space; anything else can't be used."""
    if not text:
        return None
    if text.startswith("@"):
        return "\0" + text[1:]
    if text.startswith("/"):
        return text
    log.warning("sdnotify.unusable_socket", address=text)
    return None


async def feed_watchdog(
    notifier: Notifier,
    interval: timedelta,
    clock: Clock,
    progress: Callable[[], float],
    maximum_age: timedelta,
    stopping: asyncio.Event,
) -> None:
    """Beat three times per `interval` until `stopping` is set, but only while the engine advances.

    `progress` tells when the engine last took a step, in `clock.ticks()` seconds; once that is longer ago than
    `maximum_age` no beat is sent, and systemd restarts the daemon. `clock` must be real time (`SystemClock`), also
    when the business day is simulated. A beat from the event loop proves that the loop turns; `progress` proves that
    turning gets somewhere. A database that is down is not a stall: the loop that waits for it advances.
    """
    stalled = False
    while not stopping.is_set():
        age = clock.ticks() - progress()
        if age <= maximum_age.total_seconds():
            notifier.beat()
            stalled = False
        elif not stalled:
            stalled = True
            log.error("watchdog.withheld", seconds_without_progress=round(age, 1))
            notifier.status(f"no progress for {age:.0f} s")
        await wait_for(clock, stopping, interval / 3)
