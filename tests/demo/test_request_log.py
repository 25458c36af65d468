"""The request log answers what invariants ask: gaps, pages, repetitions; also from another process's file."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from daemon.clock import kst
from daemon.demo.request_log import LoggedRequest, RequestLog
from daemon.demo.world import FIRST_DAY, Surface
from daemon.sources.model import Platform

MIDNIGHT = kst(FIRST_DAY, 0)


def request(
    at: datetime,
    platform: Platform = Platform.SARAMIN,
    *,
    surface: Surface = Surface.LIST,
    page: int = 1,
    board: str = "84",
    path: str = "/list",
) -> LoggedRequest:
    return LoggedRequest(
        wall=1.0,
        monotonic=2.0,
        instant=at,
        platform=platform,
        method="GET",
        path=path,
        user_agent="gonggo/1.0 (+한글)",
        surface=surface,
        board=board,
        page=page,
        item="",
        status=200,
    )


def seconds(number: float) -> datetime:
    return MIDNIGHT + timedelta(seconds=number)


def test_the_closest_gap_is_that_of_one_site_whatever_the_order_of_arrival() -> None:
    log = RequestLog()
    for at in (0, 5, 3.5, 9):
        log.add(request(seconds(at)))
    log.add(request(seconds(4), Platform.WANTED))
    assert log.closest_gap(Platform.SARAMIN) == 1.5
    assert log.closest_gap(Platform.WANTED) is None


def test_list_pages_and_details_are_told_apart_by_site_and_korean_day() -> None:
    log = RequestLog()
    log.add(request(seconds(-1)))
    log.add(request(seconds(0), page=2))
    log.add(request(seconds(1), surface=Surface.DETAIL))
    log.add(request(seconds(2), Platform.WANTED))
    assert [one.page for one in log.list_page_requests(Platform.SARAMIN, FIRST_DAY)] == [2]
    assert len(log.list_page_requests()) == 3
    assert len(log.detail_requests(day=FIRST_DAY)) == 1


def test_a_page_is_repeated_when_the_same_board_page_is_asked_for_again_on_the_same_day() -> None:
    log = RequestLog()
    for at in (0, 1, 86_400):
        log.add(request(seconds(at), page=3))
    log.add(request(seconds(2), page=4))
    log.add(request(seconds(3), page=3, board="92"))
    assert log.repeated_list_pages() == {(FIRST_DAY, Platform.SARAMIN, "84", 3): 2}
    assert log.repeated_list_pages(FIRST_DAY + timedelta(days=1)) == {}


def test_a_detail_is_repeated_when_the_same_address_is_asked_for_again_on_the_same_day() -> None:
    log = RequestLog()
    for path in ("/a?id=1", "/b?id=1", "/a?id=1"):
        log.add(request(seconds(0), surface=Surface.DETAIL, path=path))
    assert log.repeated_details() == {(FIRST_DAY, Platform.SARAMIN, "/a?id=1"): 2}


def test_another_process_reads_the_file_line_by_line_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    log = RequestLog(path)
    log.add(request(seconds(0)))
    log.add(request(seconds(1), surface=Surface.DETAIL))
    assert RequestLog.read(path).requests == log.requests
    log.close()


def test_a_half_written_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    log = RequestLog(path)
    log.add(request(seconds(0)))
    log.close()
    with path.open("a") as file:
        file.write('{"wall": 1.0, "mono')
    assert len(RequestLog.read(path).requests) == 1
