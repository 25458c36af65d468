"""The site: `python -m tests.bench.end_to_end.site --pages N --day YYYY-MM-DD`, serves until SIGTERM.

Renders every page first, then prints its origin. `GET /arrival` tells when the first page was asked for since the last
such question, in seconds since 1970, and how many were.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import time
import zlib
from datetime import date

from aiohttp import web

from daemon.demo.exchange import Ask
from daemon.demo.sites import SITES
from daemon.demo.world import BoardPlan, World
from daemon.demo.world.words import BACKEND, DATA, FRONTEND, INFRA
from daemon.sources.model import Platform
from tests.bench.end_to_end.layout import CATEGORIES, LIST_PATH, PAGE_SIZE


def render(day: date, pages: int) -> dict[tuple[str, int], bytes]:
    """Each category's pages by number, uncompressed."""
    plans = [
        BoardPlan(
            platform=Platform.SARAMIN,
            code=code,
            size=pages * PAGE_SIZE,
            families=(BACKEND, FRONTEND, DATA, INFRA),
            lively=False,
        )
        for code in CATEGORIES
    ]
    on_day = World(first_day=day, days=1, calm=True, plans=plans).on(day)
    site = SITES[Platform.SARAMIN]
    rendered: dict[tuple[str, int], bytes] = {}
    for code in CATEGORIES:
        for number in range(1, pages + 1):
            query = (("cat_kewd", code), ("page", str(number)), ("page_count", str(PAGE_SIZE)))
            ask = Ask(path=LIST_PATH, query=query)
            rendered[code, number] = site.render(ask, site.locate(ask), on_day, ()).body
    return rendered


class _Site:
    def __init__(self, pages: dict[tuple[str, int], bytes]) -> None:
        self._pages = pages
        self._first = 0.0
        self._asked = 0

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/arrival":
            told = {"first": self._first, "pages": self._asked}
            self._first, self._asked = 0.0, 0
            return web.json_response(told)
        if request.path != LIST_PATH:
            return web.Response(status=404)
        self._first = self._first or time.time()
        self._asked += 1
        assert "gzip" in request.headers.get("Accept-Encoding", "")
        body = self._pages[request.query["cat_kewd"], int(request.query["page"])]
        headers = {"Content-Type": "text/html; charset=UTF-8", "Content-Encoding": "gzip"}
        return web.Response(body=body, headers=headers)


def _gzip(body: bytes) -> bytes:
    deflate = zlib.compressobj(5, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return deflate.compress(body) + deflate.flush()


async def _serve(pages: int, day: date) -> None:
    site = _Site({key: _gzip(body) for key, body in render(day, pages).items()})
    runner = web.ServerRunner(web.Server(site.answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await stopping.wait()
    await runner.cleanup()


def main() -> None:
    """The process: see the head of this file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--day", type=date.fromisoformat, required=True)
    arguments = parser.parse_args()
    asyncio.run(_serve(arguments.pages, arguments.day))


if __name__ == "__main__":
    main()
