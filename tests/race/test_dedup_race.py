"""Deduplication while pages are being committed: neither is in the other's way, and no touch is lost."""

from __future__ import annotations

import asyncio
from itertools import count
from random import Random

from sqlalchemy import null
from structlog.testing import capture_logs

from daemon.company.tables import companies
from daemon.db import Database, Tx, transaction
from daemon.flags.model import FlagKey
from daemon.posting.actions import deduplicate
from daemon.posting.model import Observed, Recording
from daemon.posting.record import record_observed
from daemon.posting.tables import job_postings
from daemon.sources.model import ChangeSignalKind, ChangeSignature, Platform, RawJobPosting
from tests.databases import open_second
from tests.engines import add_source, keyed, rows, switch_on, write
from tests.postings import add_posting

PAGES = 8
RUNS = 3
POSTINGS = 10
STANDING = ("representative_id", "notification_eligible", "eligible_alone")


async def commit_pages(db: Database, source_id: int, chance: Random, enough: asyncio.Event) -> None:
    """One source's pages, each a transaction as the engine makes it: every posting edited to another title."""
    recording = Recording(
        job_source_id=source_id,
        company_ids={},
        default_company_id=1,
        company_names={1: "당근마켓"},
        seeding=False,
    )
    # The order of the site's ids is not that in which the postings were stored, as on real sites.
    keys = [str(chance.random()) for _ in range(POSTINGS)]
    for number in count():
        if number >= PAGES and enough.is_set():
            return
        version = ChangeSignature(kind=ChangeSignalKind.SOURCE_VERSION, value=str(number))
        observed = [
            Observed(
                raw=RawJobPosting(
                    source_job_id=key,
                    title=f"공고 {chance.randrange(10)}",
                    posting_url="https://example.com",
                    deadline_at=None,
                    signature=version,
                )
            )
            for key in keys
        ]
        await transaction(db, _commit_page, recording, observed)
        await asyncio.sleep(0.05)


async def _commit_page(tx: Tx, recording: Recording, observed: list[Observed]) -> None:
    await record_observed(tx, recording, observed, await tx.now())


async def standings(db: Database) -> dict[int, list[object]]:
    return {key: [row[name] for name in STANDING] for key, row in (await keyed(db, job_postings, "id")).items()}


async def test_pages_and_two_deduplications_at_once_lose_no_touch_and_the_job_is_in_no_deadlock(
    server_db: Database,
) -> None:
    """A page that began before a run and is committed after it is looked at by the next (DESIGN 1.5)."""
    await switch_on(server_db, FlagKey.CROSS_SOURCE_DEDUP)
    sources = [await add_source(server_db, Platform.WOOWAHAN, f"board-{number}") for number in range(2)]
    sources += [await add_source(server_db, Platform.SARAMIN, category=str(number)) for number in range(2)]
    enough = asyncio.Event()
    async with open_second(server_db) as second:
        writing = asyncio.gather(
            *(commit_pages(second, source, Random(number), enough) for number, source in enumerate(sources))
        )

        async def keep_grouping(db: Database) -> None:
            for _ in range(RUNS):
                await deduplicate(db)

        with capture_logs() as logs:
            await asyncio.gather(keep_grouping(server_db), keep_grouping(second))
            enough.set()
            await writing
    retried = [entry for entry in logs if entry["event"] == "transaction.retried" and entry["unit"] != "_commit_page"]
    assert retried == []
    assert (await deduplicate(server_db)).left == 0
    incremental = await standings(server_db)
    assert len(incremental) == len(sources) * POSTINGS
    assert len({row[0] for row in incremental.values()}) > 2, "no copies were made"
    own = job_postings.c.eligible_alone
    await write(server_db, job_postings.update().where(own.is_not(None)).values(notification_eligible=own))
    await write(
        server_db, job_postings.update().values(representative_id=null(), eligible_alone=null(), dedup_pending=1)
    )
    await deduplicate(server_db)
    assert incremental == await standings(server_db)


async def test_a_page_that_is_not_committed_yet_holds_the_job_up_only_at_its_own_postings(server_db: Database) -> None:
    """The page's row lock is waited for in the last round, alone; every other key was done before."""
    await switch_on(server_db, FlagKey.CROSS_SOURCE_DEDUP)
    source = await add_source(server_db, Platform.WOOWAHAN, "board")
    board = await add_source(server_db, Platform.SARAMIN, category="84")
    company = (await rows(server_db, companies))[0]["id"]
    held = await add_posting(server_db, company, source, "잠긴 공고")
    await add_posting(server_db, company, board, "잠긴 공고")
    free = [await add_posting(server_db, company, each, "열린 공고") for each in (source, board)]
    async with open_second(server_db) as second, second.engine.connect() as page:
        await page.execute(job_postings.update().where(job_postings.c.id == held).values(title="고쳐진 공고"))
        job = asyncio.ensure_future(deduplicate(server_db))
        async with asyncio.timeout(5):
            while (await keyed(server_db, job_postings, "id"))[free[1]]["representative_id"] != free[0]:
                await asyncio.sleep(0.01)
        assert not job.done()
        await page.commit()
        async with asyncio.timeout(5):
            assert (await job).left == 0
    found = await keyed(server_db, job_postings, "id")
    assert sum(row["representative_id"] is not None for row in found.values()) == 2
