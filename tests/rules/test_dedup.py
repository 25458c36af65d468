"""Which postings are copies and which one stands for them (seed 001, 크로스 소스 대표 선정; DESIGN 1.5)."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.posting.model import Copy, PostingStatus, Standing
from daemon.posting.rules import SAME_ROUND, group_copies, standing_under
from daemon.sources.model import SourceType

START = datetime(2026, 12, 1, tzinfo=UTC)
DAY = timedelta(days=1)
DIRECT, BOARD = SourceType.COMPANY_BOUND, SourceType.AGGREGATOR
ALONE = Standing(representative_id=None, notification_eligible=True, eligible_alone=None)


def copy(
    id: int,
    source: SourceType | None = BOARD,
    *,
    closed: bool = False,
    deadline: float | None = None,
    seen: float = 0,
    standing: Standing = ALONE,
) -> Copy:
    """A posting; deadline and first sight in days from `START`."""
    return Copy(
        id=id,
        source_type=source,
        status=PostingStatus.CLOSED if closed else PostingStatus.OPEN,
        deadline_at=None if deadline is None else START + deadline * DAY,
        first_seen_at=START + seen * DAY,
        standing=standing,
    )


def ids(*copies: Copy) -> list[tuple[int, ...]]:
    """The groups as ids, representatives first."""
    return [tuple(copy.id for copy in group) for group in group_copies(copies)]


# --- the table, row by row


def test_a_posting_alone_in_its_group_stands_for_itself() -> None:
    """그룹 내 공고 1건 → 그 공고가 대표."""
    assert ids(copy(7, closed=True)) == [(7,)]


def test_a_companys_own_posting_stands_for_its_copies_on_aggregators_however_early_these_were_found() -> None:
    """회사 직접 1 + 애그리게이터 N → 회사 직접본이 대표 (failure path 24)."""
    assert ids(copy(1, BOARD, seen=-9), copy(2, BOARD, seen=-5), copy(3, DIRECT)) == [(3, 1, 2)]


def test_of_open_postings_on_aggregators_the_one_found_first_stands_for_all() -> None:
    """애그리게이터만 M건 (전부 OPEN) → 가장 이른 firstSeenAt 1건이 대표."""
    assert ids(copy(1, seen=2), copy(2, seen=1), copy(3, seen=3)) == [(2, 1, 3)]


@pytest.mark.parametrize("source", [DIRECT, BOARD])
def test_an_open_posting_stands_for_closed_ones_of_its_kind_that_were_found_earlier(source: SourceType) -> None:
    """OPEN 1 + CLOSED N (같은 sourceType) → OPEN이 대표."""
    assert ids(copy(1, source, closed=True), copy(2, source, closed=True), copy(3, source, seen=5)) == [(3, 1, 2)]


def test_when_all_are_closed_the_one_found_first_stands_for_all() -> None:
    """그룹 전체가 CLOSED → 가장 이른 firstSeenAt CLOSED 1건이 대표."""
    assert ids(copy(1, closed=True, seen=2), copy(2, closed=True, seen=1)) == [(2, 1)]


def test_a_companys_own_posting_that_appears_later_takes_over() -> None:
    """애그리게이터가 대표였는데 회사 직접본 등장 → 재선정, 기존 대표 강등 (failure path 25)."""
    before = copy(1, BOARD)
    assert ids(before) == [(1,)]
    assert ids(before, copy(2, DIRECT, seen=3)) == [(2, 1)]


@pytest.mark.parametrize(("apart", "groups"), [(0, 1), (29.9, 1), (30, 1), (30 + 1e-9, 2), (31, 2), (365, 2)])
def test_deadlines_more_than_30_days_apart_are_different_postings(apart: float, groups: int) -> None:
    """마감일이 30일 이상 차이 → 분리; exactly 30 days are still one (DESIGN 1.5)."""
    found = ids(copy(1, deadline=10), copy(2, deadline=10 + apart))
    assert len(found) == groups


# --- beyond the table: ties, chains, postings without deadline, postings by hand


def test_kind_of_source_goes_before_status() -> None:
    assert ids(copy(1, BOARD), copy(2, DIRECT, closed=True)) == [(2, 1)]


def test_found_at_one_instant_the_smaller_id_stands_for_both() -> None:
    assert ids(copy(2), copy(1)) == [(1, 2)]


def test_a_posting_by_hand_gives_way_to_any_collected_one() -> None:
    assert ids(copy(1, None, seen=-9), copy(2, BOARD, closed=True)) == [(2, 1)]


def test_in_a_chain_of_deadlines_no_two_of_a_group_are_further_apart_than_30_days() -> None:
    """Each is 25 days from the next; the first and the third are 50 apart."""
    assert ids(*(copy(number, deadline=25 * number) for number in range(1, 6))) == [(1, 2), (3, 4), (5,)]


def test_a_later_round_does_not_split_an_earlier_one() -> None:
    earlier = [copy(1, deadline=0), copy(2, deadline=20)]
    assert ids(*earlier, copy(3, deadline=40)) == [(1, 2), (3,)]


def test_a_posting_without_deadline_joins_the_dated_one() -> None:
    """Greenhouse never tells a deadline: without this no posting of 당근 would have a copy (failure path 24)."""
    assert ids(copy(1, DIRECT), copy(2, BOARD, deadline=12)) == [(1, 2)]


def test_postings_without_deadline_join_the_round_with_the_latest_deadlines() -> None:
    assert ids(copy(1, DIRECT), copy(2, deadline=0, closed=True), copy(3, deadline=90), copy(4)) == [(2,), (1, 3, 4)]


def test_postings_without_deadline_are_one_group_where_none_is_dated() -> None:
    assert ids(copy(1), copy(2), copy(3)) == [(1, 2, 3)]


# --- standing


def test_a_duplicate_is_never_eligible_and_gets_back_what_it_had_when_it_stands_for_itself_again() -> None:
    """비대표는 알림 대상이 아님 (FR-65); 시딩된 것은 끝까지 아님 (FR-10)."""
    for eligible in (True, False):
        single = Standing(representative_id=None, notification_eligible=eligible, eligible_alone=None)
        duplicate = standing_under(single, 9)
        assert duplicate == Standing(representative_id=9, notification_eligible=False, eligible_alone=eligible)
        assert standing_under(duplicate, 8) == Standing(
            representative_id=8, notification_eligible=False, eligible_alone=eligible
        )
        assert standing_under(duplicate, None) == standing_under(single, None) == single


# --- whatever the postings are

copies = st.lists(
    st.builds(
        copy,
        st.integers(1, 10**6),
        st.sampled_from([DIRECT, BOARD, None]),
        closed=st.booleans(),
        deadline=st.none() | st.integers(-100, 100),
        seen=st.integers(-5, 5),
    ),
    unique_by=lambda made: made.id,
    max_size=12,
)


@given(copies, st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order_in_which_postings_are_read(made: list[Copy], chance: random.Random) -> None:
    shuffled = list(made)
    chance.shuffle(shuffled)
    assert group_copies(shuffled) == group_copies(made)


@given(copies)
def test_each_posting_is_in_one_group_whose_deadlines_are_at_most_30_days_apart(made: list[Copy]) -> None:
    groups = group_copies(made)
    assert sorted(one.id for group in groups for one in group) == sorted(one.id for one in made)
    for group in groups:
        dated = [one.deadline_at for one in group if one.deadline_at is not None]
        assert all(abs(first - second) <= SAME_ROUND for first, second in combinations(dated, 2))


@given(copies)
def test_no_one_in_a_group_would_have_been_the_better_representative(made: list[Copy]) -> None:
    rank = {DIRECT: 0, BOARD: 1, None: 2}
    for representative, *others in group_copies(made):
        for other in others:
            mine = (rank[representative.source_type], representative.status is PostingStatus.CLOSED)
            theirs = (rank[other.source_type], other.status is PostingStatus.CLOSED)
            assert mine < theirs or (mine == theirs and representative.first_seen_at <= other.first_seen_at)


@given(copies)
def test_taking_a_lone_posting_away_changes_no_other_group(made: list[Copy]) -> None:
    """What lets the job work on touched keys alone: a posting that left matters only to those it was grouped with."""
    groups = group_copies(made)
    for (lone,) in [group for group in groups if len(group) == 1]:
        rest = [group for group in groups if group != (lone,)]
        assert group_copies([one for one in made if one != lone]) == rest
