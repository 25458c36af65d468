"""`gonggo run`, `demo`, `collect`: the daemon itself, for ever, in a few minutes, or once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import structlog
import typer

from daemon import log
from daemon.cli.arguments import row_id, whole_number
from daemon.cli.interrupt import interrupts_raised
from daemon.cli.shell import CommandFailed, ExitCode, Shell, cause, database_address
from daemon.cli.upkeep import show_sources
from daemon.settings import Settings, unknown_settings
from daemon.terminal import Progress

logger = structlog.get_logger(__name__)

MOST_DEMO_DAYS = 60


def run(context: typer.Context) -> int:
    """Run the daemon until it is told to stop."""
    from daemon import app

    shell: Shell = context.obj
    shell.is_daemon = True
    settings = shell.settings()
    log.configure_for(settings)
    _warn_of_unknown(shell)
    try:
        with _able_to_start(shell, settings) as address, interrupts_raised():
            logger.info("daemon.starting", database=address, configuration=shell.config and str(shell.config))
            return asyncio.run(app.run(settings, lambda: _read_again(shell)))
    except CommandFailed:
        raise
    except Exception:  # a daemon that dies leaves its traceback in the journal, as one line like any other
        logger.exception("daemon.crashed")
        return ExitCode.NEGATIVE


def _warn_of_unknown(shell: Shell) -> None:
    unknown = unknown_settings(shell.config)
    if unknown:
        logger.warning("settings.unknown", names=dict(unknown))


def _read_again(shell: Shell) -> Settings:
    """The settings as they are written now. Raises `app.SettingsRefused`."""
    from daemon.app import SettingsRefused

    try:
        settings = shell.fresh_settings()
    except CommandFailed as failure:
        raise SettingsRefused(shell.text(failure.key, **failure.values)) from failure
    _warn_of_unknown(shell)
    return settings


@contextmanager
def _able_to_start(shell: Shell, settings: Settings) -> Iterator[str]:
    """Turn what keeps an engine from starting into sentences; yields the database's address."""
    from sqlalchemy.exc import DBAPIError

    from daemon.app import AddressUnusable, SchemaBehind
    from daemon.instance import AlreadyRunning, StateUnusable
    from daemon.schema import MigrationInProgress, TableInUse

    address = database_address(shell, settings)
    shell.clock(settings)
    try:
        yield address
    except AlreadyRunning as error:
        raise CommandFailed(ExitCode.UNUSABLE, "error.already_running", path=error.path, pid=error.pid) from error
    except StateUnusable as error:
        raise shell.unusable_file(error.path, error.error) from error
    except SchemaBehind as error:
        raise CommandFailed(ExitCode.UNUSABLE, "error.schema_behind") from error
    except MigrationInProgress as error:
        raise CommandFailed(ExitCode.UNUSABLE, "error.migrating") from error
    except TableInUse as error:
        raise CommandFailed(ExitCode.UNUSABLE, "error.table_in_use") from error
    except DBAPIError as error:
        raise CommandFailed(
            ExitCode.UNUSABLE, "error.database", address=address, reason=cause(settings, error)
        ) from error
    except AddressUnusable as error:
        raise CommandFailed(
            ExitCode.UNUSABLE, "error.address", address=error.address, reason=shell.os_reason(error.error)
        ) from error


def demo(
    context: typer.Context,
    days: Annotated[int, typer.Option("--days", metavar="N", parser=whole_number("--days", 1, MOST_DEMO_DAYS))] = 3,
    serve: Annotated[bool, typer.Option("--serve")] = False,
    keep: Annotated[Path | None, typer.Option("--keep", metavar="DIR")] = None,
) -> int:
    """Run the real daemon against the replica sites on simulated time."""
    from daemon.demo.driver import DemoFailed, FolderUnusable, run_demo
    from daemon.demo.processes import DaemonDied

    shell: Shell = context.obj
    try:
        return shell.run(run_demo(days=days, serve=serve, keep=keep, language=shell.language))
    except FolderUnusable as error:
        reason = shell.os_reason(error.error)
        raise CommandFailed(ExitCode.USAGE, "error.demo_folder", path=error.path, reason=reason) from error
    except DemoFailed as error:
        if isinstance(error.cause, DaemonDied):
            values = {"code": error.cause.code, "log": error.cause.log}
            raise CommandFailed(ExitCode.NEGATIVE, "error.demo_died", **values) from error
        raise CommandFailed(ExitCode.NEGATIVE, "error.demo_stuck", reason=error.cause, log=error.folder) from error


def collect(
    context: typer.Context,
    source: Annotated[list[int] | None, typer.Option("--source", metavar="ID", parser=row_id)] = None,
) -> int:
    """Collect today's share of the sources given, or of all, and show how each ended."""
    from daemon.collect import collect
    from daemon.company.model import UnknownSource
    from daemon.operations.actions import today

    shell: Shell = context.obj
    settings = shell.settings()
    wanted = frozenset(source or ())
    try:
        with _able_to_start(shell, settings), Progress() as progress:
            asked = shell.run(collect(settings, wanted, progress))
    except UnknownSource as error:
        raise CommandFailed(ExitCode.USAGE, "error.source_unknown", source_id=error.job_source_id) from error
    if not asked.sources:
        shell.say("source.none")
        return ExitCode.NEGATIVE
    ended = tuple(one for one in shell.ask(today).sources if one.job_source_id in asked.sources)
    show_sources(shell, ended)
    for key in sorted(asked.collected_before):
        shell.say("collect.before", source_id=key, label=asked.sources[key].label)
    for key in sorted(asked.switched_off):
        shell.say("collect.switched_off", source_id=key, label=asked.sources[key].label)
    failed = any(one.status == "FAILED" for one in ended)
    return ExitCode.NEGATIVE if failed or asked.switched_off else ExitCode.GOOD
