"""SQLite runs in a thread of its own: each way there and back wakes two threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aiosqlite
import pytest
from sqlalchemy import insert, select

from daemon import schema
from daemon.clock import SystemClock
from daemon.db import Tx, open_database, reading, transaction
from daemon.flags.tables import feature_flags


async def _write(tx: Tx, keys: list[str]) -> None:
    now = await tx.now()
    stamps = {"description": "", "enabled": 1, "created_at": now, "updated_at": now}
    await tx.execute(insert(feature_flags), [{"flag_key": key, **stamps} for key in keys])


async def _read(tx: Tx) -> list[str]:
    found = await tx.execute(select(feature_flags.c.flag_key).where(feature_flags.c.flag_key.like("test.%")))
    again = await tx.execute(select(feature_flags.c.flag_key).where(feature_flags.c.flag_key == "test.2"))
    assert again.scalar_one() == "test.2"
    return sorted(found.scalars())


async def test_a_statement_and_its_rows_are_one_way_to_the_thread_of_the_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = open_database(f"sqlite:///{tmp_path}/gonggo.db", SystemClock())
    await schema.migrate(db)
    keys = [f"test.{number}" for number in range(50)]
    ways = 0
    run: Any = aiosqlite.Connection._execute

    async def counted(self: aiosqlite.Connection, *args: Any, **kwargs: Any) -> Any:
        nonlocal ways
        ways += 1
        return await run(self, *args, **kwargs)

    monkeypatch.setattr(aiosqlite.Connection, "_execute", counted)
    await transaction(db, _write, keys)
    assert ways == len(("BEGIN IMMEDIATE", "INSERT", "COMMIT"))
    ways = 0
    assert await reading(db, _read) == sorted(keys)
    assert ways == len(("BEGIN", "SELECT", "SELECT", "COMMIT"))
    await db.close()
