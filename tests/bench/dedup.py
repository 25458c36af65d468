"""The 08:30 job on a large table: 100,000 postings, 5,000 dedup keys touched since the last run.

Issue: "100,000 postings, 5,000 touched keys: under 5 s on MySQL." The touches are those of a night: postings found on
another site, closed, edited to another title, given another deadline.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, insert, select, text, update

from daemon import schema
from daemon.clock import SystemClock
from daemon.company.tables import companies, job_sources
from daemon.db import Database, open_database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.actions import deduplicate
from daemon.posting.model import Deduplicated
from daemon.posting.rules import dedup_key
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform, SourceType
from tests.bench.report import Goal, Row
from tests.databases import execute
from tests.servers import RunFolder, ServerMissing, admin

POSTINGS = 100_000
TOUCHED_KEYS = 5_000
GOAL_SECONDS = 5.0
KEYS = 60_000
"""Postings share keys: two of five have a copy."""

COMPANIES = 2_000
SOURCES = 30
DAY = timedelta(days=1)


async def main() -> list[Row]:
    """Measure on MySQL, where one can be had, and on MariaDB."""
    run = RunFolder.create()
    rows: list[Row] = []
    try:
        for kind in ("mysql", "mariadb"):
            try:
                server = run.server(kind)
            except ServerMissing as error:
                print(f"dedup: not measured on {kind}, {error}", file=sys.stderr)
                continue
            with admin(server) as cursor:
                cursor.execute("CREATE DATABASE bench_dedup")
            db = open_database(f"{server}/bench_dedup", SystemClock())
            try:
                rows.append(await _measure(kind, db))
            finally:
                await db.close()
    finally:
        run.remove()
    return rows


async def _measure(kind: str, db: Database) -> Row:
    await schema.migrate(db)
    await switch_flag(db, FlagKey.CROSS_SOURCE_DEDUP, True)
    await _fill(db)
    first, whole = await _timed(lambda: deduplicate(db))
    await _touch(db)
    keys = (await execute(db, select(func.count(job_postings.c.dedup_key.distinct())).where(_PENDING)))[0][0]
    again, seconds = await _timed(lambda: deduplicate(db))
    _, idle = await _timed(lambda: deduplicate(db))
    assert keys >= TOUCHED_KEYS
    assert again.left == 0
    return Row(
        bench="dedup",
        what=f"{kind}, {POSTINGS:,} postings ({first.duplicates:,} duplicates), {keys:,} keys touched"
        f" ({again.changed:,} changed); nothing touched {idle:.3f} s",
        ours=f"{seconds:.2f} s",
        beside=f"first run {whole:.2f} s; goal {GOAL_SECONDS:g} s",
        ratio=seconds / GOAL_SECONDS,
        goal=Goal(at_most=1),
    )


_PENDING = job_postings.c.dedup_pending == 1


async def _timed(job: Callable[[], Awaitable[Deduplicated]]) -> tuple[Deduplicated, float]:
    begun = time.monotonic()
    done = await job()
    return done, time.monotonic() - begun


async def _fill(db: Database) -> None:
    now = db.clock.now()
    stamps = {"created_at": now, "updated_at": now}
    named = [
        {
            "name": _company(number),
            "name_key": _company(number),
            "registration_type": "AUTO",
            "company_origin": "WATCHED",
            **stamps,
        }
        for number in range(1, COMPANIES + 1)
    ]
    await execute(db, insert(companies), named)
    for number in range(1, SOURCES + 1):
        direct = number <= SOURCES // 2
        kind = SourceType.COMPANY_BOUND if direct else SourceType.AGGREGATOR
        place = {"source_slug": str(number)} if direct else {"search_category_code": str(number), "search_keyword": ""}
        platform = Platform.GREENHOUSE if direct else Platform.SARAMIN
        await execute(db, insert(job_sources).values(platform=platform, source_type=kind, **place, **stamps))
    for start in range(0, POSTINGS, 5_000):
        await execute(db, insert(job_postings), [_posting(number, now) for number in range(start, start + 5_000)])
    await execute(db, text("ANALYZE TABLE job_postings"))


def _company(number: int) -> str:
    return f"회사{number}"


def _posting(number: int, now: datetime, offset: int = 0) -> dict[str, Any]:
    key = number % KEYS
    seen = now - (number % 300) * DAY
    return {
        "company_id": key % COMPANIES + 1,
        "job_source_id": (number + offset) % SOURCES + 1,
        "dedup_key": dedup_key(_company(key % COMPANIES + 1), f"소프트웨어 엔지니어, 백엔드 플랫폼 {key}"),
        "posting_origin": "COLLECTED",
        "source_job_id": f"{number}-{offset}",
        "title": f"소프트웨어 엔지니어, 백엔드 플랫폼 {key}",
        "posting_url": f"https://careers.example.com/jobs/{number}",
        "deadline_at": None if number % 3 else now + (number % 45) * DAY,
        "posting_status": "CLOSED" if number % 4 == 0 else "OPEN",
        "first_seen_at": seen,
        "last_seen_at": now,
        "created_at": seen,
        "updated_at": seen,
    }


async def _touch(db: Database) -> None:
    """A night: a fifth each of new copies, closings, reopenings, other deadlines, other titles."""
    now = db.clock.now()
    share = TOUCHED_KEYS // 5
    await execute(db, insert(job_postings), [_posting(number, now, offset=7) for number in range(share)])
    touched = {"dedup_pending": 1, "updated_at": now, "version": job_postings.c.version + 1}
    changes: list[dict[str, Any]] = [
        {"posting_status": "CLOSED"},
        {"posting_status": "OPEN"},
        {"deadline_at": now + 90 * DAY},
        {"dedup_key": func.concat(job_postings.c.dedup_key, "new")},
    ]
    for place, values in enumerate(changes, start=1):
        ids = [number + 1 for number in range(place * share, (place + 1) * share)]
        await execute(db, update(job_postings).where(job_postings.c.id.in_(ids)).values(**values, **touched))
