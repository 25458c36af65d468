"""Which company's board an address or a page names, on the platforms of companies' own boards (FR-1, FR-2). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from daemon.sources.model import BoardFinder, CollectionTarget, Platform, SourceAdapter
from daemon.sources.registry import ADAPTERS

_MOST_ADDRESSES = 5000
"""Addresses of a page that are looked at; a career page has some hundred."""

_MOST_NAMED = 5
"""Boards that one page may name; more is a list of other companies' boards."""

_ADDRESS = re.compile(rb"//([A-Za-z0-9.-]{1,253})(/[A-Za-z0-9_./%?&=;#:+~-]{0,300})?")
_ESCAPED_SLASH = re.compile(rb"\\/|\\u002[fF]|&#(?:x2[fF]|47);")


_ADAPTERS: Mapping[Platform, SourceAdapter | BoardFinder] = ADAPTERS
_FINDERS = tuple((platform, finder) for platform, finder in _ADAPTERS.items() if isinstance(finder, BoardFinder))
"""Found out once: to ask what an adapter can takes far longer than to ask it, and a page names 5,000 addresses."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Board:
    """A company's board on a platform."""

    platform: Platform
    slug: str

    @property
    def target(self) -> CollectionTarget:
        """What the adapter is asked for; no source stands behind it."""
        return CollectionTarget(job_source_id=0, platform=self.platform, slug=self.slug)

    @property
    def base_url(self) -> str:
        """The platform's own address of the board's list, without its query."""
        request = ADAPTERS[self.platform].list_request(self.target, None)
        return request.url.partition("?")[0]


def board_named(address: str) -> Board | None:
    """The board that an address names by itself; None when it is of no platform known here."""
    try:
        parts = urlsplit(address)
        slugs = [(platform, finder.board_in(parts)) for platform, finder in _FINDERS]
    except ValueError:
        return None
    return next((Board(platform=platform, slug=slug) for platform, slug in slugs if slug), None)


def boards_in(body: bytes) -> tuple[Board, ...]:
    """The boards that a page names anywhere: links, frames, scripts, data. In the page's order, each once.

    The page is not parsed: whatever it is, looking through it takes time in proportion to its length.
    """
    plain = _ESCAPED_SLASH.sub(b"/", body).replace(b"&amp;", b"&")
    found: dict[Board, None] = {}
    for number, address in enumerate(_ADDRESS.finditer(plain)):
        if number >= _MOST_ADDRESSES or len(found) >= _MOST_NAMED:
            break
        board = board_named(_as_text(address))
        if board is not None:
            found[board] = None
    return tuple(found)


def _as_text(address: re.Match[bytes]) -> str:
    return f"https://{address[1].decode('ascii').lower()}{(address[2] or b'').decode('ascii')}"


def boards_guessed(company_key: str, guesses: tuple[str, ...]) -> tuple[Board, ...]:
    """The boards worth asking for when nothing but the company's name is known (`BoardFinder.board_guesses`)."""
    return tuple(
        Board(platform=platform, slug=slug)
        for platform, finder in _FINDERS
        for slug in finder.board_guesses(company_key, guesses)
    )
