"""The `gonggo` command: its tree, its help in the person's language, and how every ending becomes an exit code."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from daemon import log
from daemon.cli import (
    applications,
    companies,
    matching,
    notifications,
    parse,
    postings,
    probe,
    register,
    service,
    upkeep,
)
from daemon.cli.arguments import PLATFORMS
from daemon.cli.interrupt import leave_at_interrupt
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.messages import has_text
from daemon.settings import configuration_file, spoken_language
from daemon.terminal import say, shown

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.command("run")(service.run)
app.command("demo")(service.demo)
app.command("collect")(service.collect)
app.command("status")(upkeep.show_status)
app.add_typer(companies.company, name="company")
app.command("probe")(probe.probe)
app.add_typer(register.source, name="source")
app.add_typer(register.flag, name="flag")
app.add_typer(matching.criteria, name="criteria")
app.add_typer(postings.posting, name="posting")
app.command("apply")(applications.apply)
app.add_typer(applications.application, name="application")
app.add_typer(applications.interview, name="interview")
app.add_typer(notifications.notification, name="notification")
app.command("init")(upkeep.init)
app.command("migrate")(upkeep.migrate)
app.command("check")(upkeep.check)
app.command("parse")(parse.parse)


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    config: Annotated[Path | None, typer.Option("--config", metavar="PATH")] = None,
    debug: Annotated[bool, typer.Option("--debug")] = False,
    show_version: Annotated[bool, typer.Option("--version")] = False,
) -> None:
    """The options that stand before the command."""
    shell: Shell = context.obj
    if show_version:
        say(f"gonggo {version('gonggo')}")
        raise typer.Exit(ExitCode.GOOD)
    shell.config = configuration_file(config)
    shell.debug = debug


def main() -> None:
    """Run `gonggo` with the process's arguments and exit."""
    _open_closed_streams()
    leave_at_interrupt("gonggo: " + Shell(spoken_language()).text("error.interrupted") + "\n")
    code = execute(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if _unwritable(stream):
            _silence(stream)
    sys.exit(code)


def _open_closed_streams() -> None:
    """Give what was closed (`>&-`) its number back, else the next file opened, a database, would be standard output."""
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest free number
    # A standard output that can't be written: as with other programs, that is an error for who writes something.
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def execute(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Errors are one sentence on standard error, or raised with --debug."""
    for stream in (sys.stdout, sys.stderr):
        # A title may hold what the terminal's character set lacks, or half a character: show it escaped.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # TextIO where not replaced
    shell = Shell(spoken_language())
    try:
        code = command_tree(shell).main(
            list(arguments) or ["--help"], prog_name="gonggo", standalone_mode=False, obj=shell
        )
        sys.stdout.flush()
    except CommandFailed as failure:
        if shell.debug and failure.__cause__ is not None:
            raise
        return _complain(shell, shell.text(failure.key, **failure.values), failure.code)
    except typer.TyperException as error:
        return _complain(shell, _usage(shell, error), ExitCode.USAGE)
    except Exception as error:
        unwritable = _unwritable(sys.stdout)
        if unwritable is not None:
            return _end_without_output(shell, unwritable)
        if shell.debug:
            raise
        reason = log.Redaction(()).text(f"{type(error).__name__}: {error}")
        return _complain(shell, shell.text("error.crash", reason=reason), ExitCode.NEGATIVE)
    if code == ExitCode.INTERRUPTED and not shell.is_daemon:
        return _complain(shell, shell.text("error.interrupted"), ExitCode.INTERRUPTED)
    return int(code or ExitCode.GOOD)


def _unwritable(stream: TextIO) -> OSError | None:
    """Why what was written to `stream` does not get out; None when it does."""
    try:
        stream.flush()
    except OSError as error:
        return error
    return None


def _end_without_output(shell: Shell, error: OSError) -> int:
    _silence(sys.stdout)
    if isinstance(error, BrokenPipeError):
        # Whoever read us has seen enough (`| head`).
        return ExitCode.NEGATIVE
    return _complain(shell, shell.text("error.output", reason=shell.os_reason(error)), ExitCode.NEGATIVE)


def _silence(stream: TextIO) -> None:
    """Let the rest go nowhere, so that the interpreter does not fail to write it when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except io.UnsupportedOperation:
        return  # no file: a stream of a test


def _complain(shell: Shell, sentence: str, code: ExitCode) -> int:
    try:
        for line in sentence.splitlines():
            say(f"gonggo: {shown(line)}", sys.stderr)
        sys.stderr.flush()
    except OSError:
        _silence(sys.stderr)  # nobody is there to be told; the exit code tells
    return code


# Typer tells these two apart from others by their English sentence alone.
_NEEDS_A_VALUE = "requires an argument."
_EXTRA_VALUES = re.compile(r"unexpected extra argument\(?s?\)? \((.*)\)$", re.DOTALL)


def _usage(shell: Shell, error: typer.TyperException) -> str:
    """A wrong call in the person's words: what is wrong, and where the help is."""
    context = getattr(error, "ctx", None)
    hint = shell.text("error.hint", command=context.command_path if context is not None else "gonggo")
    option = getattr(error, "option_name", None)
    parameter = getattr(error, "param", None)
    detail = error.message
    if option is not None and hasattr(error, "possibilities"):
        sentence = shell.text("error.option_unknown", name=option)
    elif option is not None:
        key = "error.option_empty" if detail.endswith(_NEEDS_A_VALUE) else "error.option_value"
        sentence = shell.text(key, name=option, detail=detail)
    elif parameter is not None and not detail:
        sentence = shell.text("error.missing", name=parameter_name(parameter))
    elif parameter is not None:
        sentence = shell.text("error.value", name=parameter_name(parameter), detail=detail)
    elif context is not None and hasattr(context.command, "commands"):
        sentence = shell.text("error.subcommand", commands=", ".join(context.command.commands))
    elif (extra := _EXTRA_VALUES.search(detail)) is not None:
        sentence = shell.text("error.extra", values=extra[1])
    else:
        sentence = shell.text("error.usage", detail=detail)
    return f"{sentence}\n{hint}"


def command_tree(shell: Shell) -> Any:
    """The commands with their help in the shell's language."""
    root = typer.main.get_command(app)
    root.epilog = shell.text("help.epilog")
    _translate(shell, root, "")
    return root


def _translate(shell: Shell, command: Any, path: str) -> None:
    command.help = shell.text(f"help.{path}" if path else "help")
    for parameter in (*command.params, command.get_help_option(typer.Context(command))):
        parameter.help = shell.text(help_key(path, parameter), platforms=PLATFORMS)
    for name, child in getattr(command, "commands", {}).items():
        _translate(shell, child, f"{path} {name}".strip())


def parameter_name(parameter: Any) -> str:
    """`--config`, `PLATFORM`: a parameter as the person writes or reads it."""
    if parameter.param_type_name == "option":
        return str(parameter.opts[0])
    return str(parameter.metavar or parameter.name).rstrip(".")


def help_key(path: str, parameter: Any) -> str:
    """The catalogue's key of a parameter's help: its own for this command, else the one for its name anywhere."""
    name = parameter_name(parameter)
    own = f"help.{path} {name}"
    return own if has_text(own) else f"help.{name}"
