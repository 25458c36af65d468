"""Work on one source never waits for an open transaction of another's, however small the tables are.

On small tables MariaDB likes to read whole indexes, and locks what it reads: a statement that finds its row in any
other way than by its key makes all slices wait for each other, and deadlock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.commit_page import commit_page, record_page
from daemon.collection.actions.finish import finish_cycle
from daemon.collection.actions.lease import Lease, end_cycle, release_slice
from daemon.collection.actions.permit import obtain_permit
from daemon.collection.actions.prepare import prepare_day
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.engine import Engine
from daemon.collection.model import Fail, Succeed
from daemon.collection.store import cycles as cycle_store
from daemon.collection.store import hosts as host_store
from daemon.collection.store import seen as seen_store
from daemon.collection.store import snapshots
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Tx, transaction
from daemon.posting.actions import close_passed_deadlines
from tests.engines import add_source, claim, page_of, write

Instances = tuple[Engine, Engine]
Unit = Callable[[Tx, Engine, Assignment], Awaitable[None]]
Act = Callable[[Engine, Assignment], Coroutine[Any, Any, None]]


async def _write_page(tx: Tx, engine: Engine, held: Assignment) -> None:
    """What the commit of a page does."""
    await snapshots.pass_gate(tx, held.claim.run_date)
    assert await cycle_store.lock_held(tx, held.claim) is not None
    now = await tx.now()
    ids = [f"{held.source.id}-{number}" for number in range(3)]
    await seen_store.add_seen(tx, held.claim.cycle_id, ids, now)
    await record_page(tx, held.source, page_of(engine, held, *ids).read.observed, now)
    assert await cycle_store.save_held(tx, held.claim, now, {"lease_until": now + timedelta(seconds=90)})


async def _write_last_page(tx: Tx, engine: Engine, held: Assignment) -> None:
    await _write_page(tx, engine, held)
    cycle = await cycle_store.lock_held(tx, held.claim)
    assert cycle is not None
    await finish_cycle(tx, cycle, cycle.counters, Succeed(close_guarded=False))


async def _reserve_host(tx: Tx, engine: Engine, held: Assignment) -> None:
    # A fresh name: inserting one that was deleted, as between tests, also locks the gap behind it.
    await host_store.lock_host(tx, f"a-{uuid4()}.example.com")


async def _page(engine: Engine, held: Assignment) -> None:
    await commit_page(engine, held.claim, page_of(engine, held, "R1", "R2", next_cursor="1"))


async def _last_page(engine: Engine, held: Assignment) -> None:
    await commit_page(engine, held.claim, page_of(engine, held, "R1"))


async def _failure(engine: Engine, held: Assignment) -> None:
    await end_cycle(engine, held.claim, Fail(reason="SERVER_ERROR"))


async def _renewal(engine: Engine, held: Assignment) -> None:
    lease = Lease(engine, held.claim)
    lease.renewed_at -= 40
    await lease.keep()


async def _release(engine: Engine, held: Assignment) -> None:
    await release_slice(engine, held.claim)


async def _claim_another(engine: Engine, held: Assignment) -> None:
    taken = await claim_ready_cycles(engine, held.claim.run_date, 10, {}, lambda: str(uuid4()))
    assert len(taken) == 1


async def _recovery(engine: Engine, held: Assignment) -> None:
    expired = cycles.update().where(cycles.c.id == held.claim.cycle_id)
    await write(engine.db, expired.values(lease_until=held.claim.lease_until - timedelta(days=1)))
    assert await recover_expired_leases(engine) == 1


async def _preparation(engine: Engine, held: Assignment) -> None:
    await add_source(engine.db, slug="one more")
    assert await prepare_day(engine, held.claim.run_date) == 1


async def _permit(engine: Engine, held: Assignment) -> None:
    await obtain_permit(engine, f"b-{uuid4()}.example.com", timedelta(seconds=1), timedelta(seconds=20))


async def _sweep(engine: Engine, held: Assignment) -> None:
    await close_passed_deadlines(engine.db)


OPEN: dict[str, Unit] = {"a page": _write_page, "a last page": _write_last_page, "a host": _reserve_host}
ACTS: dict[str, Act] = {
    "a page": _page,
    "a last page": _last_page,
    "a failure": _failure,
    "a renewal": _renewal,
    "a release": _release,
    "a claim": _claim_another,
    "a recovery": _recovery,
    "a preparation": _preparation,
    "a permit": _permit,
    "a sweep": _sweep,
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("unit", OPEN)
async def test_one_sources_open_transaction_holds_up_no_work_on_another(
    instances: Instances, unit: str, act: str
) -> None:
    first, second = instances
    for slug in ("first", "second", "third"):
        await add_source(first.db, slug=slug)
    ours, theirs = await claim(first, 2)
    await _last_page(first, theirs)
    await reset(first, theirs)
    written, done = asyncio.Event(), asyncio.Event()

    async def stay_open(tx: Tx) -> None:
        await OPEN[unit](tx, first, ours)
        written.set()
        await done.wait()

    with capture_logs() as logs:
        async with asyncio.TaskGroup() as group:
            group.create_task(transaction(first.db, stay_open))
            await written.wait()
            acting = group.create_task(ACTS[act](second, theirs))
            finished, _ = await asyncio.wait({acting}, timeout=5)
            done.set()
    assert finished, "it had to wait until the other transaction was over"
    assert [each for each in logs if each["event"] == "transaction.retried"] == []


async def reset(engine: Engine, held: Assignment) -> None:
    """Let the cycle run again under its claim."""
    again = cycles.update().where(cycles.c.id == held.claim.cycle_id)
    values = {"cycle_status": "RUNNING", "lease_token": held.claim.token, "lease_until": held.claim.lease_until}
    await write(engine.db, again.values(**values))
