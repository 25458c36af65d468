"""The demo world: what every site lists on every day. `World` answers questions about days; `truth.py` judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache

from daemon.demo.world.generate import listings
from daemon.demo.world.model import (
    Arrangement,
    Body,
    Listing,
    Place,
    Posting,
    Surface,
    Trait,
    Trouble,
    TroubleKind,
    Vacancy,
    Version,
)
from daemon.demo.world.plans import PLANS, BoardPlan, small_board
from daemon.demo.world.script import scripted_listings, scripted_troubles
from daemon.sources.model import Platform

__all__ = [
    "FIRST_DAY",
    "Arrangement",
    "BoardPlan",
    "Body",
    "Day",
    "Listing",
    "Place",
    "Posting",
    "Surface",
    "Trait",
    "Trouble",
    "TroubleKind",
    "Vacancy",
    "Version",
    "World",
]

FIRST_DAY = date(2026, 12, 1)
"""Day 1 of the default world: late enough in the year that deadlines without a year cross into the next."""


class World:
    """A function of the KST business date: deterministic, the same in every process with the same arguments.

    `days` is how long things keep happening; later days are as the last one, but for deadlines that pass. `scale`
    multiplies the size of every planned board (2,640 rows of Saramin's category 84 at 1.0). `calm` leaves out the
    scripted troubles, so that every site answers well every day. `plans` adds boards to the usual ones.
    """

    def __init__(
        self,
        *,
        first_day: date = FIRST_DAY,
        days: int = 7,
        seed: int = 1,
        scale: float = 1.0,
        calm: bool = False,
        plans: Sequence[BoardPlan] = (),
    ) -> None:
        self.first_day = first_day
        self.days = days
        self.seed = seed
        self.calm = calm
        extra = tuple(replace(plan, number=len(PLANS) + index) for index, plan in enumerate(plans))
        scaled = tuple(replace(plan, size=max(1, round(plan.size * scale))) for plan in PLANS)
        self.plans = {(plan.platform, plan.code): plan for plan in (*scaled, *extra)}
        self._boards: dict[tuple[Platform, str], tuple[Listing, ...]] = {}
        self.on = lru_cache(maxsize=32)(self._on)

    def number_of(self, day: date) -> int:
        """1 on the first day."""
        return (day - self.first_day).days + 1

    def day_number(self, number: int) -> date:
        """The date of the day with this number."""
        return self.first_day + timedelta(days=number - 1)

    def _on(self, day: date) -> Day:
        return Day(world=self, date=day)

    def troubles(self, platform: Platform, day: date) -> tuple[Trouble, ...]:
        """What is wrong with a site on a day, by the script; nothing before the first day or when calm."""
        number = self.number_of(day)
        return () if self.calm or number < 1 else scripted_troubles(number, platform)

    def board(self, platform: Platform, code: str) -> tuple[Listing, ...] | None:
        """All listings that a board ever shows; None when the site has no such board."""
        if (platform, code) not in self._boards:
            plan = self.plans.get((platform, code)) or small_board(platform, code)
            if plan is None:
                return None
            made = listings(plan, seed=self.seed, first_day=self.first_day, days=self.days)
            story = tuple(found for found in self._story if found.platform is platform and code in found.boards)
            self._boards[platform, code] = made + story
        return self._boards[platform, code]

    @cached_property
    def _story(self) -> tuple[Listing, ...]:
        return tuple(scripted_listings(tuple(self.plans.values()), self.first_day))

    def cross_posted(self) -> dict[str, tuple[Listing, ...]]:
        """The vacancies that stand on more than one site, by vacancy key: what the dedup job is to find.

        Two vacancies of the same company and title whose deadlines lie more than 30 days apart are two keys.
        """
        groups: dict[str, list[Listing]] = {}
        for listing in self._story:
            groups.setdefault(listing.vacancy.key, []).append(listing)
        return {key: tuple(found) for key, found in groups.items() if len(found) > 1}

    def codes(self, platform: Platform) -> tuple[str, ...]:
        """The planned boards of a site."""
        return tuple(code for owner, code in self.plans if owner is platform)


@dataclass(frozen=True, kw_only=True)
class Day:
    """The world on one day."""

    world: World
    date: date

    @property
    def number(self) -> int:
        return self.world.number_of(self.date)

    def listed(self, platform: Platform, codes: str, keyword: str = "") -> tuple[Posting, ...] | None:
        """What a list shows, newest first, withdrawn items included; None when the site has none of the boards.

        `codes` may join several by commas; `keyword` keeps postings with it in title or text, in any case.
        """
        return self._listed(platform, codes, keyword.casefold())

    def posting(self, platform: Platform, site_id: str, boards: Sequence[str] | None = None) -> Posting | None:
        """The posting with this id, when it is listed on this day on one of `boards` (any board when None)."""
        for code in boards if boards is not None else self.world.codes(platform):
            found = self._by_id(platform, code).get(site_id)
            if found is not None:
                return found
        return None

    @cached_property
    def _lists(self) -> dict[tuple[Platform, str, str], tuple[Posting, ...] | None]:
        return {}

    @cached_property
    def _ids(self) -> dict[tuple[Platform, str], dict[str, Posting]]:
        return {}

    def _listed(self, platform: Platform, codes: str, keyword: str) -> tuple[Posting, ...] | None:
        key = (platform, codes, keyword)
        if key not in self._lists:
            self._lists[key] = self._list(platform, codes, keyword)
        return self._lists[key]

    def _list(self, platform: Platform, codes: str, keyword: str) -> tuple[Posting, ...] | None:
        boards = [self.world.board(platform, code) for code in codes.split(",") if code]
        known = [board for board in boards if board is not None]
        if not known:
            return None
        postings = {
            listing.site_id: Posting(listing=listing, version=listing.vacancy.version_on(self.date), day=self.date)
            for board in known
            for listing in board
            if listing.listed_on(self.date)
        }
        kept = [one for one in postings.values() if not keyword or _mentions(one, keyword)]
        newest = sorted(kept, key=lambda one: (_moved_to_front(one), one.serial), reverse=True)
        return tuple(newest)

    def _by_id(self, platform: Platform, code: str) -> dict[str, Posting]:
        if (platform, code) not in self._ids:
            self._ids[platform, code] = {one.site_id: one for one in self._listed(platform, code, "") or ()}
        return self._ids[platform, code]


def _moved_to_front(posting: Posting) -> date:
    """The day a list sorts by: Woowahan's by edit (`sort=updateDate,desc`), the others' by registration."""
    if posting.listing.platform is Platform.WOOWAHAN:
        return posting.version.since
    return posting.listing.posted


def _mentions(posting: Posting, keyword: str) -> bool:
    return keyword in posting.title.casefold() or any(keyword in line.casefold() for line in posting.body.lines)
