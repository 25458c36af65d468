"""Prometheus metrics: of the process at all times, of the database when it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TypeVar

import structlog
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from daemon.collection.engine import Progress
from daemon.db import Database
from daemon.operations.actions import database_metrics
from daemon.operations.model import DatabaseMetrics, SnapshotStatus

K = TypeVar("K", bound=str)

log = structlog.get_logger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4"

_ALWAYS_SHOWN = ("stale_write_rejected", "lease_expired", "permit_granted", "page_committed", "request")
"""Events shown even before they first happen: a rate over a series that is not there yet is no rate."""


async def exposition(db: Database, progress: Progress, progress_age: timedelta | None) -> bytes:
    """Every metric in Prometheus's text format. A database that does not answer is a metric of its own, no error."""
    found: DatabaseMetrics | None = None
    try:
        found = await database_metrics(db)
    except (SQLAlchemyError, OSError, TimeoutError) as error:
        log.warning("metrics.database_unreachable", error=str(error))
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    registry.register(_Collector(progress.counts, len(progress.in_flight), progress_age, found))
    return generate_latest(registry)


class _Collector(Collector):
    """One scrape's readings as metrics."""

    def __init__(
        self,
        counts: Mapping[str, int],
        slices: int,
        progress_age: timedelta | None,
        database: DatabaseMetrics | None,
    ) -> None:
        self._counts = counts
        self._slices = slices
        self._progress_age = progress_age
        self._database = database

    def collect(self) -> Iterator[Metric]:
        """What the registry asks for."""
        events = CounterMetricFamily(
            "gonggo_engine_events", "What the engine of this process did, by event", labels=["event"]
        )
        for event in sorted({*_ALWAYS_SHOWN, *self._counts}):
            events.add_metric([event], self._counts.get(event, 0))
        yield events
        yield GaugeMetricFamily("gonggo_slices_in_flight", "Slices in hand in this process", value=self._slices)
        if self._progress_age is not None:
            yield GaugeMetricFamily(
                "gonggo_engine_progress_age_seconds",
                "Seconds since the engine of this process last took a step",
                value=self._progress_age.total_seconds(),
            )
        up = self._database is not None
        yield GaugeMetricFamily("gonggo_database_up", "Whether the database answered this scrape", value=up)
        if self._database is not None:
            yield from _of_database(self._database)


def _of_database(found: DatabaseMetrics) -> Iterator[Metric]:
    yield _labelled(
        "gonggo_cycles", "Collection cycles of the present KST day, by status", "status", found.cycles_today
    )
    yield GaugeMetricFamily(
        "gonggo_cycle_lease_expiries",
        "Cycles of the present KST day that ended because their worker was lost",
        value=found.lease_expiries_today,
    )
    yield _labelled("gonggo_daily_jobs", "Daily jobs of the present KST day, by status", "status", found.jobs_today)
    yield GaugeMetricFamily("gonggo_sources_active", "Sources that are followed", value=found.active_sources)
    yield GaugeMetricFamily("gonggo_sources_broken", "Sources followed that are broken", value=found.broken_sources)
    yield GaugeMetricFamily(
        "gonggo_seen_rows_older_than_48_hours",
        "Seen rows left over by cycles that are over: 1 is a warning, 1,000 are critical",
        value=found.seen_rows_older_than_48_hours,
    )
    yield _labelled(
        "gonggo_sla_capture",
        "State of the 09:00 snapshot of the present KST day: 1 for the one it is in",
        "status",
        {status: status is found.capture_status for status in SnapshotStatus},
    )
    yield _labelled("gonggo_feature_flag", "Feature flags: 1 is on", "flag", found.flags)
    yield _labelled(
        "gonggo_host_permit_wait_seconds",
        "Seconds until the host may be asked again, by any instance",
        "host",
        found.host_waits,
    )


def _labelled(name: str, text: str, label: str, values: Mapping[K, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, number in values.items():
        family.add_metric([str(value)], float(number))
    return family
