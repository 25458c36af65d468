"""One slice from claim to release: the script that reads top to bottom (DESIGN 2)."""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from daemon.collection.actions.claim import Assignment
from daemon.collection.actions.commit_page import PageToCommit, commit_page
from daemon.collection.actions.lease import Lease, end_cycle, release_slice
from daemon.collection.actions.read_page import PageReader
from daemon.collection.engine import Engine
from daemon.collection.model import Claim, Continue, LeaseLost, SliceUse
from daemon.collection.rules.ending import crash_of, failure_of
from daemon.collection.rules.permit import HostBusy
from daemon.collection.store import seen
from daemon.db import Tx, is_lost, reading
from daemon.posting.model import KnownPosting
from daemon.posting.store import load_known
from daemon.sources.model import NotFetched
from daemon.sources.registry import adapter_of

log = structlog.get_logger(__name__)


async def work_slice(engine: Engine, assignment: Assignment) -> None:
    """Work page by page until a limit, the end of the list or an error, leaving the cycle where it stands.

    A lost lease ends the work without a write; any other fault ends the cycle as `FAILED`, never the daemon.
    """
    claim = assignment.claim
    structlog.contextvars.bind_contextvars(
        cycle_id=claim.cycle_id, job_source_id=claim.job_source_id, platform=assignment.source.platform.value
    )
    try:
        await _work(engine, assignment)
    except LeaseLost as lost:
        engine.progress.counts["stale_write_rejected"] += 1
        log.warning("cycle.stale_write_rejected", rows=0, when=lost.when)
    except Exception as error:
        if is_lost(error):
            # Away for longer than the lease. Recovery ends the cycle; here is nothing left that could be written.
            engine.progress.counts["slice_without_database"] += 1
            log.warning("slice.given_up", reason="the database was away until the lease was over")
            return
        log.exception("slice.crashed")
        await _end_crashed(engine, claim, error)


async def _work(engine: Engine, assignment: Assignment) -> None:
    claim, source, stopping = assignment.claim, assignment.source, engine.stopping
    adapter, budgets = adapter_of(source.platform), engine.budgets
    lease = Lease(engine, claim)
    engine = lease.engine
    began = engine.clock.ticks()

    def time_is_up() -> bool:
        return engine.clock.ticks() - began >= budgets.slice_time.total_seconds()

    async def look_up(ids: tuple[str, ...]) -> tuple[Mapping[str, KnownPosting], frozenset[str]]:
        return await reading(engine.db, _look_up, claim, ids)

    async with engine.executor.session(adapter) as site:
        limit = min(budgets.daily_details, adapter.capabilities.compliance.detail_request_limit_per_run)
        reader = PageReader(
            engine=engine,
            source=source,
            adapter=adapter,
            target=source.target,
            site=site,
            look_up=look_up,
            keep=lease.keep,
            details_left=limit - claim.counters.detail_requests,
            may_ask_details=lambda: not time_is_up() and not stopping.is_set(),
        )
        cursor, pages, postings = claim.cursor, 0, 0
        if stopping.is_set():
            await release_slice(engine, claim)
            return
        while True:
            read = await reader.read(cursor)
            if isinstance(read, HostBusy):
                await release_slice(engine, claim, read.until)
                return
            if isinstance(read, NotFetched):
                await end_cycle(engine, claim, failure_of(read))
                return
            pages, postings = pages + 1, postings + len(read.list_page.postings)
            use = SliceUse(pages=pages, postings=postings, time_is_up=time_is_up(), stopping=stopping.is_set())
            begun = engine.clock.ticks()
            committed = await commit_page(
                engine,
                claim,
                PageToCommit(
                    source=source,
                    capabilities=adapter.capabilities,
                    cursor=cursor,
                    read=read,
                    slice_use=use,
                    budgets=budgets,
                    incremental=reader.target.incremental_since is not None,
                    lease=engine.settings.lease,
                ),
            )
            lease.renewed_at = begun
            engine.progress.counts["page_committed"] += 1
            if not isinstance(committed.after, Continue):
                return
            cursor = read.list_page.next_cursor


async def _look_up(tx: Tx, claim: Claim, ids: tuple[str, ...]) -> tuple[Mapping[str, KnownPosting], frozenset[str]]:
    known = await load_known(tx, claim.job_source_id, ids)
    return known, frozenset(await seen.among(tx, claim.cycle_id, ids))


async def _end_crashed(engine: Engine, claim: Claim, error: Exception) -> None:
    """Say so in the cycle; if even that can't be written, the lease expires and recovery ends the cycle."""
    try:
        await end_cycle(engine, claim, crash_of(error))
    except LeaseLost:
        engine.progress.counts["stale_write_rejected"] += 1
        log.warning("cycle.stale_write_rejected", rows=0, when="ending a crashed slice")
    except Exception as unwritten:
        log.error("cycle.end_not_written", exc_info=not is_lost(unwritten))
