"""The views of postings, each one reading transaction; what the API and the shell call."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from dataclasses import fields

from daemon.company.model import UnknownCompany
from daemon.company.store.registry import has_company
from daemon.db import Database, Tx, reading
from daemon.flags.model import FlagKey
from daemon.flags.store import is_enabled
from daemon.matching.store.verdicts import load_words
from daemon.operations.applications.model import ApplicationSummary
from daemon.operations.applications.store import load_detail
from daemon.operations.postings.model import (
    FeedEntry,
    MatchedWord,
    PostingDetail,
    PostingFilter,
    PostingPage,
    PostingRecord,
    PostingSigns,
    PostingSort,
)
from daemon.operations.postings.store import items, listing
from daemon.posting.model import PostingStatus, UnknownPosting

_EXPORTED = 500
"""Postings read by one transaction of an export."""

_FEED = 100
"""Entries of the feed."""


async def list_postings(
    db: Database,
    wanted: PostingFilter,
    sort: PostingSort = PostingSort.DISCOVERED,
    page: int = 0,
    size: int = 50,
) -> PostingPage:
    """One page of the postings wanted, representatives only (FR-64); `page` counts from 0.

    With `posting.cross-source-dedup` off every posting is a representative at once, whatever the last 08:30 run left.
    """
    return await reading(db, _list, wanted, sort, page, size)


async def posting_ids(db: Database) -> range:
    """The ids from that of the first posting found to that of the last."""
    return await reading(db, listing.load_ids)


async def list_postings_of(
    db: Database,
    company_id: int,
    posting_status: PostingStatus | None = None,
    sort: PostingSort = PostingSort.DISCOVERED,
    page: int = 0,
    size: int = 50,
) -> PostingPage:
    """As `list_postings`, of one company. Raises UnknownCompany."""
    return await reading(db, _list_of, company_id, posting_status, sort, page, size)


async def _list_of(
    tx: Tx, company_id: int, posting_status: PostingStatus | None, sort: PostingSort, page: int, size: int
) -> PostingPage:
    if not await has_company(tx, company_id):
        raise UnknownCompany(company_id)
    return await _list(tx, PostingFilter(company_id=company_id, posting_status=posting_status), sort, page, size)


async def list_with_signs(
    db: Database,
    wanted: PostingFilter,
    sort: PostingSort = PostingSort.DISCOVERED,
    page: int = 0,
    size: int = 50,
) -> tuple[PostingPage, dict[int, PostingSigns]]:
    """As `list_postings`, and of each posting on the page what happened to it, and why it matched."""
    return await reading(db, _list_with_signs, wanted, sort, page, size)


async def _list_with_signs(
    tx: Tx, wanted: PostingFilter, sort: PostingSort, page: int, size: int
) -> tuple[PostingPage, dict[int, PostingSigns]]:
    found, rows = await _load_page(tx, wanted, sort, page, size)
    words = await _matched_words(tx, [row.job_posting_id for row in rows]) if rows else {}
    return found, items.signs_of(rows, words)


async def _list(tx: Tx, wanted: PostingFilter, sort: PostingSort, page: int, size: int) -> PostingPage:
    return (await _load_page(tx, wanted, sort, page, size))[0]


async def _load_page(
    tx: Tx, wanted: PostingFilter, sort: PostingSort, page: int, size: int
) -> tuple[PostingPage, items.Rows]:
    grouped = await _is_grouped(tx)
    listed = await listing.load_page(tx, wanted, sort, page, size, grouped=grouped)
    rows = await items.load_rows(tx, listed.ids) if listed.ids else []
    found = PostingPage(
        job_postings=items.items_of(rows, await items.load_around(tx, rows, grouped=grouped)) if rows else (),
        total_count=listed.total_count,
        total_is_exact=listed.total_is_exact,
        page=page,
        size=size,
    )
    return found, rows


async def show_posting(db: Database, posting_id: int) -> PostingDetail:
    """One posting, duplicate or not, with all that is known of it. Raises UnknownPosting."""
    return await reading(db, _show, posting_id)


async def _show(tx: Tx, posting_id: int) -> PostingDetail:
    found = await items.load_version_and_body(tx, posting_id)
    if found is None:
        raise UnknownPosting(posting_id)
    version, body = found
    rows = await items.load_rows(tx, [posting_id])
    around = await items.load_around(tx, rows, grouped=await _is_grouped(tx))
    (item,) = items.items_of(rows, around)
    return PostingDetail(
        **{field.name: getattr(item, field.name) for field in fields(item)},
        work_arrangements=around.evidence.get(posting_id, ()),
        matched_words=(await _matched_words(tx, [posting_id])).get(posting_id, ()),
        application=None if item.application_id is None else await _application(tx, item.application_id),
        description_body=body,
        alternate_sources=await items.load_alternates(tx, around.copies[posting_id]),
        version=version,
    )


async def _application(tx: Tx, application_id: int) -> ApplicationSummary | None:
    found = await load_detail(tx, application_id)
    if found is None:
        return None
    return ApplicationSummary(**{field.name: getattr(found, field.name) for field in fields(ApplicationSummary)})


async def signs_of(db: Database, posting_ids: Collection[int]) -> dict[int, PostingSigns]:
    """What happened to each of these postings, and why it matched."""
    return await reading(db, _signs, posting_ids) if posting_ids else {}


async def _signs(tx: Tx, posting_ids: Collection[int]) -> dict[int, PostingSigns]:
    return items.signs_of(await items.load_rows(tx, list(posting_ids)), await _matched_words(tx, posting_ids))


async def _matched_words(tx: Tx, posting_ids: Collection[int]) -> dict[int, tuple[MatchedWord, ...]]:
    return {
        key: tuple(MatchedWord(group=group, synonym=word) for group, word in words)
        for key, words in (await load_words(tx, posting_ids)).items()
    }


async def export_postings(db: Database) -> AsyncGenerator[tuple[PostingRecord, ...], None]:
    """Every posting, duplicates too, by id, some hundreds at a time, each lot as it is when it is read."""
    last = 0
    while records := await reading(db, _export_after, last):
        yield records
        last = records[-1].job_posting_id


async def _export_after(tx: Tx, last: int) -> tuple[PostingRecord, ...]:
    ids = await items.load_ids_after(tx, last, _EXPORTED)
    rows = await items.load_rows(tx, ids)
    return items.records_of(rows, await items.load_around(tx, rows, grouped=await _is_grouped(tx)))


async def feed_entries(db: Database) -> tuple[FeedEntry, ...]:
    """The postings found last that match and are not ruled out, representatives only, newest first."""
    return await reading(db, _feed_entries)


async def _feed_entries(tx: Tx) -> tuple[FeedEntry, ...]:
    grouped = await _is_grouped(tx)
    ids = await listing.load_matched_ids(tx, _FEED, grouped=grouped)
    rows = await items.load_rows(tx, ids)
    around = await items.load_around(tx, rows, grouped=grouped)
    words = await load_words(tx, ids)
    return tuple(
        FeedEntry(
            entry_id=min(around.copies[item.job_posting_id]),
            item=item,
            matched_words=tuple(word for _, word in words.get(item.job_posting_id, ())),
            updated_at=max(at for at in (row.first_seen_at, row.changed_at, row.reopened_at) if at),
        )
        for row, item in zip(rows, items.items_of(rows, around), strict=True)
    )


async def _is_grouped(tx: Tx) -> bool:
    return await is_enabled(tx, FlagKey.CROSS_SOURCE_DEDUP)
