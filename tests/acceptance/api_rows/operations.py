"""Operations, flags and the service itself (seed 001, API 계약, last rows; seed 000; DESIGN 1.10)."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import insert

from daemon.notification.tables import notification_dispatches
from tests.acceptance.api_rows.row import Facts, Rows
from tests.acceptance.inhabited import Inhabited
from tests.acceptance.shapes import DAY, INSTANT, PLATFORM, SOURCE_TYPE, Maybe, require, require_problem
from tests.databases import execute

ROWS = row = Rows()

_RUN = {
    "jobSourceId": int,
    "sourceLabel": str,
    "runDate": "2026-12-01",
    "runStatus": "SUCCESS",
    "fetchedCount": int,
    "newCount": int,
    "closedCount": 0,
    "errorMessage": None,
    "abnormal": False,
}
_RUN_V2 = {
    "platform": PLATFORM,
    "sourceType": SOURCE_TYPE,
    "cycleStatus": "SUCCESS",
    "isComplete": True,
    "closeGuarded": bool,
    "listPageCount": int,
    "changedCount": int,
    "missedCount": 0,
    "detailRequestCount": int,
    "detailFailureCount": int,
    "detailSkippedCount": int,
    "declaredTotal": Maybe(int),
    "budgetExhaustedReason": None,
    "failureReason": None,
    "startedAt": INSTANT,
    "finishedAt": INSTANT,
}
_SNAPSHOT = {
    "snapshotDate": "2026-12-01",
    "scheduledAt": "2026-12-01T00:00:00Z",
    "captureStatus": {"MISSED", "NOT_APPLICABLE"},
    "capturedAt": None,
    "missReason": Maybe(str),
    "lateBeforeNotificationCount": None,
    "items": None,
}


@row("GET /healthz")
async def health(at: Inhabited, facts: Facts) -> None:
    """The process lives, and its engine takes steps."""
    found = await at.ask("GET", "/healthz")
    assert found.status == 200
    require(found.json, {"status": "ok", "engineProgressAgeSeconds": float})


@row("GET /readyz")
async def readiness(at: Inhabited, facts: Facts) -> None:
    """Database and schema fit."""
    found = await at.ask("GET", "/readyz")
    assert found.status == 200
    require(found.json, {"status": "ready", "schemaRevision": str})


@row("GET /metrics")
async def metrics(at: Inhabited, facts: Facts) -> None:
    """Prometheus reads it."""
    found = await at.ask("GET", "/metrics")
    assert found.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert 'gonggo_cycles{status="SUCCESS"} 2.0' in found.body.decode().splitlines()


@row("GET /api/openapi.json")
async def description(at: Inhabited, facts: Facts) -> None:
    """OpenAPI 3.1."""
    found = await at.ask("GET", "/api/openapi.json")
    assert (found.status, found.json["openapi"]) == (200, "3.1.0")


@row("GET /api/operations/collection-runs")
async def runs(at: Inhabited, facts: Facts) -> None:
    """Each source's days, the success rate, today's snapshot."""
    found = await at.ask("GET", "/api/operations/collection-runs?jobSourceId=&days=30")
    assert found.status == 200
    ours = {"slaSnapshot": _SNAPSHOT, "seenRowsOlderThan48Hours": 0, "seenRowsOlderThan48HoursLevel": "ok"}
    require(found.json, {"successRate": 1.0, "runs": [_RUN | _RUN_V2]} | ours)
    assert [one["sourceLabel"] for one in found.json["runs"]] == [
        "당근마켓 (GREENHOUSE daangn)",
        "JUMPIT 서버/백엔드 개발자",
    ]
    one = await at.ask("GET", "/api/operations/collection-runs?jobSourceId=2")
    assert [run["jobSourceId"] for run in one.json["runs"]] == [2]
    wrong = await at.ask("GET", "/api/operations/collection-runs?days=0")
    require_problem(wrong, 422, "invalid-value", field="days")
    twice = await at.ask("GET", "/api/operations/collection-runs?days=1&days=2")
    require_problem(twice, 422, "invalid-value", field="days")


@row("GET /api/operations/cycles")
async def cycles(at: Inhabited, facts: Facts) -> None:
    """Cycles as they stand, by day, state and source."""
    found = await at.ask("GET", "/api/operations/cycles?runDate=2026-12-01&cycleStatus=SUCCESS&size=1&page=1")
    cycle = {name: shape for name, shape in (_RUN | _RUN_V2).items() if name not in ("runStatus", "errorMessage")}
    ours = {
        "cycleId": int,
        "attemptCount": int,
        "skippedCount": int,
        "unidentifiedCount": int,
        "failureCauseSummary": None,
        "nextEligibleAt": INSTANT,
        "leaseUntil": None,
    }
    require(found.json, {"cycles": [cycle | ours], "totalCount": 2, "page": 1, "size": 1})
    assert [one["jobSourceId"] for one in found.json["cycles"]] == [2]
    for query, field in (("runDate=1.12.2026", "runDate"), ("cycleStatus=DONE", "cycleStatus")):
        wrong = await at.ask("GET", f"/api/operations/cycles?{query}")
        require_problem(wrong, 422, "invalid-value", field=field)


@row("GET /api/operations/sla-snapshots")
async def snapshots(at: Inhabited, facts: Facts) -> None:
    """The days' 09:00 snapshots: the daemon began at noon, so today's was not captured, and nothing is made up."""
    found = await at.ask("GET", "/api/operations/sla-snapshots")
    assert found.status == 200
    require(found.json, {"snapshots": [_SNAPSHOT]})
    assert len(found.json["snapshots"]) == 1
    wrong = await at.ask("GET", "/api/operations/sla-snapshots?days=32")
    require_problem(wrong, 422, "invalid-value", field="days")


@row("GET /api/operations/source-health")
async def source_health(at: Inhabited, facts: Facts) -> None:
    """Every source, well after a normal day."""
    found = await at.ask("GET", "/api/operations/source-health")
    source = {"jobSourceId": int, "sourceLabel": str, "platform": PLATFORM, "sourceType": SOURCE_TYPE}
    told = {"companyId": Maybe(int), "disabled": False, "brokenStatus": "NORMAL", "brokenSince": None}
    days = {"consecutiveAbnormalDays": 0, "failureEpisode": 0, "lastNormalAt": INSTANT, "lastCollectedOn": "2026-12-01"}
    budget = {
        "consecutiveBudgetExhaustedDays": 0,
        "budgetExhaustedReason": None,
        "budgetExhaustedWarning": False,
    }
    require(found.json, {"sources": [source | told | days | budget]})
    assert [one["jobSourceId"] for one in found.json["sources"]] == [1, 2]


@row("GET /api/operations/scheduled-jobs")
async def jobs(at: Inhabited, facts: Facts) -> None:
    """The day's jobs that ran."""
    found = await at.ask("GET", "/api/operations/scheduled-jobs?days=1")
    job = {
        "jobName": str,
        "runDate": DAY,
        "scheduledAt": INSTANT,
        "jobStatus": {"RUNNING", "SUCCESS", "FAILED"},
        "owner": str,
        "attemptCount": int,
        "startedAt": INSTANT,
        "finishedAt": Maybe(INSTANT),
        "summary": Maybe(str),
    }
    require(found.json, {"jobs": [job]})
    done = {one["jobName"] for one in found.json["jobs"]}
    assert {"prepare", "deadline-sweep", "dedup", "evaluation"} <= done


@row("GET /api/operations/notification-dispatches")
async def dispatches(at: Inhabited, facts: Facts) -> None:
    """What no message could tell: the sending that failed, and what becomes of it."""
    now = at.stage.clock.now()
    failed = {
        "target_type": "JOB_POSTING",
        "target_id": 1,
        "notification_type": "NEW_JOB_POSTING",
        "dispatch_sequence": 1,
        "dispatch_status": "FAILED",
        "attempt_count": 3,
        "last_error": "HTTP 500",
        "message_summary": "당근마켓 — 백엔드",
        "attempted_at": now,
        "expires_at": now + timedelta(days=7),
        "created_at": now,
        "updated_at": now,
    }
    await execute(at.stage.db, insert(notification_dispatches).values(**failed))
    found = await at.ask("GET", "/api/operations/notification-dispatches?dispatchStatus=FAILED&days=30")
    assert found.status == 200
    seeds = {
        "targetType": "JOB_POSTING",
        "targetId": 1,
        "notificationType": "NEW_JOB_POSTING",
        "dispatchSequence": 1,
        "dispatchStatus": "FAILED",
        "attemptCount": 3,
        "lastError": "HTTP 500",
        "messageSummary": "당근마켓 — 백엔드",
        "attemptedAt": INSTANT,
    }
    ours = {
        "dispatchId": int,
        "createdAt": INSTANT,
        "deliveredAt": None,
        "discordMessageId": None,
        "expiresAt": INSTANT,
        "resendState": {"NONE", "NEXT_RUN", "REPLACED", "EXPIRED", "UNCONFIRMED"},
        "resendAt": Maybe(INSTANT),
        "mayRepeat": bool,
    }
    webhook = {"configured": False, "parkedAt": None, "parkedReason": None}
    require(found.json, {"dispatches": [seeds | ours], "totalCount": 1, "page": 0, "size": int, "webhook": webhook})
    delivered = await at.ask("GET", "/api/operations/notification-dispatches?dispatchStatus=DELIVERED")
    assert delivered.json["totalCount"] == 0
    wrong = await at.ask("GET", "/api/operations/notification-dispatches?dispatchStatus=LOST")
    require_problem(wrong, 422, "invalid-value", field="dispatchStatus")


@row("GET /api/flags")
async def flags(at: Inhabited, facts: Facts) -> None:
    """Every flag, on here."""
    found = await at.ask("GET", "/api/flags")
    flag = {"flagKey": str, "enabled": True, "description": str, "switchedAt": Maybe(INSTANT)}
    require(found.json, {"flags": [flag]})
    assert len(found.json["flags"]) == 7


@row("PUT /api/flags/{flagKey}")
async def switch(at: Inhabited, facts: Facts) -> None:
    """Off and on again, without a restart."""
    for enabled in (False, True):
        switched = await at.ask("PUT", "/api/flags/posting.auto-close", {"enabled": enabled})
        assert switched.status == 200
        flag = {"flagKey": "posting.auto-close", "enabled": enabled, "description": str, "switchedAt": INSTANT}
        require(switched.json, flag)
    unknown = await at.ask("PUT", "/api/flags/posting.auto-open", {"enabled": True})
    require_problem(unknown, 404, "unknown-flag", knownFlags=[str])
    wrong = await at.ask("PUT", "/api/flags/posting.auto-close", {"enabled": "yes"})
    require_problem(wrong, 422, "invalid-value", field="enabled")
