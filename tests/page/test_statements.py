"""A page costs as many statements as it has lists, however long they are: each is a way to the database and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import event

from daemon.application.actions import apply_for_posting
from daemon.clock import ManualClock, business_date
from daemon.collection.model import CycleStatus
from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.flags.actions import switch_all_on
from daemon.matching.actions.criteria import add_keyword_group
from daemon.sources.model import Platform
from tests.db.collected import add_cycle
from tests.db.test_posting_views import add_result
from tests.engines import DAY, add_source, newest
from tests.page.conftest import Browse
from tests.postings import add_posting

PAGES = (
    "/",
    "/postings",
    "/postings?matched=1&status=OPEN",
    "/postings?sort=WORK_ARRANGEMENT",
    "/postings?status=OPEN&sort=DEADLINE&within=month",
    "/postings?watched=1&place=board",
    "/postings/{posting}",
    "/applications",
    "/companies",
    "/companies/{company}",
    "/sources",
    "/criteria",
    "/operations",
    "/api/operations/collection-runs?days=7",
    "/api/operations/source-health",
)

MOST = 26
"""Statements of the page that shows most, transactions' beginnings among them where they are statements."""


@contextmanager
def counted(db: Database) -> Iterator[list[str]]:
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    event.listen(db.engine.sync_engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(db.engine.sync_engine, "before_cursor_execute", note)


async def _more(db: Database, clock: ManualClock, number: int) -> dict[str, int]:
    """A company with its board and a week of its days, a search, and a posting that matches and was applied for."""
    board = await add_source(db, Platform.GREENHOUSE, f"board{number}", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    await add_source(db, Platform.SARAMIN, category=f"{number}")
    today = business_date(clock.now())
    for back in range(7):
        await add_cycle(db, board, today - timedelta(days=back), CycleStatus.BUDGET_EXHAUSTED)
    for _ in range(2):
        posting = await add_posting(db, company, board, deadline_at=clock.now() + DAY)
        await add_result(db, posting)
    await apply_for_posting(db, posting, None, None)
    await add_keyword_group(db, f"말 {number}", [f"말{number}"])
    return {"posting": posting, "company": company}


async def test_no_page_takes_more_statements_of_ten_times_the_rows(
    db: Database, browse: Browse, clock: ManualClock
) -> None:
    await switch_all_on(db)
    browser = await browse(db)
    taken: dict[str, list[int]] = {path: [] for path in PAGES}
    for numbers in (range(2), range(2, 20)):
        for number in numbers:
            ids = await _more(db, clock, number)
        for path in PAGES:
            with counted(db) as sent:
                assert (await browser.open(path.format(**ids))).status == 200
            taken[path].append(len(sent))
    assert {path: both for path, both in taken.items() if both[1] > both[0]} == {}
    assert {path: both for path, both in taken.items() if max(both) > MOST} == {}
