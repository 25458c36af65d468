"""`gonggo notification`: what was sent and what was not, a message to try the webhook, and its way back into use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.arguments import whole_number
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.clock import KST
from daemon.terminal import Column, show_table

if TYPE_CHECKING:
    from daemon.notification.model import Dispatch, DispatchStatus

notification = typer.Typer()

_SHOWN = 200


@contextmanager
def _explained(told: Callable[[str], str]) -> Iterator[None]:
    """Turn what keeps the webhook from working into sentences."""
    from daemon.notification.actions.webhook import NotTaken, NoWebhook

    try:
        yield
    except NoWebhook as error:
        raise CommandFailed(ExitCode.UNUSABLE, "error.webhook_none") from error
    except NotTaken as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.webhook_failed", reason=told(error.reason)) from error


@notification.command("list")
def show_dispatches(
    context: typer.Context,
    status: Annotated[str | None, typer.Option("--status", metavar="STATUS")] = None,
    days: Annotated[int, typer.Option("--days", metavar="N", parser=whole_number("--days", 1, 366))] = 30,
) -> int:
    """Show the messages of the last days, newest first, and whether the webhook is parked."""
    from daemon.notification.actions.views import list_dispatches

    shell: Shell = context.obj
    wanted = None if status is None else _status_named(status)
    settings = shell.settings()
    found = shell.ask(lambda db: list_dispatches(db, settings, wanted, days, 0, _SHOWN))
    if found.webhook.parked_at is not None:
        show_parked(shell, found.webhook.parked_at, found.webhook.parked_reason)
    if not found.dispatches:
        shell.say("notification.none")
        return ExitCode.GOOD
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.when")),
            Column(title=shell.text("column.kind")),
            Column(title=shell.text("column.state")),
            Column(title=shell.text("column.message")),
            Column(title=shell.text("column.tries"), number=True),
            Column(title=shell.text("column.reason")),
            Column(title=shell.text("column.next")),
        ),
        [_cells(shell, one) for one in found.dispatches],
    )
    if found.total_count > len(found.dispatches):
        shell.say("notification.more", total=found.total_count, shown=len(found.dispatches))
    return ExitCode.GOOD


def _status_named(given: str) -> DispatchStatus:
    from daemon.notification.model import DispatchStatus

    try:
        return DispatchStatus(given.strip().upper())
    except ValueError:
        known = ", ".join(DispatchStatus)
        raise CommandFailed(ExitCode.USAGE, "error.dispatch_status", value=given, known=known) from None


def _cells(shell: Shell, one: Dispatch) -> tuple[object, ...]:
    following = "" if one.resend_at is None else _korean(one.resend_at)
    return (
        one.dispatch_id,
        _korean(one.delivered_at or one.attempted_at or one.created_at),
        shell.text(f"cell.kind.{one.notification_type}"),
        shell.text(f"cell.dispatch.{one.dispatch_status}"),
        one.message_summary,
        one.attempt_count,
        shell.told(one.last_error),
        shell.text(f"cell.next.{one.resend_state}", at=following),
    )


def show_parked(shell: Shell, since: datetime, reason: str | None) -> None:
    """Say that nothing is sent, and what to do."""
    shell.say("notification.parked", since=_korean(since), reason=shell.told(reason))


def _korean(instant: datetime) -> str:
    return instant.astimezone(KST).strftime("%m-%d %H:%M")


@notification.command("test")
def send_trial(context: typer.Context) -> int:
    """Send a test message now; one that arrives brings a parked webhook back into use."""
    from daemon.notification.actions import webhook

    shell: Shell = context.obj
    settings = shell.settings()
    with _explained(shell.told):
        unparked = shell.ask(lambda db: webhook.send_trial(db, settings))
    shell.say("notification.test_sent")
    if unparked:
        shell.say("notification.unparked")
    return ExitCode.GOOD


@notification.command("unpark")
def unpark(context: typer.Context) -> int:
    """Use a parked webhook again."""
    from daemon.notification.actions.webhook import unpark_webhook

    shell: Shell = context.obj
    settings = shell.settings()
    with _explained(shell.told):
        changed = shell.ask(lambda db: unpark_webhook(db, settings))
    shell.say("notification.unparked" if changed else "notification.not_parked")
    return ExitCode.GOOD
