"""A proxy before a database server that knows enough of the protocol to lose a connection at a given statement."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Self

from sqlalchemy import make_url

from tests.ports import free_port

_COM_QUERY = 0x03
_GOING_DOWN = b"\xff" + (1053).to_bytes(2, "little") + b"#08S01Server shutdown in progress"
"""An ERR_Packet of the client/server protocol, after its head."""


class Fault(Enum):
    """What becomes of a statement and of its connection."""

    BEFORE = "the connection breaks before the statement reaches the server"
    AFTER = "the server carries it out, but the connection breaks before the answer is there"
    MUTE = "neither the statement nor anything after it gets through, and the connection stays open"
    DEAF = "the server carries it out, but no answer gets through, and the connection stays open"
    REFUSED = "the server answers that it is going down, and nothing after it gets through"


@dataclass
class Plan:
    """The statement, counted from the moment the plan was made, that meets a fault."""

    number: int
    fault: Fault


class FaultyProxy:
    """Stands between an engine and the server of a database address; an async context manager."""

    def __init__(self, url: str) -> None:
        self._target = make_url(url)
        self._server: asyncio.Server | None = None
        self._links: set[_Link] = set()
        self._port = 0
        self._plan: Plan | None = None
        self.statements: list[str] = []
        """Since the last plan was made."""
        self.met: str | None = None
        """The statement that met the fault, once it has."""

    @property
    def url(self) -> str:
        """The database's address through the proxy."""
        return self._target.set(host="127.0.0.1", port=self._port).render_as_string(hide_password=False)

    def expect(self, number: int | None = None, fault: Fault = Fault.BEFORE) -> None:
        """Let the `number`th statement from now on (from 0; None: no one) meet a fault."""
        self._plan = None if number is None else Plan(number, fault)
        self.statements, self.met = [], None

    async def close(self) -> None:
        """From now on no connection is accepted, and every one there is is broken."""
        assert self._server is not None
        self._server.close()
        for link in tuple(self._links):
            link.abort()

    async def open(self) -> None:
        """The server can be reached, at the same address as before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port or free_port())
        self._port = self._server.sockets[0].getsockname()[1]

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
        for link in tuple(self._links):
            await link.over.wait()

    def judge(self, statement: str) -> Fault | None:
        """What becomes of a statement that has just arrived."""
        number = len(self.statements)
        self.statements.append(statement)
        if self._plan is None or self._plan.number != number:
            return None
        self.met = statement
        return self._plan.fault

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far = await asyncio.open_connection(self._target.host, self._target.port)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(self, (reader, writer), far)
        self._links.add(link)
        try:
            await link.run()
        finally:
            self._links.discard(link)
            link.over.set()


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Link:
    def __init__(self, proxy: FaultyProxy, near: Ends, far: Ends) -> None:
        self._proxy = proxy
        self._near = near
        self._far = far
        self._fault: Fault | None = None
        self.over = asyncio.Event()

    def abort(self) -> None:
        for _, writer in (self._near, self._far):
            writer.transport.abort()

    async def run(self) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            async with asyncio.TaskGroup() as group:
                group.create_task(self._forth())
                group.create_task(self._back())
        self.abort()
        for _, writer in (self._near, self._far):
            with suppress(OSError):
                await writer.wait_closed()

    async def _forth(self) -> None:
        reader, writer = self._near[0], self._far[1]
        try:
            while True:
                head = await reader.readexactly(4)
                body = await reader.readexactly(int.from_bytes(head[:3], "little"))
                if head[3] == 0 and body[:1] == bytes([_COM_QUERY]) and self._fault is None:
                    self._fault = self._proxy.judge(body[1:].decode("utf-8", "replace"))
                if self._fault is Fault.BEFORE:
                    self.abort()
                    return
                if self._fault is Fault.REFUSED:
                    self._near[1].write(len(_GOING_DOWN).to_bytes(3, "little") + b"\x01" + _GOING_DOWN)
                    await self._near[1].drain()
                elif self._fault is not Fault.MUTE:
                    writer.write(head + body)
                    await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._far[1].close()

    async def _back(self) -> None:
        reader, writer = self._far[0], self._near[1]
        try:
            while data := await reader.read(65536):
                if self._fault is Fault.AFTER:
                    self.abort()
                    return
                if self._fault is None:
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass
        finally:
            if self._fault is not Fault.DEAF:
                self._near[1].close()
