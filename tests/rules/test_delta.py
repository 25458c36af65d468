"""What a complete list leaves out (seed 001, FR-14 and 상태 전이 표; DESIGN 1.4)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.posting.rules import MISSES_TO_CLOSE, decide_missed

Row = tuple[int, str, int]

postings = st.lists(st.tuples(st.integers(1, 500), st.integers(0, 4)), max_size=30, unique_by=lambda row: row[0]).map(
    lambda rows: [(number, f"R{number}", misses) for number, misses in rows]
)
ids = st.frozensets(st.integers(1, 500).map(lambda number: f"R{number}"), max_size=60)


@pytest.mark.parametrize(
    ("misses", "auto_close", "missed", "closed"),
    [
        (0, True, [1], []),
        (1, True, [], [1]),
        (0, False, [1], []),
        (1, False, [1], []),
        (5, False, [1], []),
        (5, True, [], [1]),
    ],
)
def test_the_second_miss_closes_and_only_while_closing_is_switched_on(
    misses: int, auto_close: bool, missed: list[int], closed: list[int]
) -> None:
    """Seed 001, `OPEN` × 미발견 1회 → `OPEN`, 2회 연속 → `CLOSED`; DESIGN 1.4: counting goes on, closing waits."""
    assert decide_missed([(1, "R1", misses)], [], auto_close=auto_close) == (missed, closed)


def test_what_was_seen_is_never_missed_however_often_it_was_before() -> None:
    assert decide_missed([(1, "R1", 9)], {"R1"}, auto_close=True) == ([], [])


@given(postings, ids, st.booleans())
def test_every_open_posting_is_seen_or_missed_or_closed_and_only_one_of_them(
    rows: list[Row], seen: frozenset[str], auto_close: bool
) -> None:
    missed, closed = decide_missed(rows, seen, auto_close=auto_close)
    absent = [number for number, key, _ in rows if key not in seen]
    assert sorted([*missed, *closed]) == sorted(absent)
    assert len({*missed, *closed}) == len(missed) + len(closed)


@given(postings, ids)
def test_nothing_is_closed_while_closing_is_switched_off(rows: list[Row], seen: frozenset[str]) -> None:
    assert decide_missed(rows, seen, auto_close=False)[1] == []


@given(postings, ids, ids, st.booleans())
def test_seeing_more_never_misses_or_closes_more(
    rows: list[Row], seen: frozenset[str], also: frozenset[str], auto_close: bool
) -> None:
    missed, closed = decide_missed(rows, seen, auto_close=auto_close)
    fewer_missed, fewer_closed = decide_missed(rows, seen | also, auto_close=auto_close)
    assert set(fewer_missed) <= set(missed)
    assert set(fewer_closed) <= set(closed)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20))
def test_a_posting_closes_on_the_second_absence_in_a_row_at_the_earliest(days: Sequence[tuple[bool, bool]]) -> None:
    """A posting's life over complete lists: (shown, auto-close on) day by day."""
    misses, absences = 0, 0
    for is_shown, auto_close in days:
        missed, closed = decide_missed([(1, "R1", misses)], {"R1"} if is_shown else set(), auto_close=auto_close)
        absences = 0 if is_shown else absences + 1
        misses = 0 if is_shown else misses + 1
        assert closed == ([1] if auto_close and absences >= MISSES_TO_CLOSE else [])
        assert missed == ([] if is_shown or closed else [1])
        if closed:
            break
