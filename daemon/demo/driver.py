"""`gonggo demo`: the real daemon, as a process of its own, lives through days of the replica in seconds."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from daemon import schema
from daemon.app import stop_signals
from daemon.clock import SimulatedClock, SystemClock, kst
from daemon.db import Database, open_database
from daemon.demo.discord import Discord, served
from daemon.demo.person import Person
from daemon.demo.processes import API_PORT, DaemonDied, Stage, daemon_process, free_port, replica_process
from daemon.demo.report import Report
from daemon.demo.request_log import RequestLog
from daemon.demo.timeline import DayStuck, Timeline
from daemon.demo.world import World
from daemon.messages import Language


class FolderUnusable(Exception):
    """The demo can't keep its files there."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path}: {error}")
        self.path = path
        self.error = error


class DemoFailed(Exception):
    """The demo could not go on; its folder stays."""

    def __init__(self, cause: DaemonDied | DayStuck, folder: Path) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.folder = folder


@dataclass(frozen=True, kw_only=True)
class _Play:
    """Who takes part in a demo that is under way."""

    world: World
    days: int
    db: Database
    timeline: Timeline
    person: Person
    discord: Discord
    report: Report


async def run_demo(*, days: int, serve: bool, keep: Path | None, language: Language) -> int:
    """Live through `days` of the demo world and show what was found; 1 when an invariant did not hold.

    With `serve` API and daemon stay up afterwards until Ctrl-C. Database and logs stay in a new folder in `keep`; and
    in a temporary one where something went wrong. Raises FolderUnusable, DemoFailed, KeyboardInterrupt.
    """
    stopping = asyncio.Event()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Whoever reads along through a pipe sees each line when it is true.
        sys.stdout.reconfigure(line_buffering=True)
    with stop_signals(stopping):
        folder = _made_folder(keep)
        report = Report(language, world := World(days=days), days)
        stays = keep is not None
        try:
            good = await _until_stopped(
                _play(folder, world, days, serve, report, language, stays, stopping), report, stopping
            )
            stays = stays or not good
            return 0 if good else 1
        except (DaemonDied, DayStuck) as error:
            stays = True
            raise DemoFailed(error, folder) from error
        except Exception:
            stays = True
            raise
        finally:
            if not stays:
                shutil.rmtree(folder, ignore_errors=True)
            elif keep is None:
                report.show_folder(folder)


async def _until_stopped(play: Coroutine[Any, Any, bool], report: Report, stopping: asyncio.Event) -> bool:
    """The play's verdict. Raises KeyboardInterrupt when it is stopped before its end."""
    work = asyncio.ensure_future(play)
    stop = asyncio.ensure_future(stopping.wait())
    await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if not work.done() and not report.serving:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        raise KeyboardInterrupt
    return await work


async def _play(
    folder: Path,
    world: World,
    days: int,
    serve: bool,
    report: Report,
    language: Language,
    stays: bool,
    stopping: asyncio.Event,
) -> bool:
    """The whole demo; tells whether every invariant held."""
    stage = Stage(folder=folder, port=free_port(API_PORT))
    SimulatedClock.write(stage.clock, kst(world.first_day, 0) - timedelta(seconds=30), 0.0)
    clock = SimulatedClock(stage.clock)
    db = open_database(stage.database_url, clock)
    try:
        report.begin(folder if stays else None)
        await schema.migrate(db)
        person = Person(db, language)
        await person.set_out()
        async with (
            served(Discord(ticks=lambda: clock.now().timestamp())) as discord,
            replica_process(stage, days) as origins,
            daemon_process(stage, origins, _settings(discord, language)) as daemon,
        ):

            def look() -> None:
                if daemon.returncode is not None:
                    raise DaemonDied(daemon.returncode, stage.daemon_log)

            timeline = Timeline(stage.clock, db, look)
            play = _Play(
                world=world, days=days, db=db, timeline=timeline, person=person, discord=discord, report=report
            )
            for number in range(1, days + 1):
                await _live_through(play, number)
            await report.show_harvest(db, world.day_number(days), discord, person.application_id)
            good = await report.show_invariants(db, RequestLog.read(stage.request_log), discord)
            if serve:
                timeline.run_at(1.0)
                report.show_address(stage.port)
                await stopping.wait()
                report.show_end()
        return good
    finally:
        await db.close()


def _settings(discord: Discord, language: Language) -> dict[str, str]:
    """What the daemon is told besides where it plays."""
    return {"GONGGO_DISCORD_WEBHOOK_URL": discord.url, "GONGGO_LANGUAGE": language}


async def _live_through(play: _Play, number: int) -> None:
    """One day: the daemon's, and then the person's."""
    day = play.world.day_number(number)
    with play.report.day(number, day) as watch:
        watching = asyncio.ensure_future(watch(play.db))
        try:
            await play.timeline.live_through(day)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
    await play.report.show_day(play.db, day, play.discord)
    await _act(play, day, first=number == 1)


async def _act(play: _Play, day: date, *, first: bool) -> None:
    for hour, deed in play.person.deeds(day, first=first):
        at = kst(day, hour)
        play.timeline.leap(at)
        play.report.show_deed(at, await deed(day))


def _made_folder(keep: Path | None) -> Path:
    """A new folder in `keep`, or a temporary one. Raises FolderUnusable."""
    try:
        if keep is None:
            return Path(tempfile.mkdtemp(prefix="gonggo-demo-"))
        folder = keep / f"demo-{SystemClock().now():%Y%m%dT%H%M%S}-{os.getpid()}"
        folder.mkdir(parents=True)
    except OSError as error:
        raise FolderUnusable(keep or Path(tempfile.gettempdir()), error) from error
    return folder
