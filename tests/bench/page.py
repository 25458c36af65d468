"""How long pages take with 100,000 postings while a collection runs: p95 over HTTP, on SQLite and on a MySQL server.

Goal: "server time p95 <= 50 ms with 100,000 postings while a collection runs", "every page <= 100 kB". A real daemon
collects the replica of the sites at their own pace (a request a second and host) and serves the page from the same
process; this process asks, one request after the other, each address once a round.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
from rich.console import Console
from sqlalchemy import insert, text

from daemon import schema
from daemon.clock import SystemClock, business_date, kst
from daemon.collection.tables import job_posting_collection_cycles, job_posting_collection_runs
from daemon.company.tables import companies, job_sources
from daemon.db import Database, Tx, open_database, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.matching.actions.criteria import add_keyword_group
from daemon.matching.tables import job_posting_match_results, job_posting_matched_keyword_groups
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import Stage, follow
from tests.bench.report import Goal, Row, show
from tests.bench.sites import Sites, served
from tests.databases import execute
from tests.servers import RunFolder, ServerMissing, admin

POSTINGS = 100_000
COMPANIES = 5_000
FOLLOWED = 13
"""Sources of the replica; what it collects is as much as a person follows."""

OLD_SOURCES = 21
"""Boards and searches no longer followed: the 100,000 postings are theirs, and their history is still shown."""

LOT = 5_000
ROUNDS = 25
FEW = 5
"""Looks at all titles; the first one, which reads them, is told beside the others."""

GOAL_MS = 50.0
GOAL_BYTES = 100_000

PATHS = (
    "/",
    "/postings",
    "/postings?matched=1&status=OPEN",
    "/postings?sort=WORK_ARRANGEMENT",
    "/postings?status=OPEN&sort=DEADLINE&within=month",
    "/postings?q=백엔드",
    "/postings?q=99998",
    "/postings?watched=1&place=aggregator&page=5",
    "/postings/11",
    "/companies",
    "/companies/1",
    "/applications",
    "/criteria",
    "/operations",
    "/api/job-postings?sort=WORK_ARRANGEMENT",
    "/api/operations/collection-runs",
    "/api/operations/source-health",
)
LOOKS = ("/criteria?synonyms=서버",)


async def main() -> list[Row]:
    """Measure on SQLite, then on a genuine MySQL or else on MariaDB."""
    folder = Path(tempfile.mkdtemp(prefix="gonggo-bench-"))
    run = RunFolder.create()
    try:
        async with served(folder) as sites:
            rows = await _measured("sqlite", f"sqlite:///{folder}/gonggo.db", folder, sites)
            for kind in ("mysql", "mariadb"):
                try:
                    server = run.server(kind)
                except ServerMissing as error:
                    print(f"page: not measured on {kind}, {error}", file=sys.stderr)
                    continue
                with admin(server) as cursor:
                    cursor.execute("CREATE DATABASE bench_page")
                return [*rows, *await _measured(kind, f"{server}/bench_page", folder, sites)]
            return rows
    finally:
        run.remove()
        shutil.rmtree(folder)


async def _measured(kind: str, url: str, folder: Path, sites: Sites) -> list[Row]:
    db = open_database(url, SystemClock())
    daemons = Daemons(folder)
    try:
        await _fill(db, sites)
        stage = Stage(folder=folder, db=db, clock_file=folder / "unused", origins=sites.origins)
        daemon = await daemons.start(kind, stage.told(request_delay_seconds=1, daily_details=300, clock=""))
        await daemon.logged("postings.evaluated")
        async with _ask(daemon) as client:
            taken, sizes = await _times(client)
            status, running = await _running(client)
        assert status == 200
        rows = [_row(kind, path, taken[path], sizes[path], collecting=running > 0) for path in taken]
        show(rows, Console(stderr=True, width=150))
        return rows
    finally:
        await daemons.end_all()
        await db.close()


@asynccontextmanager
async def _ask(daemon: Daemon) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(daemon.address, headers={"Accept": "text/html, */*"}) as client:
        yield client


async def _running(client: aiohttp.ClientSession) -> tuple[int, int]:
    async with client.get("/api/operations/cycles?cycleStatus=RUNNING") as answer:
        return answer.status, json.loads(await answer.read())["totalCount"]


async def _times(client: aiohttp.ClientSession) -> tuple[dict[str, list[float]], dict[str, int]]:
    """By path, the milliseconds of each answer, and the bytes of one, not compressed."""
    taken: dict[str, list[float]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for path in [*(path for _ in range(ROUNDS + 1) for path in PATHS), *(path for path in LOOKS for _ in range(FEW))]:
        began = time.perf_counter()
        async with client.get(path) as answer:
            sizes[path] = len(await answer.read())
        assert answer.status == 200, f"{path}: {answer.status}"
        taken[path].append((time.perf_counter() - began) * 1000)
    for path in LOOKS:
        print(f"page: the first look, {path}, took {taken[path][0]:.0f} ms", file=sys.stderr)
    # The first ones compile templates and statements, or read all titles.
    return {path: of_path[1:] for path, of_path in taken.items()}, sizes


def _row(kind: str, path: str, taken: list[float], size: int, *, collecting: bool) -> Row:
    ordered = sorted(taken)
    p95 = ordered[round(len(ordered) * 0.95) - 1]
    page = not path.startswith("/api/")
    return Row(
        bench="page",
        what=f"{kind}: {path}, {POSTINGS:,} postings, p95 of {len(ordered)}",
        ours=f"{p95:.1f} ms (p50 {ordered[len(ordered) // 2]:.1f}), {size:,} bytes",
        beside=f"goal {GOAL_MS:.0f} ms" + (f", {GOAL_BYTES:,} bytes" if page else ""),
        ratio=p95 / GOAL_MS,
        goal=Goal(at_most=1),
        holds=collecting and (size <= GOAL_BYTES or not page),
    )


# --- what is stored ---------------------------------------------------------------------------------------------------


async def _fill(db: Database, sites: Sites) -> None:
    await schema.migrate(db)
    for key in FlagKey:
        if key is not FlagKey.DISCORD_DISPATCH:
            await switch_flag(db, key, True)
    assert len([await follow(db, source) for source in sites.sources]) == FOLLOWED
    await add_keyword_group(db, "백엔드", ["백엔드"])
    await transaction(db, _fill_companies, db.clock.now())
    for first in range(0, POSTINGS, LOT):
        await transaction(db, _fill_lot, first, db.clock.now())
    if db.shared:
        for table in (job_postings, job_posting_match_results):
            await execute(db, text(f"ANALYZE TABLE {table.name}"))


async def _fill_companies(tx: Tx, now: datetime) -> None:
    stamps = {"created_at": now, "updated_at": now}
    await tx.execute(insert(companies), [_company(number) | stamps for number in range(1, COMPANIES + 1)])
    await tx.execute(insert(job_sources), [_old_source(number) | stamps for number in range(1, OLD_SOURCES + 1)])
    ids = range(1, FOLLOWED + OLD_SOURCES + 1)
    yesterday = business_date(now) - timedelta(days=1)
    days = [(source_id, yesterday - timedelta(days=back)) for back in range(90) for source_id in ids]
    await tx.execute(insert(job_posting_collection_cycles), [_cycle(*each) for each in days])
    await tx.execute(insert(job_posting_collection_runs), [_run(*each) for each in days])


def _company(number: int) -> dict[str, Any]:
    return {
        "id": 100 + number,
        "name": f"주식회사 {number}",
        "name_key": f"주식회사{number}",
        "registration_type": "MANUAL_ONLY",
        "company_origin": "WATCHED" if number <= 30 else "DISCOVERED",
    }


def _old_source(number: int) -> dict[str, Any]:
    if number % 2:
        place = {"company_id": 100 + number, "source_slug": f"board{number}", "search_category_code": None}
        kind = {"platform": Platform.GREENHOUSE.value, "source_type": "COMPANY_BOUND", "search_keyword": None}
    else:
        place = {"company_id": None, "source_slug": None, "search_category_code": f"old{number}"}
        kind = {"platform": Platform.SARAMIN.value, "source_type": "AGGREGATOR", "search_keyword": ""}
    return {"id": FOLLOWED + number, "disabled_at": kst(date(2026, 1, 1), 0), **place, **kind}


def _cycle(source_id: int, day: date) -> dict[str, Any]:
    begun, over = kst(day, 0), kst(day, 0, 5)
    counts = {"list_page_count": 5, "fetched_count": 200, "new_count": 9, "is_complete": 1}
    times = {"started_at": begun, "finished_at": over, "created_at": begun, "updated_at": over}
    kept = {"job_source_id": source_id, "run_date": day, "source_type": "COMPANY_BOUND", "next_eligible_at": begun}
    return {**kept, "cycle_status": "SUCCESS", **counts, **times}


def _run(source_id: int, day: date) -> dict[str, Any]:
    begun, over = kst(day, 0), kst(day, 0, 5)
    times = {"started_at": begun, "finished_at": over, "created_at": over}
    return {"job_source_id": source_id, "run_date": day, "run_status": "SUCCESS", "fetched_count": 200, **times}


async def _fill_lot(tx: Tx, first: int, now: datetime) -> None:
    numbers = range(first, first + LOT)
    await tx.execute(insert(job_postings), [_posting(number, now) for number in numbers])
    await tx.execute(insert(job_posting_match_results), [_result(number, now) for number in numbers])
    matched = [
        {"job_posting_match_result_id": number + 1, "job_keyword_group_id": 1, "matched_synonym": "백엔드"}
        for number in numbers
        if number % 10 == 0
    ]
    await tx.execute(insert(job_posting_matched_keyword_groups), [each | {"created_at": now} for each in matched])


def _posting(number: int, now: datetime) -> dict[str, Any]:
    """Three of four are open."""
    found = now - timedelta(minutes=POSTINGS - number)
    return {
        "id": number + 1,
        "company_id": 101 + number % COMPANIES,
        "job_source_id": FOLLOWED + number % OLD_SOURCES + 1,
        "source_job_id": f"bench-{number}",
        "posting_origin": "COLLECTED",
        "dedup_pending": 0,
        "title": f"{'서버 기획' if number % 10 else '백엔드'} 개발자 및 소프트웨어 엔지니어 {number}",
        "posting_url": f"https://example.com/{number}",
        "posting_status": "OPEN" if number % 4 else "CLOSED",
        "deadline_at": now + timedelta(days=number // 10 % 70 + 1) if number % 3 else None,
        "first_seen_at": found,
        "last_seen_at": now,
        "created_at": found,
        "updated_at": found,
    }


def _result(number: int, now: datetime) -> dict[str, Any]:
    """One posting in ten matches."""
    matched = int(number % 10 == 0)
    verdict = {"id": number + 1, "matched": matched, "notifiable": matched, "top_confidence": "UNKNOWN"}
    basis = {"criteria_revision": 1, "posting_version": 0, "evaluated_at": now}
    stamps = {"created_at": now, "updated_at": now}
    rank = 99 if number % 50 > 1 else number % 50 + 1
    return {"job_posting_id": number + 1, "work_arrangement_sort_rank": rank, **verdict, **basis, **stamps}
