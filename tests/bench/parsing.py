"""Reading a list: each HTML adapter beside bare selectolax and bare parsel, on the same bytes.

Ours is the whole way from bytes to postings that can be stored (`read_list`): charset, markup that would take minutes,
the parser, what came in the page's place, every field checked and cut, deadlines as instants, signatures, the total and
the next page. The other two (`reading`) only take the fields as the page words them.

Pages are the replica's, in the shape of stored answers. Ids, titles, addresses, companies, identifiers, tags and
deadlines must be the same before a time counts; times are processor time, of each page the best of all rounds, the
readers in turn: what else the machine does then hardly shows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from parsel import Selector

from daemon.clock import SystemClock, business_date
from daemon.demo.exchange import Ask
from daemon.demo.sites import SITES
from daemon.demo.world import BoardPlan, World
from daemon.demo.world.words import BACKEND, DATA, FRONTEND, INFRA
from daemon.sources.model import ListPage, Page, Platform
from daemon.sources.reading import read_list
from daemon.sources.registry import adapter_of
from daemon.sources.text import deadline_of
from tests.bench.reading import by_parsel, raw
from tests.bench.reading.raw import Raw
from tests.bench.report import Goal, Row

PAGES = 10
ROUNDS = 20
BESIDE_SELECTOLAX = Goal(at_most=2)
BESIDE_PARSEL = Goal(at_most=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class List:
    """A site's list: how a page of it is asked for, and how it is read by hand."""

    platform: Platform
    path: str
    query: str
    """Name of the parameter that takes the board, when it is not part of the path."""
    size: int
    charset: str
    by_selectolax: Callable[[bytes], list[Raw]]
    by_parsel: Callable[[Selector], list[Raw]]

    def pages(self, now: datetime) -> list[Page]:
        """The first pages of some boards."""
        plans = [
            BoardPlan(
                platform=self.platform,
                code=f"s{number:03}",
                size=self.size,
                families=(BACKEND, FRONTEND, DATA, INFRA),
                company=f"회사{number}" if self.platform is Platform.INCRUIT else None,
                lively=False,
            )
            for number in range(PAGES)
        ]
        day = business_date(now)
        world = World(first_day=day, days=1, calm=True, plans=plans).on(day)
        site = SITES[self.platform]
        asks = [self._ask(plan.code) for plan in plans]
        answers = [site.render(ask, site.locate(ask), world, ()) for ask in asks]
        return [Page(body=one.body, answered_at=now, content_type=one.content_type) for one in answers]

    def _ask(self, code: str) -> Ask:
        query = ((self.query, code), ("page_count", str(self.size))) if self.query else ()
        return Ask(path=self.path.format(code=code), query=query)


LISTS = (
    List(
        platform=Platform.SARAMIN,
        path="/zf_user/jobs/list/job-category",
        query="cat_kewd",
        size=100,
        charset="utf-8",
        by_selectolax=raw.saramin,
        by_parsel=by_parsel.saramin,
    ),
    List(
        platform=Platform.JOBKOREA,
        path="/recruit/joblist",
        query="dutyCtgr",
        size=40,
        charset="utf-8",
        by_selectolax=raw.jobkorea,
        by_parsel=by_parsel.jobkorea,
    ),
    List(
        platform=Platform.INCRUIT,
        path="/{code}/job/",
        query="",
        size=50,
        charset="cp949",
        by_selectolax=raw.incruit,
        by_parsel=by_parsel.incruit,
    ),
)


async def main() -> list[Row]:
    """Measure each site."""
    now = SystemClock().now()
    return [row for each in LISTS for row in _compare(each, each.pages(now))]


def _compare(site: List, pages: Sequence[Page]) -> list[Row]:
    adapter = adapter_of(site.platform)

    def ours(page: Page) -> ListPage:
        read = read_list(adapter, None, page, None)
        assert isinstance(read, ListPage), read
        return read

    def selectolax(page: Page) -> list[Raw]:
        return site.by_selectolax(page.body)

    def parsel(page: Page) -> list[Raw]:
        return site.by_parsel(Selector(text=page.body.decode(site.charset), type="html"))

    for page in pages:
        read = _read(ours(page))
        assert len(read) == site.size, len(read)
        assert _by_hand(selectolax(page), page.answered_at) == read
        assert _by_hand(parsel(page), page.answered_at) == read
    readers: tuple[Callable[[Page], object], ...] = (ours, selectolax, parsel)
    best = [_best(readers, page) for page in pages]
    mine, bare, other = (sum(each) / len(pages) for each in zip(*best, strict=True))
    kilobytes = len(pages[0].body) / 1024
    what = f"{site.platform} list, {site.size} postings, {kilobytes:.0f} KB: whole adapter beside bare"
    told = f"{mine:.2f} ms ({site.size / mine * 1000:,.0f}/s)"
    return [
        Row(
            bench="parsing",
            what=f"{what} {name}",
            ours=told,
            beside=f"{taken:.2f} ms",
            ratio=mine / taken,
            goal=goal,
        )
        for name, taken, goal in (("selectolax", bare, BESIDE_SELECTOLAX), ("parsel", other, BESIDE_PARSEL))
    ]


_Read = tuple[str, str, str, str, str, tuple[str, ...], datetime | None]


def _read(listed: ListPage) -> list[_Read]:
    return [
        (
            one.source_job_id,
            one.title,
            one.posting_url,
            one.company_name or "",
            one.company_identifier or "",
            one.structured_tags,
            one.deadline_at,
        )
        for one in listed.postings
    ]


def _by_hand(found: Sequence[Raw], now: datetime) -> list[_Read]:
    return [
        (
            one.source_job_id,
            one.title,
            one.url,
            one.company,
            one.company_identifier,
            one.tags,
            deadline_of(one.deadline, now) if one.deadline else None,
        )
        for one in found
    ]


def _best(readers: Sequence[Callable[[Page], object]], page: Page) -> list[float]:
    """The least processor time that each took for a page, in milliseconds."""
    rounds = [[_milliseconds(reader, page) for reader in readers] for _ in range(ROUNDS)]
    return [min(each) for each in zip(*rounds, strict=True)]


def _milliseconds(reader: Callable[[Page], object], page: Page) -> float:
    began = time.process_time()
    reader(page)
    return (time.process_time() - began) * 1000
