"""A double of the service manager's ear: the socket to which a daemon sends its notices (sd_notify(3))."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.waiting import until

_CREDENTIALS = struct.Struct("iII")


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """One datagram."""

    at: float
    """`time.monotonic()` when it was read."""
    pid: int
    """Who sent it, as the kernel says."""
    words: dict[str, str]


class Notices:
    """All that was heard, in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard: list[Notice] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._socket.setblocking(False)
        self._socket.bind(str(path))

    def having(self, name: str, value: str | None = None) -> list[Notice]:
        """The notices with that word (and value)."""
        return [one for one in self.heard if name in one.words and value in {None, one.words[name]}]

    async def first(self, name: str, value: str | None = None) -> Notice:
        """The first notice with that word (and value), awaited."""
        found = await until(lambda: self.having(name, value), lambda: f"{name}={value} among {self.heard}")
        return found[0]

    async def beats(self, seconds: float) -> list[float]:
        """When the watchdog was fed during the next `seconds`."""
        begun = time.monotonic()
        await asyncio.sleep(seconds)
        return [one.at for one in self.having("WATCHDOG", "1") if one.at >= begun]

    def read(self) -> None:
        """Take in what has arrived."""
        while True:
            try:
                data, ancillary, _, _ = self._socket.recvmsg(4096, socket.CMSG_SPACE(_CREDENTIALS.size))
            except BlockingIOError:
                return
            pid = next(
                _CREDENTIALS.unpack(content)[0] for _, kind, content in ancillary if kind == socket.SCM_CREDENTIALS
            )
            lines = (line.partition("=") for line in data.decode("utf-8").splitlines())
            words = {name: value for name, _, value in lines}
            self.heard.append(Notice(at=time.monotonic(), pid=pid, words=words))

    def close(self) -> None:
        """Hear no more."""
        self._socket.close()

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self._socket.fileno()


@contextmanager
def listening(folder: Path) -> Iterator[Notices]:
    """An ear in that folder, for as long as the test's event loop runs."""
    notices = Notices(folder / "notify")
    loop = asyncio.get_running_loop()
    loop.add_reader(notices.fileno(), notices.read)
    try:
        yield notices
    finally:
        loop.remove_reader(notices.fileno())
        notices.close()
