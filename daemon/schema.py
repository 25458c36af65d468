"""The schema: which revision a database is at, and bringing it to the one that this program was built for.

Revisions only ever add, so a program runs on its own schema and on every newer one (seed 000, Rollback). One migrator
works at a time over all boxes: on a server `GET_LOCK` decides, on SQLite the write lock of the one transaction that
holds it all. Revisions are run by alembic, whose environment is global to the process: one database at a time.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import structlog
from sqlalchemy import Connection, func, inspect, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from daemon.clock import Clock
from daemon.db import Database
from daemon.ddl import DowngradeRefused, SchemaChange

if TYPE_CHECKING:  # where there is nothing to migrate alembic is not loaded: ten megabytes, and a third of a second
    from alembic.config import Config
    from alembic.runtime.migration import MigrationInfo

__all__ = [
    "DowngradeRefused",
    "MigrationInProgress",
    "TableInUse",
    "UnknownRevision",
    "current_revision",
    "downgrade",
    "head_revision",
    "is_current",
    "migrate",
]

log = structlog.get_logger(__name__)

_LOCK_SECONDS = 300
"""How long a second migrator waits for the first."""

_TABLE_LOCK_SECONDS = 15
"""How long a statement waits for transactions that use its table: not for long, as all others queue behind it."""

_LOCK_WAIT_TIMEOUT = 1205

T = TypeVar("T")


class MigrationInProgress(Exception):
    """Another process has been migrating this database for longer than we wait."""

    def __init__(self) -> None:
        super().__init__("another process is still migrating this database; try again later")


class TableInUse(Exception):
    """A long transaction holds a table that a step needs. Nothing of the step was done; run it again later."""

    def __init__(self, cause: str) -> None:
        super().__init__(f"a table was in use for over {_TABLE_LOCK_SECONDS} s ({cause}); run the migration again")


class UnknownRevision(Exception):
    """The revision asked for is not one of this program's, or lies in the wrong direction."""


def migrations_folder() -> Path:
    """Where the revisions are: inside an installed package, beside `daemon/` in a checkout."""
    installed = Path(__file__).parent / "_migrations"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "migrations"


def _config(folder: Path | None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder or migrations_folder()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def head_revision(*, folder: Path | None = None) -> str:
    """The revision that this program was built for. (`folder`: the revisions of another program than this one.)"""
    return _revisions(folder or migrations_folder())[0]


@functools.cache
def _revisions(folder: Path) -> tuple[str, frozenset[str]]:
    """The head and all revisions of a folder, by the names of their files: `0001_….py`, each after the one before."""
    found = sorted(path.name.partition("_")[0] for path in (folder / "versions").glob("[0-9]*_*.py"))
    assert found, "no revisions in the migrations folder"
    return found[-1], frozenset(found)


async def current_revision(db: Database) -> str | None:
    """The revision that the database is at; None for one that was never migrated."""
    async with db.engine.connect() as connection:
        await connection.execution_options(gonggo_reading=True)
        return await connection.run_sync(_current)


async def is_current(db: Database, *, folder: Path | None = None) -> bool:
    """Whether this program can run on the database: it is at our head revision, or at one newer than we know.

    A revision we do not know can only be newer, and newer ones only add (ticket DB-01, rollback).
    """
    revision = await current_revision(db)
    return revision == head_revision(folder=folder) or _is_newer(revision, folder)


async def migrate(db: Database, revision: str = "head", *, folder: Path | None = None) -> list[str]:
    """Bring the database up to `revision` and return the revisions that were applied, oldest first.

    Safe to run again after any interruption, and from several boxes at once: the second waits, then finds nothing to
    do. A database newer than this program is left alone. Raises MigrationInProgress, TableInUse, UnknownRevision.
    """
    if revision == "head" and await is_current(db, folder=folder):
        return []
    return await _exclusively(db, lambda connection: _upgrade(connection, db.clock, revision, folder))


async def downgrade(db: Database, revision: str, *, folder: Path | None = None) -> list[str]:
    """Take the database back to `revision` and return the revisions undone, newest first.

    For an unused database only: raises DowngradeRefused, and takes nothing away, when any revision to be undone would
    lose data. A database in use is rolled back by program and flags. Raises MigrationInProgress, TableInUse,
    UnknownRevision too.
    """
    return await _exclusively(db, lambda connection: _downgrade(connection, db.clock, revision, folder))


def _current(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def _is_newer(revision: str | None, folder: Path | None) -> bool:
    return revision is not None and revision not in _revisions(folder or migrations_folder())[1]


def _upgrade(connection: Connection, clock: Clock, revision: str, folder: Path | None) -> list[str]:
    if _is_newer(_current(connection), folder):
        return []
    if connection.dialect.name != "sqlite":
        connection.commit()  # only when it finds no transaction open does alembic commit revision by revision
    return _run("upgrade", connection, clock, revision, _config(folder))


def _downgrade(connection: Connection, clock: Clock, revision: str, folder: Path | None) -> list[str]:
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    script = ScriptDirectory.from_config(_config(folder))
    try:
        undone = list(script.iterate_revisions(_current(connection) or "base", revision))
    except CommandError as error:
        raise UnknownRevision(str(error)) from error
    trial = SchemaChange(connection=connection, now=clock.now(), trial=True)
    for each in undone:
        each.module.downgrade(trial)
    if connection.dialect.name != "sqlite":
        connection.commit()  # only when it finds no transaction open does alembic commit revision by revision
    return _run("downgrade", connection, clock, revision, _config(folder))


def _run(
    which: Literal["upgrade", "downgrade"], connection: Connection, clock: Clock, revision: str, config: Config
) -> list[str]:
    from alembic import command
    from alembic.util import CommandError

    run: Callable[[Config, str], None] = getattr(command, which)
    done: list[str] = []

    def note(*, step: MigrationInfo, **_: Any) -> None:
        assert step.up_revision_id is not None
        done.append(step.up_revision_id)
        log.info("schema.revision_applied" if step.is_upgrade else "schema.revision_undone", revision=done[-1])

    config.attributes["configure"] = {"connection": connection, "on_version_apply": note}
    config.attributes["change"] = SchemaChange(connection=connection, now=clock.now())
    try:
        run(config, revision)
    except CommandError as error:
        raise UnknownRevision(str(error)) from error
    return done


async def _exclusively(db: Database, work: Callable[[Connection], T]) -> T:
    async with db.engine.connect() as connection:
        try:
            if not db.shared:
                async with connection.begin():  # BEGIN IMMEDIATE: all revisions or none
                    return await connection.run_sync(work)
            await _lock(connection)
            return await connection.run_sync(work)
        except OperationalError as error:
            raise _named(error) from error
        finally:
            if db.shared:
                await _unlock(connection)


def _named(error: OperationalError) -> Exception:
    arguments = error.orig.args if error.orig is not None else ()
    if arguments[:1] == (_LOCK_WAIT_TIMEOUT,):
        return TableInUse(str(arguments[1]))
    if arguments[:1] == ("database is locked",):  # SQLite, after its busy timeout
        return MigrationInProgress()
    return error


async def _lock(connection: AsyncConnection) -> None:
    await connection.execute(text("SET SESSION lock_wait_timeout = :seconds"), {"seconds": _TABLE_LOCK_SECONDS})
    if await connection.scalar(select(func.get_lock(_lock_name(connection), _LOCK_SECONDS))) != 1:
        raise MigrationInProgress
    await connection.commit()


async def _unlock(connection: AsyncConnection) -> None:
    # Closing the session gives back the lock and the session's settings, even when the connection is what failed.
    await connection.invalidate()


def _lock_name(connection: AsyncConnection) -> str:
    # Locks are server-wide and their names short.
    database = connection.engine.url.database or ""
    return f"gonggo.migrate.{hashlib.sha256(database.encode()).hexdigest()[:32]}"
