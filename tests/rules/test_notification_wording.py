"""Messages as a person reads them: right, within Discord's limits, and harmless whatever a site writes."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.clock import KST, kst
from daemon.matching.model import Confidence
from daemon.messages import Language
from daemon.notification.model import FailureNotice, MatchedKeyword, Message, PostingNotice, WorkArrangement
from daemon.notification.wording.digest import digest
from daemon.notification.wording.moments import deadline_text
from daemon.notification.wording.plain import clipped, escaped, escaped_within, linkable, one_line
from daemon.notification.wording.posting import deadline_near, new_posting, reminder
from daemon.notification.wording.upkeep import broken_source, told_reason, trial_message
from daemon.sources.model import Platform
from tests.discord import problems_of, units

TODAY = date(2026, 12, 2)
NOW = kst(TODAY, 9)

HOSTILE = (
    st.text(max_size=500)
    | st.text(alphabet="*_`~|<>@#[]()\\:-+ \n\t\u200b\u202e\u3164가👨‍👩‍👧‍👦e\u0301", max_size=500)
    | st.sampled_from(
        (
            "@everyone",
            "<@!1>",
            "[a](https://evil.example)",
            "https://evil.example/x",
            "```",
            "> ",
            "-# a",
            "\ud800",
            "👨‍👩‍👧‍👦" * 60,
            "e\u0301" * 250,
            "\u3164",
            "",
        )
    )
)
URLS = st.text(max_size=300) | st.sampled_from(
    ("https://example.com/공고?q=1 2", "javascript:alert(1)", "https://a" + "b" * 3000, "https://ex.com/" + "가" * 1900)
)
CONFIDENCES = st.sampled_from(list(Confidence))


@st.composite
def notices(draw: st.DrawFn, company: st.SearchStrategy[str] = HOSTILE) -> PostingNotice:
    arrangement = st.builds(WorkArrangement, keyword=HOSTILE, confidence=CONFIDENCES, snippet=HOSTILE)
    keywords = st.lists(st.builds(MatchedKeyword, group=HOSTILE, synonym=HOSTILE), max_size=8)
    deadline = st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1), timezones=st.just(KST))
    return PostingNotice(
        job_posting_id=draw(st.integers(1, 10**12)),
        company_name=draw(company),
        title=draw(HOSTILE),
        posting_url=draw(URLS),
        deadline_at=draw(st.none() | deadline),
        first_seen_at=NOW - timedelta(days=draw(st.integers(0, 900))),
        platform=draw(st.none() | st.sampled_from(list(Platform))),
        keywords=draw(keywords),
        work_arrangement=draw(st.none() | arrangement),
    )


def notice(**changes: Any) -> PostingNotice:
    usual: dict[str, Any] = {
        "job_posting_id": 1,
        "company_name": "당근마켓",
        "title": "백엔드 엔지니어",
        "posting_url": "https://example.com/jobs/1",
        "deadline_at": kst(date(2026, 12, 9), 17),
        "first_seen_at": kst(TODAY, 0),
        "platform": Platform.SARAMIN,
        "keywords": [MatchedKeyword(group="백엔드", synonym="서버")],
        "work_arrangement": WorkArrangement(
            keyword="재택근무", confidence=Confidence.LIKELY, snippet="주 2회 재택근무 가능"
        ),
    }
    return PostingNotice(**(usual | changes))


def texts(message: Message) -> list[str]:
    """The texts that Discord reads markdown in."""
    body = json.loads(message.payload)
    found = [body["content"]]
    for embed in body.get("embeds", ()):
        found += [embed.get("title", ""), embed.get("description", "")]
        found += [field["value"] for field in embed.get("fields", ())]
    return [text for text in found if text]


OURS = re.compile(r"\]\(https?://[!-~]+?\)")
"""A link that we made; brackets of a title are escaped, and its address holds no closing one."""


def assert_harmless(message: Message) -> None:
    body = json.loads(message.payload)
    assert problems_of(body) == []
    assert body["allowed_mentions"] == {"parse": []}
    assert units(message.summary) <= 500
    assert "\n" not in message.summary
    for text in texts(message):
        assert "@everyone" not in text
        assert not re.search(r"(?<!\\)<[@#:a]", text), "a mention or an emoji"
        assert not re.search(r"(?<!\\)`", text)
        bare = OURS.sub("](ours)", text)
        assert not re.search(r"(?<!\\)(?:\\\\)*\]\((?!ours\))", bare), "a link of the title's own"
        assert not re.search(r"(?<!\\)://", bare), "an address that becomes a link"
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


@settings(max_examples=300)
@given(notices(), st.sampled_from(("ko", "en")), st.booleans())
def test_a_message_about_any_posting_is_taken_by_discord_and_harmless(
    one: PostingNotice, language: Language, again: bool
) -> None:
    assert_harmless(new_posting(language, one, NOW, again=again))
    assert_harmless(reminder(language, one, NOW, again=again))
    if one.deadline_at is not None:
        assert_harmless(deadline_near(language, one, NOW, put_off=again, again=again))


@settings(max_examples=100)
@given(
    st.lists(notices(company=st.sampled_from(("토스", "당근", "a" * 200, "*b*", "", "\u3164"))), max_size=60),
    st.sampled_from(("ko", "en")),
)
def test_a_digest_of_any_postings_tells_each_of_them_once_within_the_limits(
    found: list[PostingNotice], language: Language
) -> None:
    parts = digest(language, found, NOW, again=False)
    for part in parts:
        assert_harmless(part.message)
        assert part.job_posting_ids
    told = sorted(posting_id for part in parts for posting_id in part.job_posting_ids)
    assert told == sorted(each.job_posting_id for each in found)
    lines = "\n".join(text for part in parts for text in texts(part.message)).count("\n• ")
    assert lines == len(found)


@settings(max_examples=50)
@given(st.lists(notices(), max_size=12, unique_by=lambda one: one.job_posting_id), st.randoms())
def test_the_same_postings_make_the_same_digest_in_whatever_order_they_come(
    found: list[PostingNotice], random: Any
) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    assert digest("ko", shuffled, NOW, again=False) == digest("ko", found, NOW, again=False)


@given(HOSTILE, HOSTILE, st.sampled_from(("ko", "en")))
def test_a_message_about_any_source_is_taken_by_discord_and_harmless(
    label: str, error: str, language: Language
) -> None:
    told = FailureNotice(
        job_source_id=1,
        source_label=label,
        broken_since=NOW,
        failure_episode=1,
        abnormal_days=3,
        last_normal_at=None,
        last_error=error,
    )
    assert_harmless(broken_source(language, told, NOW))
    assert_harmless(trial_message(language))


@settings(max_examples=200)
@given(st.text(max_size=300), st.integers(1, 50))
def test_a_clipped_text_is_within_its_limit_and_a_beginning(text: str, limit: int) -> None:
    line = one_line(text)
    short = clipped(line, limit)
    assert units(short) <= limit
    assert short == line or line.startswith(short[:-1].rstrip())
    assert units(escaped_within(text, limit)) <= limit


def test_an_emoji_of_several_parts_is_kept_whole_or_left_out() -> None:
    family = "👨‍👩‍👧‍👦"
    assert clipped(f"가족 {family} 모집", 10) == "가족…"
    assert clipped("e\u0301" * 5, 6) == "e\u0301e\u0301…"
    assert clipped("\u0301" * 5, 3) == "…"
    assert clipped(family, units(family)) == family
    with pytest.raises(AssertionError, match=r"^no room for anything$"):
        clipped(family, 0)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        *((f"a{blank}b", "a b") for blank in "\t\n\0\u00a0\u2028\u2029\u3000\u3164\u115f\uffa0"),
        *((f"a{nothing}b", "ab") for nothing in "\u200b\u202e\ufeff\ud800\u0378"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4),
        ("\u20dd" * 6, "\u20dd" * 4),
        ("e\u0301\u0301\u0301e\u0301\u0301", "e\u0301\u0301\u0301e\u0301\u0301"),
        (" \u200d 가\u200d나 \u200d", "가\u200d나"),
    ],
)
def test_a_line_keeps_what_can_be_seen_and_a_few_marks_of_a_letter(text: str, line: str) -> None:
    """White space and blank letters are blanks; direction, halves and the unassigned are nothing."""
    assert one_line(text) == line


@pytest.mark.parametrize("mark", ["\u0301", "\u20dd", "\u0903", "\U0001f3fb", "\u200d"])
def test_a_text_is_not_cut_before_a_mark_of_any_kind(mark: str) -> None:
    """Combining, enclosing, spacing, a shade of skin, a joiner."""
    assert clipped(f"가나{mark}다라", 3) == "가…"
    assert clipped("가나다라마", 3) == "가나…"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("ab", 2, "ab"),
        ("abc", 2, "a…"),
        ("*", 2, "\\*"),
        ("*", 1, "…"),
        ("*" * 5, 10, "\\*" * 5),
        ("*" * 20, 10, "\\*" * 4 + "…"),
        ("*" * 20, 9, "\\*" * 4 + "…"),
    ],
)
def test_as_much_is_shown_as_has_room_with_its_backslashes(text: str, limit: int, shown: str) -> None:
    assert escaped_within(text, limit) == shown


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("백엔드 [Java/Kotlin]", "백엔드 \\[Java/Kotlin\\]"),
        ("  a\n\tb  ", "a b"),
        ("@everyone", "@\u200beveryone"),
        ("C++ / C#", "C\\+\\+ / C\\#"),
        ("node.js *신입*", "node.js \\*신입\\*"),
    ],
)
def test_a_title_reads_as_the_site_wrote_it(title: str, shown: str) -> None:
    assert escaped(title) == shown


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://example.com/a b?q=(1)", "https://example.com/a%20b?q=%281%29"),
        ("HTTPS://Example.com", "https://example.com/"),
        ("https://한글.kr/채용", "https://xn--bj0bj06e.kr/%EC%B1%84%EC%9A%A9"),
        ("https://example.com/100%", "https://example.com/100%25"),
        ("http://example.com:8080/jobs?id=1#apply", "http://example.com:8080/jobs?id=1#apply"),
        ("javascript:alert(1)", None),
        ("https://user:pass@example.com/", None),
        ("https://[::1", None),
        ("//example.com", None),
        ("", None),
    ],
)
def test_only_addresses_of_the_web_are_linked(url: str, address: str | None) -> None:
    assert linkable(url, 2000) == address


def test_an_address_is_linked_as_far_as_it_has_room() -> None:
    address = "https://example.com/jobs"
    assert linkable(address, len(address)) == address
    assert linkable(address, len(address) - 1) is None


@pytest.mark.parametrize(
    ("deadline", "korean", "english"),
    [
        (None, "상시채용", "Always open"),
        (kst(date(2026, 12, 9), 23, 59, 59), "12월 9일(수) · D-7", "Wed 9 Dec · D-7"),
        (kst(date(2026, 12, 3), 17), "12월 3일(목) 17:00 · D-1", "Thu 3 Dec 17:00 · D-1"),
        (kst(TODAY, 18), "12월 2일(수) 18:00 · 오늘 마감 (D-DAY)", "Wed 2 Dec 18:00 · closes today (D-DAY)"),
        (kst(date(2027, 1, 4), 0), "2027년 1월 4일(월) 00:00 · D-33", "Mon 4 Jan 2027 00:00 · D-33"),
        (kst(TODAY, 8), "12월 2일(수) 08:00 · 마감됨", "Wed 2 Dec 08:00 · closed"),
    ],
)
def test_a_deadline_is_told_in_korean_time_with_weekday_and_days_left(
    deadline: datetime | None, korean: str, english: str
) -> None:
    assert deadline_text("ko", deadline, NOW) == korean
    assert deadline_text("en", deadline, NOW) == english


def test_a_new_posting_tells_all_that_a_person_wants_to_know() -> None:
    body = json.loads(new_posting("ko", notice(), NOW, again=False).payload)
    assert body["content"] == "🔔 새 공고 · **당근마켓** — 백엔드 엔지니어"
    (embed,) = body["embeds"]
    assert embed["url"] == "https://example.com/jobs/1"
    assert {field["name"]: field["value"] for field in embed["fields"]} == {
        "마감": "12월 9일(수) 17:00 · D-7",
        "근무형태": "재택근무 · 유력 (본문에 언급)\n> …주 2회 재택근무 가능…",
        "일치한 키워드": "백엔드 (제목의 “서버”)",
    }
    assert embed["footer"]["text"] == "사람인 · 12월 2일(수)에 발견"


@pytest.mark.parametrize(
    ("confidence", "words"),
    [
        (Confidence.CONFIRMED, "확실"),
        (Confidence.LIKELY, "유력"),
        (Confidence.INFERRED, "추정"),
        (Confidence.UNKNOWN, "정보 없음"),
    ],
)
def test_the_work_arrangement_comes_with_its_confidence(confidence: Confidence, words: str) -> None:
    """FR-34: UNKNOWN is `정보 없음`, never a promise."""
    found = WorkArrangement(keyword="원격", confidence=confidence, snippet="")
    payload = new_posting("ko", notice(work_arrangement=found), NOW, again=False).payload
    assert words in payload
    assert ("원격" in payload) is (confidence is not Confidence.UNKNOWN)


def test_a_company_that_runs_over_a_page_is_named_again() -> None:
    parts = digest("ko", [notice(job_posting_id=n, title=f"{n:03d}" + "가" * 100) for n in range(40)], NOW, again=False)
    first, *others = [text for part in parts for text in texts(part.message)[1:]]
    assert first.startswith("**당근마켓 · 40건**")
    assert others
    assert all(text.startswith("**당근마켓 (이어서)**") for text in others)


def test_a_page_takes_what_it_has_room_for_to_the_last_unit() -> None:
    def pages(length: int) -> list[str]:
        found = [notice(job_posting_id=n, title="가" * (length if n == 16 else 100), keywords=[]) for n in range(17)]
        (part,) = digest("ko", found, NOW, again=False)
        return [embed["description"] for embed in json.loads(part.message.payload)["embeds"]]

    (short,) = pages(1)
    room = 2900 - units(short)
    (full,) = pages(1 + room)
    assert units(full) == 2900
    assert len(pages(2 + room)) == 2


def test_the_surest_work_arrangement_and_the_nearest_deadline_come_first() -> None:
    sure = WorkArrangement(keyword="원격", confidence=Confidence.CONFIRMED, snippet="")
    later = kst(date(2026, 12, 10), 17)
    found = [
        notice(job_posting_id=1, work_arrangement=None, deadline_at=None),
        notice(job_posting_id=2, work_arrangement=None, deadline_at=later),
        notice(job_posting_id=3, work_arrangement=None),
        notice(job_posting_id=4),
        notice(job_posting_id=5, work_arrangement=sure, deadline_at=later),
        notice(job_posting_id=6, company_name="가나"),
    ]
    ((part,)) = digest("ko", found, NOW, again=False)
    assert part.job_posting_ids == (6, 5, 4, 3, 2, 1)


def test_the_double_refuses_what_discord_would() -> None:
    """What the double lets through proves nothing unless it refuses these."""
    assert problems_of({"content": "가" * 2000}) == []
    assert problems_of({"content": "😀" * 1001})
    assert problems_of({"content": " "})
    assert problems_of({"embeds": [{"title": "a"}] * 11})
    assert problems_of({"embeds": [{"description": "a" * 3001}] * 2})
    assert problems_of({"embeds": [{"title": "a" * 257}]})
    assert problems_of({"embeds": [{"title": "a", "url": "javascript:alert(1)"}]})
    assert problems_of({"embeds": [{"fields": [{"name": "a", "value": " ", "inline": True}]}]})
    assert problems_of({"embeds": [{"color": 1}]})


@pytest.mark.parametrize(
    ("reason", "korean"),
    [
        ("HTTP 404, Unknown Webhook, 10015", "디스코드가 이 웹훅을 모릅니다"),
        ("HTTP 401", "디스코드가 이 웹훅을 모릅니다"),
        ("HTTP 503", "디스코드 쪽에 문제가 있습니다"),
        ("HTTP 400, content: longer than 2000", "디스코드가 받지 않았습니다"),
        ("rate limited for 700 s", "디스코드가 기다리라고 합니다"),
        ("no connection: refused", "디스코드에 닿지 못했습니다"),
        ("no answer: timeout; not confirmed 2 times, not sent again", "도착했는지 모릅니다"),
        ("the webhook is parked since 2026-12-01T00:00:00+00:00: HTTP 404", "웹훅을 세워 두었습니다"),
        ("3 messages in a row failed", "잇달아 보내지 못해"),
    ],
)
def test_why_a_message_was_not_taken_is_told_in_the_language_with_the_words_of_the_record(
    reason: str, korean: str
) -> None:
    told = told_reason("ko", reason)
    assert korean in told
    assert told.endswith(reason)
    assert not re.search("[가-힣]", told_reason("en", reason))


def test_a_reason_of_another_kind_and_none_stay_as_they_are() -> None:
    assert (told_reason("ko", "delivered by another row"), told_reason("ko", None)) == ("delivered by another row", "")
