"""SQL of cycles. A write on a claimed cycle repeats the fence in its WHERE and must change exactly one row."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import Any

from sqlalchemy import Update, bindparam, case, func, select, update

from daemon.collection.model import Claim, Counters, Cycle, CycleStatus, OpenWork, Standing
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import EachAtOnce, Tx, insert_if_absent
from daemon.sources.model import SourceType

_READY = "idx_job_posting_collection_cycles_ready"
_OPEN = (CycleStatus.NOT_STARTED.value, CycleStatus.PENDING.value)

_CYCLE = (
    cycles.c.id,
    cycles.c.job_source_id,
    cycles.c.run_date,
    cycles.c.source_type,
    cycles.c.cycle_status,
    cycles.c.is_complete,
    cycles.c.continuation_cursor,
    cycles.c.attempt_count,
    cycles.c.list_page_count,
    cycles.c.fetched_count,
    cycles.c.new_count,
    cycles.c.changed_count,
    cycles.c.skipped_count,
    cycles.c.unidentified_count,
    cycles.c.detail_request_count,
    cycles.c.detail_failure_count,
    cycles.c.detail_skipped_count,
    cycles.c.declared_total,
    cycles.c.close_guarded,
    cycles.c.started_at,
)
_LEASE = (cycles.c.lease_token, cycles.c.lease_until)
_LOCKED = EachAtOnce(select(*_CYCLE, *_LEASE).where(cycles.c.id == bindparam("cycle_id")).with_for_update())


def to_counters(row: Any) -> Counters:
    """The counter columns of a cycle's row."""
    return Counters(
        list_pages=row.list_page_count,
        fetched=row.fetched_count,
        new=row.new_count,
        changed=row.changed_count,
        skipped=row.skipped_count,
        unidentified=row.unidentified_count,
        detail_requests=row.detail_request_count,
        detail_failures=row.detail_failure_count,
        detail_skipped=row.detail_skipped_count,
        declared_total=row.declared_total,
        close_guarded=bool(row.close_guarded),
    )


def counter_columns(counters: Counters) -> dict[str, Any]:
    """The counter columns to write."""
    return {
        "list_page_count": counters.list_pages,
        "fetched_count": counters.fetched,
        "new_count": counters.new,
        "changed_count": counters.changed,
        "skipped_count": counters.skipped,
        "unidentified_count": counters.unidentified,
        "detail_request_count": counters.detail_requests,
        "detail_failure_count": counters.detail_failures,
        "detail_skipped_count": counters.detail_skipped,
        "declared_total": counters.declared_total,
        "close_guarded": int(counters.close_guarded),
    }


def _to_cycle(row: Any) -> Cycle:
    return Cycle(
        id=row.id,
        job_source_id=row.job_source_id,
        run_date=row.run_date,
        source_type=SourceType(row.source_type),
        status=CycleStatus(row.cycle_status),
        is_complete=bool(row.is_complete),
        cursor=row.continuation_cursor,
        attempt_count=row.attempt_count,
        counters=to_counters(row),
        started_at=row.started_at,
    )


async def add_not_started(tx: Tx, run_date: date, sources: Mapping[int, SourceType], now: datetime) -> None:
    """Make a `NOT_STARTED` cycle for each source that has none on `run_date`."""
    await insert_if_absent(
        tx,
        cycles,
        [
            {
                "job_source_id": source_id,
                "run_date": run_date,
                "source_type": source_type.value,
                "cycle_status": CycleStatus.NOT_STARTED.value,
                "next_eligible_at": now,
                "started_at": now,
                "created_at": now,
                "updated_at": now,
            }
            for source_id, source_type in sorted(sources.items())
        ],
    )


async def sources_with_cycle(tx: Tx, run_date: date, source_ids: Collection[int]) -> set[int]:
    """Which of the sources have a cycle on `run_date`."""
    rows = await tx.execute(
        select(cycles.c.job_source_id).where(
            cycles.c.job_source_id.in_(list(source_ids)), cycles.c.run_date == run_date
        )
    )
    return {row.job_source_id for row in rows}


async def enqueue(tx: Tx, run_date: date, source_ids: Collection[int], now: datetime) -> int:
    """Q1: `NOT_STARTED` → `PENDING` for the sources' cycles of the day; returns how many."""
    result = await tx.execute(
        update(cycles)
        .with_hint(f"FORCE INDEX ({_READY})", dialect_name="mysql")
        .where(
            cycles.c.cycle_status == CycleStatus.NOT_STARTED.value,
            cycles.c.next_eligible_at <= now,
            cycles.c.run_date == run_date,
            cycles.c.job_source_id.in_(list(source_ids)),
        )
        .values(cycle_status=CycleStatus.PENDING.value, updated_at=now)
    )
    return result.rowcount


_LOCK_READY = EachAtOnce(
    select(*_CYCLE)
    .with_hint(cycles, "FORCE INDEX (PRIMARY)", "mysql")
    .where(
        cycles.c.id.in_(bindparam("ids", expanding=True)),
        cycles.c.cycle_status == CycleStatus.PENDING.value,
        cycles.c.next_eligible_at <= bindparam("now"),
    )
    .order_by(cycles.c.id)
    .with_for_update(skip_locked=True)
)


async def lock_ready(tx: Tx, cycle_ids: Collection[int], now: datetime) -> list[Cycle]:
    """Q1: those of the cycles that are still ready, locked, by id; rows that others hold are skipped."""
    return [_to_cycle(row) for row in await _LOCK_READY.rows(tx, {"ids": sorted(cycle_ids), "now": now})]


async def save_claims(tx: Tx, claims: Sequence[Claim], now: datetime) -> None:
    """`PENDING` → `RUNNING` under each claim's token, for rows that this transaction has locked."""
    if not claims:
        return
    values: dict[str, Any] = {"now": now, "until": claims[0].lease_until}
    for number, claim in enumerate(claims):
        values |= {f"id_{number}": claim.cycle_id, f"token_{number}": claim.token}
    await tx.write(_claims(len(claims)), values)


@cache
def _claims(count: int) -> Update:
    """Made once for each number of claims: all have one lease, and each its token."""
    ids = [bindparam(f"id_{number}", type_=cycles.c.id.type) for number in range(count)]
    tokens = [bindparam(f"token_{number}", type_=cycles.c.lease_token.type) for number in range(count)]
    token = tokens[0] if count == 1 else case(*((cycles.c.id == ids[n], tokens[n]) for n in range(count)))
    return (
        update(cycles)
        .with_hint("FORCE INDEX (PRIMARY)", dialect_name="mysql")
        .where(cycles.c.id.in_(ids))
        .values(
            cycle_status=CycleStatus.RUNNING.value,
            lease_token=token,
            lease_until=bindparam("until"),
            attempt_count=cycles.c.attempt_count + 1,
            updated_at=bindparam("now"),
        )
    )


async def lock_held(tx: Tx, claim: Claim) -> Cycle | None:
    """The claimed cycle, locked, or None when the claim no longer holds it (seed 000: the fencing condition)."""
    row = next(iter(await _LOCKED.rows(tx, {"cycle_id": claim.cycle_id})), None)
    now = await tx.now()
    if row is None or row.lease_token != claim.token or row.cycle_status != CycleStatus.RUNNING.value:
        return None
    if row.lease_until is None or row.lease_until <= now:
        return None
    return _to_cycle(row)


async def lock_standing(tx: Tx, cycle_id: int) -> Standing:
    """How the cycle stands once whoever is writing it has ended: for one who lost the connection in mid-commit."""
    columns = (cycles.c.cycle_status, cycles.c.lease_token, cycles.c.list_page_count, cycles.c.finished_at)
    row = (await tx.execute(select(*columns).where(cycles.c.id == cycle_id).with_for_update())).one()
    return Standing(
        status=CycleStatus(row.cycle_status),
        token=row.lease_token,
        list_pages=row.list_page_count,
        finished_at=row.finished_at,
    )


async def save_held(tx: Tx, claim: Claim, now: datetime, values: Mapping[str, Any]) -> bool:
    """Write to the claimed cycle; False (0 rows) when the claim no longer holds it."""
    fence = {"held_id": claim.cycle_id, "held_token": claim.token, "now": now}
    written = {f"new_{name}": value for name, value in values.items()}
    return (await tx.execute(_held(tuple(values)), {**fence, **written})).rowcount == 1


@cache
def _held(names: tuple[str, ...]) -> Update:
    """The fenced write of these columns (seed 000: the fencing condition)."""
    return (
        update(cycles)
        # Left to itself MariaDB takes the index of expired leases, and locks every running cycle on its way.
        .with_hint("FORCE INDEX (PRIMARY)", dialect_name="mysql")
        .where(
            cycles.c.id == bindparam("held_id"),
            cycles.c.lease_token == bindparam("held_token"),
            cycles.c.lease_until > bindparam("now"),
            cycles.c.cycle_status == CycleStatus.RUNNING.value,
        )
        .values({"updated_at": bindparam("now"), **{name: bindparam(f"new_{name}") for name in names}})
    )


async def expired_ids(tx: Tx, now: datetime, limit: int) -> list[tuple[int, date]]:
    """Q2: (id, run_date) of running cycles whose lease has expired."""
    rows = await tx.execute(
        select(cycles.c.id, cycles.c.run_date)
        .where(cycles.c.cycle_status == CycleStatus.RUNNING.value, cycles.c.lease_until < now)
        .order_by(cycles.c.lease_until, cycles.c.id)
        .limit(limit)
    )
    return [(row.id, row.run_date) for row in rows]


async def left_over(tx: Tx, before: date, limit: int) -> list[tuple[int, date]]:
    """(id, run_date) of cycles of earlier days that no slice will take up any more."""
    rows = await tx.execute(
        select(cycles.c.id, cycles.c.run_date)
        .where(cycles.c.cycle_status.in_(_OPEN), cycles.c.run_date < before)
        .order_by(cycles.c.id)
        .limit(limit)
    )
    return [(row.id, row.run_date) for row in rows]


async def lock_expired(tx: Tx, cycle_id: int) -> Cycle | None:
    """The cycle, locked, if it is still running on an expired lease.

    None also when someone else has it locked: another instance that ends it, or a holder that was suspended in the
    middle of a write, which must not keep all others from being recovered.
    """
    expired = select(*_CYCLE, *_LEASE).where(cycles.c.id == cycle_id).with_for_update(skip_locked=True)
    row = (await tx.execute(expired)).one_or_none()
    now = await tx.now()
    if row is None or row.cycle_status != CycleStatus.RUNNING.value or row.lease_until >= now:
        return None
    return _to_cycle(row)


async def lock_open(tx: Tx, cycle_id: int) -> Cycle | None:
    """The cycle, locked, if it is still `NOT_STARTED` or `PENDING`."""
    row = (await tx.execute(select(*_CYCLE).where(cycles.c.id == cycle_id).with_for_update())).one_or_none()
    return _to_cycle(row) if row is not None and row.cycle_status in _OPEN else None


async def save_locked(tx: Tx, cycle_id: int, now: datetime, values: Mapping[str, Any]) -> None:
    """Write to a cycle that this transaction has locked."""
    await tx.write(update(cycles).where(cycles.c.id == cycle_id).values(**values, updated_at=now))


async def lock_of_day(tx: Tx, run_date: date, source_ids: Collection[int]) -> list[Cycle]:
    """The sources' cycles of the day, locked, by id."""
    rows = await tx.execute(
        select(*_CYCLE)
        .where(cycles.c.run_date == run_date, cycles.c.job_source_id.in_(list(source_ids)))
        .order_by(cycles.c.id)
        .with_for_update()
    )
    return [_to_cycle(row) for row in rows]


async def open_work(tx: Tx, run_date: date) -> OpenWork:
    """What of the day is not over yet."""
    unfinished = [status.value for status in CycleStatus if not status.terminal]
    rows = await tx.execute(
        select(cycles.c.cycle_status, func.count().label("cycles"), func.min(cycles.c.next_eligible_at).label("ready"))
        .where(cycles.c.run_date == run_date, cycles.c.cycle_status.in_(unfinished))
        .group_by(cycles.c.cycle_status)
    )
    found = {row.cycle_status: row for row in rows}
    waiting = [row.ready for status, row in found.items() if status != CycleStatus.RUNNING]
    running = found.get(CycleStatus.RUNNING.value)
    return OpenWork(
        cycles=sum(row.cycles for row in found.values()),
        running=0 if running is None else running.cycles,
        ready_at=min(waiting, default=None),
    )
