"""Writes that go to the server with what comes next are made in their order, all or none, as if each had waited."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy import select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from daemon.clock import SystemClock
from daemon.db import Database, Tx, insert_rows, is_lost, open_database, reading, repeatable, transaction
from daemon.posting.tables import job_posting_descriptions as texts
from tests.databases import url_of
from tests.faults import Fault, FaultyProxy

AT = datetime(2026, 12, 1, 9, tzinfo=UTC)


def _text(posting_id: int, body: str = "") -> dict[str, Any]:
    """A row of a table in which a posting has one text."""
    return {"job_posting_id": posting_id, "body": body, "char_length": 0, "created_at": AT, "updated_at": AT}


async def _stored(tx: Tx) -> list[tuple[int, str]]:
    rows = await tx.execute(select(texts.c.job_posting_id, texts.c.body).order_by(texts.c.job_posting_id))
    return [(row.job_posting_id, row.body) for row in rows]


async def _insert(tx: Tx, *posting_ids: int) -> None:
    for posting_id in posting_ids:
        await insert_rows(tx, texts, [_text(posting_id)])


@pytest_asyncio.fixture
async def proxy(server_db: Database) -> AsyncIterator[FaultyProxy]:
    async with FaultyProxy(url_of(server_db)) as proxy:
        yield proxy


@pytest_asyncio.fixture
async def behind(proxy: FaultyProxy) -> AsyncIterator[Database]:
    """The database behind the proxy, with a connection that is there."""
    db = open_database(proxy.url, SystemClock())
    await reading(db, _stored)
    proxy.expect()
    yield db
    await db.close()


async def test_writes_are_seen_by_the_next_statement_and_made_in_their_order(db: Database) -> None:
    async def unit(tx: Tx) -> tuple[list[tuple[int, str]], int]:
        await _insert(tx, 1, 2)
        await tx.write(update(texts).values(body=texts.c.body + "a"))
        await _insert(tx, 3)
        await tx.write(update(texts).values(body=texts.c.body + "b"))
        seen = await _stored(tx)
        return seen, (await tx.execute(update(texts).values(char_length=2))).rowcount

    assert await transaction(db, unit) == ([(1, "ab"), (2, "ab"), (3, "b")], 3)
    assert await reading(db, _stored) == [(1, "ab"), (2, "ab"), (3, "b")]


async def test_writes_take_no_way_to_the_server_of_their_own(behind: Database, proxy: FaultyProxy) -> None:
    async def unit(tx: Tx) -> None:
        await _insert(tx, 1, 2)
        await _stored(tx)
        await _insert(tx, 3)

    await transaction(behind, unit)
    assert [each.split(maxsplit=1)[0] for each in proxy.statements] == ["INSERT", "INSERT"]
    assert [each.rstrip().endswith("COMMIT") for each in proxy.statements] == [False, True]
    assert len(await reading(behind, _stored)) == 3


async def test_a_write_that_fails_in_the_commit_leaves_nothing_of_its_unit(db: Database) -> None:
    await transaction(db, _insert, 2)
    with pytest.raises(IntegrityError):
        await transaction(db, _insert, 1, 2, 3)
    assert await reading(db, _stored) == [(2, "")]
    await transaction(db, _insert, 3)
    assert await reading(db, _stored) == [(2, ""), (3, "")]


async def test_nothing_behind_a_write_that_fails_is_done(db: Database) -> None:
    """Even for one who goes on after the error, and commits."""

    async def go_on(tx: Tx) -> None:
        await _insert(tx, 1, 2, 3)
        await tx.execute(update(texts).values(body="changed"))

    async def unit(tx: Tx) -> None:
        with pytest.raises(IntegrityError):
            await go_on(tx)

    await transaction(db, _insert, 2)
    await transaction(db, unit)
    assert await reading(db, _stored) == [(1, ""), (2, "")]


async def test_what_is_rolled_back_is_never_said(behind: Database, proxy: FaultyProxy) -> None:
    async def unit(tx: Tx) -> None:
        await _insert(tx, 1)
        raise KeyError

    with pytest.raises(KeyError):
        await transaction(behind, unit)
    await transaction(behind, _insert, 2)
    assert await reading(behind, _stored) == [(2, "")]
    assert "INSERT" not in proxy.statements[0]


@pytest.mark.parametrize(("fault", "left"), [(Fault.BEFORE, 0), (Fault.AFTER, 2)])
async def test_a_commit_that_is_lost_with_its_writes_leaves_a_doubt(
    behind: Database, proxy: FaultyProxy, fault: Fault, left: int
) -> None:
    proxy.expect(0, fault)
    with pytest.raises(DBAPIError) as raised:
        await transaction(behind, _insert, 1, 2)
    assert is_lost(raised.value)
    assert len(await reading(behind, _stored)) in {0, left}


async def test_a_repeatable_unit_whose_only_packet_is_lost_is_made_again(behind: Database, proxy: FaultyProxy) -> None:
    @repeatable
    async def unit(tx: Tx) -> None:
        await tx.write(update(texts).values(body="changed"))

    await transaction(behind, _insert, 1)
    for fault in (Fault.BEFORE, Fault.AFTER):
        proxy.expect(0, fault)
        await transaction(behind, unit)
        assert proxy.met is not None
        assert await reading(behind, _stored) == [(1, "changed")]


async def test_a_packet_holds_no_more_than_a_statement_may(behind: Database, proxy: FaultyProxy) -> None:
    async def unit(tx: Tx) -> None:
        for posting_id in range(9):
            await insert_rows(tx, texts, [_text(posting_id, "가" * 150_000)])

    await transaction(behind, unit)
    assert max(len(each.encode()) for each in proxy.statements) < 2 * 1024 * 1024
    assert [len(body) for _, body in await reading(behind, _stored)] == [150_000] * 9
