"""The normal form of names (DESIGN 1.5) and addresses of sources (DESIGN 1.10)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.company.rules import KEY_CHARACTERS, name_key, names_another_host, normal_form


@pytest.mark.parametrize(
    "name",
    [
        "당근마켓",
        "(주)당근마켓",
        "( 주 ) 당근마켓",
        "㈜당근마켓",
        "㈜ 당근 마켓",
        "주식회사 당근마켓",
        "주식회사당근마켓",
        "당근마켓주식회사",
        "당근마켓 주식회사",
        "유한책임회사 당근마켓",
        "당근마켓(유)",
        "당근마켓 Inc.",
        "당근마켓Inc",
        "당근마켓, Inc.",
        "당근마켓 Co., Ltd.",
        "당근마켓 CO.,LTD",
        "당근마켓 LLC",
        "당근마켓 L.L.C.",
        "당근마켓 Corp.",
        "당근\u200b마켓",
        "당\u2060근마켓\ufeff",
        "주식\u200b회사 당근마켓",
        unicodedata.normalize("NFD", "당근마켓"),
        "[당근-마켓]",
    ],
)
def test_one_company_has_one_normal_form_however_it_is_written(name: str) -> None:
    assert normal_form(name) == "당근마켓"


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Zinc", "zinc"),
        ("Costco", "costco"),
        ("Incruit", "incruit"),
        ("Corpus", "corpus"),
        ("Limitedless", "limitedless"),
        ("Co-founder 모집", "cofounder모집"),
        ("한국주식회사연구소", "한국주식회사연구소"),
        ("주식", "주식"),
        ("주간 근무", "주간근무"),
        ("AT&T", "att"),
        ("PLC 제어 엔지니어", "plc제어엔지니어"),
        ("Ｋａｋａｏ", "kakao"),
        ("카카오뱅크 2팀", "카카오뱅크2팀"),
    ],
)
def test_a_legal_form_is_dropped_only_as_a_word_of_its_own(name: str, form: str) -> None:
    assert normal_form(name) == form


@pytest.mark.parametrize("name", ["(주)", "㈜", "Inc.", "!!!", "---", "🍣"])
def test_a_name_in_which_nothing_remains_keeps_its_nfc_form(name: str) -> None:
    assert normal_form(name) == unicodedata.normalize("NFC", name)


def test_two_emoji_are_two_names() -> None:
    assert normal_form("🍣") != normal_form("🍺")


def test_a_long_name_becomes_head_and_hash_and_stays_distinct() -> None:
    one, two = name_key("가" * 300), name_key("가" * 301)
    assert len(one) == len(two) == KEY_CHARACTERS
    assert one != two
    assert one.startswith("가" * 191)
    assert len(name_key("가" * 255)) == 255


@given(st.text())
def test_a_key_always_fits_its_column_and_is_never_empty_for_a_name(name: str) -> None:
    key = name_key(name)
    assert len(key) <= KEY_CHARACTERS
    assert bool(key) == bool(name)


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Z", "S", "Cf"])))
def test_canonical_equivalents_have_one_key(name: str) -> None:
    assert name_key(unicodedata.normalize("NFD", name)) == name_key(unicodedata.normalize("NFC", name))


@pytest.mark.parametrize(
    "address",
    [
        "https://boards.example",
        "http://boards.example/daangn",
        "https://BOARDS.example:443/x",
        "http://boards.example:80",
    ],
)
def test_an_address_of_the_platform_itself_is_accepted(address: str) -> None:
    assert not names_another_host(address, "boards.example")


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/boards.example",
        "https://boards.example.evil.example",
        "https://boards.example@evil.example",
        "https://user@boards.example",
        "https://boards.example:8443",
        "ftp://boards.example",
        "javascript:alert(1)",
        "//boards.example",
        "boards.example",
        "https://[::1",
        "https://boards.example:99999",
        "",
    ],
)
def test_an_address_anywhere_else_is_refused(address: str) -> None:
    assert names_another_host(address, "boards.example")
