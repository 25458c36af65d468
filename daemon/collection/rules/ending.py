"""When a slice, a list and a cycle end (DESIGN 1.3 and 1.4)."""

from __future__ import annotations

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
from daemon.sources.model import NotFetched, Outcome


def tolerated_shortfall(declared_total: int) -> int:
    """How many postings a list of several pages may lack, since lists move while they are read: 1 %, at least 1."""
    return max(1, declared_total // 100)


def decide_list_end(counters: Counters, state: ListState) -> Succeed | Fail:
    """Judge a list that has been read to its end.

    Complete means: ended by the site's own word, as many distinct ids as the site ever declared, every item with an
    id. One mercy: on a list of several pages a small shortfall, or an end found only because a page brought nothing
    new, is a success from which nothing missing is concluded.
    """
    if counters.unidentified:
        return Fail(
            reason=FailureReason.LAYOUT_CHANGED, summary=f"{counters.unidentified} items of the list have no usable id"
        )
    total = counters.declared_total
    lacking = 0 if total is None else max(0, total - state.distinct_ids)
    several = counters.list_pages > 1
    if lacking and not (several and total is not None and lacking <= tolerated_shortfall(total)):
        return Fail(
            reason=FailureReason.LIST_TOTAL_MISMATCH,
            summary=f"the site declares {total} postings, {state.distinct_ids} were seen",
        )
    own_word = state.next_cursor is None
    return Succeed(close_guarded=bool(lacking) or not own_word or state.incremental)


def is_judged(counters: Counters, state: ListState, budgets: Budgets) -> bool:
    """Whether the list is read as far as it will be, so that what it had is compared with what it declared."""
    return _is_over(state) or counters.list_pages >= _page_limit(state, budgets)


def decide_after_page(
    counters: Counters, state: ListState, slice_use: SliceUse, budgets: Budgets, *, day_is_over: bool
) -> AfterPage:
    """What follows a page, all of whose effects are already in `counters` and `state`.

    The end of the list comes first, then the day's limits, then the slice's. A slice that runs past the business day
    is finished, and the cycle with it.
    """
    if state.undetermined:
        return Exhaust(reason=BudgetReason.DETAIL_LIMIT)
    if _is_over(state):
        return decide_list_end(counters, state)
    if counters.list_pages >= _page_limit(state, budgets):
        return _out_of_pages(counters, state)
    if counters.fetched >= budgets.daily_postings:
        return Exhaust(reason=BudgetReason.POSTING_LIMIT)
    spent = (
        slice_use.pages >= budgets.slice_pages
        or slice_use.postings >= budgets.slice_postings
        or slice_use.time_is_up
        or slice_use.stopping
    )
    if not spent:
        return Continue()
    if day_is_over:
        return Fail(reason=FailureReason.DAY_ENDED, summary="the next business day began before the list was read")
    return Release()


def failure_of(unread: NotFetched) -> Fail:
    """The end of a cycle whose list could not be read."""
    if unread.outcome is Outcome.LOGIN_REQUIRED:
        # A list behind a login is closed to us: the same as a block page (DESIGN 1.4).
        return Fail(reason=Outcome.BLOCKED, summary=f"{unread.outcome}: {unread.reason}")
    return Fail(reason=unread.outcome, summary=unread.reason)


def crash_of(error: Exception) -> Fail:
    """The end of a cycle that our own fault cut short."""
    return Fail(reason=FailureReason.INTERNAL_ERROR, summary=f"{type(error).__name__}: {error}"[:1000])


def _is_over(state: ListState) -> bool:
    return state.next_cursor is None or state.brought_nothing_new


def _page_limit(state: ListState, budgets: Budgets) -> int:
    return min(budgets.daily_pages, state.list_page_limit or budgets.daily_pages)


def _out_of_pages(counters: Counters, state: ListState) -> AfterPage:
    """The page limit is reached though the list points on: complete only if the declared total was seen after all."""
    total = counters.declared_total
    if total is not None and total <= state.distinct_ids and not counters.unidentified:
        return Succeed(close_guarded=state.incremental)
    return Exhaust(reason=BudgetReason.LIST_PAGE_LIMIT)
