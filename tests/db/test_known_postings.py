"""A page's writer keeps others from the postings that it compares with a list, although it reads them as one text."""

from __future__ import annotations

import asyncio

from sqlalchemy import update

from daemon.db import Database, Tx, transaction
from daemon.posting.store import load_known
from daemon.posting.tables import job_postings
from tests.databases import open_second
from tests.db.judged import posting, record


async def test_who_reads_known_postings_with_a_lock_keeps_others_from_them(db: Database) -> None:
    (posting_id,) = await record(db, posting("1"))
    held, order = asyncio.Event(), list[str]()

    async def hold(tx: Tx) -> None:
        assert list(await load_known(tx, 1, ["1"], lock=True)) == ["1"]
        held.set()
        await asyncio.sleep(0.3)
        order.append("the holder is done")

    async def change(tx: Tx) -> None:
        await tx.execute(update(job_postings).where(job_postings.c.id == posting_id).values(title="later"))
        order.append("the other is done")

    async with open_second(db) as second, asyncio.TaskGroup() as group:
        holding = group.create_task(transaction(db, hold))
        await held.wait()
        group.create_task(transaction(second if db.shared else db, change))
        await holding
    assert order == ["the holder is done", "the other is done"]
