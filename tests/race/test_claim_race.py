"""Claims, preparations and legacy passes of two instances at once (seed 000, Testing Plan; DESIGN 1.3)."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.legacy import collect_source
from daemon.collection.actions.prepare import enqueue_day, prepare_day
from daemon.collection.engine import Engine
from daemon.collection.model import CycleStatus
from daemon.collection.store import cycles as store
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.company.store import load_sources
from daemon.db import Tx, reading, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from tests.board import Board
from tests.engines import add_source, rows, today, write

ROUNDS = 40

Instances = tuple[Engine, Engine]


async def take(engine: Engine, limit: int) -> list[Assignment]:
    """Claim what is ready today."""
    return await claim_ready_cycles(engine, await today(engine.db), limit, {}, lambda: str(uuid4()))


async def given_ready(instances: Instances, count: int) -> None:
    """Sources whose cycles of today are in the ready queue."""
    first, _ = instances
    for number in range(count):
        await add_source(first.db, slug=f"board-{number}")
    await prepare_day(first, await today(first.db))
    await enqueue_day(first, await today(first.db))


async def test_claims_at_once_share_the_ready_cycles_out_and_take_each_once(instances: Instances) -> None:
    """Seed 000, Testing Plan: 두 DB connection이 같은 ready cycle을 claim할 때 1개만 lease됨."""
    await given_ready(instances, 8)
    for number in range(ROUNDS):
        async with asyncio.TaskGroup() as group:
            claims = [group.create_task(take(instances[each % 2], 3)) for each in range(4)]
        taken = [assignment.claim for each in claims for assignment in each.result()]
        assert sorted(each.job_source_id for each in taken) == sorted({each.job_source_id for each in taken})
        assert len(taken) == 8, f"round {number}: every ready cycle is somebody's"
        stored = {
            each["id"]: (each["lease_token"], each["cycle_status"]) for each in await rows(instances[0].db, cycles)
        }
        assert stored == {each.cycle_id: (each.token, "RUNNING") for each in taken}
        await write(instances[0].db, cycles.update().values(cycle_status=CycleStatus.PENDING, lease_token=None))
    assert {each["attempt_count"] for each in await rows(instances[0].db, cycles)} == {ROUNDS}


async def test_the_last_ready_cycle_goes_to_exactly_one_of_many_claims(instances: Instances) -> None:
    await given_ready(instances, 1)
    for _ in range(ROUNDS):
        async with asyncio.TaskGroup() as group:
            claims = [group.create_task(take(instances[each % 2], 10)) for each in range(6)]
        assert sum(len(each.result()) for each in claims) == 1
        await write(instances[0].db, cycles.update().values(cycle_status=CycleStatus.PENDING))


async def test_a_claim_that_is_still_open_hides_no_cycle_but_its_own(instances: Instances) -> None:
    """Research, pitfalls row 2: two open transactions must each get a distinct row while work is pending."""
    await given_ready(instances, 3)
    first, second = instances
    ids = [each["id"] for each in await rows(first.db, cycles)]
    held, done = asyncio.Event(), asyncio.Event()

    async def claim_slowly(tx: Tx) -> int:
        (cycle,) = await store.lock_ready(tx, ids[:1], await tx.now())
        held.set()
        await done.wait()
        return cycle.id

    async with asyncio.TaskGroup() as group:
        slow = group.create_task(transaction(first.db, claim_slowly))
        await held.wait()
        others = [each.claim.cycle_id for each in await take(second, 10)]
        assert not slow.done()
        done.set()
    assert sorted([slow.result(), *others]) == sorted(each["id"] for each in await rows(first.db, cycles))
    assert len(others) == 2


async def test_two_preparations_at_once_make_one_header_and_one_cycle_per_source(instances: Instances) -> None:
    """Seed 000, 구현자 handoff: unique 충돌을 정상적인 “이미 생성됨”으로 처리한다."""
    first, _ = instances
    for number in range(5):
        await add_source(first.db, slug=f"board-{number}")
    day = await today(first.db)
    for _ in range(ROUNDS):
        async with asyncio.TaskGroup() as group:
            for number in range(4):
                group.create_task(prepare_day(instances[number % 2], day))
        assert len(await rows(first.db, headers)) == 1
        assert len(await rows(first.db, cycles)) == 5
        await write(first.db, cycles.delete())
        await write(first.db, headers.delete())


async def test_two_legacy_passes_at_once_ask_the_site_once(instances: Instances, board: Board) -> None:
    """Seed 001: unique(job_source_id, run_date)가 두 번째 실행을 차단 (DuplicateKey → skip)."""
    first, _ = instances
    await switch_flag(first.db, FlagKey.COLLECTION_DISPATCH_V2, False)
    board.fill(3)
    await add_source(first.db)
    (source,) = await reading(first.db, load_sources)
    for _ in range(10):
        board.lists_asked.clear()
        day = await today(first.db)
        async with asyncio.TaskGroup() as group:
            passes = [group.create_task(collect_source(instances[each % 2], source, day)) for each in range(4)]
        assert sorted(str(each.result()) for each in passes) == ["None", "None", "None", "SUCCESS"]
        assert board.lists_asked == [0]
        assert len(await rows(first.db, runs)) == 1
        await write(first.db, runs.delete())
