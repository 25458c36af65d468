"""A site that misbehaves in every way we know of: raw bytes over asyncio, so that it can break HTTP itself.

    async with HostileSite() as site:
        settings = Settings(platform_origins={Platform.GREENHOUSE: site.origin})
        site.plays("/v1/boards/evil", "bomb-gzip")

An address plays what `plays` or `answers` said for the longest matching path, else the play named by its last segment
(`/anything/drip-body`), else 404. Every request is kept in `hits`.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from tests.sources.hostile_exchange import Exchange, Gone, Hit, Play
from tests.sources.hostile_plays import PLAYS

__all__ = ["PLAYS", "Hit", "HostileSite"]


class HostileSite:
    """The server; an async context manager."""

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self._routes: dict[str, Play] = {}
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def in_hand(self) -> int:
        """Requests that are being answered."""
        return len(self._tasks)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def plays(self, path: str, name: str) -> None:
        """From now on `path` and what lies under it plays the play of that name."""
        self._routes[path] = PLAYS[name]

    def answers(self, path: str, body: bytes, *headers: str, status: str = "200 OK", kind: str = "text/html") -> None:
        """From now on `path` and what lies under it answers `body`."""

        async def fixed(exchange: Exchange) -> None:
            await exchange.answer(body, *headers, status=status, kind=kind)

        self._routes[path] = fixed

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def _play_of(self, path: str) -> Play:
        matching = [known for known in self._routes if path == known or path.startswith(known.rstrip("/") + "/")]
        if matching:
            return self._routes[max(matching, key=len)]
        return PLAYS.get(path.rsplit("/", 1)[-1], PLAYS["not-found"])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            hit = await _read_request(reader)
            self.hits.append(hit)
            await self._play_of(hit.path)(Exchange(hit, writer))
        except (Gone, OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._tasks.discard(task)
            writer.close()


async def _read_request(reader: asyncio.StreamReader) -> Hit:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *rest = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    at = asyncio.get_running_loop().time()
    return Hit(method=method, target=target, headers=headers, body=body, at=at)
