"""Postings' own pages: which are asked for, and what becomes of those that can't be read (seed 001; DESIGN 1.4)."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web

from daemon.clock import ManualClock
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.collection.tables import job_posting_collection_runs as runs
from daemon.posting.tables import job_posting_descriptions as descriptions
from daemon.posting.tables import job_postings
from daemon.sources.model import DetailUse
from tests.board import Adapt, Board, Posting
from tests.engines import DAY, add_source, collect_day, keyed, newest, row, rows, tuned

DETAILS = ("detail_request_count", "detail_failure_count", "detail_skipped_count")


@pytest.fixture(autouse=True)
def _with_details(adapt: Adapt) -> None:
    adapt(detail_use=DetailUse.ENRICHMENT)


async def posting(engine: Engine, source_job_id: str) -> dict[str, Any]:
    """A stored posting, with its text as `body`."""
    found = (await keyed(engine.db, job_postings, "source_job_id"))[source_job_id]
    texts = await keyed(engine.db, descriptions, "job_posting_id")
    return {**found, "body": texts[found["id"]]["body"] if found["id"] in texts else None}


async def counts(engine: Engine) -> tuple[int, ...]:
    """Details asked for, failed and skipped in the last cycle."""
    cycle = await newest(engine.db, cycles)
    assert cycle["cycle_status"] == "SUCCESS"
    return tuple(cycle[name] for name in DETAILS)


async def test_new_postings_get_their_text_from_their_own_page(collector: Engine, board: Board) -> None:
    board.fill(2)
    board.postings[1].contents = "<p>서버를 <b>만듭니다</b></p>"
    await add_source(collector.db)
    await collect_day(collector)
    stored = await posting(collector, "R00002")
    assert stored["body"] == "서버를 만듭니다"
    assert stored["detail_verified_at"] == collector.clock.now()
    assert (await row_of_text(collector, stored["id"]))["char_length"] == len("서버를 만듭니다")
    assert await counts(collector) == (2, 0, 0)


async def row_of_text(engine: Engine, posting_id: int) -> dict[str, Any]:
    return (await keyed(engine.db, descriptions, "job_posting_id"))[posting_id]


async def test_unchanged_postings_are_not_asked_for_again(collector: Engine, board: Board, clock: ManualClock) -> None:
    board.fill(3)
    await add_source(collector.db)
    await collect_day(collector)
    clock.advance(DAY)
    board.details_asked.clear()
    board.postings[1].version = 2
    board.postings[1].contents = "<p>새 본문</p>"
    board.postings.append(Posting("R00004"))
    await collect_day(collector)
    assert board.details_asked == ["R00004", "R00002"], "new ones first"
    assert (await posting(collector, "R00002"))["body"] == "새 본문"


@pytest.mark.parametrize("status", [404, 500])
async def test_one_failed_detail_leaves_the_cycle_a_success_and_the_signature_as_it_was(
    collector: Engine, board: Board, clock: ManualClock, status: int
) -> None:
    """Seed 001, failure path 15: 회차는 SUCCESS, 실패 건은 시그니처 미갱신, 마감 판정 영향 없음."""

    async def fail_one(number: str) -> web.StreamResponse | None:
        return web.Response(status=status) if number == "R00002" else None

    board.fill(3)
    await add_source(collector.db)
    await collect_day(collector)
    clock.advance(DAY)
    board.before_detail = fail_one
    for each in board.postings:
        each.version, each.contents = 2, "<p>새 본문</p>"
    board.postings[1].name = "고친 제목"
    await collect_day(collector)
    assert await counts(collector) == (3, 1, 0)
    assert (await newest(collector.db, runs))["detail_failure_count"] == 1
    failed, well = [await posting(collector, number) for number in ("R00002", "R00001")]
    assert (failed["title"], failed["change_signal_value"], failed["body"]) == ("고친 제목", "1", "본문")
    assert (failed["last_seen_at"], failed["consecutive_miss_count"]) == (clock.now(), 0)
    assert (well["change_signal_value"], well["body"]) == ("2", "새 본문")

    board.before_detail = None
    board.details_asked.clear()
    clock.advance(DAY)
    await collect_day(collector)
    assert board.details_asked == ["R00002"], "tried again with the next cycle"
    again = await posting(collector, "R00002")
    assert (again["change_signal_value"], again["body"]) == ("2", "새 본문")


async def test_a_new_posting_whose_page_fails_is_stored_from_the_list_and_asked_for_again(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    async def fail(number: str) -> web.StreamResponse | None:
        return web.Response(status=500)

    board.fill(1)
    board.before_detail = fail
    await add_source(collector.db)
    await collect_day(collector)
    stored = await posting(collector, "R00001")
    assert (stored["title"], stored["change_signal_value"], stored["body"]) == ("백엔드 개발자 R00001", None, None)
    board.before_detail = None
    clock.advance(DAY)
    await collect_day(collector)
    stored = await posting(collector, "R00001")
    assert (stored["change_signal_value"], stored["body"]) == ("1", "본문")
    assert (await newest(collector.db, cycles))["changed_count"] == 0, "a first signature is no edit"


async def test_a_login_wall_marks_the_posting_as_restricted(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Seed 001, 로그인 리다이렉트 감지: accessRestricted=true 저장, 마감 판정 대상에서 제외 (시나리오 6)."""

    async def wall(number: str) -> web.StreamResponse | None:
        return web.Response(status=401) if number == "R00001" else None

    board.fill(2)
    board.before_detail = wall
    await add_source(collector.db)
    await collect_day(collector)
    walled = await posting(collector, "R00001")
    assert (walled["access_restricted"], walled["title"], walled["body"]) == (1, "백엔드 개발자 R00001", None)
    assert await counts(collector) == (2, 0, 0), "a wall is an answer"
    board.postings.pop(0)
    for _ in range(3):
        clock.advance(DAY)
        await collect_day(collector)
    walled = await posting(collector, "R00001")
    assert (walled["posting_status"], walled["consecutive_miss_count"]) == ("OPEN", 0)


@pytest.mark.parametrize("status", [429, 403])
async def test_a_site_that_turns_details_away_is_left_alone_for_the_rest_of_the_slice(
    collector: Engine, board: Board, status: int
) -> None:
    async def refuse(number: str) -> web.StreamResponse | None:
        return web.Response(status=status)

    board.fill(25)
    board.before_detail = refuse
    await add_source(collector.db)
    await collect_day(collector)
    assert board.details_asked == ["R00001"]
    assert await counts(collector) == (1, 1, 24)
    assert len(await rows(collector.db, job_postings)) == 25


async def test_a_busy_host_leaves_the_details_out_and_not_the_postings(collector: Engine, board: Board) -> None:
    """Retry-After on a posting's page: its place in the queue is too far away to hold a worker for."""

    async def refuse(number: str) -> web.StreamResponse | None:
        return web.Response(status=503, headers={"Retry-After": "60"}) if number == "R00002" else None

    board.fill(4)
    board.before_detail = refuse
    await add_source(collector.db)
    await collect_day(collector)
    assert board.details_asked == ["R00001", "R00002"]
    assert await counts(collector) == (2, 1, 2)


# --- limits ----------------------------------------------------------------------------------------------------------


async def test_the_days_limit_of_details_holds_over_pages_and_slices(collector: Engine, board: Board) -> None:
    """Seed 000: 누적 상세 요청 수, 일일 300건 상한; seed 001: 초과분은 목록 정보만 갱신, detailSkippedCount 기록."""
    board.fill(70)
    await add_source(collector.db)
    await collect_day(tuned(collector, daily_details=15))
    cycle = await row(collector.db, cycles)
    assert cycle["attempt_count"] == 2
    assert await counts(collector) == (15, 0, 55)
    assert (await row(collector.db, runs))["detail_skipped_count"] == 55
    assert len(board.details_asked) == 15
    assert len(await rows(collector.db, job_postings)) == 70


async def test_a_policy_with_fewer_details_than_the_daily_limit_wins(
    collector: Engine, board: Board, adapt: Adapt
) -> None:
    """FR-69: 회차당 상세 상한."""
    adapt(detail_use=DetailUse.ENRICHMENT, detail_limit=2)
    board.fill(4)
    await add_source(collector.db)
    await collect_day(collector)
    assert await counts(collector) == (2, 0, 2)


async def test_skipped_postings_are_asked_for_on_the_following_days(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    board.fill(5)
    few = tuned(collector, daily_details=2)
    await add_source(collector.db)
    for _ in range(3):
        await collect_day(few)
        clock.advance(DAY)
    assert sorted(board.details_asked) == [each.number for each in board.postings]
    assert all(each["detail_verified_at"] for each in await rows(collector.db, job_postings))


async def test_an_edit_whose_page_was_skipped_is_still_asked_for_the_next_day(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """Otherwise matching would go on reading the text of before the edit (FR-25)."""
    board.fill(1)
    await add_source(collector.db)
    await collect_day(collector)
    clock.advance(DAY)
    board.postings[0].version, board.postings[0].contents = 2, "<p>새 본문</p>"
    await collect_day(tuned(collector, daily_details=0))
    assert (await newest(collector.db, cycles))["changed_count"] == 1
    assert (await posting(collector, "R00001"))["body"] == "본문"
    clock.advance(DAY)
    await collect_day(collector)
    stored = await posting(collector, "R00001")
    assert (stored["body"], stored["detail_verified_at"]) == ("새 본문", clock.now())
    assert (await newest(collector.db, cycles))["changed_count"] == 0, "one edit is counted once"


async def test_with_the_signature_on_the_page_the_longest_unverified_go_first(
    collector: Engine, board: Board, clock: ManualClock, adapt: Adapt
) -> None:
    """DESIGN 1.4: new ones, then changed ones, then those not verified for longest."""
    adapt(detail_use=DetailUse.SIGNATURE)
    board.fill(4)
    two = tuned(collector, daily_details=2)
    await add_source(collector.db)
    asked = []
    for _ in range(4):
        board.details_asked.clear()
        await collect_day(two)
        asked.append(sorted(board.details_asked))
        clock.advance(DAY)
    first, second = ["R00001", "R00002"], ["R00003", "R00004"]
    assert asked == [first, second, first, second]


async def test_a_posting_whose_page_redirects_to_a_login_is_restricted_and_one_that_moved_is_not(
    collector: Engine, board: Board
) -> None:
    """Seed 001, 인크루트 접근 제한 감지: 상세 응답이 로그인 페이지로 리다이렉트 → accessRestricted=true."""
    targets = {
        "R00001": "https://edit.incruit.com/login/login.asp?gotoURL=x",
        "R00002": "https://elsewhere.example/postings?next=/login",
    }

    async def redirect(number: str) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": targets[number]})

    board.before_detail = redirect
    board.fill(2)
    await add_source(collector.db)
    await collect_day(collector)
    restricted = {each["source_job_id"]: each["access_restricted"] for each in await rows(collector.db, job_postings)}
    assert restricted == {"R00001": 1, "R00002": 0}
    assert (await newest(collector.db, cycles))["detail_failure_count"] == 1
