"""`company` and `source`, as a person uses them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from daemon.clock import SystemClock
from daemon.company import store
from daemon.db import open_database, transaction
from tests.cli.command import Gonggo

TOO_LARGE = "99999999999999999999"


@pytest.fixture
def ready(gonggo: Gonggo, tmp_path: Path) -> Gonggo:
    """`gonggo` on a database of its own."""
    having = gonggo.having(database_url=f"sqlite:///{tmp_path}/gonggo.db")
    assert having.run("init").code == 0
    return having


def discover(gonggo: Gonggo, *names: str) -> None:
    """Companies that a board has brought."""

    async def resolved() -> None:
        db = open_database(gonggo.settings["database_url"], SystemClock())
        await transaction(db, store.resolve_companies, names)
        await db.close()

    asyncio.run(resolved())


def test_a_company_is_registered_with_boards_and_aliases_and_its_terms_are_shown(ready: Gonggo) -> None:
    added = ready.run("company", "add", "당근마켓", "--source", "greenhouse:daangn", "--alias", "당근")
    assert added.code == 0
    assert "등록했습니다: 당근마켓 (회사 1, 소스 1개)" in added.output
    assert "GREENHOUSE 약관 참고: " in added.output
    listed = ready.run("company", "list").output.splitlines()
    assert listed[1].split() == ["1", "당근마켓", "당근", "관심", "회사", "1"]
    assert "당근마켓 (GREENHOUSE daangn)" in ready.run("source", "list").output


def test_a_company_of_the_same_normal_form_is_refused_by_name_with_what_to_do_instead(ready: Gonggo) -> None:
    ready.run("company", "add", "당근 마켓")
    again = ready.run("company", "add", "㈜당근마켓", "--source", "GREENHOUSE:daangn")
    assert (again.code, again.output) == (1, "")
    assert "이미 있습니다: 1 당근 마켓" in again.errors
    assert "gonggo company source add '당근 마켓' 플랫폼:슬러그" in again.errors
    assert "gonggo company alias add '당근 마켓' 이름" in again.errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["company", "add", "당근", "--source", "daangn"], "플랫폼:슬러그로 쓰세요"),
        (["company", "add", "당근", "--source", "GREENHOUSE:"], "플랫폼:슬러그로 쓰세요"),
        (["company", "add", "당근", "--source", "NOSITE:daangn"], "알 수 없는 플랫폼입니다: NOSITE"),
        (["company", "add", "당근", "--source", "SARAMIN:daangn"], "gonggo source add SARAMIN"),
        (["company", "add", "당근", "--source", "GREENHOUSE:a/b"], "슬러그가 될 수 없습니다"),
        (["company", "add", "당근", "--source", "GREENHOUSE:a:b"], "슬러그가 될 수 없습니다"),
        (["company", "add", "당근", "--source", "INCRUIT:a", "--source", "INCRUIT:a"], "INCRUIT:a을(를) 두 번"),
        (["company", "add", " "], "name 값이 올바르지 않습니다: 비어 있습니다"),
        (["company", "add", "당근\n마켓"], "제어 문자"),
        (
            ["company", "add", "당근", "--alias", "당\x1b[31m근"],
            "aliases 값이 올바르지 않습니다: 줄바꿈 같은 제어 문자",
        ),
        (["company", "list", "--origin", "mine"], "WATCHED, DISCOVERED, ALL"),
        (["source", "add", "SARAMIN", "no-such-code"], "gonggo source categories SARAMIN"),
        (["source", "add", "SARAMIN", "84", "--keyword", "백\t엔드"], "제어 문자"),
        (["source", "add", "GREENHOUSE", "84"], "gonggo company add"),
        (["source", "nonsense"], "쓸 수 있는 명령: add, list, "),
        (["company", "add", "당근", "마켓"], "쓰이지 않는 값이 있습니다: 마켓. 빈칸이 든 값은 따옴표로"),
        (["company", "add", "당근마켓", "--source"], "옵션에 값이 필요합니다: --source"),
        (["source"], "도움말: gonggo source --help"),
    ],
)
def test_a_wrong_registration_exits_two_and_says_why(ready: Gonggo, arguments: list[str], sentence: str) -> None:
    ended = ready.run(*arguments)
    assert (ended.code, ended.output) == (2, "")
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors


@pytest.mark.parametrize("number", ["first", "0", TOO_LARGE])
@pytest.mark.parametrize(
    "command",
    [
        ["source", "disable"],
        ["source", "enable"],
        ["collect", "--source"],
        ["posting", "show"],
        ["posting", "list", "--company"],
        ["posting", "add"],
        ["apply"],
        ["application", "show"],
        ["application", "list", "--company"],
        ["criteria", "remove", "group"],
    ],
    ids=" ".join,
)
def test_a_number_that_no_row_can_have_is_refused_in_one_sentence(
    gonggo: Gonggo, command: list[str], number: str
) -> None:
    rest = {"posting": ["제목", "https://example.com"]}.get(command[0], []) if command[-1] == "add" else []
    ended = (
        gonggo.run(*command, "--", number, *rest) if not command[-1].startswith("--") else gonggo.run(*command, number)
    )
    assert (ended.code, ended.output) == (2, "")
    assert "값이 올바르지 않습니다: " in ended.errors
    assert f"({number})" in ended.errors


def test_a_search_is_followed_stopped_and_followed_again(ready: Gonggo) -> None:
    assert "84" in ready.run("source", "categories", "saramin").output
    added = ready.run("source", "add", "saramin", "84", "--keyword", "백엔드")
    assert added.code == 0
    assert "SARAMIN 약관 참고: " in added.output
    twice = ready.run("source", "add", "saramin", "84", "--keyword", "백엔드")
    assert twice.code == 1
    assert "이미 등록된 소스입니다: 1" in twice.errors
    assert ready.run("source", "disable", "1").output == '수집을 멈췄습니다: SARAMIN 백엔드/서버개발 "백엔드"\n'
    again = ready.run("source", "disable", "1")
    assert (again.code, again.errors) == (0, "")
    assert "이미 멈춘 소스입니다: SARAMIN" in again.output
    assert "gonggo source enable 1" in again.output
    assert ready.run("source", "list").output.splitlines()[1].endswith("멈춤")
    assert ready.run("source", "enable", "1").output.startswith("다시 수집합니다: SARAMIN")
    assert ready.run("source", "enable", "1").output.startswith("이미 수집하고 있습니다: SARAMIN")
    assert ready.run("source", "list").output.splitlines()[1].endswith("수집 중")


def test_a_source_that_does_not_exist_is_told_apart_from_wrong_usage(ready: Gonggo) -> None:
    ended = ready.run("source", "disable", "99")
    assert ended.code == 1
    assert "없는 소스입니다: 99" in ended.errors


def test_empty_lists_say_what_to_do(ready: Gonggo) -> None:
    assert "gonggo company add" in ready.run("company", "list").output
    assert "gonggo company add" in ready.run("source", "list").output


def test_a_board_is_added_to_a_company_by_any_of_its_names(ready: Gonggo) -> None:
    ready.run("company", "add", "당근마켓", "--alias", "당근")
    assert "gonggo probe 당근마켓" in ready.run("company", "show", "당근").output
    added = ready.run("company", "source", "add", "㈜당근", "greenhouse:daangn")
    assert added.code == 0
    assert "등록했습니다: GREENHOUSE daangn (소스 1)" in added.output
    assert "GREENHOUSE 약관 참고: " in added.output
    shown = ready.run("company", "show", "1").output
    assert "회사 1: 당근마켓 (관심 회사)" in shown
    assert "다른 이름: 당근" in shown
    assert "GREENHOUSE:daangn" in shown
    assert ready.run("company", "source", "add", "당근", "greenhouse:daangn").code == 1
    ready.run("source", "disable", "1")
    assert ready.run("company", "show", "당근").output.rstrip().endswith("멈춤")
    again = ready.run("company", "source", "add", "당근", "greenhouse:daangn")
    assert again.output.startswith("다시 수집합니다: GREENHOUSE daangn (소스 1)")


def test_an_alias_is_added_and_removed(ready: Gonggo) -> None:
    ready.run("company", "add", "당근마켓")
    ready.run("company", "add", "우아한형제들")
    assert ready.run("company", "alias", "add", "당근마켓", "당근").output.startswith("더했습니다: 당근")
    known = ready.run("company", "alias", "add", "당근마켓", "㈜당근")
    assert (known.code, known.output) == (0, "이미 이 회사의 이름입니다: ㈜당근\n")
    taken = ready.run("company", "alias", "add", "우아한형제들", "당근")
    assert taken.code == 1
    assert "다른 회사의 이름입니다: 1 당근마켓" in taken.errors
    assert ready.run("company", "alias", "remove", "당근마켓", "(주)당근").output == "지웠습니다: 당근\n"
    gone = ready.run("company", "alias", "remove", "당근마켓", "당근")
    assert gone.code == 1
    assert "이 회사에 없는 이름입니다: 당근" in gone.errors


@pytest.mark.parametrize("name", ["없는회사", "7", TOO_LARGE, "0"])
def test_a_company_that_nobody_knows_is_refused_by_its_name(ready: Gonggo, name: str) -> None:
    for command in (
        ["show", name],
        ["promote", name],
        ["alias", "add", name, "x"],
        ["source", "add", name, "INCRUIT:x"],
    ):
        ended = ready.run("company", *command)
        assert (ended.code, ended.output) == (1, "")
        assert f"그런 이름의 회사가 없습니다: {name}" in ended.errors


def test_discovered_companies_are_counted_but_listed_only_when_asked_for(ready: Gonggo) -> None:
    discover(ready, *(f"발견 {number:03d}" for number in range(101)))
    assert ready.run("company", "list").output == "관심 회사 0곳, 발견한 회사 101곳\n"
    ready.run("company", "add", "당근마켓")
    listed = ready.run("company", "list").output
    assert "당근마켓" in listed
    assert "발견 000" not in listed
    discovered = ready.run("company", "list", "--origin", "discovered").output
    assert "발견 099" in discovered
    assert "발견 100" not in discovered
    assert "모두 101곳 중 100곳까지 보였습니다. 다음 쪽: --page 1" in discovered
    assert "발견 100" in ready.run("company", "list", "--origin", "DISCOVERED", "--page", "1").output
    assert "당근마켓" in ready.run("company", "list", "--origin", "all").output


def test_a_discovered_company_is_promoted_once(ready: Gonggo) -> None:
    discover(ready, "토스")
    assert "관심 회사로 올렸습니다: 토스" in ready.run("company", "promote", "토스").output
    assert ready.run("company", "promote", "토스").output == "이미 관심 회사입니다: 토스\n"
    assert "토스" in ready.run("company", "list").output


def test_a_source_that_was_mistyped_is_removed_and_nothing_else(ready: Gonggo) -> None:
    ready.run("source", "add", "SARAMIN", "84", "--keyword", "없는말")
    removed = ready.run("source", "remove", "1")
    assert (removed.code, removed.output) == (0, '지웠습니다: SARAMIN 백엔드/서버개발 "없는말"\n')
    assert "등록된 소스가 없습니다" in ready.run("source", "list").output
    ended = ready.run("source", "remove", "1")
    assert (ended.code, ended.output) == (1, "")
