"""Content encodings piece by piece: however a stream is cut it gives the same bytes, and a missing end is noticed."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.sources.compression import PIECE, Undecodable, decoder_for

GZIP = 16 + zlib.MAX_WBITS


def deflated(data: bytes, wbits: int) -> bytes:
    compressor = zlib.compressobj(6, zlib.DEFLATED, wbits)
    return compressor.compress(data) + compressor.flush()


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "none": ("", bytes),
    "identity": ("identity", bytes),
    "gzip": (" GZIP ", lambda data: deflated(data, GZIP)),
    "gzip in two members": ("gzip", lambda data: deflated(data[:5], GZIP) + deflated(data[5:], GZIP)),
    "gzip and padding": ("gzip", lambda data: deflated(data, GZIP) + b"\0" * 40),
    "deflate": ("deflate", lambda data: deflated(data, zlib.MAX_WBITS)),
    "bare deflate": ("deflate", lambda data: deflated(data, -zlib.MAX_WBITS)),
    "brotli": ("br", lambda data: bytes(brotli.compress(data))),
}
COMPRESSED = sorted(ENCODERS.keys() - {"none", "identity"})


def decoded(coding: str, body: bytes, step: int) -> bytes:
    decoder = decoder_for(coding)
    out = b"".join(piece for start in range(0, len(body), step) for piece in decoder.feed(body[start : start + step]))
    decoder.finish()
    return out


@given(data=st.binary(max_size=300), step=st.integers(1, 50), name=st.sampled_from(sorted(ENCODERS)))
def test_however_a_body_is_cut_it_decodes_to_the_same(data: bytes, step: int, name: str) -> None:
    coding, encode = ENCODERS[name]
    assert decoded(coding, encode(data), step) == data


@pytest.mark.parametrize("name", sorted(ENCODERS))
@pytest.mark.parametrize("step", [7, 1000, 1 << 20])
def test_a_megabyte_decodes_whole_and_in_small_pieces(name: str, step: int) -> None:
    coding, encode = ENCODERS[name]
    data = bytes(range(256)) * 4096
    body = encode(data)
    assert decoded(coding, body, max(step, len(body) // 2000)) == data
    if name in COMPRESSED:
        assert max(len(piece) for piece in decoder_for(coding).feed(body)) <= 2 * PIECE


@pytest.mark.parametrize("name", sorted(set(COMPRESSED) - {"gzip and padding"}))
@pytest.mark.parametrize("missing", [1, 3, 9])
def test_a_body_that_stops_before_its_end_is_noticed(name: str, missing: int) -> None:
    coding, encode = ENCODERS[name]
    body = encode("공고 목록 ".encode() * 100)
    with pytest.raises(Undecodable):
        decoded(coding, body[:-missing], 50)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_what_is_not_compressed_is_noticed(coding: str) -> None:
    with pytest.raises(Undecodable):
        decoded(coding, b'{"jobs": []}' * 10, 50)


@given(name=st.sampled_from(COMPRESSED), noise=st.binary(max_size=30), at=st.integers(0, 200), step=st.integers(1, 300))
def test_a_damaged_body_is_undecodable_or_something_else_but_never_an_error(
    name: str, noise: bytes, at: int, step: int
) -> None:
    coding, encode = ENCODERS[name]
    body = encode("공고 목록 백엔드 개발자 ".encode() * 20)
    try:
        decoded(coding, body[:at] + noise + body[at + 1 :], step)
    except Undecodable as damage:
        message = str(damage)
        assert message


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_no_body_at_all_is_an_empty_body(coding: str) -> None:
    assert decoded(coding, b"", 1) == b""


@pytest.mark.parametrize("coding", ["zstd", "compress", "gzip, gzip", "gzip,br", "utf-8", "x" * 1000])
def test_a_coding_that_was_not_asked_for_is_refused(coding: str) -> None:
    with pytest.raises(Undecodable, match="was not asked for"):
        decoder_for(coding)


def test_a_crowd_of_empty_members_is_refused() -> None:
    with pytest.raises(Undecodable, match="more than 100"):
        decoded("gzip", deflated(b"", GZIP) * 101, 1000)
    assert decoded("gzip", deflated(b"a", GZIP) * 100, 1000) == b"a" * 100
