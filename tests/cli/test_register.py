"""`company` and `source`, as a person uses them."""

from __future__ import annotations

import pytest

from tests.cli.command import Gonggo


@pytest.fixture
def ready(gonggo: Gonggo) -> Gonggo:
    assert gonggo.run("init").code == 0
    return gonggo


def test_a_company_is_registered_with_boards_and_aliases_and_its_terms_are_shown(ready: Gonggo) -> None:
    added = ready.run("company", "add", "당근마켓", "--source", "greenhouse:daangn", "--alias", "당근")
    assert added.code == 0
    assert "등록했습니다: 당근마켓 (회사 1, 소스 1개)" in added.output
    assert "GREENHOUSE 약관 참고: " in added.output
    listed = ready.run("company", "list").output.splitlines()
    assert listed[1].split() == ["1", "당근마켓", "당근", "관심", "회사", "1"]
    assert "당근마켓 (GREENHOUSE daangn)" in ready.run("source", "list").output


def test_a_company_of_the_same_normal_form_is_refused_by_name(ready: Gonggo) -> None:
    ready.run("company", "add", "당근마켓")
    again = ready.run("company", "add", "㈜ 당근 마켓")
    assert (again.code, again.output) == (1, "")
    assert "이미 있습니다: 1 당근마켓" in again.errors


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["company", "add", "당근", "--source", "daangn"], "--source는 플랫폼:슬러그로"),
        (["company", "add", "당근", "--source", "GREENHOUSE:"], "--source는 플랫폼:슬러그로"),
        (["company", "add", "당근", "--source", "NOSITE:daangn"], "알 수 없는 플랫폼입니다: NOSITE"),
        (["company", "add", "당근", "--source", "SARAMIN:daangn"], "platform"),
        (["company", "add", " "], "name"),
        (["source", "add", "SARAMIN", "no-such-code"], "gonggo source categories SARAMIN"),
        (["source", "add", "GREENHOUSE", "84"], "platform"),
        (["source", "disable", "first"], "값이 올바르지 않습니다: ID"),
        (["source", "nonsense"], "명령을 알아들을 수 없습니다"),
        (["source"], "도움말: gonggo source --help"),
    ],
)
def test_a_wrong_registration_exits_two_and_says_why(ready: Gonggo, arguments: list[str], sentence: str) -> None:
    ended = ready.run(*arguments)
    assert (ended.code, ended.output) == (2, "")
    assert sentence in ended.errors
    assert "Traceback" not in ended.errors


def test_a_search_is_followed_stopped_and_followed_again(ready: Gonggo) -> None:
    assert "84" in ready.run("source", "categories", "saramin").output
    added = ready.run("source", "add", "saramin", "84", "--keyword", "백엔드")
    assert added.code == 0
    assert "SARAMIN 약관 참고: " in added.output
    twice = ready.run("source", "add", "saramin", "84", "--keyword", "백엔드")
    assert twice.code == 1
    assert "이미 등록된 소스입니다: 1" in twice.errors
    assert ready.run("source", "disable", "1").output == '수집을 멈췄습니다: SARAMIN 백엔드/서버개발 "백엔드"\n'
    assert ready.run("source", "list").output.splitlines()[1].endswith("멈춤")
    assert ready.run("source", "enable", "1").code == 0
    assert ready.run("source", "list").output.splitlines()[1].endswith("수집 중")


def test_a_source_that_does_not_exist_is_told_apart_from_wrong_usage(ready: Gonggo) -> None:
    ended = ready.run("source", "disable", "99")
    assert ended.code == 1
    assert "없는 소스입니다: 99" in ended.errors


def test_empty_lists_say_what_to_do(ready: Gonggo) -> None:
    assert "gonggo company add" in ready.run("company", "list").output
    assert "gonggo company add" in ready.run("source", "list").output
