"""A daemon with something in it: sites collected, criteria, an application, for tests that ask all of its API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import aiohttp

from daemon.clock import kst
from daemon.demo.sources import DemoSource
from daemon.demo.world import World
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import Stage, theatre_on
from tests.acceptance.waiting import PATIENCE_SECONDS

DAY = date(2026, 12, 1)

_SOURCES = (
    DemoSource(platform=Platform.GREENHOUSE, slug="daangn", company_name="당근마켓"),
    DemoSource(platform=Platform.JUMPIT, category_code="1"),
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the API said."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    json: Any
    """The body, where it is JSON."""


@dataclass(frozen=True, kw_only=True)
class Inhabited:
    """A running daemon whose database is not empty."""

    daemon: Daemon
    stage: Stage
    http: aiohttp.ClientSession

    async def ask(self, method: str, path: str, json: object = None, **headers: str) -> Answer:
        """One request; `If_Match` is sent as `If-Match`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.http.request(method, path, json=json, headers=sent) as answer:
            return await told(answer)

    async def send(self, method: str, path: str, body: bytes, content_type: str, **headers: str) -> Answer:
        """As `ask`, with a body that is whatever it is."""
        sent = {"Content-Type": content_type} | {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.http.request(method, path, data=body, headers=sent) as answer:
            return await told(answer)


async def told(answer: aiohttp.ClientResponse) -> Answer:
    """The answer, read to its end."""
    body = await answer.read()
    return Answer(
        status=answer.status,
        headers=answer.headers,
        body=body,
        json=await answer.json(content_type=None) if "json" in answer.content_type else None,
    )


@asynccontextmanager
async def inhabited(folder: Path, url: str, daemons: Daemons, **settings: object) -> AsyncIterator[Inhabited]:
    """A daemon at noon of `DAY`, its sources collected, on an empty database; `settings` are more of its own."""
    world = World(calm=True)
    async with theatre_on(folder, url, kst(DAY, 12), world, _SOURCES) as theatre:
        stage = theatre.stage
        daemon = await daemons.start("daemon", stage.told(**settings))
        await stage.over(DAY)
        token = settings.get("api_token")
        async with aiohttp.ClientSession(
            daemon.address,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=aiohttp.ClientTimeout(total=PATIENCE_SECONDS),
        ) as http:
            yield Inhabited(daemon=daemon, stage=stage, http=http)
        assert daemon.running, daemon.output[-3000:]
        assert daemon.events("http.failed") == [], "nothing that it did not expect"
        # Before its sites, which it may be asking at this moment.
        assert await daemon.stop() == 0, daemon.output[-3000:]
