"""`gonggo parse` on saved answers of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Gonggo

KEYS = [
    "sourceJobId",
    "title",
    "postingUrl",
    "deadlineAt",
    "companyName",
    "signatureKind",
    "signatureValue",
    "tags",
    "descriptionBody",
    "accessRestricted",
]


def job(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "title": f" 서버 개발자 {number} &amp; 동료 ",
        "absolute_url": f"https://boards.example/jobs/{number}",
        "updated_at": "2026-11-30T10:00:00-05:00",
        "location": {"name": "서울"},
        "content": "&lt;p&gt;함께 일해요&lt;/p&gt;",
        "metadata": [],
        **more,
    }


def board(*jobs: dict[str, Any]) -> bytes:
    return json.dumps({"jobs": jobs, "meta": {"total": len(jobs)}}).encode()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "greenhouse.json"
    path.write_bytes(board(job(1, application_deadline="2026-12-10T14:59:59Z"), job(2)))
    return path


def test_each_posting_is_one_json_object_and_the_summary_goes_to_standard_error(gonggo: Gonggo, saved: Path) -> None:
    ended = gonggo.run("parse", "greenhouse", str(saved), "--at", "2026-12-01T09:00:00+09:00")
    postings = [json.loads(line) for line in ended.output.splitlines()]
    assert ended.code == 0
    assert [list(posting) for posting in postings] == [KEYS, KEYS]
    assert postings[0]["sourceJobId"] == "1"
    assert postings[0]["title"] == "서버 개발자 1 & 동료"
    assert postings[0]["deadlineAt"] == "2026-12-10T23:59:59+09:00"
    assert postings[1]["deadlineAt"] is None
    assert postings[0]["signatureKind"] == "UPDATED_AT"
    assert "서버 개발자" in ended.output, "Korean is written as it is, not escaped"
    assert ended.errors == "items=2 skipped=0 total=2 next=-\n"


def test_a_dash_reads_standard_input(gonggo: Gonggo, saved: Path) -> None:
    ended = gonggo.run("parse", "GREENHOUSE", "-", stdin=saved.read_bytes())
    assert ended.output == gonggo.run("parse", "GREENHOUSE", str(saved)).output != ""


def test_several_files_are_told_apart_and_one_bad_one_makes_the_exit_code_one(
    gonggo: Gonggo, saved: Path, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text("<html><body>점검 중입니다</body></html>", "utf-8")
    ended = gonggo.run("parse", "greenhouse", str(saved), str(tmp_path / "page.html"))
    assert ended.code == 1
    assert len(ended.output.splitlines()) == 2
    good, bad = ended.errors.splitlines()
    assert good == f"{saved}: items=2 skipped=0 total=2 next=-"
    assert bad.startswith(f"{tmp_path / 'page.html'}: LAYOUT_CHANGED ")


def test_an_unreadable_answer_is_named_and_exits_one_with_nothing_on_standard_output(gonggo: Gonggo) -> None:
    ended = gonggo.run("parse", "greenhouse", "-", stdin=b"{]")
    assert (ended.code, ended.output) == (1, "")
    assert ended.errors.startswith("LAYOUT_CHANGED ")


def test_a_file_over_the_cap_is_too_large_and_not_read_to_its_end(gonggo: Gonggo) -> None:
    ended = gonggo.having(body_cap_bytes="2048").run("parse", "greenhouse", "/dev/zero")
    assert (ended.code, ended.output) == (1, "")
    assert ended.errors.startswith("TOO_LARGE ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nosuch", "FILE"], "알 수 없는 플랫폼입니다: nosuch"),
        (["greenhouse", "/nonexistent/file"], "파일을 읽을 수 없습니다: /nonexistent/file"),
        (["greenhouse", "/"], "파일을 읽을 수 없습니다: /"),
        (["greenhouse", "FILE", "--at", "yesterday"], "시각을 읽을 수 없습니다: yesterday"),
        (["greenhouse", "FILE", "--kind", "page"], "--kind에는 list나 detail을 쓰세요: page"),
        (["greenhouse"], "필요한 값이 없습니다: FILE"),
        (["greenhouse", "FILE", "--bogus"], "없는 옵션입니다: --bogus"),
        (["greenhouse", "FILE", "--at"], "옵션에 값이 필요합니다: --at"),
    ],
)
def test_a_wrong_call_exits_two_with_one_sentence(
    gonggo: Gonggo, saved: Path, arguments: list[str], sentence: str
) -> None:
    ended = gonggo.run("parse", *(str(saved) if word == "FILE" else word for word in arguments))
    assert (ended.code, ended.output) == (2, "")
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors


def test_a_wrong_path_among_several_spoils_no_output(gonggo: Gonggo, saved: Path) -> None:
    ended = gonggo.run("parse", "greenhouse", str(saved), "/nonexistent/file")
    assert (ended.code, ended.output) == (2, "")


def test_half_a_character_in_a_title_is_written_as_json_all_the_same(gonggo: Gonggo) -> None:
    ended = gonggo.run("parse", "greenhouse", "-", stdin=board(job(1, title="개발자 \ud83d 채용")))
    (posting,) = map(json.loads, ended.output.splitlines())
    assert posting["title"].startswith("개발자")
    assert ended.code == 0
