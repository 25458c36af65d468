"""What a perfect collector finds: per source and day the postings and how the day ends, and the counts that follow.

This is the oracle of demo, tests and benchmarks, written from the documents and not from the engine: how a cycle ends
(seed 000, DESIGN 1.4) and what the delta counts (seed 001, FR-14 to FR-17). Only the world's scripted troubles are
judged, not those that a test switches on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from daemon.clock import kst
from daemon.demo.world import Posting, Surface, Trait, Trouble, TroubleKind, Vacancy, World
from daemon.demo.world.model import Arrangement
from daemon.sources.model import Outcome, Platform
from daemon.sources.text import collapse

PAGE_SIZES: dict[Platform, int] = {
    Platform.WOOWAHAN: 100,
    Platform.SARAMIN: 100,
    Platform.JUMPIT: 200,
    Platform.WANTED: 100,
    Platform.REMEMBER: 50,
    Platform.JOBKOREA: 40,
    Platform.SURFIT: 30,
}
"""Postings a page when the largest allowed page is asked for; the other sites answer with the whole list at once."""

DAILY_PAGES = 50
DAILY_POSTINGS = 5_000
"""Budgets of a cycle (seed 000)."""

_PAGE_LIMITS = {Platform.JOBKOREA: 1}
"""List pages by policy (DESIGN 1.11)."""
_COMPANY_BOUND = frozenset({Platform.GREENHOUSE, Platform.WOOWAHAN, Platform.INCRUIT})
_NO_TOTAL = frozenset({Platform.GREENHOUSE, Platform.WANTED, Platform.INCRUIT})
"""Sites without a declared total, or (Greenhouse) with one that only repeats the length of its one page."""


class CycleEnd(StrEnum):
    """The terminal statuses of a cycle (seed 000)."""

    SUCCESS = "SUCCESS"
    FAILED = "FAILED"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingTruth:
    """What is to be known of a posting after a day on which it was seen."""

    source_job_id: str
    title: str
    """As shown, white space collapsed."""
    company_name: str | None
    """As the site writes it; None on a company's own board."""
    deadline_at: datetime | None
    version: int
    """Rises with every edit that the source's signature can show."""
    access_restricted: bool
    lines: tuple[str, ...]
    """Each line of the text, where the text can be had."""
    arrangement: Arrangement
    vacancy: Vacancy


@dataclass(frozen=True, kw_only=True, slots=True)
class Truth:
    """One source on one day."""

    platform: Platform
    board: str
    day: date
    end: CycleEnd
    reason: str
    """Why it did not end SUCCESS: an outcome's name, `LIST_TOTAL_MISMATCH` or a budget's; `""` otherwise."""
    close_guarded: bool
    """SUCCESS, but nothing is to be counted missed."""
    postings: tuple[PostingTruth, ...]
    """What the readable pages show, in the site's order, without withdrawn and malformed items."""
    skipped_ids: tuple[str, ...]
    withdrawn_ids: tuple[str, ...]
    declared_total: int | None

    @property
    def seen_ids(self) -> frozenset[str]:
        """Ids that can't be missed on this day: those of postings and of malformed items."""
        return frozenset(one.source_job_id for one in self.postings) | frozenset(self.skipped_ids)

    @property
    def normal(self) -> bool | None:
        """Whether health counts the day as normal; None when a budget ended it, which says nothing (seed 000)."""
        if self.end is CycleEnd.BUDGET_EXHAUSTED:
            return None
        return self.end is CycleEnd.SUCCESS and bool(self.seen_ids)


def truth(world: World, platform: Platform, board: str, day: date) -> Truth:
    """The truth about a source on a day. Raises KeyError when the world has no such board."""
    listed = world.on(day).listed(platform, board)
    if listed is None:
        raise KeyError(f"{platform} {board}")
    trouble = _list_trouble(world, platform, board, day)
    size = PAGE_SIZES.get(platform, max(1, len(listed)))
    end, reason, guarded, readable = _end(platform, listed, trouble, size)
    shown = listed[:readable]
    total = None if platform in _NO_TOTAL else len(listed)
    if trouble is not None and trouble.kind is TroubleKind.TOTAL_LIE and total is not None:
        total += trouble.value
    if trouble is not None and trouble.kind is TroubleKind.EMPTY:
        total = None if total is None else 0
    return Truth(
        platform=platform,
        board=board,
        day=day,
        end=end,
        reason=reason,
        close_guarded=guarded,
        postings=tuple(_posting_truth(one) for one in shown if one.title and not one.withdrawn),
        skipped_ids=tuple(one.site_id for one in shown if not one.title),
        withdrawn_ids=tuple(one.site_id for one in shown if one.withdrawn),
        declared_total=total,
    )


def _list_trouble(world: World, platform: Platform, board: str, day: date) -> Trouble | None:
    """The one trouble of the script that bears on the list; a slow site is only slow."""
    for trouble in world.troubles(platform, day):
        bears = trouble.kind is not TroubleKind.SLOW and trouble.surface is not Surface.DETAIL
        if bears and trouble.board in (None, board):
            return trouble
    return None


def _end(
    platform: Platform, listed: tuple[Posting, ...], trouble: Trouble | None, size: int
) -> tuple[CycleEnd, str, bool, int]:
    """How the day ends: status, reason, close guard, and how many postings can be read until then."""
    count = len(listed)
    pages = max(1, -(-count // size))
    if trouble is not None and trouble.kind is TroubleKind.EMPTY:
        return CycleEnd.SUCCESS, "", False, 0
    lie = trouble.value if trouble is not None and trouble.kind is TroubleKind.TOTAL_LIE else 0
    if trouble is not None and not lie and trouble.from_page <= pages:
        return CycleEnd.FAILED, _outcome(trouble).value, False, min(count, (trouble.from_page - 1) * size)
    allowed = min(_PAGE_LIMITS.get(platform, DAILY_PAGES) * size, DAILY_POSTINGS)
    if count > allowed:
        limit = "POSTING_LIMIT" if allowed == DAILY_POSTINGS else "LIST_PAGE_LIMIT"
        return CycleEnd.BUDGET_EXHAUSTED, limit, False, allowed
    if lie > 0 and platform not in _NO_TOTAL:
        if pages == 1 or lie > max(1, (count + lie) // 100):
            return CycleEnd.FAILED, "LIST_TOTAL_MISMATCH", False, count
        return CycleEnd.SUCCESS, "", True, count
    return CycleEnd.SUCCESS, "", False, count


def _outcome(trouble: Trouble) -> Outcome:
    match trouble.kind:
        case TroubleKind.BLOCK_PAGE:
            return Outcome.BLOCKED
        case TroubleKind.LAYOUT_CHANGED | TroubleKind.TRUNCATED:
            return Outcome.LAYOUT_CHANGED
        case TroubleKind.REDIRECT_LOGIN:
            return Outcome.REDIRECTED
        case TroubleKind.DROP:
            return Outcome.SERVER_ERROR
        case TroubleKind.STATUS:
            return Outcome.RATE_LIMITED if trouble.value == 429 else Outcome.SERVER_ERROR
        case _:
            raise ValueError(f"no verdict on a scripted {trouble.kind}")


def _posting_truth(posting: Posting) -> PostingTruth:
    company = None if posting.listing.platform in _COMPANY_BOUND else collapse(posting.company_name)
    return PostingTruth(
        source_job_id=posting.site_id,
        title=collapse(posting.title),
        company_name=company,
        deadline_at=posting.deadline,
        version=posting.version.number,
        access_restricted=posting.has(Trait.LOGIN_FORM) or posting.has(Trait.LOGIN_REDIRECT),
        lines=posting.body.lines,
        arrangement=posting.vacancy.arrangement,
        vacancy=posting.vacancy,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class DayCounts:
    """What a source's run of one day counts, and how many of its postings are open after it."""

    truth: Truth
    new: int
    changed: int
    """Known postings whose version differs from the one last seen."""
    missed: int
    closed: int
    """By being missed twice in a row, with `posting.auto-close` ON."""
    reopened: int
    open_after: int
    """After the deadline sweep of that day."""


@dataclass(slots=True)
class _Known:
    version: int
    deadline: datetime | None
    restricted: bool
    misses: int = 0
    closed: bool = False


def ledger(world: World, platform: Platform, board: str, days: int | None = None) -> tuple[DayCounts, ...]:
    """The counts of every day from the first, for a collector that worked each of them.

    Assumes that each day's cycle ends before the deadline sweep at 00:30 and that closing is switched on: a posting
    whose deadline passed the day before is thus missed once and then closed by the sweep. What a failed cycle read
    before it failed counts as seen.
    """
    return tuple(_counts(world, platform, board, world.days if days is None else days))


def _counts(world: World, platform: Platform, board: str, days: int) -> Iterator[DayCounts]:
    known: dict[str, _Known] = {}
    for number in range(1, days + 1):
        day = world.day_number(number)
        today = truth(world, platform, board, day)
        new, changed, reopened = _see(known, today, day)
        missed = closed = 0
        if today.end is CycleEnd.SUCCESS and not today.close_guarded and today.seen_ids:
            missed, closed = _miss(known, today.seen_ids)
        sweep = kst(day, 0, 30)
        for one in known.values():
            if not one.closed and one.deadline is not None and one.deadline < sweep:
                one.closed = True
        open_after = sum(not one.closed for one in known.values())
        yield DayCounts(
            truth=today,
            new=new,
            changed=changed,
            missed=missed,
            closed=closed,
            reopened=reopened,
            open_after=open_after,
        )


def _see(known: dict[str, _Known], today: Truth, day: date) -> tuple[int, int, int]:
    """Record what was seen; counts of new, changed and reopened postings."""
    new = changed = reopened = 0
    for posting in today.postings:
        one = known.get(posting.source_job_id)
        if one is None:
            new += 1
            known[posting.source_job_id] = _Known(
                version=posting.version, deadline=posting.deadline_at, restricted=posting.access_restricted
            )
            continue
        changed += one.version != posting.version
        one.version, one.deadline, one.misses = posting.version, posting.deadline_at, 0
        if one.closed and (one.deadline is None or one.deadline > kst(day, 0) + timedelta(minutes=30)):
            one.closed, reopened = False, reopened + 1
    return new, changed, reopened


def _miss(known: dict[str, _Known], seen: frozenset[str]) -> tuple[int, int]:
    """Count the open postings that were not seen; those missed twice in a row are closed."""
    missed = closed = 0
    for source_job_id, one in known.items():
        # A posting for members only takes no part in closing (seed 001).
        if one.closed or one.restricted or source_job_id in seen:
            continue
        missed += 1
        one.misses += 1
        if one.misses >= 2:
            one.closed, closed = True, closed + 1
    return missed, closed
