"""The oracle: how days end and what they count, checked by hand on the script's own events."""

from __future__ import annotations

import pytest

from daemon.demo.sources import demo_sources
from daemon.demo.world import World
from daemon.demo.world.truth import CycleEnd, DayCounts, ledger, truth
from daemon.sources.model import Platform

_P = Platform


@pytest.mark.parametrize(
    ("platform", "board", "number", "end", "reason", "guarded"),
    [
        (_P.GREENHOUSE, "krafton", 3, CycleEnd.SUCCESS, "", False),
        (_P.WANTED, "518", 3, CycleEnd.FAILED, "SERVER_ERROR", False),
        (_P.JOBKOREA, "10031", 3, CycleEnd.BUDGET_EXHAUSTED, "LIST_PAGE_LIMIT", False),
        (_P.JOBKOREA, "10026", 3, CycleEnd.SUCCESS, "", False),
        (_P.JOBKOREA, "10026", 4, CycleEnd.FAILED, "BLOCKED", False),
        (_P.REMEMBER, "310", 4, CycleEnd.FAILED, "RATE_LIMITED", False),
        (_P.SARAMIN, "92", 5, CycleEnd.FAILED, "LAYOUT_CHANGED", False),
        (_P.SARAMIN, "84", 5, CycleEnd.SUCCESS, "", False),
        (_P.WOOWAHAN, "woowahan", 5, CycleEnd.FAILED, "LIST_TOTAL_MISMATCH", False),
        (_P.JUMPIT, "1", 6, CycleEnd.SUCCESS, "", True),
        (_P.INCRUIT, "khmc", 6, CycleEnd.FAILED, "REDIRECTED", False),
        (_P.SURFIT, "all", 7, CycleEnd.FAILED, "SERVER_ERROR", False),
    ],
)
def test_a_scripted_day_ends_as_the_documents_say(
    world: World, platform: Platform, board: str, number: int, end: CycleEnd, reason: str, guarded: bool
) -> None:
    found = truth(world, platform, board, world.day_number(number))
    assert (found.end, found.reason, found.close_guarded) == (end, reason, guarded)


def test_a_site_that_fails_on_page_two_still_shows_page_one(world: World) -> None:
    found = truth(world, _P.WANTED, "518", world.day_number(3))
    assert len(found.postings) + len(found.withdrawn_ids) == 100


def test_an_empty_day_is_a_success_without_postings_and_not_normal(world: World) -> None:
    found = truth(world, _P.GREENHOUSE, "krafton", world.day_number(3))
    assert found.postings == ()
    assert found.normal is False


def test_an_item_without_a_title_is_seen_but_no_posting(world: World) -> None:
    third, fourth = (truth(world, _P.JUMPIT, "1", world.day_number(number)) for number in (3, 4))
    assert len(third.skipped_ids) == 1
    assert set(third.skipped_ids) <= third.seen_ids
    assert third.skipped_ids[0] not in {one.source_job_id for one in third.postings}
    assert third.skipped_ids[0] in {one.source_job_id for one in fourth.postings}


def test_titles_are_as_shown_with_white_space_collapsed(world: World) -> None:
    titles = {one.title for one in truth(world, _P.SARAMIN, "84", world.first_day).postings}
    assert 'R&D 백엔드 개발자 (C++ & <임베디드>) "신입/경력"' in titles


def test_a_board_larger_than_the_daily_budget_exhausts_it() -> None:
    world = World(scale=2.0)
    found = truth(world, _P.SARAMIN, "84", world.first_day)
    assert (found.end, found.reason, len(found.postings)) == (CycleEnd.BUDGET_EXHAUSTED, "POSTING_LIMIT", 5000)


def test_an_unknown_board_has_no_truth(world: World) -> None:
    with pytest.raises(KeyError):
        truth(world, _P.GREENHOUSE, "dunamu", world.first_day)


def test_small_boards_stay_as_they_are(world: World) -> None:
    counts = ledger(world, _P.GREENHOUSE, "s007")
    assert [(day.new, day.changed, day.missed) for day in counts][1:] == [(0, 0, 0)] * (world.days - 1)


def _calm_daangn() -> tuple[DayCounts, ...]:
    return ledger(World(calm=True), _P.GREENHOUSE, "daangn")


def test_a_posting_missed_twice_is_closed_and_one_that_comes_back_is_reopened() -> None:
    counts = _calm_daangn()
    # Away on days 2 to 4: missed, closed, neither, found again. Away from day 3: missed, closed. Away on day 3: missed.
    assert counts[1].missed >= 1
    assert counts[2].closed >= 1
    assert counts[3].closed >= 1
    assert counts[4].reopened >= 1


def test_known_open_and_closed_postings_always_add_up() -> None:
    for source in demo_sources():
        known = closed = 0
        for day in ledger(World(calm=True, scale=0.2), source.platform, source.board):
            known += day.new
            closed += day.closed - day.reopened
            assert day.open_after <= known - closed


def test_nothing_is_missed_on_a_day_that_failed_was_guarded_or_was_empty(world: World) -> None:
    checked = 0
    for source in demo_sources():
        for day in ledger(world, source.platform, source.board):
            if day.truth.end is not CycleEnd.SUCCESS or day.truth.close_guarded or not day.truth.postings:
                assert (day.missed, day.closed) == (0, 0)
                checked += 1
    assert checked >= 12


def test_the_first_day_is_all_new(world: World) -> None:
    for source in demo_sources():
        first = ledger(world, source.platform, source.board, days=1)[0]
        assert first.new == len(first.truth.postings) == first.open_after
        assert (first.changed, first.missed) == (0, 0)
