"""Postings: lists of all companies, one posting with its story, those entered by hand, one-click applied."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlencode

from aiohttp import web
from pydantic import Field

from daemon.application.actions import apply_for_posting
from daemon.clock import business_date, kst
from daemon.company.actions import find_company
from daemon.company.model import CompanyOrigin, UnknownCompanyName
from daemon.operations.companies.actions import watched_companies
from daemon.operations.postings import actions as views
from daemon.operations.postings.model import PostingDetail, PostingFilter, PostingPage, PostingSigns, PostingSort
from daemon.posting import actions, rules
from daemon.posting.model import PostingEdit, PostingOrigin, PostingStatus
from daemon.sources.model import SourceType
from daemon.web.page.marks import first_part, marked_pieces, spans_of_sentences, spans_of_words
from daemon.web.page.visit import Form, KoreanMoment, Refusal, Visit
from daemon.web.route import RowId

SIZE = 40
"""Postings on one page of a list."""

SEARCHED = 30_000
"""Ids of postings whose titles are looked through at once, the newest first: no index knows what is in a title."""

TEXT_SHOWN = 15_000
"""Characters of a posting's text before the rest has to be asked for: a page stays small."""

COMPANIES_SHOWN = 60
"""Watched companies to which the list of all postings leads."""

COMPANIES_OFFERED = 200
"""Watched companies offered where one is to be chosen."""


class Within(StrEnum):
    """How soon a posting closes."""

    WEEK = "week"
    MONTH = "month"
    ALWAYS = "any"


class Place(StrEnum):
    """Where a posting was found."""

    BOARD = "board"
    AGGREGATOR = "aggregator"
    HAND = "hand"


_PLACES: dict[Place, SourceType | PostingOrigin] = {
    Place.BOARD: SourceType.COMPANY_BOUND,
    Place.AGGREGATOR: SourceType.AGGREGATOR,
    Place.HAND: PostingOrigin.MANUAL,
}
_DAYS = {Within.WEEK: 7, Within.MONTH: 30}


class Asked(Form):
    """What a list is to show."""

    q: Annotated[str, Field(max_length=rules.TITLE_CHARACTERS)] | None = None
    status: PostingStatus | None = None
    matched: bool | None = None
    arranged: bool | None = None
    within: Within | None = None
    place: Place | None = None
    watched: bool | None = None
    sort: PostingSort = PostingSort.DISCOVERED
    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    """Counted from 1, as people do."""
    before: RowId | None = None
    """Words are looked for in titles of earlier postings than this one."""

    def wanted(self, now: datetime, company_id: int | None = None) -> PostingFilter:
        """The filter that it is; `now` decides what closes soon."""
        days = _DAYS.get(self.within) if self.within is not None else None
        return PostingFilter(
            company_id=company_id,
            company_origin=CompanyOrigin.WATCHED if self.watched else None,
            posting_status=self.status,
            matched=self.matched or None,
            title=self.q,
            closes_from=None if days is None else now,
            closes_before=None if days is None else kst(business_date(now) + timedelta(days=days), 0),
            arranged=self.arranged or None,
            place=None if self.place is None else _PLACES[self.place],
        )

    @property
    def narrowed(self) -> bool:
        """Whether less is asked for than all there is."""
        return bool(self.model_dump(exclude_defaults=True, exclude={"sort", "page", "before"}))

    def query(self, page: int, before: int | None = None) -> str:
        """The query of another page of the same list, or of the list of what was found before a posting."""
        given = self.model_dump(exclude_defaults=True, exclude={"page"}) | (
            {} if before is None else {"before": before}
        )
        told = {name: "1" if value is True else str(value) for name, value in given.items() if value}
        return f"?{urlencode(told | {'page': str(page)})}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A page of postings with what is shown beside each."""

    asked: Asked
    found: PostingPage
    signs: dict[int, PostingSigns]
    is_part: bool = False
    """Whether there are postings that were not looked at."""
    searched_from: int | None = None
    """No earlier posting than this one was looked at; None when all of them were."""

    @property
    def pages(self) -> int | None:
        """How many pages there are; None when that is not known."""
        return max(1, -(-self.found.total_count // self.found.size)) if self.found.total_is_exact else None


async def listed(visit: Visit, now: datetime, company_id: int | None = None) -> Listed:
    """The postings that the query asks for, of one company or of all."""
    asked = visit.asked(Asked)
    wanted = asked.wanted(now, company_id)
    is_part, searched_from = False, None
    if asked.q and company_id is None:
        ids = await views.posting_ids(visit.web.db)
        before = asked.before or ids.stop
        wanted = replace(wanted, from_id=max(1, before - SEARCHED), before_id=before)
        searched_from = wanted.from_id if before - SEARCHED > ids.start else None
        is_part = searched_from is not None or before < ids.stop
    found, signs = await views.list_with_signs(visit.web.db, wanted, asked.sort, asked.page - 1, SIZE)
    return Listed(asked=asked, found=found, signs=signs, is_part=is_part, searched_from=searched_from)


async def show_postings(visit: Visit) -> web.Response:
    """Postings of all companies, and the way to each watched one."""
    now = visit.web.db.clock.now()
    watched = await watched_companies(visit.web.db, COMPANIES_SHOWN + 1)
    return visit.show(
        "postings.html",
        now,
        listed=await listed(visit, now),
        companies=watched[:COMPANIES_SHOWN],
        more=len(watched) > COMPANIES_SHOWN,
        company=None,
    )


async def show_posting(visit: Visit) -> web.Response:
    """One posting: its text with what matters marked in it, its places, its story, the person's application."""
    db, posting_id = visit.web.db, visit.row_id()
    posting = await views.show_posting(db, posting_id)
    signs = (await views.signs_of(db, [posting_id]))[posting_id]
    body = posting.description_body or ""
    part, whole = (body, True) if visit.request.query.get("text") == "all" else first_part(body, TEXT_SHOWN)
    evidence = [(each.keyword, each.snippet) for each in posting.work_arrangements]
    return visit.show(
        "posting.html",
        db.clock.now(),
        posting=posting,
        signs=signs,
        title=marked_pieces(
            posting.title, spans_of_words(posting.title, [word.synonym for word in signs.matched_words])
        ),
        pieces=marked_pieces(part, spans_of_sentences(part, evidence)),
        whole=whole,
        characters=len(body),
        story=story_of(posting, signs),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """A step of a posting's story."""

    at: datetime
    what: str
    """Key of the text that tells it."""


def story_of(posting: PostingDetail, signs: PostingSigns) -> tuple[Event, ...]:
    """What is known to have happened to a posting, the last thing first."""
    by_hand = posting.posting_origin is PostingOrigin.MANUAL
    events = [Event(at=signs.first_seen_at, what="story.entered" if by_hand else "story.found")]
    for at, what in (
        (signs.changed_at, "story.changed"),
        (signs.reopened_at, "story.reopened"),
        (signs.closed_at, f"story.{posting.closed_reason}" if posting.closed_reason else "story.closed"),
        (None if by_hand or signs.last_seen_at == signs.first_seen_at else signs.last_seen_at, "story.seen"),
    ):
        if at is not None:
            events.append(Event(at=at, what=what))
    if posting.application is not None:
        events.append(Event(at=posting.application.applied_at, what="story.applied"))
    return tuple(sorted(events, key=lambda event: event.at, reverse=True))


class Applied(Form):
    """That the person has applied."""

    memo: Annotated[str, Field(max_length=2000)] | None = None


async def apply(visit: Visit) -> web.Response:
    """One click: applied, now."""
    entered = await visit.form(Applied)
    made = await apply_for_posting(visit.web.db, visit.row_id(), None, entered.memo)
    return visit.leave(f"/applications/{made.id}", "applied")


class NewPosting(Form):
    """A posting that the person has found."""

    company: Annotated[str, Field(max_length=200)]
    title: Annotated[str, Field(max_length=rules.TITLE_CHARACTERS)]
    posting_url: Annotated[str, Field(max_length=rules.ADDRESS_CHARACTERS)]
    deadline_at: KoreanMoment | None = None


async def show_new(visit: Visit) -> web.Response:
    """The form for a posting entered by hand."""
    companies = await watched_companies(visit.web.db, COMPANIES_OFFERED)
    chosen = visit.request.query.get("company", "")
    return visit.show("posting_new.html", visit.web.db.clock.now(), companies=companies, chosen=chosen)


async def register(visit: Visit) -> web.Response:
    """Enter a posting by hand."""
    entered = await visit.form(NewPosting)
    try:
        company_id = await find_company(visit.web.db, entered.company)
    except UnknownCompanyName as error:
        raise Refusal(
            status=422, key="page.refused.no_company", values={"name": entered.company}, where="/companies/new"
        ) from error
    posting_id = await actions.register_manual(
        visit.web.db, company_id, entered.title, entered.posting_url, entered.deadline_at
    )
    return visit.leave(f"/postings/{posting_id}", "registered")


class Edited(Form):
    """What is changed of a posting."""

    version: int
    title: Annotated[str, Field(max_length=rules.TITLE_CHARACTERS)] | None = None
    posting_url: Annotated[str, Field(max_length=rules.ADDRESS_CHARACTERS)] | None = None
    deadline_at: KoreanMoment | None = None
    status: PostingStatus | None = None
    whole: bool = False
    """The whole form of a posting entered by hand was sent, so that no deadline means none."""


async def edit(visit: Visit) -> web.Response:
    """Correct a posting entered by hand, close it, or open one again that was closed wrongly."""
    entered = await visit.form(Edited)
    changes = PostingEdit()
    if entered.title is not None:
        changes["title"] = entered.title
    if entered.posting_url is not None:
        changes["posting_url"] = entered.posting_url
    if entered.whole:
        changes["deadline_at"] = entered.deadline_at
    if entered.status is not None:
        changes["posting_status"] = entered.status
    await actions.edit_posting(visit.web.db, visit.row_id(), changes, expected=[entered.version])
    return visit.leave(f"/postings/{visit.row_id()}", "saved")
