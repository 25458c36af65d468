"""The view of sources' health, one reading transaction; what the API calls."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta

from daemon.clock import business_date
from daemon.collection.rules.health import Health
from daemon.company.model import JobSource
from daemon.company.store import load_sources
from daemon.db import Database, Tx, reading
from daemon.operations.companies.model import BrokenStatus
from daemon.operations.health import rules, store
from daemon.operations.health.model import BudgetEnd, SourceHealth, SourcesHealth

LOOK_BACK = timedelta(days=90)
"""How far back days are looked at: an older one says nothing of the present."""


async def sources_health(db: Database) -> SourcesHealth:
    """The health of every source, disabled ones last."""
    return await reading(db, _sources_health)


async def _sources_health(tx: Tx) -> SourcesHealth:
    return await health_of(tx, await load_sources(tx))


async def health_of(tx: Tx, sources: Collection[JobSource]) -> SourcesHealth:
    """The health of these sources, disabled ones last."""
    since = business_date(await tx.now()) - LOOK_BACK
    healths = await store.load_health(tx)
    last_runs = await store.load_last_runs(tx, [source.id for source in sources], since)
    ends = await store.load_budget_ends(tx, since)
    found = [
        _source_health(source, healths.get(source.id, Health()), ends.get(source.id, []), last_runs.get(source.id))
        for source in sources
    ]
    return SourcesHealth(sources=tuple(sorted(found, key=rules.urgency)))


def _source_health(source: JobSource, health: Health, ends: Sequence[BudgetEnd], last_run: date | None) -> SourceHealth:
    streak = rules.streak_of(ends, last_run)
    return SourceHealth(
        job_source_id=source.id,
        source_label=source.label,
        platform=source.platform,
        source_type=source.source_type,
        company_id=source.company_id,
        disabled=source.disabled_at is not None,
        broken_status=BrokenStatus.NORMAL if health.broken_since is None else BrokenStatus.BROKEN,
        broken_since=health.broken_since,
        consecutive_abnormal_days=health.abnormal_days,
        failure_episode=health.failure_episode,
        last_normal_at=health.last_normal_at,
        last_collected_on=ends[-1].run_date if streak.days else last_run,
        consecutive_budget_exhausted_days=streak.days,
        budget_exhausted_reason=streak.reason,
        budget_exhausted_warning=rules.wants_narrowing(streak.days),
    )
