"""What sites may send is shown, and does nothing."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborNode

from daemon.application.actions import apply_for_posting
from daemon.company.tables import job_sources
from daemon.db import Database, transaction
from daemon.matching.model import Confidence
from daemon.posting.store import save_descriptions
from daemon.sources.model import Platform
from daemon.web.page.marks import first_part, marked_pieces, spans_of_sentences, spans_of_words
from daemon.web.page.wording import outside
from tests.db.test_posting_views import add_evidence, add_result
from tests.engines import add_source, newest
from tests.page.browsing import Opened
from tests.page.conftest import Browse
from tests.postings import add_posting

TITLE = '"><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe {{ 7*7 }} </bdi></mark></html>'


async def test_scripts_in_titles_and_texts_stay_text_on_every_page(db: Database, browse: Browse) -> None:
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    posting = await add_posting(db, company, source, TITLE, posting_url="javascript:alert(3)")
    await add_result(db, posting, top=Confidence.LIKELY)
    await add_evidence(db, posting, "재택", Confidence.LIKELY, TITLE[:60])
    await transaction(db, save_descriptions, {posting: f"앞 {TITLE} 뒤"}, db.clock.now())
    made = await apply_for_posting(db, posting, None, TITLE)
    browser = await browse(db)
    paths = ("/", "/postings", f"/postings/{posting}", f"/companies/{company}", "/applications")
    for path in (*paths, f"/applications/{made.id}", "/criteria?synonyms=script"):
        page = await browser.open(path)
        assert page.status == 200
        assert [node.attributes.get("src") for node in page.tree.css("script")] == [
            node.attributes["src"] for node in page.tree.css("head script")
        ], path
        assert page.tree.css("img, iframe, object, [onerror]") == []
        assert not any(href.lower().startswith("javascript") for href in page.hrefs())
        assert "49" not in " ".join(page.texts("h3"))
        # What turns the direction of text does so within its own element alone.
        assert all(node.tag in {"bdi", "mark", "title", "option", "p"} for node in _holding(page, "\u202e")), path


def _holding(page: Opened, sign: str) -> list[LexborNode]:
    return [
        node
        for node in page.tree.css("*")
        if sign in (node.text(deep=False) or "") and node.attributes.get("dir") != "auto"
    ]


async def test_a_text_of_100_000_characters_is_shown_in_part_and_whole_when_asked(db: Database, browse: Browse) -> None:
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    posting = await add_posting(db, company, source)
    body = ("가나다라 마바사\n" * 12_000)[:100_000]
    await transaction(db, save_descriptions, {posting: body}, db.clock.now())
    browser = await browse(db)
    page = await browser.open(f"/postings/{posting}")
    assert len(page.source.encode()) < 100_000
    assert "100,000자" in page.text("main")
    assert page.text(".body") != ""
    whole = await browser.open(f"/postings/{posting}?text=all")
    assert "".join(node.text() for node in whole.tree.css(".body")) == body


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "//evil", "http://", "http://[", "", None, "x"],
)
def test_only_addresses_of_the_web_become_links(address: str | None) -> None:
    assert outside(address) is None


def test_an_address_of_the_web_stays_as_it_is() -> None:
    assert outside("https://example.com/a?b=c#d") == "https://example.com/a?b=c#d"


def test_marks_keep_every_character_and_mark_what_is_there() -> None:
    text = "0123456789"
    pieces = marked_pieces(text, [(4, 6), (2, 5), (5, 5), (8, 10)])
    assert [piece.text for piece in pieces] == ["01", "234", "5", "67", "89"]
    assert [piece.text for piece in pieces if piece.marked] == ["234", "5", "89"]
    assert "".join(piece.text for piece in pieces) == text
    assert marked_pieces("", []) == ()


def test_a_word_is_found_whatever_its_case_blanks_and_hyphens() -> None:
    assert spans_of_words("Senior Back-End 개발자", ["backend", "백엔드", "-"]) == ((7, 15),)
    assert spans_of_words("a.c abc", ["A.C"]) == ((0, 3),)


def test_the_sentence_with_the_word_is_marked_where_the_snippet_was_taken() -> None:
    text = "재택근무 안내\n우대합니다. 주 2회  재택 근무가\n가능합니다! 끝"
    snippet = "…우대합니다. 주 2회 재택 근무가 가능합니다! 끝"
    ((start, end),) = spans_of_sentences(text, [("재택근무", snippet)])
    assert text[start:end] == "주 2회  재택 근무가"
    assert spans_of_sentences(text, [("재택근무", "없는 말"), ("x", "…")]) == ()
    whole = "가" * 5_000
    ((start, end),) = spans_of_sentences(whole, [("가가", "가" * 100)])
    assert end - start <= 402


def test_a_part_ends_between_words() -> None:
    assert first_part("가나 다라 마바", 100) == ("가나 다라 마바", True)
    part, whole = first_part("단어 " * 100, 251)
    assert (whole, part.endswith("단어"), len(part) <= 251) == (False, True, True)
    assert first_part("가" * 300, 250) == ("가" * 250, False)
