"""Which sources are collected by v2 on a day (ticket BE-43: eligibility)."""

from __future__ import annotations

from datetime import date

from daemon.collection.store import cycles, runs
from daemon.company import store as companies
from daemon.company.model import JobSource
from daemon.db import Tx
from daemon.flags import store as flags
from daemon.flags.model import FlagKey
from daemon.sources.model import SourceType


async def eligible_sources(tx: Tx, run_date: date) -> list[JobSource]:
    """Active company-bound sources with v2 on, and active aggregators when their flag is on too.

    A source that the legacy path has already collected on the day (a run row without a cycle) is not collected again.
    """
    states = await flags.load_all(tx)
    if not states[FlagKey.COLLECTION_DISPATCH_V2]:
        return []
    aggregators = states[FlagKey.AGGREGATOR_COLLECTION]
    active = [
        source
        for source in await companies.load_active_targets(tx)
        if source.source_type is SourceType.COMPANY_BOUND or aggregators
    ]
    ids = [source.id for source in active]
    legacy = await runs.sources_with_run(tx, run_date, ids) - await cycles.sources_with_cycle(tx, run_date, ids)
    return [source for source in active if source.id not in legacy]
