"""The status API over a real socket and a real database: answers, spellings, errors."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from daemon.clock import ManualClock, SystemClock, kst
from daemon.collection.engine import Progress
from daemon.collection.model import CycleStatus
from daemon.db import Database, Tx, reading, transaction
from daemon.flags import store as flags
from daemon.flags.model import FlagKey
from daemon.schedule.actions import claim_job, finish_job
from daemon.schedule.model import JobName, JobStatus
from daemon.schema import head_revision
from tests.db.collected import add_cycle, add_header, add_item, add_run, add_seen
from tests.engines import add_source
from tests.web.conftest import Client, Serve

DAY = date(2026, 12, 1)
RUN_FIELDS_OF_V1 = {
    "jobSourceId",
    "sourceLabel",
    "runDate",
    "runStatus",
    "fetchedCount",
    "newCount",
    "closedCount",
    "errorMessage",
    "abnormal",
}


async def problem(client: Client, path: str, status: int, **options: Any) -> dict[str, Any]:
    """The problem document that answers a GET."""
    answer = await client.get(path, **options)
    assert answer.status == status, await answer.text()
    assert answer.content_type == "application/problem+json"
    document: dict[str, Any] = await answer.json(content_type=None)
    assert document["status"] == status
    assert document["type"]
    assert document["title"]
    return document


async def test_collection_runs_have_the_fields_of_the_first_version_and_more(
    db: Database, serve: Serve, clock: ManualClock
) -> None:
    """Seed 000 Testing Plan, operation contract: runs and cycles together, `slaSnapshot` and seen rows additive."""
    done, cut = await add_source(db, slug="done"), await add_source(db, slug="cut")
    await add_cycle(db, done, DAY, CycleStatus.SUCCESS, fetched_count=9, new_count=1)
    cycle = await add_cycle(db, cut, DAY, CycleStatus.BUDGET_EXHAUSTED, budget_exhausted_reason="DETAIL_LIMIT")
    await add_run(db, done, DAY - timedelta(days=1), "FAILED", failure_reason="TIMEOUT")
    await add_seen(db, cycle, 1, clock.now() - timedelta(hours=49))
    header = await add_header(db, DAY, "CAPTURED", captured_at=kst(DAY, 9, 0, 1))
    await add_item(db, header, done, CycleStatus.SUCCESS, 9)
    await add_item(db, header, cut, CycleStatus.PENDING, 4)
    client = await serve(db)
    answer = await client.get("/api/operations/collection-runs")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    found = await answer.json()
    assert set(found) == {
        "successRate",
        "runs",
        "slaSnapshot",
        "seenRowsOlderThan48Hours",
        "seenRowsOlderThan48HoursLevel",
    }
    assert found["successRate"] == pytest.approx(2 / 3)
    assert (found["seenRowsOlderThan48Hours"], found["seenRowsOlderThan48HoursLevel"]) == (1, "warning")
    first, second, third = found["runs"]
    assert set(first) > RUN_FIELDS_OF_V1
    assert {name: first[name] for name in RUN_FIELDS_OF_V1} == {
        "jobSourceId": done,
        "sourceLabel": "회사 done (WOOWAHAN done)",
        "runDate": "2026-12-01",
        "runStatus": "SUCCESS",
        "fetchedCount": 9,
        "newCount": 1,
        "closedCount": 0,
        "errorMessage": None,
        "abnormal": False,
    }
    assert (first["cycleStatus"], first["isComplete"], first["closeGuarded"]) == ("SUCCESS", True, False)
    assert first["startedAt"] == "2026-11-30T15:00:00Z"
    assert (second["runStatus"], second["cycleStatus"]) == (None, "BUDGET_EXHAUSTED")
    assert second["budgetExhaustedReason"] == "DETAIL_LIMIT"
    assert (third["runStatus"], third["cycleStatus"], third["errorMessage"]) == ("FAILED", None, "TIMEOUT")
    snapshot = found["slaSnapshot"]
    assert set(snapshot) == {
        "snapshotDate",
        "scheduledAt",
        "captureStatus",
        "capturedAt",
        "missReason",
        "lateBeforeNotificationCount",
        "items",
    }
    assert (snapshot["snapshotDate"], snapshot["scheduledAt"]) == ("2026-12-01", "2026-12-01T00:00:00Z")
    assert (snapshot["captureStatus"], snapshot["capturedAt"]) == ("CAPTURED", "2026-12-01T00:00:01Z")
    assert (snapshot["lateBeforeNotificationCount"], len(snapshot["items"])) == (1, 2)
    assert snapshot["items"][1]["capturedCycleStatus"] == "PENDING"


@pytest.mark.parametrize(
    ("status", "count", "items"),
    [("PENDING", 0, []), ("MISSED", None, None), ("NOT_APPLICABLE", None, None), (None, None, None)],
)
async def test_the_snapshot_is_zero_before_nine_and_null_where_nothing_is_known(
    db: Database, serve: Serve, status: str | None, count: int | None, items: list[object] | None
) -> None:
    """Seed 000 Testing Plan, operation contract: the null and zero rules of `slaSnapshot`."""
    if status is not None:
        await add_header(db, DAY, status)
    client = await serve(db)
    snapshot = (await (await client.get("/api/operations/collection-runs")).json())["slaSnapshot"]
    assert snapshot["captureStatus"] == (status or "UNAVAILABLE")
    assert (snapshot["lateBeforeNotificationCount"], snapshot["items"]) == (count, items)


async def test_runs_are_filtered_by_source_and_days_and_an_empty_value_is_none(db: Database, serve: Serve) -> None:
    one, two = await add_source(db, slug="one"), await add_source(db, slug="two")
    for source in (one, two):
        for back in (0, 10):
            await add_run(db, source, DAY - timedelta(days=back), "SUCCESS")
    client = await serve(db)

    async def count(query: str) -> int:
        return len((await (await client.get(f"/api/operations/collection-runs?{query}")).json())["runs"])

    assert await count("") == 4
    assert await count("jobSourceId=&days=30") == 4
    assert await count(f"jobSourceId={one}") == 2
    assert await count(f"jobSourceId={one}&days=10") == 1
    assert await count("jobSourceId=9223372036854775807") == 0


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/operations/collection-runs?days=0", "days"),
        ("/api/operations/collection-runs?days=367", "days"),
        ("/api/operations/collection-runs?days=ten", "days"),
        ("/api/operations/collection-runs?days=7&days=8", "days"),
        ("/api/operations/collection-runs?jobSourceId=-1", "jobSourceId"),
        ("/api/operations/collection-runs?jobSourceId=99999999999999999999", "jobSourceId"),
        ("/api/operations/collection-runs?job_source_id=1", "job_source_id"),
        ("/api/operations/cycles?runDate=2026-13-01", "runDate"),
        ("/api/operations/cycles?runDate=0", "runDate"),
        ("/api/operations/cycles?runDate=20261201", "runDate"),
        ("/api/operations/cycles?cycleStatus=DONE", "cycleStatus"),
        ("/api/operations/cycles?page=-1", "page"),
        ("/api/operations/cycles?size=201", "size"),
        ("/api/operations/scheduled-jobs?days=%00", "days"),
    ],
)
async def test_an_invalid_value_is_refused_by_the_name_of_its_field(
    serve: Serve, offline: Database, path: str, field: str
) -> None:
    document = await problem(await serve(offline), path, 422)
    assert document["type"] == "urn:gonggo:problem:invalid-value"
    assert [(error["in"], error["field"]) for error in document["errors"]] == [("query", field)]
    assert document["errors"][0]["message"]


async def test_cycles_are_paged_and_filtered(db: Database, serve: Serve) -> None:
    source = await add_source(db)
    for back in range(3):
        status = CycleStatus.FAILED if back else CycleStatus.RUNNING
        await add_cycle(db, source, DAY - timedelta(days=back), status)
    client = await serve(db)
    found = await (await client.get("/api/operations/cycles?size=2")).json()
    assert (found["totalCount"], found["page"], found["size"]) == (3, 0, 2)
    assert [cycle["runDate"] for cycle in found["cycles"]] == ["2026-12-01", "2026-11-30"]
    failed = await (await client.get("/api/operations/cycles?cycleStatus=FAILED&runDate=2026-11-30")).json()
    assert [(cycle["cycleStatus"], cycle["abnormal"]) for cycle in failed["cycles"]] == [("FAILED", True)]


async def test_scheduled_jobs_are_told_with_their_summary(db: Database, serve: Serve) -> None:
    claim = await claim_job(db, JobName.DEDUP, DAY, "box:1", timedelta(seconds=90))
    assert claim is not None
    await finish_job(db, claim, JobStatus.SUCCESS, "3건 묶음")
    client = await serve(db)
    (job,) = (await (await client.get("/api/operations/scheduled-jobs?days=1")).json())["jobs"]
    assert (job["jobName"], job["jobStatus"], job["summary"]) == ("dedup", "SUCCESS", "3건 묶음")
    assert (job["runDate"], job["scheduledAt"], job["attemptCount"]) == ("2026-12-01", "2026-11-30T23:30:00Z", 1)


async def test_a_flag_is_switched_over_http_and_counts_at_once(db: Database, serve: Serve) -> None:
    client = await serve(db)
    listed = (await (await client.get("/api/flags")).json())["flags"]
    assert [flag["flagKey"] for flag in listed] == list(FlagKey)
    assert not any(flag["enabled"] for flag in listed)
    answer = await client.put("/api/flags/aggregator.collection", json={"enabled": True})
    assert answer.status == 200
    switched = await answer.json()
    assert (switched["flagKey"], switched["enabled"]) == ("aggregator.collection", True)
    assert await reading(db, flags.is_enabled, FlagKey.AGGREGATOR_COLLECTION)
    again = await client.put("/api/flags/aggregator.collection", json={"enabled": True})
    assert await again.json() == switched
    same_origin = {"Origin": f"http://{client.host}:{client.port}"}
    off = await client.put("/api/flags/aggregator.collection", json={"enabled": False}, headers=same_origin)
    assert (await off.json())["enabled"] is False


async def test_an_unknown_flag_is_a_404_that_names_the_known_ones(db: Database, serve: Serve) -> None:
    client = await serve(db)
    answer = await client.put("/api/flags/no.such-flag", json={"enabled": True})
    assert answer.status == 404
    document = json.loads(await answer.text())
    assert document["type"] == "urn:gonggo:problem:unknown-flag"
    assert document["knownFlags"] == list(FlagKey)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"enabled": tru}', b"[" * 60_000])
async def test_a_body_that_is_no_json_is_a_400(serve: Serve, offline: Database, body: bytes) -> None:
    client = await serve(offline)
    answer = await client.put("/api/flags/posting.auto-close", data=body, headers={"Content-Type": "application/json"})
    assert answer.status == 400, await answer.text()
    assert json.loads(await answer.text())["type"] == "urn:gonggo:problem:unreadable-body"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("{}", "enabled"),
        ('{"enabled": "yes"}', "enabled"),
        ('{"enabled": 1}', "enabled"),
        ('{"enabled": null}', "enabled"),
        ('{"enabled": true, "force": 1}', "force"),
        ("[]", ""),
        ("true", ""),
    ],
)
async def test_a_body_of_the_wrong_shape_is_a_422_by_field(
    serve: Serve, offline: Database, body: str, field: str
) -> None:
    client = await serve(offline)
    answer = await client.put("/api/flags/posting.auto-close", data=body, headers={"Content-Type": "application/json"})
    assert answer.status == 422, await answer.text()
    document = json.loads(await answer.text())
    assert [(error["in"], error["field"]) for error in document["errors"]] == [("body", field)]


async def test_unknown_paths_and_methods_are_problems_too(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    assert (await problem(client, "/api/nothing", 404))["type"] == "about:blank"
    await problem(client, "/api/job-postings/1/nothing", 404)
    answer = await client.post("/api/flags", json={})
    assert (answer.status, answer.content_type) == (405, "application/problem+json")
    assert answer.headers["Allow"] == "GET,HEAD"


async def test_our_own_fault_is_a_500_with_a_number_and_without_its_cause(db: Database, serve: Serve) -> None:
    await transaction(db, _break_a_row)
    document = await problem(await serve(db), "/api/operations/scheduled-jobs", 500)
    assert document["instance"].startswith("urn:uuid:")
    assert "NOBODY" not in json.dumps(document)


async def _break_a_row(tx: Tx) -> None:
    now = await tx.now()
    await tx.execute(
        text(
            "INSERT INTO scheduled_job_executions"
            " (job_name, run_date, job_status, owner, attempt_count, started_at, created_at, updated_at)"
            " VALUES ('dedup', '2026-12-01', 'NOBODY', 'x', 1, :now, :now, :now)"
        ),
        {"now": now.replace(tzinfo=None)},
    )


async def test_a_database_that_does_not_answer_is_a_503_and_no_secret_is_told(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    for path in ("/readyz", "/api/flags", "/api/operations/collection-runs"):
        document = await problem(client, path, 503)
        assert document["type"] == "urn:gonggo:problem:database-unavailable"
        assert "missing" not in json.dumps(document)


async def test_a_database_whose_connections_are_all_taken_is_a_503_too(serve: Serve, db: Database) -> None:
    engine = create_async_engine(db.engine.url, pool_size=1, max_overflow=0, pool_timeout=0.05)
    client = await serve(Database(engine, db.clock))
    async with engine.connect():
        document = await problem(client, "/api/flags", 503)
    assert document["type"] == "urn:gonggo:problem:database-unavailable"
    await engine.dispose()


async def test_health_and_metrics_answer_without_a_database(serve: Serve, offline: Database) -> None:
    progress = Progress(advanced_at=SystemClock().ticks())
    progress.counts["permit_granted"] += 7
    client = await serve(offline, progress)
    health = await client.get("/healthz")
    assert health.status == 200
    told = await health.json()
    assert told["status"] == "ok"
    assert 0 <= told["engineProgressAgeSeconds"] < 10
    metrics = await client.get("/metrics")
    assert metrics.status == 200
    assert metrics.headers["Content-Type"] == "text/plain; version=0.0.4"
    lines = (await metrics.text()).splitlines()
    assert "gonggo_database_up 0.0" in lines
    assert 'gonggo_engine_events_total{event="permit_granted"} 7.0' in lines
    assert any(line.startswith("process_resident_memory_bytes") for line in lines)
    assert not any(line.startswith("gonggo_cycles") for line in lines)


async def test_an_engine_that_hangs_is_unhealthy_and_one_not_begun_is_not(serve: Serve, offline: Database) -> None:
    hung = await serve(offline, Progress(advanced_at=SystemClock().ticks() - 121))
    document = await problem(hung, "/healthz", 503)
    assert document["type"] == "urn:gonggo:problem:engine-stalled"
    assert document["engineProgressAgeSeconds"] > 120
    fresh = await (await (await serve(offline)).get("/healthz")).json()
    assert fresh == {"status": "ok", "engineProgressAgeSeconds": None}


async def test_ready_is_a_database_at_our_revision(db: Database, serve: Serve) -> None:
    client = await serve(db)
    answer = await client.get("/readyz")
    assert (answer.status, await answer.json()) == (200, {"status": "ready", "schemaRevision": head_revision()})
    metrics = await (await client.get("/metrics")).text()
    assert "gonggo_database_up 1.0" in metrics


async def test_a_database_behind_our_revision_is_not_ready(db: Database, serve: Serve) -> None:
    revision = head_revision()
    await transaction(db, _execute, "UPDATE alembic_version SET version_num = '0001'")
    try:
        document = await problem(await serve(db), "/readyz", 503)
        assert document["type"] == "urn:gonggo:problem:schema-behind"
        assert (document["schemaRevision"], document["neededRevision"]) == ("0001", revision)
        await transaction(db, _execute, "UPDATE alembic_version SET version_num = '9999'")
        answer = await (await serve(db)).get("/readyz")
        assert (answer.status, (await answer.json())["schemaRevision"]) == (200, "9999"), "a newer schema only adds"
    finally:
        await transaction(db, _execute, f"UPDATE alembic_version SET version_num = '{revision}'")


async def _execute(tx: Tx, statement: str) -> None:
    await tx.execute(text(statement))


async def test_head_answers_like_get_without_a_body(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    answer = await client.head("/healthz")
    assert (answer.status, await answer.read()) == (200, b"")
