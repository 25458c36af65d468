"""The legacy (v1) path: one pass per source, a run row only, no cycle (seed 001; DESIGN 1.3).

A thin second driver over the same adapters, permits, page reader and recording. It collects only while
`posting.collection-dispatch-v2` is off.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime

import structlog

from daemon.clock import wait_for
from daemon.collection.actions.commit_page import count_page, record_page
from daemon.collection.actions.read_page import PageRead, PageReader
from daemon.collection.engine import Engine
from daemon.collection.model import Counters, CycleStatus, Fail, FailureReason, ListState, RunStatus, Succeed
from daemon.collection.rules.ending import crash_of, decide_list_end, failure_of
from daemon.collection.rules.health import is_abnormal, is_close_guarded, next_health
from daemon.collection.rules.permit import HostBusy
from daemon.collection.store import cycles, runs
from daemon.collection.store.runs import run_row
from daemon.company import store as companies
from daemon.company.model import JobSource
from daemon.db import Tx, proven_by, reading, transaction
from daemon.flags import store as flags
from daemon.flags.model import FlagKey
from daemon.posting.model import KnownPosting, Missed, Recorded
from daemon.posting.record import record_missed
from daemon.posting.store import load_known
from daemon.sources.model import NotFetched, Outcome, SourceType
from daemon.sources.registry import adapter_of

log = structlog.get_logger(__name__)


async def collect_legacy(
    engine: Engine,
    run_date: date,
    source_type: SourceType,
    only: Collection[int] | None = None,
) -> list[tuple[int, RunStatus]] | None:
    """Collect every active source of a type that has neither run nor cycle on the day; None when v1 must not.

    Aggregators wait for `aggregator.collection`. One source's failure does not stop the others.
    """
    sources = await reading(engine.db, _uncollected, run_date, source_type)
    if sources is None:
        return None
    done: list[tuple[int, RunStatus]] = []
    for source in sources:
        if engine.stopping.is_set():
            break
        if only is not None and source.id not in only:
            continue
        try:
            status = await collect_source(engine, source, run_date)
        except Exception:  # its run row stays INTERRUPTED; the other sources must not pay for it
            log.exception("run.not_written", job_source_id=source.id, run_date=str(run_date))
            status = RunStatus.FAILED
        if status is not None:
            done.append((source.id, status))
    return done


async def collect_source(engine: Engine, source: JobSource, run_date: date) -> RunStatus | None:
    """Collect one source in one pass; None when someone has collected it on the day.

    The run row is made first, as `FAILED` (`INTERRUPTED`), and replaced at the end: a crash in between can't make the
    site be asked again on the same day (NFR-6).
    """
    began = engine.clock.now()
    if await transaction(engine.db, _open_run, source.id, run_date) is None:
        return None
    try:
        end, pages = await _read_list(engine, source)
    except Exception as error:
        log.exception("run.crashed", job_source_id=source.id, run_date=str(run_date))
        end, pages = crash_of(error), []
    status, counters, _ = await transaction(engine.db, _close_run, source, run_date, end, pages)
    engine.recorded.set()
    log.info(
        "run.ended",
        job_source_id=source.id,
        run_date=str(run_date),
        run_status=status,
        reason=None if isinstance(end, Succeed) else end.reason,
        fetched=counters.fetched,
        seconds=round((engine.clock.now() - began).total_seconds(), 1),
    )
    return status


async def _uncollected(tx: Tx, run_date: date, source_type: SourceType) -> list[JobSource] | None:
    states = await flags.load_all(tx)
    if states[FlagKey.COLLECTION_DISPATCH_V2]:
        return None
    if source_type is SourceType.AGGREGATOR and not states[FlagKey.AGGREGATOR_COLLECTION]:
        return None
    active = [source for source in await companies.load_active_targets(tx) if source.source_type is source_type]
    ids = [source.id for source in active]
    taken = await runs.sources_with_run(tx, run_date, ids) | await cycles.sources_with_cycle(tx, run_date, ids)
    return [source for source in active if source.id not in taken]


async def _read_list(engine: Engine, source: JobSource) -> tuple[Succeed | Fail, list[PageRead]]:
    adapter = adapter_of(source.platform)
    capabilities = adapter.capabilities
    budgets = engine.budgets
    ids: set[str] = set()
    pages: list[PageRead] = []

    async def look_up(listed: tuple[str, ...]) -> tuple[Mapping[str, KnownPosting], frozenset[str]]:
        known = await reading(engine.db, load_known, source.id, listed)
        return known, frozenset(ids & set(listed))

    async def keep() -> None:
        engine.progress.counts["legacy_request"] += 1

    async with engine.executor.session(adapter) as site:
        reader = PageReader(
            engine=engine,
            source=source,
            adapter=adapter,
            target=source.target,
            site=site,
            look_up=look_up,
            keep=keep,
            details_left=min(budgets.daily_details, capabilities.compliance.detail_request_limit_per_run),
            may_ask_details=lambda: not engine.stopping.is_set(),
        )
        cursor: str | None = None
        page_limit = min(budgets.daily_pages, capabilities.list_page_limit or budgets.daily_pages)
        while True:
            if engine.stopping.is_set():
                return Fail(reason=FailureReason.INTERRUPTED, summary="the daemon was stopped"), pages
            read = await _read_patiently(engine, reader, cursor)
            if isinstance(read, NotFetched):
                return failure_of(read), pages
            listed = read.list_page
            shown = {*(raw.source_job_id for raw in listed.postings), *listed.skipped_ids, *listed.withdrawn_ids}
            nothing_new = not shown - ids or listed.next_cursor == cursor
            ids |= shown
            pages.append(read)
            if listed.next_cursor is None or nothing_new or len(pages) >= page_limit:
                return _judge(pages, ids, nothing_new, capabilities.list_page_limit), pages
            cursor = listed.next_cursor


async def _read_patiently(engine: Engine, reader: PageReader, cursor: str | None) -> PageRead | NotFetched:
    """A pass has no slice to give back: it waits for a busy host."""
    while True:
        read = await reader.read(cursor)
        if not isinstance(read, HostBusy):
            return read
        if await wait_for(engine.clock, engine.stopping, read.until - engine.clock.now()):
            return NotFetched(outcome=Outcome.RATE_LIMITED, reason="stopped while the host was busy")


def _judge(pages: list[PageRead], ids: set[str], nothing_new: bool, list_page_limit: int | None) -> Succeed | Fail:
    counters = Counters()
    for page in pages:
        counters = count_page(counters, page, ids, Recorded())
    last = pages[-1].list_page
    if last.next_cursor is not None and not nothing_new:
        # v1 has no word for a budget: what was read counts, what was left out does not.
        return Succeed(close_guarded=True)
    state = ListState(
        next_cursor=last.next_cursor,
        brought_nothing_new=nothing_new,
        distinct_ids=len(ids),
        incremental=False,
        list_page_limit=list_page_limit,
        undetermined=0,
    )
    return decide_list_end(counters, state)


async def _is_open(tx: Tx, opened_at: datetime | None, source_id: int, run_date: date) -> bool:
    return opened_at is None or await runs.lock_end(tx, source_id, run_date) == (RunStatus.FAILED, opened_at, None)


@proven_by(_is_open)
async def _open_run(tx: Tx, source_id: int, run_date: date) -> datetime | None:
    """When the run row was made; None when there is one already."""
    now = await tx.now()
    row = run_row(source_id, run_date, RunStatus.FAILED, Counters(), Missed(), now)
    added = await runs.add_run(tx, {**row, "failure_reason": FailureReason.INTERRUPTED.value})
    return now if added else None


async def _is_closed(
    tx: Tx,
    closed: tuple[RunStatus, Counters, datetime],
    source: JobSource,
    run_date: date,
    end: Succeed | Fail,
    _pages: list[PageRead],
) -> bool:
    status, _, closed_at = closed
    summary = end.summary if isinstance(end, Fail) else None
    return await runs.lock_end(tx, source.id, run_date) == (status, closed_at, summary)


@proven_by(_is_closed)
async def _close_run(
    tx: Tx, source: JobSource, run_date: date, end: Succeed | Fail, pages: list[PageRead]
) -> tuple[RunStatus, Counters, datetime]:
    now = await tx.now()
    counters, seen_ids = Counters(), set[str]()
    for page in pages:
        shown = {*(raw.source_job_id for raw in page.list_page.postings), *page.list_page.skipped_ids}
        fresh = shown - seen_ids
        observed = [each for each in page.observed if each.raw.source_job_id in fresh]
        counters = count_page(counters, page, fresh, await record_page(tx, source, observed, now))
        seen_ids |= shown
    succeeded = isinstance(end, Succeed)
    status = RunStatus.SUCCESS if succeeded else RunStatus.FAILED
    missed = Missed()
    guarded = not isinstance(end, Succeed) or end.close_guarded
    if not is_close_guarded(CycleStatus(status), counters.fetched, guarded):
        auto_close = await flags.is_enabled(tx, FlagKey.AUTO_CLOSE)
        missed = await record_missed(tx, source.id, seen_ids, now, auto_close=auto_close)
    row = run_row(source.id, run_date, status, counters, missed, now)
    if isinstance(end, Fail):
        row |= {"failure_reason": str(end.reason)[:200], "failure_cause_summary": end.summary}
    await runs.save_run(tx, row)
    health = await runs.lock_health(tx, source.id, now)
    abnormal = is_abnormal(status, counters.fetched)
    await runs.save_health(tx, source.id, next_health(health, abnormal=abnormal, now=now), now)
    if succeeded:
        await companies.save_seeded(tx, source.id, now)
    return status, counters, now
