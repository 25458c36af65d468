"""Cycles that end at the same moment stay out of each other's way."""

from __future__ import annotations

import asyncio

from daemon.collection.store import seen
from daemon.db import Database, Tx, transaction


async def test_two_cycles_that_drop_their_seen_sets_at_once_do_not_deadlock(server_db: Database) -> None:
    """On a small table MariaDB reads every row for a DELETE unless told otherwise, and waits for the other's rows."""
    attempts = 0

    async def end(tx: Tx, cycle_id: int, added: asyncio.Event, other_added: asyncio.Event) -> None:
        nonlocal attempts
        attempts += 1
        await seen.add_seen(tx, cycle_id, {f"posting-{number}" for number in range(5)}, await tx.now())
        added.set()
        await other_added.wait()
        await seen.delete_seen(tx, cycle_id)

    first, second = asyncio.Event(), asyncio.Event()
    await asyncio.gather(
        transaction(server_db, end, 1, first, second),
        transaction(server_db, end, 2, second, first),
    )
    assert attempts == 2
