"""What chaos measures: distances of requests around a leap of the clock, and how soon a host goes on after a kill."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.demo.request_log import LoggedRequest
from daemon.demo.world import Surface
from daemon.sources.model import Platform
from tests.acceptance.chaos.checks.sites import too_close
from tests.acceptance.chaos.moments import Moments
from tests.acceptance.chaos.recovery import Recoveries
from tests.acceptance.chaos.watch import Row

START = datetime(2026, 12, 1, tzinfo=UTC)
KILLED = START + timedelta(minutes=1)


def request(wall: float) -> LoggedRequest:
    return LoggedRequest(
        wall=wall,
        monotonic=wall,
        instant=START,
        platform=Platform.WANTED,
        method="GET",
        path=f"/{wall}",
        user_agent="gonggo",
        surface=Surface.LIST,
        board="",
        page=1,
        item="",
        status=200,
    )


@pytest.mark.parametrize(
    ("after_leap", "close"),
    [
        pytest.param((0.1, 0.5, 0.9), 0, id="far enough"),
        pytest.param((0.1, 0.12, 0.5), 0, id="one was under way"),
        pytest.param((0.1, 0.4, 0.5), 0, id="and came shortly before the third"),
        pytest.param((0.1, 0.12, 0.14), 1, id="two were"),
        pytest.param((0.1, 0.6, 0.62), 1, id="long after the leap"),
        pytest.param((-0.04, -0.02, 0.3), 1, id="before it"),
    ],
)
def test_one_request_of_a_site_may_be_under_way_when_the_clock_leaps(
    tmp_path: Path, after_leap: tuple[float, ...], close: int
) -> None:
    moments = Moments(tmp_path / "clock", START)
    moments.run_at(10.0)
    moments.leap(START + timedelta(minutes=5), 10.0)
    (leap,) = moments.leaps
    assert len(too_close([request(leap + each) for each in after_leap], moments, delay=2.0)) == close


def cycle(key: int, status: str, written: float) -> Row:
    return {
        "id": key,
        "job_source_id": key,
        "cycle_status": status,
        "updated_at": KILLED + timedelta(seconds=written),
    }


def test_a_host_goes_on_with_the_next_write_of_any_of_its_cycles() -> None:
    recoveries = Recoveries({1: "WANTED", 2: "WANTED", 3: "SARAMIN", 4: "JUMPIT"})
    asked = {1: "me", 3: "me", 4: "another"}
    before = [cycle(1, "RUNNING", -9), cycle(2, "PENDING", -8), cycle(3, "PENDING", -7), cycle(4, "RUNNING", -6)]
    recoveries.killed("me", KILLED, before, asked)
    recoveries.look(before)
    assert [(each.platform, each.over) for each in recoveries.all] == [("WANTED", False)]
    recoveries.look([before[0], cycle(2, "RUNNING", 5), cycle(3, "RUNNING", 1), cycle(4, "SUCCESS", 2)])
    assert [each.seconds for each in recoveries.all] == [5.0]


def test_a_write_that_was_under_way_at_the_kill_is_the_hosts_progress_too() -> None:
    """Its instant was read before the kill, and it was committed after it; nothing is left to be written."""
    recoveries = Recoveries({1: "WANTED"})
    recoveries.killed("me", KILLED, [cycle(1, "RUNNING", -90)], {1: "me"})
    recoveries.look([cycle(1, "FAILED", -0.1)])
    assert [each.seconds for each in recoveries.all] == [0.0]
