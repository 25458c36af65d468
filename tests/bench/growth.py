"""What a small database and one of ten years take for the same work: a ratio of 1 says that history costs nothing.

Goal: "10 years of cycles and 1,000,000 postings: claim, page commit, final delta, 08:30 dedup, posting list, runs API,
each as a ratio to the small database", at most 1.3, the 95th percentile of lists and API too. The small database is
older than every look-back (source health's is the longest, 90 days): history is compared, not a window's length. Both
are on one server with room for its data, filled alike (`history`), and asked in turns; a figure is the median of five
rounds.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

from aiohttp.test_utils import TestClient, TestServer
from sqlalchemy import delete, select, update

from daemon.clock import ManualClock, SystemClock, business_date, kst
from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.commit_page import PageToCommit, commit_page
from daemon.collection.actions.read_page import PageRead
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.db import Database, open_database, transaction
from daemon.matching.actions.criteria import current_criteria
from daemon.matching.actions.evaluation import evaluate_pending
from daemon.matching.actions.preview import KnownTitles, preview_draft
from daemon.matching.model import CriteriaDraft
from daemon.posting.actions import deduplicate
from daemon.posting.model import DetailState, Missed, Observed
from daemon.posting.record import record_missed
from daemon.posting.tables import job_postings
from daemon.sources.model import ChangeSignalKind, ChangeSignature, ListPage, RawJobPosting
from daemon.web import make_app
from tests.bench.history import PER_DAY, History, write_history
from tests.bench.report import Goal, Row
from tests.databases import execute
from tests.engines import claim, engine_on, page_of
from tests.servers import RunFolder, ServerMissing, admin

SMALL_DAYS = 100
LARGE_DAYS = int(os.environ.get("GONGGO_BENCH_GROWTH_DAYS", "3650"))
ROUNDS = 5
REQUESTS = 20
"""Of each list and round."""

GOAL = Goal(at_most=1.3)
_BUFFER_BYTES = 2 * 1024**3

LISTS = {
    "postings": "/api/job-postings",
    "open postings": "/api/job-postings?postingStatus=OPEN",
    "open and matched": "/api/job-postings?postingStatus=OPEN&matched=true",
    "matched": "/api/job-postings?matched=true",
    "by work arrangement": "/api/job-postings?sort=WORK_ARRANGEMENT",
    "by deadline": "/api/job-postings?sort=DEADLINE",
    "open by deadline": "/api/job-postings?postingStatus=OPEN&sort=DEADLINE",
    "the tenth page": "/api/job-postings?page=9",
    "of a company": "/api/companies/1/job-postings",
    "runs of 30 days": "/api/operations/collection-runs?days=30",
    "source health": "/api/operations/source-health",
    "feed": "/api/feed.atom",
    "first page": "/",
    "page of postings": "/postings",
    "page of operations": "/operations",
}


@dataclass(kw_only=True)
class World:
    """One of the two databases, and what asks it."""

    history: History
    engine: Engine
    client: TestClient[Any, Any]
    held: Assignment
    """A claimed cycle."""
    pages: int = field(default=0)

    @property
    def db(self) -> Database:
        return self.engine.db


async def main() -> list[Row]:
    """Measure on a genuine MySQL, else on MariaDB."""
    run = RunFolder.create()
    try:
        for kind in ("mysql", "mariadb"):
            try:
                server = run.server(kind)
            except ServerMissing as error:
                print(f"growth: not measured on {kind}, {error}", file=sys.stderr)
                continue
            with admin(server) as cursor:
                cursor.execute(f"SET GLOBAL innodb_buffer_pool_size = {_BUFFER_BYTES}")
                cursor.execute("CREATE DATABASE small")
                cursor.execute("CREATE DATABASE large")
            return await _compare(kind, server)
        return []
    finally:
        run.remove()


async def _compare(kind: str, server: str) -> list[Row]:
    # The morning after: the day can be prepared, and its cutoff has not come.
    clock = ManualClock(kst(business_date(SystemClock().now()) + timedelta(days=1), 8))
    small, large = (open_database(f"{server}/{name}", clock) for name in ("small", "large"))
    try:
        began = time.monotonic()
        short, long = await write_history(small, SMALL_DAYS), await write_history(large, LARGE_DAYS)
        print(f"growth: filled in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        async with engine_on(small, {}) as here, engine_on(large, {}) as there:
            worlds = [await _world(short, here), await _world(long, there)]
            try:
                return await _rows(kind, worlds[0], worlds[1])
            finally:
                for world in worlds:
                    await world.client.close()
    finally:
        await small.close()
        await large.close()


async def _world(history: History, engine: Engine) -> World:
    client = TestClient(TestServer(make_app(engine)))
    await client.start_server()
    held, *_ = await claim(engine, 1)
    return World(history=history, engine=engine, client=client, held=held)


async def _rows(kind: str, small: World, large: World) -> list[Row]:
    rows = []
    for what, work in WORK.items():
        rounds = [(await work(small), await work(large)) for _ in range(ROUNDS + 1)]
        rows.append(_row(f"{kind}: {what}", small, large, rounds))
    for what, path in LISTS.items():
        rounds = [await _p95(path, small, large) for _ in range(ROUNDS + 1)]
        rows.append(_row(f"{kind}: {what}, p95", small, large, rounds))
    return rows


def _row(what: str, small: World, large: World, rounds: Sequence[tuple[float, float]]) -> Row:
    # In the first round caches are filled.
    before, after = (statistics.median(side) for side in zip(*rounds[1:], strict=True))
    row = Row(
        bench="growth",
        what=what,
        ours=f"{after * 1000:.1f} ms with {large.history.postings:,} postings, {large.history.days:,} days",
        beside=f"{before * 1000:.1f} ms with {small.history.postings:,}, {small.history.days}",
        ratio=after / before,
        goal=GOAL,
    )
    print(f"growth: {what}: {row.beside} -> {row.ours}: {row.ratio:.2f}", file=sys.stderr, flush=True)
    return row


async def _p95(path: str, small: World, large: World) -> tuple[float, float]:
    """Of requests to one and the other in turn, so that whatever else the machine does meets both."""
    taken = [(await _asked(path, small), await _asked(path, large)) for _ in range(REQUESTS)]
    before, after = (sorted(side)[round(REQUESTS * 0.95) - 1] for side in zip(*taken, strict=True))
    return before, after


async def _asked(path: str, world: World) -> float:
    began = time.perf_counter()
    async with world.client.get(path, headers={"Accept": "text/html, */*"}) as answer:
        await answer.read()
        assert answer.status == 200, f"{path}: {answer.status}"
    return time.perf_counter() - began


async def _claim(world: World) -> float:
    """Nine of the day's ready cycles, one of each host; what was claimed is given back afterwards."""
    day = world.held.claim.run_date
    taken = 0.0
    for _ in range(10):
        began = time.perf_counter()
        claimed = await claim_ready_cycles(world.engine, day, 9, {}, lambda: str(uuid4()))
        taken += time.perf_counter() - began
        assert len(claimed) >= 7
        ids = [each.claim.cycle_id for each in claimed]
        free = update(cycles).where(cycles.c.id.in_(ids)).values(cycle_status="PENDING", lease_token=None)
        await execute(world.db, free.values(lease_until=None, attempt_count=0))
    return taken / 10


async def _commit(world: World) -> float:
    """Ten pages of fifty postings, half of which are new."""
    await execute(world.db, delete(seen))
    known = await execute(
        world.db,
        select(job_postings.c.source_job_id, job_postings.c.title, job_postings.c.posting_url)
        .where(job_postings.c.job_source_id == world.held.source.id, job_postings.c.posting_status == "OPEN")
        .order_by(job_postings.c.id.desc())
        .limit(250),
    )
    taken = 0.0
    for start in range(0, 250, 25):
        world.pages += 1
        new = [_new(f"N{world.pages}-{number}") for number in range(25)]
        old = [
            replace(_new(row.source_job_id), title=row.title, posting_url=row.posting_url)
            for row in known[start : start + 25]
        ]
        page = _page(world, (*old, *new))
        began = time.perf_counter()
        committed = await commit_page(world.engine, world.held.claim, page)
        taken += time.perf_counter() - began
        assert committed.counters.list_pages == world.pages
    # What a page brings is gone again before the next round: both databases stay as they are.
    await execute(
        world.db,
        delete(job_postings).where(
            job_postings.c.source_job_id.like("N%-%"), job_postings.c.id > world.history.postings
        ),
    )
    return taken / 10


def _new(key: str) -> RawJobPosting:
    return RawJobPosting(
        source_job_id=key,
        title=f"백엔드 개발자 및 소프트웨어 엔지니어 모집 ({key})",
        posting_url=f"https://www.example.co.kr/careers/jobs/view?id={key}",
        deadline_at=None,
        signature=ChangeSignature(kind=ChangeSignalKind.FIELD_HASH, value=key),
        description_body="주요 업무: 서버 개발, 자격 요건: 경력 3년 이상. " * 30,
        structured_tags=("정규직", "서울"),
    )


def _page(world: World, postings: tuple[RawJobPosting, ...]) -> PageToCommit:
    base = page_of(world.engine, world.held)
    read = PageRead(
        list_page=ListPage(postings=postings, next_cursor=str(world.pages)),
        observed=tuple(Observed(raw=raw, detail=DetailState.READ) for raw in postings),
    )
    budgets = replace(base.budgets, daily_pages=10**6, daily_postings=10**9, daily_details=10**9)
    return replace(base, read=read, slice_use=replace(base.slice_use, pages=1, postings=0), budgets=budgets)


async def _delta(world: World) -> float:
    """The end of a complete list of a source that left out five of its open postings."""
    taken = 0.0
    for source_id in range(11, 21):
        ids = await execute(
            world.db,
            select(job_postings.c.source_job_id)
            .where(job_postings.c.job_source_id == source_id, job_postings.c.posting_status == "OPEN")
            .order_by(job_postings.c.id),
        )
        found = [row.source_job_id for row in ids[5:]]
        began = time.perf_counter()
        missed: Missed = await transaction(
            world.db, record_missed, source_id, found, world.db.clock.now(), auto_close=False
        )
        taken += time.perf_counter() - began
        assert missed.missed == 5
    return taken / 10


async def _dedup(world: World) -> float:
    """A night's touches: what was found on the last two days."""
    touched = update(job_postings).where(job_postings.c.id > world.history.postings - 2 * PER_DAY)
    await execute(world.db, touched.where(job_postings.c.id <= world.history.postings).values(dedup_pending=1))
    began = time.perf_counter()
    done = await deduplicate(world.db)
    taken = time.perf_counter() - began
    assert done.left == 0
    assert done.keys > PER_DAY
    return taken


async def _evaluation(world: World) -> float:
    await evaluate_pending(world.db)  # what the pages above have edited
    began = time.perf_counter()
    done = await evaluate_pending(world.db)
    assert done.evaluated_count == 0
    return time.perf_counter() - began


async def _preview(world: World) -> float:
    began = time.perf_counter()
    found = await preview_draft(
        world.db, KnownTitles(), await current_criteria(world.db), CriteriaDraft(synonyms=["데이터"])
    )
    assert found.gained_count > PER_DAY
    return time.perf_counter() - began


WORK: dict[str, Callable[[World], Awaitable[float]]] = {
    "claim": _claim,
    "page commit": _commit,
    "final delta": _delta,
    "08:30 dedup": _dedup,
    "08:50 evaluation, nothing to judge": _evaluation,
    "preview of a synonym": _preview,
}
