"""Looking for the boards on which a company publishes (seed 001, FR-1, FR-2): bounded, polite, and only a look.

Nothing is stored. An address that names a platform is enough by itself; any other page is opened once, for the boards
that it links to. Besides, the company's name and domain are tried as slugs. Every candidate was asked and read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol, assert_never

import structlog

from daemon.company import rules
from daemon.company.actions.sources import find_boards
from daemon.company.model import (
    Candidate,
    CompanySource,
    Discovery,
    DiscoveryHint,
    FoundBy,
    InvalidValue,
    JobSource,
    Unconfirmed,
    Unfit,
)
from daemon.db import Database
from daemon.sources.discovery import Board, board_named, boards_guessed, boards_in
from daemon.sources.model import CollectionTarget, Fetched, ListPage, NotFetched, Outcome, Platform, SourceAdapter
from daemon.sources.reading import read_list
from daemon.sources.registry import adapter_of
from daemon.sources.rules import SiteAddress, SiteUnfit, site_address

log = structlog.get_logger(__name__)

_SAMPLES = 3
_MOST_REDIRECTS = 3
_MOST_BOARDS = 5
"""Boards asked for on one platform."""

_TURNED_AWAY = frozenset({Outcome.BLOCKED, Outcome.RATE_LIMITED})

_LONGEST = timedelta(seconds=60)
"""Real time that a look may take; what was not asked by then is told as such."""


class Visits(Protocol):
    """How sites are asked: within their policies, with permits; whoever has an engine gives it."""

    async def ask_board(self, adapter: SourceAdapter, target: CollectionTarget) -> Fetched | NotFetched:
        """The first page of a company's board."""
        ...

    async def open_page(self, address: SiteAddress) -> Fetched | NotFetched:
        """A page that a person named, at a public address; a redirect is not followed."""
        ...


async def discover_boards(db: Database, visits: Visits, company_name: str, site_url: str | None) -> Discovery:
    """The boards of a company, as far as its name and the address of its site lead to any.

    Asks at most four pages of the site and five boards of each platform, in at most a minute. Raises InvalidValue.
    """
    name = rules.checked_name("company_name", company_name)
    site = _checked_site(site_url) if site_url is not None and site_url.strip() else None
    search = _Search(visits)
    try:
        async with asyncio.timeout(_LONGEST.total_seconds()):
            if site is not None:
                await search.follow_site(site)
            if not search.named:
                guesses = rules.slug_guesses(name, None if site is None else site.host)
                search.want(boards_guessed(rules.normal_form(name), guesses), FoundBy.NAME)
            await search.ask_boards()
    except TimeoutError:
        search.give_up(site)
    followed = {_key(source): source for source in await find_boards(db, search.boards())}
    found = search.result(followed, site_given=site is not None)
    log.info("company.boards_looked_for", candidates=len(found.candidates), unconfirmed=len(found.unconfirmed))
    return found


async def look_at_board(visits: Visits, source: CompanySource) -> ListPage | NotFetched:
    """The first page of a board that is to be followed, or why there is none. Raises InvalidValue."""
    (checked,) = rules.checked_boards([source])
    board = Board(platform=checked.platform, slug=checked.source_slug)
    answer = await visits.ask_board(adapter_of(board.platform), board.target)
    return answer if isinstance(answer, NotFetched) else await _read(board, answer)


def address_of_board(source: CompanySource) -> str:
    """The address by which `discover_boards` finds exactly this board."""
    return Board(platform=source.platform, slug=source.source_slug).base_url


def _checked_site(given: str) -> SiteAddress:
    found = site_address(given)
    if isinstance(found, SiteUnfit):
        raise InvalidValue("site_url", Unfit(found.value))
    return found


def _key(source: JobSource | CompanySource) -> tuple[Platform, str | None]:
    return source.platform, source.source_slug


class _Search:
    """What has been found so far: a look that ends early keeps it."""

    def __init__(self, visits: Visits) -> None:
        self._visits = visits
        self._unasked: dict[Board, FoundBy] = {}
        self._found: list[tuple[Board, FoundBy, ListPage]] = []
        self._unconfirmed: list[Unconfirmed] = []
        self.named = False
        """Whether the address given is a board's own: then no other is meant."""

    async def follow_site(self, site: SiteAddress) -> None:
        """Want what the site names: by its address, by where that leads, or by the links of its page."""
        for _ in range(_MOST_REDIRECTS + 1):
            board = board_named(site.url)
            if board is not None:
                self.want((board,), FoundBy.SITE_URL)
                self.named = True
                return
            answer = await self._visits.open_page(site)
            match answer:
                case Fetched(page=page):
                    self.want(await asyncio.to_thread(boards_in, page.body), FoundBy.SITE_PAGE)
                    return
                case NotFetched(outcome=Outcome.REDIRECTED, location=str(location)):
                    leads_to = site_address(location)
                    if isinstance(leads_to, SiteUnfit):
                        self._not_read(site, Outcome.REDIRECTED, f"leads to an address that is not asked: {leads_to}")
                        return
                    site = leads_to
                case NotFetched(outcome=outcome, reason=reason):
                    self._not_read(site, outcome, reason)
                    return
                case _:
                    assert_never(answer)
        self._not_read(site, Outcome.REDIRECTED, f"more than {_MOST_REDIRECTS} redirects")

    def _not_read(self, site: SiteAddress, outcome: Outcome, reason: str) -> None:
        self._unconfirmed.append(
            Unconfirmed(address=site.url, platform=None, source_slug=None, outcome=outcome, reason=reason)
        )

    def want(self, boards: Sequence[Board], found_by: FoundBy) -> None:
        """Ask for these too, as long as their platform is not asked too much."""
        for board in boards:
            same = sum(each.platform is board.platform for each in self._unasked)
            if same < _MOST_BOARDS:
                self._unasked.setdefault(board, found_by)

    async def ask_boards(self) -> None:
        """Ask for everything wanted; a platform that turns us away is left alone."""
        while self._unasked:
            board = next(iter(self._unasked))
            answer = await self._visits.ask_board(adapter_of(board.platform), board.target)
            read = answer if isinstance(answer, NotFetched) else await _read(board, answer)
            found_by = self._unasked.pop(board)
            if isinstance(read, ListPage):
                self._found.append((board, found_by, read))
            elif read.outcome is not Outcome.NOT_FOUND or found_by is not FoundBy.NAME:
                self._not_confirmed(board, read.outcome, read.reason)
            if isinstance(read, NotFetched) and read.outcome in _TURNED_AWAY:
                self._leave_alone(board.platform, read.outcome, "not asked after the answer before")

    def _not_confirmed(self, board: Board, outcome: Outcome, reason: str) -> None:
        self._unconfirmed.append(
            Unconfirmed(
                address=board.base_url,
                platform=board.platform,
                source_slug=board.slug,
                outcome=outcome,
                reason=reason,
            )
        )

    def _leave_alone(self, platform: Platform | None, outcome: Outcome, reason: str) -> None:
        for board in [each for each in self._unasked if platform in (None, each.platform)]:
            del self._unasked[board]
            self._not_confirmed(board, outcome, reason)

    def give_up(self, site: SiteAddress | None) -> None:
        """The time is up: say what was not asked."""
        reason = f"no answer within the {_LONGEST.total_seconds():.0f} s of a look"
        if site is not None and not self._unasked:
            self._not_read(site, Outcome.TIMEOUT, reason)
        self._leave_alone(None, Outcome.TIMEOUT, reason)

    def result(self, followed: Mapping[tuple[Platform, str | None], JobSource], *, site_given: bool) -> Discovery:
        """What was found, with the sources that follow any of it already."""
        candidates = tuple(
            Candidate(
                source=_source_of(board),
                found_by=found_by,
                postings=listed.postings[:_SAMPLES],
                posting_count=max(listed.declared_total or 0, len(listed.postings)),
                known_terms=adapter_of(board.platform).capabilities.compliance.known_terms,
                followed=followed.get((board.platform, board.slug)),
            )
            for board, found_by, listed in self._found
        )
        if candidates:
            guessed = all(one.found_by is FoundBy.NAME for one in candidates)
            hint = DiscoveryHint.COMPARE if guessed else DiscoveryHint.REGISTER
        elif self._unconfirmed:
            hint = DiscoveryHint.TRY_AGAIN
        else:
            hint = DiscoveryHint.REGISTER_MANUALLY if site_given else DiscoveryHint.GIVE_SITE
        return Discovery(candidates=candidates, unconfirmed=tuple(self._unconfirmed), hint=hint)

    def boards(self) -> list[CompanySource]:
        """The boards found."""
        return [_source_of(board) for board, _, _ in self._found]


def _source_of(board: Board) -> CompanySource:
    return CompanySource(platform=board.platform, source_slug=board.slug, base_url=board.base_url)


async def _read(board: Board, answer: Fetched) -> ListPage | NotFetched:
    """Read in a thread: a board may be megabytes, and the collection's requests must not be late for it."""
    return await asyncio.to_thread(read_list, adapter_of(board.platform), board.target, answer.page, None)
