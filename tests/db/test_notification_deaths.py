"""A sender that dies or is cancelled at every step: one message may repeat once, none is lost (DESIGN 1.7)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import select

from daemon.db import Database
from daemon.notification.actions.day import dispatch_notifications
from daemon.notification.tables import notification_dispatches
from daemon.sources.model import Platform
from tests.databases import execute, url_of
from tests.discord import Discord, Json
from tests.engines import add_source
from tests.notification_deaths import MESSAGES, prepared, title_of
from tests.notified import DAY, at_nine, discovered_posting, dispatches, new_posting, run_day, settings_for, tellable

_DEATHS = 30


async def test_a_sender_killed_at_any_turn_of_its_loop_repeats_one_message_at_most_and_loses_none(
    db: Database, discord: Discord
) -> None:
    """Issue 3: the daemon is killed between POST and record, at every await point of dispatch.

    Every turn of the event loop is a step: between any two of them lies every await of dispatch, of its transactions
    and of its request.
    """
    at_nine(db)
    sources = await prepared(db)
    # Turns of a bucket that never ends, so that no trial waits for another.
    discord.bucket.limit = discord.everywhere.limit = 10**9
    # Every turn on demand, which takes minutes; else one in some.
    wanted = 10**6 if os.environ.get("GONGGO_TEST_EVERY_TURN") else _DEATHS
    arguments = (url_of(db), discord.url, ",".join(map(str, sources)), str(wanted))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.notification_deaths", *arguments, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    trials = [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]
    first, *deaths, survivor = trials
    assert first["lived"] > 0
    assert survivor["lived"] is not None
    assert all(trial["lived"] is None for trial in deaths)
    assert len(deaths) >= _DEATHS // 2, "turns are not counted the same twice, but so differently they are not"

    texts = [message.text for message in discord.messages]
    repeated = 0
    for trial in trials:
        copies = [sum(title_of(trial["trial"], number) in text for text in texts) for number in range(MESSAGES)]
        assert min(copies) >= 1, f"a message of trial {trial} is lost: {copies}"
        assert sum(copies) <= MESSAGES + 1, f"more than one copy too many in trial {trial}: {copies}"
        repeated += sum(copies) - MESSAGES
    assert 0 < repeated < len(deaths), "the moment between post and record was among them"
    unconfirmed = Counter(row.unconfirmed_count for row in await execute(db, select(notification_dispatches)))
    assert set(unconfirmed) == {0, 1}
    assert unconfirmed[1] >= repeated


async def test_a_sender_cancelled_at_any_step_writes_down_what_it_sent_and_repeats_nothing(
    db: Database, discord: Discord
) -> None:
    """A lost lease or a stop cancels the job: the request under way is finished and recorded first."""
    at_nine(db)
    source = await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    discord.bucket.limit = discord.everywhere.limit = 10**9
    step, trial = 1, 0
    while True:
        at_nine(db, DAY + timedelta(days=trial))
        for number in range(2):
            await new_posting(db, source, title_of(trial, number))
        await discovered_posting(db, board, "토스", title_of(trial, 2))
        day = DAY + timedelta(days=trial)
        run = asyncio.ensure_future(dispatch_notifications(db, settings_for(discord), day, asyncio.Event()))
        for _ in range(step):
            await asyncio.sleep(0)
        run.cancel()
        (ended,) = await asyncio.gather(run, return_exceptions=True)
        # An error that is none of the cancellation would look like a run that had nothing more to do.
        assert isinstance(ended, str | asyncio.CancelledError), f"step {step}: {ended!r}"
        finished = isinstance(ended, str)
        assert "SENDING" not in {row["dispatch_status"] for row in await dispatches(db)}
        await run_day(db, discord)
        texts = [message.text for message in discord.messages]
        assert [sum(title_of(trial, number) in text for text in texts) for number in range(3)] == [1, 1, 1]
        if finished:
            break
        step, trial = step + max(1, step // 12), trial + 1
    assert trial > 20


async def test_a_sender_cancelled_again_while_its_request_is_under_way_still_writes_it_down(
    db: Database, discord: Discord
) -> None:
    """The job's lease is lost, and then the daemon stops: two cancellations, and one message."""
    at_nine(db)
    await new_posting(db, await tellable(db))
    arrived, answered = asyncio.Event(), asyncio.Event()

    async def hold(_body: Json) -> None:
        arrived.set()
        await answered.wait()

    discord.after = hold
    run = asyncio.ensure_future(dispatch_notifications(db, settings_for(discord), DAY, asyncio.Event()))
    await arrived.wait()
    for _ in range(3):
        run.cancel()
        await asyncio.sleep(0.01)
    assert not run.done()
    answered.set()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert [row["dispatch_status"] for row in await dispatches(db)] == ["DELIVERED"]
    assert len(discord.messages) == 1
