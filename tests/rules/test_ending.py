"""When a list, a slice and a cycle end (DESIGN 1.3, 1.4; seed 000, 상태 전이)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.collection.model import (
    AfterPage,
    BudgetReason,
    Budgets,
    Continue,
    Counters,
    Exhaust,
    Fail,
    FailureReason,
    ListState,
    Release,
    SliceUse,
    Succeed,
)
from daemon.collection.rules.ending import (
    crash_of,
    decide_after_page,
    decide_list_end,
    failure_of,
    is_judged,
    tolerated_shortfall,
)
from daemon.sources.model import NotFetched, Outcome

BUDGETS = Budgets()
UNUSED = SliceUse(pages=1, postings=100, time_is_up=False, stopping=False)
ONE_PAGE = Counters(list_pages=1, fetched=100)
PAGES = Counters(list_pages=3, fetched=300)
MORE = ListState(
    next_cursor="3",
    brought_nothing_new=False,
    distinct_ids=300,
    incremental=False,
    list_page_limit=None,
    undetermined=0,
)
END = replace(MORE, next_cursor=None)


def after(
    counters: Counters = PAGES, state: ListState = MORE, use: SliceUse = UNUSED, *, day_is_over: bool = False
) -> AfterPage:
    return decide_after_page(counters, state, use, BUDGETS, day_is_over=day_is_over)


# --- the end of a list -----------------------------------------------------------------------------------------------


def test_a_list_ended_by_the_sites_own_word_without_a_total_is_complete() -> None:
    assert decide_list_end(PAGES, END) == Succeed(close_guarded=False)


@pytest.mark.parametrize("seen", [300, 301, 1000])
def test_a_list_with_as_many_ids_as_declared_or_more_is_complete(seen: int) -> None:
    counters = replace(PAGES, declared_total=300)
    assert decide_list_end(counters, replace(END, distinct_ids=seen)) == Succeed(close_guarded=False)


def test_one_posting_short_on_a_single_page_is_a_failure() -> None:
    end = decide_list_end(replace(ONE_PAGE, declared_total=300), replace(END, distinct_ids=299))
    assert isinstance(end, Fail)
    assert end.reason == FailureReason.LIST_TOTAL_MISMATCH
    assert end.summary is not None
    assert "300" in end.summary
    assert "299" in end.summary


def test_two_pages_are_several() -> None:
    end = decide_list_end(Counters(list_pages=2, fetched=299, declared_total=300), replace(END, distinct_ids=299))
    assert end == Succeed(close_guarded=True)


@pytest.mark.parametrize(
    ("total", "seen", "merciful"),
    [
        (1, 0, True),
        (10, 9, True),
        (10, 8, False),
        (199, 198, True),
        (199, 197, False),
        (200, 198, True),
        (5000, 4950, True),
        (5000, 4949, False),
    ],
)
def test_several_pages_may_lack_one_percent_and_at_least_one_but_then_close_nothing(
    total: int, seen: int, merciful: bool
) -> None:
    end = decide_list_end(replace(PAGES, declared_total=total), replace(END, distinct_ids=seen))
    assert end == Succeed(close_guarded=True) if merciful else isinstance(end, Fail)


def test_an_item_without_an_id_fails_the_list_whatever_else_it_says() -> None:
    end = decide_list_end(replace(PAGES, unidentified=4, declared_total=300), END)
    assert end == Fail(reason=FailureReason.LAYOUT_CHANGED, summary="4 items of the list have no usable id")


def test_an_end_found_only_because_nothing_new_came_closes_nothing() -> None:
    state = replace(MORE, brought_nothing_new=True)
    assert after(state=state) == Succeed(close_guarded=True)


def test_an_incremental_list_closes_nothing_even_when_complete() -> None:
    assert after(state=replace(END, incremental=True)) == Succeed(close_guarded=True)


def test_a_declared_zero_on_an_empty_page_is_a_complete_zero() -> None:
    zero = Counters(list_pages=1, declared_total=0)
    assert after(zero, replace(END, distinct_ids=0, brought_nothing_new=True)) == Succeed(close_guarded=False)


# --- the day's limits ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pages", "expected"), [(49, Continue()), (50, Exhaust(reason=BudgetReason.LIST_PAGE_LIMIT))])
def test_the_fiftieth_page_of_the_day_is_the_last(pages: int, expected: AfterPage) -> None:
    assert after(replace(PAGES, list_pages=pages)) == expected


@pytest.mark.parametrize(
    ("fetched", "expected"), [(4999, Continue()), (5000, Exhaust(reason=BudgetReason.POSTING_LIMIT))]
)
def test_five_thousand_postings_are_a_days_limit(fetched: int, expected: AfterPage) -> None:
    assert after(replace(PAGES, fetched=fetched)) == expected


def test_a_list_that_ends_exactly_at_a_limit_is_complete() -> None:
    assert after(replace(PAGES, list_pages=50, fetched=5000), END) == Succeed(close_guarded=False)


@pytest.mark.parametrize(
    ("total", "seen", "expected"),
    [
        (None, 40, Exhaust(reason=BudgetReason.LIST_PAGE_LIMIT)),
        (41, 40, Exhaust(reason=BudgetReason.LIST_PAGE_LIMIT)),
        (40, 40, Succeed(close_guarded=False)),
        (39, 40, Succeed(close_guarded=False)),
    ],
)
def test_one_page_by_policy_is_complete_only_when_the_declared_total_was_seen(
    total: int | None, seen: int, expected: AfterPage
) -> None:
    """DESIGN 1.11, JobKorea: BUDGET_EXHAUSTED (LIST_PAGE_LIMIT) unless the declared total was seen."""
    counters = Counters(list_pages=1, fetched=seen, declared_total=total)
    assert after(counters, replace(MORE, distinct_ids=seen, list_page_limit=1)) == expected


@pytest.mark.parametrize(
    ("pages", "state", "judged"),
    [
        (1, MORE, False),
        (49, MORE, False),
        (50, MORE, True),
        (1, END, True),
        (1, replace(MORE, brought_nothing_new=True), True),
        (1, replace(MORE, list_page_limit=1), True),
        (1, replace(MORE, list_page_limit=2), False),
    ],
)
def test_a_total_is_judged_once_the_list_is_over_or_no_page_may_be_asked(
    pages: int, state: ListState, judged: bool
) -> None:
    assert is_judged(replace(PAGES, list_pages=pages), state, BUDGETS) is judged


def test_a_posting_that_only_its_own_page_explains_ends_the_day_once_no_page_may_be_asked() -> None:
    exhausted = Exhaust(reason=BudgetReason.DETAIL_LIMIT)
    assert after(state=replace(MORE, undetermined=1)) == exhausted
    assert after(state=replace(END, undetermined=1)) == exhausted


# --- the slice's limits and the end of the day -----------------------------------------------------------------------

SPENT = [
    replace(UNUSED, pages=5),
    replace(UNUSED, postings=500),
    replace(UNUSED, time_is_up=True),
    replace(UNUSED, stopping=True),
]


def test_a_slice_within_its_limits_goes_on() -> None:
    assert after(use=replace(UNUSED, pages=4, postings=499)) == Continue()


@pytest.mark.parametrize("use", SPENT)
def test_a_slice_at_any_of_its_limits_gives_the_cycle_back(use: SliceUse) -> None:
    assert after(use=use) == Release()


@pytest.mark.parametrize("use", SPENT)
def test_a_slice_that_runs_past_midnight_is_finished_and_then_ends_the_cycle(use: SliceUse) -> None:
    """DESIGN 1.3: a RUNNING cycle finishes its slice and then ends."""
    assert after(day_is_over=True) == Continue()
    assert after(use=use, day_is_over=True) == Fail(
        reason=FailureReason.DAY_ENDED, summary="the next business day began before the list was read"
    )


def test_a_list_that_ends_after_midnight_is_still_complete() -> None:
    assert after(state=END, day_is_over=True) == Succeed(close_guarded=False)


# --- unread lists and crashes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", [each for each in Outcome if each not in (Outcome.FETCHED, Outcome.LOGIN_REQUIRED)])
def test_an_unread_list_fails_with_its_outcome(outcome: Outcome) -> None:
    assert failure_of(NotFetched(outcome=outcome, reason="HTTP 599")) == Fail(reason=outcome, summary="HTTP 599")


def test_a_list_behind_a_login_is_blocked() -> None:
    end = failure_of(NotFetched(outcome=Outcome.LOGIN_REQUIRED, reason="HTTP 401"))
    assert end == Fail(reason=Outcome.BLOCKED, summary="LOGIN_REQUIRED: HTTP 401")


def test_a_crash_is_told_within_the_columns_length() -> None:
    end = crash_of(ValueError("x" * 5000))
    assert end.reason == "INTERNAL_ERROR"
    assert end.summary is not None
    assert end.summary.startswith("ValueError: x")
    assert len(end.summary) == 1000


# --- properties ------------------------------------------------------------------------------------------------------

small = st.integers(0, 12)
lists = st.builds(
    Counters,
    list_pages=st.integers(1, 60),
    fetched=st.integers(0, 6000),
    unidentified=st.sampled_from([0, 0, 0, 1]),
    declared_total=st.none() | st.integers(0, 320),
)
states = st.builds(
    ListState,
    next_cursor=st.sampled_from([None, "2"]),
    brought_nothing_new=st.booleans(),
    distinct_ids=st.integers(0, 320),
    incremental=st.booleans(),
    list_page_limit=st.none() | st.integers(1, 3),
    undetermined=st.sampled_from([0, 0, 0, 2]),
)
uses = st.builds(
    SliceUse, pages=st.integers(1, 6), postings=st.integers(0, 600), time_is_up=st.booleans(), stopping=st.booleans()
)


def _complete(counters: Counters, state: ListState) -> bool:
    """DESIGN 1.4, word for word: own word for the end, every declared id seen, no item without an id."""
    declared = counters.declared_total is None or state.distinct_ids >= counters.declared_total
    return state.next_cursor is None and declared and counters.unidentified == 0 and not state.incremental


@given(lists, states)
def test_only_a_complete_list_may_close_postings(counters: Counters, state: ListState) -> None:
    end = decide_list_end(counters, state)
    assert (end == Succeed(close_guarded=False)) == _complete(counters, state)


@given(lists, states)
def test_a_list_fails_exactly_when_the_mercy_does_not_reach(counters: Counters, state: ListState) -> None:
    lacking = max(0, (counters.declared_total or 0) - state.distinct_ids)
    allowed = max(1, (counters.declared_total or 0) // 100) if counters.list_pages > 1 else 0
    failed = counters.unidentified > 0 or lacking > allowed
    assert isinstance(decide_list_end(counters, state), Fail) == failed


def _reference(counters: Counters, state: ListState, use: SliceUse, day_is_over: bool) -> str:
    """What follows a page, in the order in which DESIGN 1.3 gives the reasons."""
    ended = state.next_cursor is None or state.brought_nothing_new
    limit = min(50, state.list_page_limit or 50)
    seen_all = counters.declared_total is not None and counters.declared_total <= state.distinct_ids
    spent = use.pages >= 5 or use.postings >= 500 or use.time_is_up or use.stopping
    cases = [
        (state.undetermined > 0, "DETAIL_LIMIT"),
        (ended, "list end"),
        (counters.list_pages >= limit and seen_all and not counters.unidentified, "list end"),
        (counters.list_pages >= limit, "LIST_PAGE_LIMIT"),
        (counters.fetched >= 5000, "POSTING_LIMIT"),
        (not spent, "continue"),
        (day_is_over, "DAY_ENDED"),
    ]
    return next((name for holds, name in cases if holds), "release")


def _name(step: AfterPage) -> str:
    match step:
        case Continue():
            return "continue"
        case Release():
            return "release"
        case Exhaust(reason=reason):
            return str(reason)
        case Fail(reason=FailureReason.DAY_ENDED):
            return "DAY_ENDED"
        case Succeed() | Fail():
            return "list end"


@given(lists, states, uses, st.booleans())
def test_what_follows_a_page_is_the_first_reason_that_holds(
    counters: Counters, state: ListState, use: SliceUse, day_is_over: bool
) -> None:
    step = after(counters, state, use, day_is_over=day_is_over)
    assert _name(step) == _reference(counters, state, use, day_is_over)


@given(st.integers(0, 10_000_000))
def test_the_mercy_is_one_percent_rounded_down_and_at_least_one(total: int) -> None:
    allowed = tolerated_shortfall(total)
    assert allowed == 1 or allowed * 100 <= total < (allowed + 1) * 100


def test_the_budgets_are_those_of_the_seed() -> None:
    """Seed 000, 용량과 보존 정책: slice 목록 5페이지/500공고, 일일 50페이지·5,000공고·상세 300건."""
    assert Budgets() == Budgets(
        slice_pages=5,
        slice_postings=500,
        slice_time=timedelta(seconds=300),
        daily_pages=50,
        daily_postings=5000,
        daily_details=300,
    )
