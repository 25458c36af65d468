"""How instants, days and counts are told to a person, in Korean time. Pure."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from urllib.parse import urlsplit

from daemon.clock import KST, business_date
from daemon.messages import Language

_DAY = timedelta(days=1)
_ENGLISH_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ENGLISH_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_KOREAN_DAYS = "월화수목금토일"


def long_day(day: date, language: Language) -> str:
    """`2026년 12월 4일 금요일`, `Friday, 4 December 2026`."""
    if language == "ko":
        return f"{day.year}년 {day.month}월 {day.day}일 {_KOREAN_DAYS[day.weekday()]}요일"
    return f"{_ENGLISH_DAYS[day.weekday()]}, {day.day} {_ENGLISH_MONTHS[day.month - 1]} {day.year}"


def short_day(day: date, today: date, language: Language) -> str:
    """`12월 4일 (금)`, `Fri 4 Dec`; with the year when it is another one."""
    year = "" if day.year == today.year else f"{day.year}"
    if language == "ko":
        return f"{f'{year}년 ' if year else ''}{day.month}월 {day.day}일 ({_KOREAN_DAYS[day.weekday()]})"
    return f"{_ENGLISH_DAYS[day.weekday()][:3]} {day.day} {_ENGLISH_MONTHS[day.month - 1][:3]} {year}".rstrip()


def moment(instant: datetime, now: datetime, language: Language) -> str:
    """`오늘 09:00`, `어제 18:20`, `12월 4일 (금) 09:00`."""
    day, today = business_date(instant), business_date(now)
    named = {today: ("오늘", "today"), today - _DAY: ("어제", "yesterday"), today + _DAY: ("내일", "tomorrow")}
    told = named[day][0 if language == "ko" else 1] if day in named else short_day(day, today, language)
    return f"{told} {clock_time(instant)}"


def clock_time(instant: datetime) -> str:
    """`09:00`, Korean time."""
    return instant.astimezone(KST).strftime("%H:%M")


def days_left(deadline: datetime, now: datetime) -> int:
    """Korean days until a deadline's day: 0 is today, negative is over."""
    left = (business_date(deadline) - business_date(now)).days
    return -1 if left == 0 and deadline < now else left


def is_end_of_day(instant: datetime) -> bool:
    """Whether it is the last second of a Korean day: a deadline that names a day alone (DESIGN 1.11)."""
    return instant.astimezone(KST).strftime("%H:%M:%S") == "23:59:59"


def machine_time(instant: datetime) -> str:
    """For `<time datetime>`."""
    return instant.astimezone(KST).isoformat(timespec="seconds")


def input_time(instant: datetime | None) -> str:
    """For `<input type="datetime-local">`, Korean time; empty for none."""
    return "" if instant is None else instant.astimezone(KST).strftime("%Y-%m-%dT%H:%M")


def number(count: int) -> str:
    """`12,345`."""
    return f"{count:,}"


def outside(address: str | None) -> str | None:
    """An address of a site as a link may have it; None for what is none (`javascript:`, broken)."""
    try:
        parts = urlsplit(address or "")
    except ValueError:
        return None
    return address if parts.scheme.lower() in {"http", "https"} and parts.netloc else None
