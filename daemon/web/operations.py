"""The operations views over HTTP (seed 001, API 계약; seed 000, additive fields)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from pydantic import Field

from daemon.collection.model import CycleStatus
from daemon.operations import actions
from daemon.operations.health.actions import sources_health
from daemon.operations.health.model import SourcesHealth
from daemon.operations.model import CollectionRun, CollectionRuns, CyclePage, ScheduledJobs, SlaSnapshots
from daemon.web.route import Day, Input, Route, RowId, Stream, Web, in_json, route

Days = Annotated[int, Field(ge=1, le=366)]


class RunsQuery(Input):
    """Which days of which source."""

    job_source_id: RowId | None = None
    """Only this source."""
    days: Days = 30
    """How many KST days, today included."""


class CyclesQuery(Input):
    """Which cycles."""

    run_date: Day | None = None
    """Only this KST day."""
    cycle_status: CycleStatus | None = None
    job_source_id: RowId | None = None
    """Only this source."""
    page: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Counted from 0."""
    size: Annotated[int, Field(ge=1, le=200)] = 50


class SnapshotsQuery(Input):
    """Which days."""

    days: Annotated[int, Field(ge=1, le=31)] = 7
    """How many KST days, today included."""


class JobsQuery(Input):
    """Which days."""

    days: Days = 7
    """How many KST days, today included."""


async def list_collection_runs(web: Web, query: RunsQuery) -> Stream:
    """Collection history by source and KST day, success rate, and today's 09:00 snapshot."""
    around, lots = await actions.collection_history(web.db, query.job_source_id, query.days)
    return Stream(pieces=_as_json(around, lots))


async def _as_json(
    around: CollectionRuns, lots: AsyncGenerator[tuple[CollectionRun, ...], None]
) -> AsyncGenerator[bytes, None]:
    head, none, tail = in_json(CollectionRuns, around).partition('"runs":[]')
    assert none
    yield f'{head}"runs":['.encode()
    separator = ""
    async with aclosing(lots):
        async for lot in lots:
            if lot:
                runs = in_json(tuple[CollectionRun, ...], lot)
                yield f"{separator}{runs[1:-1]}".encode()
                separator = ","
    yield f"]{tail}".encode()


async def list_cycles(web: Web, query: CyclesQuery) -> CyclePage:
    """The v2 collection cycles, newest day first."""
    return await actions.cycles(web.db, query.run_date, query.cycle_status, query.job_source_id, query.page, query.size)


async def list_sla_snapshots(web: Web, query: SnapshotsQuery) -> SlaSnapshots:
    """The 09:00 snapshots of the last days, newest first: which sources were late, and why one was missed."""
    return await actions.sla_snapshots(web.db, query.days)


async def list_source_health(web: Web) -> SourcesHealth:
    """How far each source can be relied on, those that want a look first."""
    return await sources_health(web.db)


async def list_scheduled_jobs(web: Web, query: JobsQuery) -> ScheduledJobs:
    """The daily jobs that ran or are running, newest day first."""
    return await actions.scheduled_jobs(web.db, query.days)


ROUTES: tuple[Route, ...] = (
    route("GET", "/api/operations/collection-runs", list_collection_runs, shape=CollectionRuns),
    route("GET", "/api/operations/cycles", list_cycles),
    route("GET", "/api/operations/scheduled-jobs", list_scheduled_jobs),
    route("GET", "/api/operations/sla-snapshots", list_sla_snapshots),
    route("GET", "/api/operations/source-health", list_source_health),
)
