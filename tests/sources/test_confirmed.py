"""A permit is confirmed when the connection stands, and before anything of its request is sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from daemon.clock import SystemClock
from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import Fetched, NotFetched, Outcome, Permit, PermitWithdrawn, Platform, Request
from daemon.sources.registry import adapter_of
from tests.acceptance.waiting import until
from tests.sources.hostile import HostileSite

PATH = "/v1/boards/daangn/jobs"
REQUEST = Request(url=f"https://boards-api.greenhouse.io{PATH}?content=true")
LATER = datetime(2026, 12, 1, tzinfo=UTC)

Confirm = Callable[[], Awaitable[None]]
Fetch = Callable[[Confirm], Awaitable[Fetched | NotFetched]]


@dataclass(kw_only=True, slots=True)
class Asked(Permit):
    """A permit whose confirming is the test's."""

    ask: Confirm

    async def confirm(self) -> None:
        await self.ask()


@asynccontextmanager
async def fetching(site: HostileSite, *, request_timeout: float = 30) -> AsyncIterator[Fetch]:
    """Asks `site` once with a permit that is confirmed as told."""
    adapter = adapter_of(Platform.GREENHOUSE)
    origins = {Platform.GREENHOUSE: site.origin}
    executor = Executor(Settings(platform_origins=origins, request_timeout_seconds=request_timeout))

    async def fetch(confirm: Confirm) -> Fetched | NotFetched:
        async with executor.session(adapter) as session:
            permit = Asked(host=executor.host_of(adapter), ask=confirm)
            return await session.fetch(REQUEST, permit, SystemClock().now)

    yield fetch
    await executor.close()


async def test_it_is_asked_once_over_a_connection_that_stands_and_has_carried_nothing() -> None:
    seen: list[tuple[int, int]] = []
    async with HostileSite() as site, fetching(site) as fetch:
        site.answers(PATH, b"{}", kind="application/json")

        async def confirm() -> None:
            await until(lambda: site.in_hand == 1, "a connection")
            await asyncio.sleep(0.05)
            seen.append((site.in_hand, len(site.hits)))

        assert isinstance(await fetch(confirm), Fetched)
        assert (seen, len(site.hits)) == ([(1, 0)], 1)


async def test_a_permit_withdrawn_closes_the_connection_and_sends_nothing() -> None:
    async with HostileSite() as site, fetching(site) as fetch:

        async def confirm() -> None:
            await until(lambda: site.in_hand == 1, "a connection")
            raise PermitWithdrawn(LATER)

        with pytest.raises(PermitWithdrawn) as withdrawn:
            await fetch(confirm)
        await until(lambda: site.in_hand == 0, "its end")
        assert (withdrawn.value.until, site.hits) == (LATER, [])


@pytest.mark.parametrize("error", [OSError("the database is away"), TimeoutError(), KeyError("a mistake")])
async def test_what_befalls_the_confirming_is_never_taken_for_the_sites_doing(error: Exception) -> None:
    async with HostileSite() as site, fetching(site) as fetch:

        async def confirm() -> None:
            raise error

        with pytest.raises(type(error)) as raised:
            await fetch(confirm)
        assert (raised.value, site.hits) == (error, [])


async def test_waiting_for_the_place_takes_nothing_of_the_sites_time() -> None:
    async with HostileSite() as site, fetching(site, request_timeout=0.5) as fetch:
        site.answers(PATH, b"{}", kind="application/json")

        async def confirm() -> None:
            await asyncio.sleep(0.8)

        assert isinstance(await fetch(confirm), Fetched)


async def test_the_sites_time_goes_on_where_it_stood() -> None:
    async with HostileSite() as site, fetching(site, request_timeout=0.5) as fetch:
        site.plays(PATH, "silent")

        async def confirm() -> None:
            await asyncio.sleep(0.8)

        answer = await fetch(confirm)
        assert isinstance(answer, NotFetched)
        assert answer.outcome is Outcome.TIMEOUT
