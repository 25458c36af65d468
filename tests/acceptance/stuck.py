"""`python -m tests.acceptance.stuck PLACE run`: the real daemon, in which one thing never ends from some moment on.

`slices`: the loop that claims; `recovery`: the recovery tick; `event-loop`: everything, the event loop itself included.
The watchdog's patience with the engine, five minutes, is one second here.
"""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import timedelta

from daemon import app
from daemon.cli import main
from daemon.collection import loop
from daemon.collection.actions.claim import Assignment
from daemon.collection.engine import Engine

_FINE = 3
"""Rounds that go well first."""


def _stick(place: str) -> None:
    claim, recover = loop._claim, loop.recover
    rounds = 0

    async def claim_or_hang(engine: Engine, only: frozenset[int] | None) -> tuple[list[Assignment], timedelta]:
        nonlocal rounds
        rounds += 1
        if rounds > _FINE and place == "slices":
            await asyncio.Event().wait()
        if rounds > _FINE and place == "event-loop":
            time.sleep(3600)
        return await claim(engine, only)

    async def recover_or_hang(engine: Engine) -> None:
        nonlocal rounds
        rounds += place == "recovery"
        if rounds > _FINE and place == "recovery":
            await asyncio.Event().wait()
        await recover(engine)

    app._ENGINE_STALL = timedelta(seconds=1)
    loop.IDLE_POLL = timedelta(seconds=0.2)
    loop._claim, loop.recover = claim_or_hang, recover_or_hang


if __name__ == "__main__":
    _stick(sys.argv.pop(1))
    main()
