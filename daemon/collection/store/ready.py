"""SQL of the ready queue: which cycles may be claimed, as flags and sources are at this moment (Q1).

What is eligible is looked for without a lock, and locked by id afterwards: a search that locks would lock rows that it
passes by, and hide them from the claims of other instances.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, func, or_, select

from daemon.collection.model import CycleStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.company.model import JobSource
from daemon.company.store import source_of, with_company
from daemon.company.tables import job_sources
from daemon.db import EachAtOnce, Tx
from daemon.flags.model import FlagKey
from daemon.flags.store import switched_on
from daemon.sources.model import Platform, SourceType

_QUEUE = "FORCE INDEX (idx_job_posting_collection_cycles_ready)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ready:
    """A cycle that may be claimed, unless someone else does first."""

    cycle_id: int
    source: JobSource


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """Cycles of one platform that wait."""

    platform: Platform
    status: CycleStatus
    """`NOT_STARTED` or `PENDING`."""
    ready_at: datetime
    """When the first of them may be claimed."""


async def find_ready(
    tx: Tx,
    run_date: date,
    now: datetime,
    platforms: Collection[Platform],
    only: Collection[int] | None,
    passed_over: Collection[int],
    limit: int,
) -> list[Ready]:
    """Up to `limit` cycles of the day that may be claimed, those first that have been ready for longest; not locked.

    `only` restricts them to some sources; cycles `passed_over`, by id, are left out.
    """
    query = _find(only is not None)
    asked = {
        "run_date": run_date,
        "now": now,
        "platforms": [each.value for each in platforms],
        "passed_over": list(passed_over),
        "limit": limit,
        **_restriction(only),
    }
    return [Ready(cycle_id=row.cycle_id, source=source_of(row)) for row in await query.rows(tx, asked)]


async def load_waiting(tx: Tx, run_date: date, only: Collection[int] | None) -> list[Waiting]:
    """What of the day's cycles waits to be queued, or claimed."""
    rows = await tx.execute(_waiting(only is not None), {"run_date": run_date, **_restriction(only)})
    return [
        Waiting(platform=Platform(row.platform), status=CycleStatus(row.cycle_status), ready_at=row.ready_at)
        for row in rows
    ]


# Claiming is what the engine does most; a statement of this size takes longer to put together than to run.


@cache
def _find(restricted: bool) -> EachAtOnce:
    return EachAtOnce(
        _in_order(
            with_company(select(cycles.c.id.label("cycle_id"), job_sources), _queue())
            .where(
                *_collected(restricted),
                cycles.c.cycle_status == CycleStatus.PENDING.value,
                cycles.c.next_eligible_at <= bindparam("now"),
                job_sources.c.platform.in_(bindparam("platforms", expanding=True)),
                cycles.c.id.not_in(bindparam("passed_over", expanding=True)),
            )
            .order_by(cycles.c.next_eligible_at, cycles.c.run_date, cycles.c.id)
            .limit(bindparam("limit"))
        )
    )


@cache
def _waiting(restricted: bool) -> Select[Any]:
    waiting = [CycleStatus.NOT_STARTED.value, CycleStatus.PENDING.value]
    return _in_order(
        select(job_sources.c.platform, cycles.c.cycle_status, func.min(cycles.c.next_eligible_at).label("ready_at"))
        .select_from(_queue())
        .where(*_collected(restricted), cycles.c.cycle_status.in_(waiting))
        .group_by(job_sources.c.platform, cycles.c.cycle_status)
    )


def _restriction(only: Collection[int] | None) -> dict[str, list[int]]:
    return {} if only is None else {"only": list(only)}


def _queue() -> FromClause:
    return cycles.join(job_sources, job_sources.c.id == cycles.c.job_source_id)


def _in_order(query: Select[Any]) -> Select[Any]:
    """The cycles first, from their queue; then each one's source."""
    return query.prefix_with("STRAIGHT_JOIN", dialect="mysql").with_hint(cycles, _QUEUE, "mysql")


def _collected(restricted: bool) -> list[ColumnElement[bool]]:
    """The day's cycles whose source is collected by v2 (ticket BE-43): what has a cycle is not the legacy path's."""
    wanted = [cycles.c.job_source_id.in_(bindparam("only", expanding=True))] if restricted else []
    return [
        cycles.c.run_date == bindparam("run_date"),
        job_sources.c.disabled_at.is_(None),
        switched_on(FlagKey.COLLECTION_DISPATCH_V2),
        or_(
            job_sources.c.source_type == SourceType.COMPANY_BOUND.value,
            switched_on(FlagKey.AGGREGATOR_COLLECTION),
        ),
        *wanted,
    ]
