"""How a list ends, and what may be concluded from it (DESIGN 1.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.posting.tables import job_postings
from daemon.sources.model import ListPage
from tests.board import Adapt, Board
from tests.engines import DAY, add_source, collect_day, keyed, newest, rows

END = ("cycle_status", "is_complete", "close_guarded", "failure_reason")
COMPLETE = ("SUCCESS", 1, 0, None)
GUARDED = ("SUCCESS", 1, 1, None)


async def collected(engine: Engine) -> tuple[Any, ...]:
    """Collect the day; how its cycle ended."""
    await collect_day(engine)
    cycle = await newest(engine.db, cycles)
    return tuple(cycle[name] for name in END)


async def misses(engine: Engine) -> dict[str, int]:
    """The misses of each posting that has any."""
    found = await rows(engine.db, job_postings)
    return {each["source_job_id"]: each["consecutive_miss_count"] for each in found if each["consecutive_miss_count"]}


async def given_yesterday(engine: Engine, board: Board, clock: ManualClock, count: int = 25) -> None:
    """A source whose list of `count` postings was complete the day before."""
    board.fill(count)
    await add_source(engine.db)
    assert await collected(engine) == COMPLETE
    clock.advance(DAY)


async def test_the_sites_own_last_page_completes_the_list(collector: Engine, board: Board, clock: ManualClock) -> None:
    await given_yesterday(collector, board, clock)
    del board.postings[3]
    assert await collected(collector) == COMPLETE
    assert await misses(collector) == {"R00004": 1}


async def test_a_page_that_repeats_what_was_seen_ends_the_list_but_closes_nothing(
    collector: Engine, board: Board, clock: ManualClock, adapt: Adapt
) -> None:
    """DESIGN 1.3: sites repeat a page past the end; no list can loop."""
    await given_yesterday(collector, board, clock)
    adapt(edit_list=lambda listed, cursor: replace(listed, next_cursor=str(int(cursor or 0) + 1)))
    gone = board.postings.pop(3)
    board.items_of = lambda page, items: items or [each.item() for each in board.postings[-4:]]
    board.lists_asked.clear()
    assert await collected(collector) == GUARDED
    assert board.lists_asked == [0, 1, 2, 3]
    assert await misses(collector) == {}, gone


async def test_a_page_that_points_to_itself_ends_the_list(
    collector: Engine, board: Board, clock: ManualClock, adapt: Adapt
) -> None:
    def stuck(listed: ListPage, cursor: str | None) -> ListPage:
        return replace(listed, next_cursor="1", declared_total=None)

    await given_yesterday(collector, board, clock)
    adapt(edit_list=stuck)
    board.lists_asked.clear()
    assert await collected(collector) == GUARDED
    assert board.lists_asked == [0, 1]


async def test_cursors_in_a_circle_end_the_list(collector: Engine, board: Board, adapt: Adapt) -> None:
    def circle(listed: ListPage, cursor: str | None) -> ListPage:
        return replace(listed, next_cursor="0" if cursor == "1" else "1", declared_total=None)

    adapt(edit_list=circle)
    board.fill(25)
    await add_source(collector.db)
    assert await collected(collector) == GUARDED
    assert board.lists_asked == [0, 1, 0]


@pytest.mark.parametrize(("count", "declared"), [(8, 9), (25, 27), (25, 400)])
async def test_fewer_postings_than_declared_fail_the_cycle_and_miss_nothing(
    collector: Engine, board: Board, clock: ManualClock, count: int, declared: int
) -> None:
    await given_yesterday(collector, board, clock, count)
    del board.postings[3]
    board.declared_total = declared
    assert await collected(collector) == ("FAILED", 0, 0, "LIST_TOTAL_MISMATCH")
    assert await misses(collector) == {}


async def test_a_list_of_several_pages_may_lack_one_posting_but_closes_nothing(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.4, one mercy: lists move while they are read."""
    await given_yesterday(collector, board, clock)
    board.declared_total = 25
    del board.postings[3]
    assert await collected(collector) == GUARDED
    assert await misses(collector) == {}


async def test_the_largest_total_that_the_site_ever_declared_counts(
    collector: Engine, board: Board, adapt: Adapt
) -> None:
    """DESIGN 1.4: some sites say 0 from page 2 on."""
    adapt(edit_list=lambda listed, cursor: replace(listed, declared_total=400 if cursor is None else 0))
    board.fill(25)
    await add_source(collector.db)
    assert await collected(collector) == ("FAILED", 0, 0, "LIST_TOTAL_MISMATCH")
    assert (await newest(collector.db, cycles))["declared_total"] == 400


async def test_an_id_that_two_pages_show_counts_once(collector: Engine, board: Board) -> None:
    board.items_of = lambda page, items: items if page != 1 else [*items[:9], board.postings[0].item()]
    board.fill(20)
    await add_source(collector.db)
    assert (await collected(collector))[0] == "SUCCESS", "one short of 20 on two pages is the mercy"
    cycle = await newest(collector.db, cycles)
    assert (cycle["fetched_count"], cycle["new_count"], cycle["close_guarded"]) == (19, 19, 1)


async def test_one_item_without_an_id_fails_the_cycle_but_keeps_what_was_read(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.4: complete needs no unidentified item."""
    await given_yesterday(collector, board, clock, 8)
    board.items_of = lambda page, items: [*items[:-1], {**items[-1], "recruitNumber": None}]
    board.postings[0].version = 2
    assert await collected(collector) == ("FAILED", 0, 0, "LAYOUT_CHANGED")
    cycle = await newest(collector.db, cycles)
    assert (cycle["unidentified_count"], cycle["changed_count"], cycle["missed_count"]) == (1, 1, 0)
    assert await misses(collector) == {}


async def test_an_item_without_an_id_on_an_early_page_still_counts_at_the_end(collector: Engine, board: Board) -> None:
    board.items_of = lambda page, items: items if page else [{**items[0], "recruitNumber": ""}, *items[1:]]
    board.fill(60)
    await add_source(collector.db)
    assert (await collected(collector))[3] == "LAYOUT_CHANGED"
    assert (await newest(collector.db, cycles))["attempt_count"] == 2, "in another slice than the item"


async def test_a_malformed_item_with_an_id_is_seen_and_skipped(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.4: so it cannot be missed."""
    await given_yesterday(collector, board, clock, 8)
    board.items_of = lambda page, items: [{**items[0], "recruitName": None}, *items[1:]]
    assert await collected(collector) == COMPLETE
    cycle = await newest(collector.db, cycles)
    assert (cycle["fetched_count"], cycle["skipped_count"], cycle["missed_count"]) == (8, 1, 0)
    stored = (await keyed(collector.db, job_postings, "source_job_id"))["R00001"]
    assert (stored["title"], stored["consecutive_miss_count"]) == ("백엔드 개발자 R00001", 0)


async def test_a_page_on_which_more_than_a_fifth_is_malformed_is_a_changed_layout(
    collector: Engine, board: Board
) -> None:
    board.items_of = lambda page, items: [{**each, "recruitName": None} for each in items[:2]] + items[2:]
    board.fill(9)
    await add_source(collector.db)
    assert await collected(collector) == ("FAILED", 0, 0, "LAYOUT_CHANGED")
    assert await rows(collector.db, job_postings) == []


async def test_a_posting_that_the_list_calls_closed_counts_towards_the_total_and_is_missed(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await given_yesterday(collector, board, clock)
    board.postings[3].hidden = True
    assert await collected(collector) == COMPLETE, "25 are declared, 24 shown, one carried but withdrawn"
    assert await misses(collector) == {"R00004": 1}
    assert (await newest(collector.db, cycles))["fetched_count"] == 24


async def test_an_empty_list_with_a_declared_zero_is_a_complete_zero_and_closes_nothing(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 000, 호환 projection: complete SUCCESS, fetched = 0 → final delta 금지."""
    await given_yesterday(collector, board, clock)
    board.postings.clear()
    assert await collected(collector) == COMPLETE
    cycle = await newest(collector.db, cycles)
    assert (cycle["fetched_count"], cycle["missed_count"], cycle["declared_total"]) == (0, 0, 0)
    assert await misses(collector) == {}


async def test_an_empty_page_against_a_declared_total_is_no_zero(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    await given_yesterday(collector, board, clock)
    board.postings.clear()
    board.declared_total = 25
    assert await collected(collector) == ("FAILED", 0, 0, "LIST_TOTAL_MISMATCH")
