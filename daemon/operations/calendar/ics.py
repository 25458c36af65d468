"""Entries as an iCalendar file (RFC 5545). The same entries give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from urllib.parse import quote

from daemon.clock import KST
from daemon.operations.calendar.model import Entry

CONTENT_TYPE = "text/calendar; charset=utf-8"

_LINE_OCTETS = 75
"""Longest line without its end (RFC 5545, 3.1)."""

_LINE_ENDS = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")

_ZONE = (
    "BEGIN:VTIMEZONE",
    "TZID:Asia/Seoul",
    "BEGIN:STANDARD",
    "DTSTART:19881009T030000",
    "TZOFFSETFROM:+1000",
    "TZOFFSETTO:+0900",
    "TZNAME:KST",
    "END:STANDARD",
    "END:VTIMEZONE",
)
"""Korea has had one offset since its last summer time ended in 1988. A calendar without entries needs a part too."""


def calendar_document(name: str, entries: Iterable[Entry]) -> bytes:
    """The calendar of that name; it asks to be fetched again every six hours."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Gonggo//Gonggo//KO",
        "CALSCALE:GREGORIAN",
        f"NAME:{_escaped(name)}",
        f"X-WR-CALNAME:{_escaped(name)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT6H",
        "X-PUBLISHED-TTL:PT6H",
        *_ZONE,
    ]
    for entry in entries:
        lines += _event(entry)
    lines.append("END:VCALENDAR")
    return b"".join(piece + b"\r\n" for line in lines for piece in _folded(line))


def _event(entry: Entry) -> Iterator[str]:
    changed = f"{entry.changed_at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    korean = entry.begins_at.astimezone(KST)
    yield "BEGIN:VEVENT"
    yield f"UID:{entry.uid}"
    yield f"DTSTAMP:{changed}"
    yield f"LAST-MODIFIED:{changed}"
    yield f"SEQUENCE:{entry.version}"
    yield from _time(korean, entry.minutes)
    yield f"SUMMARY:{_escaped(entry.summary)}"
    yield f"DESCRIPTION:{_escaped(entry.description)}"
    yield f"URL:{_address(entry.url)}"
    yield f"CATEGORIES:{_escaped(entry.category)}"
    yield f"STATUS:{'CANCELLED' if entry.cancelled else 'CONFIRMED'}"
    yield f"TRANSP:{'OPAQUE' if entry.busy else 'TRANSPARENT'}"
    yield "END:VEVENT"


def _time(begins_at: datetime, minutes: int | None) -> Iterator[str]:
    if minutes is None:
        yield f"DTSTART;VALUE=DATE:{begins_at:%Y%m%d}"
        return
    yield f"DTSTART;TZID=Asia/Seoul:{begins_at:%Y%m%dT%H%M%S}"
    if minutes:
        yield f"DURATION:PT{minutes}M"


def _escaped(text: str) -> str:
    """A TEXT value (RFC 5545, 3.3.11)."""
    plain = _CONTROL.sub("", _LINE_ENDS.sub("\n", text))
    return plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _address(url: str) -> str:
    """A URI value (RFC 3986): whatever a site put into its link, in ASCII and without blanks."""
    return quote(url, safe="%:/?#[]@!$&'()*+,;=-._~", errors="replace")


def _folded(line: str) -> Iterator[bytes]:
    """The line in pieces that are short enough, never cut within a character."""
    piece = bytearray()
    for character in line:
        octets = character.encode("utf-8", "replace")
        if len(piece) + len(octets) > _LINE_OCTETS:
            yield bytes(piece)
            piece = bytearray(b" ")
        piece += octets
    yield bytes(piece)
