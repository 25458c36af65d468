"""When a request counts as sent: as its head goes out, not when it was allowed (politeness counts from there)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from daemon.clock import SystemClock
from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import Fetched, Permit, Platform, Request
from daemon.sources.registry import adapter_of
from tests.sources.hostile import HostileSite


@dataclass(kw_only=True, slots=True)
class Noted(Permit):
    """A permit that notes how many requests had arrived when it was told of its own."""

    site: HostileSite
    arrived: list[int] = field(default_factory=list)

    def sent(self) -> None:
        self.arrived.append(len(self.site.hits))


async def test_the_permit_hears_once_that_its_request_goes_out() -> None:
    adapter = adapter_of(Platform.GREENHOUSE)
    async with HostileSite() as site:
        site.answers("/v1/boards/daangn/jobs", b"{}", kind="application/json")
        executor = Executor(Settings(platform_origins={Platform.GREENHOUSE: site.origin}))
        permit = Noted(host=executor.host_of(adapter), site=site)
        async with executor.session(adapter) as session:
            request = Request(url="https://boards-api.greenhouse.io/v1/boards/daangn/jobs?content=true")
            assert isinstance(await session.fetch(request, permit, SystemClock().now), Fetched)
        assert permit.arrived == [0]
        assert len(site.hits) == 1
        await executor.close()
        await asyncio.sleep(0)
