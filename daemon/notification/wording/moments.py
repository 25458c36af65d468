"""Days and deadlines as a Korean reader, or an English one, writes them; all in Korean time."""

from __future__ import annotations

from datetime import date, datetime, time

from daemon.clock import KST, business_date
from daemon.messages import Language, text

_KOREAN_DAYS = "월화수목금토일"
_ENGLISH_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_END_OF_DAY = time(23, 59)


def day_text(language: Language, day: date, today: date) -> str:
    """`12월 2일(수)`, `Wed 2 Dec`; with its year when that is not today's."""
    if language == "ko":
        year = "" if day.year == today.year else f"{day.year}년 "
        return f"{year}{day.month}월 {day.day}일({_KOREAN_DAYS[day.weekday()]})"
    year = "" if day.year == today.year else f" {day.year}"
    return f"{_ENGLISH_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]}{year}"


def moment_text(language: Language, instant: datetime, today: date) -> str:
    """`12월 2일(수) 17:00`; the end of a day needs no time."""
    local = instant.astimezone(KST)
    day = day_text(language, local.date(), today)
    return day if local.time().replace(second=0, microsecond=0) == _END_OF_DAY else f"{day} {local:%H:%M}"


def deadline_text(language: Language, deadline_at: datetime | None, now: datetime) -> str:
    """`12월 9일(수) 17:00 · D-7`, `상시채용` without a deadline."""
    if deadline_at is None:
        return text(language, "notify.always_open")
    today = business_date(now)
    days = (business_date(deadline_at) - today).days
    if deadline_at <= now:
        left = text(language, "notify.closed")
    elif days == 0:
        left = text(language, "notify.today")
    else:
        left = text(language, "notify.in_days", days=days)
    return f"{moment_text(language, deadline_at, today)} · {left}"
