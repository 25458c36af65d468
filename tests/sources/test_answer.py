"""The account of a list's items, which is the same for every site (DESIGN 1.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.sources import answer
from daemon.sources.model import LayoutChanged, ListPage, RawJobPosting
from tests.sources.plain_site import posting

GOOD, BROKEN, GONE, NAMELESS = "good", "broken", "gone", "nameless"


def read(*items: tuple[str, str]) -> ListPage:
    """A list whose items are ids and what becomes of them."""

    def read_one(source_job_id: str, item: tuple[str, str]) -> RawJobPosting | None:
        if item[1] == BROKEN:
            raise ValueError("no title")
        return None if item[1] == GONE else posting(source_job_id)

    def identify(item: tuple[str, str]) -> str:
        return "" if item[1] == NAMELESS else item[0]

    return answer.list_page(items, identify, read_one, next_cursor="2", declared_total=7)


def good(count: int) -> list[tuple[str, str]]:
    return [(f"good{number}", GOOD) for number in range(count)]


def test_every_item_is_read_or_accounted_for() -> None:
    listed = read(*good(8), ("a", BROKEN), ("", NAMELESS), ("b", GONE))
    assert [each.source_job_id for each in listed.postings] == [f"good{number}" for number in range(8)]
    assert (listed.skipped_ids, listed.unidentified, listed.withdrawn_ids) == (("a",), 1, ("b",))
    assert (listed.next_cursor, listed.declared_total) == ("2", 7)


def test_a_fifth_of_the_items_may_be_unreadable_and_not_one_more() -> None:
    assert len(read(*good(8), ("a", BROKEN), ("", NAMELESS)).postings) == 8
    with pytest.raises(LayoutChanged) as refused:
        read(*good(8), ("a", BROKEN), ("b", BROKEN), ("", NAMELESS))
    assert refused.value.reason == "3 of 11 items unreadable; a: no title"
    with pytest.raises(LayoutChanged, match="1 of 1 items unreadable; no usable id"):
        read(("", NAMELESS))
    assert read() == ListPage(postings=(), next_cursor="2", declared_total=7)


def test_what_the_site_withdrew_is_readable() -> None:
    assert read(("1", GOOD), ("2", GONE), ("3", GONE), ("4", GONE), ("5", BROKEN)).withdrawn_ids == ("2", "3", "4")


def test_an_id_given_twice_is_one_item_and_the_best_that_it_gave_counts() -> None:
    listed = read(("1", BROKEN), ("1", GONE), ("1", GOOD), ("1", GOOD), *good(4), ("2", GONE), ("2", BROKEN))
    assert [each.source_job_id for each in listed.postings].count("1") == 1
    assert (listed.skipped_ids, listed.withdrawn_ids) == (("2",), ())
    assert read(("1", GOOD), ("1", BROKEN)).skipped_ids == (), "a second, broken showing hides nothing"


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([GOOD, GOOD, GOOD, BROKEN, GONE, NAMELESS]))))
def test_no_id_is_lost_and_none_is_told_twice(items: list[tuple[str, str]]) -> None:
    try:
        listed = read(*items)
    except LayoutChanged:
        return
    told = [*(each.source_job_id for each in listed.postings), *listed.skipped_ids, *listed.withdrawn_ids]
    assert sorted(told) == sorted({key for key, fate in items if fate != NAMELESS})
    assert listed.unidentified == sum(fate == NAMELESS for _, fate in items)


def test_half_of_the_postings_may_name_other_categories_but_not_more() -> None:
    answer.require_filtered([True, False], "x")
    answer.require_filtered([], "x")
    with pytest.raises(LayoutChanged, match="not filtered by x: 2 of 3"):
        answer.require_filtered([True, False, False], "x")


def test_tags_are_told_once_and_never_empty() -> None:
    assert answer.tags(["재택", "서울", ""], ["재택"], ()) == ("재택", "서울")
