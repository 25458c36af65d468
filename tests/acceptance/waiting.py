"""Waiting for what another process brings about: on a condition with a deadline, never for a fixed time."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

T = TypeVar("T")

PATIENCE_SECONDS = 180.0
"""How long something that takes a second may take on a machine that has other things to do."""

_LOOK_SECONDS = 0.05


@overload
async def until(
    condition: Callable[[], Awaitable[T | None]], what: str | Callable[[], str], seconds: float = ...
) -> T: ...
@overload
async def until(condition: Callable[[], T | None], what: str | Callable[[], str], seconds: float = ...) -> T: ...
async def until(
    condition: Callable[[], Awaitable[T | None]] | Callable[[], T | None],
    what: str | Callable[[], str],
    seconds: float = PATIENCE_SECONDS,
) -> T:
    """What `condition` returns once that is true. Fails naming `what` when it stays false for `seconds`."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        outcome = condition()
        found = await outcome if inspect.isawaitable(outcome) else outcome
        if found:
            return found
        if loop.time() > deadline:
            raise AssertionError(f"not within {seconds:.0f} s: {what if isinstance(what, str) else what()}")
        await asyncio.sleep(_LOOK_SECONDS)
