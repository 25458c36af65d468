"""What companies, boards and searches may be, and what is made of a person's words for them (DESIGN 1.10, FR-1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from daemon.company.model import CompanySource, InvalidValue, Unfit, UnknownCategory
from daemon.company.rules import (
    board_hosts,
    checked_boards,
    checked_name,
    checked_search,
    names_another_host,
    normal_form,
    row_id,
    shortened,
    slug_guesses,
)
from daemon.sources.model import Platform

HOSTS = {
    Platform.GREENHOUSE: "boards-api.greenhouse.io",
    Platform.WOOWAHAN: "career.woowahan.com",
    Platform.INCRUIT: "recruit.incruit.com",
}


def refused(check: Callable[..., object], *given: Any) -> tuple[str, Unfit, dict[str, object]]:
    with pytest.raises(InvalidValue) as found:
        check(*given)
    return found.value.field, found.value.unfit, found.value.values


def board(slug: str = "daangn", platform: Platform = Platform.GREENHOUSE, url: str | None = None) -> CompanySource:
    return CompanySource(platform=platform, source_slug=slug, base_url=url)


# --- names


@pytest.mark.parametrize(
    ("name", "kept"),
    [("당근마켓", "당근마켓"), ("  당근 \u00a0 마켓\u3000", "당근 마켓"), ("e\u0301", "é"), ("가" * 200, "가" * 200)],
)
def test_a_name_is_kept_in_one_line_and_one_spelling(name: str, kept: str) -> None:
    assert checked_name("name", name) == kept


@pytest.mark.parametrize(
    ("name", "unfit", "values"),
    [
        ("", Unfit.EMPTY, {}),
        (" \u00a0\u200b", Unfit.EMPTY, {}),
        ("가" * 201, Unfit.TOO_LONG, {"limit": 200}),
        ("당근\n마켓", Unfit.CONTROL_CHARACTERS, {}),
        ("당근\u2028마켓", Unfit.CONTROL_CHARACTERS, {}),
        ("당근\u202e마켓", Unfit.CONTROL_CHARACTERS, {}),
        ("당근\u2066마켓", Unfit.CONTROL_CHARACTERS, {}),
    ],
)
def test_a_name_that_is_none_is_refused_under_its_fields_name(name: str, unfit: Unfit, values: dict[str, int]) -> None:
    assert refused(checked_name, "alias", name) == ("alias", unfit, values)


# --- ids


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), (" 42\n", 42), ("7\x1f", 7), ("007", 7), (str(2**63 - 1), 2**63 - 1)]
)
def test_an_id_is_what_a_database_can_hold(text: str, number: int) -> None:
    assert row_id(text) == number


@pytest.mark.parametrize("text", ["", "0", "-1", "+1", "1.0", "a1", "1 2", "１", "²", str(2**63), "1" * 20, "000" * 7])
def test_anything_else_is_no_id(text: str) -> None:
    assert row_id(text) is None


# --- guesses


@pytest.mark.parametrize(
    ("name", "host", "guesses"),
    [
        ("당근마켓", None, ()),
        ("당근마켓", "about.daangn.com", ("daangn",)),
        ("당근마켓", "daangn.co.kr", ("daangn",)),
        ("당근마켓", "www.daangn.kr", ("daangn",)),
        ("당근마켓", "daangn.com", ("daangn",)),
        ("당근마켓", "daangn.notion.site", ("daangn",)),
        ("당근마켓", "daangn.github.io", ("daangn",)),
        ("당근마켓", "www.daangn.notion.site", ("daangn",)),
        ("당근마켓", "notion.daangn.com", ("daangn",)),
        ("당근마켓", "notion.so", ("notion",)),
        ("당근마켓", "co.kr", ("co",)),
        ("당근마켓", "co.uk.example.com", ("example",)),
        ("당근마켓", "daangn.co.com", ("co",)),
        ("당근마켓", "localhost", ()),
        ("Viva Republica Inc.", None, ("vivarepublica", "viva-republica")),
        ("Toss", "toss.im", ("toss",)),
        ("Karrot Market", "daangn.com", ("daangn", "karrotmarket", "karrot-market")),
        ("A", None, ()),
        ("24", None, ()),
        ("29CM", None, ("29cm",)),
        ("a" * 41, None, ()),
        ("a" * 40, None, ("a" * 40,)),
    ],
)
def test_a_company_may_call_itself_by_its_domain_or_its_latin_name(
    name: str, host: str | None, guesses: tuple[str, ...]
) -> None:
    assert slug_guesses(name, host) == guesses


# --- boards


def test_only_three_platforms_have_boards_of_companies() -> None:
    assert board_hosts() == HOSTS


@pytest.mark.parametrize(
    "source",
    [
        board(),
        board("a" * 200),
        board("당근-마켓_1.0"),
        board("X"),
        board(url="https://boards-api.greenhouse.io/v1/boards/daangn"),
        board(url="https://boards-api.greenhouse.io/" + "a" * 467),
        board("woowahan", Platform.WOOWAHAN),
    ],
)
def test_a_board_that_can_be_followed_is_kept_as_it_is(source: CompanySource) -> None:
    assert checked_boards([source]) == (source,)


@pytest.mark.parametrize("slug", ["", ".", "..", "a b", "a/b", "a?b", "a#b", "a\\b", "a%2fb", "a:b", "a\n", "a" * 201])
def test_a_slug_that_would_change_the_address_is_refused(slug: str) -> None:
    expected = ("source_slug", Unfit.NOT_A_SLUG, {"slug": slug, "platform": Platform.GREENHOUSE})
    assert refused(checked_boards, [board(slug)]) == expected


def test_a_search_is_no_board() -> None:
    expected = ("platform", Unfit.NOT_A_BOARD, {"platform": Platform.SARAMIN})
    assert refused(checked_boards, [board("84", Platform.SARAMIN)]) == expected


def test_a_boards_address_is_the_platforms_own_and_fits_its_column() -> None:
    long = "https://boards-api.greenhouse.io/" + "a" * 468
    assert refused(checked_boards, [board(url=long)]) == ("base_url", Unfit.TOO_LONG, {"limit": 500})
    foreign = ("base_url", Unfit.ANOTHER_HOST, {"host": "boards-api.greenhouse.io"})
    assert refused(checked_boards, [board(url="https://evil.example/")]) == foreign


def test_a_board_is_followed_once() -> None:
    same = [board("a"), board("a", Platform.INCRUIT), board("b"), board("a", url="https://boards-api.greenhouse.io/")]
    assert checked_boards(same[:3]) == tuple(same[:3])
    assert refused(checked_boards, same) == ("sources", Unfit.GIVEN_TWICE, {"board": "GREENHOUSE:a"})


@pytest.mark.parametrize(
    "address", ["https://a.example:8443/", "ftp://a.example/", "https://me@a.example/", "a.example"]
)
def test_the_host_alone_does_not_make_an_address_the_platforms(address: str) -> None:
    assert names_another_host(address, "a.example")
    assert not names_another_host("http://A.example:80/x", "a.example")


@pytest.mark.parametrize("address", ["https://a.example/\n", "https://a.exam\nple/", "https://a.example/a b", "https:"])
def test_an_address_with_a_break_in_it_or_without_a_host_is_another(address: str) -> None:
    assert names_another_host(address, "a.example")


def test_a_key_of_just_the_columns_length_is_kept_whole() -> None:
    assert shortened("가" * 255) == "가" * 255
    assert len(shortened("가" * 256)) == 255
    assert shortened("가" * 256) != "가" * 255


def test_only_letters_and_digits_of_any_script_are_left_of_a_name() -> None:
    assert normal_form("가X1x²Ⅷ한_☆ ") == "가x1x2viii한"
    assert normal_form("XX☆XX") == "xxxx"
    assert normal_form("☆́가") == "가", "a mark is no letter"


# --- searches


def test_a_search_keeps_its_keyword_in_one_line() -> None:
    assert checked_search(Platform.SARAMIN, "84", "  백엔드  개발 ") == "백엔드 개발"
    assert checked_search(Platform.SARAMIN, "84", "") == ""
    assert checked_search(Platform.SARAMIN, "84", "가" * 200) == "가" * 200


def test_a_keyword_that_no_column_or_site_takes_is_refused() -> None:
    long = ("search_keyword", Unfit.TOO_LONG, {"limit": 200})
    assert refused(checked_search, Platform.SARAMIN, "84", "가" * 201) == long
    lines: tuple[str, Unfit, dict[str, object]] = ("search_keyword", Unfit.CONTROL_CHARACTERS, {})
    assert refused(checked_search, Platform.SARAMIN, "84", "백\n엔드") == lines


def test_a_board_is_no_search_and_a_category_is_one_of_the_platforms() -> None:
    expected = ("platform", Unfit.NOT_AN_AGGREGATOR, {"platform": Platform.GREENHOUSE})
    assert refused(checked_search, Platform.GREENHOUSE, "84", "") == expected
    with pytest.raises(UnknownCategory) as found:
        checked_search(Platform.SARAMIN, "999999", "")
    assert (found.value.platform, found.value.code) == (Platform.SARAMIN, "999999")
    assert "84" in found.value.known
    assert all(found.value.known.values())
