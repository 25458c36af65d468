"""`posting`, as a person uses it."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import insert

from daemon.clock import SystemClock
from daemon.db import open_database, transaction
from daemon.matching.model import Confidence
from daemon.matching.tables import job_keyword_groups, job_posting_matched_keyword_groups
from daemon.posting.store import save_descriptions
from tests.cli.command import Gonggo
from tests.db.test_posting_views import add_evidence, add_result
from tests.engines import write
from tests.postings import add_company, add_posting


@pytest.fixture
def ready(gonggo: Gonggo) -> Gonggo:
    """A person whose database has two companies and a posting that matches at the first."""
    having = gonggo.having(database_url=f"sqlite:///{gonggo.home}/gonggo.db")
    assert having.run("init").code == 0
    asyncio.run(_fill(f"sqlite:///{gonggo.home}/gonggo.db"))
    return having


async def _fill(url: str) -> None:
    db = open_database(url, SystemClock())
    company = await add_company(db, "당근마켓")
    await add_company(db, "우아한형제들")
    posting = await add_posting(db, company, None, "백엔드\x1b[31m 개발자")
    await add_result(db, posting, top=Confidence.LIKELY)
    now = db.clock.now()
    group = {"display_name": "백엔드", "created_at": now, "updated_at": now}
    await write(db, insert(job_keyword_groups).values(id=1, **group))
    word = {"job_posting_match_result_id": 1, "job_keyword_group_id": 1, "matched_synonym": "백엔드"}
    await write(db, insert(job_posting_matched_keyword_groups).values(**word, created_at=now))
    await add_evidence(db, posting, "재택", Confidence.LIKELY, "주 2회 재택 가능")
    await transaction(db, save_descriptions, {posting: "주요 업무\n주 2회 재택 가능"}, db.clock.now())
    await db.close()


def test_postings_are_listed_with_what_matters_and_filtered(ready: Gonggo) -> None:
    ready.run("posting", "add", "2", "디자이너", "https://example.com/design", "--deadline", "2026-12-24")
    listed = ready.run("posting", "list", "--sort", "deadline").output.splitlines()
    assert listed[0].split() == ["번호", "회사", "제목", "마감일", "상태", "키워드", "근무형태", "다른", "출처", "지원"]
    assert "2026-12-24 23:59" in listed[1]
    assert "상시채용" in listed[2]
    assert "재택 (유력)" in listed[2]
    assert "\x1b" not in listed[2]
    for options in (("--matched",), ("--company", "1"), ("--title", "백엔드"), ("--sort", "WORK_ARRANGEMENT")):
        assert "백엔드" in ready.run("posting", "list", *options).output.splitlines()[1]
    assert "공고가 없습니다" in ready.run("posting", "list", "--status", "closed").output
    assert "공고가 없습니다" in ready.run("posting", "list", "--page", "1").output


def test_a_posting_is_shown_with_evidence_and_text(ready: Gonggo) -> None:
    shown = ready.run("posting", "show", "1").output.splitlines()
    assert shown[0] == "공고 1: 당근마켓 - 백엔드 [31m 개발자"
    assert shown[1:3] == ["모집 중, 마감일 상시채용", "주소: https://example.com/jobs/1"]
    assert shown[3] == "맞은 이유: 백엔드 (제목의 “백엔드”)"
    assert next(line for line in shown if line.startswith("재택")).split() == [
        "재택",
        "유력",
        "본문",
        "주",
        "2회",
        "재택",
        "가능",
    ]
    assert shown[-2:] == ["주요 업무", "주 2회 재택 가능"]


def test_a_posting_is_entered_corrected_closed_and_opened(ready: Gonggo) -> None:
    added = ready.run("posting", "add", "2", "서버 개발자", "https://example.com/1", "--deadline", "2999-12-24T18:00")
    assert (added.code, added.output) == (0, "등록했습니다: 공고 2\n")
    edited = ready.run("posting", "edit", "2", "--title", "플랫폼 개발자", "--deadline", "", "--status", "closed")
    assert (edited.code, edited.output) == (0, "고쳤습니다: 공고 2 (마감)\n")
    assert ready.run("posting", "show", "2").output.splitlines()[:2] == [
        "공고 2: 우아한형제들 - 플랫폼 개발자",
        "마감, 마감일 상시채용",
    ]
    assert ready.run("posting", "edit", "2", "--status", "OPEN").output == "고쳤습니다: 공고 2 (모집 중)\n"


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        (["show", "99"], 1, "없는 공고입니다: 99"),
        (["add", "99", "제목", "https://example.com/2"], 1, "없는 회사입니다: 99"),
        (["add", "1", "제목", "https://example.com/jobs/1"], 1, "같은 주소의 공고가 이미 있습니다: 공고 1"),
        (["add", "1", "제목", "example.com"], 2, "주소는 http://나 https://로 시작하고"),
        (["add", "1", " ", "https://example.com/2"], 2, "제목은 비워 둘 수 없고"),
        (["add", "1", "제목", "https://example.com/2", "--deadline", "내일"], 2, "시각을 읽을 수 없습니다"),
        (["edit", "1"], 2, "바꿀 값을 하나 이상"),
        (["list", "--sort", "title"], 2, "--sort에는 WORK_ARRANGEMENT, DEADLINE, DISCOVERED 중 하나"),
        (["list", "--status", "gone"], 2, "--status에는 OPEN, CLOSED 중 하나"),
    ],
)
def test_a_refusal_is_one_sentence_that_says_what_is_wrong(
    ready: Gonggo, command: list[str], code: int, sentence: str
) -> None:
    result = ready.run("posting", *command)
    assert result.code == code
    assert sentence in result.errors
