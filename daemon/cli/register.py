"""`gonggo source`, `gonggo flag`: which searches are followed, what is collected, and which functions are on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from daemon.cli.arguments import platform_named, row_id, shell_word
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.company.model import (
    CompanyExists,
    InvalidValue,
    SourceFollowed,
    UnknownAlias,
    UnknownCategory,
    UnknownCompany,
    UnknownCompanyName,
    UnknownSource,
)
from daemon.flags.model import UnknownFlag
from daemon.sources.model import Platform
from daemon.terminal import Column, show_table

source = typer.Typer()
flag = typer.Typer()

SourceId = Annotated[int, typer.Argument(metavar="ID", parser=row_id)]


@contextmanager
def explained(shell: Shell) -> Iterator[None]:
    """Turn the refusals of the actions into sentences."""
    try:
        yield
    except CompanyExists as error:
        raise CommandFailed(
            ExitCode.NEGATIVE,
            "error.company_exists",
            company_id=error.company_id,
            name=error.name,
            quoted=shell_word(error.name),
        ) from error
    except SourceFollowed as error:
        key = "error.source_off" if error.disabled else "error.source_followed"
        raise CommandFailed(ExitCode.NEGATIVE, key, source_id=error.job_source_id) from error
    except UnknownSource as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.source_unknown", source_id=error.job_source_id) from error
    except UnknownCompanyName as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.company_name", name=error.name) from error
    except UnknownCompany as error:
        raise CommandFailed(ExitCode.NEGATIVE, "error.company_unknown", company_id=error.company_id) from error
    except UnknownAlias as error:
        raise CommandFailed(
            ExitCode.NEGATIVE, "error.alias_unknown", company_id=error.company_id, alias=error.alias
        ) from error
    except UnknownCategory as error:
        raise CommandFailed(ExitCode.USAGE, "error.category", platform=error.platform, code=error.code) from error
    except InvalidValue as error:
        reason = shell.text(f"reason.{error.unfit}", **error.values)
        raise CommandFailed(ExitCode.USAGE, "error.invalid", field=error.field, reason=reason) from error
    except UnknownFlag as error:
        raise CommandFailed(ExitCode.USAGE, "error.flag", value=error.key, flags=", ".join(error.known)) from error


def show_terms(shell: Shell, platforms: Sequence[Platform]) -> None:
    """What is known of robots.txt and terms, which a person must see when registering (DESIGN 1.11)."""
    from daemon.sources.registry import adapter_of

    for platform in dict.fromkeys(platforms):
        shell.say(
            "source.terms",
            platform=platform,
            terms=adapter_of(platform).capabilities.compliance.terms_in(shell.language),
        )


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
    with explained(shell):
        source_id = shell.ask(lambda db: register_aggregator_source(db, site, category, keyword))
    shell.say("source.added", platform=site, category=category, source_id=source_id)
    show_terms(shell, [site])
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
def disable_source(context: typer.Context, id: SourceId) -> int:
    """Stop following a source; what it brought stays."""
    from daemon.company import actions

    shell: Shell = context.obj
    with explained(shell):
        stopped = shell.ask(lambda db: actions.disable_source(db, id))
    key = "source.disabled" if stopped.changed else "source.disabled_already"
    shell.say(key, label=stopped.source.label, source_id=id)
    return ExitCode.GOOD


@source.command("enable")
def enable_source(context: typer.Context, id: SourceId) -> int:
    """Follow a disabled source again."""
    from daemon.company import actions

    shell: Shell = context.obj
    with explained(shell):
        followed = shell.ask(lambda db: actions.enable_source(db, id))
    shell.say("source.enabled" if followed.changed else "source.enabled_already", label=followed.source.label)
    return ExitCode.GOOD


@source.command("remove")
def remove_source(context: typer.Context, id: SourceId) -> int:
    """Forget a source that was registered by mistake: one that never brought anything."""
    from daemon.collection.actions.remove_source import remove_source as remove
    from daemon.collection.model import SourceKept

    shell: Shell = context.obj
    try:
        with explained(shell):
            removed = shell.ask(lambda db: remove(db, id))
    except SourceKept as error:
        values = {"label": error.source.label, "source_id": id}
        raise CommandFailed(ExitCode.NEGATIVE, f"error.source_kept_{error.kept}", **values) from error
    shell.say("source.removed", label=removed.label)
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

    with explained(shell):
        changed = shell.ask(lambda db: switch_flag(db, name, on))
    shell.say(("flag.switched_on" if on else "flag.switched_off") if changed else "flag.already", flag=name)
    return ExitCode.GOOD
