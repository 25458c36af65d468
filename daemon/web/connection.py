"""One connection to a client; bytes on it that are no HTTP are refused like everything else, by a problem document."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import structlog
from aiohttp import web

from daemon.web.guard import add_headers
from daemon.web.problem import Problem

log = structlog.get_logger(__name__)


async def listen(runner: web.AppRunner, host: str, port: int) -> asyncio.Server:
    """Accept connections for a runner that is set up, until the server returned is closed. Raises OSError."""
    assert runner.server is not None, "the runner was not set up"
    loop = asyncio.get_running_loop()
    silent: dict[str, Any] = {"access_log": None}
    return await loop.create_server(partial(_Connection, runner.server, loop=loop, **silent), host, port)


class _Connection(web.RequestHandler):
    """aiohttp's, but for the answer to what its parser refused, which no middleware sees."""

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if status >= 500:
            log.error("http.failed", exc_info=exc)
        else:
            # Anyone may send anything: a line for each would be theirs to write.
            log.debug("http.unreadable", error=str(exc))
        if request.writer.output_size > 0:
            raise ConnectionError("an answer was begun, so this connection can only be closed")
        detail = "this is not HTTP as the server understands it" if status < 500 else None
        answer = _Last(Problem(status=status, detail=detail))
        answer.force_close()
        return answer


class _Last(web.Response):
    """A problem document on which the headers of every other answer stand, though no signal is sent for it."""

    def __init__(self, problem: Problem) -> None:
        told = problem.response()
        super().__init__(status=told.status, body=told.body, headers={"Content-Type": told.headers["Content-Type"]})

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        request = self._req
        assert request is not None
        await add_headers(request, self)  # type: ignore[arg-type]  # any request will do: it is not looked at
