"""`gonggo criteria`, as a person uses it."""

from __future__ import annotations

import pytest

from tests.cli.command import Gonggo


@pytest.fixture
def ready(gonggo: Gonggo) -> Gonggo:
    assert gonggo.run("init").code == 0
    return gonggo


def test_criteria_are_added_listed_and_removed(ready: Gonggo) -> None:
    added = ready.run("criteria", "add", "keyword", "백엔드", "--synonym", "backend", "--synonym", "서버 개발")
    assert added.code == 0
    assert "더했습니다: 백엔드 (1번, 기준 1판)" in added.output
    assert ready.run("criteria", "add", "keyword", "데이터").code == 0
    assert ready.run("criteria", "add", "Exclusion", "인턴").code == 0
    assert ready.run("criteria", "add", "arrangement", "재택근무").code == 0
    listed = [line.split(maxsplit=3) for line in ready.run("criteria", "list").output.splitlines()]
    assert listed[1:] == [
        ["keyword", "1", "백엔드", "backend, 서버 개발"],
        ["keyword", "2", "데이터", "데이터"],
        ["exclusion", "1", "인턴"],
        ["arrangement", "1", "재택근무"],
        ["기준", "4판"],
    ]
    assert ready.run("criteria", "remove", "keyword", "2").output == "뺐습니다: 2번 (기준 5판)\n"
    assert "데이터" not in ready.run("criteria", "list").output


def test_without_criteria_the_list_says_what_to_do(ready: Gonggo) -> None:
    assert "gonggo criteria add keyword" in ready.run("criteria", "list").output
    assert "No criteria yet" in ready.having(language="en").run("criteria", "list").output


def test_stored_postings_are_re_evaluated_from_the_shell(ready: Gonggo) -> None:
    ended = ready.run("criteria", "re-evaluate")
    assert (ended.code, ended.output) == (
        0,
        "0건을 평가했습니다. 이미 최신인 0건은 그대로 두었습니다. (기준 0판)\n",
    )
    assert "(기준 1판)" in ready.run("criteria", "re-evaluate", "--force").output


def test_a_word_can_be_tried_out(ready: Gonggo) -> None:
    ended = ready.run("criteria", "preview", "백엔드", "backend")
    assert (ended.code, ended.output) == (
        0,
        "공고 0건 가운데 0건이 걸립니다. 그중 제외어에 걸린 것은 0건입니다.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["add", "nonsense", "인턴"], 2, "keyword, exclusion, arrangement"),
        (["add", "exclusion", "인턴", "--synonym", "intern"], 2, "--synonym은 keyword에만"),
        (["add", "exclusion", "-"], 2, "gonggo: 낱말에는 글자나 숫자가 있어야 하고"),
        (["add", "keyword", ""], 2, "gonggo: 낱말에는 글자나 숫자가 있어야 하고"),
        ([], 2, "쓸 수 있는 명령: list, add, remove, preview, re-evaluate"),
        (["exclude", "인턴"], 2, "쓸 수 있는 명령: list, add, "),
        (["add", "exclusion", "파견"], 1, "같은 낱말이 이미 있습니다: 1번 파견"),
        (["remove", "exclusion", "99"], 1, "그런 번호가 없습니다: 99"),
        (["remove", "exclusion", "first"], 2, "값이 올바르지 않습니다: NUMBER"),
        (["preview", "-"], 2, "동의어는 50개까지이며, 저마다 글자나 숫자가 있고"),
        (["preview"], 2, "필요한 값이 없습니다: WORD"),
    ],
)
def test_a_wrong_call_says_why(ready: Gonggo, arguments: list[str], code: int, sentence: str) -> None:
    ready.run("criteria", "add", "exclusion", "파견")
    ended = ready.run("criteria", *arguments)
    assert (ended.code, ended.output) == (code, "")
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors
