"""`gonggo probe`: on which boards a company publishes, and the command that follows them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.arguments import shell_word
from daemon.cli.register import explained, show_terms
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.company.model import Candidate, CompanySource, Discovery, DiscoveryHint, JobSource, UnknownCompanyName
from daemon.terminal import Column, show_table, shown

if TYPE_CHECKING:
    from daemon.collection.actions.visits import PoliteVisits
    from daemon.db import Database


@asynccontextmanager
async def visiting(shell: Shell) -> AsyncIterator[tuple[Database, PoliteVisits]]:
    """The database, and polite requests with permits from it. Raises CommandFailed."""
    from daemon.collection.actions.visits import PoliteVisits
    from daemon.collection.engine import Engine
    from daemon.sources.executor import Executor

    settings = shell.settings()
    async with shell.opened(settings) as db:
        executor = Executor(settings)
        try:
            engine = Engine(db=db, executor=executor, settings=settings, wake=asyncio.Event())
            yield db, PoliteVisits(engine=engine)
        finally:
            await executor.close()


def probe(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME")],
    url: Annotated[str | None, typer.Argument(metavar="URL")] = None,
) -> int:
    """Show the boards of a company that are registered, look for others, and show what they publish."""
    shell: Shell = context.obj
    with explained(shell):
        registered = shell.ask(lambda db: _registered(db, name))
        # Before the look, which may take a minute.
        for source in registered or ():
            state = shell.text("cell.disabled" if source.disabled_at else "cell.active")
            board = shown(f"{source.platform}:{source.source_slug}")
            shell.say("probe.registered", board=board, state=state, source_id=source.id)
        found = shell.run(_look(shell, name, url))
    company_known = registered is not None
    if found.candidates:
        _show(shell, found)
    for one in found.unconfirmed:
        shell.say("probe.unconfirmed", address=shown(one.address), outcome=one.outcome, reason=shown(one.reason))
    show_terms(shell, [one.source.platform for one in found.candidates])
    new = [one.source for one in found.candidates if one.followed is None]
    if found.candidates and not new:
        shell.say("probe.followed")
    else:
        shell.say(f"discovery.{found.hint}")
    if found.hint is DiscoveryHint.GIVE_SITE:
        shell.say("probe.again", name=shell_word(name))
    if new or not found.candidates:
        shell.say("probe.next", command=_command(name, new, company_known=company_known))
    return ExitCode.GOOD if found.candidates or registered else ExitCode.NEGATIVE


async def _registered(db: Database, name: str) -> list[JobSource] | None:
    """The boards of a company that are followed, or were; None when there is no such company."""
    from daemon.company.actions import find_company, list_sources

    try:
        company_id = await find_company(db, name)
    except UnknownCompanyName:
        return None
    return [one for one in await list_sources(db) if one.company_id == company_id]


async def _look(shell: Shell, name: str, url: str | None) -> Discovery:
    from daemon.company.actions import discover_boards

    async with visiting(shell) as (db, visits):
        return await discover_boards(db, visits, name, url)


def _show(shell: Shell, found: Discovery) -> None:
    show_table(
        (
            Column(title=shell.text("column.board")),
            Column(title=shell.text("column.found_by")),
            Column(title=shell.text("column.postings"), number=True),
            Column(title=shell.text("column.state")),
            Column(title=shell.text("column.samples")),
        ),
        [
            (
                board_word(one.source),
                shell.text(f"cell.{one.found_by}"),
                one.posting_count,
                _state(shell, one),
                " / ".join(posting.title for posting in one.postings),
            )
            for one in found.candidates
        ],
    )


def _state(shell: Shell, candidate: Candidate) -> str:
    if candidate.followed is None:
        return shell.text("cell.new_board")
    return shell.text("cell.disabled" if candidate.followed.disabled_at else "cell.active")


def board_word(source: CompanySource) -> str:
    """`GREENHOUSE:daangn`, as commands take a board."""
    return f"{source.platform}:{source.source_slug}"


def _command(name: str, boards: list[CompanySource], *, company_known: bool) -> str:
    """The command that registers what was found: a new company, or the first further board of one that is known."""
    if company_known and boards:
        return f"gonggo company source add {shell_word(name)} {shell_word(board_word(boards[0]))}"
    if company_known:
        return f"gonggo company show {shell_word(name)}"
    options = "".join(f" --source {shell_word(board_word(board))}" for board in boards)
    return f"gonggo company add {shell_word(name)}{options}"


def check_boards(shell: Shell, boards: list[CompanySource]) -> None:
    """Ask for each board before it is registered. Raises CommandFailed for one that is not there or can't be read."""
    from daemon.company.actions import look_at_board
    from daemon.sources.model import NotFetched

    async def look() -> list[tuple[CompanySource, NotFetched]]:
        async with visiting(shell) as (_, visits):
            answers = [(board, await look_at_board(visits, board)) for board in boards]
        return [(board, answer) for board, answer in answers if isinstance(answer, NotFetched)]

    with explained(shell):
        failed = shell.run(look())
    if failed:
        board, answer = failed[0]
        raise CommandFailed(
            ExitCode.NEGATIVE,
            "error.board_unread",
            board=board_word(board),
            outcome=answer.outcome,
            reason=shown(answer.reason),
        )


def tell_how_to_look(shell: Shell, name: str, boards: list[CompanySource]) -> None:
    """A slug that is wrong, or another company's, shows only when its postings are looked at."""
    from daemon.company.actions import address_of_board

    for board in boards:
        shell.say("probe.how", command=f"gonggo probe {shell_word(name)} {shell_word(address_of_board(board))}")
