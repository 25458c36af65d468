"""The collection engine for tests: on any database, without delays, against a board or the replica."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import Executable, Table, insert, select

from daemon.clock import business_date
from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.commit_page import PageToCommit
from daemon.collection.actions.prepare import enqueue_day, prepare_day
from daemon.collection.actions.read_page import PageRead
from daemon.collection.actions.work_slice import work_slice
from daemon.collection.engine import Engine
from daemon.collection.model import SliceUse
from daemon.company.tables import companies, job_sources
from daemon.db import Database, Tx, reading, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.model import Observed
from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import ListPage, Platform, RawJobPosting, SourceType
from daemon.sources.registry import adapter_of

DAY = timedelta(days=1)


@asynccontextmanager
async def engine_on(db: Database, origins: dict[Platform, str], **settings: Any) -> AsyncIterator[Engine]:
    """An engine that asks the given origins without delay."""
    chosen = Settings(platform_origins=origins, **{"request_delay_seconds": 0, **settings})
    executor = Executor(chosen)
    try:
        yield Engine(db=db, executor=executor, settings=chosen, wake=asyncio.Event())
    finally:
        await executor.close()


async def switch_on(db: Database, *keys: FlagKey) -> None:
    """Switch flags on."""
    for key in keys:
        await switch_flag(db, key, True)


async def add_source(
    db: Database,
    platform: Platform = Platform.WOOWAHAN,
    slug: str = "woowahan",
    *,
    seeded: bool = False,
    category: str | None = None,
) -> int:
    """Register a source: a company's board with its company or, with a category, an aggregator. Returns its id."""
    return await transaction(db, _add_source, platform, slug, seeded, category)


async def _add_source(tx: Tx, platform: Platform, slug: str, seeded: bool, category: str | None) -> int:
    now = await tx.now()
    stamps = {"created_at": now, "updated_at": now}
    source: dict[str, Any] = {"platform": platform, "seeded_at": now if seeded else None, **stamps}
    if category is not None:
        kind = SourceType.AGGREGATOR
        source |= {"source_type": kind, "search_category_code": category, "search_keyword": ""}
    else:
        company = {"name": f"회사 {slug}", "name_key": f"회사{slug}", "registration_type": "AUTO"}
        added = await tx.execute(insert(companies).values(**company, company_origin="WATCHED", **stamps))
        assert added.inserted_primary_key is not None
        company_id = added.inserted_primary_key[0]
        source |= {"source_type": SourceType.COMPANY_BOUND, "source_slug": slug, "company_id": company_id}
    made = await tx.execute(insert(job_sources).values(**source))
    assert made.inserted_primary_key is not None
    return int(made.inserted_primary_key[0])


async def today(db: Database) -> date:
    """The business date of the database."""
    return business_date(await reading(db, _now))


async def _now(tx: Tx) -> datetime:
    return await tx.now()


async def claim(engine: Engine, limit: int = 10) -> list[Assignment]:
    """Prepare and enqueue the day, then claim what is ready."""
    day = await today(engine.db)
    await prepare_day(engine, day)
    await enqueue_day(engine, day)
    return await claim_ready_cycles(engine, day, limit, {}, lambda: str(uuid4()))


async def work(engine: Engine) -> list[Assignment]:
    """Claim what is ready and work one slice of each; returns what was worked on."""
    claimed = await claim(engine)
    for assignment in claimed:
        await work_slice(engine, assignment)
    return claimed


def stopped_by(engine: Engine, due: Callable[[], bool]) -> Callable[[object], Awaitable[None]]:
    """A hook of `Board`: the engine is told to stop while the site is being asked, once that is `due`."""

    async def stop(_asked: object) -> None:
        if due():
            engine.stopping.set()

    return stop


async def collect_day(engine: Engine) -> None:
    """Work today's cycles, slice after slice, until none is ready."""
    while await work(engine):
        pass


def page_of(engine: Engine, assignment: Assignment, *ids: str, next_cursor: str | None = None) -> PageToCommit:
    """A page read for a claim that shows these ids, ready to be committed; the last one of its list by default."""
    listed = tuple(
        RawJobPosting(
            source_job_id=key,
            title=f"백엔드 {key}",
            posting_url=f"https://example.com/{key}",
            deadline_at=None,
            signature=None,
        )
        for key in ids
    )
    return PageToCommit(
        source=assignment.source,
        capabilities=adapter_of(assignment.source.platform).capabilities,
        cursor=None,
        read=PageRead(
            list_page=ListPage(postings=listed, next_cursor=next_cursor),
            observed=tuple(Observed(raw=raw) for raw in listed),
        ),
        slice_use=SliceUse(pages=1, postings=len(ids), time_is_up=False, stopping=False),
        budgets=engine.budgets,
        incremental=False,
        lease=engine.settings.lease,
    )


def tuned(engine: Engine, **settings: Any) -> Engine:
    """The same engine with other limits. Those of the executor stay as they were."""
    return replace(engine, settings=engine.settings.model_copy(update=settings))


async def write(db: Database, statement: Executable) -> int:
    """Run one statement in a transaction of its own; returns how many rows it matched."""
    return await transaction(db, _write, statement)


async def _write(tx: Tx, statement: Executable) -> int:
    return (await tx.execute(statement)).rowcount


async def rows(db: Database, table: Table, *order: Any) -> list[dict[str, Any]]:
    """Every row of a table, by id unless another order is given."""
    return await reading(db, _rows, table, order or (table.c.id,))


async def _rows(tx: Tx, table: Table, order: Any) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await tx.execute(select(table).order_by(*order))]


async def row(db: Database, table: Table) -> dict[str, Any]:
    """The only row of a table."""
    found = await rows(db, table)
    assert len(found) == 1, found
    return found[0]


async def newest(db: Database, table: Table) -> dict[str, Any]:
    """The row of a table that was inserted last."""
    return (await rows(db, table))[-1]


async def keyed(db: Database, table: Table, column: str) -> dict[Any, dict[str, Any]]:
    """The rows of a table by the value of a column."""
    return {each[column]: each for each in await rows(db, table)}
