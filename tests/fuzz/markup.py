"""Breaking HTML answers by their structure: tags and texts are dropped, repeated, moved, renamed and rewritten."""

from __future__ import annotations

import json
import random
import re
from functools import cache

from daemon.sources.text.charset import decode
from tests.fuzz import nasty, trees

_PIECE = re.compile(r"<[^<>]*>|[^<]+|<")
_NAME = re.compile(r"(?<=<)/?[a-zA-Z][a-zA-Z0-9]*")
_VALUE = re.compile(r"""=\s*"[^"]*"|=\s*'[^']*'""")
_DIGITS = re.compile(r"\d+")

_TAGS = (
    *(
        "<!--",
        "-->",
        "<![CDATA[",
        "<?xml?>",
        "<plaintext>",
        "<textarea>",
        "<title>",
        "<noscript>",
        "<frameset>",
        "<select>",
    ),
    *(
        "<script>",
        "</script>",
        "<style>",
        "<template>",
        "<svg><title>",
        "<math><mi>",
        "<table>",
        "</table>",
        "<td>",
        "<p>",
    ),
    *(
        "<a href='http://['>",
        "<base href='//x'>",
        "</body>",
        "<body>",
        "</html>",
        "<br/>",
        "<input type=password>",
        "<li>",
    ),
    *(
        "<b>" * 30,
        "<div>" * 300,
        "</div>" * 20,
        "<form>" * 3,
        "<",
        ">",
        "</",
        "<a b='",
        '<a href="/x?rec_idx=',
        "<h1>로그인</h1>",
    ),
)
_NAMES = (
    "div",
    "a",
    "script",
    "template",
    "option",
    "plaintext",
    "svg",
    "table",
    "x-y",
    "li",
    "td",
    "noscript",
    "title",
)


@cache
def _pieces(body: bytes) -> list[str]:
    return _PIECE.findall(decode(body).text)


def mutant(draw: random.Random, body: bytes, donor: bytes, steps: int) -> str:
    """`body`, a page, with `steps` of its parts broken, some by parts of `donor`."""
    pieces, others = _pieces(body).copy(), _pieces(donor)
    for _ in range(steps):
        if pieces:
            _break(draw, pieces, others)
    return "".join(pieces)


def _break(draw: random.Random, pieces: list[str], others: list[str]) -> None:
    place = draw.randrange(len(pieces))
    end = place + draw.choice((1, 1, 2, 5, 30, 200))
    match draw.randrange(12):
        case 0:
            del pieces[place:end]
        case 1:
            pieces[place:place] = pieces[place:end] * draw.choice((1, 1, 3, 30))
        case 2:
            pieces[place:place] = [draw.choice(_TAGS)]
        case 3:
            start = draw.randrange(len(others) or 1)
            pieces[place:end] = others[start : start + end - place]
        case 4:
            moved = pieces[place:end]
            del pieces[place:end]
            at = draw.randrange(len(pieces) + 1)
            pieces[at:at] = moved
        case 5:
            pieces[place] = _NAME.sub(draw.choice(_NAMES), pieces[place], count=1)
        case 6:
            pieces[place] = _script(draw, pieces[place])
        case _:
            pieces[place] = _rewritten(draw, pieces[place])


def _rewritten(draw: random.Random, piece: str) -> str:
    """A tag with another attribute's value or without one, or a text spoilt; digits by other digits now and then."""
    if draw.random() < 0.25:
        return _DIGITS.sub(
            draw.choice(("0", "7", "99", "123456789012345678901234567890", "", "9" * 5_000)), piece, count=1
        )
    if not piece.startswith("<"):
        return nasty.text(draw, piece)
    values = list(_VALUE.finditer(piece))
    if not values:
        return piece.replace(">", f" {draw.choice(('id', 'class', 'href', 'onclick'))}='{nasty.text(draw)}'>", 1)
    chosen = draw.choice(values)
    given = chosen[0].lstrip("= \t")[1:-1]
    value = "" if draw.random() < 0.2 else f'="{nasty.text(draw, given)}"'
    return piece[: chosen.start()] + value + piece[chosen.end() :]


def _script(draw: random.Random, piece: str) -> str:
    """The data in a script (JSON-LD) broken by its structure; any other piece spoilt as text."""
    try:
        value = json.loads(piece)
    except (ValueError, RecursionError):
        return nasty.text(draw, piece)
    return json.dumps(
        trees.mutated(draw, value, list(trees.places_of([json.loads(piece)])), draw.choice((1, 2, 5))),
        ensure_ascii=False,
    )
