"""How long pages take with 100,000 postings, on SQLite: p50 and p95 of the server's answer, and its size."""

from __future__ import annotations

import asyncio
import tempfile
import time
from datetime import datetime, timedelta
from typing import Any

from aiohttp.test_utils import TestClient, TestServer
from sqlalchemy import insert

from daemon import schema
from daemon.clock import KST, ManualClock
from daemon.collection.engine import Engine
from daemon.company.actions import register_aggregator_source
from daemon.company.tables import companies
from daemon.db import Database, Tx, open_database, transaction
from daemon.matching.tables import job_posting_match_results
from daemon.posting.tables import job_postings
from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import Platform
from daemon.web import make_app
from tests.bench.report import Goal, Row

POSTINGS = 100_000
COMPANIES = 5_000
LOT = 5_000
TIMES = 40
GOAL_MS = 50.0
GOAL_BYTES = 100_000

PATHS = (
    "/",
    "/postings",
    "/postings?matched=1&status=OPEN",
    "/postings/11",
    "/companies",
    "/companies/1",
    "/applications",
    "/criteria",
    "/operations",
)


async def main() -> list[Row]:
    """Measure each page."""
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(f"sqlite:///{folder}/gonggo.db", ManualClock(datetime(2026, 12, 1, 10, tzinfo=KST)))
        await schema.migrate(db)
        await register_aggregator_source(db, Platform.SARAMIN, "84")
        for first in range(0, POSTINGS, LOT):
            await transaction(db, _fill, first, db.clock.now())
        try:
            return await _measure(db)
        finally:
            await db.close()


async def _fill(tx: Tx, first: int, now: datetime) -> None:
    stamps = {"created_at": now, "updated_at": now}
    if first == 0:
        rows = [_company(number) | stamps for number in range(1, COMPANIES + 1)]
        await tx.execute(insert(companies), rows)
    numbers = range(first, first + LOT)
    await tx.execute(insert(job_postings), [_posting(number, now) | stamps for number in numbers])
    await tx.execute(insert(job_posting_match_results), [_result(number, now) | stamps for number in numbers])


def _company(number: int) -> dict[str, Any]:
    return {
        "name": f"회사 {number}",
        "name_key": f"회사{number}",
        "registration_type": "MANUAL_ONLY",
        "company_origin": "WATCHED" if number <= 30 else "DISCOVERED",
    }


def _posting(number: int, now: datetime) -> dict[str, Any]:
    return {
        "id": number + 1,
        "company_id": number % COMPANIES + 1,
        "job_source_id": 1,
        "source_job_id": str(number),
        "posting_origin": "COLLECTED",
        "title": f"{'기획' if number % 10 else '백엔드'} 개발자 {number}",
        "posting_url": f"https://example.com/{number}",
        "posting_status": "OPEN" if number % 4 else "CLOSED",
        "deadline_at": now + timedelta(days=number * 7 % 70 - 9) if number % 3 else None,
        "first_seen_at": now - timedelta(minutes=number),
        "last_seen_at": now,
    }


def _result(number: int, now: datetime) -> dict[str, Any]:
    """One posting in ten matches."""
    matched = int(number % 10 == 0)
    verdict = {"matched": matched, "notifiable": matched, "top_confidence": "UNKNOWN"}
    basis = {"criteria_revision": 0, "posting_version": 0, "work_arrangement_sort_rank": 99, "evaluated_at": now}
    return {"job_posting_id": number + 1, **verdict, **basis}


async def _measure(db: Database) -> list[Row]:
    settings = Settings(database_url="sqlite://")
    executor = Executor(settings)
    engine = Engine(db=db, executor=executor, settings=settings, wake=asyncio.Event())
    client = TestClient(TestServer(make_app(engine)))
    await client.start_server()
    try:
        return [await _row(client, path) for path in PATHS]
    finally:
        await client.close()
        await executor.close()


async def _row(client: TestClient[Any, Any], path: str) -> Row:
    taken, size = await _times(client, path)
    p95 = taken[int(len(taken) * 0.95) - 1]
    return Row(
        bench="page",
        what=f"{path} with {POSTINGS:,} postings, p95 of {TIMES}",
        ours=f"{p95:.1f} ms (p50 {taken[len(taken) // 2]:.1f}), {size:,} bytes",
        beside=f"goal {GOAL_MS:.0f} ms, {GOAL_BYTES:,} bytes",
        ratio=p95 / GOAL_MS,
        goal=Goal(at_most=1),
        holds=size <= GOAL_BYTES,
    )


async def _times(client: TestClient[Any, Any], path: str) -> tuple[list[float], int]:
    """Milliseconds of each answer, sorted, and the bytes of one, not compressed."""
    taken = []
    size = 0
    for _ in range(TIMES):
        began = time.perf_counter()
        async with client.get(path, headers={"Accept": "text/html"}) as answer:
            size = len(await answer.read())
        taken.append((time.perf_counter() - began) * 1000)
    return sorted(taken), size
