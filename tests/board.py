"""A small site for engine tests: the Woowahan board, of any length, answering what a test wants it to answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

PAGE_SIZE = 100


@dataclass
class Posting:
    """A posting as the board lists it."""

    number: str
    name: str = ""
    version: int = 1
    end: str = "9999-12-31 00:00:00"
    contents: str = "<p>본문</p>"

    def item(self) -> dict[str, object]:
        """Its item in the list."""
        return {
            "recruitNumber": self.number,
            "recruitVersion": self.version,
            "recruitName": self.name or f"백엔드 개발자 {self.number}",
            "recruitEndDate": self.end,
            "isUnlimitedEndDate": self.end.startswith("9999"),
            "recruitContents": None,
        }


@dataclass
class Board:
    """What the site has, and what it was asked."""

    postings: list[Posting] = field(default_factory=list)
    lists_asked: list[int] = field(default_factory=list)
    details_asked: list[str] = field(default_factory=list)
    declared_total: int | None = None
    items_of: Callable[[int, list[dict[str, object]]], list[object]] | None = None
    """Changes a page's items (page number from 0, items)."""
    before_list: Callable[[int], Awaitable[web.StreamResponse | None]] | None = None
    """Awaited before a page is answered; what it returns is the answer instead."""
    before_detail: Callable[[str], Awaitable[web.StreamResponse | None]] | None = None
    origin: str = ""

    def fill(self, count: int, start: int = 1) -> None:
        """Have `count` postings, numbered from `start`."""
        self.postings = [Posting(f"R{number:05d}") for number in range(start, start + count)]

    async def list_page(self, request: web.Request) -> web.StreamResponse:
        """`GET /w1/recruits`."""
        page = int(request.query["page"])
        self.lists_asked.append(page)
        if self.before_list is not None and (other := await self.before_list(page)) is not None:
            return other
        size = int(request.query["size"])
        items: list[object] = [each.item() for each in self.postings[page * size : (page + 1) * size]]
        if self.items_of is not None:
            items = self.items_of(page, items)  # type: ignore[arg-type]  # a test may break them
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


@asynccontextmanager
async def serve_board() -> AsyncIterator[Board]:
    """A board on a free port of this machine."""
    board = Board()
    app = web.Application()
    app.router.add_get("/w1/recruits", board.list_page)
    app.router.add_get("/w1/recruits/{number}", board.detail)
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
