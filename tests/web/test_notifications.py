"""The history of notifications over HTTP (seed 001, API 계약: Operations)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy import update

from daemon.db import Database
from daemon.notification.tables import notification_dispatches
from tests.discord import Discord, Fault, serve_discord
from tests.engines import write
from tests.notified import DAY, at_nine, new_posting, run_day, tellable
from tests.web.conftest import Serve

PATH = "/api/operations/notification-dispatches"


@pytest.fixture
async def discord(db: Database) -> AsyncIterator[Discord]:
    """A Discord whose limits go by the database's clock."""
    async with serve_discord(lambda: db.clock.now().timestamp()) as served:
        yield served


async def test_failed_messages_are_listed_with_every_field_of_the_seeds(
    db: Database, discord: Discord, serve: Serve
) -> None:
    """Scenario 7: what no message could tell is found here."""
    at_nine(db)
    posting = await new_posting(db, await tellable(db))
    discord.always = Fault.SERVER_ERROR
    await run_day(db, discord)
    client = await serve(db, discord_webhook_url=discord.url)
    body = await (await client.get(f"{PATH}?dispatchStatus=FAILED&days=30")).json()
    (found,) = body["dispatches"]
    assert (
        found.items()
        >= {
            "targetType": "JOB_POSTING",
            "targetId": posting,
            "notificationType": "NEW_JOB_POSTING",
            "dispatchSequence": 1,
            "dispatchStatus": "FAILED",
            "attemptCount": 3,
            "lastError": "HTTP 503",
            "messageSummary": "회사 woowahan · 백엔드 개발자 · 상시채용",
            "attemptedAt": "2026-12-02T00:00:03Z",
            "resendState": "NEXT_RUN",
            "resendAt": "2026-12-03T00:00:00Z",
            "mayRepeat": False,
        }.items()
    )
    assert (body["totalCount"], body["page"]) == (1, 0)
    assert body["webhook"] == {"configured": True, "parkedAt": None, "parkedReason": None}
    assert discord.token not in str(body)


async def test_the_history_says_what_became_of_a_message(db: Database, discord: Discord, serve: Serve) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    discord.always = Fault.SERVER_ERROR
    await run_day(db, discord)
    discord.always = None
    at_nine(db, DAY + timedelta(days=1))
    await run_day(db, discord)
    client = await serve(db)
    body = await (await client.get(PATH)).json()
    assert [one["resendState"] for one in body["dispatches"]] == ["NONE", "REPLACED"], "newest first"
    assert [one["dispatchStatus"] for one in body["dispatches"]] == ["DELIVERED", "FAILED"]
    assert body["dispatches"][0]["discordMessageId"] == discord.messages[0].id
    assert body["webhook"]["configured"] is False
    for status, count in {"DELIVERED": 1, "FAILED": 1, "PENDING": 0, "SENDING": 0, "EXPIRED": 0}.items():
        assert (await (await client.get(f"{PATH}?dispatchStatus={status}")).json())["totalCount"] == count


async def test_the_history_is_paged_and_bounded_by_korean_days(db: Database, discord: Discord, serve: Serve) -> None:
    at_nine(db)
    source = await tellable(db)
    for number in range(5):
        await new_posting(db, source, f"백엔드 {number}")
    await run_day(db, discord)
    client = await serve(db)
    pages = [(await (await client.get(f"{PATH}?size=2&page={page}")).json())["dispatches"] for page in range(4)]
    ids = [one["dispatchId"] for page in pages for one in page]
    assert [len(page) for page in pages] == [2, 2, 1, 0]
    assert ids == sorted(ids, reverse=True)
    midnight = db.clock.now() - timedelta(hours=9)
    await write(db, update(notification_dispatches).values(created_at=midnight - timedelta(microseconds=1)))
    assert (await (await client.get(f"{PATH}?days=1")).json())["totalCount"] == 0
    assert (await (await client.get(f"{PATH}?days=2")).json())["totalCount"] == 5


async def test_a_parked_webhook_is_told(db: Database, discord: Discord, serve: Serve) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    discord.deleted = True
    await run_day(db, discord)
    client = await serve(db, discord_webhook_url=discord.url)
    body = await (await client.get(PATH)).json()
    assert body["webhook"]["parkedAt"] == "2026-12-02T00:00:00Z"
    assert body["webhook"]["parkedReason"] == "HTTP 404, Unknown Webhook, 10015"
    assert body["dispatches"][0]["resendState"] == "NEXT_RUN"


@pytest.mark.parametrize("query", ["dispatchStatus=LOST", "days=0", "days=367", "page=-1", "size=201", "status=FAILED"])
async def test_a_query_that_makes_no_sense_is_refused(serve: Serve, offline: Database, query: str) -> None:
    client = await serve(offline)
    answer = await client.get(f"{PATH}?{query}")
    assert answer.status == 422, await answer.text()
