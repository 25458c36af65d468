"""What `gonggo check` looks at: everything that would keep the daemon from working well, each with its remedy."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta

from daemon import schema
from daemon.cli.shell import CommandFailed, Shell, database_address, database_file
from daemon.clock import KST, SystemClock
from daemon.db import Database, Tx, reading
from daemon.notification.actions.webhook import webhook_state
from daemon.notification.model import WebhookState
from daemon.settings import Settings, unknown_settings

CLOCK_TOLERANCE = timedelta(seconds=2)
"""Above this the two clocks disagree about which requests of a day come before 09:00."""

_WEBHOOK = re.compile(r"https://(?:(?:ptb|canary)\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/[\w-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    """Its text in the catalogue is `check.<name>`."""
    good: bool
    detail: str


async def run_checks(shell: Shell, settings: Settings) -> tuple[Check, ...]:
    """Look at everything; a thing that can't be looked at counts as failed."""
    return (
        _settings(shell),
        *await _database(shell, settings),
        await _webhook(shell, settings),
        _directory(shell, settings),
    )


def _settings(shell: Shell) -> Check:
    unknown = unknown_settings(shell.config)
    if unknown:
        names = ", ".join(name if nearest is None else f"{name} ({nearest}?)" for name, nearest in unknown.items())
        return Check(name="settings", good=False, detail=shell.text("check.settings_unknown", names=names))
    if shell.config is None:
        return Check(name="settings", good=True, detail=shell.text("check.settings_good"))
    return Check(name="settings", good=True, detail=shell.text("check.settings_from", path=shell.config))


async def _database(shell: Shell, settings: Settings) -> tuple[Check, ...]:
    try:
        address, file = database_address(shell, settings), database_file(shell, settings)
        if file is not None:
            shell.require_file(file, address)
        async with shell.opened(settings, current=False) as db:
            return (
                Check(name="database", good=True, detail=address),
                await _schema(shell, db),
                await _clock(shell, db),
            )
    except CommandFailed as failure:
        return _unreachable(shell, str(failure.values.get("reason") or shell.text(failure.key, **failure.values)))


def _unreachable(shell: Shell, detail: str) -> tuple[Check, ...]:
    unchecked = shell.text("check.unchecked")
    return (
        Check(name="database", good=False, detail=detail),
        Check(name="schema", good=False, detail=unchecked),
        Check(name="clock", good=False, detail=unchecked),
    )


async def _schema(shell: Shell, db: Database) -> Check:
    current, head = await schema.current_revision(db), schema.head_revision()
    if await schema.is_current(db):
        return Check(name="schema", good=True, detail=str(current))
    return Check(name="schema", good=False, detail=shell.text("check.schema_behind", current=current or "-", head=head))


async def _clock(shell: Shell, db: Database) -> Check:
    if db.clock.simulated:
        instant = db.clock.now().isoformat(timespec="seconds")
        return Check(name="clock", good=True, detail=shell.text("check.clock_simulated", instant=instant))
    if not db.shared:
        return Check(name="clock", good=True, detail=shell.text("check.clock_alone"))
    ours = SystemClock()
    before = ours.now()
    theirs = await reading(db, _database_time)
    after = ours.now()
    # The server read its clock somewhere between: a slow answer must not look like a wrong clock.
    off = max(before - theirs, theirs - after, timedelta(0))
    seconds = f"{off.total_seconds():.1f}"
    good = off <= CLOCK_TOLERANCE
    return Check(
        name="clock", good=good, detail=shell.text("check.clock_good" if good else "check.clock_off", seconds=seconds)
    )


async def _database_time(tx: Tx) -> datetime:
    return await tx.now()


async def _webhook(shell: Shell, settings: Settings) -> Check:
    webhook = settings.discord_webhook_url
    if webhook is None:
        return Check(name="webhook", good=True, detail=shell.text("check.webhook_none"))
    if _WEBHOOK.fullmatch(webhook.get_secret_value()) is None:
        return Check(name="webhook", good=False, detail=shell.text("check.webhook_bad"))
    state = await _webhook_state(shell, settings)
    if state is None or state.parked_at is None:
        return Check(name="webhook", good=True, detail=shell.text("check.webhook_good"))
    since = state.parked_at.astimezone(KST).strftime("%Y-%m-%d %H:%M")
    detail = shell.text("check.webhook_parked", since=since, reason=shell.told(state.parked_reason))
    return Check(name="webhook", good=False, detail=detail)


async def _webhook_state(shell: Shell, settings: Settings) -> WebhookState | None:
    """What the database knows of the webhook; None when it can't be asked, which another check says."""
    try:
        async with shell.opened(settings) as db:
            return await webhook_state(db, settings)
    except CommandFailed:
        return None


def _directory(shell: Shell, settings: Settings) -> Check:
    try:
        file = database_file(shell, settings)
    except CommandFailed:
        file = None
    if file is None:
        return Check(name="directory", good=True, detail=shell.text("check.directory_unneeded"))
    folder = file.parent
    try:
        # Not os.access: root may write everywhere, but not on a file system mounted read-only or full.
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"gonggo")
        if file.exists():
            os.close(os.open(file, os.O_RDWR))
    except OSError as error:
        detail = shell.text("check.directory_bad", path=folder, reason=shell.os_reason(error))
        return Check(name="directory", good=False, detail=detail)
    return Check(name="directory", good=True, detail=str(folder))
