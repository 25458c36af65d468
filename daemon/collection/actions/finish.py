"""The terminal transition of a cycle: all of it inside the caller's transaction, or none of it (seed 000)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, assert_never

import structlog

from daemon.collection.model import Counters, Cycle, CycleStatus, End, Exhaust, Fail, RunStatus, Succeed
from daemon.collection.rules.health import is_abnormal, is_close_guarded, next_health
from daemon.collection.store import cycles, runs, seen
from daemon.company import store as companies
from daemon.company.model import JobSource
from daemon.db import Tx
from daemon.flags import store as flags
from daemon.flags.model import FlagKey
from daemon.posting.model import Missed
from daemon.posting.record import record_missed

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """A cycle that has just become terminal."""

    cycle: Cycle
    source_label: str
    status: CycleStatus
    counters: Counters
    missed: Missed
    reason: str | None
    summary: str | None
    finished_at: datetime


async def finish_cycle(tx: Tx, cycle: Cycle, counters: Counters, end: End, source: JobSource | None = None) -> Ended:
    """End a locked cycle: final delta, run projection, health, seen set and status, in one transaction.

    `source` is the cycle's, where the caller knows it: what the log calls it is else read.

    The final delta runs only for a complete list with postings that is not close-guarded. `BUDGET_EXHAUSTED` makes no
    run row and says nothing of health; neither does a cycle that was never claimed say anything of its source.
    """
    now = await tx.now()
    status = _status_of(end)
    guarded = counters.close_guarded or (isinstance(end, Succeed) and end.close_guarded)
    missed = Missed()
    if not is_close_guarded(status, counters.fetched, guarded):
        auto_close = await flags.is_enabled(tx, FlagKey.AUTO_CLOSE)
        listed = seen.seen_ids(cycle.id)
        missed = await record_missed(tx, cycle.job_source_id, listed, now, auto_close=auto_close)
    reason = end.reason if isinstance(end, Fail | Exhaust) else None
    summary = end.summary if isinstance(end, Fail) else None
    ended = Ended(
        cycle=cycle,
        source_label=source.label if source is not None else await _label(tx, cycle.job_source_id),
        status=status,
        counters=counters,
        missed=missed,
        reason=reason,
        summary=summary and summary[:1000],
        finished_at=now,
    )
    await _project(tx, ended, now)
    await _judge_health(tx, ended, now)
    if status is not CycleStatus.FAILED:
        await companies.save_seeded(tx, cycle.job_source_id, now)
    await seen.delete_seen(tx, cycle.id)
    values = {**cycles.counter_columns(counters), **_terminal_columns(ended, end, now), "close_guarded": int(guarded)}
    await cycles.save_locked(tx, cycle.id, now, values)
    return ended


async def has_ended(tx: Tx, ended: Ended | None, cycle_id: int, _run_date: date) -> bool:
    """Whether it was this very end that was committed; None changed nothing, so it stands."""
    return ended is None or (await cycles.lock_standing(tx, cycle_id)).finished_at == ended.finished_at


async def _label(tx: Tx, job_source_id: int) -> str:
    """The source as a person knows it."""
    return "".join(source.label for source in await companies.load_sources(tx, [job_source_id]))


def log_ended(ended: Ended) -> None:
    """One line per terminal cycle; failures are warnings."""
    level = log.warning if ended.status is CycleStatus.FAILED else log.info
    level(
        "cycle.ended",
        cycle_id=ended.cycle.id,
        job_source_id=ended.cycle.job_source_id,
        source=ended.source_label,
        run_date=str(ended.cycle.run_date),
        cycle_status=ended.status,
        reason=ended.reason,
        summary=ended.summary,
        pages=ended.counters.list_pages,
        fetched=ended.counters.fetched,
        new=ended.counters.new,
        changed=ended.counters.changed,
        missed=ended.missed.missed,
        closed=len(ended.missed.closed_ids),
    )


def _status_of(end: End) -> CycleStatus:
    match end:
        case Succeed():
            return CycleStatus.SUCCESS
        case Exhaust():
            return CycleStatus.BUDGET_EXHAUSTED
        case Fail():
            return CycleStatus.FAILED
        case _:
            assert_never(end)


def _terminal_columns(ended: Ended, end: End, now: datetime) -> dict[str, Any]:
    return {
        "cycle_status": ended.status.value,
        "is_complete": int(isinstance(end, Succeed)),
        "continuation_cursor": None if isinstance(end, Succeed) else ended.cycle.cursor,
        "lease_token": None,
        "lease_until": None,
        "missed_count": ended.missed.missed,
        "closed_count": len(ended.missed.closed_ids),
        "budget_exhausted_reason": end.reason.value if isinstance(end, Exhaust) else None,
        "failure_reason": end.reason[:200] if isinstance(end, Fail) else None,
        "failure_cause_summary": ended.summary,
        "finished_at": now,
    }


async def _project(tx: Tx, ended: Ended, now: datetime) -> None:
    """The compatible run row of seed 000: SUCCESS and FAILED only."""
    if ended.status is CycleStatus.BUDGET_EXHAUSTED:
        return
    failed = ended.status is CycleStatus.FAILED
    status = RunStatus.FAILED if failed else RunStatus.SUCCESS
    row = runs.run_row(ended.cycle.job_source_id, ended.cycle.run_date, status, ended.counters, ended.missed, now)
    row["started_at"] = ended.cycle.started_at
    if failed:
        row |= {"failure_reason": ended.reason and ended.reason[:200], "failure_cause_summary": ended.summary}
    await runs.save_run(tx, row)


async def _judge_health(tx: Tx, ended: Ended, now: datetime) -> None:
    if ended.status is CycleStatus.BUDGET_EXHAUSTED or ended.cycle.attempt_count == 0:
        return
    source_id = ended.cycle.job_source_id
    health = await runs.lock_health(tx, source_id, now)
    abnormal = is_abnormal(ended.status, ended.counters.fetched)
    after = next_health(health, abnormal=abnormal, now=now)
    await runs.save_health(tx, source_id, after, now)
    if after.failure_episode > health.failure_episode:
        log.warning("source.broken", job_source_id=source_id, failure_episode=after.failure_episode)
