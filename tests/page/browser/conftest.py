"""Fixtures: one browser for all tests of a worker, and with it one event loop, on which database and page live too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from daemon.clock import ManualClock
from daemon.db import Database, open_database
from tests.databases import Databases
from tests.page.browser.chromium import CHROMIUM, WAYS, WAYS_ON_SERVERS, Tab, Way, launched, opened_tab
from tests.web.conftest import Serve, serving

HERE = Path(__file__).parent

Visit = Callable[..., Awaitable[Tab]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that has `way` is run in each of them."""
    if "way" in metafunc.fixturenames:
        metafunc.parametrize("way", WAYS, ids=str)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """One server will do, and on it some ways. A busy machine may take its time over a browser."""
    here = [item for item in items if HERE in item.path.parents]
    servers = sorted(
        {_given(item, "engine") for item in here if not item.get_closest_marker("skip")} - {None, "sqlite"}
    )
    idle = [item for item in here if not _will_do(_given(item, "engine"), _given(item, "way"), servers[:1])]
    config.hook.pytest_deselected(items=idle)
    items[:] = [item for item in items if item not in idle]
    for item in here:
        item.add_marker(pytest.mark.timeout(300))


def _given(item: pytest.Item, name: str) -> Any:
    return getattr(item, "callspec", None) and item.callspec.params.get(name)  # type: ignore[attr-defined]  # of functions


def _will_do(engine: str | None, way: Way | None, servers: list[str]) -> bool:
    return engine in (None, "sqlite") or (engine in servers and (way is None or way in WAYS_ON_SERVERS))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """The browser."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    async with launched() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def db(_migrated_url: str, engine: str, databases: Databases, clock: ManualClock) -> AsyncIterator[Database]:
    """As everywhere, on the browser's loop."""
    opened = open_database(_migrated_url, clock)
    await databases.reset(engine, opened)
    yield opened
    await opened.close()


@pytest_asyncio.fixture(loop_scope="session")
async def serve() -> AsyncIterator[Serve]:
    """As everywhere, on the browser's loop."""
    async with serving() as start:
        yield start


@pytest_asyncio.fixture(loop_scope="session")
async def visit(
    db: Database, engine: str, serve: Serve, chromium: Browser, request: pytest.FixtureRequest
) -> AsyncIterator[Visit]:
    """`await visit(way, **settings)`: a tab at the page; it complained of nothing and asked nobody else in the end."""
    tabs: list[Tab] = []
    async with AsyncExitStack() as stack:

        async def open_tab(way: Way, **settings: Any) -> Tab:
            origin = str((await serve(db, **settings)).make_url("/")).rstrip("/")
            tabs.append(await stack.enter_async_context(opened_tab(chromium, origin, way)))
            return tabs[-1]

        yield open_tab
        for tab in tabs:
            assert tab.faults == []
            assert [url for url in tab.asked if not url.startswith(f"{tab.origin}/")] == []
