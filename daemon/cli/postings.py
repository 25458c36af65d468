"""`gonggo posting`: what was collected, and what the person enters by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from daemon.cli.arguments import instant_from, row_id, whole_number
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.clock import KST
from daemon.company.model import UnknownCompany
from daemon.posting.model import (
    EditRefused,
    InvalidPosting,
    PostingEdit,
    PostingExists,
    PostingOvertaken,
    PostingStatus,
    UnknownPosting,
)
from daemon.terminal import Column, say, show_table, shown

if TYPE_CHECKING:
    from daemon.db import Database
    from daemon.operations.postings.model import PostingDetail, PostingItem, PostingPage

posting = typer.Typer()

_SHOWN = 50

Choice = TypeVar("Choice", bound=StrEnum)

Posting = Annotated[int, typer.Argument(metavar="POSTING", parser=row_id)]
Deadline = Annotated[str | None, typer.Option("--deadline", metavar="DAY")]


@contextmanager
def _explained() -> Iterator[None]:
    """Turn the refusals of the actions into sentences."""
    try:
        yield
    except UnknownCompany as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.company_unknown", company_id=error.company_id) from error
    except UnknownPosting as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.posting_unknown", posting_id=error.posting_id) from error
    except PostingExists as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.posting_exists", posting_id=error.posting_id) from error
    except EditRefused as error:
        raise CommandFailed(ExitCode.NEGATIVE, f"refusal.{error.refusal}") from error
    except PostingOvertaken as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.posting_overtaken") from error
    except InvalidPosting as error:
        raise CommandFailed(ExitCode.USAGE, f"invalid.{error.field}") from error


@posting.command("list")
def show_postings(
    context: typer.Context,
    company: Annotated[int | None, typer.Option("--company", metavar="ID", parser=row_id)] = None,
    status: Annotated[str | None, typer.Option("--status", metavar="STATUS")] = None,
    matched: Annotated[bool, typer.Option("--matched")] = False,
    title: Annotated[str | None, typer.Option("--title", metavar="WORD")] = None,
    sort: Annotated[str, typer.Option("--sort", metavar="ORDER")] = "DISCOVERED",
    page: Annotated[int, typer.Option("--page", metavar="N", parser=whole_number("--page", 0, 1_000_000))] = 0,
) -> int:
    """Show one page of the postings, several copies of one as one."""
    from daemon.operations.postings.actions import list_postings
    from daemon.operations.postings.model import PostingFilter, PostingSort

    shell: Shell = context.obj
    wanted = PostingFilter(
        company_id=company,
        posting_status=None if status is None else _chosen(PostingStatus, "--status", status),
        matched=True if matched else None,
        title=title,
    )
    order = _chosen(PostingSort, "--sort", sort)
    found = shell.ask(lambda db: list_postings(db, wanted, order, page, _SHOWN))
    if not found.job_postings:
        shell.say("posting.none")
        return ExitCode.GOOD
    _show_page(shell, found)
    return ExitCode.GOOD


def _show_page(shell: Shell, found: PostingPage) -> None:
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.company")),
            Column(title=shell.text("column.title")),
            Column(title=shell.text("column.deadline")),
            Column(title=shell.text("column.state")),
            Column(title=shell.text("column.matched")),
            Column(title=shell.text("column.arrangement")),
            Column(title=shell.text("column.copies"), number=True),
            Column(title=shell.text("column.application"), number=True),
        ),
        [
            (
                one.job_posting_id,
                one.company_name,
                one.title,
                _deadline(shell, one.deadline_at),
                shell.text(f"cell.{one.posting_status}"),
                shell.text("cell.matched") if one.matched else None,
                _arrangement(shell, one),
                one.alternate_source_count or None,
                one.application_id,
            )
            for one in found.job_postings
        ],
    )
    until = found.page * found.size + len(found.job_postings)
    if not found.is_last:
        more = "posting.more" if found.total_is_exact else "posting.more_than"
        shell.say(more, total=found.total_count, shown=until, page=found.page + 1)


def _arrangement(shell: Shell, item: PostingItem) -> str | None:
    found = item.work_arrangement
    return None if found is None else f"{found.keyword} ({shell.text(f'cell.{found.confidence}')})"


@posting.command("show")
def show_posting(context: typer.Context, id: Posting) -> int:
    """Show one posting: its state, its evidence, the person's application, where else it is, its text."""
    from daemon.operations.postings import actions

    shell: Shell = context.obj
    with _explained():
        found = shell.ask(lambda db: actions.show_posting(db, id))
    shell.say("posting.title", posting_id=id, company=shown(found.company_name), title=shown(found.title))
    state = ", ".join(
        shell.text(f"cell.{code}") for code in (found.posting_status, found.closed_reason) if code is not None
    )
    shell.say("posting.state", state=state, deadline=_deadline(shell, found.deadline_at))
    shell.say("posting.address", address=shown(found.posting_url))
    if found.matched_words:
        words = (shell.text("notify.keyword", group=one.group, synonym=one.synonym) for one in found.matched_words)
        shell.say("posting.matched", words=shown(", ".join(words)))
    if found.access_restricted:
        shell.say("posting.restricted")
    if found.application is not None:
        status = shell.text(f"cell.{found.application.current_status}")
        shell.say("posting.application", application_id=found.application.application_id, status=status)
    _show_more(shell, found)
    return ExitCode.GOOD


def _show_more(shell: Shell, found: PostingDetail) -> None:
    if found.work_arrangements:
        say("")
        show_table(
            tuple(
                Column(title=shell.text(f"column.{name}"))
                for name in ("arrangement", "confidence", "stage", "evidence")
            ),
            [
                (
                    one.keyword,
                    shell.text(f"cell.{one.confidence}"),
                    shell.text(f"cell.{one.evidence_stage}"),
                    one.snippet,
                )
                for one in found.work_arrangements
            ],
        )
    if len(found.alternate_sources) > 1:
        say("")
        show_table(
            tuple(Column(title=shell.text(f"column.{name}")) for name in ("platform", "main", "address")),
            [
                (
                    one.platform or shell.text("cell.MANUAL"),
                    shell.text("cell.main") if one.is_representative else None,
                    one.posting_url,
                )
                for one in found.alternate_sources
            ],
        )
    if found.description_body is not None:
        say("")
        for line in found.description_body.splitlines():
            say(shown(line))


@posting.command("add")
def add_posting(
    context: typer.Context,
    company: Annotated[int, typer.Argument(metavar="COMPANY", parser=row_id)],
    title: Annotated[str, typer.Argument(metavar="TITLE")],
    url: Annotated[str, typer.Argument(metavar="URL")],
    deadline: Deadline = None,
) -> int:
    """Enter a posting of a registered company by hand."""
    from daemon.posting.actions import register_manual

    shell: Shell = context.obj
    deadline_at = None if deadline is None else _deadline_from(deadline)
    with _explained():
        posting_id = shell.ask(lambda db: register_manual(db, company, title, url, deadline_at))
    shell.say("posting.added", posting_id=posting_id)
    return ExitCode.GOOD


@posting.command("edit")
def edit_posting(
    context: typer.Context,
    id: Posting,
    title: Annotated[str | None, typer.Option("--title", metavar="TITLE")] = None,
    url: Annotated[str | None, typer.Option("--url", metavar="URL")] = None,
    deadline: Deadline = None,
    status: Annotated[str | None, typer.Option("--status", metavar="STATUS")] = None,
) -> int:
    """Change what is given of a posting."""
    from daemon.posting import actions

    shell: Shell = context.obj
    edit = PostingEdit()
    if title is not None:
        edit["title"] = title
    if url is not None:
        edit["posting_url"] = url
    if deadline is not None:
        edit["deadline_at"] = _deadline_from(deadline)
    if status is not None:
        edit["posting_status"] = _chosen(PostingStatus, "--status", status)
    if not edit:
        raise CommandFailed(ExitCode.USAGE, "error.posting_nothing")

    async def change(db: Database) -> PostingStatus:
        return (await actions.edit_posting(db, id, edit)).status

    with _explained():
        state = shell.ask(change)
    shell.say("posting.edited", posting_id=id, state=shell.text(f"cell.{state}"))
    return ExitCode.GOOD


def _chosen(choices: type[Choice], name: str, given: str) -> Choice:
    """One of the choices, written in any case. Raises CommandFailed naming them all."""
    try:
        return choices(given.strip().upper().replace("-", "_"))
    except ValueError:
        raise CommandFailed(
            ExitCode.USAGE, "error.choice", name=name, choices=", ".join(choices), value=given
        ) from None


def _deadline_from(given: str) -> datetime | None:
    """An instant; a day alone is its end in Korea (DESIGN 1.11); nothing is always open. Raises CommandFailed."""
    plain = given.strip()
    if not plain:
        return None
    return instant_from(f"{plain}T23:59:59" if len(plain) == len("2026-12-24") else plain)


def _deadline(shell: Shell, deadline_at: datetime | None) -> str:
    if deadline_at is None:
        return shell.text("cell.always_open")
    return deadline_at.astimezone(KST).strftime("%Y-%m-%d %H:%M")
