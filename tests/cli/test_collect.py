"""`gonggo collect` and what a person is told of sources that were not collected, or not again."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator

import pytest

from tests.cli.command import Gonggo

V2 = "posting.collection-dispatch-v2"


@pytest.fixture
def dead_site() -> Iterator[str]:
    """An origin at which nobody answers."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def test_nothing_followed_is_told_and_exits_one(gonggo: Gonggo) -> None:
    gonggo.run("init", "--activate")
    ended = gonggo.run("collect")
    assert ended.code == 1
    assert "gonggo company add" in ended.output


@pytest.mark.parametrize("way", ["v1", "v2"])
def test_a_job_board_whose_flag_is_off_is_told_and_exits_one(gonggo: Gonggo, way: str) -> None:
    gonggo.run("init")
    if way == "v2":
        gonggo.run("flag", "on", V2)
    gonggo.run("source", "add", "SARAMIN", "84")
    ended = gonggo.run("collect")
    assert ended.code == 1
    assert re.search(r"수집하지 않았습니다: SARAMIN .*'gonggo flag on aggregator.collection'", ended.output)


@pytest.mark.parametrize("way", ["v1", "v2"])
def test_a_second_collection_on_a_day_says_that_the_first_counts(gonggo: Gonggo, dead_site: str, way: str) -> None:
    person = gonggo.having(platform_origins=json.dumps({"GREENHOUSE": dead_site}), request_delay_seconds="0")
    person.run("init")
    if way == "v2":
        person.run("flag", "on", V2)
    person.run("company", "add", "당근마켓", "--source", "GREENHOUSE:daangn")
    first = person.run("collect")
    assert first.code == 1
    assert "오늘 이미 수집했습니다" not in first.output
    assert "SERVER_ERROR: 사이트에 문제가 있습니다. 내일 다시 수집합니다.\n" in first.output
    second = person.run("collect")
    assert second.code == 1
    assert re.search(r"오늘 이미 수집했습니다: .*GREENHOUSE.* \(소스 1\)", second.output)
