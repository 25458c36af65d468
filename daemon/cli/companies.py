"""`gonggo company`: whom the person watches, where they publish, and what they are also called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.arguments import platform_named, shell_word, whole_number
from daemon.cli.probe import check_boards, tell_how_to_look
from daemon.cli.register import explained, show_terms
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.clock import KST
from daemon.company.model import CompanyExists, CompanyOrigin, CompanySource
from daemon.terminal import Column, show_table

if TYPE_CHECKING:
    from daemon.operations.companies.model import BoardView, CompanyPage

company = typer.Typer()
alias = typer.Typer()
board = typer.Typer()
company.add_typer(alias, name="alias")
company.add_typer(board, name="source")

_SHOWN = 100
_ALL = "ALL"

Company = Annotated[str, typer.Argument(metavar="NAME_OR_ID")]
Alias = Annotated[str, typer.Argument(metavar="ALIAS")]


@company.command("add")
def add_company(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME")],
    source: Annotated[list[str] | None, typer.Option("--source", metavar="PLATFORM:SLUG")] = None,
    alias: Annotated[list[str] | None, typer.Option("--alias", metavar="NAME")] = None,
    check: Annotated[bool, typer.Option("--check")] = False,
) -> int:
    """Register a company with its boards and other names, and show what is known of the boards' terms."""
    from daemon.company.actions import register_company

    shell: Shell = context.obj
    followed = [_board(given) for given in source or ()]
    if check:
        check_boards(shell, followed)
    with explained(shell):
        added = shell.ask(lambda db: register_company(db, name, followed, alias or ()))
    shell.say("company.added", name=name, company_id=added.company_id, sources=len(added.source_ids))
    show_terms(shell, [board.platform for board in followed])
    if not check:
        tell_how_to_look(shell, name, followed)
    return ExitCode.GOOD


def _board(given: str) -> CompanySource:
    platform, _, slug = given.partition(":")
    if not slug.strip():
        raise CommandFailed(ExitCode.USAGE, "error.source_form", value=given)
    return CompanySource(platform=platform_named(platform), source_slug=slug.strip())


@company.command("list")
def show_companies(
    context: typer.Context,
    origin: Annotated[str, typer.Option("--origin", metavar="ORIGIN")] = CompanyOrigin.WATCHED,
    page: Annotated[int, typer.Option("--page", metavar="N", parser=whole_number("--page", 0, 1_000_000))] = 0,
) -> int:
    """Show one page of the companies, the watched ones unless others are asked for, and how many there are."""
    from daemon.operations.companies.actions import list_companies

    shell: Shell = context.obj
    wanted = _origin(origin)
    found = shell.ask(lambda db: list_companies(db, wanted, page, _SHOWN))
    if not found.companies and not found.watched_count + found.discovered_count:
        shell.say("company.none")
        return ExitCode.GOOD
    if found.companies:
        _show_page(shell, found)
    shell.say("company.counts", watched=found.watched_count, discovered=found.discovered_count)
    return ExitCode.GOOD


def _origin(given: str) -> CompanyOrigin | None:
    wanted = given.strip().upper()
    try:
        return None if wanted == _ALL else CompanyOrigin(wanted)
    except ValueError:
        choices = ", ".join([*CompanyOrigin, _ALL])
        raise CommandFailed(ExitCode.USAGE, "error.choice", name="--origin", choices=choices, value=given) from None


def _show_page(shell: Shell, found: CompanyPage) -> None:
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.name")),
            Column(title=shell.text("column.aliases")),
            Column(title=shell.text("column.origin")),
            Column(title=shell.text("column.sources"), number=True),
            Column(title=shell.text("column.broken"), number=True),
        ),
        [
            (
                one.id,
                one.name,
                ", ".join(one.aliases),
                shell.text(f"cell.{one.company_origin}"),
                one.source_count,
                one.broken_source_count or None,
            )
            for one in found.companies
        ],
    )
    until = found.page * found.size + len(found.companies)
    if found.total_count > until:
        shell.say("company.more", total=found.total_count, shown=until, page=found.page + 1)


@company.command("show")
def show_company(context: typer.Context, name: Company) -> int:
    """Show a company's other names and its boards, disabled ones too."""
    from daemon.operations.companies import actions as views

    shell: Shell = context.obj
    company_id = _company(shell, name)
    found = shell.ask(lambda db: views.show_company(db, company_id))
    origin = shell.text(f"cell.{found.company_origin}")
    shell.say("company.one", company_id=found.id, name=found.name, origin=origin)
    if found.aliases:
        shell.say("company.aliases", aliases=", ".join(one.alias for one in found.aliases))
    if not found.sources:
        shell.say("company.no_sources", command=f"gonggo probe {shell_word(found.name)}")
        return ExitCode.GOOD
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.source")),
            Column(title=shell.text("column.state")),
        ),
        [(one.job_source_id, f"{one.platform}:{one.source_slug}", _state(shell, one)) for one in found.sources],
    )
    return ExitCode.GOOD


def _state(shell: Shell, board: BoardView) -> str:
    if board.disabled:
        return shell.text("cell.disabled")
    if board.broken_since is not None:
        return shell.text("cell.broken", since=board.broken_since.astimezone(KST).date())
    return shell.text("cell.active")


@company.command("promote")
def promote(context: typer.Context, name: Company) -> int:
    """Watch a company that was only discovered."""
    from daemon.company.actions import promote_company

    shell: Shell = context.obj
    company_id = _company(shell, name)
    with explained(shell):
        promoted = shell.ask(lambda db: promote_company(db, company_id))
    shell.say("company.promoted" if promoted.changed else "company.watched", name=promoted.name)
    return ExitCode.GOOD


@alias.command("add")
def add_alias(context: typer.Context, name: Company, alias: Alias) -> int:
    """Let a company also be found by another name."""
    from daemon.company import actions

    shell: Shell = context.obj
    company_id = _company(shell, name)
    with explained(shell):
        try:
            added = shell.ask(lambda db: actions.add_alias(db, company_id, alias))
        except CompanyExists as error:
            raise CommandFailed(
                ExitCode.NEGATIVE, "error.alias_taken", company_id=error.company_id, name=error.name
            ) from error
    shell.say("company.alias_added" if added else "company.alias_known", alias=alias)
    return ExitCode.GOOD


@alias.command("remove")
def remove_alias(context: typer.Context, name: Company, alias: Alias) -> int:
    """Let a company no longer be found by another name."""
    from daemon.company import actions

    shell: Shell = context.obj
    company_id = _company(shell, name)
    with explained(shell):
        removed = shell.ask(lambda db: actions.remove_alias(db, company_id, alias))
    shell.say("company.alias_removed", alias=removed.alias)
    return ExitCode.GOOD


@board.command("add")
def add_board(
    context: typer.Context,
    name: Company,
    given: Annotated[str, typer.Argument(metavar="BOARD")],
    check: Annotated[bool, typer.Option("--check")] = False,
) -> int:
    """Follow a further board of a company, and show what is known of its terms."""
    from daemon.company.actions import follow_board

    shell: Shell = context.obj
    wanted = _board(given)
    company_id = _company(shell, name)
    if check:
        check_boards(shell, [wanted])
    with explained(shell):
        followed = shell.ask(lambda db: follow_board(db, company_id, wanted))
    shell.say(
        "source.followed_again" if followed.enabled_again else "source.added",
        platform=followed.platform,
        category=wanted.source_slug,
        source_id=followed.job_source_id,
    )
    show_terms(shell, [followed.platform])
    if not check:
        tell_how_to_look(shell, name, [wanted])
    return ExitCode.GOOD


def _company(shell: Shell, given: str) -> int:
    """The id of the company that a person names. Raises CommandFailed."""
    from daemon.company.actions import find_company

    with explained(shell):
        return shell.ask(lambda db: find_company(db, given))
