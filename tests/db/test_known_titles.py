"""Titles kept in memory while a person tries words: what is touched meanwhile counts at once (matching previews)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import pytest

from daemon.clock import ManualClock, SystemClock
from daemon.db import Database, Tx, transaction, units
from daemon.matching.actions import preview
from daemon.matching.actions.criteria import add_exclusion_keyword
from daemon.matching.actions.preview import KnownTitles, preview_criteria
from daemon.matching.model import Preview
from daemon.posting.store.evaluable import load_titles, load_touched_titles
from daemon.posting.store.recording import save_missed
from tests.db.judged import posting, record


@pytest.fixture
def real(db: Database) -> Database:
    """A database whose time is not simulated."""
    db.clock = SystemClock()
    return db


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many titles each look at all of them brought; lots are small."""
    found: list[int] = []

    async def counted(tx: Tx, before_id: int | None, limit: int) -> tuple[list[int], str]:
        ids, lines = await load_titles(tx, before_id, limit)
        found.append(len(ids))
        return ids, lines

    monkeypatch.setattr(preview, "load_titles", counted)
    monkeypatch.setattr(preview, "_LOT", 3)
    return found


async def _look(db: Database, titles: KnownTitles) -> Preview:
    return await preview_criteria(db, titles, ["백엔드", "java"])


async def _close(db: Database, posting_id: int) -> None:
    async def close(tx: Tx) -> None:
        await save_missed(tx, [], [posting_id], await tx.now())

    await transaction(db, close)


async def test_what_happens_to_postings_between_two_looks_is_seen_and_the_rest_is_not_read_again(
    real: Database, read: list[int]
) -> None:
    await add_exclusion_keyword(real, "인턴")
    ids = await record(real, *(posting(f"a{number}", f"백엔드 {number}") for number in range(7)))
    titles = KnownTitles()
    assert (await _look(real, titles)).matched_count == 7
    assert read == [3, 3, 1, 0]
    read.clear()
    happened: dict[str, tuple[Callable[[], Awaitable[object]], tuple[int, int, int]]] = {
        "one is new": (lambda: record(real, posting("new", "Java 개발자")), (8, 8, 0)),
        "one is edited": (lambda: record(real, posting("a3", "백엔드\n인턴", version="2")), (8, 8, 1)),
        "one is of another job now": (lambda: record(real, posting("a4", "마케터", version="2")), (8, 7, 1)),
        "one is closed": (lambda: _close(real, ids[0]), (7, 6, 1)),
        "one is behind a login": (lambda: record(real, posting("walled", restricted=True)), (7, 6, 1)),
        "one is open again": (lambda: record(real, posting("a0", "백엔드 0")), (8, 7, 1)),
        "one is edited again": (lambda: record(real, posting("a3", "JavaScript", version="3")), (8, 6, 0)),
        "nothing": (lambda: asyncio.sleep(0), (8, 6, 0)),
    }
    for name, (act, counts) in happened.items():
        await act()
        found = await _look(real, titles)
        assert (found.posting_count, found.matched_count, found.excluded_count) == counts, name
        assert read == [], name
        assert found == await _look(real, KnownTitles()), name
        read.clear()


async def test_of_too_much_that_was_touched_all_is_read_anew(
    real: Database, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "_MOST_TOUCHED", 4)
    monkeypatch.setattr(preview, "_OVERLAP", timedelta(0))
    await record(real, posting("a"))
    titles = KnownTitles()
    await _look(real, titles)
    for number in range(3):
        await record(real, *(posting(f"{number}-{each}") for each in range(2)))
        read.clear()
        assert (await _look(real, titles)).posting_count == 3 + 2 * number
        # Two, then four are touched; six are too many, and after all are read anew none is.
        assert read == ([] if number < 2 else [3, 3, 1, 0])


async def test_nothing_is_kept_where_time_is_simulated_or_nobody_looks_any_more(
    db: Database, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert db.clock.simulated
    await record(db, posting("a"))
    titles = KnownTitles()
    for _ in range(2):
        await _look(db, titles)
        await asyncio.sleep(0.01)
    assert read == [1, 0, 1, 0]
    db.clock = SystemClock()
    monkeypatch.setattr(preview, "_IDLE", 0.0)
    read.clear()
    for _ in range(2):
        await _look(db, titles)
        await asyncio.sleep(0.01)
    assert read == [1, 0, 1, 0]


async def test_a_clock_that_was_set_back_or_an_hour_has_all_read_anew(
    db: Database, clock: ManualClock, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ManualClock, "simulated", False)
    monkeypatch.setattr(Tx, "time_is_the_servers", False)
    await record(db, posting("a"))
    titles = KnownTitles()
    await _look(db, titles)
    read.clear()
    await _look(db, titles)
    assert read == []
    db.clock = ManualClock(clock.now() - timedelta(minutes=10))
    await record(db, posting("b"))
    assert (await _look(db, titles)).posting_count == 2
    assert read == [2, 0]
    read.clear()
    monkeypatch.setattr(preview, "_LONGEST", 0.0)
    await _look(db, titles)
    assert read == [2, 0]


async def test_two_who_look_at_once_read_once(real: Database, read: list[int]) -> None:
    await record(real, posting("a"), posting("b", "마케터"))
    titles = KnownTitles()
    first, second = await asyncio.gather(_look(real, titles), _look(real, titles))
    assert first == second
    assert (first.posting_count, first.matched_count) == (2, 1)
    assert read == [2, 0]


def test_an_overlap_is_longer_than_a_transaction_may_take() -> None:
    assert timedelta(seconds=units._UNIT_SECONDS) < preview._OVERLAP


async def test_titles_that_could_not_all_be_read_are_not_taken_for_all(
    real: Database, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "_OVERLAP", timedelta(0))
    await record(real, *(posting(f"{number}") for number in range(7)))
    titles = KnownTitles()
    counted = preview.__dict__["load_titles"]

    async def fails(tx: Tx, before_id: int | None, limit: int) -> tuple[list[int], str]:
        if before_id is not None:
            raise LookupError("away")
        found: tuple[list[int], str] = await counted(tx, before_id, limit)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(preview, "load_titles", fails)
        with pytest.raises(LookupError, match="away"):
            await _look(real, titles)
    assert (await _look(real, titles)).posting_count == 7


async def test_titles_are_not_let_go_while_someone_looks(
    real: Database, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "_IDLE", 0.05)
    monkeypatch.setattr(preview, "_OVERLAP", timedelta(0))
    await record(real, *(posting(f"{number}") for number in range(7)))
    titles = KnownTitles()

    async def slow(tx: Tx, since: datetime, most: int) -> dict[int, str | None]:
        await asyncio.sleep(0.2)
        return await load_touched_titles(tx, since, most)

    monkeypatch.setattr(preview, "load_touched_titles", slow)
    await _look(real, titles)
    read.clear()
    assert (await _look(real, titles)).posting_count == 7
    assert read == []
