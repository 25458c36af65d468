"""Q1 to Q10 of seed 000: each statement of the product uses the index made for it, and none sorts the table.

The statements are those that the store functions send, with their values; the tables hold a realistic number of rows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Table, event, insert, text
from sqlalchemy.ext.asyncio import AsyncConnection

from daemon.collection.model import CaptureStatus, Claim, Counters, CycleStatus
from daemon.collection.store import cycles as cycle_store
from daemon.collection.store import hosts as host_store
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
from daemon.db import Database, Tx
from daemon.operations import store as operations
from daemon.posting import store as postings
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform, SourceType

DAYS = 150
SOURCES = range(1, 31)
TODAY = date(2026, 12, 1)
NOW = datetime.fromisoformat("2026-12-01T00:00:00+00:00")
HOUR = timedelta(hours=1)
FIRST_RUNNING = DAYS * len(SOURCES) + 1
"""Id of the first of today's cycles; the ten first of them are running, the others pending."""

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
    cycle_id=FIRST_RUNNING,
    job_source_id=1,
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
    sorts_few: bool = False
    """The order is by id, over no more rows than there are sources."""


CASES = [
    Case("Q1 claim", lambda tx: cycle_store.lock_ready(tx, TODAY, SOURCES, NOW), cycles, (READY,)),
    Case("Q1 enqueue", lambda tx: cycle_store.enqueue(tx, TODAY, SOURCES, NOW), cycles, (READY,)),
    Case("Q1 anything to enqueue", lambda tx: cycle_store.has_not_started(tx, TODAY), cycles, (READY,)),
    Case("Q2 expired", lambda tx: cycle_store.expired_ids(tx, NOW, 100), cycles, (EXPIRED,)),
    Case("Q2 end expired", lambda tx: cycle_store.lock_expired(tx, CLAIM.cycle_id), cycles, ("PRIMARY",)),
    Case("Q3 one cycle", lambda tx: cycle_store.load_cycle(tx, 7, TODAY), cycles, (SOURCE_DATE,)),
    Case("Q3 a day's sources", lambda tx: cycle_store.sources_with_cycle(tx, TODAY, SOURCES), cycles, (SOURCE_DATE,)),
    Case("Q3 a day's cycles", lambda tx: cycle_store.lock_of_day(tx, TODAY, SOURCES), cycles, (SOURCE_DATE,), True),
    Case("fence", lambda tx: cycle_store.lock_held(tx, CLAIM), cycles, ("PRIMARY",)),
    Case("fenced write", lambda tx: cycle_store.save_held(tx, CLAIM, NOW, {"lease_until": NOW}), cycles, ("PRIMARY",)),
    Case(
        "Q4 a source's cycles",
        lambda tx: operations.load_cycles(tx, {7: JOB_SOURCES[7]}, None, None, 0, 20),
        cycles,
        (SOURCE_DATE,),
    ),
    Case("Q5 among", lambda tx: seen_store.among(tx, CLAIM.cycle_id, KEYS), seen, (SEEN,)),
    Case("Q5 final read", lambda tx: seen_store.load_seen(tx, CLAIM.cycle_id), seen, (SEEN,)),
    Case("Q5 count", lambda tx: seen_store.count_seen(tx, CLAIM.cycle_id), seen, (SEEN,)),
    Case("Q5 delete", lambda tx: seen_store.delete_seen(tx, CLAIM.cycle_id), seen, (SEEN,)),
    Case("Q6 lock", lambda tx: host_store.lock_host(tx, "host-7"), hosts, (HOST,)),
    Case("Q6 reserve", lambda tx: host_store.save_next_allowed(tx, "host-7", NOW, NOW), hosts, (HOST,)),
    Case(
        "Q7 a day's runs", lambda tx: run_store.sources_with_run(tx, TODAY, SOURCES), runs, (RUN_SOURCE_DATE, RUN_DATE)
    ),
    Case(
        "Q7 history",
        lambda tx: operations.load_runs(tx, {7: JOB_SOURCES[7]}, TODAY - timedelta(days=30)),
        runs,
        (RUN_SOURCE_DATE, RUN_DATE),
    ),
    Case("Q8 cleanup", lambda tx: seen_store.delete_orphans(tx, NOW - 48 * HOUR, 1000), seen, (SEEN_AGE, "PRIMARY")),
    Case("Q8 parents", lambda tx: seen_store.delete_orphans(tx, NOW - 48 * HOUR, 1000), cycles, ("PRIMARY",)),
    Case("Q8 metric", lambda tx: operations.count_old_seen(tx, NOW), seen, (SEEN_AGE,)),
    Case("Q8 metric's parents", lambda tx: operations.count_old_seen(tx, NOW), cycles, ("PRIMARY",)),
    Case("Q9 gate", lambda tx: snapshot_store.pass_gate(tx, TODAY - timedelta(days=9)), headers, (DATE,)),
    Case("Q9 capture", lambda tx: snapshot_store.lock_header(tx, TODAY), headers, (DATE,)),
    Case("Q9 look", lambda tx: snapshot_store.load_header(tx, TODAY), headers, (DATE,)),
    Case(
        "Q10 items", lambda tx: operations.load_sla(tx, TODAY - timedelta(days=9), JOB_SOURCES), items, (ITEM_SOURCE,)
    ),
    Case(
        "a page's postings",
        lambda tx: postings.load_known(tx, 7, KEYS, lock=True),
        job_postings,
        ("uk_job_postings_source_job",),
    ),
    Case("final delta", lambda tx: postings.load_open(tx, 7), job_postings, ("idx_job_postings_source_status",)),
    Case(
        "deadline sweep",
        lambda tx: postings.close_passed(tx, NOW, 500),
        job_postings,
        ("idx_job_postings_status_deadline", "PRIMARY"),
    ),
    Case("seen again", lambda tx: postings.mark_found(tx, range(1, 101), NOW), job_postings, ("PRIMARY",)),
]


async def test_every_query_of_the_seed_uses_its_index_and_sorts_no_table(server_db: Database) -> None:
    """DB-01: cycle ready/lease-expiry, seen, host, SLA item 인덱스가 설계의 대상 쿼리를 사용 가능하게 만든다."""
    async with server_db.engine.connect() as connection:
        await _fill(connection)
        wrong = {}
        for case in CASES:
            plans = await _plans(connection, server_db, case)
            assert plans, f"{case.name}: no statement about {case.table.name}"
            used = [plan for plan in plans if not _served(plan, case)]
            if used:
                wrong[case.name] = [(plan["key"], plan["rows"], plan["Extra"]) for plan in used]
    assert wrong == {}


def _served(plan: dict[str, Any], case: Case) -> bool:
    extra = plan["Extra"] or ""
    return plan["key"] in case.keys and (
        "filesort" not in extra or (case.sorts_few and int(plan["rows"]) <= len(SOURCES))
    )


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


async def _fill(connection: AsyncConnection) -> None:
    """Five months of 30 sources, one of them large; today ten cycles run, ten are ready, ten wait."""
    days = [TODAY - timedelta(days=number) for number in range(DAYS, -1, -1)]
    for table, rows in (
        (cycles, [_cycle(day, source) for day in days for source in SOURCES]),
        (runs, [_run(day, source) for day in days[:-1] for source in SOURCES]),
        (headers, [_header(day) for day in days]),
        (items, [_item(number, source) for number in range(1, DAYS + 1) for source in SOURCES]),
        (seen, _seen()),
        (hosts, [{"host": f"host-{number}", "next_allowed_at": NOW, **_stamps()} for number in range(50)]),
        (
            job_postings,
            [_posting(source, number) for source in SOURCES for number in range(3000 if source == 7 else 100)],
        ),
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


def _cycle(day: date, source: int) -> dict[str, Any]:
    status, lease = CycleStatus.SUCCESS if source % 10 else CycleStatus.FAILED, None
    if day == TODAY:
        status = (CycleStatus.RUNNING, CycleStatus.PENDING, CycleStatus.NOT_STARTED)[(source - 1) // 10]
        lease = NOW + HOUR if status is CycleStatus.RUNNING else None
    return {
        "job_source_id": source,
        "run_date": day,
        "source_type": SourceType.COMPANY_BOUND,
        "cycle_status": status,
        "lease_token": "token" if lease else None,
        "lease_until": lease,
        "next_eligible_at": NOW - HOUR,
        "started_at": NOW,
        "finished_at": NOW if day < TODAY else None,
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


def _seen() -> list[dict[str, Any]]:
    old = [(number % 60 + 1, number, NOW - timedelta(days=5)) for number in range(300)]
    fresh = [(FIRST_RUNNING + number % 10, number, NOW) for number in range(6000)]
    return [
        {"job_posting_collection_cycle_id": cycle_id, "source_job_id": f"P{number}", "created_at": at}
        for cycle_id, number, at in [*old, *fresh]
    ]


def _size(source: int) -> int:
    return 3000 if source == 7 else 100


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
