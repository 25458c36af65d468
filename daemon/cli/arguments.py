"""Arguments that more than one command takes, read from text or refused with a sentence."""

from __future__ import annotations

from datetime import datetime

from daemon.cli.shell import CommandFailed, ExitCode
from daemon.clock import KST
from daemon.sources.model import Platform

PLATFORMS = ", ".join(Platform)


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
