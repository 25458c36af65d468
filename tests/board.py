"""A small site for engine tests: a Woowahan and a Greenhouse board and a Jumpit search, answering as a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

from daemon.sources.model import CollectionTarget, DetailUse, ListPage, Page, Platform, Request, SourceAdapter
from daemon.sources.sites import woowahan

PAGE_SIZE = 10
"""Postings on a page of the Woowahan board in tests; the real site gives 100."""

Adapt = Callable[..., None]
"""Makes the Woowahan site of a test another one: takes what `board_adapter` takes."""


@dataclass
class Posting:
    """A posting as the Woowahan board lists it."""

    number: str
    name: str = ""
    version: int = 1
    end: str = "9999-12-31 00:00:00"
    contents: str = "<p>본문</p>"
    hidden: bool = False

    def item(self) -> dict[str, object]:
        """Its item in the list."""
        return {
            "recruitNumber": self.number,
            "recruitVersion": self.version,
            "recruitName": self.name or f"백엔드 개발자 {self.number}",
            "recruitEndDate": self.end,
            "isUnlimitedEndDate": self.end.startswith("9999"),
            "isHidden": self.hidden,
            "recruitContents": None,
        }


class Held:
    """Keeps one request to a board waiting for its answer until the test lets it go."""

    def __init__(self, which: object) -> None:
        self._which = which
        self.arrived = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self, asked: object) -> web.StreamResponse | None:
        if asked == self._which:
            self.arrived.set()
            await self.go.wait()
        return None


@dataclass
class Board:
    """What the site has, and what it was asked."""

    postings: list[Posting] = field(default_factory=list)
    lists_asked: list[int] = field(default_factory=list)
    details_asked: list[str] = field(default_factory=list)
    declared_total: int | None = None
    items_of: Callable[[int, list[dict[str, Any]]], list[Any]] | None = None
    """Changes a page's items (page number from 0, items)."""
    before_list: Callable[[int], Awaitable[web.StreamResponse | None]] | None = None
    """Awaited before a page is answered; what it returns is the answer instead."""
    before_detail: Callable[[str], Awaitable[web.StreamResponse | None]] | None = None
    jobs: list[int] = field(default_factory=list)
    """Ids of the Greenhouse board's jobs, the same for every slug."""
    boards_asked: list[str] = field(default_factory=list)
    """Greenhouse slugs, as they were asked for."""
    positions: list[tuple[int, str]] = field(default_factory=list)
    """Id and company of the Jumpit search's positions."""
    origin: str = ""

    @property
    def origins(self) -> dict[Platform, str]:
        """What makes an engine ask this site instead of the real ones."""
        return dict.fromkeys((Platform.WOOWAHAN, Platform.GREENHOUSE, Platform.JUMPIT), self.origin)

    @property
    def requests(self) -> int:
        """How many requests the site had so far."""
        return len(self.lists_asked) + len(self.details_asked) + len(self.boards_asked)

    def fill(self, count: int, start: int = 1) -> None:
        """Have `count` postings, numbered from `start`."""
        self.postings[:] = [Posting(f"R{number:05d}") for number in range(start, start + count)]

    async def list_page(self, request: web.Request) -> web.StreamResponse:
        """`GET /w1/recruits`."""
        page = int(request.query["page"])
        self.lists_asked.append(page)
        if self.before_list is not None and (other := await self.before_list(page)) is not None:
            return other
        size = int(request.query["size"])
        items: list[Any] = [each.item() for each in self.postings[page * size : (page + 1) * size]]
        if self.items_of is not None:
            items = self.items_of(page, items)
        total = len(self.postings) if self.declared_total is None else self.declared_total
        pages = -(-len(self.postings) // size)
        data = {"pageSize": size, "pageNumber": page + 1, "totalPageNumber": pages, "totalSize": total, "list": items}
        return web.json_response({"code": "2000", "message": "OK", "data": data})

    async def detail(self, request: web.Request) -> web.StreamResponse:
        """`GET /w1/recruits/{number}`."""
        number = request.match_info["number"]
        self.details_asked.append(number)
        if self.before_detail is not None and (other := await self.before_detail(number)) is not None:
            return other
        for each in self.postings:
            if each.number == number:
                data = {**each.item(), "recruitContents": each.contents}
                return web.json_response({"code": "2000", "message": "OK", "data": data})
        return web.json_response({"code": "9002", "message": "none", "data": None})

    async def jobs_page(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/boards/{slug}/jobs`, Greenhouse."""
        self.boards_asked.append(request.match_info["slug"])
        jobs = [
            {
                "id": number,
                "title": f"Backend Engineer {number}",
                "absolute_url": f"https://boards.greenhouse.io/jobs/{number}",
                "updated_at": "2026-11-01T09:00:00-05:00",
                "content": "&lt;p&gt;Text&lt;/p&gt;",
            }
            for number in self.jobs
        ]
        return web.json_response({"jobs": jobs, "meta": {"total": len(jobs)}})

    async def positions_page(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/positions`, Jumpit: everything on one page."""
        positions = [
            {"id": number, "title": f"서버 개발자 {number}", "companyName": company, "alwaysOpen": True}
            for number, company in self.positions
        ]
        result = {"totalCount": len(positions), "page": 1, "keyword": "", "positions": positions}
        return web.json_response({"message": "success", "status": 200, "result": result})


@asynccontextmanager
async def serve_board() -> AsyncIterator[Board]:
    """A board on a free port of this machine."""
    board = Board()
    app = web.Application()
    app.router.add_get("/w1/recruits", board.list_page)
    app.router.add_get("/w1/recruits/{number}", board.detail)
    app.router.add_get("/v1/boards/{slug}/jobs", board.jobs_page)
    app.router.add_get("/api/positions", board.positions_page)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    host, port = site._server.sockets[0].getsockname()[:2]  # type: ignore[attr-defined]  # aiohttp offers no other way
    board.origin = f"http://{host}:{port}"
    try:
        yield board
    finally:
        await runner.cleanup()
        await asyncio.sleep(0)


def board_adapter(
    page_size: int = PAGE_SIZE,
    edit_list: Callable[[ListPage, str | None], ListPage] | None = None,
    company_in_detail: str | None = None,
    detail_limit: int = 300,
    **capabilities: Any,
) -> SourceAdapter:
    """The real Woowahan adapter with smaller pages and without details, and with what else a test wants a site to be.

    `edit_list` changes what a page at a cursor says; `company_in_detail` is a company that only a posting's own page
    names; `detail_limit` is the policy's; `capabilities` replace the adapter's.
    """
    real = woowahan.ADAPTER
    policy = replace(real.capabilities.compliance, detail_request_limit_per_run=detail_limit)
    changed = replace(real.capabilities, **{"detail_use": DetailUse.NONE, "compliance": policy, **capabilities})

    class Adapter(type(real)):  # type: ignore[misc]  # the real adapter's class is its own business
        def __init__(self) -> None:
            self.capabilities = changed

        def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
            request = real.list_request(target, cursor)
            return replace(request, url=request.url.replace("size=100", f"size={page_size}"))

        def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
            listed = real.parse_list(target, page, cursor)
            return listed if edit_list is None else edit_list(listed, cursor)

        def parse_detail(self, page: Page, listed: Any) -> Any:
            return replace(real.parse_detail(page, listed), company_name=company_in_detail)

    adapter: SourceAdapter = Adapter()
    return adapter
