"""Breaking answers as bytes: cut, doubled, overwritten, encoded otherwise, mislabelled, stretched."""

from __future__ import annotations

import random
from codecs import BOM_UTF8, BOM_UTF16_LE

_CODECS = ("cp949", "euc-kr", "utf-16", "utf-16-be", "johab", "latin-1", "utf-7", "utf-32")

LABELS = (
    *("", "text/html", "text/html; charset=euc-kr", "text/html; charset=utf-8", "application/json; charset=utf-8"),
    *(
        "text/html; charset=",
        "text/html; charset=\ud800",
        "x" * 3_000,
        "text/html; charset=utf-16",
        "charset=ks_c_5601-1987",
    ),
)


def encoded(draw: random.Random, text: str) -> bytes:
    """`text` in UTF-8 mostly, else in some other encoding, or with a byte-order mark that may be wrong."""
    chance = draw.random()
    if chance < 0.80:
        return text.encode("utf-8", "surrogatepass")
    if chance < 0.95:
        return text.encode(draw.choice(_CODECS), "replace")
    return draw.choice((BOM_UTF8, BOM_UTF16_LE)) + text.encode("utf-8", "replace")


def mutant(draw: random.Random, body: bytes) -> bytes:
    """A stretch of `body` cut out, doubled, overwritten or cut off after."""
    start = draw.randrange(len(body) + 1)
    end = min(len(body), start + draw.choice((1, 2, 10, 100, 1_000, 10_000)))
    stretch = body[start:end]
    match draw.randrange(7):
        case 0:
            return body[:start] + body[end:]
        case 1:
            return body[:end] + stretch + body[end:]
        case 2:
            noise = draw.randbytes(min(len(stretch), 50))
            return body[:start] + noise + body[start + len(noise) :]
        case 3:
            return body[:start]
        case 4:
            return body[:start] + b"\0" + body[start:]
        case 5:
            return body[:start] + b"<" + body[start:]
        case _:
            return bytes([*body[:start], draw.randrange(256), *body[start + 1 :]])


def stretched(draw: random.Random, body: bytes, size: int) -> bytes:
    """`body` with one stretch of it repeated until it is about `size` bytes long."""
    start = draw.randrange(len(body) + 1)
    stretch = body[start : start + draw.choice((1, 7, 60, 700, 5_000))] or b" "
    return body[:start] + stretch * max(1, (size - len(body)) // len(stretch)) + body[start:]
