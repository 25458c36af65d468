"""What the page leaves out of a list, and what it shows beside an item, on every engine."""

from __future__ import annotations

from daemon.clock import ManualClock
from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.matching.model import Confidence
from daemon.operations.postings.actions import list_postings, signs_of
from daemon.operations.postings.model import PostingFilter, PostingSort
from daemon.posting.model import PostingOrigin
from daemon.sources.model import Platform, SourceType
from tests.db.judged import add_criteria
from tests.db.test_posting_views import add_result
from tests.engines import DAY, add_source, newest
from tests.postings import add_posting


async def test_postings_are_filtered_by_time_place_and_work_arrangement(db: Database, clock: ManualClock) -> None:
    board = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    search = await add_source(db, Platform.SARAMIN, category="84")
    now = clock.now()
    old = await add_posting(db, company, board, first_seen_at=now - 2 * DAY, deadline_at=now + DAY)
    found = await add_posting(db, company, search, deadline_at=now + 9 * DAY)
    by_hand = await add_posting(db, company, None)
    await add_result(db, found, top=Confidence.LIKELY)

    async def ids(wanted: PostingFilter, sort: PostingSort = PostingSort.DISCOVERED) -> list[int]:
        page = await list_postings(db, wanted, sort)
        assert page.total_count == len(page.job_postings)
        return [item.job_posting_id for item in page.job_postings]

    assert await ids(PostingFilter(found_since=now - DAY)) == [by_hand, found]
    assert await ids(PostingFilter(closes_from=now, closes_before=now + 7 * DAY)) == [old]
    assert await ids(PostingFilter(place=SourceType.COMPANY_BOUND)) == [old]
    assert await ids(PostingFilter(place=SourceType.AGGREGATOR)) == [found]
    assert await ids(PostingFilter(place=PostingOrigin.MANUAL)) == [by_hand]
    for matched in (None, True, False):
        for sort in PostingSort:
            wanted = PostingFilter(arranged=True, matched=matched, place=SourceType.AGGREGATOR)
            assert await ids(wanted, sort) == ([] if matched is False else [found]), (matched, sort)


async def test_signs_tell_what_happened_to_a_posting(db: Database, clock: ManualClock) -> None:
    board = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    await add_criteria(db)
    edited = await add_posting(db, company, board, changed_at=clock.now(), reopened_at=clock.now() - DAY)
    by_hand = await add_posting(db, company, None)
    signs = await signs_of(db, [edited, by_hand])
    assert (signs[edited].platform, signs[edited].changed_at) == (Platform.GREENHOUSE, clock.now())
    assert (signs[edited].reopened_at, signs[edited].closed_at) == (clock.now() - DAY, None)
    assert (signs[by_hand].platform, signs[by_hand].matched_words) == (None, ())
    assert await signs_of(db, []) == {}
