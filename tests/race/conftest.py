"""Two instances of the engine on one MariaDB or MySQL, on the server's own time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import text

from daemon.collection.engine import Engine
from daemon.db import Database
from daemon.flags.model import FlagKey
from daemon.sources import registry
from daemon.sources.model import Platform
from tests.board import Board, board_adapter, serve_board
from tests.databases import open_second
from tests.engines import engine_on, switch_on

CONNECTIONS = 8
"""Opened in each instance before a race begins, so that no racer has to open one first."""


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    """A site that a test fills."""
    async with serve_board() as served:
        yield served


@pytest.fixture
async def instances(
    server_db: Database, board: Board, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Engine, Engine]]:
    """Two engines with pools of their own, v2 and auto-close on, many slices per host, no delays."""
    monkeypatch.setitem(registry.ADAPTERS, Platform.WOOWAHAN, board_adapter())
    await switch_on(server_db, FlagKey.COLLECTION_DISPATCH_V2, FlagKey.AUTO_CLOSE)
    async with AsyncExitStack() as stack:
        made = []
        for db in (server_db, await stack.enter_async_context(open_second(server_db))):
            await _open_connections(db)
            made.append(await stack.enter_async_context(engine_on(db, board.origins, slices_per_host=10)))
        yield made[0], made[1]


async def _open_connections(db: Database) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(CONNECTIONS):
            connection = await stack.enter_async_context(db.engine.connect())
            await connection.execute(text("SELECT 1"))
