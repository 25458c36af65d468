"""Whole messages, as Discord gets them, in both languages."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest

from daemon.clock import kst
from daemon.matching.model import Confidence
from daemon.messages import Language
from daemon.notification.model import FailureNotice, MatchedKeyword, Message, PostingNotice, WorkArrangement
from daemon.notification.wording import limits
from daemon.notification.wording.digest import digest
from daemon.notification.wording.moments import day_text, moment_text
from daemon.notification.wording.plain import units
from daemon.notification.wording.posting import deadline_near, new_posting, reminder
from daemon.notification.wording.upkeep import broken_source, trial_message
from daemon.sources.model import Platform

TODAY = date(2026, 12, 2)
TOMORROW = date(2026, 12, 3)
NOW = kst(TODAY, 9)
GREEN, RED, BLUE, ORANGE, VIOLET = 3066993, 15158332, 3447003, 15105570, 10181046
"""#2ECC71, #E74C3C, #3498DB, #E67E22, #9B59B6."""


def told(message: Message) -> dict[str, Any]:
    """The body's values by their paths, and the summary."""

    def flat(value: Any, path: str) -> dict[str, Any]:
        if not value or not isinstance(value, dict | list):
            return {path: value}
        parts = value.items() if isinstance(value, dict) else dict(enumerate(value)).items()
        return {
            place: each
            for key, one in parts
            for place, each in flat(one, f"{path}.{key}" if path else str(key)).items()
        }

    return flat({**json.loads(message.payload), "summary": message.summary}, "")


def embedded(**facts: Any) -> dict[str, Any]:
    return {f"embeds.0.{key.replace('__', '.')}": value for key, value in facts.items()}


def fields(*told: tuple[str, str, bool]) -> dict[str, Any]:
    return {
        f"embeds.0.fields.{at}.{key}": value
        for at, each in enumerate(told)
        for key, value in zip(("name", "value", "inline"), each, strict=True)
    }


NOBODY: dict[str, Any] = {"allowed_mentions.parse": []}
"""Whom a message pings."""


def notice(**changes: Any) -> PostingNotice:
    usual: dict[str, Any] = {
        "job_posting_id": 1,
        "company_name": "당근*마켓",
        "title": "백엔드 *신입*",
        "posting_url": "https://example.com/jobs/1",
        "deadline_at": kst(TOMORROW, 17),
        "first_seen_at": kst(date(2026, 11, 3), 0),
        "platform": Platform.SARAMIN,
        "keywords": [
            MatchedKeyword(group="백엔드", synonym="서버"),
            MatchedKeyword(group="데이터", synonym="데이터"),
            *(MatchedKeyword(group=f"낱말{n}", synonym=f"낱말{n}") for n in range(9)),
        ],
        "work_arrangement": WorkArrangement(keyword="재택", confidence=Confidence.LIKELY, snippet="주 2회 *재택*"),
    }
    return PostingNotice(**(usual | changes))


BARE: dict[str, Any] = {
    "company_name": "토스",
    "title": "",
    "posting_url": "ftp://example.com",
    "keywords": [],
    "work_arrangement": WorkArrangement(keyword="재택", confidence=Confidence.CONFIRMED, snippet=""),
}
"""As little as can be known of one."""

WORDS = {"ko": "백엔드 (제목의 “서버”)", "en": "백엔드 (“서버” in the title)"}
KNOWN = {
    "ko": embedded(title="백엔드 \\*신입\\*", author__name="당근*마켓", url="https://example.com/jobs/1")
    | fields(
        ("마감", "12월 3일(목) 17:00 · D-1", True),
        ("근무형태", "재택 · 유력 (본문에 언급)\n> …주 2회 \\*재택\\*…", True),
        ("일치한 키워드", f"{WORDS['ko']}\n데이터\n낱말0\n낱말1\n낱말2", False),
    ),
    "en": embedded(title="백엔드 \\*신입\\*", author__name="당근*마켓", url="https://example.com/jobs/1")
    | fields(
        ("Deadline", "Thu 3 Dec 17:00 · D-1", True),
        ("Work arrangement", "재택 · likely (the text mentions it)\n> …주 2회 \\*재택\\*…", True),
        ("Why it matched", f"{WORDS['en']}\n데이터\n낱말0\n낱말1\n낱말2", False),
    ),
}
SUMMARY = {
    "ko": {"summary": "당근*마켓 · 백엔드 *신입* · 12월 3일(목) 17:00 · D-1"},
    "en": {"summary": "당근*마켓 · 백엔드 *신입* · Thu 3 Dec 17:00 · D-1"},
}
HEADLINE = "**당근\\*마켓** — 백엔드 \\*신입\\*"


@pytest.mark.parametrize(
    ("language", "headline", "footer", "again"),
    [
        ("ko", "🔔 새 공고", "사람인 · 11월 3일(화)에 발견", "지난 전송이 확인되지 않아 다시 보냅니다"),
        ("en", "🔔 New posting", "Saramin · found on Tue 3 Nov", "sent again, since the last time was not confirmed"),
    ],
)
def test_a_new_posting(language: Language, headline: str, footer: str, again: str) -> None:
    usual = NOBODY | KNOWN[language] | SUMMARY[language] | {"content": f"{headline} · {HEADLINE}"}
    usual |= embedded(color=GREEN, footer__text=footer)
    assert told(new_posting(language, notice(), NOW, again=False)) == usual
    repeated = usual | embedded(footer__text=f"{footer} · {again}")
    assert told(new_posting(language, notice(), NOW, again=True)) == repeated


@pytest.mark.parametrize(
    ("language", "headline", "title", "deadline", "arrangement", "footer"),
    [
        (
            "ko",
            "🔔 새 공고 · **토스** — (제목 없음)",
            "(제목 없음)",
            ("마감", "12월 3일(목) 17:00 · D-1", True),
            ("근무형태", "재택 · 확실 (공고 항목에 명시)", True),
            "11월 3일(화)에 등록",
        ),
        (
            "en",
            "🔔 New posting · **토스** — (untitled)",
            "(untitled)",
            ("Deadline", "Thu 3 Dec 17:00 · D-1", True),
            ("Work arrangement", "재택 · certain (a field says so)", True),
            "entered on Tue 3 Nov",
        ),
    ],
)
def test_a_posting_entered_by_hand_of_which_little_is_known(
    language: Language,
    headline: str,
    title: str,
    deadline: tuple[str, str, bool],
    arrangement: tuple[str, str, bool],
    footer: str,
) -> None:
    assert told(new_posting(language, notice(**BARE, platform=None), NOW, again=False)) == (
        NOBODY
        | {"content": headline, "summary": f"토스 ·  · {deadline[1]}"}
        | embedded(title=title, author__name="토스", color=GREEN, footer__text=footer)
        | fields(deadline, arrangement)
    )


@pytest.mark.parametrize(
    ("language", "today", "tomorrow", "note", "footer"),
    [
        ("ko", "⏰ 오늘 마감", "⏰ 내일 마감", "마감일이 바뀌어 다시 알립니다.", "사람인 · 11월 3일(화)에 발견"),
        (
            "en",
            "⏰ Closes today",
            "⏰ Closes tomorrow",
            "The deadline has changed since you were last told.",
            "Saramin · found on Tue 3 Nov",
        ),
    ],
)
def test_a_deadline_that_is_near(language: Language, today: str, tomorrow: str, note: str, footer: str) -> None:
    usual = NOBODY | KNOWN[language] | SUMMARY[language] | {"content": f"{tomorrow} · {HEADLINE}"}
    usual |= embedded(color=RED, footer__text=footer)
    assert told(deadline_near(language, notice(), NOW, put_off=False, again=False)) == usual
    assert told(deadline_near(language, notice(), NOW, put_off=True, again=False)) == usual | embedded(description=note)
    closing = deadline_near(language, notice(deadline_at=kst(TODAY, 23, 59)), NOW, put_off=False, again=False)
    assert told(closing)["content"] == f"{today} · {HEADLINE}"
    repeated = told(deadline_near(language, notice(), NOW, put_off=False, again=True))
    assert repeated["embeds.0.footer.text"].startswith(f"{footer} · ")


@pytest.mark.parametrize(
    ("language", "headline", "deadline", "footer"),
    [
        (
            "ko",
            "📌 아직 열려 있는 상시채용",
            "상시채용",
            "사람인 · 11월 3일(화)에 발견{} · 30일째 열려 있음",
        ),
        ("en", "📌 Still open", "Always open", "Saramin · found on Tue 3 Nov{} · open, day 30"),
    ],
)
def test_a_posting_that_is_still_open(language: Language, headline: str, deadline: str, footer: str) -> None:
    message = told(reminder(language, notice(deadline_at=None), NOW, again=False))
    assert message == (
        NOBODY
        | KNOWN[language]
        | {"content": f"{headline} · {HEADLINE}", "summary": f"당근*마켓 · 백엔드 *신입* · {deadline}"}
        | embedded(color=BLUE, footer__text=footer.format(""), fields__0__value=deadline)
    )
    again = told(reminder(language, notice(deadline_at=None), NOW, again=True))["embeds.0.footer.text"]
    assert again.startswith(footer.format("").rpartition(" · ")[0] + " · ")
    assert len(again) > len(footer)


BROKEN: dict[str, Any] = {
    "job_source_id": 1,
    "source_label": "사람인 *IT*",
    "broken_since": kst(date(2026, 11, 29), 6),
    "failure_episode": 1,
    "abnormal_days": 3,
    "last_normal_at": kst(date(2025, 11, 28), 5),
    "last_error": "HTTP *503*",
}


@pytest.mark.parametrize(
    ("language", "headline", "description", "since", "normal", "error", "never", "empty", "hint"),
    [
        (
            "ko",
            "⚠️ 소스 고장",
            "3일 연속으로 정상 수집을 하지 못했습니다. 그동안 이 소스의 공고는 자동으로 마감하지 않습니다.",
            ("고장 시각", "11월 29일(일) 06:00", False),
            ("마지막 정상 수집", "2025년 11월 28일(금) 05:00", False),
            "마지막 이유",
            "없음",
            "목록이 비어 있음",
            "자세히: gonggo status",
        ),
        (
            "en",
            "⚠️ Broken source",
            "No good collection for 3 days in a row. Until then none of its postings is closed automatically.",
            ("Broken since", "Sun 29 Nov 06:00", False),
            ("Last good collection", "Fri 28 Nov 2025 05:00", False),
            "Last reason",
            "never",
            "an empty list",
            "More: gonggo status",
        ),
    ],
)
def test_a_broken_source(
    language: Language,
    headline: str,
    description: str,
    since: tuple[str, str, bool],
    normal: tuple[str, str, bool],
    error: str,
    never: str,
    empty: str,
    hint: str,
) -> None:
    usual = NOBODY | {"content": f"{headline} · **사람인 \\*IT\\***", "summary": "사람인 *IT* · HTTP *503*"}
    usual |= embedded(description=description, color=ORANGE, footer__text=hint)
    assert told(broken_source(language, FailureNotice(**BROKEN), NOW)) == usual | fields(
        since, normal, (error, "HTTP \\*503\\*", False)
    )
    unknown = FailureNotice(**(BROKEN | {"last_normal_at": None, "last_error": None, "source_label": "X · "}))
    assert told(broken_source(language, unknown, NOW)) == usual | {
        "content": f"{headline} · **X ·**",
        "summary": "X",
    } | fields(since, (normal[0], never, False), (error, empty, False))


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ko", "👋 공고의 시험 메시지입니다. 이 글이 보이면 매일 09:00에 여기로 알림이 옵니다."),
        ("en", "👋 A test message from gonggo. If you can read this, notifications will come here every day at 09:00."),
    ],
)
def test_a_trial(language: Language, words: str) -> None:
    assert told(trial_message(language)) == NOBODY | {"content": words, "summary": words}


@pytest.mark.parametrize(
    ("language", "headline", "again", "lines"),
    [
        (
            "ko",
            "🧭 **오늘 발견한 공고 3건** · 12월 2일(수)",
            "🧭 **발견한 공고 3건, 다시 보냅니다** · 12월 2일(수)",
            (
                "**당근\\*마켓 · 2건**",
                "• [백엔드 \\*신입\\*](https://example.com/jobs/1) · 12월 3일(목) 17:00 · D-1 · 재택 유력"
                " · 백엔드, 데이터, 낱말0",
                "• [백엔드 \\*신입\\*](https://example.com/jobs/1) · 상시채용 · 백엔드, 데이터, 낱말0",
                "**토스 · 1건**",
                "• (제목 없음) · 12월 3일(목) 17:00 · D-1 · 재택 확실",
            ),
        ),
        (
            "en",
            "🧭 **3 postings discovered today** · Wed 2 Dec",
            "🧭 **3 discovered postings, sent again** · Wed 2 Dec",
            (
                "**당근\\*마켓 · 2**",
                "• [백엔드 \\*신입\\*](https://example.com/jobs/1) · Thu 3 Dec 17:00 · D-1 · 재택, likely"
                " · 백엔드, 데이터, 낱말0",
                "• [백엔드 \\*신입\\*](https://example.com/jobs/1) · Always open · 백엔드, 데이터, 낱말0",
                "**토스 · 1**",
                "• (untitled) · Thu 3 Dec 17:00 · D-1 · 재택, certain",
            ),
        ),
    ],
)
def test_a_digest(language: Language, headline: str, again: str, lines: tuple[str, ...]) -> None:
    found = [
        notice(**BARE, job_posting_id=2),
        notice(job_posting_id=3, deadline_at=None, work_arrangement=None),
        notice(),
    ]
    (part,) = digest(language, found, NOW, again=False)
    usual = NOBODY | {"content": headline, "summary": "3 · 당근*마켓, 토스"}
    usual |= embedded(description="\n".join(lines), color=VIOLET)
    assert (part.job_posting_ids, told(part.message)) == ((1, 3, 2), usual)
    (part,) = digest(language, found, NOW, again=True)
    assert told(part.message) == usual | {"content": again}


def test_a_digest_of_several_messages_fills_each_of_them_and_says_which_it_is() -> None:
    found = [notice(job_posting_id=n, title=f"{n:03d}" + "가" * 200, keywords=[]) for n in range(60)]
    parts = digest("ko", found, NOW, again=False)
    headline = "🧭 **오늘 발견한 공고 60건** · 12월 2일(수)"
    bodies = [json.loads(part.message.payload) for part in parts]
    assert [body["content"] for body in bodies] == [f"{headline} ({n}/{len(parts)})" for n in range(1, len(parts) + 1)]
    pages = [embed["description"] for body in bodies for embed in body["embeds"]]
    line = units(pages[0].splitlines()[1])
    assert all(len(body["embeds"]) == 2 for body in bodies[:-1])
    assert all(2900 - 1 - line <= units(page) <= 2900 for page in pages[:-1])
    assert [part.message.summary for part in parts] == [f"{len(part.job_posting_ids)} · 당근*마켓" for part in parts]
    assert [key for part in parts for key in part.job_posting_ids] == list(range(60))


@pytest.mark.parametrize(("language", "heading"), [("ko", "**(제목 없음) · 1건**"), ("en", "**(untitled) · 1**")])
def test_a_company_without_a_name_is_named_so_in_the_readers_language(language: Language, heading: str) -> None:
    (part,) = digest(language, [notice(company_name="")], NOW, again=False)
    assert heading in json.loads(part.message.payload)["embeds"][0]["description"]


@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_and_weekday_has_its_name(month: int) -> None:
    day = date(2026, month, month)
    english = f"{day:%a} {day.day} {day:%b}"
    korean = f"{month}월 {month}일({'월화수목금토일'[day.weekday()]})"
    assert (day_text("en", day, TODAY), day_text("ko", day, TODAY)) == (english, korean)
    assert day_text("en", day, date(2027, 1, 1)) == f"{english} 2026"
    assert day_text("ko", day, date(2025, 1, 1)) == f"2026년 {korean}"


def test_the_last_minute_of_a_day_is_the_day() -> None:
    for seconds in (0, 59, 59.999999):
        instant = kst(TODAY, 23, 59) + timedelta(seconds=seconds)
        assert moment_text("ko", instant, TODAY) == "12월 2일(수)"
    assert moment_text("ko", kst(TODAY, 23, 58), TODAY) == "12월 2일(수) 23:58"
    assert moment_text("en", kst(TODAY, 0), TODAY) == "Wed 2 Dec 00:00"


def test_a_body_has_just_as_much_as_discord_takes() -> None:
    embed: limits.Embed = {
        "title": "가" * 256,
        "description": "😀" * 2048,
        "footer": {"text": "a" * 48},
        "author": {"name": "b" * 100},
    }
    embed["fields"] = [{"name": "c" * 200, "value": "d" * 1000}, {"name": "e" * 100, "value": "f" * 200}]
    assert limits.size(embed) == 256 + 4096 + 48 + 100 + 1200 + 300
    assert limits.size(embed) == limits.EMBEDS_TOTAL
    assert limits.size({}) == 0
    assert json.loads(limits.body("가" * 2000, [embed, *({} for _ in range(9))]))["content"] == "가" * 2000
    wrong: list[tuple[str, list[limits.Embed], str]] = [
        ("가" * 2001, [embed], "a headline is longer than Discord takes"),
        ("", [{} for _ in range(11)], "more embeds than Discord takes"),
        ("", [embed, {"title": "a"}], "the embeds are longer than Discord takes"),
    ]
    for content, embeds, why in wrong:
        with pytest.raises(AssertionError, match=f"^{why}$"):
            limits.body(content, embeds)
