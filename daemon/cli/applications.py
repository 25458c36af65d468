"""`gonggo apply`, `gonggo application`, `gonggo interview`: what became of the postings the person applied for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from daemon.application.model import (
    ApplicationExists,
    ApplicationOvertaken,
    ApplicationStatus,
    InterviewChanges,
    InterviewOvertaken,
    InterviewResult,
    InvalidValue,
    RoundExists,
    TransitionRefused,
    UnknownApplication,
    UnknownInterview,
    UnknownPosting,
)
from daemon.cli.arguments import instant_from, row_id
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.clock import KST
from daemon.terminal import Column, say, show_table, shown

if TYPE_CHECKING:
    from daemon.db import Database
    from daemon.operations.applications.model import ApplicationDetail

application = typer.Typer()
interview = typer.Typer()

_SHOWN = 200

Id = Annotated[int, typer.Argument(metavar="APPLICATION", parser=row_id)]
Round = Annotated[int, typer.Argument(metavar="ROUND", parser=row_id)]
Memo = Annotated[str | None, typer.Option("--memo", metavar="TEXT")]
At = Annotated[str | None, typer.Option("--at", metavar="INSTANT")]


@contextmanager
def _explained(shell: Shell) -> Iterator[None]:
    """Turn the refusals of the actions into sentences."""
    try:
        yield
    except UnknownPosting as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.posting_unknown", posting_id=error.job_posting_id) from error
    except UnknownApplication as error:
        key = "error.application_unknown"
        raise CommandFailed(ExitCode.NEGATIVE, key, application_id=error.application_id) from error
    except UnknownInterview as error:
        key = "error.interview_unknown"
        raise CommandFailed(ExitCode.NEGATIVE, key, application_id=error.application_id) from error
    except ApplicationExists as error:
        status = shell.text(f"cell.{error.application.current_status}")
        key = "error.application_exists"
        raise CommandFailed(ExitCode.NEGATIVE, key, application_id=error.application.id, status=status) from error
    except RoundExists as error:
        taken = error.interview
        raise CommandFailed(
            ExitCode.NEGATIVE, "error.round_exists", round=taken.round_number, label=taken.label
        ) from error
    except TransitionRefused as error:
        status = shell.text(f"cell.{error.application.current_status}")
        wanted = shell.text(f"cell.{error.wanted}")
        raise CommandFailed(ExitCode.NEGATIVE, f"refusal.{error.refusal}", status=status, wanted=wanted) from error
    except ApplicationOvertaken as error:
        status = shell.text(f"cell.{error.application.current_status}")
        raise CommandFailed(ExitCode.NEGATIVE, "error.application_overtaken", status=status) from error
    except InterviewOvertaken as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.interview_overtaken") from error
    except InvalidValue as error:
        raise CommandFailed(ExitCode.USAGE, f"invalid.{error.field}") from error


def apply(
    context: typer.Context,
    posting: Annotated[int, typer.Argument(metavar="POSTING", parser=row_id)],
    at: At = None,
    memo: Memo = None,
) -> int:
    """Record that the person applied for a posting."""
    from daemon.application.actions import apply_for_posting

    shell: Shell = context.obj
    applied_at = None if at is None else instant_from(at)
    with _explained(shell):
        made = shell.ask(lambda db: apply_for_posting(db, posting, applied_at, memo))
    shell.say("application.created", application_id=made.id, posting_id=made.job_posting_id)
    return ExitCode.GOOD


@application.command("list")
def show_applications(
    context: typer.Context,
    company: Annotated[int | None, typer.Option("--company", metavar="ID", parser=row_id)] = None,
) -> int:
    """Show the applications, those that moved last first."""
    from daemon.operations.applications.actions import list_applications

    shell: Shell = context.obj
    found = shell.ask(lambda db: list_applications(db, company, size=_SHOWN))
    if not found.applications:
        shell.say("application.none")
        return ExitCode.GOOD
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.company")),
            Column(title=shell.text("column.posting")),
            Column(title=shell.text("column.state")),
            Column(title=shell.text("column.applied_at")),
            Column(title=shell.text("column.moved_at")),
        ),
        [
            (
                one.application_id,
                one.company_name,
                one.job_posting_title,
                shell.text(f"cell.{one.current_status}"),
                _time(one.applied_at),
                _time(one.last_transited_at),
            )
            for one in found.applications
        ],
    )
    if found.total_count > len(found.applications):
        shell.say("application.more", total=found.total_count, shown=len(found.applications))
    return ExitCode.GOOD


@application.command("show")
def show_application(context: typer.Context, id: Id) -> int:
    """Show one application: its posting, its history, its interviews, and where it may go."""
    from daemon.operations.applications import actions

    shell: Shell = context.obj
    with _explained(shell):
        found = shell.ask(lambda db: actions.show_application(db, id))
    shell.say(
        "application.title",
        application_id=id,
        company=shown(found.company_name),
        title=shown(found.job_posting_title),
    )
    state = shell.text(f"cell.{found.posting_status}")
    shell.say("application.posting", posting_id=found.job_posting_id, state=state, address=shown(found.posting_url))
    if found.memo is not None:
        shell.say("application.memo", memo=shown(found.memo))
    if found.rejected_at_stage is not None:
        shell.say("application.rejected_at", stage=shell.text(f"cell.{found.rejected_at_stage}"))
    say("")
    _show_history(shell, found)
    if found.interviews:
        say("")
        _show_interviews(shell, found)
    say("")
    _show_next(shell, found.allowed_next_statuses)
    return ExitCode.GOOD


def _show_history(shell: Shell, found: ApplicationDetail) -> None:
    show_table(
        (
            Column(title=shell.text("column.at")),
            Column(title=shell.text("column.state")),
            Column(title=shell.text("column.memo")),
        ),
        [
            (_time(step.transited_at), shell.text(f"cell.{step.next_status}"), step.memo)
            for step in found.status_histories
        ],
    )


def _show_interviews(shell: Shell, found: ApplicationDetail) -> None:
    show_table(
        (
            Column(title=shell.text("column.round"), number=True),
            Column(title=shell.text("column.interview")),
            Column(title=shell.text("column.at")),
            Column(title=shell.text("column.result")),
            Column(title=shell.text("column.memo")),
        ),
        [
            (
                one.round_number,
                one.label,
                None if one.scheduled_at is None else _time(one.scheduled_at),
                None if one.interview_result is None else shell.text(f"result.{one.interview_result}"),
                one.memo,
            )
            for one in found.interviews
        ],
    )


def _show_next(shell: Shell, statuses: tuple[ApplicationStatus, ...]) -> None:
    if not statuses:
        shell.say("application.ended")
        return
    told = ", ".join(f"{status} ({shell.text(f'cell.{status}')})" for status in statuses)
    shell.say("application.next", statuses=told)


@application.command("move")
def move_application(
    context: typer.Context,
    id: Id,
    status: Annotated[str, typer.Argument(metavar="STATUS")],
    memo: Memo = None,
) -> int:
    """Move an application to another status."""
    from daemon.application.actions import transit_application
    from daemon.application.rules import allowed_next

    shell: Shell = context.obj
    wanted = _status_named(shell, status)
    with _explained(shell):
        moved = shell.ask(lambda db: transit_application(db, id, wanted, memo)).application
    shell.say("application.moved", application_id=id, status=shell.text(f"cell.{moved.current_status}"))
    _show_next(shell, allowed_next(moved.current_status))
    return ExitCode.GOOD


def _status_named(shell: Shell, given: str) -> ApplicationStatus:
    """The status of that name: its code in any case, or its word in the person's language."""
    names = {name: status for status in ApplicationStatus for name in (status.value, shell.text(f"cell.{status}"))}
    found = names.get(given.strip()) or names.get(given.strip().upper().replace("-", "_"))
    if found is None:
        known = ", ".join(ApplicationStatus)
        raise CommandFailed(ExitCode.USAGE, "error.application_status", value=given, statuses=known)
    return found


@interview.command("add")
def add_interview(
    context: typer.Context,
    id: Id,
    round: Round,
    label: Annotated[str, typer.Argument(metavar="LABEL")],
    at: At = None,
) -> int:
    """Add a round of interviews to an application."""
    from daemon.application import actions

    shell: Shell = context.obj
    scheduled_at = None if at is None else instant_from(at)
    with _explained(shell):
        added = shell.ask(lambda db: actions.add_interview(db, id, round, label, scheduled_at))
    shell.say("interview.added", application_id=id, round=added.round_number, label=added.label)
    return ExitCode.GOOD


@interview.command("set")
def set_interview(
    context: typer.Context,
    id: Id,
    round: Round,
    at: At = None,
    result: Annotated[str | None, typer.Option("--result", metavar="RESULT")] = None,
    memo: Memo = None,
    label: Annotated[str | None, typer.Option("--label", metavar="TEXT")] = None,
) -> int:
    """Change what is given of an interview; an empty value takes it away."""
    from daemon.application import actions

    shell: Shell = context.obj
    changes = _changes(at, result, memo, label)
    if not changes:
        raise CommandFailed(ExitCode.USAGE, "error.interview_nothing")

    async def edit(db: Database) -> None:
        found = await actions.interview_of_round(db, id, round)
        edited = await actions.edit_interview(db, id, found.interview_id, changes, expected=[found.version])
        shell.say("interview.saved", application_id=id, round=edited.round_number, label=edited.label)

    with _explained(shell):
        shell.ask(edit)
    return ExitCode.GOOD


def _changes(at: str | None, result: str | None, memo: str | None, label: str | None) -> InterviewChanges:
    """What the options change; one given empty takes the value away."""
    changes = InterviewChanges()
    if at is not None:
        changes["scheduled_at"] = instant_from(at) if at.strip() else None
    if result is not None:
        changes["interview_result"] = _result_named(result) if result.strip() else None
    if memo is not None:
        changes["memo"] = memo
    if label is not None:
        changes["label"] = label
    return changes


def _result_named(given: str) -> InterviewResult:
    try:
        return InterviewResult(given.strip().upper())
    except ValueError:
        raise CommandFailed(ExitCode.USAGE, "error.interview_result", value=given) from None


def _time(instant: datetime) -> str:
    return instant.astimezone(KST).strftime("%Y-%m-%d %H:%M")
