"""`gonggo parse`: what the daemon would understand of a saved answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from daemon import log
from daemon.cli.arguments import instant_from, platform_named
from daemon.cli.shell import CommandFailed, ExitCode, Shell
from daemon.clock import SystemClock
from daemon.terminal import say, shown

if TYPE_CHECKING:
    from daemon.sources.model import NotFetched
    from daemon.sources.saved import SavedAnswer


def parse(
    context: typer.Context,
    platform: Annotated[str, typer.Argument(metavar="PLATFORM")],
    files: Annotated[list[str], typer.Argument(metavar="FILE")],
    kind: Annotated[str, typer.Option("--kind", metavar="list|detail")] = "list",
    at: Annotated[str | None, typer.Option("--at", metavar="INSTANT")] = None,
) -> int:
    """Write one JSON object per posting to standard output, and one summary line per file to standard error."""
    from daemon.sources.model import NotFetched, Outcome
    from daemon.sources.registry import adapter_of
    from daemon.sources.saved import read_saved

    shell: Shell = context.obj
    adapter = adapter_of(platform_named(platform))
    if kind not in ("list", "detail"):
        raise CommandFailed(ExitCode.USAGE, "error.kind", value=kind)
    answered_at = SystemClock().now() if at is None else instant_from(at)
    cap = shell.settings().body_cap_bytes
    log.configure("console", "debug" if shell.debug else "error")
    # All files are read before the first line is written: a wrong path spoils nothing.
    bodies = [_body(name, cap) for name in files]
    code = ExitCode.GOOD
    for name, body in zip(files, bodies, strict=True):
        answer: SavedAnswer | NotFetched
        if len(body) > cap:
            answer = NotFetched(outcome=Outcome.TOO_LARGE, reason=f"file over {cap} bytes")
        else:
            answer = read_saved(adapter, body, "list" if kind == "list" else "detail", answered_at)
        of_file = f"{shown(name)}: " if len(files) > 1 else ""
        if isinstance(answer, NotFetched):
            say(f"{of_file}{answer.outcome} {shown(answer.reason)}", sys.stderr)
            code = ExitCode.NEGATIVE
            continue
        for posting in answer.postings:
            say(json.dumps(posting, ensure_ascii=False))
        say(f"{of_file}{shown(answer.summary)}", sys.stderr)
    return code


def _body(name: str, cap: int) -> bytes:
    """At most one byte more than `cap`. Raises CommandFailed when the file can't be read."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(cap + 1)
        with Path(name).open("rb") as file:
            return file.read(cap + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandFailed(ExitCode.USAGE, "error.file", path=name, reason=reason) from error
