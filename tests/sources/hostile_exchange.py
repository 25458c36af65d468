"""One request to the hostile site, and the register of the plays that may answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

DRIP_SECONDS = 0.02


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One request as it arrived."""

    method: str
    target: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    at: float
    """The event loop's time in seconds."""

    @property
    def path(self) -> str:
        return urlsplit(self.target).path


class Gone(Exception):
    """The client has closed the connection."""


@dataclass
class Exchange:
    """A request that is being answered."""

    hit: Hit
    writer: asyncio.StreamWriter
    sent: int = field(default=0)

    async def send(self, data: bytes) -> None:
        """Write `data`, waiting for the client to take it. Raises Gone when there is no client."""
        if self.writer.is_closing():
            raise Gone
        self.writer.write(data)
        try:
            await self.writer.drain()
        except OSError as error:
            raise Gone from error
        self.sent += len(data)

    async def answer(self, body: bytes, *headers: str, status: str = "200 OK", kind: str = "application/json") -> None:
        """A well-formed answer."""
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
        if kind:
            lines.append(f"Content-Type: {kind}")
        await self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    async def drip(self, data: bytes) -> None:
        """Send `data` a byte at a time."""
        for byte in data:
            await self.send(bytes([byte]))
            await asyncio.sleep(DRIP_SECONDS)


Play = Callable[[Exchange], Awaitable[None]]
PLAYS: dict[str, Play] = {}


def play(name: str) -> Callable[[Play], Play]:
    def register(function: Play) -> Play:
        PLAYS[name] = function
        return function

    return register
