"""`gonggo run`, `demo`, `collect`: the daemon itself, for ever, in a few minutes, or once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from daemon import log
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.cli.upkeep import show_sources
from daemon.terminal import Progress

MOST_DEMO_DAYS = 60


def run(context: typer.Context) -> int:
    """Run the daemon until it is told to stop."""
    from daemon import app

    shell: Shell = context.obj
    settings = shell.settings()
    log.configure_for(settings)
    return asyncio.run(app.run(settings))


def demo(
    context: typer.Context,
    days: Annotated[int, typer.Option("--days", metavar="N")] = 3,
    serve: Annotated[bool, typer.Option("--serve")] = False,
    keep: Annotated[Path | None, typer.Option("--keep", metavar="DIR")] = None,
) -> int:
    """Run the real daemon against the replica sites on simulated time."""
    from daemon.demo.driver import run_demo

    shell: Shell = context.obj
    if not 1 <= days <= MOST_DEMO_DAYS:
        raise CommandFailed(ExitCode.USAGE, "error.days", value=days)
    return shell.run(run_demo(days=days, serve=serve, keep=keep, language=shell.language))


def collect(
    context: typer.Context,
    source: Annotated[list[int] | None, typer.Option("--source", metavar="ID")] = None,
) -> int:
    """Collect today's share of the sources given, or of all, and show how each ended."""
    from daemon import app
    from daemon.company.model import UnknownSource
    from daemon.operations.actions import today

    shell: Shell = context.obj
    settings = shell.settings()
    wanted = tuple(source or ())
    try:
        with Progress() as progress:
            shell.run(app.collect(settings, wanted, progress))
    except UnknownSource as error:
        raise CommandFailed(ExitCode.USAGE, "error.source_unknown", source_id=error.job_source_id) from error
    ended = tuple(one for one in shell.ask(today).sources if not wanted or one.job_source_id in wanted)
    show_sources(shell, ended)
    return ExitCode.NEGATIVE if any(one.status == "FAILED" for one in ended) else ExitCode.GOOD
