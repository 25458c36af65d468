"""What sites were seen to write, what they might, and what breaks programs: texts, values, and stretches of them."""

from __future__ import annotations

import random
from typing import Any

TEXTS = (
    *("", " ", "\0", "\ud800", "\ufeff", "\u200b", "\u202e", "\u00a0", "�", "\n\r\t", "\x85", "\u2028"),
    *("x" * 300, "가" * 2_500, "0" * 5_000, "９" * 30, "²", "١٢٣", "-1", "1e999", "NaN", "null", "true", "[]", "{}"),
    *(
        "상시채용",
        "채용시",
        "D-7",
        "D-99999",
        "D-day",
        "오늘마감",
        "내일 23:59 마감",
        "25시 마감",
        "~10.02(금)",
        "~02/30",
    ),
    *(
        "2026-99-99",
        "0000-00-00",
        "9999-12-31T23:59:59+00:00",
        "0001-01-01",
        "2026-12-31T24:00:00Z",
        "2026-10-18 23:59",
    ),
    *(
        "2026.10.08 00:00~2026.10.18 23:59",
        "2026-10-18T00:00:00-23:59",
        "2026-10-18T00:00:00.9999999999Z",
        "12/03(수) 마감",
    ),
    *(
        "삭제된 공고",
        "존재하지 않는 채용정보입니다",
        "로그인",
        "보안문자",
        "비정상적인 접근",
        "captcha",
        "마감된 공고입니다",
    ),
    *("http://[", "//", "https://a.example/\ud800", "javascript:alert(1)", "https://a.example:99999/", "/../../etc"),
    *("&lt;b&gt;", "&#0;", "&#x110000;", "&#1114112;", "&amp;amp;", "<b>", "</script>", "<!--", "]]>", "%00", "%"),
    *(
        "(주)당근마켓",
        "㈜",
        "주식회사",
        "Co., Ltd.",
        "ﷺ",
        "İ",
        "ß",
        "ﬁ",
        "🧑‍💻",
        "e\u0301" * 40,
        "<" * 60,
        "'",
        '"',
        "\\",
    ),
    *(
        "재택근무 불가",
        "원격 근무",
        "remote: no",
        "하이브리드",
        "Java Script",
        "back-end",
        "경력 3~5년",
        "총 1,234건",
        "1,,,",
    ),
)

VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 1.5, -0.0, 10**6, 10**18, 10**30, -(2**63), 2**31, 1e308),
    *([], {}, [[]], [None], [{}], {"": None}, {"id": None}, [1, "1", None]),
)


def text(draw: random.Random, given: str = "") -> str:
    """`given` spoilt: replaced, cut, doubled, or with something nasty put in."""
    other = draw.choice(TEXTS)
    place = draw.randrange(len(given) + 1)
    match draw.randrange(7):
        case 0 | 1:
            return other
        case 2:
            return given[:place] + other + given[place:]
        case 3:
            return given[:place]
        case 4:
            return given[place:] + given[:place]
        case 5:
            return given[:2_000] * draw.choice((2, 3, 20))
        case _:
            return (
                given[:place]
                + chr(draw.choice((draw.randrange(128), draw.randrange(0x3000), 0xAC00 + 588)))
                + given[place:]
            )


def number(draw: random.Random, given: float) -> Any:
    """`given` off by one, negated, huge, broken, or as a text."""
    return draw.choice((given + 1, given - 1, -given, given * 10**6, given / 3, str(given), 0, 10**40, -1))
