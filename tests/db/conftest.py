"""Fixtures of database tests: a small site, and the collection engine on each database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from daemon.collection.engine import Engine
from daemon.db import Database, open_database
from daemon.flags.model import FlagKey
from daemon.sources import registry
from daemon.sources.model import Platform
from tests.board import Adapt, Board, board_adapter, serve_board
from tests.databases import Databases, url_of
from tests.db.lossy import Scene
from tests.discord import Discord, serve_discord
from tests.engines import engine_on, switch_on
from tests.faults import FaultyProxy


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    """A site that a test fills."""
    async with serve_board() as served:
        yield served


@pytest.fixture
def adapt(monkeypatch: pytest.MonkeyPatch) -> Adapt:
    """The Woowahan site with small pages and no details; call it to change more (see `board_adapter`)."""

    def change(*args: object, **changes: object) -> None:
        monkeypatch.setitem(registry.ADAPTERS, Platform.WOOWAHAN, board_adapter(*args, **changes))  # type: ignore[arg-type]  # passed on as given

    change()
    return change


@pytest.fixture
async def collector(db: Database, board: Board, adapt: Adapt) -> AsyncIterator[Engine]:
    """An engine with v2 and auto-close switched on, asking the board without delays."""
    await switch_on(db, FlagKey.COLLECTION_DISPATCH_V2, FlagKey.AUTO_CLOSE)
    async with engine_on(db, board.origins) as made:
        yield made


@pytest.fixture
async def discord(db: Database) -> AsyncIterator[Discord]:
    """A Discord whose limits go by the database's clock."""
    async with serve_discord(lambda: db.clock.now().timestamp()) as served:
        yield served


@pytest.fixture
async def scene(
    collector: Engine, board: Board, databases: Databases, engine: str, server_only: None
) -> AsyncIterator[Scene]:
    """A stage for `SCENES`; what they do is done through a proxy."""

    async def empty() -> None:
        await databases.reset(engine, collector.db)

    async with FaultyProxy(url_of(collector.db)) as proxy:
        behind = open_database(proxy.url, collector.clock, pool_size=1)
        made = replace(collector, db=behind)
        yield Scene(engine=collector, behind=made, proxy=proxy, board=board, empty=empty)
        await behind.close()
