"""Closing what the server has closed already: it ends sessions that say nothing for half a minute."""

from __future__ import annotations

import asyncio
import gc
import logging
import warnings
from contextlib import suppress

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from daemon.clock import SystemClock
from daemon.db import Database, Tx, open_database, reading
from tests.acceptance.proxy import Proxy
from tests.databases import url_of
from tests.faults import Fault, FaultyProxy


async def test_sessions_that_the_server_has_ended_are_closed_without_a_word(
    server_db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """A quiet night leaves such sessions in the pool; a stop then is no error, and no socket is left open."""
    async with Proxy(url_of(server_db)) as proxy:
        db = open_database(proxy.url, SystemClock())
        held = [await db.engine.connect() for _ in range(3)]
        for connection in held:
            await connection.execute(text("SELECT 1"))
            await connection.close()
        proxy.reset()
        await asyncio.sleep(0.05)
        with caplog.at_level(logging.WARNING, "sqlalchemy.pool"):
            await db.close()
        del held, connection
        gc.collect()  # a connection that is not closed says so here, and warnings are errors
    # The proxy's own side of a reset connection may complain as well, on asyncio's logger.
    assert [record.getMessage() for record in caplog.records if record.name.startswith("sqlalchemy")] == []


@pytest.mark.parametrize("fault", [Fault.BEFORE, Fault.REFUSED])
async def test_a_connection_that_breaks_while_it_is_prepared_is_closed_too(server_db: Database, fault: Fault) -> None:
    """Found by chaos: one whose first statements met a restart of the server was left to the garbage collector."""
    async with FaultyProxy(url_of(server_db)) as proxy:
        number, ended = 0, False
        while not ended:
            proxy.expect(number, fault)
            db = open_database(proxy.url, SystemClock())
            with warnings.catch_warnings(record=True) as complaints:
                warnings.simplefilter("always")
                with suppress(OperationalError):
                    await reading(db, _nothing)
                await db.close()
                del db
                gc.collect()
            assert [(proxy.met, str(each.message)) for each in complaints] == []
            number, ended = number + 1, proxy.met is None
        assert number > 4, "the driver's own, the isolation, what SQLAlchemy asks, ours"


async def test_a_connection_in_use_while_another_one_is_lost_is_kept_or_closed(server_db: Database) -> None:
    """What was open when the loss was noticed stays the pool's: it works on, and ends with the pool."""
    async with FaultyProxy(url_of(server_db)) as proxy:
        db = open_database(proxy.url, SystemClock())
        busy, lost = asyncio.Event(), asyncio.Event()

        async def in_use(tx: Tx) -> None:
            await _nothing(tx)
            busy.set()
            await lost.wait()

        with warnings.catch_warnings(record=True) as complaints:
            warnings.simplefilter("always")
            using = asyncio.ensure_future(reading(db, in_use))
            await busy.wait()
            await reading(db, _nothing)
            proxy.expect(0)
            await reading(db, _nothing)
            assert proxy.met is not None
            lost.set()
            await using
            await db.close()
            gc.collect()
        assert [str(each.message) for each in complaints] == []


async def _nothing(tx: Tx) -> None:
    await tx.execute(text("SELECT 1"))
