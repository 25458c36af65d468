"""The engine's writes, each to be made by an engine behind a proxy that loses its connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import insert, update

from daemon.clock import KST, ManualClock, kst
from daemon.collection.actions.claim import Assignment, claim_ready_cycles
from daemon.collection.actions.commit_page import commit_page
from daemon.collection.actions.lease import Lease, end_cycle, release_slice
from daemon.collection.actions.legacy import collect_legacy
from daemon.collection.actions.permit import HostPermit, close_up, delay_host, obtain_permit
from daemon.collection.actions.prepare import end_earlier_days, enqueue_day, prepare_day
from daemon.collection.actions.recover import delete_orphaned_seen, recover_expired_leases
from daemon.collection.actions.snapshot import settle_snapshot
from daemon.collection.engine import Engine
from daemon.collection.model import BudgetReason, Exhaust
from daemon.collection.tables import external_request_host_limits as hosts
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.collection.tables import job_source_health
from daemon.db import Database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.tables import job_posting_descriptions, job_postings
from daemon.schedule.actions import claim_job, finish_job, give_back_job, renew_job
from daemon.schedule.model import JobName, JobStatus
from daemon.schedule.tables import scheduled_job_executions
from daemon.sources.model import SourceType
from tests.board import Board
from tests.engines import DAY, add_source, claim, page_of, rows, switch_on, today, write
from tests.faults import FaultyProxy

TABLES = (
    cycles,
    runs,
    seen,
    headers,
    items,
    hosts,
    job_source_health,
    job_postings,
    job_posting_descriptions,
    scheduled_job_executions,
)
START = datetime(2026, 12, 1, tzinfo=KST)

WRITES = ("INSERT", "UPDATE", "DELETE", "COMMIT")
"""Statements that do anything; of others an answer that is lost is as good as one never given."""

Act = Callable[[Engine], Awaitable[Any]]
"""The write itself, made by an engine whose connection breaks; what it says is compared."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The engine as it is, and the same one behind the proxy, as another instance would be."""

    engine: Engine
    behind: Engine
    proxy: FaultyProxy
    board: Board
    empty: Callable[[], Awaitable[None]]

    @property
    def clock(self) -> ManualClock:
        clock = self.engine.db.clock
        assert isinstance(clock, ManualClock)
        return clock

    async def reset(self) -> None:
        """Nothing is stored, v2 is on, and it is the start of the day."""
        await self.empty()
        self.engine.db.clock = self.behind.db.clock = ManualClock(START)
        await switch_on(self.engine.db, FlagKey.COLLECTION_DISPATCH_V2, FlagKey.AUTO_CLOSE)
        await today(self.behind.db)  # a connection is there
        self.board.lists_asked.clear()

    async def stored(self) -> dict[str, list[dict[str, Any]]]:
        """What the tables say, but for numbers that the database gives and tokens that are made up."""
        return {table.name: [_essence(each) for each in await rows(self.engine.db, table)] for table in TABLES}


def _essence(row: dict[str, Any]) -> dict[str, Any]:
    made_up = {name for name in row if name == "id" or name.endswith("_id")} - {"source_job_id"}
    return {name: bool(row[name]) if "token" in name or name in made_up else row[name] for name in row}


# --- what is done, each time from a fresh start ----------------------------------------------------------------------


async def held(scene: Scene) -> Assignment:
    await add_source(scene.engine.db)
    (assignment,) = await claim(scene.engine)
    return assignment


def _page(*ids: str, next_cursor: str | None = None, pages: int = 1) -> Callable[[Scene], Awaitable[Act]]:
    async def prepared(scene: Scene) -> Act:
        taken = await held(scene)
        known = replace(page_of(scene.engine, taken, "R1", "R2", next_cursor="1"), cursor="0")
        await commit_page(scene.engine, taken.claim, known)
        page = page_of(scene.engine, taken, *ids, next_cursor=next_cursor)
        page = replace(page, cursor="1", slice_use=replace(page.slice_use, pages=pages))

        async def act(engine: Engine) -> Any:
            return (await commit_page(engine, taken.claim, page)).after

        return act

    return prepared


async def _claiming(scene: Scene) -> Act:
    for slug in ("a", "b", "c"):
        await add_source(scene.engine.db, slug=slug)
    day = await today(scene.engine.db)
    await prepare_day(scene.engine, day)
    await enqueue_day(scene.engine, day)
    tokens = iter("abcdef")

    async def act(engine: Engine) -> Any:
        engine = replace(engine, settings=engine.settings.model_copy(update={"slices_per_host": 3}))
        claimed = await claim_ready_cycles(engine, day, 2, {}, lambda: next(tokens))
        held = {each.claim.cycle_id: each.claim.token for each in claimed}
        stored = {
            each["id"]: each["lease_token"] for each in await rows(scene.engine.db, cycles) if each["lease_token"]
        }
        assert held == stored, "what is claimed is known to the one that claimed it"
        await write(scene.engine.db, update(cycles).values(lease_token=None))
        return len(held)

    return act


async def _ending(scene: Scene) -> Act:
    taken = await held(scene)
    return lambda engine: end_cycle(engine, taken.claim, Exhaust(reason=BudgetReason.DETAIL_LIMIT))


async def _releasing(scene: Scene) -> Act:
    taken = await held(scene)
    return lambda engine: release_slice(engine, taken.claim, scene.clock.now() + timedelta(seconds=30))


async def _renewing(scene: Scene) -> Act:
    taken = await held(scene)

    async def act(engine: Engine) -> None:
        lease = Lease(engine, taken.claim)
        lease.renewed_at -= 60
        await lease.keep()

    return act


async def _preparing(scene: Scene) -> Act:
    await add_source(scene.engine.db)

    async def act(engine: Engine) -> None:
        await prepare_day(engine, await today(scene.engine.db))
        await enqueue_day(engine, await today(scene.engine.db))

    return act


async def _ending_yesterday(scene: Scene) -> Act:
    taken = await held(scene)
    await release_slice(scene.engine, taken.claim)
    scene.clock.advance(DAY)
    return lambda engine: end_earlier_days(engine, START.date() + DAY)


async def _recovering(scene: Scene) -> Act:
    await held(scene)
    scene.clock.advance(timedelta(minutes=5))
    return recover_expired_leases


async def _capturing(scene: Scene) -> Act:
    await held(scene)
    await add_source(scene.engine.db, slug="another")
    scene.clock.set(kst(START.date(), 9))
    return lambda engine: settle_snapshot(engine, START.date())


async def _cleaning(scene: Scene) -> Act:
    taken = await held(scene)
    await end_cycle(scene.engine, taken.claim, Exhaust(reason=BudgetReason.DETAIL_LIMIT))
    row = {"job_posting_collection_cycle_id": taken.claim.cycle_id, "created_at": scene.clock.now()}
    await write(scene.engine.db, insert(seen).values([row | {"source_job_id": key} for key in "abc"]))
    scene.clock.advance(3 * DAY)

    async def act(engine: Engine) -> None:
        await delete_orphaned_seen(engine)

    return act


async def _asking_permission(scene: Scene) -> Act:
    async def act(engine: Engine) -> None:
        permit = await obtain_permit(engine, "example.com", timedelta(0), timedelta(seconds=20))
        assert isinstance(permit, HostPermit)
        await permit.confirm()
        await close_up(engine, permit)
        await delay_host(engine.db, "example.com", timedelta(seconds=30))

    return act


async def _collecting_as_before(scene: Scene) -> Act:
    await switch_off_v2(scene.engine.db)
    await add_source(scene.engine.db)
    scene.board.fill(12)

    async def act(engine: Engine) -> Any:
        ended = await collect_legacy(engine, START.date(), SourceType.COMPANY_BOUND)
        return [status for _, status in ended or ()]

    return act


async def switch_off_v2(db: Database) -> None:
    await switch_flag(db, FlagKey.COLLECTION_DISPATCH_V2, False)


def _job(*, give_back: bool) -> Callable[[Scene], Awaitable[Act]]:
    async def prepared(scene: Scene) -> Act:
        async def act(engine: Engine) -> int:
            minute = timedelta(minutes=1)
            taken = await claim_job(engine.db, JobName.DEDUP, START.date(), "we", minute)
            assert taken is not None, "claimed by the one that asked"
            await renew_job(engine.db, taken, minute)
            if give_back:
                await give_back_job(engine.db, taken)
            else:
                await finish_job(engine.db, taken, JobStatus.SUCCESS, "done")
            return taken.attempt

        return act

    return prepared


SCENES: dict[str, Callable[[Scene], Awaitable[Act]]] = {
    "a page, the slice goes on": _page("R2", "R3", "R4", next_cursor="2"),
    "a page, the slice is over": _page("R2", "R3", "R4", next_cursor="2", pages=5),
    "a page, the last of its list": _page("R2", "R3", "R4"),
    "claiming": _claiming,
    "ending a cycle": _ending,
    "releasing": _releasing,
    "renewing": _renewing,
    "preparing": _preparing,
    "ending what yesterday left": _ending_yesterday,
    "recovering": _recovering,
    "capturing at nine": _capturing,
    "cleaning up": _cleaning,
    "permits": _asking_permission,
    "collecting without cycles": _collecting_as_before,
    "a daily job": _job(give_back=False),
    "a daily job given back": _job(give_back=True),
}
