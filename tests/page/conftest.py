"""Fixtures: `browse` opens pages of the real application as a browser without script does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from daemon.db import Database
from tests.page.browsing import Browser
from tests.web.conftest import Serve, offline, serve

__all__ = ["Serve", "offline", "serve"]

Browse = Callable[..., Awaitable[Browser]]


@pytest.fixture
def browse(serve: Serve) -> Browse:
    """`await browse(db, speaks="ko", **settings)`: a browser at the application."""

    async def start(db: Database, speaks: str = "ko", **settings: Any) -> Browser:
        return Browser(await serve(db, **settings), speaks)

    return start
