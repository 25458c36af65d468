"""The replica of the sites in a process of its own, for benchmarks that measure a daemon."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from daemon.clock import SystemClock, business_date
from daemon.demo.sources import DemoSource, demo_sources
from daemon.sources.model import Platform

_LEFT_OUT = DemoSource(platform=Platform.JOBKOREA, category_code="10026")


@dataclass(frozen=True, kw_only=True, slots=True)
class Sites:
    """Where the sites are, and what is to be collected of them."""

    origins: dict[str, str]
    sources: tuple[DemoSource, ...]
    log: Path
    """One line of JSON per request."""


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Sites]:
    """The sites on a calm day that begins today, until the block ends."""
    log = folder / "requests.jsonl"
    day = business_date(SystemClock().now())
    replica = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "daemon.demo.replica",
        *("--start", str(day), "--calm", "--log", str(log)),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert replica.stdout is not None
        origins: dict[str, str] = json.loads(await replica.stdout.readline())
        sources = tuple(source for source in demo_sources() if source != _LEFT_OUT)
        yield Sites(origins=origins, sources=sources, log=log)
    finally:
        replica.terminate()
        await replica.wait()
