"""The demo's Discord double, with faults that a test switches on.

A hidden limit per channel answers 429 although the bucket has requests left (Discord documentation, Rate Limits).
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum, auto

from aiohttp import web

from daemon.demo import discord as plain
from daemon.demo.discord import Json, Window, problems_of, units

__all__ = ["Discord", "Fault", "Json", "problems_of", "serve_discord", "units"]


class Fault(Enum):
    """What may go wrong with one request."""

    DROP_BEFORE = auto()
    """The connection ends and nothing was done."""
    DROP_AFTER = auto()
    """The message is posted, and the connection ends without an answer."""
    SERVER_ERROR = auto()
    """503, nothing was done."""
    SLOW = auto()
    """The message is posted, and no answer comes for as long as the client waits."""
    GARBAGE = auto()
    """The message is posted, and the answer is 200 with a body that is no JSON."""
    HIDDEN_LIMIT = auto()
    """429 although the bucket has requests left: 40.25 s."""


_FAULT = web.RequestKey("fault", object)
"""What goes wrong with a request: a Fault or None."""


@dataclass
class Discord(plain.Discord):
    """One webhook in one channel, and what is wrong with it."""

    faults: deque[Fault | None] = field(default_factory=deque)
    """Each takes one request; None lets it pass."""
    always: Fault | None = None
    """Takes every request while `faults` is empty."""
    hidden: Window | None = None
    """The channel's limit, of which the headers say nothing."""
    before: Callable[[Json], Awaitable[None]] | None = None
    """Called when a message has arrived and nothing is done yet."""
    after: Callable[[Json], Awaitable[None]] | None = None
    """Called when it stands in the channel and nobody was told yet."""

    async def arrived(self, request: web.Request, body: Json) -> web.StreamResponse | None:
        if self.before is not None:
            await self.before(body)
        fault = request[_FAULT] = self.faults.popleft() if self.faults else self.always
        if fault is Fault.DROP_BEFORE:
            return self._dropped(request, body)
        if fault is Fault.SERVER_ERROR:
            self.note(body, 503)
            return web.Response(status=503, text="upstream connect error")
        return None

    def throttle(self, request: web.Request, body: Json, now: float) -> web.StreamResponse | None:
        if request[_FAULT] is Fault.HIDDEN_LIMIT:
            return self.limited(body, 40.25, scope="shared")
        if self.hidden is None or self.hidden.take(now):
            return None
        return self.limited(body, self.hidden.ends - now, scope="shared")

    async def placed(self, request: web.Request, body: Json) -> web.StreamResponse | None:
        if self.after is not None:
            await self.after(body)
        match request[_FAULT]:
            case Fault.DROP_AFTER:
                return self._dropped(request, body)
            case Fault.SLOW:
                self.note(body, 0)
                await asyncio.sleep(60)
            case Fault.GARBAGE:
                self.note(body, 200)
                return web.Response(status=200, body=b"<html>oops", headers=self.headers(), content_type="text/html")
        return None

    def _dropped(self, request: web.Request, body: Json) -> web.StreamResponse:
        self.note(body, 0)
        assert request.transport is not None
        request.transport.abort()
        return web.Response(status=500)

    async def get(self, request: web.Request) -> web.StreamResponse:
        if self.always in (Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.SLOW):
            assert request.transport is not None
            request.transport.abort()
        return await super().get(request)


@asynccontextmanager
async def serve_discord(ticks: Callable[[], float] = time.monotonic) -> AsyncIterator[Discord]:
    """A Discord on a free port of this machine."""
    async with plain.served(Discord(ticks=ticks)) as discord:
        yield discord
