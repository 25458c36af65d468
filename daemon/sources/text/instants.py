"""Written-out instants: ISO 8601 and the Korean `2026.10.18 (일) 23:59`, read as the end of something."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache

from daemon.clock import KST

_INSTANT = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-./])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})\.?"
    r"(?:\s*\(\s*(?:[월화수목금토일](?:요일)?|[A-Za-z]{3,9})\s*\))?"
    r"(?:[T\s]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?)?"
    r"\s*(?P<zone>[Zz]|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)


def end_of_day(day: date) -> datetime:
    """The last instant of a Korean day, 23:59:59 KST, aware UTC: what a deadline without a time means."""
    return datetime.combine(day, time(23, 59, 59), KST).astimezone(UTC)


def end_at(day: date, hour: int, minute: int, second: int = 0) -> datetime:
    """The deadline written as a Korean wall-clock time on `day`, aware UTC (DESIGN 1.11).

    00:00:00 and 24:00 as an end mean the end of that day, 23:59 means 23:59:59, any other time is taken as written.
    Raises ValueError when there is no such time.
    """
    if (hour, minute, second) in ((0, 0, 0), (24, 0, 0), (23, 59, 0)):
        return end_of_day(day)
    return datetime.combine(day, time(hour, minute, second), KST).astimezone(UTC)


@lru_cache(maxsize=512)
def korean_instant(text: str) -> datetime | None:
    """The deadline that a full date says, aware UTC; None when `text` is anything else, also when it is empty.

    Reads ISO 8601 (`2026-08-28T23:59`, with or without seconds, fraction and offset), `2026-08-28 23:59:59`,
    `2026.08.28` and `2026.06.26 (금) 18:00`. Without an offset it is Korean time. Midnight and a missing time mean
    the end of that Korean day, 23:59 means 23:59:59, any other time is taken as written (DESIGN 1.11).
    """
    # Cached, since a page names the same few dates again and again.
    found = _INSTANT.fullmatch(text.strip())
    if found is None:
        return None
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
        hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
        ends = end_at(day, hour, minute, second)
        if found["fraction"]:
            ends += timedelta(microseconds=int(found["fraction"][:6].ljust(6, "0")))
        if found["zone"] is None or (hour, minute, second) in ((0, 0, 0), (24, 0, 0)):
            return ends
        wall = ends.astimezone(KST).replace(tzinfo=_zone(found["zone"]))
        return wall.astimezone(KST).astimezone(UTC)  # what has no Korean day is no deadline
    except (ValueError, OverflowError):
        return None


def _zone(text: str) -> timezone:
    """The offset that `Z`, `+09:00` or `-0400` says. Raises ValueError for a day or more."""
    if text in "Zz":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)
