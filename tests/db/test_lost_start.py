"""A daemon whose database goes away while it is starting starts all the same, when it is back."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from daemon import app
from daemon.db import Database
from daemon.settings import Settings
from tests.databases import url_of
from tests.faults import Fault, FaultyProxy

_AWAY_SECONDS = 0.3


class _Leaving(FaultyProxy):
    """Goes away at the `number`th statement (from 1) that has a word in it, and comes back."""

    def __init__(self, url: str, word: str, number: int) -> None:
        super().__init__(url)
        self._word = word
        self._left = number
        self.back = asyncio.Event()

    def judge(self, statement: str) -> Fault | None:
        self._left -= self._word in statement
        if self._left or self.met is not None:
            return None
        self.met = statement
        self._leaving = asyncio.ensure_future(self._leave())
        return Fault.BEFORE

    async def _leave(self) -> None:
        await self.close()
        await asyncio.sleep(_AWAY_SECONDS)
        await self.open()
        self.back.set()


_MOMENTS = [
    *(("DESCRIBE", 1), ("version_num", 1), ("DESCRIBE", 2), ("version_num", 2)),
    *(("feature_flags", 1), ("job_sources", 1)),
]
"""Two looks at the schema, then what is told of flags and sources."""


@pytest.mark.parametrize(("word", "number"), _MOMENTS)
async def test_wherever_in_its_start_the_database_goes_away_the_daemon_starts_when_it_is_back(
    server_db: Database, word: str, number: int
) -> None:
    """Found by chaos: a server that was restarted just then took the daemon with it."""
    async with _Leaving(url_of(server_db), word, number) as proxy:
        with capture_logs() as told:
            settings = Settings(database_url=proxy.url, http_port=0)
            running = asyncio.ensure_future(app.run(settings, lambda: settings))
            await _until(lambda: running.done() or (proxy.back.is_set() and _is_told(told)))
            assert not running.done(), proxy.met
            os.kill(os.getpid(), signal.SIGTERM)
            assert await running == 0
    assert not [event for event in told if event["log_level"] == "error"]


def _is_told(events: list[Any]) -> bool:
    return any(event["event"] == "daemon.nothing_followed" for event in events)


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)
