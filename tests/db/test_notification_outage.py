"""The database goes away between the post and its record: what is known is held until it is back (DESIGN 1.7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from daemon import schema
from daemon.clock import SkippingClock, kst
from daemon.db import Database, open_database
from daemon.notification.actions.day import dispatch_notifications
from tests.acceptance.proxy import Proxy
from tests.discord import serve_discord
from tests.notified import DAY, new_posting, settings_for, statuses, tellable


class _Clock(SkippingClock):
    """Time in which something happens when one sleeps long enough for it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(kst(DAY, 9))
        self.then: Callable[[], Awaitable[None]] | None = None
        self._left = timedelta(seconds=seconds)

    async def sleep(self, duration: timedelta) -> None:
        await super().sleep(duration)
        if self.then is not None:
            self._left -= duration
            if self._left <= timedelta(0):
                then, self.then = self.then, None
                await then()


@pytest.fixture
async def proxy(blank_url: str, server_only: None) -> AsyncIterator[Proxy]:
    """The way to an empty database, which a test may cut."""
    async with Proxy(blank_url) as served:
        yield served


async def _opened(proxy: Proxy, clock: SkippingClock) -> Database:
    db = open_database(proxy.url, clock)
    await schema.migrate(db)
    return db


async def test_a_delivery_is_written_down_once_the_database_is_back_and_nothing_repeats(proxy: Proxy) -> None:
    clock = _Clock(5)
    db = await _opened(proxy, clock)
    source = await tellable(db)
    for number in range(3):
        await new_posting(db, source, f"백엔드 {number}")
    async with serve_discord(lambda: clock.now().timestamp()) as discord:

        async def cut(_body: object) -> None:
            if len(discord.messages) == 2:
                clock.then = proxy.mend
                await proxy.cut()

        discord.after = cut
        said = await dispatch_notifications(db, settings_for(discord), DAY, asyncio.Event())
        assert said == "보냄 3, 실패 0, 남음 0"
        assert set(discord.copies().values()) == {1}
        assert await statuses(db) == ["DELIVERED"] * 3
    await db.close()


async def test_a_database_that_stays_away_ends_the_run_and_that_message_may_repeat_once(proxy: Proxy) -> None:
    clock = _Clock(3600)
    db = await _opened(proxy, clock)
    source = await tellable(db)
    for number in range(3):
        await new_posting(db, source, f"백엔드 {number}")
    async with serve_discord(lambda: clock.now().timestamp()) as discord:

        async def cut(_body: object) -> None:
            await proxy.cut()

        discord.after = cut
        with pytest.raises(OperationalError):
            await dispatch_notifications(db, settings_for(discord), DAY, asyncio.Event())
        discord.after = None
        await proxy.mend()
        clock.advance(timedelta(minutes=2))
        said = await dispatch_notifications(db, settings_for(discord), DAY, asyncio.Event())
        assert said == "보냄 3, 실패 0, 남음 0"
        told = [message.content for message in discord.messages]
        assert sorted(told.count(content) for content in set(told)) == [1, 1, 2]
        again = [message.text for message in discord.messages if "다시 보냅니다" in message.text]
        assert len(again) == 1, "the copy that may be the second says so"
    await db.close()
