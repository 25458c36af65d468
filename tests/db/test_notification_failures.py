"""Failed, unconfirmed and parked: what is sent again and what never is (seed 001, failure path 6; DESIGN 1.7)."""

from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from daemon.clock import SkippingClock
from daemon.db import Database
from daemon.notification.actions.day import dispatch_notifications
from daemon.notification.actions.webhook import unpark_webhook
from daemon.notification.tables import notification_dispatches, notification_webhooks
from daemon.schedule.model import JobNotReady
from daemon.sources.model import Platform
from tests.discord import Discord, Fault
from tests.engines import add_source, rows, write
from tests.notified import (
    DAY,
    at_nine,
    discovered_posting,
    dispatches,
    new_posting,
    run_day,
    settings_for,
    statuses,
    tellable,
)

DAYS = timedelta(days=1)


def waits(discord: Discord) -> list[float]:
    """Seconds between the requests."""
    instants = [request.at for request in discord.requests]
    return [round(later - earlier, 3) for earlier, later in itertools.pairwise(instants)]


async def test_three_failures_end_the_day_and_the_next_day_sends_it_again(db: Database, discord: Discord) -> None:
    """Seed 001, failure path 6: 재발송되고, 성공 시에만 멱등 키가 부여된다."""
    at_nine(db)
    posting = await new_posting(db, await tellable(db))
    discord.always = Fault.SERVER_ERROR
    assert await run_day(db, discord) == "보냄 0, 실패 1, 남음 0"
    assert waits(discord) == [1, 2], "back-off of 1 s, then 2 s"
    assert db.clock.now() == at_nine(db).now() + timedelta(seconds=7), "and 4 s before anything else"
    (row,) = await dispatches(db)
    assert (row["dispatch_status"], row["attempt_count"], row["idempotency_key"]) == ("FAILED", 3, None)
    assert row["last_error"] == "HTTP 503"

    discord.always = None
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    failed, delivered = await dispatches(db)
    assert (failed["dispatch_status"], failed["idempotency_key"]) == ("FAILED", None)
    assert delivered["idempotency_key"] == f"JOB_POSTING:{posting}:NEW_JOB_POSTING:1"
    assert len(discord.messages) == 1
    at_nine(db, DAY + 2 * DAYS)
    await run_day(db, discord)
    assert len(discord.messages) == 1


async def test_a_failed_try_is_repeated_and_then_delivered(db: Database, discord: Discord) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    discord.faults.extend([Fault.SERVER_ERROR, Fault.SERVER_ERROR])
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    (row,) = await dispatches(db)
    assert (row["dispatch_status"], row["attempt_count"], row["unconfirmed_count"]) == ("DELIVERED", 3, 0)
    assert row["last_error"] is None


async def test_a_message_that_fails_for_seven_days_is_given_up(db: Database, discord: Discord) -> None:
    """Seed 001: 신규 공고 알림은 firstSeenAt 기준 7일 경과 시 만료."""
    at_nine(db)
    await new_posting(db, await tellable(db))
    discord.always = Fault.SERVER_ERROR
    for day in range(7):
        at_nine(db, DAY + day * DAYS)
        assert await run_day(db, discord) == "보냄 0, 실패 1, 남음 0"
    at_nine(db, DAY + 7 * DAYS)
    discord.always = None
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    assert discord.messages == []
    assert await statuses(db) == ["FAILED"] * 6 + ["EXPIRED"]


async def test_a_failed_digest_is_told_with_the_next_one(db: Database, discord: Discord) -> None:
    at_nine(db)
    await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    await discovered_posting(db, board, "토스")
    discord.always = Fault.SERVER_ERROR
    await run_day(db, discord)
    discord.always = None
    at_nine(db, DAY + DAYS)
    await discovered_posting(db, board, "당근")
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    (message,) = discord.messages
    assert "토스" in message.text
    assert "당근" in message.text
    assert await statuses(db) == ["FAILED", "DELIVERED"]


async def test_an_answer_that_got_lost_makes_one_copy_too_many_and_no_more(db: Database, discord: Discord) -> None:
    """DESIGN 1.7: an answer that never came may repeat that one message once."""
    at_nine(db)
    source = await tellable(db)
    for number in range(3):
        await new_posting(db, source, f"백엔드 {number}")
    discord.faults.extend([None, Fault.DROP_AFTER])
    assert await run_day(db, discord) == "보냄 3, 실패 0, 남음 0"
    assert sorted(discord.copies().values()) == [1, 1, 2]
    assert discord.probes == 1, "asked whether it answers before the message is repeated"
    assert [row["unconfirmed_count"] for row in await dispatches(db)] == [0, 1, 0]


async def test_a_message_that_is_never_confirmed_is_sent_twice_and_then_left_alone(
    db: Database, discord: Discord
) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    discord.faults.extend([Fault.DROP_AFTER, Fault.DROP_AFTER])
    assert await run_day(db, discord) == "보냄 0, 실패 1, 남음 0"
    for day in range(1, 9):
        at_nine(db, DAY + day * DAYS)
        assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    assert len(discord.messages) == 2
    (row,) = await dispatches(db)
    assert "not confirmed 2 times" in row["last_error"]


@pytest.mark.parametrize("fault", [Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.SLOW])
async def test_what_may_have_arrived_is_not_repeated_while_discord_answers_nobody(
    db: Database, discord: Discord, fault: Fault
) -> None:
    """A whole morning without answers loses nothing, and repeats each message at most once."""
    at_nine(db)
    source = await tellable(db)
    for number in range(5):
        await new_posting(db, source, f"백엔드 {number}")
    discord.always = fault
    said = await run_day(db, discord, notification_timeout_seconds=0.05)
    assert said == "보냄 0, 실패 3, 남음 2: 잇달아 보내지 못해 멈췄습니다: 3 messages in a row failed"
    assert len(discord.requests) == 3, "one request each, then not one more"
    assert set(await statuses(db)) == {"FAILED", "PENDING"}
    discord.always = None
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 5, 실패 0, 남음 0"
    titles = ["".join(message.content.split("—")[1:]).strip() for message in discord.messages]
    most = 2 if fault in (Fault.DROP_AFTER, Fault.SLOW) else 1
    assert all(1 <= titles.count(f"백엔드 {number}") <= most for number in range(5))


async def test_a_copy_that_may_be_the_second_says_so(db: Database, discord: Discord) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    discord.always = Fault.DROP_AFTER
    await run_day(db, discord)
    discord.always = None
    at_nine(db, DAY + DAYS)
    await run_day(db, discord)
    first, second = discord.messages
    assert "다시 보냅니다" not in first.text
    assert "다시 보냅니다" in second.text


async def test_a_digest_repeats_only_what_may_have_arrived(db: Database, discord: Discord) -> None:
    """Postings of a digest that went unconfirmed stand apart from the day's new ones."""
    at_nine(db)
    await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    await discovered_posting(db, board, "토스")
    discord.always = Fault.DROP_AFTER
    await run_day(db, discord)
    discord.always = None
    at_nine(db, DAY + DAYS)
    await discovered_posting(db, board, "당근")
    await run_day(db, discord)
    first, fresh, again = discord.messages
    assert "토스" in first.text
    assert "당근" in fresh.text
    assert "토스" not in fresh.text
    assert "토스" in again.text
    assert "다시 보냅니다" in again.content


async def test_a_message_that_discord_refuses_is_not_tried_again_that_day_and_stops_no_other(
    db: Database, discord: Discord
) -> None:
    at_nine(db)
    source = await tellable(db)
    for number in range(5):
        await new_posting(db, source, f"백엔드 {number}")

    async def spoil(body: dict[str, Any]) -> None:
        if "백엔드 4" not in body["content"]:
            body["content"] = "x" * 3000

    discord.before = spoil
    assert await run_day(db, discord) == "보냄 1, 실패 4, 남음 0", "a bad message is no outage"
    assert [request.status for request in discord.requests] == [400] * 4 + [200]
    assert "content: longer than 2000" in (await dispatches(db))[0]["last_error"]


async def test_retry_after_is_obeyed_to_the_fraction_of_a_second(db: Database, discord: Discord) -> None:
    """The float in the body counts, not the header, which is rounded up."""
    at_nine(db)
    await new_posting(db, await tellable(db))
    discord.faults.append(Fault.HIDDEN_LIMIT)
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    (wait,) = waits(discord)
    assert 40.25 <= wait < 41
    assert discord.impatient == 0


async def test_the_bucket_is_never_overrun(db: Database, discord: Discord) -> None:
    """The headers say when the bucket is full again: 40 messages, and not one 429."""
    at_nine(db)
    source = await tellable(db)
    for number in range(40):
        await new_posting(db, source, f"백엔드 {number}")
    assert await run_day(db, discord) == "보냄 40, 실패 0, 남음 0"
    assert discord.throttled == 0
    assert discord.most_at_once == 1
    assert set(discord.copies().values()) == {1}


@pytest.mark.parametrize("status", [404, 401])
async def test_a_webhook_that_is_gone_is_parked_until_a_person_has_seen_to_it(
    db: Database, discord: Discord, status: int
) -> None:
    """DESIGN 1.7: 404/401 parks the webhook until a person changes it; nothing is lost meanwhile."""
    at_nine(db)
    source = await tellable(db)
    for number in range(3):
        await new_posting(db, source, f"백엔드 {number}")
    token = discord.token
    settings = settings_for(discord)
    if status == 404:
        discord.deleted = True
    else:
        discord.token = "another-Token-0123456789"

    async def run() -> str:
        day = DAY + (db.clock.now() - at_nine(db).now())
        return await dispatch_notifications(db, settings, day, asyncio.Event())

    said = await run()
    assert said.startswith(f"보냄 0, 실패 0, 남음 3: 디스코드가 이 웹훅을 모릅니다: HTTP {status}")
    assert len(discord.requests) == 1, "a webhook that is gone is asked once"
    (webhook,) = await rows(db, notification_webhooks)
    assert webhook["parked_at"] is not None
    assert token not in str(webhook)
    assert token not in str(await dispatches(db))

    discord.deleted, discord.token = False, token
    at_nine(db, DAY + DAYS)
    assert (await run()).startswith("보내지 않았습니다: 웹훅을 세워 두었습니다: the webhook is parked since")
    assert len(discord.requests) == 1
    assert await unpark_webhook(db, settings)
    assert not await unpark_webhook(db, settings)
    assert await run() == "보냄 3, 실패 0, 남음 0"
    assert set(discord.copies().values()) == {1}


async def test_another_webhook_is_used_although_the_old_one_is_parked(db: Database, discord: Discord) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    old = discord.token
    discord.token = "another-Token-0123456789"
    settings = settings_for(discord, discord_webhook_url=discord.url.replace(discord.token, old))
    await dispatch_notifications(db, settings, DAY, asyncio.Event())
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"


async def test_an_outage_ends_the_run_after_three_messages(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db)
    for number in range(10):
        await new_posting(db, source, f"백엔드 {number}")
    discord.always = Fault.SERVER_ERROR
    assert (
        await run_day(db, discord)
        == "보냄 0, 실패 3, 남음 7: 잇달아 보내지 못해 멈췄습니다: 3 messages in a row failed"
    )
    assert len(discord.requests) == 9
    discord.always = None
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 10, 실패 0, 남음 0"
    assert set(discord.copies().values()) == {1}


async def test_a_claim_whose_sender_died_is_sent_once_more_when_its_lease_is_over(
    db: Database, discord: Discord
) -> None:
    clock = at_nine(db)
    await new_posting(db, await tellable(db))
    discord.deleted = True
    await run_day(db, discord)
    discord.deleted = False
    await unpark_webhook(db, settings_for(discord))
    claimed = {"dispatch_status": "SENDING", "claim_token": "dead", "claimed_at": clock.now()}
    await write(db, update(notification_dispatches).values(claimed))
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    assert db.clock.now() >= claimed["claimed_at"] + timedelta(seconds=60), "not before its lease is over"  # type: ignore[operator]  # the instant
    (row,) = await dispatches(db)
    assert (row["dispatch_status"], row["unconfirmed_count"]) == ("DELIVERED", 1)

    await write(db, update(notification_dispatches).values(**claimed, idempotency_key=None))
    await write(db, update(notification_dispatches).values(claimed_at=clock.now() - DAYS))
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    assert len(discord.messages) == 1, "a second such end is the last"


async def test_a_run_that_is_stopped_gives_the_job_back_and_goes_on_later(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db)
    for number in range(4):
        await new_posting(db, source, f"백엔드 {number}")
    stopping = asyncio.Event()

    async def stop(_body: object) -> None:
        if len(discord.messages) == 2:
            stopping.set()

    discord.after = stop
    with pytest.raises(JobNotReady):
        await dispatch_notifications(db, settings_for(discord), DAY, stopping)
    assert await statuses(db) == ["DELIVERED"] * 2 + ["PENDING"] * 2
    assert await run_day(db, discord) == "보냄 2, 실패 0, 남음 0"
    assert set(discord.copies().values()) == {1}


async def test_no_connection_at_all_is_tried_three_times_and_loses_nothing(db: Database, discord: Discord) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    nobody = "http://127.0.0.1:9/api/webhooks/1/token-0123456789"
    assert await run_day(db, discord, discord_webhook_url=nobody) == "보냄 0, 실패 1, 남음 0"
    (row,) = await dispatches(db)
    assert (row["attempt_count"], row["unconfirmed_count"]) == (3, 0)
    assert "no connection" in row["last_error"]
    assert "token" not in row["last_error"]
    assert isinstance(db.clock, SkippingClock)
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
