"""A connection that is lost at any statement of any of the engine's writes costs nothing but time (DESIGN 1.2, 1.3)."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import func, update
from sqlalchemy.exc import DBAPIError, OperationalError
from structlog.testing import capture_logs

from daemon.collection.actions.commit_page import commit_page
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.actions.work_slice import work_slice
from daemon.collection.store import snapshots
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Database, Tx, is_lost, reading, transaction, units
from daemon.flags.store import load_states
from daemon.flags.tables import feature_flags
from daemon.posting.tables import job_postings
from tests.db.lossy import SCENES, START, WRITES, Scene, held
from tests.engines import page_of, rows, today
from tests.faults import Fault


@pytest.mark.parametrize("name", SCENES)
async def test_whatever_statement_of_a_write_loses_its_connection_the_write_is_made_once(
    scene: Scene, name: str
) -> None:
    await scene.reset()
    act = await SCENES[name](scene)
    scene.proxy.expect()
    said = await act(scene.behind)
    wanted, asked = await scene.stored(), list(scene.board.lists_asked)
    faults = [(at, Fault.BEFORE) for at in range(len(scene.proxy.statements))]
    faults += [(at, Fault.AFTER) for at, each in enumerate(scene.proxy.statements) if each.startswith(WRITES)]
    assert {Fault.BEFORE, Fault.AFTER} == {fault for _, fault in faults}
    for at, fault in faults:
        await scene.reset()
        act = await SCENES[name](scene)
        scene.proxy.expect(at, fault)
        again = await act(scene.behind)
        met = f"{fault.name} {scene.proxy.met}"
        assert scene.proxy.met is not None
        assert again == said, met
        assert await scene.stored() == wanted, met
        assert scene.board.lists_asked == asked, met


# --- a database that is away -----------------------------------------------------------------------------------------


async def test_a_page_that_was_read_waits_in_memory_for_the_database_and_is_asked_for_once(scene: Scene) -> None:
    await scene.reset()
    taken = await held(scene)
    scene.board.fill(25)

    async def go_away(page: int) -> None:
        if page == 1:
            await scene.proxy.close()
            asyncio.get_running_loop().call_later(0.3, lambda: back.append(asyncio.ensure_future(scene.proxy.open())))

    back: list[asyncio.Future[None]] = []
    scene.board.before_list = go_away
    with capture_logs() as logs:
        await work_slice(scene.behind, taken)
    assert scene.board.lists_asked == [0, 1, 2]
    (cycle,) = await rows(scene.engine.db, cycles)
    assert (cycle["cycle_status"], cycle["fetched_count"], cycle["list_page_count"]) == ("SUCCESS", 25, 3)
    assert [each["event"] for each in logs] == ["database.lost", "database.back", "cycle.ended"]
    assert not any("exc_info" in each for each in logs)


async def test_a_slice_whose_database_stays_away_ends_in_one_line_and_its_cycle_by_recovery(scene: Scene) -> None:
    await scene.reset()
    taken = await held(scene)
    scene.board.fill(25)

    async def go_away(page: int) -> None:
        await scene.proxy.close()
        asyncio.get_running_loop().call_later(0.1, scene.clock.advance, timedelta(seconds=91))

    scene.board.before_list = go_away
    with capture_logs() as logs:
        await work_slice(scene.behind, taken)
    assert [each["event"] for each in logs] == ["database.lost", "slice.given_up"]
    assert not any("exc_info" in each for each in logs)
    assert await recover_expired_leases(scene.engine) == 1
    assert scene.board.lists_asked == [0]
    await scene.proxy.open()


@pytest.mark.parametrize("fault", [Fault.MUTE, Fault.DEAF])
async def test_a_connection_that_has_silently_died_is_found_out_and_the_page_committed_once(
    scene: Scene, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Research, pitfalls row 14: aiomysql has no read timeout."""
    monkeypatch.setattr(units, "_ANSWER_SECONDS", 0.5)
    for statement in ("INSERT", "COMMIT"):
        await scene.reset()
        taken = await held(scene)
        scene.proxy.expect()
        page = page_of(scene.engine, taken, "R1", "R2", next_cursor="1")
        await commit_page(scene.behind, taken.claim, page)
        at = next(number for number, each in enumerate(scene.proxy.statements) if each.startswith(statement))
        await scene.reset()
        taken = await held(scene)
        scene.proxy.expect(at, fault)
        await commit_page(scene.behind, taken.claim, page_of(scene.engine, taken, "R1", "R2", next_cursor="1"))
        assert scene.proxy.met is not None
        (cycle,) = await rows(scene.engine.db, cycles)
        assert (cycle["list_page_count"], cycle["fetched_count"], cycle["new_count"]) == (1, 2, 2)
        assert len(await rows(scene.engine.db, job_postings)) == 2


# --- any other transaction -------------------------------------------------------------------------------------------


async def _count_up(tx: Tx) -> None:
    await tx.execute(update(feature_flags).values(description=func.concat(feature_flags.c.description, "+")))


async def _pluses(db: Database) -> int:
    return min(str(each["description"]).count("+") for each in await rows(db, feature_flags))


async def test_what_is_not_declared_is_run_again_before_its_commit_and_raises_at_it(scene: Scene) -> None:
    await scene.reset()
    before = await _pluses(scene.engine.db)
    scene.proxy.expect(0, Fault.AFTER)
    await transaction(scene.behind.db, _count_up)
    assert await _pluses(scene.engine.db) == before + 1, "run twice, committed once"
    for fault, more in ((Fault.BEFORE, 1), (Fault.AFTER, 2)):
        await today(scene.behind.db)  # a connection is there
        scene.proxy.expect(1, fault)
        with pytest.raises(DBAPIError) as raised:
            await transaction(scene.behind.db, _count_up)
        assert is_lost(raised.value)
        assert scene.proxy.met == "COMMIT"
        assert await _pluses(scene.engine.db) == before + more, "never run again on top of itself"


async def test_a_reading_whose_commit_is_lost_has_read(scene: Scene) -> None:
    await scene.reset()
    for fault in (Fault.BEFORE, Fault.AFTER):
        await today(scene.behind.db)
        scene.proxy.expect(1, fault)
        assert (await reading(scene.behind.db, snapshots.load_header, START.date())) is None
        assert scene.proxy.met == "COMMIT"


async def _ask(db: Database) -> None:
    """Ask the server for something: by a simulated clock the time of day alone is no question to it."""
    await reading(db, load_states)


async def test_who_has_no_patience_hears_at_once_that_the_database_is_away_and_it_is_told_once(scene: Scene) -> None:
    await scene.reset()
    await scene.proxy.close()
    with capture_logs() as logs:
        for _ in range(3):
            with pytest.raises(OperationalError) as raised:
                await _ask(scene.behind.db)
            assert is_lost(raised.value)
        await scene.proxy.open()
        for _ in range(3):
            await _ask(scene.behind.db)
    assert [each["event"] for each in logs] == ["database.lost", "database.back"]


async def test_who_waits_for_a_database_that_is_away_can_be_told_to_stop(scene: Scene) -> None:
    await scene.reset()
    await scene.proxy.close()
    waiting = asyncio.ensure_future(_ask(scene.behind.db.patient(lambda _: True)))
    await asyncio.sleep(0.1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(1):
            await waiting
    await scene.proxy.open()
