"""`gonggo notification`, and what `check` and `status` say of the webhook."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from daemon.clock import SystemClock
from daemon.db import Database, open_database, transaction
from daemon.notification.actions.webhook import webhook_key_of
from daemon.notification.store import webhooks
from daemon.settings import Settings
from tests.cli.command import Gonggo
from tests.discord import Discord, serve_discord
from tests.notified import DAY, at_nine, new_posting, run_day, tellable


@pytest.fixture
def discord() -> Iterator[Discord]:
    """A Discord in a thread of its own: commands run an event loop of theirs."""
    ready, end = threading.Event(), threading.Event()
    found: list[Discord] = []

    async def serve() -> None:
        async with serve_discord() as served:
            found.append(served)
            ready.set()
            while not end.is_set():
                await asyncio.sleep(0.01)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    yield found[0]
    end.set()
    thread.join()


@asynccontextmanager
async def _opened(gonggo: Gonggo) -> AsyncIterator[Database]:
    db = open_database(f"sqlite:///{gonggo.home}/.local/state/gonggo/gonggo.db", SystemClock())
    try:
        yield db
    finally:
        await db.close()


def _tell(gonggo: Gonggo, discord: Discord) -> None:
    """One new posting, dispatched at 09:00 of a simulated day."""

    async def run() -> None:
        async with _opened(gonggo) as db:
            at_nine(db, DAY)
            await new_posting(db, await tellable(db), "백엔드 개발자")
            await run_day(db, discord)

    asyncio.run(run())


def test_a_test_message_arrives_whatever_the_flag_says(gonggo: Gonggo, discord: Discord) -> None:
    gonggo.run("init")
    ended = gonggo.having(discord_webhook_url=discord.url).run("notification", "test")
    assert (ended.code, ended.output) == (0, "시험 메시지를 보냈습니다.\n")
    assert "시험 메시지" in discord.messages[0].content
    english = gonggo.having(discord_webhook_url=discord.url, language="en").run("notification", "test")
    assert english.output == "The test message is sent.\n"
    assert "test message" in discord.messages[1].content


def test_a_test_message_that_is_not_taken_says_why_and_shows_no_secret(gonggo: Gonggo, discord: Discord) -> None:
    gonggo.run("init")
    assert gonggo.run("notification", "test").code == 3
    assert "GONGGO_DISCORD_WEBHOOK_URL" in gonggo.run("notification", "test").errors
    discord.deleted = True
    ended = gonggo.having(discord_webhook_url=discord.url).run("notification", "test")
    assert ended.code == 1
    assert "Unknown Webhook" in ended.errors
    assert discord.token not in ended.errors + ended.output
    nobody = gonggo.having(discord_webhook_url="http://127.0.0.1:9/api/webhooks/1/tokentoken")
    ended = nobody.run("notification", "test")
    assert ended.code == 1
    assert "tokentoken" not in ended.errors


def test_the_history_is_shown_with_what_comes_next(gonggo: Gonggo, discord: Discord) -> None:
    gonggo.run("init")
    assert gonggo.run("notification", "list").output == "알림이 없습니다.\n"
    _tell(gonggo, discord)
    listed = gonggo.run("notification", "list", "--days", "366")
    assert listed.code == 0
    assert "새 공고" in listed.output
    assert "보냄" in listed.output
    assert "백엔드 개발자" in listed.output
    assert gonggo.run("notification", "list", "--days", "366", "--status", "failed").output == "알림이 없습니다.\n"
    wrong = gonggo.run("notification", "list", "--status", "LOST")
    assert wrong.code == 2
    assert "DELIVERED" in wrong.errors


def test_a_parked_webhook_is_told_by_check_status_and_list_until_it_is_unparked(
    gonggo: Gonggo, discord: Discord
) -> None:
    person = gonggo.having(discord_webhook_url=discord.url)
    person.run("init")
    assert person.run("notification", "unpark").output == "세워 둔 웹훅이 없습니다.\n"
    discord.deleted = True
    _tell(gonggo, discord)
    for command in (("status",), ("notification", "list", "--days", "366")):
        assert "'gonggo notification unpark'" in person.run(*command).output
    ended = person.run("notification", "unpark")
    assert ended.output == "웹훅을 다시 씁니다.\n"
    assert "unpark" not in person.run("status").output


def test_a_test_message_that_arrives_brings_a_parked_webhook_back(gonggo: Gonggo, discord: Discord) -> None:
    person = gonggo.having(discord_webhook_url=discord.url)
    person.run("init")
    discord.deleted = True
    _tell(gonggo, discord)
    discord.deleted = False
    assert person.run("notification", "test").output.splitlines() == [
        "시험 메시지를 보냈습니다.",
        "웹훅을 다시 씁니다.",
    ]


def test_check_fails_for_a_parked_webhook(gonggo: Gonggo) -> None:
    address = "https://discord.com/api/webhooks/1/token-0123456789"
    person = gonggo.having(discord_webhook_url=address)
    person.run("init")
    good = person.run("check")
    assert "형식이 올바릅니다" in good.output

    async def park() -> None:
        async with _opened(gonggo) as db:
            key = webhook_key_of(Settings(database_url="sqlite://", discord_webhook_url=address))
            assert key is not None
            await transaction(db, webhooks.save_parked, key, "HTTP 404", SystemClock().now())

    asyncio.run(park())
    bad = person.run("check")
    assert bad.code == 1
    assert "HTTP 404" in bad.output
    assert "unpark" in bad.output
    assert "token-0123456789" not in bad.output
