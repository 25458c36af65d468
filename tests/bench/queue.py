"""Claim and fenced completion of slices in which nothing happens: the engine's own overhead, and its ceiling.

Issue: "claim + fenced completion against procrastinate on PostgreSQL at 1 and 10 workers, and against the bare SQL
shape": at least 1.5 times procrastinate, at least 90 % of the bare shape, no deadlock that surfaces.

Ours are the engine's own actions, with all that they stand for: the 09:00 gate, flags and sources as of this moment,
places per host, the fence, another run after a conflict or a lost connection. A slice ends as `PENDING`, by one fenced
UPDATE: final delta, run row and health are the collection's, and of the peers nobody has anything like it.

The bare shape is the least that seed 000 demands of those two transactions: each locks the day's gate first and learns
the time from it, then claims or ends its row. It writes the rows that ours does, under the same locks, in as many
commits, and does nothing else: no flags, no sources, no places, no second run. It is there once by the same means
(SQLAlchemy) and once by the driver alone, which shows what those means cost. Without the gate no queue of cycles may
write; what is left of the bare shape then is shown beside it, and no goal is set on it.

procrastinate takes a job and ends it in a transaction each; its triggers write an event with either, which ours lacks
and the rate bears. All commit to the disk, and take turns.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from uuid import uuid4

import aiomysql
import procrastinate
from sqlalchemy import func, insert, make_url, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from daemon import schema
from daemon.clock import SystemClock, business_date
from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.lease import release_slice
from daemon.collection.engine import Engine
from daemon.collection.loop import TOGETHER
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.company.tables import companies, job_sources
from daemon.db import Database, open_database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import Platform, SourceType
from tests.bench.postgres import PostgresMissing, running_postgres
from tests.bench.report import Goal, Row
from tests.databases import execute, url_of
from tests.servers import OwnServer, admin

SLICES = 5_000
RUNS = 5
WORKERS = (1, 10)
GOALS = {"procrastinate": Goal(at_least=1.5), "the bare shape": Goal(at_least=0.9)}

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)

Run = Callable[[int], Awaitable[float]]
"""Empties a full queue with so many workers; slices per second."""


async def main() -> list[Row]:
    """Measure on MariaDB, beside PostgreSQL where that is installed."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gonggo-bench-"))
        server = stack.enter_context(OwnServer("mariadb", Path(folder) / "server"))
        with admin(server.url) as cursor:
            cursor.execute("SET GLOBAL innodb_flush_log_at_trx_commit=1")
            cursor.execute("CREATE DATABASE bench_queue")
        db = open_database(f"{server.url}/bench_queue", SystemClock())
        stack.push_async_callback(db.close)
        day = await _fill(db)
        sides: dict[str, Run] = {
            "ours": partial(_ours, db, day),
            "the bare shape": partial(_bare, db, day),
            "the bare shape without the gate": partial(_bare, db, day, gate=None),
            "the driver alone": partial(_driver, db, day),
        }
        try:
            address = stack.enter_context(running_postgres())
        except PostgresMissing as error:
            print(f"queue: not measured beside procrastinate, {error}", file=sys.stderr)
        else:
            sides["procrastinate"] = partial(_procrastinate, await stack.enter_async_context(_peer(address)))
        return await _measure(sides)


async def _measure(sides: dict[str, Run]) -> list[Row]:
    rows = []
    for workers in WORKERS:
        rates: dict[str, list[float]] = {name: [] for name in sides}
        for _, (name, run) in itertools.product(range(RUNS), sides.items()):
            rates[name].append(await run(workers))
        rows += [_row(workers, name, rates["ours"], rates[name], GOALS.get(name)) for name in sides if name != "ours"]
    return rows


def _row(workers: int, name: str, ours: list[float], beside: list[float], goal: Goal | None) -> Row:
    rate, other = statistics.median(ours), statistics.median(beside)
    return Row(
        bench="queue",
        what=f"{SLICES:,} slices, {workers} worker{'s' if workers > 1 else ''}, beside {name}; median of {RUNS}",
        ours=f"{rate:.0f}/s (least {min(ours):.0f})",
        beside=f"{other:.0f}/s (least {min(beside):.0f})",
        ratio=rate / other,
        goal=goal,
    )


# --- ours ------------------------------------------------------------------------------------------------------------


async def _fill(db: Database) -> date:
    """So many followed boards, the flags on, and a day whose 09:00 is still to come; returns the day."""
    await schema.migrate(db)
    for key in FlagKey:
        await switch_flag(db, key, True)
    now = SystemClock().now()
    day = business_date(now)
    stamps = {"created_at": now, "updated_at": now}
    numbers = range(1, SLICES + 1)
    named = {"registration_type": "AUTO", "company_origin": "WATCHED", **stamps}
    await execute(
        db, insert(companies), [{"id": one, "name": f"{one}", "name_key": f"{one}", **named} for one in numbers]
    )
    board = {"platform": Platform.GREENHOUSE, "source_type": SourceType.COMPANY_BOUND, **stamps}
    await execute(
        db, insert(job_sources), [{"id": one, "company_id": one, "source_slug": f"{one}", **board} for one in numbers]
    )
    pending = {"snapshot_date": day, "scheduled_at": now + _DAY, "capture_status": "PENDING", **stamps}
    await execute(db, insert(headers), [pending])
    return day


async def _queue(db: Database, day: date) -> None:
    """A full queue: a ready cycle of the day for each board."""
    now = SystemClock().now()
    ready = {"run_date": day, "source_type": "COMPANY_BOUND", "cycle_status": "PENDING", "started_at": now}
    stamps = {"created_at": now, "updated_at": now}
    rows = [
        {"id": one, "job_source_id": one, "next_eligible_at": now - _HOUR + timedelta(milliseconds=one)}
        for one in range(1, SLICES + 1)
    ]
    await execute(db, text(f"TRUNCATE {cycles.name}"))
    await execute(db, insert(cycles), [{**row, **ready, **stamps} for row in rows])
    await execute(db, text(f"ANALYZE TABLE {cycles.name}"))


async def _check(db: Database, status: str) -> None:
    """Each slice was claimed once and ended once."""
    counts = await execute(
        db,
        select(cycles.c.cycle_status, cycles.c.attempt_count, cycles.c.lease_token, func.count()).group_by(
            cycles.c.cycle_status, cycles.c.attempt_count, cycles.c.lease_token
        ),
    )
    assert [tuple(row) for row in counts] == [(status, 1, None, SLICES)], counts[:5]


async def _ours(db: Database, day: date, workers: int) -> float:
    await _queue(db, day)
    settings = Settings(workers=workers, slices_per_host=max(WORKERS))
    executor = Executor(settings)
    engine = Engine(db=db, executor=executor, settings=settings, wake=asyncio.Event())
    tomorrow = SystemClock().now() + _DAY
    in_hand: set[asyncio.Task[None]] = set()
    ended = 0

    async def work(assignment: Assignment) -> None:
        nonlocal ended
        await release_slice(engine, assignment.claim, tomorrow)
        ended += 1

    began = time.perf_counter()
    while ended < SLICES:
        # As `run_slices` does: whoever has room claims for all of it.
        for one in await claim_ready_cycles(engine, day, workers - len(in_hand), Counter(), lambda: str(uuid4())):
            in_hand.add(asyncio.ensure_future(work(one)))
        if in_hand:
            done, in_hand = await asyncio.wait(in_hand, return_when=asyncio.FIRST_COMPLETED)
            if in_hand:
                await asyncio.sleep(TOGETHER.total_seconds())
                more = {task for task in in_hand if task.done()}
                done, in_hand = done | more, in_hand - more
            for task in done:
                task.result()
    seconds = time.perf_counter() - began
    await executor.close()
    await _check(db, "PENDING")
    return SLICES / seconds


# --- the bare shape --------------------------------------------------------------------------------------------------

_GATE = f"""
SELECT capture_status, scheduled_at, SYSDATE(6) FROM {headers.name} WHERE snapshot_date = :day LOCK IN SHARE MODE
"""
_FIND = f"""
SELECT id FROM {cycles.name} FORCE INDEX (idx_job_posting_collection_cycles_ready)
WHERE cycle_status = 'PENDING' AND next_eligible_at <= UTC_TIMESTAMP(6)
ORDER BY next_eligible_at, run_date, id LIMIT 1 FOR UPDATE SKIP LOCKED
"""
_TAKE = f"""
UPDATE {cycles.name} SET cycle_status = 'RUNNING', lease_token = :token, attempt_count = attempt_count + 1,
lease_until = UTC_TIMESTAMP(6) + INTERVAL 90 SECOND, updated_at = UTC_TIMESTAMP(6) WHERE id = :id
"""
_END = f"""
UPDATE {cycles.name} SET cycle_status = 'SUCCESS', lease_token = NULL, lease_until = NULL, updated_at = UTC_TIMESTAMP(6)
WHERE id = :id AND lease_token = :token AND lease_until > UTC_TIMESTAMP(6) AND cycle_status = 'RUNNING'
"""


async def _bare(db: Database, day: date, workers: int, *, gate: str | None = _GATE) -> float:
    await _queue(db, day)
    engine = create_async_engine(db.engine.url, isolation_level="READ COMMITTED", pool_size=workers)
    find, take, end = text(_FIND), text(_TAKE), text(_END)
    passing = None if gate is None else text(gate)

    async def pass_gate(connection: AsyncConnection) -> None:
        if passing is not None:
            (await connection.execute(passing, {"day": day})).one()

    async def worker() -> None:
        async with engine.connect() as connection:
            while True:
                await pass_gate(connection)
                found = (await connection.execute(find)).one_or_none()
                if found is None:
                    break
                claim = {"id": found.id, "token": str(uuid4())}
                await connection.execute(take, claim)
                await connection.commit()
                await pass_gate(connection)
                assert (await connection.execute(end, claim)).rowcount == 1
                await connection.commit()
            await connection.rollback()

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(workers)))
    seconds = time.perf_counter() - began
    await engine.dispose()
    await _check(db, "SUCCESS")
    return SLICES / seconds


async def _driver(db: Database, day: date, workers: int) -> float:
    await _queue(db, day)
    at = make_url(url_of(db))
    pool = await aiomysql.create_pool(
        host=at.host,
        port=at.port,
        user=at.username,
        db=at.database,
        minsize=workers,
        maxsize=workers,
        init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
    )
    take, end = (statement.replace(":id", "%(id)s").replace(":token", "%(token)s") for statement in (_TAKE, _END))
    gate, today = _GATE.replace(":day", "%(day)s"), {"day": day}

    async def worker() -> None:
        async with pool.acquire() as connection, connection.cursor() as cursor:
            while await cursor.execute(gate, today) and await cursor.execute(_FIND):
                ((cycle_id,),) = await cursor.fetchall()
                claim = {"id": cycle_id, "token": str(uuid4())}
                await cursor.execute(take, claim)
                await connection.commit()
                await cursor.execute(gate, today)
                assert await cursor.execute(end, claim) == 1
                await connection.commit()
            await connection.rollback()

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(workers)))
    seconds = time.perf_counter() - began
    pool.close()
    await pool.wait_closed()
    await _check(db, "SUCCESS")
    return SLICES / seconds


# --- the peer --------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _peer(address: str) -> AsyncIterator[procrastinate.App]:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=address, max_size=2 * max(WORKERS) + 2))

    async def nothing() -> None:
        """What a slice does here."""

    app.task(nothing, name="nothing")
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        yield app


async def _procrastinate(app: procrastinate.App, workers: int) -> float:
    await app.connector.execute_query_async("TRUNCATE procrastinate_jobs CASCADE")
    await app.configure_task("nothing").batch_defer_async(*({} for _ in range(SLICES)))
    await app.connector.execute_query_async("ANALYZE procrastinate_jobs")
    began = time.perf_counter()
    await app.run_worker_async(
        wait=False, concurrency=workers, install_signal_handlers=False, listen_notify=False, delete_jobs="never"
    )
    seconds = time.perf_counter() - began
    counted = await app.connector.execute_query_all_async(
        "SELECT status::text, count(*) AS jobs FROM procrastinate_jobs GROUP BY 1"
    )
    assert [dict(row) for row in counted] == [{"status": "succeeded", "jobs": SLICES}], counted
    return SLICES / seconds
