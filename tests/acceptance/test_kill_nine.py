"""Two daemons on one server, 200 sources and more: killed and frozen in the middle of slices, day after day."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from sqlalchemy import select

from daemon.clock import kst
from daemon.collection.model import CaptureStatus
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.collection.tables import job_posting_collection_sla_snapshot_sources as items
from daemon.collection.tables import job_posting_collection_sla_snapshots as headers
from daemon.demo.request_log import LoggedRequest
from daemon.demo.sources import DemoSource, many_sources
from daemon.demo.world import Surface, Trouble, TroubleKind, World
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.replay import Replay, as_stored, expected
from tests.acceptance.stage import OPEN, Row, Stage, Theatre, theatre_on, write_postings
from tests.acceptance.waiting import until
from tests.databases import execute

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(1500)]

_P = Platform
_SMALL = many_sources(200, (_P.GREENHOUSE, _P.GREENHOUSE, _P.GREENHOUSE, _P.INCRUIT))
_LIVELY = (
    DemoSource(platform=_P.SARAMIN, category_code="84"),  # 14 pages: several slices
    DemoSource(platform=_P.JUMPIT, category_code="1"),
    DemoSource(platform=_P.REMEMBER, category_code="310"),
    DemoSource(platform=_P.WOOWAHAN, slug="woowahan", company_name="우아한형제들"),
    DemoSource(platform=_P.GREENHOUSE, slug="daangn", company_name="당근마켓"),
)
_SPEED = 1.0
_LEASE = timedelta(seconds=90)
_ANSWER_MILLISECONDS = 30


@dataclass(frozen=True)
class Act:
    """What is done to a daemon at the moment when one of its requests arrives."""

    deed: Literal["kill", "freeze"]
    victim: int
    surface: Surface


_DAYS: tuple[tuple[Act, ...], ...] = (
    (Act("kill", 0, Surface.LIST), Act("kill", 1, Surface.DETAIL)),
    (Act("freeze", 0, Surface.LIST), Act("kill", 1, Surface.LIST), Act("kill", 1, Surface.LIST)),
    (Act("kill", 0, Surface.DETAIL), Act("kill", 0, Surface.LIST)),
    (Act("freeze", 1, Surface.LIST), Act("kill", 0, Surface.DETAIL), Act("kill", 0, Surface.LIST)),
    (Act("kill", 1, Surface.LIST), Act("kill", 0, Surface.LIST)),
)


@dataclass(frozen=True, kw_only=True)
class Struck:
    """What a deed hit: the request that had just arrived, and the sources whose cycles were RUNNING just then."""

    request: LoggedRequest
    held: set[int]
    """Those of the other daemon among them."""


@dataclass
class Crew:
    """The two daemons, whichever process each is at the moment."""

    daemons: Daemons
    stage: Stage
    working: dict[int, Daemon] = field(default_factory=dict)
    frozen: dict[int, Daemon] = field(default_factory=dict)

    async def start(self, number: int) -> None:
        told = self.stage.told(user_agent=f"gonggo-test/{number}", slices_per_host=2, daily_details=60)
        self.working[number] = await self.daemons.start(f"daemon-{number}", told)

    async def idle(self) -> bool:
        return not any([await daemon.slices_in_hand() for daemon in self.working.values()])


async def test_ten_kills_and_two_frozen_workers_lose_double_and_repeat_nothing(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "Two daemons on one MySQL, 200 sources, kill -9 of one mid-slice, ten times over: no request repeated on
    the same day, no posting lost or doubled, no false close, every cycle terminal, stale writers rejected (0 rows) and
    logged."
    """
    world = World(days=len(_DAYS), calm=True, scale=0.5)
    dice = random.Random(9)
    async with theatre_on(tmp_path, blank_url, kst(world.first_day, 0), world, [*_SMALL, *_LIVELY]) as theatre:
        for platform in theatre.replica.origins:
            theatre.replica.switch_on(platform, Trouble(kind=TroubleKind.SLOW, value=_ANSWER_MILLISECONDS))
        crew = Crew(daemons, theatre.stage)
        for number in (0, 1):
            await crew.start(number)
        replays = {key: Replay(world, source) for key, source in theatre.sources.items()}
        kills = 0
        for number, acts in enumerate(_DAYS, start=1):
            day = world.day_number(number)
            await write_postings(world, day, theatre.sources.values())
            theatre.stage.leap(kst(day, 0), _SPEED)
            hit = [await _strike(theatre, crew, day, act, dice.randint(3, 12)) for act in acts]
            kills += sum(act.deed == "kill" for act in acts)
            await _survive(theatre, crew, day, hit)
            await theatre.timeline(*crew.working.values()).live_through(day)
            await _check_day(theatre, replays, day)
        assert kills == 10
        assert theatre.log.repeated_list_pages() == {}
        assert theatre.log.repeated_details() == {}


async def _strike(theatre: Theatre, crew: Crew, day: date, act: Act, after: int) -> Struck:
    """Do the deed when the victim's `after`th request from now on arrives; a killed daemon is started again."""
    victim = crew.working[act.victim]
    sprung: list[LoggedRequest] = []
    left = after

    def trap(request: LoggedRequest) -> None:
        nonlocal left
        if sprung or request.user_agent != f"gonggo-test/{act.victim}" or request.surface is not act.surface:
            return
        left -= 1
        if left == 0:
            (victim.kill if act.deed == "kill" else victim.freeze)()
            sprung.append(request)

    theatre.log.trap = trap
    request = await until(
        lambda: sprung[0] if sprung else None, f"request {after} of daemon {act.victim} for {act.surface}"
    )
    running = {key for key, row in (await theatre.stage.cycles_of(day)).items() if row["cycle_status"] == "RUNNING"}
    del crew.working[act.victim]
    if act.deed == "freeze":
        crew.frozen[act.victim] = victim
    else:
        assert await victim.ended() == -9
        await crew.start(act.victim)
    return Struck(request=request, held=running)


async def _survive(theatre: Theatre, crew: Crew, day: date, hit: list[Struck]) -> None:
    """The day goes on for all other sources; what the struck daemons held fails once its lease is over, no more."""
    stage = theatre.stage

    async def others_done() -> bool:
        left = {row["cycle_status"] for row in (await stage.cycles_of(day)).values() if row["cycle_status"] in OPEN}
        return left <= {"RUNNING"} and await crew.idle()

    await until(others_done, f"the other sources of {day} are collected")
    stage.leap(_LEASE + timedelta(seconds=5), _SPEED)
    ended = await stage.over(day)
    assert set(ended) == set(theatre.sources)
    lost = {key for key, row in ended.items() if row["failure_reason"] == "LEASE_EXPIRED"}
    assert {key for key, row in ended.items() if row["cycle_status"] != "SUCCESS"} == lost
    for each in hit:
        assert each.held & lost, f"not mid-slice: {each.request}"
        if each.request.surface is Surface.LIST:
            assert theatre.source_of(each.request) in lost
    assert lost <= set().union(*(each.held for each in hit))
    for number, victim in list(crew.frozen.items()):
        await _thaw(stage, victim, day, ended)
        crew.working[number] = crew.frozen.pop(number)


async def _thaw(stage: Stage, victim: Daemon, day: date, ended: Mapping[int, Row]) -> None:
    """A worker that comes back after its lease is refused each write: nothing of its cycles changes, and it says so."""
    before = len(victim.events("cycle.stale_write_rejected"))
    victim.thaw()

    def refused() -> list[dict[str, Any]]:
        return victim.events("cycle.stale_write_rejected")[before:]

    await until(refused, f"{victim.name} reports a stale write")

    async def settled() -> bool:
        return await victim.slices_in_hand() == 0

    await until(settled, f"{victim.name} gives up what it lost")
    by_cycle = {row["id"]: row for row in ended.values()}
    for event in refused():
        assert event["rows"] == 0
        assert by_cycle[event["cycle_id"]]["failure_reason"] == "LEASE_EXPIRED"
    assert any(event["when"] in {"committing a page", "ending"} for event in refused()), refused()
    assert await stage.cycles_of(day) == ended


async def _check_day(theatre: Theatre, replays: Mapping[int, Replay], day: date) -> None:
    """Cycles, run rows, snapshot, seen set and postings after a day."""
    db = theatre.stage.db
    found = await theatre.stage.cycles_of(day)
    projected = {row.job_source_id: row for row in await execute(db, select(runs).where(runs.c.run_date == day))}
    assert set(projected) == set(found)
    for key, row in found.items():
        run = projected[key]._mapping
        status = (run["run_status"], run["failure_reason"], run["started_at"], run["finished_at"])
        assert status == (row["cycle_status"], row["failure_reason"], row["started_at"], row["finished_at"])
        for name in ("fetched", "new", "changed", "missed", "closed", "detail_failure", "detail_skipped"):
            assert run[f"{name}_count"] == row[f"{name}_count"], (key, name)
        complete = row["cycle_status"] == "SUCCESS"
        counts = replays[key].live(day, complete=complete, pages=row["list_page_count"])
        told = (row["new_count"], row["changed_count"], row["missed_count"], row["closed_count"])
        assert told == (counts.new, counts.changed, counts.missed, counts.closed), (theatre.sources[key], row)
        assert (row["lease_token"], row["lease_until"], row["is_complete"]) == (None, None, int(complete))
    assert await execute(db, select(seen)) == []
    (header,) = await execute(db, select(headers).where(headers.c.snapshot_date == day))
    assert header.capture_status == CaptureStatus.CAPTURED
    captured = await execute(db, select(items).where(items.c.job_posting_collection_sla_snapshot_id == header.id))
    assert {item.job_source_id: item.captured_cycle_status for item in captured} == {
        key: row["cycle_status"] for key, row in found.items()
    }
    stored: dict[int, dict[str, Any]] = defaultdict(dict)
    for posting in await execute(db, select(job_postings)):
        assert posting.source_job_id not in stored[posting.job_source_id], "a posting stored twice"
        stored[posting.job_source_id][posting.source_job_id] = posting._mapping
    for key, replay in replays.items():
        assert as_stored(stored[key]) == expected(replay), theatre.sources[key]
    assert not await execute(db, select(cycles.c.id).where(cycles.c.cycle_status.in_(OPEN)))
