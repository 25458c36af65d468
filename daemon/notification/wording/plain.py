"""Foreign text made fit for a message: one line, no control, no markdown, no mention, within a length.

Lengths are UTF-16 units, the largest of the ways in which Discord is known to count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

MOST_MARKS = 4
"""Combining marks kept on one letter: more of them only climb over the lines above."""

_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters that show nothing: a title of these would be an empty one, which Discord refuses."""

_JOINER = "\u200d"
_MARKDOWN = frozenset("\\`*_~|[](){}<>#:-+")
"""What Discord's markdown may take for its own: emphasis, code, spoilers, links, mentions, headings, lists, emoji, and
the colon without which no bare address becomes a link."""

_URL_SAFE = "/?:@!$&'*+,;=%-._~#"
"""What stays as it is in an address; brackets, quotes, blanks and letters beyond ASCII are encoded."""

_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


def units(text: str) -> int:
    """The length of `text` in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)


def one_line(text: str) -> str:
    """`text` on one line: without control, direction and invisible characters, white space collapsed."""
    return " ".join("".join(_visible(text)).split()).strip(" " + _JOINER)


def _visible(text: str) -> Iterator[str]:
    marks = 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if character in _BLANK or category == "Cc":
            yield " "
        elif marks <= MOST_MARKS and category not in ("Cs", "Cn") and (category != "Cf" or character == _JOINER):
            yield character


def clipped(text: str, limit: int) -> str:
    """`text`, or its beginning with an ellipsis, at most `limit` (1 or more) units long; no emoji is cut in two."""
    assert limit > 0, "no room for anything"
    if units(text) <= limit:
        return text
    kept = text[: limit - 1]
    while kept and (units(kept) > limit - 1 or _continues(text, len(kept))):
        kept = kept[:-1]
    return kept.rstrip() + "…"


def _continues(text: str, at: int) -> bool:
    """Whether cutting `text` at this place would part what is drawn as one."""
    after, before = text[at : at + 1], text[at - 1 : at]
    return bool(after) and (_JOINER in (after, before) or unicodedata.category(after) in ("Mn", "Me", "Mc", "Sk"))


def escaped(text: str) -> str:
    """One line in which nothing is markdown or a mention any more."""
    return "".join(_harmless(character) for character in one_line(text))


def _harmless(character: str) -> str:
    if character == "@":
        return "@\u200b"
    return "\\" + character if character in _MARKDOWN else character


def escaped_within(text: str, limit: int) -> str:
    """`escaped`, clipped so that with its backslashes it is at most `limit` units long."""
    line = one_line(text)
    if units(whole := escaped(line)) <= limit:
        return whole
    room = limit
    while room > 0 and units(shorter := escaped(clipped(line, room))) > limit:
        room -= max(1, (units(shorter) - limit) // 2)
    return shorter if room > 0 else "…"


def linkable(url: str, limit: int) -> str | None:
    """`url` as it may stand in a link, at most `limit` characters long; None when it is no address of the web.

    One with a user name is none: `https://a.com@b.com` leads elsewhere than it seems.
    """
    try:
        parts = urlsplit(url.strip())
        port, host = parts.port, (parts.hostname or "").encode("idna").decode("ascii")
    except ValueError:  # UnicodeError is one
        return None
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https") or parts.username is not None or not _HOST.fullmatch(host):
        return None
    rest = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    rest += f"#{parts.fragment}" if parts.fragment else ""
    encoded = quote(_STRAY_PERCENT.sub("%25", rest), safe=_URL_SAFE)
    address = f"{scheme}://{host}{'' if port is None else f':{port}'}{encoded}"
    return address if len(address) <= limit else None
