"""The nine sites served on loopback, one port each, from one process; as a class, and as a process of its own.

`python -m daemon.demo.replica --clock file:PATH [--ports 0] [--days N] [--log FILE]` prints one JSON line with the
origins once it answers, `{"GREENHOUSE": "http://127.0.0.1:41001", …}`, ready for `GONGGO_PLATFORM_ORIGINS`, and serves
until SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

from aiohttp import web

from daemon.clock import Clock, business_date, clock_from
from daemon.demo.exchange import Ask
from daemon.demo.request_log import LoggedRequest, RequestLog
from daemon.demo.sites import SITES
from daemon.demo.troubles import Served, answer
from daemon.demo.world import FIRST_DAY, Place, Trouble, World
from daemon.sources.model import Platform

_COMPRESSING = frozenset({Platform.SARAMIN, Platform.JOBKOREA, Platform.REMEMBER, Platform.GREENHOUSE})
"""Sites that compress what they send to those who accept it."""
_CACHED_DAYS = 2


class Replica:
    """The replica of a world: start, ask `origins`, stop. What is wrong with a site can be changed while it runs.

    The day of an answer is the business date of `clock`. `ports` fixes the ports of some sites; the others get free
    ones. Answers are rendered once a day and kept.
    """

    def __init__(
        self,
        world: World,
        clock: Clock,
        *,
        log: RequestLog | None = None,
        ports: Mapping[Platform, int] | None = None,
    ) -> None:
        self.world = world
        self.log = log or RequestLog()
        self.origins: dict[Platform, str] = {}
        self._clock = clock
        self._ports = dict(ports or {})
        self._troubles: dict[Platform, tuple[Trouble, ...]] = {}
        self._runner = web.ServerRunner(web.Server(self._serve, access_log=None))
        self._platform_of: dict[int, Platform] = {}
        self._rendered: dict[date, dict[tuple[object, ...], Served]] = {}

    async def start(self) -> None:
        """Bind and serve; `origins` is complete afterwards. Raises OSError when a port is taken."""
        await self._runner.setup()
        for platform in SITES:
            site = web.TCPSite(self._runner, "127.0.0.1", self._ports.get(platform, 0), backlog=1024)
            await site.start()
            port = self._runner.addresses[-1][1]
            self._platform_of[port] = platform
            self.origins[platform] = f"http://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Close the ports and what is still open on them."""
        await self._runner.cleanup()

    def switch_on(self, platform: Platform, *troubles: Trouble) -> None:
        """Trouble a site from now on, besides what the world's script does to it."""
        self._troubles[platform] = (*self._troubles.get(platform, ()), *troubles)

    def switch_off(self, platform: Platform | None = None) -> None:
        """Take back what `switch_on` did to a site, or to all of them."""
        if platform is None:
            self._troubles.clear()
        else:
            self._troubles.pop(platform, None)

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        platform = self._platform_of[request.transport.get_extra_info("sockname")[1]]
        arrived, wall, monotonic = self._clock.now(), time.time(), time.monotonic()
        ask = await _read(request)
        place = SITES[platform].locate(ask)
        # In a thread: a page that takes long to render must not make the arrivals after it look late.
        served = await asyncio.to_thread(self._serving, platform, ask, place, business_date(arrived))
        self.log.add(
            LoggedRequest(
                wall=wall,
                monotonic=monotonic,
                instant=arrived,
                platform=platform,
                method=request.method,
                path=request.raw_path,
                user_agent=request.headers.get("User-Agent", ""),
                surface=place.surface,
                board=f"{place.board} {place.keyword}".rstrip(),
                page=place.page,
                item=place.item,
                status=served.answer.status if served.answer else 0,
            )
        )
        if served.delay_seconds:
            await asyncio.sleep(served.delay_seconds)
        if served.answer is None:
            request.transport.abort()
            return web.Response()
        return await asyncio.to_thread(self._response, platform, request, served)

    def _serving(self, platform: Platform, ask: Ask, place: Place, day: date) -> Served:
        troubles = tuple(
            trouble
            for trouble in (*self.world.troubles(platform, day), *self._troubles.get(platform, ()))
            if trouble.strikes(place)
        )
        kept = self._kept(day)
        key = (platform, ask, troubles)
        if key not in kept:
            kept[key] = answer(SITES[platform], ask, place, self.world.on(day), troubles)
        return kept[key]

    def _kept(self, day: date) -> dict[tuple[object, ...], Served]:
        """What was rendered for `day`; of other days only the newest few stay in memory."""
        if day not in self._rendered:
            self._rendered[day] = {}
            while len(self._rendered) > _CACHED_DAYS:
                del self._rendered[min(self._rendered)]
        return self._rendered.setdefault(day, {})

    def _response(self, platform: Platform, request: web.BaseRequest, served: Served) -> web.Response:
        found = served.answer
        assert found is not None
        body, headers = found.body, {**dict(found.headers), "Content-Type": found.content_type}
        if platform in _COMPRESSING and "gzip" in request.headers.get("Accept-Encoding", ""):
            kept = self._kept(business_date(self._clock.now()))
            key = ("gzip", body)
            if key not in kept:
                kept[key] = Served(answer=replace(found, body=_gzip(body)))
            compressed = kept[key].answer
            assert compressed is not None
            body, headers["Content-Encoding"] = compressed.body, "gzip"
        return web.Response(status=found.status, body=body, headers=headers)


def write_postings(world: World) -> None:
    """Make up what every site lists on each day before anyone asks: an answer that takes long looks like a late one."""
    for number in range(1, world.days + 1):
        for platform, code in world.plans:
            world.on(world.day_number(number)).listed(platform, code)


async def _read(request: web.BaseRequest) -> Ask:
    return Ask(
        method=request.method,
        path=request.path,
        query=tuple(request.query.items()),
        body=await request.read() if request.body_exists else b"",
        content_type=request.content_type,
        origin=request.headers.get("Origin", ""),
        referer=request.headers.get("Referer", ""),
    )


def _gzip(body: bytes) -> bytes:
    deflate = zlib.compressobj(5, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return deflate.compress(body) + deflate.flush()


async def _run(arguments: argparse.Namespace) -> None:
    world = World(
        first_day=arguments.start, days=arguments.days, seed=arguments.seed, scale=arguments.scale, calm=arguments.calm
    )
    log = RequestLog(arguments.log)
    replica = Replica(world, clock_from(arguments.clock), log=log, ports=arguments.ports)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    write_postings(world)
    await replica.start()
    try:
        print(json.dumps({platform.value: origin for platform, origin in replica.origins.items()}), flush=True)
        await stopping.wait()
    finally:
        await replica.stop()
        log.close()


def _ports(text: str) -> dict[Platform, int]:
    """`0` free ports, `9001` nine in a row from there, `SARAMIN=9001,WANTED=9002` these and free ones for the rest."""
    if text.isdigit():
        first = int(text)
        return {platform: first + index for index, platform in enumerate(SITES)} if first else {}
    pairs = (part.partition("=") for part in text.split(","))
    return {Platform(name): int(port) for name, _, port in pairs}


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m daemon.demo.replica", description="The nine sites on loopback.")
    parser.add_argument("--clock", default=None, help="file:PATH; the machine's clock when left out")
    parser.add_argument("--ports", type=_ports, default={}, help="0, a first port, or PLATFORM=PORT,...")
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--start", type=date.fromisoformat, default=FIRST_DAY, help="the world's first day")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the size of every board")
    parser.add_argument("--calm", action="store_true", help="no scripted troubles")
    parser.add_argument("--log", type=Path, default=None, help="append each request as a JSON line")
    return parser


def main() -> None:
    """The process: see the head of this file."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_run(_arguments().parse_args()))


if __name__ == "__main__":
    main()
