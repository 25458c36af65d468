"""Markup that would keep the parser busy for minutes is refused before it is parsed; real pages never are."""

from __future__ import annotations

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from daemon.sources.model import ListPage, NotFetched, Outcome
from daemon.sources.reading import read_list
from daemon.sources.text.markup import html_to_text, too_costly
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


GROWING = {
    "text before a table, from between its comments": ("<table>", "x" * 9 + "<!--y-->"),
    "text before a table, from between its cells": ("<table><tr>", "x<td>y</td>"),
    "text before a table, from between its rows": ("<table>", "x<tr><td>y</td></tr>"),
    "text before a table, from between its styles": ("<table>", "x<style>y</style>"),
    "blanks between head and body": ("<head>", "</head>\n<title>x</title>\n"),
    "blanks after the page": ("<body></body></html>", " <!--y-->"),
}


@pytest.mark.parametrize("name", GROWING)
def test_texts_that_grow_piece_by_piece_are_not_parsed(name: str) -> None:
    """Found by fuzzing: the parser keeps every state of such a text, 350 MiB for a page of 250 KB."""
    start, piece = GROWING[name]
    page = (start + piece * (300_000 // len(piece))).encode()
    began = time.process_time()
    assert too_costly(page) == "HTML with texts that take too much memory"
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("piece", [" a", "/a", " a=b", " a='b'", "a='b'", ' a="/ /"'])
def test_a_tag_flooded_with_attributes_of_any_form_is_not_parsed(piece: str) -> None:
    assert too_costly(f"<p {piece * 20_000}>".encode()) == "HTML with over 5000 attributes in one tag"


@pytest.mark.parametrize("filler", [" ", "/", " /", "\n", "a", "=", "= ", '"', "='"])
def test_a_tag_of_megabytes_is_looked_through_once(filler: str) -> None:
    """Found by fuzzing: 400 KB of blanks in a tag took 18 minutes. A walk that is not linear does not end here."""
    tag = f"<td title{filler * (2_000_000 // len(filler))}".encode()
    flooded = {"= ", "='"}  # many attributes, as the parser sees it
    assert (too_costly(tag + b">") is not None) == (filler in flooded)


def test_a_text_of_nothing_but_open_brackets_is_looked_through_once() -> None:
    assert html_to_text("<" * 1_000_000 + "b>서버") == f"{'<' * 999_999} 서버"


def test_a_long_value_is_one_attribute() -> None:
    image = "data:image/png;base64," + "ab/+cd== " * 20_000
    assert too_costly(f'<p><img alt="x" src="{image}"></p>'.encode()) is None


def test_more_tags_than_any_page_has_are_not_parsed() -> None:
    assert too_costly(b"<br>" * 200_001) == "HTML with over 200000 tags"
    assert too_costly(b"<br>" * 200_000) is None


def test_an_ordinary_page_with_a_large_table_is_parsed() -> None:
    row = "<tr>\n<td>제목 <b>굵게</b> 더</td>\n<td><a href='/x'>회사</a></td>\n</tr>\n"
    page = f"<html><head><title>x</title></head>\n<body><table>\n{row * 4_000}</table> 끝</body></html>\n"
    assert too_costly(page.encode()) is None
