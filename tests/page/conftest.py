"""Fixtures: `browse` opens pages of the real application as a browser without script does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from aiohttp import CookieJar
from aiohttp.test_utils import TestClient, TestServer

from daemon.collection.engine import Progress
from daemon.db import Database
from daemon.settings import Settings
from daemon.web import make_app
from tests.page.browsing import Browser
from tests.web.conftest import offline, serve

__all__ = ["offline", "serve"]

Browse = Callable[..., Awaitable[Browser]]


@pytest.fixture
async def browse() -> AsyncIterator[Browse]:
    """`await browse(db, speaks="ko", **settings)`: a browser at the application."""
    clients: list[Any] = []

    async def start(db: Database, speaks: str = "ko", **settings: Any) -> Browser:
        chosen = Settings(database_url="sqlite://", **settings)
        client = TestClient(TestServer(make_app(db, chosen, Progress())), cookie_jar=CookieJar(unsafe=True))
        await client.start_server()
        clients.append(client)
        return Browser(client, speaks)

    yield start
    for client in clients:
        await client.close()
