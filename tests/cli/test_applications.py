"""`apply`, `application` and `interview`, as a person uses them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from daemon.clock import SystemClock
from daemon.db import open_database
from tests.cli.command import Gonggo
from tests.db.applied import add_company, add_posting


@pytest.fixture
def ready(gonggo: Gonggo) -> Gonggo:
    """A person whose database has three postings, 1 and 2 at one company and 3 at another."""
    having = gonggo.having(database_url=f"sqlite:///{gonggo.home}/gonggo.db")
    assert having.run("init").code == 0
    asyncio.run(_three_postings(f"sqlite:///{gonggo.home}/gonggo.db"))
    return having


async def _three_postings(url: str) -> None:
    db = open_database(url, SystemClock())
    one, two = await add_company(db, "당근마켓"), await add_company(db, "우아한형제들")
    for company, title in ((one, "백엔드 개발자"), (one, "데이터 분석가"), (two, "서버 개발자")):
        await add_posting(db, company, title, deadline_at=datetime(2026, 12, 31, tzinfo=UTC))
    await db.close()


def test_an_application_is_recorded_moved_and_shown_with_its_timeline(ready: Gonggo) -> None:
    applied = ready.run("apply", "1", "--at", "2026-11-28T19:30", "--memo", "지인 추천")
    assert (applied.code, applied.output) == (0, "지원을 기록했습니다: 지원 1 (공고 1)\n")
    moved = ready.run("application", "move", "1", "document-screening")
    assert moved.output == (
        "지원 1: 서류 전형\n"
        "다음에 갈 수 있는 상태: INTERVIEWING (면접 진행), REJECTED (불합격), WITHDRAWN (지원 철회)\n"
    )
    assert ready.run("application", "move", "1", "면접 진행", "--memo", "코딩 테스트 통과").code == 0
    assert ready.run("interview", "add", "1", "1", "1차 기술면접", "--at", "2026-12-05T14:00").code == 0
    assert ready.run("interview", "set", "1", "1", "--result", "passed", "--memo", "좋았음").code == 0
    shown = ready.run("application", "show", "1").output.splitlines()
    assert shown[0] == "지원 1: 당근마켓 - 백엔드 개발자"
    assert shown[1] == "공고 1 (모집 중) https://example.com/jobs/1"
    assert shown[2] == "메모: 지인 추천"
    history = shown.index("") + 2
    assert shown[history].split(maxsplit=3)[:3] == ["2026-11-28", "19:30", "지원함"]
    assert shown[history + 2].endswith("코딩 테스트 통과")
    interview = next(line for line in shown if "1차 기술면접" in line)
    assert interview.split() == ["1", "1차", "기술면접", "2026-12-05", "14:00", "합격", "좋았음"]
    assert shown[-1].startswith("다음에 갈 수 있는 상태: OFFERED (처우 협의)")


def test_applications_are_listed_of_all_companies_or_of_one(ready: Gonggo) -> None:
    assert "gonggo apply" in ready.run("application", "list").output
    for posting in ("1", "3"):
        ready.run("apply", posting)
    ready.run("application", "move", "1", "REJECTED")
    listed = ready.run("application", "list").output.splitlines()
    assert listed[1].split()[:4] == ["1", "당근마켓", "백엔드", "개발자"]
    assert "불합격" in listed[1]
    assert listed[2].split()[:2] == ["2", "우아한형제들"]
    assert len(ready.run("application", "list", "--company", "2").output.splitlines()) == 2
    ended = ready.run("application", "show", "1").output
    assert "탈락 단계: 지원함" in ended
    assert ended.endswith("끝난 지원입니다.\n")


def test_an_interview_loses_what_is_given_empty(ready: Gonggo) -> None:
    ready.run("apply", "1")
    ready.run("interview", "add", "1", "2", "임원면접", "--at", "2026-12-05T14:00")
    assert "2026-12-05 14:00" in ready.run("application", "show", "1").output
    ended = ready.run("interview", "set", "1", "2", "--at", "", "--label", "2차 임원면접")
    assert ended.output == "면접을 고쳤습니다: 지원 1의 2회차 2차 임원면접\n"
    assert "2026-12-05" not in ready.run("application", "show", "1").output


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["apply", "1"], 1, "이미 지원한 공고입니다: 지원 1 (지원함)"),
        (["apply", "404"], 1, "없는 공고입니다: 404"),
        (["apply", "1", "--at", "어제"], 2, "시각을 읽을 수 없습니다: 어제"),
        (["apply", "2", "--memo", "가" * 2001], 2, "메모는 2000자까지입니다"),
        (["apply", "0"], 2, "값이 올바르지 않습니다: POSTING"),
        (["application", "show", "404"], 1, "없는 지원입니다: 404"),
        (["application", "move", "1", "OFFERED"], 1, "지원함에서 처우 협의(으)로 단계를 건너뛸 수 없습니다."),
        (["application", "move", "1", "APPLIED"], 1, "이미 그 상태입니다: 지원함"),
        (["application", "move", "1", "HIRED"], 2, "알 수 없는 상태입니다: HIRED. 쓸 수 있는 상태: APPLIED, "),
        (["interview", "add", "1", "1", "다시"], 1, "이미 있는 회차입니다: 1회차 1차"),
        (["interview", "set", "1", "9", "--memo", "x"], 1, "지원 1에 그런 면접이 없습니다."),
        (["interview", "set", "1", "1", "--result", "maybe"], 2, "결과는 PENDING, PASSED, FAILED 중 하나로"),
        (["interview", "set", "1", "1", "--label", ""], 2, "면접의 이름은 비워 둘 수 없고"),
        (["interview", "set", "1", "1"], 2, "바꿀 값을 하나 이상 쓰세요."),
    ],
)
def test_what_is_refused_is_told_in_a_sentence(ready: Gonggo, arguments: list[str], code: int, sentence: str) -> None:
    ready.run("apply", "1")
    ready.run("interview", "add", "1", "1", "1차")
    ended = ready.run(*arguments)
    assert (ended.code, ended.output) == (code, "")
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors


def test_it_speaks_english_where_that_is_set(ready: Gonggo) -> None:
    english = ready.having(language="en")
    english.run("apply", "1")
    refused = english.run("application", "move", "1", "accepted")
    assert refused.errors == "gonggo: Only an offer can become accepted; it is applied.\n"
    assert english.run("application", "move", "1", "withdrawn").output.splitlines()[0] == "Application 1: withdrawn"
