"""Committing one page: fence first, then everything the page brought, the cursor, and what follows (DESIGN 1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from daemon.clock import business_date
from daemon.collection.actions.finish import Ended, finish_cycle, log_ended
from daemon.collection.actions.lease import release_columns
from daemon.collection.actions.read_page import PageRead
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import (
    AfterPage,
    Budgets,
    Claim,
    Continue,
    Counters,
    LeaseLost,
    ListState,
    Release,
    SliceUse,
)
from daemon.collection.rules.ending import decide_after_page, is_judged
from daemon.collection.store import cycles, seen, snapshots
from daemon.company import store as companies
from daemon.company.model import JobSource, ResolvedCompanies
from daemon.db import Tx, proven_by
from daemon.posting.model import Observed, Recorded, Recording
from daemon.posting.record import record_observed
from daemon.sources.model import ListPage, SourceCapabilities


@dataclass(frozen=True, kw_only=True, slots=True)
class PageCommitted:
    """What a committed page leads to."""

    after: AfterPage
    counters: Counters
    ended: Ended | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PageToCommit:
    """A page read at `cursor` for a source, with the limits it counts against."""

    source: JobSource
    capabilities: SourceCapabilities
    cursor: str | None
    read: PageRead
    slice_use: SliceUse
    budgets: Budgets
    incremental: bool
    lease: timedelta


async def commit_page(engine: Engine, claim: Claim, page: PageToCommit) -> PageCommitted:
    """Write a page in one transaction: all of it, or (for a worker that lost the cycle) nothing.

    Companies, postings, texts, tags, seen ids, counters, cursor and a renewed lease; after the last page also the
    terminal transition; after the slice's last page the lease is given back. Raises LeaseLost.
    """
    await engine.foreground.step_aside()
    committed = await gated(engine, _commit_page, claim, page)
    engine.recorded.set()
    if committed.ended is not None:
        log_ended(committed.ended)
    return committed


async def _page_landed(tx: Tx, committed: PageCommitted, claim: Claim, _page: PageToCommit) -> bool:
    """The fence was held, so no one else can have counted this page; if it is counted, it was this commit."""
    return (await cycles.lock_standing(tx, claim.cycle_id)).list_pages >= committed.counters.list_pages


@proven_by(_page_landed)
async def _commit_page(tx: Tx, claim: Claim, page: PageToCommit) -> PageCommitted:
    await snapshots.pass_gate(tx, claim.run_date)
    cycle = await cycles.lock_held(tx, claim)
    if cycle is None:
        raise LeaseLost(claim, "committing a page")
    now = await tx.now()
    listed = page.read.list_page
    fresh = await seen.add_seen(tx, cycle.id, _ids(listed), now)
    observed = [each for each in page.read.observed if each.raw.source_job_id in fresh]
    recorded = await record_page(tx, page.source, observed, now)
    counters = count_page(cycle.counters, page.read, fresh, recorded)
    state = ListState(
        next_cursor=listed.next_cursor,
        brought_nothing_new=not fresh or listed.next_cursor == page.cursor,
        distinct_ids=0,
        incremental=page.incremental,
        list_page_limit=page.capabilities.list_page_limit,
        undetermined=page.read.undetermined,
    )
    if is_judged(counters, state, page.budgets):
        state = replace(state, distinct_ids=await seen.count_seen(tx, cycle.id))
    after = decide_after_page(
        counters, state, page.slice_use, page.budgets, day_is_over=business_date(now) > claim.run_date
    )
    if not isinstance(after, Continue | Release):
        ended = await finish_cycle(tx, replace(cycle, cursor=listed.next_cursor), counters, after, page.source)
        return PageCommitted(after=after, counters=counters, ended=ended)
    values = {**cycles.counter_columns(counters), "continuation_cursor": listed.next_cursor}
    values |= release_columns(now) if isinstance(after, Release) else {"lease_until": now + page.lease}
    if not await cycles.save_held(tx, claim, now, values):
        raise LeaseLost(claim, "committing a page")
    return PageCommitted(after=after, counters=counters, ended=None)


async def record_page(tx: Tx, source: JobSource, observed: Sequence[Observed], now: datetime) -> Recorded:
    """Store a page's postings; an aggregator's unknown companies are created as `DISCOVERED` first (FR-61)."""
    if not observed:
        return Recorded()
    if source.company_id is None:
        shown = {each.raw.company_name for each in observed if each.raw.company_name is not None}
        resolved = await companies.resolve_companies(tx, shown)
    else:
        resolved = ResolvedCompanies(ids={}, names={source.company_id: source.company_name or ""})
    recording = Recording(
        job_source_id=source.id,
        company_ids=resolved.ids,
        default_company_id=source.company_id,
        company_names=resolved.names,
        seeding=source.seeded_at is None,
    )
    return await record_observed(tx, recording, observed, now)


def count_page(counters: Counters, read: PageRead, fresh: set[str], recorded: Recorded) -> Counters:
    """The cycle's totals with this page; an id that an earlier page had counts once."""
    listed = read.list_page
    skipped = sum(key in fresh for key in listed.skipped_ids)
    postings = sum(raw.source_job_id in fresh for raw in listed.postings)
    totals = [total for total in (counters.declared_total, listed.declared_total) if total is not None]
    return Counters(
        list_pages=counters.list_pages + 1,
        fetched=counters.fetched + postings + skipped,
        new=counters.new + len(recorded.new_ids),
        changed=counters.changed + len(recorded.changed_ids),
        skipped=counters.skipped + skipped,
        unidentified=counters.unidentified + listed.unidentified,
        detail_requests=counters.detail_requests + read.detail_requests,
        detail_failures=counters.detail_failures + read.detail_failures,
        detail_skipped=counters.detail_skipped + read.detail_skipped,
        declared_total=max(totals, default=None),
        close_guarded=counters.close_guarded,
    )


def _ids(listed: ListPage) -> set[str]:
    withdrawn = {seen.withdrawn_key(key) for key in listed.withdrawn_ids}
    return {*(raw.source_job_id for raw in listed.postings), *listed.skipped_ids, *withdrawn}
