"""The composition root: builds what the daemon consists of, starts its loops, and stops it cleanly."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta

import structlog
from aiohttp import web
from sqlalchemy.exc import DBAPIError

from daemon import schema
from daemon.clock import SystemClock, clock_from, wait_for, wait_for_any
from daemon.collection.engine import Engine, Progress
from daemon.collection.loop import run_recovery, run_slices
from daemon.company.store import load_active_targets
from daemon.db import Database, is_lost, open_database, reading
from daemon.flags.store import load_states
from daemon.instance import sole_instance
from daemon.jobs import timetable_jobs
from daemon.log import configure_for
from daemon.matching.loop import run_evaluation
from daemon.messages import text
from daemon.schedule.loop import run_timetable
from daemon.sdnotify import Notifier, feed_watchdog, watchdog_interval
from daemon.settings import Settings, adopt
from daemon.sources.executor import Executor
from daemon.web import make_app
from daemon.web.connection import listen

log = structlog.get_logger(__name__)

_FIRST_RETRY = timedelta(seconds=1)
_LONGEST_RETRY = timedelta(seconds=15)
"""Between two looks for a database server that is away: 1 s at first, twice as long each time, up to this."""
_ENGINE_STALL = timedelta(minutes=5)
"""Without any progress for this long (idling in good order is progress) the watchdog is no longer fed."""
_FOR_EVER = timedelta(days=365)


class SchemaBehind(Exception):
    """The server's schema is not at this program's revision, and a daemon never migrates a shared database."""

    def __init__(self, found: str | None, wanted: str) -> None:
        super().__init__(f"the database is at revision {found}, this program needs {wanted}: run `gonggo migrate`")
        self.found = found
        self.wanted = wanted


class AddressUnusable(Exception):
    """Nothing can be served at HTTP_HOST:HTTP_PORT."""

    def __init__(self, address: str, error: OSError) -> None:
        super().__init__(f"{address}: {error.strerror}")
        self.address = address
        self.error = error


class SettingsRefused(Exception):
    """Settings that were read again can't be used; those in force stay. Says why, in the person's language."""


async def run(settings: Settings, read_again: Callable[[], Settings]) -> int:
    """Run the daemon until it is told to stop; returns the exit code: 0 after SIGTERM, 130 after Ctrl-C (SIGINT).

    Both stop it the same way. At SIGHUP it takes up what `read_again` returns, and stays as it is where that raises
    SettingsRefused; with a terminal SIGHUP ends it at once, for then the terminal has gone.

    Raises AlreadyRunning, StateUnusable, SchemaBehind, AddressUnusable, or the database's error when it can't start;
    any loop that ends by itself ends the process, so that systemd starts it again.
    """
    stopping, reload = asyncio.Event(), asyncio.Event()
    notifier = Notifier.from_environment()
    with stop_signals(stopping) as received, _hangup(reload):
        db = open_database(settings.database_url.get_secret_value(), clock_from(settings.clock))
        try:
            with sole_instance(db):
                if await _database_answers(db, notifier, stopping):
                    async with _engine(db, settings, stopping) as engine, _serving(engine) as address:
                        await _run_loops(engine, address, notifier, reload, read_again)
        finally:
            await db.close()
    log.info("daemon.stopped")
    return 128 + signal.SIGINT if received[:1] == [signal.SIGINT] else 0


@asynccontextmanager
async def opened_engine(settings: Settings) -> AsyncIterator[Engine]:
    """An engine on the settings' database, alone on it when it is embedded; for commands that collect.

    Raises AlreadyRunning, StateUnusable, SchemaBehind, or the database's error.
    """
    db = open_database(settings.database_url.get_secret_value(), clock_from(settings.clock))
    try:
        with sole_instance(db):
            await _prepare_schema(db)
            async with _engine(db, settings, asyncio.Event()) as engine:
                yield engine
    finally:
        await db.close()


@contextmanager
def stop_signals(stopping: asyncio.Event) -> Iterator[list[int]]:
    """SIGTERM and SIGINT set `stopping`; a second one ends the process at once. Yields those received so far."""
    loop = asyncio.get_running_loop()
    received: list[int] = []

    def stop(number: int) -> None:
        if stopping.is_set():
            os._exit(128 + number)
        received.append(number)
        log.info("daemon.stopping", signal=signal.Signals(number).name)
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop, number)
    try:
        yield received
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


@contextmanager
def _hangup(reload: asyncio.Event) -> Iterator[None]:
    """SIGHUP sets `reload`, unless there is a terminal."""
    if os.isatty(0):
        yield
        return
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, reload.set)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)


async def _database_answers(db: Database, notifier: Notifier, stopping: asyncio.Event) -> bool:
    """Wait until the database server can be reached, with the service manager's patience; False when told to stop.

    Its schema is then ready. A server that answers with a refusal (wrong password, no such database, another schema) is
    an error at once.
    """
    pause = _FIRST_RETRY
    while not stopping.is_set():
        try:
            await schema.current_revision(db)
            await _prepare_schema(db)
        except (DBAPIError, OSError) as error:
            if not db.shared or not (is_lost(error) or isinstance(error, OSError)):
                raise
            db.outage.begun(error)
            notifier.status("waiting for the database")
            notifier.extend_timeout(pause + _FIRST_RETRY * 20)
            await wait_for(SystemClock(), stopping, pause)
            pause = min(pause * 2, _LONGEST_RETRY)
        else:
            db.outage.over()
            return True
    return False


async def _prepare_schema(db: Database) -> None:
    if not db.shared:
        applied = await schema.migrate(db)
        if applied:
            log.info("schema.migrated", revisions=applied)
        return
    if not await schema.is_current(db):
        raise SchemaBehind(await schema.current_revision(db), schema.head_revision())


@asynccontextmanager
async def _engine(db: Database, settings: Settings, stopping: asyncio.Event) -> AsyncIterator[Engine]:
    executor = Executor(settings)
    try:
        progress = Progress(advanced_at=SystemClock().ticks())
        yield Engine(
            db=db, executor=executor, settings=settings, wake=asyncio.Event(), progress=progress, stopping=stopping
        )
    finally:
        await executor.close()


@asynccontextmanager
async def _serving(engine: Engine) -> AsyncIterator[str]:
    """The web server; yields its address, whose port the system may have given."""
    settings = engine.settings
    runner = web.AppRunner(make_app(engine), access_log=None, shutdown_timeout=2)
    await runner.setup()
    try:
        try:
            listening = await listen(runner, settings.http_host, settings.http_port)
        except OSError as error:
            raise AddressUnusable(f"{settings.http_host}:{settings.http_port}", error) from error
        port = listening.sockets[0].getsockname()[1]
        address = f"http://{settings.http_host}:{port}"
        log.info("web.listening", address=address)
        try:
            yield address
        finally:
            listening.close()
    finally:
        await runner.cleanup()


async def _run_loops(
    engine: Engine, address: str, notifier: Notifier, reload: asyncio.Event, read_again: Callable[[], Settings]
) -> None:
    """Every loop of the daemon, in one group: one that fails takes the others and the process with it."""
    stopping = engine.stopping
    owner = f"{socket.gethostname()}:{os.getpid()}"[:100]
    jobs = timetable_jobs(engine.patient())
    async with asyncio.TaskGroup() as group:
        group.create_task(run_slices(engine), name="slices")
        group.create_task(run_recovery(engine), name="recovery")
        judging = run_evaluation(engine.db, engine.clock, engine.foreground, engine.recorded, stopping)
        group.create_task(judging, name="evaluation")
        group.create_task(run_timetable(engine.db, engine.clock, jobs, owner, stopping), name="timetable")
        interval = watchdog_interval()
        if interval is not None:
            feed = feed_watchdog(
                notifier, interval, SystemClock(), lambda: engine.progress.last_step_at, _ENGINE_STALL, stopping
            )
            group.create_task(feed, name="watchdog")
        _keep_for_good()
        notifier.ready()
        log.info("daemon.started", database=engine.db.engine.dialect.name, workers=engine.settings.workers)
        await _tell_what_is_missing(engine, notifier, address)
        group.create_task(_reload(engine, notifier, reload, read_again), name="reload")
        await stopping.wait()
        notifier.stopping()


def _keep_for_good() -> None:
    """Have the garbage collector leave alone what is there now: modules, models and statements live as long as we do.

    To walk through them takes a tenth of a second, in which nothing else is done; what comes after is little.
    """
    gc.collect()
    gc.freeze()


async def _reload(
    engine: Engine, notifier: Notifier, reload: asyncio.Event, read_again: Callable[[], Settings]
) -> None:
    """Take up the settings anew each time `reload` is set. Work in hand goes on with those it began with."""
    while not engine.stopping.is_set():
        await wait_for_any(SystemClock(), (reload, engine.stopping), _FOR_EVER)
        if reload.is_set() and not engine.stopping.is_set():
            reload.clear()
            notifier.reloading()
            notifier.status(_take_up(engine, read_again))
            notifier.ready()


def _take_up(engine: Engine, read_again: Callable[[], Settings]) -> str:
    """Read the settings and put them into force; a line that says how that went."""
    settings = engine.settings
    try:
        adopted = adopt(settings, read_again())
    except SettingsRefused as error:
        log.error("settings.refused", reason=str(error))
        return text(settings.language, "run.not_reloaded", reason=error)
    configure_for(settings)
    log.info("settings.reloaded", changed=adopted.changed)
    engine.wake.set()
    if not adopted.need_restart:
        return text(settings.language, "run.reloaded")
    log.warning("settings.need_restart", names=adopted.need_restart)
    return text(settings.language, "run.needs_restart", names=", ".join(adopted.need_restart))


async def _tell_what_is_missing(engine: Engine, notifier: Notifier, address: str) -> None:
    """Say what a person has yet to do before anything is collected: in the journal, and in `systemctl status`."""
    language = engine.settings.language
    db = engine.patient().db
    try:
        flags = await reading(db, load_states)
        followed = len(await reading(db, load_active_targets))
    except DBAPIError as error:
        if is_lost(error):  # the loops go on waiting for it, or the daemon is to stop
            return
        raise
    off = [str(key) for key, state in flags.items() if not state.enabled and not key.is_taste]
    if off:
        log.warning("daemon.flags_off", flags=off, say=text(language, "run.flags_off"))
    if not followed:
        log.warning("daemon.nothing_followed", say=text(language, "run.nothing_followed", page=address))
    notifier.status(text(language, "run.summary", sources=followed, off=len(off)))
