"""Between a request's connection and its head: the permit is asked there, for connecting takes as long as it takes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace

import aiohttp

from daemon.clock import SystemClock
from daemon.sources.model import Permit


@dataclass(slots=True)
class Attempt:
    """One request between its connection and its head."""

    permit: Permit
    limit: asyncio.Timeout
    unsent: Exception | None = field(default=None)
    """Why the head did not go out, if that was ours to decide."""

    async def confirm(self) -> None:
        """Wait for the permit's place; the site's time does not run meanwhile."""
        loop, ends = asyncio.get_running_loop(), self.limit.when()
        assert ends is not None
        if self.limit.expired():
            await SystemClock().sleep(timedelta(0))  # what cancels this task is on its way
        left = ends - loop.time()
        self.limit.reschedule(None)
        try:
            await self.permit.confirm()
        except Exception as error:
            self.unsent = error
            raise
        self.limit.reschedule(loop.time() + left)


def confirming() -> aiohttp.TraceConfig:
    """Asks each request's permit before its head goes out: aiohttp awaits this signal just before it writes it."""

    async def confirm(_session: object, context: SimpleNamespace, _parameters: object) -> None:
        attempt: Attempt = context.trace_request_ctx
        await attempt.confirm()

    tracing = aiohttp.TraceConfig()
    tracing.on_request_headers_sent.append(confirm)
    return tracing
