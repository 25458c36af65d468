"""The ways in which the hostile site misbehaves, by name."""

from __future__ import annotations

import asyncio
import functools
import json
import socket
import struct
import zlib
from urllib.parse import parse_qs, urlsplit

import brotli  # type: ignore[import-untyped]  # it ships no types

from tests.sources.hostile_exchange import DRIP_SECONDS, Exchange, Play, play
from tests.sources.hostile_exchange import PLAYS as PLAYS

MEBIBYTE = 1024 * 1024


@play("not-found")
async def _not_found(exchange: Exchange) -> None:
    await exchange.answer(b'{"error": "not found"}', status="404 Not Found")


# --- time ------------------------------------------------------------------------------------------------------------


@play("silent")
async def _silent(exchange: Exchange) -> None:
    await asyncio.Event().wait()


@play("drip-headers")
async def _drip_headers(exchange: Exchange) -> None:
    await exchange.drip(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"z" * 100_000)


@play("drip-body")
async def _drip_body(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    await exchange.drip(b" " * 100_000)


@play("drip-chunks")
async def _drip_chunks(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    await exchange.drip(b"1\r\n \r\n" * 20_000)


@play("endless-100")
async def _endless_100(exchange: Exchange) -> None:
    while True:
        await exchange.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        await asyncio.sleep(DRIP_SECONDS)


# --- size ------------------------------------------------------------------------------------------------------------


@functools.cache
def deflated_bomb(wbits: int) -> bytes:
    """10 GiB of zeros in 10 MB: one fully flushed block of 64 MiB, 160 times over.

    The checksum at its end is missing: nobody is meant to get there.
    """
    raw = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = raw.compress(bytes(64 * MEBIBYTE)) + raw.flush(zlib.Z_FULL_FLUSH)
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" if wbits > zlib.MAX_WBITS else b"\x78\xda"
    return head + block * 160


@functools.cache
def brotli_bomb() -> bytes:
    """1 GiB of zeros in a few hundred bytes."""
    compressor = brotli.Compressor(quality=1)
    parts = [compressor.process(bytes(64 * MEBIBYTE)) for _ in range(16)]
    return b"".join(parts) + bytes(compressor.finish())


@play("bomb-gzip")
async def _bomb_gzip(exchange: Exchange) -> None:
    await exchange.answer(deflated_bomb(16 + zlib.MAX_WBITS), "Content-Encoding: gzip")


@play("bomb-deflate")
async def _bomb_deflate(exchange: Exchange) -> None:
    await exchange.answer(deflated_bomb(zlib.MAX_WBITS), "Content-Encoding: deflate")


@play("bomb-br")
async def _bomb_br(exchange: Exchange) -> None:
    await exchange.answer(brotli_bomb(), "Content-Encoding: br")


@play("bomb-members")
async def _bomb_members(exchange: Exchange) -> None:
    compressor = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    empty = compressor.compress(b"") + compressor.flush()
    await exchange.answer(empty * 500_000, "Content-Encoding: gzip")


_HUGE = (b" " * MEBIBYTE, 200)
_FLOODS: dict[str, tuple[bytes, bytes, int]] = {
    "huge": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"100000\r\n" + b" " * MEBIBYTE + b"\r\n",
        200,
    ),
    "huge-until-close": (b"HTTP/1.1 200 OK\r\n\r\n", *_HUGE),
    "huge-declared": (b"HTTP/1.1 200 OK\r\nContent-Length: 209715200\r\n\r\n", *_HUGE),
    "huge-error": (b"HTTP/1.1 400 Bad Request\r\n\r\n", *_HUGE),
    "header-bomb": (b"HTTP/1.1 200 OK\r\nX-Big: ", b"z" * MEBIBYTE, 100),
    "endless-status": (b"HTTP/1.1 200 ", b"O" * MEBIBYTE, 100),
    "endless-chunk-extension": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        b"z" * MEBIBYTE,
        100,
    ),
    "endless-trailers": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        b"X-Trailer: zzzzzzzzzz\r\n" * 40_000,
        100,
    ),
}
"""A beginning, and what is then sent again and again, so many times."""


def _flood(head: bytes, piece: bytes, times: int) -> Play:
    async def send(exchange: Exchange) -> None:
        await exchange.send(head)
        for _ in range(times):
            await exchange.send(piece)

    return send


PLAYS.update({name: _flood(*flood) for name, flood in _FLOODS.items()})


@play("many-headers")
async def _many_headers(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\n")
    for number in range(1_000):
        await exchange.send(b"".join(b"X-%d-%d: z\r\n" % (number, inner) for inner in range(100)))
    await exchange.send(b"\r\n{}")


@play("many-cookies")
async def _many_cookies(exchange: Exchange) -> None:
    cookies = b"".join(b"Set-Cookie: c%d=%s; Path=/\r\n" % (number, b"z" * 4000) for number in range(5_000))
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + cookies + b"\r\n{}")


# --- not HTTP --------------------------------------------------------------------------------------------------------

_RAW: dict[str, bytes] = {
    "bad-status-line": b"HTP/9 what\r\n\r\n{}",
    "bad-status-number": b"HTTP/1.1 abc OK\r\n\r\n{}",
    "status-999": b"HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\n{}",
    "http09": b"<html>hello</html>",
    "binary": bytes(range(256)) * 4,
    "negative-length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
    "two-lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "word-length": b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}",
    "huge-length": b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 40 + b"\r\n\r\n{}",
    "bad-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "negative-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    "cut-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{}",
    "cut-short": b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"jobs": [',
    "cut-headers": b"HTTP/1.1 200 OK\r\nContent-Le",
    "bad-header": b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n{}",
    "nul-header": b"HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\n{}",
    "folded-header": b"HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
    "upgrade": b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "coded-transfer": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "closes": b"",
}
"""Answers sent as they stand, then the connection is closed."""


def _raw(data: bytes) -> Play:
    async def send(exchange: Exchange) -> None:
        await exchange.send(data)

    return send


PLAYS.update({name: _raw(data) for name, data in _RAW.items()})


@play("resets")
async def _resets(exchange: Exchange) -> None:
    sock = exchange.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.writer.transport.abort()


@play("resets-in-body")
async def _resets_in_body(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
    await asyncio.sleep(DRIP_SECONDS)
    await _resets(exchange)


# --- lies ------------------------------------------------------------------------------------------------------------


def gzipped(data: bytes) -> bytes:
    compressor = zlib.compressobj(6, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


@play("lying-encoding")
async def _lying_encoding(exchange: Exchange) -> None:
    await exchange.answer(b'{"jobs": []}', "Content-Encoding: gzip")


@play("unknown-encoding")
async def _unknown_encoding(exchange: Exchange) -> None:
    await exchange.answer(b'{"jobs": []}', "Content-Encoding: zstd")


@play("double-encoding")
async def _double_encoding(exchange: Exchange) -> None:
    await exchange.answer(gzipped(gzipped(b"{}")), "Content-Encoding: gzip, gzip")


@play("cut-gzip")
async def _cut_gzip(exchange: Exchange) -> None:
    await exchange.answer(gzipped(b'{"jobs": []}' * 100)[:-12], "Content-Encoding: gzip")


@play("charset-lies")
async def _charset_lies(exchange: Exchange) -> None:
    await exchange.answer('{"title": "백엔드 똠방각하"}'.encode("cp949"), kind="application/json; charset=utf-8")


@play("charset-unknown")
async def _charset_unknown(exchange: Exchange) -> None:
    await exchange.answer('{"title": "백엔드"}'.encode(), kind="text/html; charset=klingon")


@play("redirect-loop")
async def _redirect_loop(exchange: Exchange) -> None:
    await exchange.answer(b"", f"Location: {exchange.hit.target}", status="302 Found")


@play("redirect-away")
async def _redirect_away(exchange: Exchange) -> None:
    await exchange.answer(b"", "Location: https://login.example.com/?next=1", status="302 Found")


@play("redirect-nowhere")
async def _redirect_nowhere(exchange: Exchange) -> None:
    await exchange.answer(b"", status="302 Found")


@play("redirect-garbage")
async def _redirect_garbage(exchange: Exchange) -> None:
    await exchange.answer(b"", "Location: http://[::1/\x01", status="302 Found")


CHALLENGE = b"""<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head>
<body><script>(function(){window._cf_chl_opt={cvId:'3'};}());</script></body></html>"""


@play("html-for-json")
async def _html_for_json(exchange: Exchange) -> None:
    await exchange.answer(CHALLENGE, kind="text/html")


@play("wrong-types")
async def _wrong_types(exchange: Exchange) -> None:
    """JSON, but nothing in it is of the type that any of the sites uses."""
    wrong = {"jobs": {"a": 1}, "data": "x", "result": True, "meta": [1], "total": "many", "links": 7}
    await exchange.answer(json.dumps(wrong).encode())


@play("nul")
async def _nul(exchange: Exchange) -> None:
    await exchange.answer(b'{"jobs": [\0]}')


@play("deep-json")
async def _deep_json(exchange: Exchange) -> None:
    await exchange.answer(b"[" * 1_000_000)


# --- plain answers ---------------------------------------------------------------------------------------------------


@play("ok")
async def _ok(exchange: Exchange) -> None:
    await exchange.answer(b'{"jobs": [], "meta": {"total": 0}}')


@play("ok-gzip")
async def _ok_gzip(exchange: Exchange) -> None:
    await exchange.answer(gzipped(b'{"ok": 1}'), "Content-Encoding: gzip")


@play("ok-br")
async def _ok_br(exchange: Exchange) -> None:
    await exchange.answer(brotli.compress(b'{"ok": 1}'), "Content-Encoding: br")


@play("ok-deflate")
async def _ok_deflate(exchange: Exchange) -> None:
    await exchange.answer(zlib.compress(b'{"ok": 1}'), "Content-Encoding: deflate")


@play("cookie")
async def _cookie(exchange: Exchange) -> None:
    await exchange.answer(b"{}", "Set-Cookie: session=abc; Path=/; Secure; HttpOnly")


@play("status")
async def _status(exchange: Exchange) -> None:
    """`?status=503&retry-after=120`: that status, with that header when it is given."""
    query = parse_qs(urlsplit(exchange.hit.target).query)
    headers = [f"Retry-After: {value}" for value in query.get("retry-after", [])]
    body = query.get("body", [""])[0].encode()
    await exchange.answer(body, *headers, status=f"{query['status'][0]} Status")
