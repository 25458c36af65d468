"""The Korean words for a deadline: relative, without a year, or none at all.

All forms that the HTML sites were seen to write: `~10.02(금)`, `~ 10/11(일)`, `~02.13 (금)`, `~10.26`,
`~08/15(fri)`, `12/03(수) 마감`, `D-7`, `D-day`, `오늘마감`, `내일마감`, `15시마감`, `17시 마감`, `채용시`, `상시채용`,
and whole periods `2026.10.08 00:00~2026.10.18 23:59`. Ages (`3일 전 등록`, `11/24(월) 등록`) look alike and are none.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from functools import lru_cache

from daemon.clock import business_date
from daemon.sources.text.instants import end_at, end_of_day, korean_instant
from daemon.sources.text.plain import collapse


class DeadlineNotUnderstood(ValueError):
    """Raised when words say something about a deadline that the product does not know. Carries the words."""

    def __init__(self, words: str) -> None:
        super().__init__(f"not a deadline: {words[:80]!r}")
        self.words = words


_OPEN_ENDED_WORDS = """
    채용시 채용시까지 채용시마감 채용완료시 채용완료시까지 채용완료시마감 충원시 충원시까지 충원시마감 마감시 마감시까지
    상시 상시채용 상시모집 상시접수 수시 수시채용 수시모집
"""
_OPEN_ENDED = frozenset(_OPEN_ENDED_WORDS.split())
"""Until filled, and always: neither names a day."""

_NOT_OPEN_YET = frozenset({"진행예정", "접수예정", "모집예정"})
"""Announced, but without a last day."""

_WEEKDAYS = {
    **{name: number for number, name in enumerate("월화수목금토일")},
    **{name: number for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))},
}

_WEEKDAY = (
    r"(?:\s*\(\s*(?:(?P<korean>[월화수목금토일])(?:요일)?|(?P<english>mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?)\s*\))?"
)
_TIME = r"(?:\s*(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2}))?|시(?:\s*(?P<spoken>\d{1,2})분)?))"
_ENDING = r"\s*(?:까지|마감)?"
_PREFIX = re.compile(r"^(?:모집중|접수중|진행중|접수기간|모집기간|마감일|마감)\s*:?\s*(?=[~\d])")

_DAYS_LEFT = re.compile(r"d\s*-\s*(?:(\d{1,4})|day)", re.ASCII | re.IGNORECASE)
_NEAR_DAY = re.compile(rf"(?P<word>오늘|금일|내일|명일)(?:{_TIME})?{_ENDING}", re.ASCII)
_HOUR_TODAY = re.compile(rf"{_TIME}\s*(?:까지|마감)", re.ASCII)
_MONTH_DAY = re.compile(
    rf"(?:(?P<year>\d{{2}})[./])?(?P<month>\d{{1,2}})(?:[./]|월\s*)(?P<day>\d{{1,2}})(?:일|\.)?{_WEEKDAY}(?:{_TIME})?{_ENDING}",
    re.ASCII | re.IGNORECASE,
)


def deadline_of(text: str, answered_at: datetime) -> datetime | None:
    """The last instant to apply that a site's words mean, aware UTC; None when they name no day (always, until filled).

    `answered_at` is when the site said so: relative words count from its Korean day. `D-7` and `~10.02(금)` for one
    day give one instant, else every day would look like an edit (DESIGN 1.11).
    Raises DeadlineNotUnderstood for anything else, also for an empty text and for words that only say "closed".
    """
    return _deadline(text, business_date(answered_at))


_PLAIN = str.maketrans("～〜∼（）：．／", "~~~():./")
"""Full-width and mathematical look-alikes of the marks that deadlines are written with."""


@lru_cache(maxsize=512)
def _deadline(text: str, today: date) -> datetime | None:
    words = collapse(text.translate(_PLAIN))
    if words.startswith("(") and words.endswith(")") and ")" not in words[:-1]:
        words = words[1:-1].strip()
    try:
        return _meant(_PREFIX.sub("", words), today)
    except (ValueError, OverflowError) as error:
        raise DeadlineNotUnderstood(words) from error


def _meant(words: str, today: date) -> datetime | None:
    start, tilde, end = words.rpartition("~")
    words = end.strip() if tilde else words
    compact = words.replace(" ", "")
    if compact in _OPEN_ENDED or compact in _NOT_OPEN_YET:
        return None
    if (instant := korean_instant(re.sub(r"\s*(?:까지|마감)$", "", words))) is not None:
        return instant
    if found := _MONTH_DAY.fullmatch(words):
        opened = korean_instant(start)
        return _month_day(found, today if opened is None else business_date(opened))
    if found := _DAYS_LEFT.fullmatch(words):
        return end_of_day(today + timedelta(days=int(found[1] or 0)))
    if found := _NEAR_DAY.fullmatch(words):
        return _end(found, today + timedelta(days=found["word"] in ("내일", "명일")))
    if found := _HOUR_TODAY.fullmatch(words):
        return _end(found, today)
    raise DeadlineNotUnderstood(words)


def _month_day(found: re.Match[str], earliest: date) -> datetime:
    """The end that `10.02(금)` means, seen from the day `earliest`. Raises ValueError when there is no such day."""
    month, day = int(found["month"]), int(found["day"])
    if found["year"]:
        return _end(found, date(2000 + int(found["year"]), month, day))
    weekday = found["korean"] or (found["english"] or "").lower()
    return _end(found, day_without_year(month, day, _WEEKDAYS.get(weekday), earliest))


def day_without_year(month: int, day: int, weekday: int | None, today: date) -> date:
    """The day that a date without a year means on `today`; `weekday` counts from Monday = 0.

    Last year, this year or next year, whichever has that weekday (at most one does); without a weekday, or when none
    fits, the nearest that is not yet past (DESIGN 1.11, failure path 20 of seed 001). Raises ValueError for a day
    that no year has.
    """
    if weekday is not None:
        for year in (today.year, today.year + 1, today.year - 1):
            if (candidate := _day(year, month, day)) is not None and candidate.weekday() == weekday:
                return candidate
    for year in range(today.year, today.year + 9):
        if (candidate := _day(year, month, day)) is not None and candidate >= today:
            return candidate
    raise ValueError(f"no year has a {month}/{day}")


def _day(year: int, month: int, day: int) -> date | None:
    """That day, or None in a year without it (29 February)."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _end(found: re.Match[str], day: date) -> datetime:
    if found["hour"] is None:
        return end_of_day(day)
    return end_at(day, int(found["hour"]), int(found["minute"] or found["spoken"] or 0), int(found["second"] or 0))
