"""The real daemon dies while it sends: one message may repeat once, none is lost (issue 3; DESIGN 1.7)."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import kst
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import Stage, stage_on
from tests.acceptance.waiting import until
from tests.discord import Discord, serve_discord
from tests.engines import add_source
from tests.notified import DAY, discovered_posting, dispatches, new_posting, statuses

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

_MESSAGES = 5
"""Four about postings of a watched company, and a digest."""

_LEASES = timedelta(seconds=100)
"""Longer than that of the job in the ledger (90 s) and that of a claim (60 s)."""

_NEARLY_NINE = kst(DAY, 8, 59, 58)

Moment = Callable[[dict[str, Any]], Awaitable[None]]


@asynccontextmanager
async def _morning(folder: Path, url: str) -> AsyncIterator[tuple[Stage, Discord]]:
    """Early in the morning, with five messages to come at 09:00, and a Discord on the stage's time."""
    async with stage_on(folder, url, kst(DAY, 7), {}, flags=[FlagKey.DISCORD_DISPATCH]) as stage:
        source = await add_source(stage.db, seeded=True)
        board = await add_source(stage.db, Platform.SARAMIN, category="84", seeded=True)
        for number in range(_MESSAGES - 1):
            await new_posting(stage.db, source, f"백엔드 {number}번")
        for number in range(3):
            await discovered_posting(stage.db, board, f"발견 {number}", f"서버 {number}번")
        async with serve_discord(lambda: stage.clock.now().timestamp()) as discord:
            yield stage, discord


def _told(stage: Stage, discord: Discord) -> dict[str, str]:
    return stage.told(discord_webhook_url=discord.url)


def _copies(discord: Discord) -> list[int]:
    """How often each posting stands in the channel: watched ones, then those of the digest."""
    text = "\n".join(message.text for message in discord.messages)
    # A watched posting's title stands twice in its message: in the headline, and over the details.
    watched = [text.count(f"— 백엔드 {number}번") for number in range(_MESSAGES - 1)]
    return [*watched, *(text.count(f"서버 {number}번") for number in range(3))]


async def _all_delivered(stage: Stage) -> bool:
    found = await statuses(stage.db)
    return len(found) == _MESSAGES and set(found) == {"DELIVERED"}


def _killing(daemon: Daemon, nth: int, discord: Discord) -> Moment:
    """Kills the daemon at the `nth` request (from 1), and keeps the answer from it."""
    count = 0

    async def kill(_body: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        if count == nth:
            discord.before = discord.after = None
            daemon.kill()
            await daemon.ended()

    return kill


@pytest.mark.parametrize(("moment", "nth"), [("before", 1), ("after", 2), ("after", _MESSAGES)])
async def test_a_daemon_killed_between_post_and_record_repeats_that_message_at_most_and_loses_none(
    blank_url: str, tmp_path: Path, daemons: Daemons, moment: str, nth: int
) -> None:
    """Issue 3: the daemon is killed between POST and record: at most that one message repeats once, none is lost."""
    async with _morning(tmp_path, blank_url) as (stage, discord):
        daemon = await daemons.start("daemon", _told(stage, discord))
        setattr(discord, moment, _killing(daemon, nth, discord))
        stage.leap(_NEARLY_NINE)
        await until(lambda: not daemon.running, "the daemon is killed at its request")
        before = _copies(discord)
        assert "SENDING" in await statuses(stage.db)

        again = await daemons.start("again", _told(stage, discord))
        stage.leap(_LEASES)
        await until(lambda: _all_delivered(stage), lambda: f"the rest is delivered:\n{again.output[-3000:]}")
        await again.logged("job.finished", job_name="notification")
        copies = _copies(discord)
        assert min(copies) == 1, copies
        repeated = len(discord.messages) - _MESSAGES
        assert repeated <= 1, copies
        assert sum(row["unconfirmed_count"] for row in await dispatches(stage.db)) == 1
        assert sum(before) > 0 or moment == "before"
        assert discord.token not in daemon.output + again.output
        assert await again.stop() == 0


async def test_a_daemon_that_is_stopped_while_it_sends_finishes_its_message_and_the_next_one_sends_the_rest(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """SIGTERM costs nothing: no message repeats, none is lost, and the day goes on the same morning."""
    async with _morning(tmp_path, blank_url) as (stage, discord):
        daemon = await daemons.start("daemon", _told(stage, discord))
        arrived = asyncio.Event()

        async def hold(_body: dict[str, Any]) -> None:
            discord.after = None
            daemon.signal(signal.SIGTERM)
            await daemon.logged("daemon.stopping")
            arrived.set()

        discord.after = hold
        stage.leap(_NEARLY_NINE)
        assert await asyncio.wait_for(daemon.ended(), 120) == 0
        assert arrived.is_set()
        assert sorted(await statuses(stage.db)) == ["DELIVERED"] + ["PENDING"] * (_MESSAGES - 1)
        again = await daemons.start("again", _told(stage, discord))
        await until(lambda: _all_delivered(stage), "the rest is delivered")
        assert _copies(discord) == [1] * (_MESSAGES + 2)
        assert await again.stop() == 0


async def test_of_two_daemons_the_other_goes_on_when_the_one_that_sends_dies(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    """DESIGN 1.7: with several instances exactly one sends; the next takes over when its leases are over."""
    async with _morning(tmp_path, blank_url) as (stage, discord):
        both = [await daemons.start(name, _told(stage, discord)) for name in ("one", "two")]
        sender: list[Daemon] = []

        async def kill(_body: dict[str, Any]) -> None:
            discord.after = None
            found = await until(_sender, "the planning is in a log")
            sender.append(found)
            found.kill()
            await found.ended()

        def _sender() -> Daemon | None:
            return next((each for each in both if each.events("notification.planned")), None)

        discord.after = kill
        stage.leap(_NEARLY_NINE)
        await until(lambda: bool(sender), "one of them sends")
        (other,) = (each for each in both if each is not sender[0])
        stage.leap(_LEASES)
        await until(lambda: _all_delivered(stage), lambda: f"the other goes on:\n{other.output[-3000:]}")
        assert min(_copies(discord)) == 1
        assert len(discord.messages) == _MESSAGES + 1
        assert discord.most_at_once == 1
        assert await other.stop() == 0
