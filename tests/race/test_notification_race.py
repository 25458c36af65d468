"""Two instances at 09:00 on one database: each message exactly once, and no storm of 429 (issue 3; DESIGN 1.7, 1.8)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from daemon.clock import SkippingClock, kst
from daemon.db import Database
from daemon.notification.actions.claim import claim_message, record_step, recover_claims
from daemon.notification.actions.day import dispatch_notifications
from daemon.notification.actions.plan import plan_day
from daemon.notification.actions.webhook import webhook_key_of
from daemon.notification.model import Claim, ClaimLost, Deliver, DispatchStatus
from daemon.schedule.actions import claim_job, finish_job
from daemon.schedule.model import JobName, JobNotReady, JobStatus
from daemon.sources.model import Platform
from tests.databases import open_second
from tests.discord import Discord, Fault, serve_discord
from tests.engines import add_source
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

MESSAGES = 200


@pytest.fixture
async def discord(server_db: Database) -> AsyncIterator[Discord]:
    """A Discord whose limits go by the database's clock."""
    async with serve_discord(lambda: server_db.clock.now().timestamp()) as served:
        yield served


async def run_both(server_db: Database, discord: Discord) -> list[str]:
    """Both instances dispatch the day at once, as if there were no ledger."""
    settings = settings_for(discord)
    async with open_second(server_db) as second, asyncio.TaskGroup() as group:
        runs = [
            group.create_task(dispatch_notifications(db, settings, DAY, asyncio.Event())) for db in (server_db, second)
        ]
    return [run.result() for run in runs]


async def test_two_instances_deliver_two_hundred_messages_exactly_once_and_are_never_throttled(
    server_db: Database, discord: Discord
) -> None:
    """Issue 3: two instances at 09:00, 200 messages: each delivered exactly once; rate limits obeyed.

    The ledger of daily jobs lets one of them send: the bucket of five in two seconds is never overrun.
    """
    at_nine(server_db)
    source = await tellable(server_db)
    for number in range(MESSAGES):
        await new_posting(server_db, source, f"백엔드 {number:03d}")
    settings = settings_for(discord)

    async def instance(db: Database, owner: str) -> str | None:
        claim = await claim_job(db, JobName.NOTIFICATION, DAY, owner, timedelta(days=1))
        if claim is None:
            return None
        said = await dispatch_notifications(db, settings, DAY, asyncio.Event())
        await finish_job(db, claim, JobStatus.SUCCESS, said)
        return said

    async with open_second(server_db) as second, asyncio.TaskGroup() as group:
        runs = [group.create_task(instance(server_db, "one")), group.create_task(instance(second, "two"))]
    assert sorted(str(run.result()) for run in runs) == ["None", f"보냄 {MESSAGES}, 실패 0, 남음 0"]
    assert len(discord.messages) == len(discord.copies()) == MESSAGES
    assert await statuses(server_db) == ["DELIVERED"] * MESSAGES
    assert (discord.throttled, discord.impatient, discord.most_at_once) == (0, 0, 1)
    seconds = discord.messages[-1].at - discord.messages[0].at
    assert seconds >= (MESSAGES / 5 - 1) * 2, "as fast as the bucket lets, and no faster"


async def test_even_without_the_ledger_each_message_is_delivered_exactly_once(
    server_db: Database, discord: Discord
) -> None:
    """An instance that was frozen goes on with a job that another has taken over: the rows' claims hold."""
    at_nine(server_db)
    source = await tellable(server_db)
    board = await add_source(server_db, Platform.SARAMIN, category="84", seeded=True)
    for number in range(40):
        await new_posting(server_db, source, f"백엔드 {number:03d}")
        await discovered_posting(server_db, board, f"회사 {number % 5}", f"서버 {number:03d}")
    await run_both(server_db, discord)
    assert set(discord.copies().values()) == {1}
    told = "\n".join(message.text for message in discord.messages)
    assert all(told.count(f"서버 {number:03d}") == 1 for number in range(40))
    assert set(await statuses(server_db)) == {"DELIVERED"}
    keys = [row["idempotency_key"] for row in await dispatches(server_db)]
    assert len(keys) == len(set(keys)) >= 41


async def test_two_instances_through_an_outage_repeat_nothing_that_failed_for_certain(
    server_db: Database, discord: Discord
) -> None:
    at_nine(server_db)
    source = await tellable(server_db)
    for number in range(20):
        await new_posting(server_db, source, f"백엔드 {number:03d}")
    discord.faults.extend([Fault.SERVER_ERROR, None] * 10)
    await run_both(server_db, discord)
    assert set(await statuses(server_db)) <= {"DELIVERED", "FAILED"}
    discord.faults.clear()
    at_nine(server_db, DAY + timedelta(days=1))
    await run_day(server_db, discord)
    assert len(discord.messages) == len(discord.copies()) == 20


async def test_planners_at_once_make_one_row_per_message(server_db: Database, discord: Discord) -> None:
    at_nine(server_db)
    source = await tellable(server_db)
    board = await add_source(server_db, Platform.SARAMIN, category="84", seeded=True)
    for number in range(10):
        await new_posting(server_db, source, f"백엔드 {number:03d}")
    await discovered_posting(server_db, board, "토스")
    key = webhook_key_of(settings_for(discord))
    assert key is not None
    async with open_second(server_db) as second, asyncio.TaskGroup() as group:
        plans = [group.create_task(plan_day(db, DAY, key, "ko")) for db in (server_db, second, server_db, second)]
    assert sum(plan.result().added for plan in plans) == 11
    rows = await dispatches(server_db)
    messages = {(row["target_type"], row["target_id"], row["notification_type"]) for row in rows}
    assert len(rows) == len(messages) == 11


async def test_of_many_who_claim_a_message_one_gets_it(server_db: Database, discord: Discord) -> None:
    at_nine(server_db)
    source = await tellable(server_db)
    await new_posting(server_db, source)
    key = webhook_key_of(settings_for(discord))
    assert key is not None
    await plan_day(server_db, DAY, key, "ko")
    (row,) = await dispatches(server_db)
    async with open_second(server_db) as second, asyncio.TaskGroup() as group:
        claims = [group.create_task(claim_message(db, row["id"], key)) for db in (server_db, second) for _ in range(4)]
    assert sum(isinstance(claim.result(), Claim) for claim in claims) == 1


async def test_a_sender_that_was_taken_for_dead_writes_nothing_any_more(server_db: Database, discord: Discord) -> None:
    """The zombie's delivery and that of its successor: one of them counts, whichever comes first."""
    clock = at_nine(server_db)
    source = await tellable(server_db)
    await new_posting(server_db, source)
    key = webhook_key_of(settings_for(discord))
    assert key is not None
    await plan_day(server_db, DAY, key, "ko")
    (row,) = await dispatches(server_db)
    zombie = await claim_message(server_db, row["id"], key)
    assert isinstance(zombie, Claim)
    assert await recover_claims(server_db, timedelta(seconds=60)) == 0, "its lease stands"
    clock.advance(timedelta(seconds=60))
    assert await recover_claims(server_db, timedelta(seconds=60)) == 1
    successor = await claim_message(server_db, row["id"], key)
    assert isinstance(successor, Claim)
    with pytest.raises(ClaimLost):
        await record_step(server_db, zombie, Deliver(message_id="1"), key)
    await record_step(server_db, successor, Deliver(message_id="2"), key)
    with pytest.raises(ClaimLost):
        await record_step(server_db, zombie, Deliver(message_id="1"), key)
    (row,) = await dispatches(server_db)
    assert (row["dispatch_status"], row["discord_message_id"]) == (DispatchStatus.DELIVERED, "2")


async def test_the_job_waits_for_the_days_snapshot(server_db: Database) -> None:
    """DESIGN 1.7: one daily job at 09:00, after the day's SLA header is terminal."""
    from daemon.jobs import timetable_jobs
    from tests.engines import engine_on

    server_db.clock = SkippingClock(kst(DAY, 8, 59))
    async with engine_on(server_db, {}) as engine:
        notify = timetable_jobs(engine)[JobName.NOTIFICATION]
        with pytest.raises(JobNotReady):
            await notify(DAY)
        at_nine(server_db)
        assert await notify(DAY) == "디스코드 웹훅이 없어 보내지 않았습니다"
