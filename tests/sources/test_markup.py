"""Markup that would keep the parser busy for minutes is refused before it is parsed; real pages never are."""

from __future__ import annotations

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from daemon.sources.model import ListPage, NotFetched, Outcome
from daemon.sources.reading import read_list
from daemon.sources.text.markup import too_costly
from tests.sources.plain_site import PlainSite, page

ATTRIBUTES = b"<div " + b"".join(b"a%d=1 " % number for number in range(100_000)) + b">"


@pytest.mark.parametrize(
    "bomb",
    [
        b"<div>" * 50_000,
        b"<div>" * 50_000 + b"</div>" * 50_000,
        b"</i>" * 50_000 + b"<div>" * 50_000,
        b"<DIV class=x>" * 50_000,
        b"<a><b>" * 20_000,
        b"".join(b"<x%d>" % number for number in range(20_000)),
        b"<div>" * 499 + b"</p>" * 1_000_000,
        b"<ul><li>" * 499 + b"<li>" * 1_000_000,
        ATTRIBUTES,
    ],
    ids=range(9),
)
def test_a_bomb_is_refused_at_once(bomb: bytes) -> None:
    begun = time.process_time()
    assert too_costly(bomb) is not None
    answer = read_list(PlainSite(listed=AssertionError("it was parsed")), None, page(bomb), None)
    assert isinstance(answer, NotFetched)
    assert answer.outcome is Outcome.TOO_LARGE
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("lead", [0, 1, 9_999, 10_000, 10_001])
@pytest.mark.parametrize("tail", [b"", b">", b"> and more"])
def test_a_flooded_tag_is_found_wherever_it_stands(lead: int, tail: bytes) -> None:
    flood = b"<a " + b"b=1 " * 5_001
    assert too_costly(b"x" * lead + flood + tail) is not None


@pytest.mark.parametrize(
    "markup",
    [
        b"",
        b"<p>one<p>two" * 100_000,
        b"<ul>" + b"<li>posting" * 100_000 + b"</ul>",
        b"<table>" + b"<tr><td>a<td>b" * 50_000,
        b"<br><img src=x>" * 100_000,
        b"<div><a href=x>posting</a></div>" * 50_000,
        b"<font><b>" * 200 + b"<div>posting</div>" * 10_000,
        b"<script>" + b"var a = 1; " * 10_000 + b"</script>",
        b'<div data-json="' + b"x=1;" * 4_000 + b'">',
        b"<div>" * 400 + b"</div>" * 400,
    ],
    ids=range(10),
)
def test_long_and_sloppy_pages_are_parsed_and_do_not_take_long(markup: bytes) -> None:
    assert too_costly(markup) is None
    begun = time.process_time()
    LexborHTMLParser(markup)
    assert time.process_time() - begun < 2


def test_json_is_not_judged_by_the_markup_in_it() -> None:
    body = b'{"content": "' + b"<div>" * 50_000 + b'"}'
    assert isinstance(
        read_list(PlainSite(listed=ListPage(postings=(), next_cursor=None)), None, page(body), None), ListPage
    )
