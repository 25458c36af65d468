"""Readings of one page are one transaction, which is run again whole (daemon.db.units.reading_together)."""

from __future__ import annotations

from datetime import datetime

import pytest
from sqlalchemy import event, select

from daemon.db import Database, Tx, reading, reading_together, side_by_side, transaction
from daemon.flags.actions import list_flags
from daemon.flags.tables import feature_flags
from tests.db.lossy import Scene
from tests.faults import Fault


async def _names(tx: Tx) -> list[str]:
    return list((await tx.execute(select(feature_flags.c.flag_key))).scalars())


async def test_readings_together_take_one_connection_and_one_time(db: Database) -> None:
    taken: list[object] = []

    async def work(times: int) -> tuple[list[datetime], list[str]]:
        found = [await reading(db, Tx.now) for _ in range(times)]
        return found, await reading(db, _names)

    event.listen(db.engine.sync_engine, "checkout", lambda *_: taken.append(1))
    times, names = await reading_together(db, work, 3)
    assert len(taken) == 1
    assert len(set(times)) == 1
    assert names == await reading(db, _names)
    assert len(taken) == 2, "what is read afterwards is read by itself"


async def test_what_goes_wrong_leaves_nothing_shared_behind(db: Database) -> None:
    async def work() -> None:
        await reading(db, _names)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        await reading_together(db, work)
    # A transaction inside another one would be refused.
    assert await transaction(db, _names) == await reading(db, _names)


async def test_nothing_is_written_meanwhile(db: Database) -> None:
    async def work() -> None:
        await reading(db, _names)
        await transaction(db, _names)

    with pytest.raises(AssertionError, match="a transaction inside a transaction"):
        await reading_together(db, work)


async def test_a_connection_lost_between_two_readings_has_the_whole_work_done_again(scene: Scene) -> None:
    db, runs = scene.behind.db, 0

    async def work() -> list[str]:
        nonlocal runs
        runs += 1
        first = await reading(db, _names)
        flags = [str(flag.flag_key) for flag in await list_flags(db)]
        assert sorted(first) == sorted(flags)
        return flags

    await scene.reset()
    scene.proxy.expect()
    wanted = await reading_together(db, work)
    asked = len(scene.proxy.statements)
    assert asked > 1
    for at in range(asked):
        await scene.reset()
        runs = 0
        scene.proxy.expect(at, Fault.BEFORE)
        assert await reading_together(db, work) == wanted
        assert scene.proxy.met is not None
        # Lost before it began, or after all was read, it is done once.
        assert runs == (2 if scene.proxy.met.startswith("SELECT") else 1), scene.proxy.met


async def test_of_two_readings_side_by_side_both_are_told_and_one_that_fails_is_raised_when_both_have_ended(
    db: Database,
) -> None:
    ended: list[str] = []

    async def good() -> list[str]:
        found = await reading(db, _names)
        ended.append("good")
        return found

    async def bad() -> int:
        await reading(db, Tx.now)
        ended.append("bad")
        raise LookupError("gone")

    assert await side_by_side(db, good, good) == (await good(), await good())
    ended.clear()
    with pytest.raises(LookupError, match="gone"):
        await side_by_side(db, good, bad)
    assert sorted(ended) == ["bad", "good"]
