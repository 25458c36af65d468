"""The words that the inputs of the normalisers are made of."""

from __future__ import annotations

import random
from functools import cache

from daemon.sources.model import Platform
from tests.fuzz import markup
from tests.fuzz.seeds import seeds_of
from tests.rules.phrases import DENIED, KEYWORDS, OFFERED
from tests.rules.titles import TITLES_HOLDING

_HTML = (Platform.INCRUIT, Platform.SARAMIN, Platform.JOBKOREA)


def of_deadlines() -> tuple[str, ...]:
    """What the HTML sites write, and what it is made of."""
    return (
        *(
            "~10.02(금)",
            "~ 10/11(일)",
            "~02.13 (금)",
            "~10.26",
            "~08/15(fri)",
            "12/03(수) 마감",
            "D-7",
            "D-day",
            "오늘마감",
        ),
        *(
            "내일마감",
            "15시마감",
            "17시 30분 마감",
            "채용시",
            "상시채용",
            "2026.10.08 00:00~2026.10.18 23:59",
            "2026-08-28T23:59",
        ),
        *(
            "2026-08-28T23:59:00+09:00",
            "접수기간",
            "마감일",
            ":",
            "(금)",
            "까지",
            "02/29",
            "26.12.31",
            "9/31",
            "24:00",
            "접수예정",
        ),
    )


def of_postings() -> tuple[str, ...]:
    """Titles and phrases about work arrangement."""
    return (*OFFERED, *DENIED, *KEYWORDS, *(title for title, _ in TITLES_HOLDING))


def of_keywords() -> tuple[str, ...]:
    """Keywords that people enter."""
    return (
        *KEYWORDS,
        *(word for _, word in TITLES_HOLDING),
        "C#",
        "a",
        "가",
        "4대보험",
        "node.js",
        "R&D",
        "İ",
        "ﬀ",
        "①",
        "ǆ",
    )


def of_companies() -> tuple[str, ...]:
    """Names of companies with their legal forms, and their hosts."""
    return (
        *(
            "(주)당근마켓",
            "㈜ 우아한형제들",
            "주식회사 카카오",
            "네이버주식회사",
            "Toss Co., Ltd.",
            "Zinc Inc.",
            "L.L.C",
            "( 주 )",
        ),
        *(
            "about.daangn.com",
            "daangn.co.kr",
            "7",
            "유한책임회사",
            "&",
            "-",
            "GmbH",
            "한국주식회사연구소",
            "ＡＢＣ",
            "e\u0301",
        ),
        *(title for title, _ in TITLES_HOLDING[:10]),
    )


@cache
def of_markup() -> tuple[str, ...]:
    """Stretches of broken pages."""
    pages = [seed for platform in _HTML for seed in seeds_of(platform).small if not seed.is_json]
    draw = random.Random(0)
    broken = [markup.mutant(draw, seed.body, seed.body, 3) for seed in pages]
    return (
        *(text[:5_000] for text in broken),
        "<p>가</p>",
        "<br>",
        "<td>a<td>b",
        "&nbsp;",
        "<svg>",
        "</div>",
        "<!--",
        "<table>",
    )


def of_addresses() -> tuple[str, ...]:
    """Addresses, their parts, and headers' values."""
    return (
        *(
            "https://www.saramin.co.kr/zf_user/jobs/list/job-category?cat_kewd=84&page_count=100",
            "https://",
            "http://",
            "//",
        ),
        *(
            "boards.greenhouse.io/daangn",
            "https://recruit.incruit.com/khmc/job/",
            "career.woowahan.com",
            "127.0.0.1",
            "[::1]",
        ),
        *(
            "%2e%2e",
            "..",
            ";a",
            "\\",
            "%252f",
            "?",
            "#",
            "@",
            ":80",
            ":443",
            ":0",
            "localhost",
            "당근.kr",
            "xn--",
            "120",
            "GMT",
        ),
        *(
            "Wed, 21 Oct 2026 07:28:00 GMT",
            "-5",
            "login",
            "members.example",
            "/sign-in?",
            "10.0.0.1",
            "64:ff9b::a00:1",
            "a" * 70,
        ),
    )
