"""Which text bytes are, when their labels lie (pitfalls row 26, payloads-html 3.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.sources.text.charset import decode

ONLY_CP949 = "똠 펲 뷁"
META = '<meta http-equiv="Content-Type" content="text/html;charset={}"><p>{}</p>'


def test_syllables_that_only_cp949_has_are_read_under_the_label_euc_kr() -> None:
    """Failure path 8 of seed 001: no broken Korean."""
    read = decode(META.format("euc-kr", ONLY_CP949).encode("cp949"))
    assert ONLY_CP949 in read.text
    assert (read.charset, read.replacements) == ("cp949", 0)


@pytest.mark.parametrize("label", ["euc-kr", "EUC-KR", "ks_c_5601-1987", "cp949", "MS949", "x-windows-949"])
def test_every_korean_label_means_cp949(label: str) -> None:
    assert decode(ONLY_CP949.encode("cp949"), f"text/html; charset={label}").text == ONLY_CP949


def test_a_saved_page_in_utf8_that_still_says_euc_kr_is_utf8() -> None:
    text = META.format("euc-kr", "한국어 제목")
    assert decode(text.encode()).text == text


def test_a_page_that_says_utf8_but_is_cp949_is_read_as_cp949() -> None:
    read = decode("한국어 제목 채용 공고".encode("cp949"), "text/html; charset=utf-8")
    assert read.text == "한국어 제목 채용 공고"
    assert read.replacements == 0


def test_one_broken_byte_in_a_utf8_page_does_not_turn_the_rest_into_other_syllables() -> None:
    read = decode(
        "한국어 제목을 채용 공고에 싣는다".encode() + b"\xff" + "끝까지 읽힌다".encode(), "text/html; charset=utf-8"
    )
    assert (read.charset, read.replacements) == ("utf-8", 1)
    assert read.text.startswith("한국어 제목을")


def test_what_cannot_be_read_is_counted_and_the_rest_is_kept() -> None:
    read = decode("채용 ".encode("cp949") + b"\xff" + " 공고".encode("cp949"), "text/html; charset=euc-kr")
    assert read.replacements == 1
    assert read.text == "채용 \ufffd 공고"


def test_without_any_label_bytes_that_are_not_utf8_are_korean() -> None:
    assert decode("상시채용".encode("cp949")).text == "상시채용"


def test_a_western_label_is_not_believed() -> None:
    """latin-1 decodes anything, so it would fail silently."""
    assert decode("상시채용".encode("cp949"), "text/html; charset=ISO-8859-1").text == "상시채용"


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_decides_and_is_not_part_of_the_text(codec: str) -> None:
    assert decode("채용".encode(codec), "text/html; charset=euc-kr").text == "채용"


@given(st.binary(max_size=200), st.sampled_from(["", "text/html; charset=utf-8", "charset=euc-kr", "charset=\xff"]))
def test_no_bytes_and_no_label_fail(body: bytes, content_type: str) -> None:
    read = decode(body, content_type)
    assert read.replacements <= len(read.text)


@given(st.text(alphabet=st.characters(codec="cp949"), max_size=50))
def test_utf8_is_never_taken_for_anything_else(text: str) -> None:
    assert decode(text.encode(), "text/html; charset=euc-kr").text == text.removeprefix("\ufeff")
