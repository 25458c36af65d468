"""Q1 to Q10 of seed 000: each statement of the product uses the index made for it, and none sorts the table.

The statements are those that the store functions send, with their values; the tables hold a realistic number of rows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Table, event, insert, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from daemon.collection.model import CaptureStatus, Claim, Counters, CycleStatus
from daemon.collection.store import cycles as cycle_store
from daemon.collection.store import hosts as host_store
from daemon.collection.store import ready as ready_store
from daemon.collection.store import runs as run_store
from daemon.collection.store import seen as seen_store
from daemon.collection.store import snapshots as snapshot_store
from daemon.collection.tables import external_request_host_limits as hosts
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.company.model import JobSource
from daemon.company.tables import job_sources
from daemon.db import Database, Tx
from daemon.flags.tables import feature_flags
from daemon.operations import store as operations
from daemon.posting import store as postings
from daemon.posting.tables import job_posting_source_tags as tags
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform, SourceType

DAYS = 150
SOURCES = range(1, 31)
TODAY = date(2026, 12, 1)
YESTERDAY = TODAY - timedelta(days=1)
NOW = datetime.fromisoformat("2026-12-01T00:00:00+00:00")
HOUR = timedelta(hours=1)
RUNNING = 1
"""Id of a cycle that is running; today's cycles were inserted first."""

READY = "idx_job_posting_collection_cycles_ready"
EXPIRED = "idx_job_posting_collection_cycles_expired_lease"
SOURCE_DATE = "uk_job_posting_collection_cycles_source_date"
SEEN = "uk_job_posting_collection_seen_postings_cycle_source_job"
SEEN_AGE = "idx_job_posting_collection_seen_postings_created_cycle"
HOST = "uk_external_request_host_limits_host"
RUN_SOURCE_DATE = "uk_job_posting_collection_runs_source_date"
RUN_DATE = "idx_job_posting_collection_runs_run_date"
DATE = "uk_job_posting_collection_sla_snapshots_date"
ITEM_SOURCE = "uk_job_posting_collection_sla_snapshot_sources_snapshot_source"
ITEM_STATUS = "idx_job_posting_collection_sla_snapshot_sources_snapshot_status"

CLAIM = Claim(
    cycle_id=RUNNING,
    job_source_id=7,
    run_date=TODAY,
    source_type=SourceType.COMPANY_BOUND,
    token="token",
    lease_until=NOW + HOUR,
    cursor=None,
    counters=Counters(),
)
JOB_SOURCES = {
    number: JobSource(
        id=number,
        platform=Platform.GREENHOUSE,
        source_type=SourceType.COMPANY_BOUND,
        company_id=number,
        company_name="회사",
        source_slug=str(number),
        base_url=None,
        search_category_code=None,
        search_keyword=None,
        seeded_at=None,
        disabled_at=None,
    )
    for number in SOURCES
}
KEYS = [f"P{number}" for number in range(100)]


@dataclass(frozen=True)
class Case:
    """A query of the product, the table that it is about and the indexes that serve it."""

    name: str
    query: Callable[[Tx], Awaitable[Any]]
    table: Table
    keys: tuple[str, ...]
    locks: bool = False
    """It locks rows that it reads, so that on a small table, too, it must not read those of others."""
    sorts_few: bool = False
    """The order is by id, over no more rows than one source has, or than there are sources."""


CASES = [
    Case("Q1 find", lambda tx: ready_store.find_ready(tx, TODAY, NOW, tuple(Platform), None, (), 50), cycles, (READY,)),
    Case("Q1 look", lambda tx: ready_store.load_waiting(tx, TODAY, None), cycles, (READY,), sorts_few=True),
    Case("Q1 claim", lambda tx: cycle_store.lock_ready(tx, [1, 2], NOW), cycles, ("PRIMARY",), locks=True),
    Case("Q1 enqueue", lambda tx: cycle_store.enqueue(tx, TODAY, SOURCES, NOW), cycles, (READY,), locks=True),
    Case("Q2 expired", lambda tx: cycle_store.expired_ids(tx, NOW, 100), cycles, (EXPIRED,)),
    Case("Q2 end expired", lambda tx: cycle_store.lock_expired(tx, RUNNING), cycles, ("PRIMARY",), locks=True),
    Case("Q3 a day's sources", lambda tx: cycle_store.sources_with_cycle(tx, TODAY, SOURCES), cycles, (SOURCE_DATE,)),
    Case("Q3 capture", lambda tx: cycle_store.lock_of_day(tx, TODAY, SOURCES), cycles, (SOURCE_DATE,), sorts_few=True),
    Case("fence", lambda tx: cycle_store.lock_held(tx, CLAIM), cycles, ("PRIMARY",), locks=True),
    Case(
        "fenced write",
        lambda tx: cycle_store.save_held(tx, CLAIM, NOW, {"lease_until": NOW}),
        cycles,
        ("PRIMARY",),
        locks=True,
    ),
    Case(
        "Q4 a source's cycles",
        lambda tx: operations.load_cycles(tx, {7: JOB_SOURCES[7]}, None, None, 0, 20),
        cycles,
        (SOURCE_DATE,),
    ),
    Case("Q5 among", lambda tx: seen_store.among(tx, RUNNING, KEYS), seen, (SEEN,)),
    Case("Q5 final read", lambda tx: tx.execute(seen_store.seen_ids(RUNNING)), seen, (SEEN,)),
    Case("Q5 count", lambda tx: seen_store.count_seen(tx, RUNNING), seen, (SEEN,)),
    Case("Q5 delete", lambda tx: seen_store.delete_seen(tx, RUNNING), seen, (SEEN,), locks=True),
    Case("Q6 lock", lambda tx: host_store.lock_host(tx, "host-7"), hosts, (HOST,), locks=True),
    Case("Q6 reserve", lambda tx: host_store.save_next_allowed(tx, "host-7", NOW, NOW), hosts, (HOST,), locks=True),
    Case(
        "Q7 a day's runs",
        lambda tx: run_store.sources_with_run(tx, TODAY, SOURCES),
        runs,
        (RUN_SOURCE_DATE, RUN_DATE),
    ),
    Case(
        "Q7 history",
        lambda tx: operations.load_runs(tx, {7: JOB_SOURCES[7]}, TODAY - timedelta(days=30), TODAY),
        runs,
        (RUN_SOURCE_DATE, RUN_DATE),
    ),
    Case("Q8 cleanup", lambda tx: seen_store.delete_orphans(tx, NOW - 48 * HOUR, 1000), seen, (SEEN_AGE, "PRIMARY")),
    Case("Q8 parents", lambda tx: seen_store.delete_orphans(tx, NOW - 48 * HOUR, 1000), cycles, ("PRIMARY",)),
    Case("Q8 metric", lambda tx: operations.count_old_seen(tx, NOW), seen, (SEEN_AGE,)),
    Case("Q8 metric's parents", lambda tx: operations.count_old_seen(tx, NOW), cycles, ("PRIMARY",)),
    Case("Q9 gate", lambda tx: snapshot_store.pass_gate(tx, YESTERDAY), headers, (DATE,), locks=True),
    Case("Q9 capture", lambda tx: snapshot_store.lock_header(tx, TODAY), headers, (DATE,), locks=True),
    Case("Q9 look", lambda tx: snapshot_store.load_header(tx, TODAY), headers, (DATE,)),
    Case(
        "Q10 items",
        lambda tx: operations.load_slas(tx, YESTERDAY, YESTERDAY, JOB_SOURCES),
        items,
        (ITEM_SOURCE, ITEM_STATUS),
    ),
    Case(
        "a page's postings",
        lambda tx: postings.load_known(tx, 7, KEYS, lock=True),
        job_postings,
        ("uk_job_postings_source_job",),
        locks=True,
    ),
    Case(
        "final delta",
        lambda tx: postings.load_open(tx, 7),
        job_postings,
        ("idx_job_postings_source_status",),
        locks=True,
        sorts_few=True,
    ),
    Case(
        "final delta of a cycle",
        lambda tx: postings.load_open(tx, 7, besides=seen_store.seen_ids(RUNNING)),
        job_postings,
        ("idx_job_postings_source_status",),
        locks=True,
        sorts_few=True,
    ),
    Case(
        "final delta's seen set",
        lambda tx: postings.load_open(tx, 7, besides=seen_store.seen_ids(RUNNING)),
        seen,
        (SEEN,),
    ),
    Case(
        "deadline sweep",
        lambda tx: postings.close_passed(tx, NOW, 500),
        job_postings,
        ("idx_job_postings_status_deadline", "PRIMARY"),
        locks=True,
    ),
    Case("seen again", lambda tx: postings.mark_found(tx, range(1, 101), NOW), job_postings, ("PRIMARY",)),
    Case(
        "an edit's tags",
        lambda tx: postings.replace_tags(tx, {1: [], 2: []}, NOW),
        tags,
        ("uk_job_posting_source_tags_posting_tag",),
        locks=True,
    ),
]


async def test_every_query_of_the_seed_uses_its_index_and_sorts_no_table(server_db: Database) -> None:
    """DB-01: cycle ready/lease-expiry, seen, host, SLA item 인덱스가 설계의 대상 쿼리를 사용 가능하게 만든다."""
    async with server_db.engine.connect() as connection:
        await _fill(connection, SOURCES, DAYS, 100)
        assert await _unserved(connection, server_db, CASES) == {}


@pytest.mark.parametrize("sources", [1, 2, 5])
async def test_what_locks_goes_by_its_key_on_a_small_table_too(server_db: Database, sources: int) -> None:
    """Reading a small table whole is cheap, but whoever locks what it reads makes every other source wait."""
    locking = [case for case in CASES if case.locks]
    async with server_db.engine.connect() as connection:
        await _fill(connection, range(7, 7 + sources), 1, 3)
        assert await _unserved(connection, server_db, locking) == {}


async def _unserved(connection: AsyncConnection, db: Database, cases: Sequence[Case]) -> dict[str, list[Any]]:
    """The cases that a plan does not serve as they should be: key, rows and remarks of the plan."""
    wrong: dict[str, list[Any]] = {}
    for case in cases:
        plans = await _plans(connection, db, case)
        assert plans, f"{case.name}: no statement about {case.table.name}"
        found = [(plan["key"], plan["rows"], plan["Extra"]) for plan in plans if not _served(plan, case)]
        wrong |= {case.name: found} if found else {}
    return wrong


def _served(plan: dict[str, Any], case: Case) -> bool:
    extra = plan["Extra"] or ""
    return plan["key"] in case.keys and ("filesort" not in extra or (case.sorts_few and int(plan["rows"]) <= 1000))


async def _plans(connection: AsyncConnection, db: Database, case: Case) -> list[dict[str, Any]]:
    """The lines of the plans of a case's statements that are about its table. Nothing of what it does is kept."""
    sent: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        sent.append((statement, parameters[0] if many else parameters))

    event.listen(db.engine.sync_engine, "before_cursor_execute", note)
    try:
        await case.query(Tx(connection, db.clock))
    finally:
        event.remove(db.engine.sync_engine, "before_cursor_execute", note)
    # Newer MySQL shows a tree by default; MariaDB knows no other name for the table that both can show.
    explain = "EXPLAIN" if connection.dialect.is_mariadb else "EXPLAIN FORMAT=TRADITIONAL"  # type: ignore[attr-defined]  # of the MySQL dialects only
    lines: list[dict[str, Any]] = []
    for statement, parameters in sent:
        if case.table.name in statement and not statement.startswith("INSERT"):
            plan = await connection.exec_driver_sql(f"{explain} {statement}", parameters)
            lines += [dict(line) for line in plan.mappings()]
    await connection.rollback()
    return [line for line in lines if line["table"] and line["table"].startswith(case.table.name)]


# --- a realistic number of rows --------------------------------------------------------------------------------------


async def _fill(connection: AsyncConnection, sources: Sequence[int], days: int, per_source: int) -> None:
    """Days of so many sources; of today's cycles a third runs, a third is ready, a third waits."""
    before = [TODAY - timedelta(days=number) for number in range(1, days + 1)]
    today = [_cycle(TODAY, source, number * 3 // len(sources)) for number, source in enumerate(sources)]
    listed = [(source, number) for source in sources for number in range(per_source * (30 if source == 7 else 1))]
    await connection.execute(update(feature_flags).values(enabled=1))
    for table, rows in (
        (job_sources, [_source(source) for source in sources]),
        (cycles, [*today, *(_cycle(day, source, None) for day in before for source in sources)]),
        (runs, [_run(day, source) for day in before for source in sources]),
        (headers, [_header(day) for day in (TODAY, *before)]),
        (items, [_item(number, source) for number in range(2, days + 2) for source in sources]),
        (seen, _seen(len(sources), days, per_source)),
        (hosts, [{"host": f"host-{number}", "next_allowed_at": NOW, **_stamps()} for number in range(5, days + 8)]),
        (job_postings, [_posting(source, number) for source, number in listed]),
        (tags, [_tag(posting + 1, value) for posting in range(len(listed)) for value in ("가", "나")]),
    ):
        await _insert(connection, table, rows)
        await connection.execute(text(f"ANALYZE TABLE {table.name}"))
    await connection.commit()


async def _insert(connection: AsyncConnection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    if "id" not in rows[0]:
        rows = [{"id": number, **row} for number, row in enumerate(rows, start=1)]
    await connection.execute(insert(table), rows)


def _stamps() -> dict[str, datetime]:
    return {"created_at": NOW, "updated_at": NOW}


def _source(source: int) -> dict[str, Any]:
    return {
        "id": source,
        "platform": Platform.GREENHOUSE,
        "source_type": SourceType.COMPANY_BOUND,
        "source_slug": str(source),
        **_stamps(),
    }


def _cycle(day: date, source: int, third: int | None) -> dict[str, Any]:
    if third is None:
        status = CycleStatus.SUCCESS if source % 10 else CycleStatus.FAILED
    else:
        status = (CycleStatus.RUNNING, CycleStatus.PENDING, CycleStatus.NOT_STARTED)[third]
    running = status is CycleStatus.RUNNING
    return {
        "job_source_id": source,
        "run_date": day,
        "source_type": SourceType.COMPANY_BOUND,
        "cycle_status": status,
        "lease_token": "token" if running else None,
        "lease_until": NOW + HOUR if running else None,
        "next_eligible_at": NOW - HOUR,
        "started_at": NOW,
        "finished_at": NOW if third is None else None,
        **_stamps(),
    }


def _run(day: date, source: int) -> dict[str, Any]:
    return {
        "job_source_id": source,
        "run_date": day,
        "run_status": "SUCCESS",
        "started_at": NOW,
        "finished_at": NOW,
        "created_at": NOW,
    }


def _header(day: date) -> dict[str, Any]:
    status = CaptureStatus.PENDING if day == TODAY else CaptureStatus.CAPTURED
    return {"snapshot_date": day, "scheduled_at": NOW + HOUR, "capture_status": status, **_stamps()}


def _item(header: int, source: int) -> dict[str, Any]:
    return {
        "job_posting_collection_sla_snapshot_id": header,
        "job_source_id": source,
        "source_type": SourceType.COMPANY_BOUND,
        "captured_cycle_status": CycleStatus.SUCCESS if source % 4 else CycleStatus.RUNNING,
        "captured_fetched_count": 1,
        "captured_is_complete": 1,
        "captured_abnormal": 0,
        "captured_close_guarded": 0,
        "created_at": NOW,
    }


def _seen(sources: int, days: int, per_source: int) -> list[dict[str, Any]]:
    """What today's running cycles have seen, and what a few of yesterday's left over."""
    running = max(1, sources // 3)
    fresh = [(number % running + 1, number, NOW) for number in range(per_source * 60)]
    old = [(sources + number % sources + 1, number, NOW - timedelta(days=5)) for number in range(days * 2)]
    return [
        {"job_posting_collection_cycle_id": cycle_id, "source_job_id": f"P{number}", "created_at": at}
        for cycle_id, number, at in [*old, *fresh]
    ]


def _tag(posting_id: int, value: str) -> dict[str, Any]:
    return {"job_posting_id": posting_id, "tag_value": value, "normalized_value": value, "created_at": NOW}


def _posting(source: int, number: int) -> dict[str, Any]:
    return {
        "company_id": source,
        "job_source_id": source,
        "source_job_id": f"P{number}",
        "posting_origin": "COLLECTED",
        "title": "백엔드 개발자",
        "posting_url": "https://example.com",
        "posting_status": "OPEN" if number % 4 == 0 else "CLOSED",
        "deadline_at": NOW + timedelta(days=number - 5),
        "first_seen_at": NOW,
        "last_seen_at": NOW,
        **_stamps(),
    }
