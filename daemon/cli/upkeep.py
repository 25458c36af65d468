"""`gonggo init`, `migrate`, `check`, `status`: preparing the daemon's ground and looking at it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.notifications import show_parked
from daemon.cli.shell import CommandFailed, ExitCode, Shell, database_address, database_file
from daemon.clock import KST
from daemon.messages import has_text
from daemon.terminal import Column, say, show_table

if TYPE_CHECKING:
    from daemon.flags.model import FlagState
    from daemon.operations.model import SourceToday, Today


_COMMAND_CELLS = 54
"""How wide a command stands among the next steps."""


def init(context: typer.Context, activate: Annotated[bool, typer.Option("--activate")] = False) -> int:
    """Prepare directory and database, with `activate` switch its functions on, and show what comes next."""
    from daemon.flags.actions import list_flags, switch_all_on

    shell: Shell = context.obj
    _bring_up_to_date(shell)
    shell.say("init.ready", address=database_address(shell, shell.settings()))
    if activate:
        shell.ask(switch_all_on)
        shell.say("init.activated")
    off = _switched_off(shell.ask(list_flags))
    if off:
        shell.say("init.flags_off", flags=", ".join(off))
    settings = shell.settings()
    shell.say("init.next")
    shell.say("init.next_run")
    shell.say("init.next_page", address=f"http://{settings.http_host}:{settings.http_port}".ljust(_COMMAND_CELLS))
    shell.say("init.or")
    for step in ("company", "source", *(("flags",) if off else ())):
        shell.say(f"init.next_{step}")
    return ExitCode.GOOD


def _switched_off(flags: Iterable[FlagState]) -> list[str]:
    """The functions that are off, but for matters of taste."""
    return [str(state.flag_key) for state in flags if not state.enabled and not state.flag_key.is_taste]


def migrate(context: typer.Context) -> int:
    """Bring the schema up to date."""
    from daemon import schema

    shell: Shell = context.obj
    applied = _bring_up_to_date(shell)
    if applied:
        shell.say("migrate.applied", revisions=", ".join(applied))
    else:
        shell.say("migrate.nothing", revision=schema.head_revision())
    return ExitCode.GOOD


def _bring_up_to_date(shell: Shell) -> list[str]:
    """The revisions applied. Makes folder and file of an embedded database. Raises CommandFailed."""
    from daemon import schema
    from daemon.instance import StateUnusable, prepare_file

    file = database_file(shell, shell.settings())
    if file is not None:
        try:
            prepare_file(file)
        except StateUnusable as error:
            raise shell.unusable_file(error.path, error.error) from error
    try:
        return shell.ask(schema.migrate, current=False)
    except schema.MigrationInProgress as error:
        raise CommandFailed(ExitCode.UNUSABLE, "error.migrating") from error
    except schema.TableInUse as error:
        raise CommandFailed(ExitCode.UNUSABLE, "error.table_in_use") from error


def check(context: typer.Context) -> int:
    """Check settings, database, clock, webhook and directory; the exit code tells whether all is well."""
    from daemon.cli.checks import run_checks

    shell: Shell = context.obj
    settings = shell.settings()
    found = shell.run(run_checks(shell, settings))
    show_table(
        (
            Column(title=shell.text("column.check")),
            Column(title=shell.text("column.result")),
            Column(title=shell.text("column.detail")),
        ),
        [
            (shell.text(f"check.{one.name}"), shell.text("cell.ok" if one.good else "cell.failed"), one.detail)
            for one in found
        ],
    )
    return ExitCode.GOOD if all(one.good for one in found) else ExitCode.NEGATIVE


def show_status(context: typer.Context) -> int:
    """Show the present Korean day: flags, 09:00 snapshot, sources, daily jobs."""
    from daemon.operations.actions import today

    shell: Shell = context.obj
    found = shell.ask(today)
    shell.say("status.day", day=found.run_date, time=_korean(found.now))
    show_ground(shell)
    _show_flags(shell, found)
    _show_snapshot(shell, found)
    if found.seen_rows_older_than_48_hours:
        shell.say(
            "status.seen",
            count=found.seen_rows_older_than_48_hours,
            level=found.seen_rows_older_than_48_hours_level,
        )
    _show_notifications(shell)
    say("")
    if found.sources:
        show_sources(shell, found.sources)
    else:
        shell.say("source.none")
    if found.jobs:
        say("")
        _show_jobs(shell, found)
    return ExitCode.GOOD


def show_ground(shell: Shell) -> None:
    """Which database is worked on, and which file says so."""
    address = database_address(shell, shell.settings())
    shell.say("status.ground" if shell.config else "status.ground_alone", address=address, config=shell.config)


def _show_flags(shell: Shell, found: Today) -> None:
    on = [str(state.flag_key) for state in found.flags if state.enabled]
    shell.say("status.flags" if on else "status.no_flags", flags=", ".join(on))
    off = _switched_off(found.flags)
    if off and on:
        shell.say("status.flags_off", flags=", ".join(off))


def _show_snapshot(shell: Shell, found: Today) -> None:
    sla = found.sla_snapshot
    late = sla.late_before_notification_count
    if found.now < sla.scheduled_at:
        shell.say("status.sla_before")
    elif late is None:
        shell.say("status.sla", status=shell.text(f"sla.{sla.capture_status}"))
    else:
        shell.say("status.sla_late", status=shell.text(f"sla.{sla.capture_status}"), late=late)


def _show_notifications(shell: Shell) -> None:
    from daemon.notification.actions.views import counts_of_today
    from daemon.notification.actions.webhook import webhook_state
    from daemon.notification.model import DispatchStatus

    settings = shell.settings()
    state = shell.ask(lambda db: webhook_state(db, settings))
    if state.parked_at is not None:
        show_parked(shell, state.parked_at, state.parked_reason)
    counts = shell.ask(counts_of_today)
    if any(counts.values()):
        shell.say(
            "notification.today",
            delivered=counts[DispatchStatus.DELIVERED],
            failed=counts[DispatchStatus.FAILED],
            waiting=counts[DispatchStatus.PENDING] + counts[DispatchStatus.SENDING],
        )


def show_sources(shell: Shell, sources: tuple[SourceToday, ...]) -> None:
    """One row per source: how its collection of today stands."""
    numbers = ("pages", "fetched", "new", "changed", "missed", "closed")
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.source")),
            Column(title=shell.text("column.state")),
            *(Column(title=shell.text(f"column.{name}"), number=True) for name in numbers),
            Column(title=shell.text("column.reason")),
        ),
        [
            (
                one.job_source_id,
                one.source_label,
                shell.text(f"state.{one.status or 'NONE'}"),
                one.list_page_count,
                one.fetched_count,
                one.new_count,
                one.changed_count,
                one.missed_count,
                one.closed_count,
                _reason(shell, one),
            )
            for one in sources
        ],
    )
    for reason in dict.fromkeys(one.reason for one in sources if one.reason):
        if has_text(f"outcome.{reason}"):
            say(f"{reason}: {shell.text(f'outcome.{reason}')}")


def _reason(shell: Shell, source: SourceToday) -> str:
    broken = source.broken_since
    since = "" if broken is None else shell.text("cell.broken", since=broken.astimezone(KST).date())
    return ", ".join(filter(None, (source.reason, since)))


def _show_jobs(shell: Shell, found: Today) -> None:
    show_table(
        (
            Column(title=shell.text("column.job")),
            Column(title=shell.text("column.due")),
            Column(title=shell.text("column.state")),
            Column(title=shell.text("column.detail")),
        ),
        [
            (
                shell.text(f"daily.{job.job_name}"),
                _korean(job.scheduled_at),
                shell.text(f"daily.{job.job_status}"),
                job.summary,
            )
            for job in found.jobs
        ],
    )


def _korean(instant: datetime) -> str:
    return instant.astimezone(KST).strftime("%H:%M")
