"""What passes between a caller and a replicated site: the ask, the answer, and the shelf a list is served from."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from daemon.demo.world import Day, Place, Posting, Trouble, TroubleKind
from daemon.sources.model import Platform

HTML = "text/html; charset=UTF-8"
JSON = "application/json; charset=utf-8"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """A request, as far as any of the nine sites looks at it. Hashable: equal asks get equal answers on one day."""

    method: str = "GET"
    path: str
    """Decoded, without the query."""
    query: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    content_type: str = ""
    origin: str = ""
    referer: str = ""

    def get(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        return next((value for key, value in self.query if key == name), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a query parameter, in order."""
        return tuple(value for key, value in self.query if key == name)

    def number(self, name: str, default: int) -> int:
        """A query parameter as a number; the default when it is missing or none."""
        value = self.get(name)
        return int(value) if value.lstrip("-").isdigit() else default


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What the site sends back."""

    status: int = 200
    body: bytes = b""
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelf:
    """A list on a day, ready to be served in pages."""

    postings: tuple[Posting, ...]
    total: int
    """What the site declares."""
    shift: int = 0
    endless: bool = False

    def last_page(self, size: int) -> int:
        """The number of the last page, at least 1."""
        return max(1, -(-len(self.postings) // size))

    def page(self, number: int, size: int) -> tuple[Posting, ...]:
        """The postings of page `number` (1-based); empty past the end, unless the list repeats its last page."""
        if self.endless:
            number = min(number, self.last_page(size))
        start = (number - 1) * size
        if number > 1:
            start -= self.shift
        return self.postings[max(0, start) : max(0, start + size)]

    def has_next(self, number: int, size: int) -> bool:
        """Whether the site offers a page after this one."""
        return self.endless or number * size - (self.shift if number > 1 else 0) < len(self.postings)


def shelf(day: Day, platform: Platform, place: Place, troubles: tuple[Trouble, ...]) -> Shelf | None:
    """The list that `place` asks for, as the troubles leave it; None when the site has no such list."""
    listed = day.listed(platform, place.board, place.keyword)
    if listed is None:
        return None
    by_kind = {trouble.kind: trouble for trouble in troubles}
    if TroubleKind.EMPTY in by_kind:
        listed = ()
    lie = by_kind.get(TroubleKind.TOTAL_LIE)
    shift = by_kind.get(TroubleKind.SHIFT_ROWS)
    return Shelf(
        postings=listed,
        total=max(0, len(listed) + (lie.value if lie else 0)),
        shift=shift.value if shift else 0,
        endless=TroubleKind.REPEAT_LAST_PAGE in by_kind,
    )


class Site(Protocol):
    """One replicated site: pure functions from ask and day to an answer."""

    @property
    def platform(self) -> Platform: ...

    @property
    def login_url(self) -> str: ...

    @property
    def renames(self) -> tuple[tuple[bytes, bytes], ...]:
        """What a changed layout calls the list element and its fields: old and new, replaced in the rendered body."""
        ...

    def locate(self, ask: Ask) -> Place:
        """Which page this is, without rendering it."""
        ...

    def render(self, ask: Ask, place: Place, day: Day, troubles: tuple[Trouble, ...]) -> Answer:
        """The answer of an otherwise healthy site; only troubles about list contents are looked at."""
        ...


def json_answer(data: Any, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """A JSON answer, Korean left as UTF-8."""
    return Answer(
        status=status,
        body=json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(),
        content_type=JSON,
        headers=headers,
    )


def html_answer(text: str, *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    """An HTML answer in UTF-8."""
    return Answer(status=status, body=text.encode(), content_type=HTML, headers=headers)


def escape(text: str) -> str:
    """`text` for element content and quoted attributes."""
    return html.escape(text, quote=True)


def weekday(day: date) -> str:
    """The Korean letter of a date's day of the week."""
    return "월화수목금토일"[day.weekday()]


def paragraphs(posting: Posting) -> str:
    """The text of a vacancy as a plain HTML fragment: headings and lists."""
    parts = [f"<p>{escape(posting.body.intro)}</p>"]
    for heading, lines in posting.body.sections:
        items = "".join(f"<li>{escape(line)}</li>" for line in lines)
        parts.append(f"<h3>{heading}</h3><ul>{items}</ul>")
    return "\n".join(parts)


def bullets(lines: tuple[str, ...], mark: str = "• ", end: str = "\n") -> str:
    """Lines as a plain text list."""
    return end.join(f"{mark}{line}" for line in lines)
