"""Closing what the server has closed already: it ends sessions that say nothing for half a minute."""

from __future__ import annotations

import asyncio
import gc
import logging

import pytest
from sqlalchemy import text

from daemon.clock import SystemClock
from daemon.db import Database, open_database
from tests.acceptance.proxy import Proxy
from tests.databases import url_of


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
