"""A TCP proxy before a database server, to take the server away without touching it."""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress
from types import TracebackType
from typing import Self

from sqlalchemy import make_url

from tests.ports import free_port


class Proxy:
    """Stands between a daemon and the server of a database address; an async context manager."""

    def __init__(self, url: str) -> None:
        self._target = make_url(url)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._port = 0
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._late = 0.0

    @property
    def url(self) -> str:
        """The database's address through the proxy."""
        return self._target.set(host="127.0.0.1", port=self._port).render_as_string(hide_password=False)

    async def cut(self) -> None:
        """From now on every connection is broken and none is accepted."""
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()

    def reset(self) -> None:
        """Every connection there is ends with a TCP reset, as one does on which a server has ended the session."""
        for writer in self._writers:
            if not writer.is_closing():
                # Lingering for no time: what is closed is reset, not finished.
                end = writer.get_extra_info("socket")
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()

    def hold(self) -> None:
        """From now on nothing is passed on either way, and no one is told: connections are half-open."""
        self._flowing.clear()

    def flow(self) -> None:
        """Pass on again, what was held back included."""
        self._flowing.set()

    def delay(self, seconds: float) -> None:
        """From now on whatever is passed on is so much late (real seconds)."""
        self._late = seconds

    async def mend(self) -> None:
        """The server can be reached again, at the same address."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port or free_port())
        self._port = self._server.sockets[0].getsockname()[1]

    async def __aenter__(self) -> Self:
        await self.mend()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flow()
        await self.cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(self._target.host, self._target.port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        try:
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        finally:
            self._writers -= {writer, far_writer}

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flowing.wait()
                if self._late:
                    await asyncio.sleep(self._late)
                writer.write(data)
                await writer.drain()
        writer.close()
