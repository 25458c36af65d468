"""Arguments that more than one command takes, read from text or refused with a sentence."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from datetime import datetime

import typer

from daemon.cli.shell import CommandFailed, ExitCode
from daemon.clock import KST
from daemon.sources.model import Platform

PLATFORMS = ", ".join(Platform)

LARGEST_ID = 2**63 - 1


def platform_named(given: str) -> Platform:
    """The platform of that name, in any case. Raises CommandFailed naming those there are."""
    try:
        return Platform(given.strip().upper())
    except ValueError:
        raise CommandFailed(ExitCode.USAGE, "error.platform", value=given, platforms=PLATFORMS) from None


def instant_from(given: str) -> datetime:
    """An ISO 8601 instant; without a zone it is Korean time. Raises CommandFailed."""
    try:
        instant = datetime.fromisoformat(given)
        return (instant if instant.tzinfo is not None else instant.replace(tzinfo=KST)).astimezone(KST)
    except (ValueError, OverflowError):
        raise CommandFailed(ExitCode.USAGE, "error.instant", value=given) from None


def row_id(given: str) -> int:
    """The id of a row, from 1 to the largest that a database holds. Raises typer.BadParameter."""
    digits = given.strip()
    if re.fullmatch("[0-9]{1,19}", digits) and 1 <= int(digits) <= LARGEST_ID:
        return int(digits)
    raise typer.BadParameter(given)


def whole_number(name: str, low: int, high: int) -> Callable[[str], int]:
    """A parser of whole numbers within bounds. It raises CommandFailed naming the option and the bounds."""

    def parse(given: str) -> int:
        digits = str(given).strip()
        if re.fullmatch("[0-9]{1,19}", digits) and low <= int(digits) <= high:
            return int(digits)
        raise CommandFailed(ExitCode.USAGE, "error.number", name=name, value=given, low=low, high=high)

    return parse


def shell_word(text: str) -> str:
    """`text` as one word of a command that a person copies: quoted only where a shell would take it apart."""
    return text if re.fullmatch(r"[\w.:/-]+", text) else shlex.quote(text)
