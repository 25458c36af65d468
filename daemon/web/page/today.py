"""The first page: what is new, what closes soon, what comes, and whether the machine did its work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from aiohttp import web

from daemon.clock import business_date
from daemon.collection.model import CycleStatus
from daemon.db import Database, reading_together, side_by_side
from daemon.flags import actions as flags
from daemon.matching.actions.criteria import current_criteria
from daemon.operations.actions import day_so_far
from daemon.operations.calendar.actions import upcoming
from daemon.operations.model import DaySoFar, SourceToday
from daemon.operations.postings.actions import list_postings, list_with_signs
from daemon.operations.postings.model import PostingFilter, PostingPage, PostingSigns
from daemon.posting.model import PostingStatus
from daemon.web.page.visit import KEPT_SECONDS, VISIT_COOKIE, Visit, keep
from daemon.web.page.wording import long_day

NEWS_SHOWN = 30
"""Matched postings on the first page; the rest are behind its link."""

LATEST_SHOWN = 6
"""Of those known before, where nothing is new."""

DAYS_AHEAD = 7

_PAUSE = timedelta(hours=2)
"""Who comes back later than this has been away: what was found meanwhile is news."""

_FIRST_LOOK = timedelta(days=1)
"""How far back news reaches for a browser that was never here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LastVisit:
    """When this browser was here before."""

    since: datetime
    """What was found at or after is news."""
    cookie: str


def last_visit(cookie: str | None, now: datetime) -> LastVisit:
    """The visit before this one, as the browser tells: `news since.last request`, in seconds.

    Loading the page again shows the same news; who was away for longer than a pause sees what came since.
    """
    parts = (cookie or "").split(".")
    if len(parts) == 2 and all(part.isdigit() and len(part) <= 11 for part in parts):
        since, last = (datetime.fromtimestamp(int(part), UTC) for part in parts)
        if since <= last <= now:
            since = last if now - last > _PAUSE else since
            return LastVisit(since=since, cookie=f"{int(since.timestamp())}.{int(now.timestamp())}")
    since = now - _FIRST_LOOK
    return LastVisit(since=since, cookie=f"{int(since.timestamp())}.{int(now.timestamp())}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """Today's collection in figures."""

    followed: int
    done: int
    running: int
    failed: int
    waiting: int
    new: int
    closed: int


def work_of(found: DaySoFar) -> Work:
    """How today's collection stands."""
    # A legacy run's words are among those of a cycle.
    counts = Counter(None if source.status is None else str(source.status) for source in found.sources)
    return Work(
        followed=len(found.sources),
        done=counts[CycleStatus.SUCCESS] + counts[CycleStatus.BUDGET_EXHAUSTED],
        running=counts[CycleStatus.RUNNING],
        failed=counts[CycleStatus.FAILED],
        waiting=counts[CycleStatus.PENDING] + counts[CycleStatus.NOT_STARTED] + counts[None],
        new=sum(source.new_count for source in found.sources),
        closed=sum(source.closed_count for source in found.sources),
    )


def in_trouble(found: DaySoFar) -> tuple[SourceToday, ...]:
    """The sources that a person should know of: broken for days, or failed today."""
    return tuple(
        source for source in found.sources if source.broken_since is not None or source.status == CycleStatus.FAILED
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class News:
    """What is new, and around it the state of the day."""

    found: DaySoFar
    before: LastVisit
    news: PostingPage
    latest: PostingPage | None
    """What matched last, where nothing is new."""
    signs: Mapping[int, PostingSigns]
    steps: FirstSteps


async def _news_of(db: Database, cookie: str | None) -> News:
    found = await day_so_far(db)
    before = last_visit(cookie, found.now)
    latest = None
    news, signs = await list_with_signs(db, replace(_MATCHED, found_since=before.since), size=NEWS_SHOWN)
    if not news.total_count:
        latest, signs = await list_with_signs(db, _MATCHED, size=LATEST_SHOWN)
    shown = (latest or news).job_postings
    steps = await first_steps(db, found, collected=bool(shown))
    return News(found=found, before=before, news=news, latest=latest, signs=signs, steps=steps)


async def show_today(visit: Visit) -> web.Response:
    """The first page; with nothing followed yet it leads by the hand."""
    db = visit.web.db
    # Thousands of postings close in a busy week: they are counted while the rest is read.
    cookie = visit.request.cookies.get(VISIT_COOKIE)
    ahead, read = await side_by_side(
        db, partial(upcoming, db, DAYS_AHEAD), partial(reading_together, db, _news_of, db, cookie)
    )
    now = read.found.now
    response = visit.show(
        "today.html",
        now,
        day=long_day(business_date(now), visit.language),
        found=read.found,
        work=work_of(read.found),
        trouble=in_trouble(read.found),
        before=read.before,
        news=read.news,
        latest=read.latest,
        signs=read.signs,
        ahead=ahead.days,
        appointments=ahead.appointments,
        steps=read.steps,
    )
    keep(response, VISIT_COOKIE, read.before.cookie, KEPT_SECONDS, visit.request)
    return response


_MATCHED = PostingFilter(matched=True, posting_status=PostingStatus.OPEN)


@dataclass(frozen=True, kw_only=True, slots=True)
class FirstSteps:
    """What there is still to do before the first posting can match."""

    on: bool
    """The functions are switched on."""
    followed: bool
    sought: bool
    """There is a keyword group."""
    collected: bool
    """Something was collected, today at least."""

    @property
    def over(self) -> bool:
        """Whether nothing is left to do."""
        return self.followed and self.sought and self.collected


async def first_steps(db: Database, found: DaySoFar, *, collected: bool) -> FirstSteps:
    """How far a person who begins has come; `collected` spares the look at whether there is any posting."""
    criteria = await current_criteria(db)
    collected = collected or any(source.fetched_count for source in found.sources)
    if not collected:
        collected = (await list_postings(db, PostingFilter(), size=1)).total_count > 0
    return FirstSteps(
        on=any(flag.enabled for flag in found.flags if not flag.flag_key.is_taste),
        followed=bool(found.sources),
        sought=bool(criteria.keyword_groups),
        collected=collected,
    )


async def switch_all_on(visit: Visit) -> web.Response:
    """Switch on what `gonggo init --activate` does."""
    await flags.switch_all_on(visit.web.db)
    return visit.leave("/", "begun")
