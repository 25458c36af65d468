"""A holder and the recovery, or two recoveries, at the same moment (seed 000, 상태 전이; DESIGN 1.3)."""

from __future__ import annotations

import asyncio

from sqlalchemy import text

from daemon.collection.actions.claim import Assignment
from daemon.collection.actions.commit_page import commit_page
from daemon.collection.actions.recover import recover_expired_leases
from daemon.collection.engine import Engine
from daemon.collection.model import LeaseLost
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_source_health
from daemon.posting.tables import job_postings
from tests.engines import add_source, claim, page_of, row, rows, write

ROUNDS = 40

Instances = tuple[Engine, Engine]


async def given_claim(engine: Engine) -> Assignment:
    await add_source(engine.db)
    (assignment,) = await claim(engine)
    return assignment


async def expire_in(engine: Engine, seconds: float) -> None:
    """Let the running cycle's lease end so long from now, by the server's time."""
    microseconds = round(seconds * 1_000_000)
    until = f"UTC_TIMESTAMP(6) + INTERVAL {microseconds} MICROSECOND"
    await write(engine.db, text(f"UPDATE job_posting_collection_cycles SET lease_until = {until}"))


async def commit(engine: Engine, held: Assignment, number: int) -> bool:
    """Commit the last page of a list with one posting; whether the claim still held."""
    try:
        await commit_page(engine, held.claim, page_of(engine, held, f"R{number}"))
    except LeaseLost:
        return False
    return True


async def recover_until_over(engine: Engine) -> int:
    """Recovery ticks, one after the other, until the cycle is terminal; how many cycles they ended."""
    ended = 0
    while not ended and (await row(engine.db, cycles))["cycle_status"] == "RUNNING":
        ended += await recover_expired_leases(engine)
    return ended


async def test_a_commit_at_the_very_end_of_the_lease_is_whole_or_nothing(instances: Instances) -> None:
    """Seed 000: stale worker 저장은 0 row update로 거부; 만료 lease는 FAILED terminal."""
    first, second = instances
    held = await given_claim(first)
    begun = first.clock.ticks()
    assert await commit(first, held, 0)
    lease = first.clock.ticks() - begun
    won = []
    for number in range(1, ROUNDS + 1):
        values = {"cycle_status": "RUNNING", "lease_token": held.claim.token, "finished_at": None}
        await write(first.db, cycles.update().values(**values))
        await expire_in(first, lease)
        async with asyncio.TaskGroup() as group:
            committing = group.create_task(commit(first, held, number))
            recovering = group.create_task(recover_until_over(second))
        cycle = await row(first.db, cycles)
        stored = {each["source_job_id"] for each in await rows(first.db, job_postings)}
        if committing.result():
            assert (cycle["cycle_status"], recovering.result()) == ("SUCCESS", 0)
        else:
            assert (cycle["failure_reason"], recovering.result()) == ("LEASE_EXPIRED", 1)
        assert (f"R{number}" in stored) is committing.result()
        assert cycle["lease_token"] is None
        assert await rows(first.db, seen) == []
        won.append(committing.result())
        # Towards where it may end either way, however fast the machine is just now.
        lease *= 0.8 if won[-1] else 1.25
    assert len(await rows(first.db, runs)) == 1
    assert {True, False} == set(won), "each of the two won at least once"


async def test_an_expired_lease_is_ended_once_by_however_many_recoveries(instances: Instances) -> None:
    await given_claim(instances[0])
    for number in range(1, ROUNDS + 1):
        await write(instances[0].db, cycles.update().values(cycle_status="RUNNING", lease_token="x"))
        await expire_in(instances[0], -1)
        async with asyncio.TaskGroup() as group:
            ticks = [group.create_task(recover_expired_leases(instances[each % 2])) for each in range(4)]
        assert sum(each.result() for each in ticks) == 1
        health = await row(instances[0].db, job_source_health)
        assert health["consecutive_abnormal_days"] == number
    assert len(await rows(instances[0].db, runs)) == 1
