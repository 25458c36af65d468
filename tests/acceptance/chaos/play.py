"""Sets the stage for a run and plays it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

from daemon.clock import kst
from daemon.demo.discord import served
from daemon.demo.sources import demo_sources, many_sources
from daemon.demo.world import World
from daemon.matching.actions.criteria import add_exclusion_keyword, add_keyword_group, add_work_arrangement_keyword
from daemon.sources.model import Platform
from tests.acceptance.chaos.crew import crew_of
from tests.acceptance.chaos.days import DELAY, Run
from tests.acceptance.chaos.disk import SmallDisk
from tests.acceptance.chaos.moments import Moments
from tests.acceptance.chaos.outcome import Outcome
from tests.acceptance.chaos.schedule import Options, schedule
from tests.acceptance.chaos.strikes import Strikes
from tests.acceptance.chaos.watch import Reader
from tests.acceptance.chaos.zygote import zygote
from tests.acceptance.daemons import Daemons
from tests.acceptance.stage import Theatre, theatre_on
from tests.discord import Discord
from tests.servers import OwnServer

_SCALE = 0.15
_SMALL = (Platform.GREENHOUSE, Platform.GREENHOUSE, Platform.GREENHOUSE, Platform.INCRUIT)
_MARGIN = 3.0
"""Simulated seconds. Lateness runs as fast as time does: what a busy machine holds up between permit and arrival."""
_SETTINGS = {
    "request_delay_seconds": DELAY,
    "permit_margin_seconds": _MARGIN,
    "sla_grace_seconds": 20,
    "daily_details": 20,
    "slice_pages": 2,
    "notification_timeout_seconds": 3,
}

Told = Callable[[str], None]


async def play(options: Options, folder: Path, told: Told = lambda _line: None) -> Outcome:
    """Live through the days in an empty folder; `told` gets a line a day."""
    outcome = Outcome(options=options, plans=schedule(options))
    began = time.monotonic()
    async with AsyncExitStack() as stack:
        world = World(days=options.days, calm=True, scale=_SCALE)
        server = disk = None
        if options.shared:
            server = stack.enter_context(await asyncio.to_thread(OwnServer, options.engine, folder / options.engine))
            url = f"{server.url}/gonggo"
            bare = Reader(f"{server.url}/mysql")
            await bare.rows("CREATE DATABASE gonggo")
            bare.close()
        else:
            disk = stack.enter_context(SmallDisk(folder / "disk"))
            url = f"sqlite:///{disk.path}/gonggo.db"
        sources = (*demo_sources(), *many_sources(16, _SMALL))
        first = kst(world.first_day, 0) - timedelta(seconds=30)
        theatre = await stack.enter_async_context(theatre_on(folder, url, first, world, sources))
        await _look_for_something(theatre)
        moments = Moments(theatre.stage.clock_file, first)
        discord = await stack.enter_async_context(served(Discord(ticks=lambda: theatre.stage.clock.now().timestamp())))
        forks = await stack.enter_async_context(zygote())
        settings = theatre.stage.told(**_SETTINGS, discord_webhook_url=discord.url)
        crew = await stack.enter_async_context(
            crew_of(Daemons(folder, forks.spawn), options.instances, url if options.shared else None, settings)
        )
        reader = Reader(url)
        stack.callback(reader.close)
        run = Run(outcome, theatre, moments, discord, crew, reader)
        run.strikes = Strikes(
            crew=crew,
            replica=theatre.replica,
            moments=moments,
            server=server,
            disk=disk,
            killed=run.killed,
            disturbed=run.recoveries.disturb,
        )
        theatre.log.trap = run.asked
        for plan in outcome.plans:
            await run.live_through(plan)
            outcome.seconds = time.monotonic() - began
            told(run.line(plan))
        await crew.dismiss()
        run.finish()
    outcome.seconds = time.monotonic() - began
    return outcome


async def _look_for_something(theatre: Theatre) -> None:
    """A person's criteria, so that there is something to tell."""
    db = theatre.stage.db
    await add_keyword_group(db, "백엔드", ("백엔드", "서버", "Backend", "개발자"))
    await add_keyword_group(db, "데이터", ("데이터", "엔지니어"))
    await add_exclusion_keyword(db, "Senior")
    for word in ("재택근무", "원격근무", "remote"):
        await add_work_arrangement_keyword(db, word)
