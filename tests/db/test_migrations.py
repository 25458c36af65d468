"""Migrations: kills between statements, two boxes at once, versions, downgrades, locks."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import event, func, insert, select, text, update

from daemon import schema
from daemon.clock import ManualClock
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Database, open_database
from daemon.flags.tables import feature_flags
from daemon.schema import DowngradeRefused, MigrationInProgress, TableInUse, UnknownRevision, downgrade, migrate
from daemon.tables import metadata
from tests.databases import CHANGES, execute, schema_differences, statements, tables_in, url_of

NOW = datetime(2026, 11, 30, 15, tzinfo=UTC)
REVISIONS = sorted(file.name[:4] for file in (Path(__file__).parents[2] / "migrations" / "versions").glob("[0-9]*.py"))


class Killed(Exception):
    """Stands for the death of the migrating process."""


async def test_a_kill_after_any_statement_is_made_good_by_running_again(blank: Database) -> None:
    """Dies after each changing statement once, going on each time from what the last death left behind."""
    killed: set[str] = set()

    def die(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        name = f"{statement} {parameters}"
        if statement.strip().startswith(CHANGES) and name not in killed:
            killed.add(name)
            raise Killed(name)

    event.listen(blank.engine.sync_engine, "after_cursor_execute", die)
    deaths = 0
    while True:
        try:
            await migrate(blank)
            break
        except Killed:
            deaths += 1
    event.remove(blank.engine.sync_engine, "after_cursor_execute", die)

    assert deaths == len(killed) >= len(metadata.tables) + len(REVISIONS)
    assert await schema.current_revision(blank) == schema.head_revision()
    assert await schema_differences(blank) == []
    assert await execute(blank, select(func.count(), func.sum(feature_flags.c.enabled))) == [(7, 0)]


_MIGRATOR = """
import asyncio, os, signal, sys
from sqlalchemy import event
from daemon.clock import SystemClock
from daemon.db import open_database
from daemon.schema import migrate

async def main(url, die_after):
    db = open_database(url, SystemClock())
    left = die_after
    def count(connection, cursor, statement, *rest):
        nonlocal left
        left -= statement.strip().startswith("CREATE TABLE")
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    event.listen(db.engine.sync_engine, "after_cursor_execute", count)
    print("ready", flush=True)
    sys.stdin.readline()
    print(" ".join(["applied", *await migrate(db)]), file=sys.stderr)
    await db.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


async def migrator(db: Database, *, die_after: int = -1) -> asyncio.subprocess.Process:
    """A process about to migrate `db`; it begins when a line is written to it."""
    pipe = asyncio.subprocess.PIPE
    arguments = (sys.executable, "-c", _MIGRATOR, url_of(db), str(die_after))
    process = await asyncio.create_subprocess_exec(*arguments, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def test_a_process_killed_while_migrating_leaves_no_lock_and_the_next_finishes(blank: Database) -> None:
    process = await migrator(blank, die_after=12)
    await process.communicate(b"go\n")
    assert process.returncode == -9
    assert await schema.current_revision(blank) is None
    assert await migrate(blank) == REVISIONS
    assert await schema_differences(blank) == []


async def test_of_two_processes_that_migrate_at_once_one_does_everything_and_the_other_nothing(
    blank: Database,
) -> None:
    both = [await migrator(blank) for _ in range(2)]
    output = await asyncio.gather(*(process.communicate(b"go\n") for process in both))
    assert [process.returncode for process in both] == [0, 0], output
    applied = sorted(errors.decode().splitlines()[-1] for _, errors in output)
    assert applied == ["applied", " ".join(["applied", *REVISIONS])]
    assert await schema_differences(blank) == []


# --- versions


async def test_migrating_again_does_nothing(blank: Database) -> None:
    assert await schema.current_revision(blank) is None
    assert not await schema.is_current(blank)
    assert await migrate(blank) == REVISIONS
    with statements(blank) as seen:
        assert await migrate(blank) == []
    assert seen == []
    assert await schema.is_current(blank)


async def test_the_revisions_are_one_line_and_end_at_the_head(blank: Database) -> None:
    for revision in REVISIONS:
        assert not await schema.is_current(blank)
        assert await migrate(blank, revision) == [revision]
    assert schema.head_revision() == REVISIONS[-1]
    assert await schema.is_current(blank)
    # The program goes by the files' names, alembic by what they say.
    script = ScriptDirectory(str(schema.migrations_folder()))
    assert [found.revision for found in script.walk_revisions()] == REVISIONS[::-1]
    assert schema._revisions(schema.migrations_folder()) == (script.get_current_head(), frozenset(REVISIONS))


async def test_a_database_of_a_newer_program_is_left_alone(blank: Database) -> None:
    await migrate(blank)
    await execute(blank, text("UPDATE alembic_version SET version_num = '0999'"))
    assert await schema.is_current(blank)
    assert await migrate(blank) == []
    assert await schema.current_revision(blank) == "0999"


async def test_a_revision_that_does_not_exist_is_named_in_the_error(blank: Database) -> None:
    with pytest.raises(UnknownRevision, match="0815"):
        await migrate(blank, "0815")


async def test_every_flag_starts_off(blank: Database) -> None:
    await migrate(blank)
    rows = await execute(blank, select(feature_flags.c.flag_key, feature_flags.c.enabled, feature_flags.c.created_at))
    assert {row.flag_key for row in rows} == {
        "posting.auto-close",
        "notification.discord-dispatch",
        "posting.cross-source-dedup",
        "aggregator.collection",
        "posting.collection-dispatch-v2",
        "notification.deadline-d1",
        "notification.permanent-reminder",
    }
    assert {(row.enabled, row.created_at) for row in rows} == {(0, blank.clock.now())}


async def test_a_flag_that_is_there_already_keeps_its_state(blank: Database) -> None:
    await migrate(blank, "0002")
    row = {"flag_key": "posting.auto-close", "enabled": 1, "description": "mine", "created_at": NOW, "updated_at": NOW}
    await execute(blank, insert(feature_flags), [row])
    await migrate(blank)
    kept = select(feature_flags.c.enabled, feature_flags.c.description)
    assert await execute(blank, kept.where(feature_flags.c.flag_key == "posting.auto-close")) == [(1, "mine")]
    assert await execute(blank, select(func.count()).select_from(feature_flags)) == [(7,)]


# --- downgrade


async def test_an_unused_database_can_be_taken_back_to_nothing_and_forward_again(blank: Database) -> None:
    await migrate(blank)
    assert await downgrade(blank, "base") == REVISIONS[::-1]
    assert await tables_in(blank) == {"alembic_version"}
    assert await migrate(blank) == REVISIONS
    assert await schema_differences(blank) == []


async def test_the_flags_are_not_undone_while_one_is_on(blank: Database) -> None:
    await migrate(blank, "0003")
    await execute(blank, update(feature_flags).values(enabled=1))
    with pytest.raises(DowngradeRefused, match="feature_flags has a flag that is on"):
        await downgrade(blank, "0002")
    assert await execute(blank, select(func.count()).select_from(feature_flags)) == [(5,)]


# --- locks


async def test_indexes_are_added_and_dropped_online_and_columns_without_a_rebuild(
    blank: Database, server_only: None
) -> None:
    with statements(blank) as seen:
        await migrate(blank)
        await downgrade(blank, "0004")
    indexes = [statement for statement in seen if " INDEX " in statement]
    columns = [statement for statement in seen if "ADD COLUMN" in statement]
    assert len(indexes) >= 10
    assert [statement for statement in indexes if "ALGORITHM=INPLACE, LOCK=NONE" not in statement] == []
    assert len(columns) >= 2
    assert [statement for statement in columns if "ALGORITHM=INSTANT" not in statement] == []


async def test_a_second_migrator_gives_up_by_name_when_the_first_takes_too_long(
    blank: Database, server_only: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_LOCK_SECONDS", 0)
    async with blank.engine.connect() as first:
        await first.execute(select(func.get_lock(schema._lock_name(first), 0)))
        with pytest.raises(MigrationInProgress):
            await migrate(blank)
        await first.execute(select(func.release_lock(schema._lock_name(first))))
    assert await migrate(blank) == REVISIONS


async def test_on_sqlite_a_writer_that_never_ends_is_an_error_by_name_too(
    blank_url: str, clock: ManualClock, sqlite_only: None
) -> None:
    holder, waiter = open_database(blank_url, clock), open_database(blank_url, clock)
    event.listen(waiter.engine.sync_engine, "connect", lambda made, _: made.execute("PRAGMA busy_timeout = 10"))
    async with holder.engine.begin():
        with pytest.raises(MigrationInProgress):
            await migrate(waiter)
    assert await migrate(waiter) == REVISIONS
    await holder.close()
    await waiter.close()


async def test_a_table_held_by_a_long_transaction_is_named_and_the_migration_can_be_run_again(
    blank: Database, server_only: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_TABLE_LOCK_SECONDS", 1)
    await migrate(blank, "0004")
    async with blank.engine.connect() as reader:
        await reader.execute(select(cycles.c.id))
        with pytest.raises(TableInUse):
            await migrate(blank)
    assert await migrate(blank) == REVISIONS[4:]
