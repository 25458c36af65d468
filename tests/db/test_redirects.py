"""A redirect within the policy costs a second request; one that can't be made does not repeat the first."""

from __future__ import annotations

from datetime import timedelta

from aiohttp import web

from daemon.collection.actions.permit import delay_host
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Database
from daemon.sources.model import Platform
from daemon.sources.registry import adapter_of
from tests.board import Board
from tests.engines import add_source, collect_day, row


async def test_a_redirect_is_followed_with_a_permit_of_its_own(db: Database, board: Board, collector: Engine) -> None:
    board.fill(1)
    await add_source(db)

    async def moved_once(_page: int) -> web.StreamResponse | None:
        if len(board.lists_asked) > 1:
            return None
        return web.Response(status=302, headers={"Location": "/w1/recruits?page=0&size=100"})

    board.before_list = moved_once
    await collect_day(collector)
    assert (await row(db, cycles))["cycle_status"] == "SUCCESS"
    assert len(board.lists_asked) == 2
    assert collector.progress.counts["permit_granted"] == 2 + len(board.details_asked)


async def test_a_redirect_to_a_host_that_has_become_busy_ends_the_cycle_and_is_not_asked_again(
    db: Database, board: Board, collector: Engine
) -> None:
    """Seed 000, NFR-6: a page that was asked for is not asked for again on the same day."""
    board.fill(1)
    await add_source(db)
    host = collector.executor.host_of(adapter_of(Platform.WOOWAHAN))

    async def moved_and_busy(_page: int) -> web.StreamResponse | None:
        await delay_host(db, host, timedelta(minutes=10))
        return web.Response(status=302, headers={"Location": "/w1/recruits?page=0&size=100"})

    board.before_list = moved_and_busy
    await collect_day(collector)
    ended = await row(db, cycles)
    assert (ended["cycle_status"], ended["failure_reason"]) == ("FAILED", "REDIRECTED")
    assert board.lists_asked == [0]
