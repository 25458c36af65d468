"""`gonggo company`, `gonggo source`, `gonggo flag`: what a person follows, and which functions are on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from daemon.cli.arguments import platform_named
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.company.model import (
    CompanyExists,
    CompanySource,
    InvalidValue,
    SourceFollowed,
    UnknownCategory,
    UnknownSource,
)
from daemon.flags.model import UnknownFlag
from daemon.sources.model import Platform
from daemon.terminal import Column, show_table

company = typer.Typer()
source = typer.Typer()
flag = typer.Typer()

_COMPANIES_SHOWN = 1000


@contextmanager
def _explained() -> Iterator[None]:
    """Turn the refusals of the actions into sentences."""
    try:
        yield
    except CompanyExists as error:
        raise CommandFailed(
            ExitCode.NEGATIVE, "error.company_exists", company_id=error.company_id, name=error.name
        ) from error
    except SourceFollowed as error:
        key = "error.source_off" if error.disabled else "error.source_followed"
        raise CommandFailed(ExitCode.NEGATIVE, key, source_id=error.job_source_id) from error
    except UnknownSource as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.source_unknown", source_id=error.job_source_id) from error
    except UnknownCategory as error:
        raise CommandFailed(ExitCode.USAGE, "error.category", platform=error.platform, code=error.code) from error
    except InvalidValue as error:
        raise CommandFailed(ExitCode.USAGE, "error.invalid", field=error.field, reason=error.message) from error
    except UnknownFlag as error:
        raise CommandFailed(ExitCode.USAGE, "error.flag", value=error.key, flags=", ".join(error.known)) from error


@company.command("add")
def add_company(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME")],
    source: Annotated[list[str] | None, typer.Option("--source", metavar="PLATFORM:SLUG")] = None,
    alias: Annotated[list[str] | None, typer.Option("--alias", metavar="NAME")] = None,
) -> int:
    """Register a company with its boards and other names, and show what is known of the boards' terms."""
    from daemon.company.actions import register_company

    shell: Shell = context.obj
    followed = [_board(given) for given in source or ()]
    with _explained():
        added = shell.ask(lambda db: register_company(db, name, followed, alias or ()))
    shell.say("company.added", name=name, company_id=added.company_id, sources=len(added.source_ids))
    _show_terms(shell, [board.platform for board in followed])
    return ExitCode.GOOD


def _board(given: str) -> CompanySource:
    platform, _, slug = given.partition(":")
    if not slug.strip():
        raise CommandFailed(ExitCode.USAGE, "error.source_form", value=given)
    return CompanySource(platform=platform_named(platform), source_slug=slug.strip())


def _show_terms(shell: Shell, platforms: Sequence[Platform]) -> None:
    """What is known of robots.txt and terms, which a person must see when registering (DESIGN 1.11)."""
    from daemon.sources.registry import adapter_of

    for platform in dict.fromkeys(platforms):
        shell.say("source.terms", platform=platform, terms=adapter_of(platform).capabilities.compliance.known_terms)


@company.command("list")
def show_companies(context: typer.Context) -> int:
    """Show the companies, watched ones first."""
    from daemon.company.actions import list_companies

    shell: Shell = context.obj
    found = shell.ask(lambda db: list_companies(db, size=_COMPANIES_SHOWN))
    if not found.companies:
        shell.say("company.none")
        return ExitCode.GOOD
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.name")),
            Column(title=shell.text("column.aliases")),
            Column(title=shell.text("column.origin")),
            Column(title=shell.text("column.sources"), number=True),
        ),
        [
            (one.id, one.name, ", ".join(one.aliases), shell.text(f"cell.{one.company_origin}"), one.source_count)
            for one in found.companies
        ],
    )
    if found.total_count > len(found.companies):
        shell.say("company.more", total=found.total_count, shown=len(found.companies))
    return ExitCode.GOOD


@source.command("add")
def add_source(
    context: typer.Context,
    platform: Annotated[str, typer.Argument(metavar="PLATFORM")],
    category: Annotated[str, typer.Argument(metavar="CATEGORY")],
    keyword: Annotated[str, typer.Option("--keyword", metavar="WORD")] = "",
) -> int:
    """Follow one job category of an aggregator, and show what is known of its terms."""
    from daemon.company.actions import register_aggregator_source

    shell: Shell = context.obj
    site = platform_named(platform)
    with _explained():
        source_id = shell.ask(lambda db: register_aggregator_source(db, site, category, keyword))
    shell.say("source.added", platform=site, category=category, source_id=source_id)
    _show_terms(shell, [site])
    return ExitCode.GOOD


@source.command("list")
def show_sources(context: typer.Context) -> int:
    """Show every source, disabled ones too."""
    from daemon.company.actions import list_sources

    shell: Shell = context.obj
    found = shell.ask(list_sources)
    if not found:
        shell.say("source.none")
        return ExitCode.GOOD
    show_table(
        (
            Column(title=shell.text("column.id"), number=True),
            Column(title=shell.text("column.source")),
            Column(title=shell.text("column.state")),
        ),
        [(one.id, one.label, shell.text("cell.disabled" if one.disabled_at else "cell.active")) for one in found],
    )
    return ExitCode.GOOD


@source.command("disable")
def disable_source(context: typer.Context, id: Annotated[int, typer.Argument(metavar="ID")]) -> int:
    """Stop following a source; what it brought stays."""
    from daemon.company import actions

    shell: Shell = context.obj
    with _explained():
        stopped = shell.ask(lambda db: actions.disable_source(db, id))
    shell.say("source.disabled", label=stopped.label)
    return ExitCode.GOOD


@source.command("enable")
def enable_source(context: typer.Context, id: Annotated[int, typer.Argument(metavar="ID")]) -> int:
    """Follow a disabled source again."""
    from daemon.company import actions

    shell: Shell = context.obj
    with _explained():
        followed = shell.ask(lambda db: actions.enable_source(db, id))
    shell.say("source.enabled", label=followed.label)
    return ExitCode.GOOD


@source.command("categories")
def show_categories(context: typer.Context, platform: Annotated[str, typer.Argument(metavar="PLATFORM")]) -> int:
    """Show the job categories of an aggregator."""
    from daemon.sources.registry import adapter_of

    shell: Shell = context.obj
    site = platform_named(platform)
    found = adapter_of(site).categories()
    if not found:
        shell.say("source.no_categories", platform=site)
        return ExitCode.NEGATIVE
    show_table(
        (Column(title=shell.text("column.code")), Column(title=shell.text("column.label"))),
        [(one.code, one.label) for one in found],
    )
    return ExitCode.GOOD


@flag.command("list")
def show_flags(context: typer.Context) -> int:
    """Show every flag and what it does."""
    from daemon.flags.actions import list_flags

    shell: Shell = context.obj
    states = shell.ask(list_flags)
    show_table(
        (
            Column(title=shell.text("column.flag")),
            Column(title=shell.text("column.state")),
            Column(title=shell.text("column.description")),
        ),
        [
            (
                state.flag_key,
                shell.text("cell.on" if state.enabled else "cell.off"),
                shell.text(f"flag.{state.flag_key}"),
            )
            for state in states
        ],
    )
    return ExitCode.GOOD


@flag.command("on")
def switch_on(context: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME")]) -> int:
    """Switch a flag on for all instances."""
    return _switch(context.obj, name, True)


@flag.command("off")
def switch_off(context: typer.Context, name: Annotated[str, typer.Argument(metavar="NAME")]) -> int:
    """Switch a flag off for all instances."""
    return _switch(context.obj, name, False)


def _switch(shell: Shell, name: str, on: bool) -> int:
    from daemon.flags.actions import switch_flag

    with _explained():
        changed = shell.ask(lambda db: switch_flag(db, name, on))
    shell.say(("flag.switched_on" if on else "flag.switched_off") if changed else "flag.already", flag=name)
    return ExitCode.GOOD
