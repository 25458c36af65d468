"""Content encodings taken apart piece by piece: a bomb costs one piece of memory, not its whole size.

aiohttp could decompress by itself, but it accepts a gzip body that stops half way, and a page cut short must never
pass for a whole one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]  # it ships no types

PIECE = 64 * 1024
"""Bytes that one step may produce; brotli overshoots it by at most the same again."""

ACCEPTED = "gzip, deflate, br"
"""The `Accept-Encoding` that goes with `decoder_for`."""

_GZIP_MAGIC = b"\x1f\x8b"
_MOST_MEMBERS = 100
"""Gzip members in one body (RFC 1952, 2.2): servers send one, an attacker sends a million empty ones."""


class Undecodable(Exception):
    """The body is not what its `Content-Encoding` says, or ends before its end."""


class Decoder(Protocol):
    """Takes a body as it comes off the wire."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What `data` decodes to, in small pieces; may be left unfinished. Raises Undecodable."""
        ...

    def finish(self) -> None:
        """Raises Undecodable when the body has not come to its own end."""
        ...


def decoder_for(content_encoding: str) -> Decoder:
    """The decoder for a `Content-Encoding` header's value, `""` when there is none.

    Raises Undecodable for a coding that was not asked for, and for several at once.
    """
    coding = content_encoding.strip().lower()
    match coding:
        case "" | "identity":
            return _Identity()
        case "gzip" | "x-gzip":
            return _Gzip()
        case "deflate":
            return _Deflate()
        case "br":
            return _Brotli()
        case _:
            raise Undecodable(f"content-encoding {coding!r} was not asked for")


class _Identity:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        pass


def _inflated(inflate: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """All that `data` gives, until the input is used up or the stream has ended."""
    while True:
        try:
            piece = inflate.decompress(data, PIECE)
        except zlib.error as error:
            raise Undecodable(str(error)) from error
        if piece:
            yield piece
        data = inflate.unconsumed_tail
        if inflate.eof or not (data or len(piece) == PIECE):
            return


class _Gzip:
    """RFC 1952: members one after another; what follows them and is none is ignored, as everyone does."""

    def __init__(self) -> None:
        self._member: zlib._Decompress | None = None
        self._members = 0
        self._waiting = b""
        self._ignoring = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        data = self._waiting + data
        self._waiting = b""
        while data and not self._ignoring:
            if self._member is None:
                if len(data) < len(_GZIP_MAGIC):
                    self._waiting = data
                    return
                if not self._begins(data):
                    return
                self._member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
            yield from _inflated(self._member, data)
            data = self._member.unused_data
            if not self._member.eof:
                return
            self._member = None

    def _begins(self, data: bytes) -> bool:
        if not data.startswith(_GZIP_MAGIC):
            if self._members == 0:
                raise Undecodable("not gzip")
            self._ignoring = True
            return False
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise Undecodable(f"more than {_MOST_MEMBERS} gzip members")
        return True

    def finish(self) -> None:
        if self._member is not None or (self._waiting and self._members == 0):
            raise Undecodable("gzip body cut short")


class _Deflate:
    """RFC 1950, and the bare RFC 1951 that old servers send under the same name."""

    def __init__(self) -> None:
        self._inflate: zlib._Decompress | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not data:
            return
        if self._inflate is None:
            wrapped = data[0] & 0x0F == 8
            self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        if not self._inflate.eof:
            yield from _inflated(self._inflate, data)

    def finish(self) -> None:
        if self._inflate is not None and not self._inflate.eof:
            raise Undecodable("deflate body cut short")


class _Brotli:
    """RFC 7932."""

    def __init__(self) -> None:
        self._brotli = brotli.Decompressor()
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        while not self._brotli.is_finished():
            try:
                piece = self._brotli.process(data, output_buffer_limit=PIECE)
            except brotli.error as error:
                raise Undecodable(str(error)) from error
            fed, data = data, b""
            if piece:
                # Even when it could accept more input it may hold more output back.
                yield piece
            elif self._brotli.can_accept_more_data():
                return
            elif not fed:
                raise Undecodable("brotli body leads nowhere")

    def finish(self) -> None:
        if self._fed and not self._brotli.is_finished():
            raise Undecodable("brotli body cut short")
