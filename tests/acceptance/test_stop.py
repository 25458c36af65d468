"""Stopping in the middle of work, being killed, and losing the database: what is left behind, and what goes on."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from daemon.clock import kst
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.demo.sources import DemoSource, many_sources
from daemon.demo.world import World
from daemon.posting.tables import job_posting_descriptions, job_postings
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.proxy import Proxy
from tests.acceptance.stage import Row, Stage, Theatre, follow, stage_on, theatre_on
from tests.acceptance.waiting import until
from tests.board import Board, Held, serve_board
from tests.databases import execute

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

_DAY = date(2026, 12, 1)
_NOON = kst(_DAY, 12)
_BOARD = DemoSource(platform=Platform.WOOWAHAN, slug="woowahan", company_name="우아한형제들")
_LEASE = timedelta(seconds=95)


async def _stored(stage: Stage) -> dict[str, int]:
    """How many rows of each kind there are."""
    tables = {"postings": job_postings, "texts": job_posting_descriptions, "seen": seen}
    return {
        name: (await execute(stage.db, select(func.count()).select_from(table)))[0][0] for name, table in tables.items()
    }


def _lease(row: Row) -> tuple[Any, ...]:
    return row["cycle_status"], row["lease_token"], row["lease_until"]


async def test_a_stop_in_the_middle_of_a_page_keeps_the_page_and_gives_the_cycle_back_at_its_cursor(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "SIGTERM during work: exits within its stop budget, leases released with cursor, nothing half-written"."""
    async with serve_board() as board, stage_on(tmp_path, blank_url, _NOON, {Platform.WOOWAHAN: board.origin}) as stage:
        board.fill(250)
        source = await follow(stage.db, _BOARD)
        board.before_list = held = Held(1)
        daemon = await daemons.start("daemon", stage.told(daily_details=0))
        await held.arrived.wait()
        daemon.signal(signal.SIGTERM)
        await daemon.logged("daemon.stopping")
        held.go.set()
        assert await daemon.ended() == 0
        row = await stage.cycle(source, _DAY)
        assert _lease(row) == ("PENDING", None, None)
        assert (row["continuation_cursor"], row["list_page_count"], row["fetched_count"]) == ("2", 2, 200)
        assert await _stored(stage) == {"postings": 200, "texts": 0, "seen": 200}

        await daemons.start("again", stage.told(daily_details=0))
        row = (await stage.over(_DAY))[source]
        assert (row["cycle_status"], row["new_count"], row["attempt_count"]) == ("SUCCESS", 250, 2)
        assert board.lists_asked == [0, 1, 2]
        assert await _stored(stage) == {"postings": 250, "texts": 0, "seen": 0}


async def test_a_stop_among_details_finishes_the_one_in_hand_and_keeps_what_was_read(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "SIGTERM during work: exits within its stop budget, leases released with cursor, nothing half-written"."""
    async with serve_board() as board, stage_on(tmp_path, blank_url, _NOON, {Platform.WOOWAHAN: board.origin}) as stage:
        board.fill(110)
        source = await follow(stage.db, _BOARD)
        board.before_detail = held = Held("R00003")
        daemon = await daemons.start("daemon", stage.told())
        await held.arrived.wait()
        daemon.signal(signal.SIGTERM)
        await daemon.logged("daemon.stopping")
        held.go.set()
        assert await daemon.ended() == 0
        row = await stage.cycle(source, _DAY)
        assert _lease(row) == ("PENDING", None, None)
        asked = len(board.details_asked)
        assert (row["detail_request_count"], row["detail_skipped_count"]) == (asked, 100 - asked)
        assert board.details_asked[-1] == "R00003"
        assert await _stored(stage) == {"postings": 100, "texts": asked, "seen": 100}

        await daemons.start("again", stage.told())
        row = (await stage.over(_DAY))[source]
        assert (row["cycle_status"], row["new_count"]) == ("SUCCESS", 110)
        assert board.lists_asked == [0, 1]
        assert len(board.details_asked) == len(set(board.details_asked)) == asked + 10


async def test_a_stop_while_waiting_for_a_permit_gives_the_cycle_back_without_asking(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "SIGTERM during work: exits within its stop budget, leases released with cursor, nothing half-written"."""
    async with serve_board() as board, stage_on(tmp_path, blank_url, _NOON, {Platform.WOOWAHAN: board.origin}) as stage:
        board.fill(250)
        source = await follow(stage.db, _BOARD)
        stage.leap(timedelta(0), speed=0)  # time stands: the second permit's turn does not come
        told = stage.told(daily_details=0, request_delay_seconds=10)
        daemon = await daemons.start("daemon", told)

        async def first_page_written() -> bool:
            found = await execute(stage.db, select(cycles.c.list_page_count))
            return [each.list_page_count for each in found] == [1]

        await until(first_page_written, "the daemon has its first page and waits for the host")
        assert await daemon.stop() == 0
        row = await stage.cycle(source, _DAY)
        assert _lease(row) == ("PENDING", None, None)
        assert (row["continuation_cursor"], row["list_page_count"]) == ("1", 1)
        assert board.lists_asked == [0]

        stage.leap(timedelta(minutes=1))
        await daemons.start("again", stage.told(daily_details=0))
        assert (await stage.over(_DAY))[source]["cycle_status"] == "SUCCESS"
        assert board.lists_asked == [0, 1, 2]


async def test_a_site_that_does_not_answer_cannot_hold_the_daemon_beyond_its_stop_budget(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "SIGTERM during work: exits within its stop budget"; DESIGN 1.3: the rest is left to its lease."""
    async with serve_board() as board, stage_on(tmp_path, blank_url, _NOON, {Platform.WOOWAHAN: board.origin}) as stage:
        board.fill(150)
        source = await follow(stage.db, _BOARD)
        board.before_list = held = Held(1)
        told = stage.told(daily_details=0, stop_seconds=1, request_timeout_seconds=3600)
        daemon = await daemons.start("daemon", told)
        await held.arrived.wait()
        assert await daemon.stop() == 0
        row = await stage.cycle(source, _DAY)
        assert (row["cycle_status"], row["list_page_count"]) == ("RUNNING", 1)
        held.go.set()

        await daemons.start("again", told)
        stage.leap(_LEASE)
        row = (await stage.over(_DAY))[source]
        assert (row["cycle_status"], row["failure_reason"]) == ("FAILED", "LEASE_EXPIRED")
        assert board.lists_asked == [0, 1]


async def test_a_second_interrupt_ends_the_daemon_at_once(blank_url: str, tmp_path: Path, daemons: Daemons) -> None:
    """`app.stop_signals`: the first asks, the second insists; the lease sees to what was in hand."""
    async with serve_board() as board, stage_on(tmp_path, blank_url, _NOON, {Platform.WOOWAHAN: board.origin}) as stage:
        board.fill(1)
        source = await follow(stage.db, _BOARD)
        board.before_list = held = Held(0)
        daemon = await daemons.start("daemon", stage.told(stop_seconds=3600, request_timeout_seconds=3600))
        await held.arrived.wait()
        daemon.signal(signal.SIGINT)
        await daemon.logged("daemon.stopping", signal="SIGINT")
        assert daemon.running
        daemon.signal(signal.SIGINT)
        assert await daemon.ended() == 130
        assert (await stage.cycle(source, _DAY))["cycle_status"] == "RUNNING"
        held.go.set()


async def test_after_a_kill_the_day_goes_on_for_the_others_and_the_next_day_for_all(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "SIGKILL then restart: the day goes on as the seeds say" (seed 000: RUNNING, lease expired, FAILED; no
    same-day HTTP; the next KST day has a new cycle).
    """
    world = World(calm=True)
    small = many_sources(3, (Platform.GREENHOUSE,))
    async with serve_board() as board, theatre_on(
        tmp_path, blank_url, _NOON, world, [_BOARD, *small], origins={Platform.WOOWAHAN: board.origin}
    ) as theatre:  # fmt: skip
        stage = theatre.stage
        board.fill(250)
        source = next(key for key, one in theatre.sources.items() if one is _BOARD)
        board.before_list = held = Held(1)
        told = stage.told(daily_details=0, workers=1)  # one slice at a time: the board's comes first
        daemon = await daemons.start("daemon", told)
        await held.arrived.wait()
        daemon.kill()
        assert await daemon.ended() == -signal.SIGKILL
        held.go.set()
        assert (await stage.cycle(source, _DAY))["cycle_status"] == "RUNNING"

        again = await daemons.start("again", told)

        async def others_done() -> bool:
            found = await stage.cycles_of(_DAY)
            return {row["cycle_status"] for key, row in found.items() if key != source} == {"SUCCESS"}

        await until(others_done, "the other sources are collected")
        row = await stage.cycle(source, _DAY)
        assert (row["cycle_status"], row["list_page_count"]) == ("RUNNING", 1)
        stage.leap(_LEASE)
        row = (await stage.over(_DAY))[source]
        assert (row["cycle_status"], row["failure_reason"], row["fetched_count"]) == ("FAILED", "LEASE_EXPIRED", 100)
        assert board.lists_asked == [0, 1]
        assert (await _stored(stage))["seen"] == 0

        stage.leap(kst(_DAY + timedelta(days=1), 0))
        await until(lambda: again.events("day.prepared", run_date=str(_DAY + timedelta(days=1))), "the next day")
        row = (await stage.over(_DAY + timedelta(days=1)))[source]
        assert (row["cycle_status"], row["fetched_count"], row["new_count"]) == ("SUCCESS", 250, 150)
        assert board.lists_asked == [0, 1, 0, 1, 2]
        assert {one.posting_status for one in await execute(stage.db, select(job_postings))} == {"OPEN"}


@asynccontextmanager
async def cut_off(folder: Path, url: str, daemons: Daemons) -> AsyncIterator[tuple[Theatre, Board, Proxy, Daemon]]:
    """A daemon that has asked for the second of three pages when its database goes away, the answer on its way."""
    async with (
        serve_board() as board,
        Proxy(url) as proxy,
        theatre_on(
            folder, url, _NOON, World(calm=True), [_BOARD], origins={Platform.WOOWAHAN: board.origin}
        ) as theatre,
    ):
        board.fill(250)
        board.before_list = held = Held(1)
        daemon = await daemons.start("daemon", theatre.stage.told(daily_details=0, database_url=proxy.url))
        await held.arrived.wait()
        await proxy.cut()
        held.go.set()
        await daemon.logged("database.lost")
        assert (await daemon.get("/healthz"))[0] == 200
        assert (await daemon.get("/readyz"))[0] == 503
        yield theatre, board, proxy, daemon
        assert await daemon.stop() == 0
        assert "Traceback" not in daemon.output
        assert len(daemon.events("database.lost")) == len(daemon.events("database.back")) == 1


async def test_a_database_that_goes_away_within_a_lease_costs_nothing_but_time(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    """DESIGN 4: acceptance tests "cut database connections": the page that was read waits in memory."""
    async with cut_off(tmp_path, blank_url, daemons) as (theatre, board, proxy, daemon):
        await asyncio.sleep(1)
        await proxy.mend()
        (row,) = (await theatre.stage.over(_DAY)).values()
        assert (row["cycle_status"], row["fetched_count"], row["list_page_count"]) == ("SUCCESS", 250, 3)
        assert board.lists_asked == [0, 1, 2]
        await daemon.logged("database.back")


async def test_a_database_that_stays_away_for_a_lease_costs_the_cycle_in_hand_and_nothing_else(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    """The daemon survives, the lease expires, the day goes on for all others."""
    async with cut_off(tmp_path, blank_url, daemons) as (theatre, board, proxy, daemon):
        stage = theatre.stage
        (source,) = theatre.sources
        stage.leap(_LEASE)
        await daemon.logged("slice.given_up")
        await proxy.mend()
        other = await follow(stage.db, many_sources(1, (Platform.GREENHOUSE,))[0])

        async def both() -> dict[int, Row] | None:
            found = await stage.over(_DAY)
            return found if other in found else None

        ended = await until(both, "the source that was added is collected")
        assert (ended[source]["cycle_status"], ended[source]["failure_reason"]) == ("FAILED", "LEASE_EXPIRED")
        assert ended[other]["cycle_status"] == "SUCCESS"
        assert board.lists_asked == [0, 1]


async def test_a_daemon_started_before_its_database_waits_for_it(
    blank_url: str, server_only: None, tmp_path: Path, daemons: Daemons
) -> None:
    """`app._database_answers`: after a power cut the server may come up later than the daemon."""
    async with Proxy(blank_url) as proxy, stage_on(tmp_path, blank_url, _NOON, {}) as stage:
        await proxy.cut()
        daemon = await daemons.spawn("daemon", stage.told(database_url=proxy.url))
        await daemon.logged("database.lost")
        await asyncio.sleep(3.5)  # two more looks, at 1 s and 3 s
        await proxy.mend()
        await daemon.started()
        assert len(daemon.events("database.lost")) == 1
        (back,) = daemon.events("database.back")
        assert back["seconds"] >= 3
        assert "Traceback" not in daemon.output
        assert "sqlalche.me" not in daemon.output
        assert await daemon.stop() == 0
