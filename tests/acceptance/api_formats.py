"""Loaded by Schemathesis (SCHEMATHESIS_HOOKS): how to make up texts in the formats that the API's description names."""

from __future__ import annotations

import unicodedata
from datetime import datetime

import schemathesis
from hypothesis import strategies as st

_LIMITS = (100, 200, 500, 2000)
_LENGTHS = st.sampled_from([1, 2, 12, *(limit + step for limit in _LIMITS for step in (-1, 0, 1))])
"""At a limit and on both of its sides, often: drawn freely, hardly any text would be just so long."""


def _stays_short(sign: str) -> bool:
    """Whether normalising does not make more of it: limits hold for the normal form too."""
    return len(unicodedata.normalize("NFKC", sign).casefold()) == 1 == len(unicodedata.normalize("NFC", sign))


_FIRST = st.sampled_from("a7가漢é")
_SIGNS = st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Pd", "Po", "Sm", "So", "Zs")).filter(_stays_short)
_REST = st.text(_SIGNS, max_size=8)


def _of_length(length: int, first: str, rest: str) -> str:
    """Ends as it begins, so that no blank end is cut off."""
    body = first + rest * (length // max(len(rest), 1))
    return body[: length - 1] + first if length > 1 else first


def _address(length: int, scheme: str, path: str) -> str:
    whole = f"{scheme}://a.example/{path}"
    return whole + "x" * (length - len(whole))


_LINES = st.builds(_of_length, _LENGTHS, _FIRST, _REST)

schemathesis.openapi.format("line", _LINES)
schemathesis.openapi.format("keyword", _LINES)
schemathesis.openapi.format(
    "web-address",
    st.builds(
        _address,
        _LENGTHS,
        st.sampled_from(["http", "https", "HTTPS"]),
        st.text(st.sampled_from("abc가나다019-_~/?&=#:;,"), max_size=20),
    ),
)
schemathesis.openapi.format("entity-tags", st.sampled_from(["*", '"0"', '"1"', 'W/"1"', '"0", "2"', '"xyz"']))
schemathesis.openapi.format(
    "date-time",
    st.builds(
        "{:%Y-%m-%dT%H:%M:%S}{}".format,
        st.datetimes(min_value=datetime(1970, 1, 3), max_value=datetime(9998, 12, 30)),
        st.sampled_from(["Z", "+09:00", "-11:30", "+00:00"]),
    ),
)
schemathesis.openapi.format("words", st.one_of(st.just(""), _LINES))
schemathesis.openapi.format(
    "slug", st.builds(_of_length, _LENGTHS, _FIRST, st.text(st.sampled_from("ab1-_.가"), max_size=8))
)


@schemathesis.hook
def filter_body(_context: object, body: object) -> bool:
    """Leaves out what no schema can rule out: one board twice, under two spellings of its address."""
    sources = body.get("sources") if isinstance(body, dict) else None
    if not isinstance(sources, list) or not all(isinstance(one, dict) for one in sources):
        return True
    boards = [(str(one.get("platform")), str(one.get("sourceSlug"))) for one in sources]
    return len(boards) == len(set(boards))
