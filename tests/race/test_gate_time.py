"""The time that comes with the gate: the server's, after the wait for the lock (DESIGN 1.2, 1.3)."""

from __future__ import annotations

import asyncio
from datetime import date, datetime, timedelta

from sqlalchemy import func, select

from daemon.collection.model import CaptureStatus
from daemon.collection.store.snapshots import add_header, lock_header, pass_gate
from daemon.db import Database, Tx, transaction
from tests.databases import open_second

_DAY = date(2030, 1, 1)
_HELD_SECONDS = 0.1


async def test_whoever_waited_for_the_gate_goes_by_the_time_after_the_wait(server_db: Database) -> None:
    """A statement's own time is that of its start; what decided before or after 09:00 would then be out of date."""
    held = asyncio.Event()

    async def hold(tx: Tx) -> None:
        await lock_header(tx, _DAY)
        held.set()
        await asyncio.sleep(_HELD_SECONDS)

    async def come_later(tx: Tx) -> tuple[datetime, datetime]:
        before = (await tx.execute(select(func.utc_timestamp(6)))).scalar_one()
        await pass_gate(tx, _DAY)
        return before, await tx.now()

    await transaction(server_db, add_header, _DAY, CaptureStatus.PENDING, server_db.clock.now())
    async with open_second(server_db) as other:
        holding = asyncio.ensure_future(transaction(other, hold))
        await held.wait()
        before, after = await transaction(server_db, come_later)
        await holding
    assert after - before > timedelta(seconds=_HELD_SECONDS / 2)


async def test_the_time_that_came_with_the_gate_is_not_asked_for_again(server_db: Database) -> None:
    async def passed(tx: Tx) -> tuple[datetime, datetime]:
        await pass_gate(tx, _DAY)
        later = (await tx.execute(select(func.utc_timestamp(6)))).scalar_one()
        return await tx.now(), later

    await transaction(server_db, add_header, _DAY, CaptureStatus.PENDING, server_db.clock.now())
    now, later = await transaction(server_db, passed)
    assert now < later


async def test_a_server_whose_sysdate_is_the_statements_start_is_asked_by_itself(server_db: Database) -> None:
    """`--sysdate-is-now`: the two times of the read are one, and say nothing about the wait."""

    async def told(tx: Tx) -> bool:
        start = datetime(2020, 1, 1)
        tx.take_time(start, start)
        return (await tx.now()).year > 2020

    assert await transaction(server_db, told)
