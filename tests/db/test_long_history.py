"""What a person looks at every day reads no more of a long history than of a short one: rows are counted, not time.

The world is the same before and after but for closed postings and old days: on the servers its reads are those that
the storage engine counts for the session, on SQLite the steps of its virtual machine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from sqlalchemy import event, insert, text

from daemon.clock import KST, ManualClock, business_date, kst
from daemon.collection.model import CycleStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.company.model import CompanyOrigin
from daemon.company.store import load_sources
from daemon.company.tables import companies, job_sources
from daemon.db import Database, Tx, reading
from daemon.flags.model import FlagKey
from daemon.matching.store.results import is_judged
from daemon.matching.tables import job_posting_match_results as results
from daemon.operations.health.actions import _sources_health
from daemon.operations.postings import actions as views
from daemon.operations.postings.model import PostingFilter, PostingSort
from daemon.operations.postings.store import listing
from daemon.operations.postings.store.listing import COUNTED, load_ids, load_matched_ids, load_page
from daemon.operations.store import load_runs
from daemon.posting.model import PostingStatus
from daemon.posting.store.evaluable import load_evaluable, load_titles, load_touched
from daemon.posting.tables import job_postings
from daemon.sources.model import SourceType
from daemon.web import make_app
from tests.databases import execute
from tests.engines import engine_on, switch_on

NOW = datetime(2026, 12, 1, tzinfo=KST)
OPEN = 300
SHORT, LONG = 2_400, 9_600
"""Postings in all; those found last are open."""

SOURCES = 6
SHORT_DAYS, LONG_DAYS = 100, 2_000
"""So long that ninety days are few of them: of six hundred, a server may find it cheaper to read every row."""

JUDGED = partial(is_judged, 1)

Look = Callable[[Tx], Awaitable[Any]]


async def _look_for_words(tx: Tx) -> object:
    """As the page does: among the postings found last."""
    ids = await load_ids(tx)
    wanted = PostingFilter(title="없는 말", from_id=ids.stop - 1_000, before_id=ids.stop)
    return await load_page(tx, wanted, PostingSort.DISCOVERED, 0, 50, grouped=True)


def _list(sort: PostingSort = PostingSort.DISCOVERED, page: int = 0, **wanted: Any) -> Look:
    return lambda tx: load_page(tx, PostingFilter(**wanted), sort, page, 50, grouped=True)


LISTS: dict[str, Look] = {
    "all": _list(),
    "open": _list(posting_status=PostingStatus.OPEN),
    "closed": _list(posting_status=PostingStatus.CLOSED),
    "matched": _list(matched=True),
    "open and matched": _list(posting_status=PostingStatus.OPEN, matched=True),
    "by work arrangement": _list(PostingSort.WORK_ARRANGEMENT),
    "open by work arrangement": _list(PostingSort.WORK_ARRANGEMENT, posting_status=PostingStatus.OPEN),
    "by deadline": _list(PostingSort.DEADLINE),
    "open by deadline": _list(PostingSort.DEADLINE, posting_status=PostingStatus.OPEN),
    "a company's": _list(company_id=1),
    "the twentieth page": _list(page=19),
    "found lately": _list(found_since=NOW - timedelta(hours=2), posting_status=PostingStatus.OPEN, matched=True),
    "of watched companies": _list(company_origin=CompanyOrigin.WATCHED, place=SourceType.AGGREGATOR),
    "words in titles": _look_for_words,
    "what can be judged": lambda tx: load_evaluable(tx, JUDGED, LONG, 1_000),
    "what was touched": lambda tx: load_touched(tx, JUDGED, NOW - timedelta(minutes=20), None, 1_000),
    "titles": lambda tx: load_titles(tx, None, 1_000),
    "feed": lambda tx: load_matched_ids(tx, 100, grouped=True),
}


@pytest.fixture
async def months(db: Database, clock: ManualClock) -> Callable[[int, int], Awaitable[None]]:
    """Makes the history so long: postings in all, and days."""
    await switch_on(db, FlagKey.CROSS_SOURCE_DEDUP)
    now = clock.now()
    stamps = {"created_at": now, "updated_at": now}
    company = {"name": "회사", "name_key": "회사", "registration_type": "AUTO", "company_origin": "WATCHED"}
    await execute(db, insert(companies).values(id=1, **company, **stamps))
    sources = [{"id": number + 1, "search_category_code": str(number), **stamps} for number in range(SOURCES)]
    kind = {"platform": "SARAMIN", "source_type": "AGGREGATOR", "search_keyword": ""}
    await execute(db, insert(job_sources), [each | kind for each in sources])

    async def lengthen(postings: int, days: int) -> None:
        for table in (job_postings, results, cycles, runs):
            await execute(db, table.delete())
        for first in range(0, postings, 4_000):
            numbers = range(first, min(first + 4_000, postings))
            await execute(db, insert(job_postings), [_posting(number, postings, now) for number in numbers])
            await execute(db, insert(results), [_result(number, now) for number in numbers])
        yesterday = business_date(now) - timedelta(days=1)
        past = [(source, yesterday - timedelta(days=back)) for back in range(days) for source in range(1, SOURCES + 1)]
        more = {"source_type": "AGGREGATOR", "next_eligible_at": now, "updated_at": now}
        ended = [_day(source, day) for source, day in past]
        await execute(db, insert(cycles), [each | more | {"cycle_status": _status(each)} for each in ended])
        well = [each for each in ended if _status(each) is CycleStatus.SUCCESS]
        await execute(db, insert(runs), [each | {"run_status": "SUCCESS"} for each in well])
        for table in (job_postings, results, cycles, runs):
            await execute(db, text(f"ANALYZE {'TABLE ' if db.shared else ''}{table.name}"))

    return lengthen


def _day(source: int, day: date) -> dict[str, Any]:
    ended_at = kst(day, 0, 5)
    times = {"started_at": ended_at, "finished_at": ended_at, "created_at": ended_at}
    return {"job_source_id": source, "run_date": day, **times}


def _status(ended: dict[str, Any]) -> CycleStatus:
    """A budget ends every fourth day of a source."""
    fourth = (ended["run_date"].toordinal() + ended["job_source_id"]) % 4 == 0
    return CycleStatus.BUDGET_EXHAUSTED if fourth else CycleStatus.SUCCESS


def _posting(number: int, of: int, now: datetime) -> dict[str, Any]:
    left = of - number
    return {
        "id": number + 1,
        "company_id": 1,
        "job_source_id": number % SOURCES + 1,
        "representative_id": number if number % 10 == 7 else None,
        "source_job_id": str(number),
        "posting_origin": "COLLECTED",
        "title": f"백엔드 개발자 {number}",
        "posting_url": f"https://example.com/{number}",
        "posting_status": "OPEN" if left <= OPEN else "CLOSED",
        "deadline_at": now + timedelta(minutes=OPEN - left) if number % 3 else None,
        "first_seen_at": now - timedelta(minutes=left),
        "last_seen_at": now,
        "created_at": now - timedelta(minutes=left),
        "updated_at": now - timedelta(minutes=left),
        "dedup_pending": 0,
    }


def _result(number: int, now: datetime) -> dict[str, Any]:
    return {
        "job_posting_id": number + 1,
        "criteria_revision": 1,
        "posting_version": 0,
        "matched": number % 20 == 0,
        "notifiable": number % 20 == 0,
        "top_confidence": "UNKNOWN",
        "work_arrangement_sort_rank": number % 50 + 1 if number % 50 < 2 else 99,
        "evaluated_at": now,
        "created_at": now,
        "updated_at": now,
    }


async def _reads(db: Database, look: Look) -> int:
    """How much the database reads for it, in its own measure."""

    async def counted(tx: Tx) -> int:
        before = await _count(tx)
        await look(tx)
        return await _count(tx) - before

    if db.shared:
        return await reading(db, counted)
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    async def stepped(tx: Tx) -> None:
        raw = await tx._connection.get_raw_connection()
        connection: Any = raw.driver_connection
        await connection.set_progress_handler(step, 100)
        try:
            await look(tx)
        finally:
            await connection.set_progress_handler(None, 0)

    await reading(db, stepped)
    return steps


async def _count(tx: Tx) -> int:
    rows = await tx.execute(text("SHOW SESSION STATUS LIKE 'Handler_read%'"))
    return sum(int(value) for value in rows.scalars(1))


async def test_lists_read_no_more_of_four_times_the_postings(
    db: Database, months: Callable[[int, int], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound in ("COUNTED", "FEW"):
        monkeypatch.setattr(listing, bound, 50)  # less than there are of anything
    taken: dict[str, list[int]] = {name: [] for name in LISTS}
    for postings in (SHORT, LONG):
        await months(postings, 1)
        for name, look in LISTS.items():
            taken[name].append(await _reads(db, look))
    # Rows of two tables for each open posting, once for the page and once to count; a hundred steps are some ten rows.
    most = OPEN * 4 if db.shared else OPEN
    assert {name: both for name, both in taken.items() if both[1] > both[0] + most} == {}
    assert taken["what was touched"][1] < OPEN / 3


async def test_operations_read_no_more_of_twenty_times_the_days(
    db: Database, months: Callable[[int, int], Awaitable[None]]
) -> None:
    """Thirty days of runs and ninety of health are what they are, however many there were before."""
    looks: dict[str, Look] = {"runs": _runs, "health": _sources_health}
    taken: dict[str, list[int]] = {name: [] for name in looks}
    for days in (SHORT_DAYS, LONG_DAYS):
        await months(10, days)
        for name, look in looks.items():
            taken[name].append(await _reads(db, look))
    assert {name: both for name, both in taken.items() if both[1] > both[0] * 1.5} == {}


async def _runs(tx: Tx) -> int:
    sources = {source.id: source for source in await load_sources(tx)}
    today = business_date(await tx.now())
    return len(await load_runs(tx, sources, today - timedelta(days=29), today))


PAGES = (
    "/",
    "/postings",
    "/postings?matched=1&status=OPEN",
    "/postings?sort=WORK_ARRANGEMENT",
    "/postings?status=OPEN&sort=DEADLINE&within=month",
    "/postings?q=개발자",
    "/postings?watched=1&place=aggregator",
    "/postings/11",
    "/companies",
    "/companies/1",
    "/applications",
    "/criteria",
    "/criteria?synonyms=개발자",
    "/sources",
    "/operations",
    "/api/companies/1/job-postings?size=200",
    "/api/job-postings?size=200",
    "/api/feed.atom",
    "/api/export/postings.json",
    "/api/operations/collection-runs?days=366",
    "/api/operations/source-health",
)
MOST_STATEMENTS = 45
MOST_ROWS = 1_001
"""As many as are made into objects without a break: while that lasts, no page of a site is committed."""


async def test_no_page_asks_for_much_at_once(db: Database, months: Callable[[int, int], Awaitable[None]]) -> None:
    """The page and the engine share a process: what one answer takes in a piece, all slices wait for."""
    await months(SHORT, LONG_DAYS)
    sent: list[int] = []

    def note(_connection: Any, cursor: Any, *_: Any) -> None:
        sent.append(len(cursor._rows or ()))

    event.listen(db.engine.sync_engine, "after_cursor_execute", note)
    taken: dict[str, tuple[int, int]] = {}
    try:
        async with engine_on(db, {}) as engine, TestClient(TestServer(make_app(engine))) as client:
            for path in PAGES:
                sent.clear()
                async with client.get(path, headers={"Accept": "text/html, */*"}) as answer:
                    assert answer.status == 200, path
                    await answer.read()
                taken[path] = len(sent), max(sent)
    finally:
        event.remove(db.engine.sync_engine, "after_cursor_execute", note)
    long_ones = {"/api/export/postings.json", "/api/operations/collection-runs?days=366"}
    much = {path: both for path, both in taken.items() if both[0] > MOST_STATEMENTS and path not in long_ones}
    assert much == {}
    assert {path: both for path, both in taken.items() if both[1] > MOST_ROWS} == {}


async def test_no_more_are_counted_than_anyone_reads(
    db: Database, months: Callable[[int, int], Awaitable[None]]
) -> None:
    await months(SHORT, 1)
    page = await views.list_postings(db, PostingFilter(), page=SHORT // 50)
    assert (page.total_count, page.total_is_exact) == (COUNTED, False)
    newest = await views.list_postings(db, PostingFilter(), size=3)
    assert [item.job_posting_id for item in newest.job_postings] == [SHORT, SHORT - 1, SHORT - 3]
    assert not newest.is_last
    found, number = [], 0
    while True:
        page = await views.list_postings(db, PostingFilter(), page=number, size=200)
        found += [item.job_posting_id for item in page.job_postings]
        number += 1
        if page.is_last:
            break
    assert found == [number for number in range(SHORT, 0, -1) if number % 10 != 8]
    few = await views.list_postings(db, PostingFilter(posting_status=PostingStatus.OPEN))
    assert (few.total_count, few.total_is_exact, few.is_last) == (OPEN - OPEN // 10, True, False)
    named = await views.list_postings(db, PostingFilter(title="개발자 "))
    assert (named.total_count, named.total_is_exact) == (COUNTED, False)
    assert (await views.list_postings(db, PostingFilter(title="개발자 239"))).total_count == 10


@pytest.mark.parametrize("sort", list(PostingSort))
async def test_pages_put_together_are_the_whole_list_in_its_order(
    db: Database, months: Callable[[int, int], Awaitable[None]], sort: PostingSort
) -> None:
    await months(400, 1)
    pages = [await views.list_postings(db, PostingFilter(), sort, page, 30) for page in range(14)]
    found = [item.job_posting_id for page in pages for item in page.job_postings]
    numbers = [number for number in range(400) if number % 10 != 7]
    rank = {number: min(number % 50 + 1, 3) for number in numbers}
    wanted = {
        PostingSort.DISCOVERED: sorted(numbers, reverse=True),
        PostingSort.DEADLINE: sorted(numbers, key=lambda number: (number % 3 == 0, number)),
        PostingSort.WORK_ARRANGEMENT: sorted(numbers, key=lambda number: (rank[number], -number)),
    }
    assert found == [number + 1 for number in wanted[sort]]
    assert [page.is_last for page in pages] == [False] * 11 + [True] * 3


@pytest.mark.parametrize("sort", list(PostingSort))
async def test_a_list_is_the_same_whichever_way_it_is_read(
    db: Database, months: Callable[[int, int], Awaitable[None]], monkeypatch: pytest.MonkeyPatch, sort: PostingSort
) -> None:
    await months(400, 1)
    lists: list[dict[str, Any]] = [
        {"matched": True},
        {"matched": True, "posting_status": PostingStatus.OPEN},
        {"matched": True, "found_since": NOW - timedelta(hours=2)},
        {"company_origin": CompanyOrigin.WATCHED},
        {"company_origin": CompanyOrigin.WATCHED, "posting_status": PostingStatus.OPEN},
        {"found_since": NOW - timedelta(hours=2)},
        {"found_since": NOW + timedelta(hours=2)},
    ]
    found = []
    for few in (listing.FEW, 0):
        monkeypatch.setattr(listing, "FEW", few)
        pages = [await reading(db, _list(sort, page, **wanted)) for wanted in lists for page in range(3)]
        found.append([(page.ids, page.total_count) for page in pages])
    assert found[0] == found[1]
    assert [len(found[0][3 * number][0]) for number in range(len(lists))] == [20, 15, 6, 50, 50, 50, 0]
