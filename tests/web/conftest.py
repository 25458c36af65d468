"""Fixtures: `serve` starts the real application on a local server; `offline` is a database that can't be reached."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from aiohttp.web import Application, Request

from daemon.clock import ManualClock
from daemon.collection.engine import Engine, Progress
from daemon.db import Database, open_database
from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.web import make_app

Client = TestClient[Request, Application]
Serve = Callable[..., Awaitable[Client]]


@asynccontextmanager
async def serving() -> AsyncIterator[Serve]:
    """What `serve` is: starts the application, as often as asked, and ends all of it in the end."""
    clients: list[Client] = []
    executors: list[Executor] = []

    async def start(
        db: Database,
        progress: Progress | None = None,
        executor: Executor | None = None,
        recorded: asyncio.Event | None = None,
        **settings: Any,
    ) -> Client:
        chosen = Settings(database_url="sqlite://", **settings)
        executors.append(executor or Executor(chosen))
        engine = Engine(
            db=db,
            executor=executors[-1],
            settings=chosen,
            wake=asyncio.Event(),
            progress=progress or Progress(),
            recorded=recorded or asyncio.Event(),
        )
        client = TestClient(TestServer(make_app(engine)))
        await client.start_server()
        clients.append(client)
        return client

    yield start
    for client in clients:
        await client.close()
    for each in executors:
        await each.close()


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """`await serve(db, progress=…, executor=…, **settings)`: a client of the application on a real socket."""
    async with serving() as start:
        yield start


@pytest.fixture
async def offline(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Database]:
    """A database that does not answer: its folder is not there."""
    db = open_database(f"sqlite:///{tmp_path}/missing/gonggo.db", clock)
    yield db
    await db.close()
    # aiosqlite doesn't wait for the thread of a connection that failed, which then finds the test's loop closed.
    while any("_connection_worker_thread" in thread.name for thread in threading.enumerate()):
        await asyncio.sleep(0.005)
