"""Senders that die at every step: `python -m tests.notification_deaths URL WEBHOOK SOURCES DEATHS`.

A trial makes two messages due and sends them in a forked process whose event loop ends that process, as SIGKILL would,
at a turn of its choosing; then another takes over when the claim's lease is over. The first sender lives, and its turns
are counted: how many it takes depends on how a server's answers are cut up, so on engine, machine and load. The others
die at turns spread evenly over that life, about DEATHS of them, until one outlives its turn. Which copies arrived is
for whoever runs the webhook to say. Writes one JSON line per trial.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
import traceback
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from daemon.clock import SkippingClock, kst
from daemon.db import Database, open_database, reading
from daemon.notification.actions.day import dispatch_notifications
from daemon.notification.actions.plan import plan_day
from daemon.notification.actions.send import Sender
from daemon.notification.actions.webhook import opened_webhook, webhook_key_of
from daemon.notification.store import outbox
from daemon.settings import Settings
from daemon.sources.model import Platform
from tests.engines import add_source
from tests.notified import DAY, discovered_posting, new_posting, tellable

MESSAGES = 2
"""In a trial: one about a posting of a watched company, and a digest."""

_SURVIVED = 0
_DIED = 9


def title_of(trial: int, number: int) -> str:
    """What a message of a trial is called; no title is part of another."""
    return f"시도{trial:04d}의 {number}번"


class _DyingLoop(asyncio.SelectorEventLoop):
    """An event loop that ends the process at a turn of its own choosing, in whatever state everything is."""

    def __init__(self) -> None:
        super().__init__()
        self.left = -1
        """Turns to live; for ever while negative."""
        self.turns = 0
        """Turns lived."""

    def _run_once(self) -> None:
        self.turns += 1
        if self.left >= 0:
            self.left -= 1
            if self.left < 0:
                os._exit(_DIED)
        super()._run_once()  # type: ignore[misc]  # the one place through which every turn of the loop passes


class Deaths:
    """Trials on one database and one webhook."""

    def __init__(self, url: str, webhook: str, sources: tuple[int, int]) -> None:
        self._url = url
        self._settings = Settings(database_url=url, discord_webhook_url=webhook)
        self._sources = sources

    def prepare(self, number: int) -> None:
        """Give trial `number` something to tell, and make it due."""
        assert _in_child(lambda _loop: self._prepare(number)) == (_SURVIVED, 0)

    def trial(self, number: int, turn: int) -> int | None:
        """Die at a turn (never, when it is negative) and be taken over, with the next trial prepared.

        Returns the turns of a sender that did not die.
        """
        code, turns = _in_child(lambda loop: self._send(number, loop, turn))
        assert code in (_SURVIVED, _DIED)
        assert _in_child(lambda _loop: self._take_over(number)) == (_SURVIVED, 0)
        return turns if code == _SURVIVED else None

    def _opened(self, number: int, minutes: int) -> Database:
        return open_database(self._url, SkippingClock(kst(DAY + timedelta(days=number), 9, minutes)))

    async def _prepare(self, number: int) -> int:
        watched, board = self._sources
        db = self._opened(number, 0)
        await new_posting(db, watched, title_of(number, 0))
        await discovered_posting(db, board, "토스", title_of(number, 1))
        key = webhook_key_of(self._settings)
        assert key is not None
        await plan_day(db, DAY + timedelta(days=number), key, "ko")
        await db.close()
        return 0

    async def _send(self, number: int, loop: _DyingLoop, turn: int) -> int:
        """From the first claim to the last record; what comes before is a transaction, which is all or nothing."""
        db = self._opened(number, 0)
        key = webhook_key_of(self._settings)
        assert key is not None
        async with opened_webhook(self._settings, db.clock) as webhook:
            loop.left, loop.turns = turn, 0
            await Sender(db, webhook, key, timedelta(minutes=1), asyncio.Event()).send_all()
            loop.left, turns = -1, loop.turns
        await db.close()
        return turns

    async def _take_over(self, number: int) -> int:
        db = self._opened(number, 5)
        await dispatch_notifications(db, self._settings, DAY + timedelta(days=number), asyncio.Event())
        left = await reading(db, outbox.count_waiting)
        await db.close()
        assert left == 0, "something is still due"
        return await self._prepare(number + 1)


def _in_child(work: Callable[[_DyingLoop], Coroutine[Any, Any, int]]) -> tuple[int, int]:
    """Run `work` on a loop of its own in a forked process; returns its exit code, and the work's number or 0."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid:
        os.close(tell)
        with os.fdopen(told) as words:
            number = int(words.read() or 0)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), number
    code = 1
    try:
        loop = _DyingLoop()
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            number = runner.run(work(loop))
        os.write(tell, str(number).encode())
        code = _SURVIVED
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


async def prepared(db: Database) -> tuple[int, int]:
    """The sources that trials take their postings from: a watched company's, and a board."""
    return await tellable(db), await add_source(db, Platform.SARAMIN, category="84", seeded=True)


def main(url: str, webhook: str, sources: str, wanted: str) -> None:
    """One trial that lives, then trial after trial, until a sender outlives its turn."""
    watched, board = sources.split(",")
    deaths = Deaths(url, webhook, (int(watched), int(board)))
    deaths.prepare(0)
    step = 0
    for number in itertools.count():
        turn = 1 + (number - 1) * step if number else -1
        lived = deaths.trial(number, turn)
        print(json.dumps({"trial": number, "turn": turn, "lived": lived}), flush=True)
        if lived is None:
            continue
        if number:
            return
        step = max(1, lived // int(wanted))


if __name__ == "__main__":
    main(*sys.argv[1:])
