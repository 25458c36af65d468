"""Ticket DB-01 (seed 003): its six cases, on every engine."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from daemon import schema
from daemon.clock import kst
from daemon.collection.tables import external_request_host_limits as hosts
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.db import Database
from daemon.flags.tables import feature_flags
from daemon.schema import DowngradeRefused, downgrade, migrate
from tests.databases import execute, statements, tables_in

DB01 = (cycles, seen, hosts, headers, items)
DAY = date(2026, 12, 1)
NOW = datetime(2026, 11, 30, 15, tzinfo=UTC)


def a_cycle(**values: Any) -> dict[str, Any]:
    start = {"next_eligible_at": NOW, "started_at": NOW, "created_at": NOW, "updated_at": NOW}
    return {"job_source_id": 1, "run_date": DAY, "source_type": "AGGREGATOR", **start, **values}


def a_seen_posting(**values: Any) -> dict[str, Any]:
    return {"job_posting_collection_cycle_id": 1, "source_job_id": "J-1", "created_at": NOW, **values}


def a_host(**values: Any) -> dict[str, Any]:
    return {"host": "jobs.example", "next_allowed_at": NOW, "created_at": NOW, "updated_at": NOW, **values}


def a_header(**values: Any) -> dict[str, Any]:
    return {"snapshot_date": DAY, "scheduled_at": kst(DAY, 9), "created_at": NOW, "updated_at": NOW, **values}


def an_item(**values: Any) -> dict[str, Any]:
    captured = {"captured_cycle_status": "RUNNING", "captured_fetched_count": 7, "captured_is_complete": 0}
    flags = {"captured_abnormal": 0, "captured_close_guarded": 1}
    key = {"job_posting_collection_sla_snapshot_id": 1, "job_source_id": 1, "source_type": "AGGREGATOR"}
    return {**key, **captured, **flags, "created_at": NOW, **values}


def a_run(**values: Any) -> dict[str, Any]:
    return {"job_source_id": 1, "run_date": DAY, "started_at": NOW, "finished_at": NOW, "created_at": NOW, **values}


async def test_case_1_it_applies_after_the_baseline_and_comments_each_new_table_and_column(blank: Database) -> None:
    assert await migrate(blank, "0001") == ["0001"]
    before = await tables_in(blank)
    assert await migrate(blank, "0002") == ["0002"]
    assert await tables_in(blank) - before == {table.name for table in DB01}
    if blank.shared:  # SQLite has no comments
        comments = text(
            "SELECT table_name, table_comment FROM information_schema.tables WHERE table_schema = DATABASE() UNION ALL "
            "SELECT table_name, column_comment FROM information_schema.columns WHERE table_schema = DATABASE()"
        )
        found = [comment for name, comment in await execute(blank, comments) if name in {t.name for t in DB01}]
        assert len(found) >= len(DB01) * 5
        assert "" not in found


async def test_case_1_it_only_creates_tables_and_touches_none_that_is_there(blank: Database) -> None:
    await migrate(blank, "0001")
    with statements(blank) as executed:
        await migrate(blank, "0002")
    *ddl, version = executed
    assert version.startswith("UPDATE alembic_version")
    kinds = {" ".join(statement.split(" ")[:2]) for statement in ddl}
    inline = {"CREATE TABLE"}  # indexes too, where the server has them inline
    assert kinds == (inline if blank.shared else inline | {"CREATE INDEX"})


@pytest.mark.parametrize(
    ("table", "row"),
    [
        pytest.param(cycles, a_cycle(), id="a source has one cycle a day"),
        pytest.param(headers, a_header(), id="a day has one SLA header"),
        pytest.param(seen, a_seen_posting(), id="a cycle sees an id once"),
        pytest.param(hosts, a_host(), id="a host has one permit row"),
        pytest.param(items, an_item(), id="a snapshot has a source once"),
    ],
)
async def test_case_2_a_second_row_of_the_same_key_is_rejected(db: Database, table: Table, row: dict[str, Any]) -> None:
    await execute(db, insert(table), [row])
    with pytest.raises(IntegrityError):
        await execute(db, insert(table), [row])
    assert await execute(db, select(func.count()).select_from(table)) == [(1,)]


QUERIES = {
    "Q1 ready, not started": (
        "SELECT id FROM job_posting_collection_cycles WHERE cycle_status = 'NOT_STARTED'"
        " AND next_eligible_at <= '2026-12-01 00:00:10' ORDER BY next_eligible_at, run_date, id LIMIT 10",
        "idx_job_posting_collection_cycles_ready",
    ),
    "Q1 ready, both states": (
        "SELECT id FROM job_posting_collection_cycles WHERE cycle_status IN ('NOT_STARTED', 'PENDING')"
        " AND next_eligible_at <= '2026-11-01 00:00:10'",
        "idx_job_posting_collection_cycles_ready",
    ),
    "Q2 expired lease": (
        "SELECT id FROM job_posting_collection_cycles WHERE cycle_status = 'RUNNING'"
        " AND lease_until < '2026-12-01 00:00:00' ORDER BY lease_until, id",
        "idx_job_posting_collection_cycles_expired_lease",
    ),
    "Q3 cycle of a source and day": (
        "SELECT * FROM job_posting_collection_cycles WHERE job_source_id = 7 AND run_date = '2026-11-20'",
        "uk_job_posting_collection_cycles_source_date",
    ),
    "Q4 recent cycles of a source": (
        "SELECT * FROM job_posting_collection_cycles WHERE job_source_id = 7 AND run_date >= '2026-11-29'"
        " ORDER BY run_date",
        "uk_job_posting_collection_cycles_source_date",
    ),
    "Q5 seen ids of a cycle": (
        "SELECT source_job_id FROM job_posting_collection_seen_postings WHERE job_posting_collection_cycle_id = 3",
        "uk_job_posting_collection_seen_postings_cycle_source_job",
    ),
    "Q6 permit of a host": (
        "SELECT * FROM external_request_host_limits WHERE host = 'host7.example'",
        "uk_external_request_host_limits_host",
    ),
    "Q8 seen rows older than 48 hours": (
        "SELECT id FROM job_posting_collection_seen_postings WHERE created_at < '2026-11-02 00:00:00'"
        " ORDER BY created_at LIMIT 1000",
        "idx_job_posting_collection_seen_postings_created_cycle",
    ),
    "Q8 terminal parents": (
        "SELECT id FROM job_posting_collection_cycles WHERE cycle_status = 'FAILED'"
        " AND finished_at < '2026-11-02 00:00:00' ORDER BY finished_at, id",
        "idx_job_posting_collection_cycles_terminal_finished",
    ),
    "Q9 header of a day": (
        "SELECT * FROM job_posting_collection_sla_snapshots WHERE snapshot_date = '2026-11-20'",
        "uk_job_posting_collection_sla_snapshots_date",
    ),
    "Q10 item of a source": (
        "SELECT * FROM job_posting_collection_sla_snapshot_sources"
        " WHERE job_posting_collection_sla_snapshot_id = 3 AND job_source_id = 7",
        "uk_job_posting_collection_sla_snapshot_sources_snapshot_source",
    ),
    "Q10 late sources by status": (
        "SELECT captured_cycle_status, COUNT(*) FROM job_posting_collection_sla_snapshot_sources"
        " WHERE job_posting_collection_sla_snapshot_id = 3 AND captured_cycle_status IN ('PENDING', 'FAILED')"
        " GROUP BY captured_cycle_status",
        "idx_job_posting_collection_sla_snapshot_sources_snapshot_status",
    ),
}


async def given_a_month_of_thirty_sources(db: Database) -> None:
    states = ("NOT_STARTED", "PENDING", "RUNNING", "SUCCESS", "FAILED", "BUDGET_EXHAUSTED")
    days = [NOW - timedelta(days=n) for n in range(30)]
    places = [(source, day) for source in range(1, 31) for day in days]
    await execute(
        db,
        insert(cycles),
        [
            a_cycle(
                job_source_id=source,
                run_date=day.date(),
                cycle_status=states[n % 6],
                next_eligible_at=day,
                lease_until=day,
                finished_at=day,
            )
            for n, (source, day) in enumerate(places)
        ],
    )
    ids = [(cycle, n) for cycle in range(1, 31) for n in range(40)]
    await execute(
        db,
        insert(seen),
        [
            a_seen_posting(job_posting_collection_cycle_id=cycle, source_job_id=f"J-{n}", created_at=days[n % 30])
            for cycle, n in ids
        ],
    )
    await execute(db, insert(hosts), [a_host(host=f"host{n}.example") for n in range(50)])
    await execute(db, insert(headers), [a_header(snapshot_date=day.date()) for day in days])
    await execute(
        db,
        insert(items),
        [
            an_item(
                job_posting_collection_sla_snapshot_id=n % 30 + 1,
                job_source_id=source,
                captured_cycle_status=states[n % 5],
            )
            for n, (source, _) in enumerate(places)
        ],
    )


_EXPLAIN = {"sqlite": "EXPLAIN QUERY PLAN", "mariadb": "EXPLAIN", "mysql": "EXPLAIN FORMAT=TRADITIONAL"}


async def test_case_3_each_query_of_the_design_is_answered_by_its_index(db: Database, engine: str) -> None:
    await given_a_month_of_thirty_sources(db)
    names = ", ".join(table.name for table in DB01)
    await execute(db, text(f"ANALYZE TABLE {names}" if db.shared else "ANALYZE"))
    used = {}
    for name, (query, _) in QUERIES.items():
        plan = await execute(db, text(f"{_EXPLAIN[engine]} {query}"))
        used[name] = plan[0]._mapping["key" if db.shared else "detail"]
    if db.shared:
        assert used == {name: index for name, (_, index) in QUERIES.items()}
        return
    # SQLite names the index of a UNIQUE constraint after the table, and every plan searches rather than scans.
    for name, (_, index) in QUERIES.items():
        assert used[name].startswith("SEARCH"), (name, used[name])
        assert index in used[name] or index.startswith("uk_"), (name, used[name])


async def test_case_4_the_schema_holds_captured_items_and_a_missed_day_without_any(db: Database) -> None:
    await execute(db, insert(headers), [a_header(capture_status="CAPTURED", captured_at=kst(DAY, 9))])
    missed = a_header(snapshot_date=date(2026, 12, 2), capture_status="MISSED", miss_reason="not running at 09:00")
    await execute(db, insert(headers), [missed])
    captured = select(headers.c.id).where(headers.c.capture_status == "CAPTURED")
    [(header,)] = await execute(db, captured)
    await execute(db, insert(items), [an_item(job_posting_collection_sla_snapshot_id=header)])
    days = (
        select(headers.c.capture_status, headers.c.captured_at, func.count(items.c.id))
        .outerjoin(items, items.c.job_posting_collection_sla_snapshot_id == headers.c.id)
        .group_by(headers.c.id, headers.c.capture_status, headers.c.captured_at)
        .order_by(headers.c.snapshot_date)
    )
    assert await execute(db, days) == [("CAPTURED", kst(DAY, 9), 1), ("MISSED", None, 0)]


def test_case_4_no_status_of_cancellation_exists() -> None:
    for table in DB01:
        for column in table.columns:
            assert "CANCEL" not in str(column.comment).upper(), f"{table.name}.{column.name}"


async def test_case_5_legacy_runs_read_the_same_before_and_after(blank: Database) -> None:
    await migrate(blank, "0001")
    failed = {"run_status": "FAILED", "failure_reason": "TIMEOUT", "failure_cause_summary": "30초 초과 🍣"}
    await execute(blank, insert(runs), [a_run(run_status="SUCCESS", fetched_count=12, new_count=3)])
    await execute(blank, insert(runs), [a_run(job_source_id=2, **failed)])
    before = await execute(blank, select(runs).order_by(runs.c.id))
    await migrate(blank)
    after = await execute(blank, select(runs).order_by(runs.c.id))
    assert len(before) == 2
    assert after == before


async def test_case_6_after_activation_nothing_is_dropped_and_an_older_program_starts_with_the_flag_off(
    blank: Database, tmp_path: Path
) -> None:
    old_program = program_of("0001", tmp_path)
    switch = update(feature_flags).where(feature_flags.c.flag_key == "posting.collection-dispatch-v2")
    await migrate(blank)
    await execute(blank, switch.values(enabled=1))
    await execute(blank, insert(cycles), [a_cycle()])
    there = await tables_in(blank)

    with pytest.raises(DowngradeRefused, match="job_posting_collection_cycles holds data"):
        await downgrade(blank, "0001")
    await execute(blank, switch.values(enabled=0))

    assert await tables_in(blank) == there
    assert await schema.is_current(blank, folder=old_program)
    assert await migrate(blank, folder=old_program) == []
    await execute(blank, insert(runs), [a_run(run_status="SUCCESS")])
    assert await execute(blank, select(cycles.c.cycle_status)) == [("NOT_STARTED",)]


def program_of(revision: str, folder: Path) -> Path:
    """The migrations of a program that knows this one revision only."""
    ours = schema.migrations_folder()
    (folder / "versions").mkdir()
    shutil.copy(ours / "env.py", folder)
    (found,) = (ours / "versions").glob(f"{revision}_*.py")
    shutil.copy(found, folder / "versions")
    return folder


@pytest.mark.parametrize(
    ("table", "row"),
    [(cycles, a_cycle()), (seen, a_seen_posting()), (hosts, a_host()), (headers, a_header()), (items, an_item())],
    ids=[table.name for table in DB01],
)
async def test_case_6_it_is_not_undone_while_any_of_its_tables_holds_data(
    blank: Database, table: Table, row: dict[str, Any]
) -> None:
    await migrate(blank, "0002")
    there = await tables_in(blank)
    await execute(blank, insert(table), [row])
    with pytest.raises(DowngradeRefused) as refused:
        await downgrade(blank, "0001")
    assert refused.value.table_name == table.name
    assert await tables_in(blank) == there
    assert await schema.current_revision(blank) == "0002"
