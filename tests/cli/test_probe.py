"""`gonggo probe` and `--check`: what a company's boards publish, before anything is registered."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Gonggo
from tests.sources.hostile import HostileSite


@pytest.fixture
def site() -> Iterator[HostileSite]:
    """The platforms of company boards, on a loop of their own: a command has the test's thread to itself."""
    site = HostileSite()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(site.__aenter__(), loop).result(10)
    yield site
    asyncio.run_coroutine_threadsafe(site.__aexit__(None, None, None), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture
def ready(gonggo: Gonggo, tmp_path: Path, site: HostileSite) -> Gonggo:
    """`gonggo` on a database of its own, with the platforms replaced by the local site."""
    origins = json.dumps(dict.fromkeys(("GREENHOUSE", "WOOWAHAN", "INCRUIT"), site.origin))
    having = gonggo.having(
        database_url=f"sqlite:///{tmp_path}/gonggo.db", platform_origins=origins, request_delay_seconds="0"
    )
    assert having.run("init").code == 0
    return having


def publish(site: HostileSite, slug: str, *titles: str) -> None:
    jobs = [
        {
            "id": number,
            "title": title,
            "absolute_url": f"https://example.com/{number}",
            "updated_at": "2026-05-25T21:00:02-04:00",
        }
        for number, title in enumerate(titles, 1)
    ]
    body = json.dumps({"jobs": jobs, "meta": {"total": len(jobs)}}).encode()
    site.answers(f"/v1/boards/{slug}/jobs", body, kind="application/json")


def test_a_board_is_shown_with_its_postings_and_the_command_that_follows_it(ready: Gonggo, site: HostileSite) -> None:
    publish(site, "daangn", "백엔드 개발자", "프론트엔드 개발자")
    looked = ready.run("probe", "당근 마켓", "https://boards.greenhouse.io/daangn")
    assert (looked.code, looked.errors) == (0, "")
    assert "GREENHOUSE:daangn" in looked.output
    assert "백엔드 개발자 / 프론트엔드 개발자" in looked.output
    assert "GREENHOUSE 약관 참고: " in looked.output
    assert "다음 명령: gonggo company add '당근 마켓' --source GREENHOUSE:daangn\n" in looked.output
    assert "등록된 회사가 없습니다" in ready.run("company", "list").output
    added = ready.run("company", "add", "당근 마켓")
    assert added.code == 0
    again = ready.run("probe", "당근 마켓", "https://boards.greenhouse.io/daangn")
    assert "다음 명령: gonggo company source add '당근 마켓' GREENHOUSE:daangn\n" in again.output
    ready.run("company", "source", "add", "당근 마켓", "GREENHOUSE:daangn")
    followed = ready.run("probe", "당근 마켓", "https://boards.greenhouse.io/daangn")
    assert followed.code == 0
    assert "수집 중" in followed.output
    assert "다음 명령" not in followed.output
    assert "등록하세요" not in followed.output
    assert "이미 등록된 게시판뿐입니다. 'gonggo status'로" in followed.output


def test_a_company_that_is_not_found_exits_one_and_says_what_to_do(ready: Gonggo, site: HostileSite) -> None:
    nothing = ready.run("probe", "당근마켓")
    assert (nothing.code, nothing.errors) == (1, "")
    assert "회사 채용 페이지의 주소를 함께 알려 주세요" in nothing.output
    assert "gonggo probe 당근마켓 주소\n" in nothing.output
    assert "다음 명령: gonggo company add 당근마켓\n" in nothing.output
    site.answers("/v1", b"", status="500 Oops")
    failed = ready.run("probe", "Moloco")
    assert failed.code == 1
    assert "확인하지 못했습니다: https://boards-api.greenhouse.io/v1/boards/moloco/jobs (SERVER_ERROR: HTTP 500)" in (
        failed.output
    )


def test_boards_that_are_registered_are_shown_first_without_an_address_too(ready: Gonggo, site: HostileSite) -> None:
    ready.run(
        "company", "add", "당근마켓", "--source", "GREENHOUSE:daangn", "--source", "INCRUIT:daangn", "--alias", "당근"
    )
    ready.run("source", "disable", "2")
    for name in ("당근마켓", "당근"):
        looked = ready.run("probe", name)
        assert looked.code == 0
        assert looked.output.splitlines()[:2] == [
            "등록된 게시판: GREENHOUSE:daangn (수집 중, 소스 1)",
            "등록된 게시판: INCRUIT:daangn (멈춤, 소스 2)",
        ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["당근마켓", "http://127.0.0.1/"], "공개 인터넷의 주소가 아닙니다"),
        (["당근마켓", "http://localhost:8787/"], "기본 포트만"),
        (["당근마켓", "ftp://example.com"], "http와 https"),
        (["당근\n마켓"], "제어 문자"),
        ([], "필요한 값이 없습니다: NAME"),
    ],
)
def test_what_can_not_be_looked_for_exits_two(
    ready: Gonggo, site: HostileSite, arguments: list[str], sentence: str
) -> None:
    ended = ready.run("probe", *arguments)
    assert (ended.code, ended.output) == (2, "")
    assert sentence in ended.errors
    assert site.hits == []


def test_a_wrong_slug_is_refused_before_it_is_registered_when_it_is_checked(ready: Gonggo, site: HostileSite) -> None:
    publish(site, "daangn", "백엔드 개발자")
    wrong = ready.run("company", "add", "당근마켓", "--source", "GREENHOUSE:dangn", "--check")
    assert (wrong.code, wrong.output) == (1, "")
    assert "등록하지 않았습니다: GREENHOUSE:dangn (NOT_FOUND" in wrong.errors
    assert "등록된 회사가 없습니다" in ready.run("company", "list").output
    right = ready.run("company", "add", "당근마켓", "--source", "GREENHOUSE:daangn", "--check")
    assert right.code == 0
    assert "gonggo probe" not in right.output
    wrong = ready.run("company", "source", "add", "당근마켓", "GREENHOUSE:dangn", "--check")
    assert (wrong.code, wrong.output) == (1, "")


def test_a_board_registered_unseen_is_told_how_to_be_looked_at(ready: Gonggo, site: HostileSite) -> None:
    publish(site, "daangn", "백엔드 개발자")
    added = ready.run("company", "add", "당근마켓", "--source", "GREENHOUSE:daangn")
    assert site.hits == []
    command = added.output.splitlines()[-1].partition(": ")[2].split()
    assert command[:3] == ["gonggo", "probe", "당근마켓"]
    looked = ready.run(*command[1:])
    assert looked.code == 0
    assert "백엔드 개발자" in looked.output
