"""What an unreadable list makes of a cycle (seed 000, `RUNNING` × 목록 오류 → `FAILED`; seed 001, 수집 실패 경로)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from aiohttp import web

from daemon.clock import ManualClock
from daemon.collection.engine import Engine
from daemon.collection.tables import external_request_host_limits as hosts
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.collection.tables import job_posting_collection_seen_postings as seen
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.board import Adapt, Board
from tests.engines import DAY, add_source, collect_day, engine_on, keyed, newest, row, rows, work

Answer = Callable[[], web.StreamResponse]


def page_is(answer: Answer, *pages: int) -> Callable[[int], Awaitable[web.StreamResponse | None]]:
    """A site whose answer to these pages (all when none is given) is this one."""

    async def hook(page: int) -> web.StreamResponse | None:
        return answer() if not pages or page in pages else None

    return hook


BLOCK_PAGE = "<html><body>비정상적인 접근이 감지되었습니다</body></html>"

ANSWERS: dict[str, tuple[Answer, str]] = {
    "500": (lambda: web.Response(status=500), "SERVER_ERROR"),
    "503": (lambda: web.Response(status=503), "SERVER_ERROR"),
    "403": (lambda: web.Response(status=403), "BLOCKED"),
    "401": (lambda: web.Response(status=401), "BLOCKED"),
    "404": (lambda: web.Response(status=404), "NOT_FOUND"),
    "429": (lambda: web.Response(status=429), "RATE_LIMITED"),
    "redirect elsewhere": (
        lambda: web.Response(status=302, headers={"Location": "https://login.example.com/"}),
        "REDIRECTED",
    ),
    "another code": (lambda: web.json_response({"code": "5000", "message": "?", "data": None}), "LAYOUT_CHANGED"),
    "board unknown": (lambda: web.json_response({"code": "9002", "message": "none", "data": None}), "NOT_FOUND"),
    "JSON of another shape": (lambda: web.json_response({"code": "2000", "data": {"list": {}}}), "LAYOUT_CHANGED"),
    "HTML": (lambda: web.Response(text="<html>점검 중</html>", content_type="text/html"), "LAYOUT_CHANGED"),
    "block page": (lambda: web.Response(text=BLOCK_PAGE, content_type="text/html"), "BLOCKED"),
    "login page": (
        lambda: web.Response(text="<form><input type='password'></form>", content_type="text/html"),
        "BLOCKED",
    ),
    "nothing": (lambda: web.Response(text=""), "LAYOUT_CHANGED"),
    "broken gzip": (lambda: web.Response(body=b"{}", headers={"Content-Encoding": "gzip"}), "PROTOCOL_ERROR"),
}


@pytest.mark.parametrize("name", ANSWERS)
async def test_a_list_that_cannot_be_read_ends_the_cycle_with_the_outcome_as_its_reason(
    collector: Engine, board: Board, name: str
) -> None:
    """Seed 000: 실패 원인 기록·terminal run projection; NFR-6: 같은 날 HTTP 재시도 없음."""
    answer, reason = ANSWERS[name]
    board.fill(3)
    board.before_list = page_is(answer)
    await add_source(collector.db)
    await collect_day(collector)
    await collect_day(collector)
    cycle = await row(collector.db, cycles)
    run = await row(collector.db, runs)
    assert (cycle["cycle_status"], cycle["failure_reason"]) == ("FAILED", reason)
    assert (run["run_status"], run["failure_reason"]) == ("FAILED", reason)
    assert run["failure_cause_summary"] == cycle["failure_cause_summary"]
    assert cycle["failure_cause_summary"]
    assert (cycle["lease_token"], cycle["is_complete"]) == (None, 0)
    assert board.lists_asked == [0], "no second request on the same day"


async def test_a_site_that_does_not_answer_in_time_ends_the_cycle(collector: Engine, board: Board) -> None:
    async def never(page: int) -> None:
        await asyncio.Event().wait()

    board.before_list = never
    await add_source(collector.db)
    async with engine_on(collector.db, board.origins, request_timeout_seconds=0.05) as hasty:
        await collect_day(hasty)
    assert (await row(collector.db, cycles))["failure_reason"] == "TIMEOUT"


async def test_a_site_that_cannot_be_reached_ends_the_cycle(collector: Engine) -> None:
    await add_source(collector.db)
    async with engine_on(collector.db, {Platform.WOOWAHAN: "http://127.0.0.1:9"}) as astray:
        await collect_day(astray)
    assert (await row(collector.db, cycles))["failure_reason"] == "SERVER_ERROR"


async def test_a_body_over_the_cap_ends_the_cycle(collector: Engine, board: Board) -> None:
    board.fill(10)
    await add_source(collector.db)
    async with engine_on(collector.db, board.origins, body_cap_bytes=1024) as narrow:
        await collect_day(narrow)
    assert (await row(collector.db, cycles))["failure_reason"] == "TOO_LARGE"


async def test_what_was_read_before_the_failure_stays_and_the_seen_set_goes(collector: Engine, board: Board) -> None:
    board.fill(30)
    board.before_list = page_is(lambda: web.Response(status=500), 2)
    await add_source(collector.db)
    await collect_day(collector)
    cycle = await row(collector.db, cycles)
    run = await row(collector.db, runs)
    assert (cycle["cycle_status"], cycle["fetched_count"], cycle["new_count"]) == ("FAILED", 20, 20)
    assert (run["fetched_count"], run["new_count"]) == (20, 20)
    assert len(await rows(collector.db, job_postings)) == 20
    assert await rows(collector.db, seen) == []


async def test_a_redirect_within_the_policy_is_followed_once(collector: Engine, board: Board) -> None:
    board.fill(3)
    moved = f"{board.origin}/w1/recruits?page=0&size=10&moved=1"
    board.before_list = page_is(lambda: web.Response(status=302, headers={"Location": moved}), 0)
    await add_source(collector.db)
    await work(collector)
    assert board.lists_asked == [0, 0]
    assert (await row(collector.db, cycles))["failure_reason"] == "REDIRECTED", "the second hop is not followed"


@pytest.mark.parametrize("status", [429, 503])
async def test_retry_after_keeps_every_source_and_instance_from_the_host(
    collector: Engine, board: Board, clock: ManualClock, status: int
) -> None:
    """DESIGN 1.9: 429/503 with Retry-After moves the host's permit for all instances."""
    board.fill(3)
    board.before_list = page_is(lambda: web.Response(status=status, headers={"Retry-After": "120"}))
    first, second = [await add_source(collector.db, slug=slug) for slug in ("first", "second")]
    await work(collector)
    until = (await row(collector.db, hosts))["next_allowed_at"]
    assert until == clock.now() + timedelta(seconds=120)
    board.before_list = None
    await work(collector)
    found = await keyed(collector.db, cycles, "job_source_id")
    assert found[first]["cycle_status"] == "FAILED"
    assert (found[second]["cycle_status"], found[second]["next_eligible_at"]) == ("PENDING", until)
    clock.advance(timedelta(seconds=120))
    await collect_day(collector)
    assert (await newest(collector.db, cycles))["cycle_status"] == "SUCCESS"
    assert board.lists_asked == [0, 0], "the first source is not asked for again today"


async def test_one_sources_failure_leaves_the_others_alone(collector: Engine, board: Board) -> None:
    """Seed 001, 수집 실패 경로: 소스 A 실패 / B 성공."""
    board.fill(3)
    board.jobs = [1, 2]
    board.before_list = page_is(lambda: web.Response(status=500))
    failing = await add_source(collector.db)
    well = await add_source(collector.db, Platform.GREENHOUSE, "daangn")
    await collect_day(collector)
    found = await keyed(collector.db, cycles, "job_source_id")
    assert (found[failing]["cycle_status"], found[well]["cycle_status"]) == ("FAILED", "SUCCESS")
    assert len(await rows(collector.db, job_postings)) == 2


async def test_a_source_that_failed_is_asked_again_the_next_day(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """NFR-6: 다음 날 배치로 이월."""
    board.fill(3)
    board.before_list = page_is(lambda: web.Response(status=500))
    await add_source(collector.db)
    await collect_day(collector)
    board.before_list = None
    clock.advance(DAY)
    await collect_day(collector)
    assert [each["cycle_status"] for each in await rows(collector.db, cycles)] == ["FAILED", "SUCCESS"]


async def test_a_crash_of_our_own_ends_the_cycle_and_not_the_daemon(
    collector: Engine, board: Board, adapt: Adapt
) -> None:
    adapt(edit_list=lambda listed, cursor: replace(listed, next_cursor="a cursor that our own adapter can't read"))
    board.fill(30)
    await add_source(collector.db)
    await collect_day(collector)
    cycle = await row(collector.db, cycles)
    assert (cycle["cycle_status"], cycle["failure_reason"]) == ("FAILED", "INTERNAL_ERROR")
    assert cycle["failure_cause_summary"].startswith("ValueError: invalid literal for int()")
    assert (cycle["fetched_count"], cycle["lease_token"]) == (10, None)
