"""People first: background work steps aside while somebody waits for an answer of this process."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from daemon.clock import SystemClock

QUIET = timedelta(milliseconds=20)
"""For so long nobody has waited when background work goes on: a page brings other requests with it."""

LONGEST = timedelta(seconds=1)
"""Longest that one step of background work is put off, however busy people are."""

_LOOK = timedelta(milliseconds=5)


GoOn = Callable[[], Awaitable[bool]]
"""Asked between two steps of work that takes long: returns when the next one may be made, False when none is to be."""


async def at_once() -> bool:
    """Go on, whoever waits."""
    return True


class Foreground:
    """Who is being answered now. All times are real ones."""

    def __init__(self) -> None:
        self.in_hand = 0
        """Requests that are being answered."""
        self._last_at = -math.inf

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Around the answer to one request."""
        self.in_hand += 1
        try:
            yield
        finally:
            self.in_hand -= 1
            self._last_at = SystemClock().ticks()

    async def step_aside(self) -> None:
        """Return when nobody waits for an answer; to be called before a step that holds the interpreter for long.

        Nothing is to be held meanwhile: no transaction, no place of a host.
        """
        clock = SystemClock()
        begun = clock.ticks()
        while self._is_busy() and clock.ticks() - begun < LONGEST.total_seconds():
            await clock.sleep(_LOOK)

    def until(self, stopping: asyncio.Event) -> GoOn:
        """Step aside, and whether to go on then: until `stopping` is set."""

        async def go_on() -> bool:
            await self.step_aside()
            return not stopping.is_set()

        return go_on

    def _is_busy(self) -> bool:
        return self.in_hand > 0 or SystemClock().ticks() - self._last_at < QUIET.total_seconds()
