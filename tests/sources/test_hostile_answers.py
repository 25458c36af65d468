"""Whatever a site sends has a name, takes bounded time and memory, and raises nothing."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import pytest

from daemon.settings import Settings
from daemon.sources.executor import Executor
from daemon.sources.model import Fetched, NotFetched, Outcome, Permit, Request
from tests.sources.hostile import PLAYS, HostileSite
from tests.sources.hostile_plays import brotli_bomb, deflated_bomb
from tests.sources.peak_memory import peak_memory
from tests.sources.plain_site import NOW, SITE, PlainSite, settings_for

TIMED = {"silent", "drip-headers", "drip-body", "drip-chunks", "endless-100"}
"""Plays without an end."""

SIZED = {
    "bomb-gzip": Outcome.TOO_LARGE,
    "bomb-deflate": Outcome.TOO_LARGE,
    "bomb-br": Outcome.TOO_LARGE,
    "bomb-members": Outcome.PROTOCOL_ERROR,
    "huge": Outcome.TOO_LARGE,
    "huge-until-close": Outcome.TOO_LARGE,
    "huge-declared": Outcome.TOO_LARGE,
    "huge-error": Outcome.TOO_LARGE,
    "header-bomb": Outcome.PROTOCOL_ERROR,
    "many-headers": Outcome.PROTOCOL_ERROR,
    "many-cookies": Outcome.PROTOCOL_ERROR,
    "endless-status": Outcome.PROTOCOL_ERROR,
    "endless-chunk-extension": Outcome.PROTOCOL_ERROR,
    "endless-trailers": Outcome.PROTOCOL_ERROR,
}
"""Plays that want our memory."""

BROKEN = {
    "bad-status-line": Outcome.PROTOCOL_ERROR,
    "bad-status-number": Outcome.PROTOCOL_ERROR,
    "status-999": Outcome.PROTOCOL_ERROR,
    "http09": Outcome.PROTOCOL_ERROR,
    "binary": Outcome.PROTOCOL_ERROR,
    "negative-length": Outcome.PROTOCOL_ERROR,
    "word-length": Outcome.PROTOCOL_ERROR,
    "huge-length": Outcome.PROTOCOL_ERROR,
    "two-lengths": Outcome.PROTOCOL_ERROR,
    "bad-chunk": Outcome.PROTOCOL_ERROR,
    "negative-chunk": Outcome.PROTOCOL_ERROR,
    "cut-chunk": Outcome.PROTOCOL_ERROR,
    "cut-short": Outcome.PROTOCOL_ERROR,
    "cut-gzip": Outcome.PROTOCOL_ERROR,
    "cut-headers": Outcome.SERVER_ERROR,
    "closes": Outcome.SERVER_ERROR,
    "resets": Outcome.SERVER_ERROR,
    "resets-in-body": Outcome.PROTOCOL_ERROR,
    "bad-header": Outcome.PROTOCOL_ERROR,
    "nul-header": Outcome.PROTOCOL_ERROR,
    "upgrade": Outcome.PROTOCOL_ERROR,
    "coded-transfer": Outcome.PROTOCOL_ERROR,
    "lying-encoding": Outcome.PROTOCOL_ERROR,
    "unknown-encoding": Outcome.PROTOCOL_ERROR,
    "double-encoding": Outcome.PROTOCOL_ERROR,
    "redirect-loop": Outcome.REDIRECTED,
    "redirect-away": Outcome.REDIRECTED,
    "redirect-nowhere": Outcome.REDIRECTED,
    "not-found": Outcome.NOT_FOUND,
}
"""Plays that are not HTTP, or not what they say."""

READABLE = {
    "charset-lies",
    "charset-unknown",
    "html-for-json",
    "wrong-types",
    "nul",
    "deep-json",
    "ok",
    "ok-gzip",
    "ok-deflate",
    "ok-br",
    "cookie",
}
"""Plays that are for the parser to judge."""

LENIENCE = {"folded-header", "redirect-garbage", "status"}
"""What becomes of the first two depends on how lenient the HTTP parser is; `status` is in the executor's tests."""

MOST_GROWTH = 100.0


async def asked(site: HostileSite, name: str, settings: Settings) -> Fetched | NotFetched:
    executor = Executor(settings)
    try:
        async with executor.session(PlainSite()) as session:
            permit = Permit(host=executor.host_of(PlainSite()))
            return await session.fetch(Request(url=f"{SITE}/{name}"), permit, lambda: NOW)
    finally:
        await executor.close()


def test_every_play_is_expected_to_end_somehow() -> None:
    assert TIMED | SIZED.keys() | BROKEN.keys() | READABLE | LENIENCE == PLAYS.keys()


@pytest.mark.parametrize("name", sorted(TIMED))
async def test_a_site_that_never_ends_is_left_after_the_timeout(site: HostileSite, name: str) -> None:
    with peak_memory() as growth:
        answer = await asked(site, name, settings_for(site.origin, request_timeout_seconds=0.1))
    assert answer == NotFetched(outcome=Outcome.TIMEOUT, reason="no whole answer within 0.1 s")
    assert growth.mebibytes < MOST_GROWTH
    # None when the machine was too busy to read the request in time; never a second one.
    assert len(site.hits) <= 1


@pytest.mark.parametrize("name", sorted(SIZED))
async def test_a_site_that_sends_too_much_is_cut_off_in_bounded_memory(site: HostileSite, name: str) -> None:
    prepare: dict[str, Callable[[], bytes]] = {
        "bomb-gzip": lambda: deflated_bomb(16 + zlib.MAX_WBITS),
        "bomb-deflate": lambda: deflated_bomb(zlib.MAX_WBITS),
        "bomb-br": brotli_bomb,
    }
    prepare.get(name, bytes)()
    with peak_memory() as growth:
        answer = await asked(site, name, settings_for(site.origin))
    assert isinstance(answer, NotFetched)
    assert answer.outcome is SIZED[name]
    assert growth.mebibytes < MOST_GROWTH


def test_the_gzip_bomb_is_ten_gigabytes_in_ten_megabytes() -> None:
    """Without this the test above could pass on a dud; decoding a tenth of it shows what the whole would be."""
    bomb = deflated_bomb(16 + zlib.MAX_WBITS)
    assert len(bomb) < 12_000_000
    tenth = zlib.decompressobj(16 + zlib.MAX_WBITS)
    assert len(tenth.decompress(bomb[: len(bomb) // 100], 2**30)) > 100_000_000


@pytest.mark.parametrize("name", sorted(BROKEN))
async def test_a_site_that_breaks_the_protocol_has_a_named_outcome(site: HostileSite, name: str) -> None:
    answer = await asked(site, name, settings_for(site.origin))
    assert isinstance(answer, NotFetched)
    assert answer.outcome is BROKEN[name]
    assert 0 < len(answer.reason) <= 200
    assert answer.reason.isprintable()
    assert len(site.hits) == 1


@pytest.mark.parametrize("name", sorted(READABLE))
async def test_a_well_formed_answer_reaches_the_parser_whatever_is_in_it(site: HostileSite, name: str) -> None:
    assert isinstance(await asked(site, name, settings_for(site.origin)), Fetched)


@pytest.mark.parametrize("name", sorted(LENIENCE - {"status"}))
async def test_an_answer_on_the_edge_of_the_protocol_raises_nothing(site: HostileSite, name: str) -> None:
    answer = await asked(site, name, settings_for(site.origin))
    assert isinstance(answer, Fetched) or answer.outcome in {Outcome.PROTOCOL_ERROR, Outcome.REDIRECTED}


async def test_thousands_of_cookies_do_not_pile_up_over_a_visit(site: HostileSite) -> None:
    cookies = [f"Set-Cookie: c{number}={'z' * 3000}; Path=/" for number in range(150)]
    executor = Executor(settings_for(site.origin))
    with peak_memory() as growth:
        async with executor.session(PlainSite()) as session:
            for turn in range(20):
                site.answers("/v1/list", b"{}", *(cookie.replace("c", f"c{turn}x", 1) for cookie in cookies))
                permit = Permit(host=executor.host_of(PlainSite()))
                assert isinstance(await session.fetch(Request(url=f"{SITE}/list"), permit, lambda: NOW), Fetched)
    await executor.close()
    assert growth.mebibytes < 20
    assert max(len(hit.headers.get("cookie", "")) for hit in site.hits) < 16_000
