"""Who waits for an answer goes first: pages of sites are parsed, written down and judged after that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import timedelta

import pytest
from aiohttp.test_utils import TestClient, TestServer

from daemon import foreground as module
from daemon.collection.engine import Engine
from daemon.foreground import Foreground
from daemon.matching.loop import run_evaluation
from daemon.posting.tables import job_postings
from daemon.web import make_app
from tests.acceptance.waiting import until
from tests.board import Board
from tests.engines import add_source, collect_day, rows

SOON = timedelta(milliseconds=50)
NEVER = timedelta(days=1)


class Busy(Foreground):
    """People wait until `over` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.over = asyncio.Event()
        self.asked = 0

    async def step_aside(self) -> None:
        self.asked += 1
        await self.over.wait()


async def ends(step: Awaitable[None]) -> bool:
    """Whether it returns, sooner or later."""
    try:
        await asyncio.wait_for(step, 60)
    except TimeoutError:
        return False
    return True


async def test_nobody_waits_and_nothing_is_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", NEVER)
    assert await ends(Foreground().step_aside())


async def test_a_step_waits_for_the_last_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", NEVER)
    people = Foreground()
    with people.answering():
        with people.answering():
            step = asyncio.ensure_future(people.step_aside())
            await asyncio.sleep(SOON.total_seconds())
            assert not step.done()
        await asyncio.sleep(SOON.total_seconds())
        assert not step.done()
    assert await ends(step)


async def test_a_request_that_follows_at_once_still_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", NEVER)
    monkeypatch.setattr(module, "QUIET", NEVER)
    people = Foreground()
    with people.answering():
        pass
    step = asyncio.ensure_future(people.step_aside())
    await asyncio.sleep(SOON.total_seconds())
    assert not step.done()
    monkeypatch.setattr(module, "QUIET", timedelta(0))
    assert await ends(step)


async def test_however_busy_people_are_a_step_is_put_off_for_so_long_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", SOON)
    people = Foreground()
    with people.answering():
        assert await ends(people.step_aside())


async def test_an_answer_that_fails_is_over_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", NEVER)
    people = Foreground()
    with pytest.raises(ValueError, match="wrong"), people.answering():
        raise ValueError("wrong")
    assert await ends(people.step_aside())


async def test_a_page_is_parsed_and_written_down_when_nobody_waits(collector: Engine, board: Board) -> None:
    board.fill(3)
    await add_source(collector.db)
    people = Busy()
    day = asyncio.ensure_future(collect_day(replace(collector, foreground=people)))
    await until(lambda: people.asked, "the page that came in")
    assert await rows(collector.db, job_postings) == []
    people.over.set()
    await day
    assert (len(await rows(collector.db, job_postings)), people.asked) == (3, 2)


async def test_nothing_is_judged_while_someone_waits(collector: Engine) -> None:
    people, recorded, stopping = Busy(), asyncio.Event(), asyncio.Event()
    recorded.set()
    loop = asyncio.ensure_future(run_evaluation(collector.db, collector.clock, people, recorded, stopping))
    await until(lambda: people.asked, "the loop")
    assert recorded.is_set(), "it has not looked"
    people.over.set()
    stopping.set()
    assert await ends(loop)
    assert not recorded.is_set()


async def test_whoever_asks_the_api_or_the_page_counts_until_the_answer(
    collector: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST", NEVER)
    sending, sent = asyncio.Event(), asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b'{"displayName": '
        sending.set()
        await sent.wait()
        yield b'"server", "synonyms": ["server"]}'

    async with TestClient(TestServer(make_app(collector))) as client:
        headers = {"Content-Type": "application/json"}
        asking = asyncio.ensure_future(client.post("/api/matching/keyword-groups", data=body(), headers=headers))
        await sending.wait()
        await until(lambda: collector.foreground.in_hand, "the request")
        step = asyncio.ensure_future(collector.foreground.step_aside())
        await asyncio.sleep(SOON.total_seconds())
        assert not step.done()
        sent.set()
        assert (await asking).status < 400
        assert await ends(step)
