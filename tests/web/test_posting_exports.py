"""Postings as files: CSV for a spreadsheet, JSON for a program, Atom for a reader; long answers piece by piece."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from xml.etree import ElementTree

import pytest
from aiohttp import ClientPayloadError

from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.flags.model import FlagKey
from daemon.matching.model import Confidence
from daemon.operations.postings import actions as views
from daemon.operations.postings.store import items
from daemon.posting.actions import deduplicate
from daemon.sources.model import Platform
from tests.db.test_posting_views import add_evidence, add_result
from tests.engines import DAY, add_source, newest, switch_on
from tests.postings import add_company, add_posting
from tests.web.conftest import Serve

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
async def daangn(db: Database) -> tuple[int, int]:
    """A watched company and its board."""
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    return (await newest(db, job_sources))["company_id"], source


async def test_the_csv_opens_in_a_spreadsheet_in_korean_and_calculates_nothing(
    db: Database, serve: Serve, daangn: tuple[int, int]
) -> None:
    company, source = daangn
    evil = await add_posting(db, company, source, '=HYPERLINK("https://evil.example","클릭"), "급구"\n둘째 줄')
    dated = await add_posting(db, company, source, "백엔드 🙂", deadline_at=db.clock.now() + DAY)
    await add_result(db, dated)
    await add_evidence(db, dated, "재택", Confidence.CONFIRMED, "재택")
    client = await serve(db)
    answer = await client.get("/api/export/postings.csv")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="gonggo-postings.csv"'
    body = await answer.read()
    assert body.startswith(b"\xef\xbb\xbf"), "Excel takes UTF-8 without its mark for CP949"
    table = list(csv.DictReader(io.StringIO(body.decode("utf-8-sig"))))
    assert [row["번호"] for row in table] == [str(evil), str(dated)]
    assert table[0]["제목"].startswith("'=HYPERLINK(")
    assert (table[0]["마감일"], table[1]["마감일"]) == ("상시채용", "2026-12-02 00:00:00")
    assert (table[1]["제목"], table[1]["키워드"], table[1]["근무형태"], table[1]["확신도"]) == (
        "백엔드 🙂",
        "일치",
        "재택",
        "확실",
    )
    english = await (await (await serve(db, language="en")).get("/api/export/postings.csv")).text("utf-8-sig")
    assert english.splitlines()[0].startswith("ID,Company,Title,Address")


async def test_the_json_has_every_posting_copies_too(db: Database, serve: Serve, daangn: tuple[int, int]) -> None:
    await switch_on(db, FlagKey.CROSS_SOURCE_DEDUP)
    board = await add_source(db, Platform.SARAMIN, category="84")
    copy = await add_posting(db, daangn[0], board)
    posting = await add_posting(db, *daangn)
    await deduplicate(db)
    client = await serve(db)
    answer = await client.get("/api/export/postings.json")
    assert (answer.status, answer.content_type) == (200, "application/json")
    found = json.loads(await answer.text())
    assert [(one["jobPostingId"], one["representativeId"]) for one in found["jobPostings"]] == [
        (copy, posting),
        (posting, None),
    ]
    assert {"platform", "lastSeenAt", "matched", "workArrangement", "firstSeenAt"} <= set(found["jobPostings"][0])


async def test_an_export_of_nothing_is_a_file_all_the_same(db: Database, serve: Serve) -> None:
    client = await serve(db)
    assert await (await client.get("/api/export/postings.json")).json() == {"jobPostings": []}
    assert len((await (await client.get("/api/export/postings.csv")).text()).splitlines()) == 1
    head = await client.head("/api/export/postings.csv")
    assert (head.status, await head.read()) == (200, b"")


async def test_a_long_export_comes_in_lots_and_is_whole(
    db: Database, serve: Serve, daangn: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_EXPORTED", 3)
    made = [await add_posting(db, *daangn, f"공고 {number}") for number in range(10)]
    client = await serve(db)
    found = await (await client.get("/api/export/postings.json")).json()
    assert [one["jobPostingId"] for one in found["jobPostings"]] == made
    rows = (await (await client.get("/api/export/postings.csv")).text("utf-8-sig")).splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == [str(posting) for posting in made]


async def test_an_export_that_fails_midway_is_broken_off_not_passed_off_as_whole(
    db: Database, serve: Serve, daangn: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The 200 is out when the database goes away: the reader must notice."""
    monkeypatch.setattr(views, "_EXPORTED", 2)
    for number in range(4):
        await add_posting(db, *daangn, f"공고 {number}")
    whole, calls = items.load_rows, 0

    async def fail_at_the_second(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("the database went away")
        return await whole(*arguments)  # type: ignore[arg-type]  # passed on as given

    monkeypatch.setattr(items, "load_rows", fail_at_the_second)
    client = await serve(db)
    with pytest.raises(ClientPayloadError):
        await (await client.get("/api/export/postings.json")).read()
    monkeypatch.undo()
    async with asyncio.timeout(5):
        assert (await client.get("/api/export/postings.json")).status == 200


async def test_the_feed_is_valid_xml_with_stable_ids_whatever_the_titles_say(
    db: Database, serve: Serve, daangn: tuple[int, int]
) -> None:
    """RFC 4287: id, title, updated, a link; escaped once, and without what XML cannot hold."""
    posting = await add_posting(
        db,
        *daangn,
        "<script>alert(1)</script> & \x0b\ufffe백엔드",
        posting_url="https://example.com/?a=1&b=2",
        deadline_at=db.clock.now() + DAY,
    )
    await add_result(db, posting)
    await add_evidence(db, posting, "재택", Confidence.LIKELY, "재택")
    await add_posting(db, *daangn, "일치하지 않는 공고")
    client = await serve(db)
    answer = await client.get("/api/feed.atom")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/atom+xml; charset=utf-8")
    body = await answer.read()
    feed = ElementTree.fromstring(body)
    assert feed.tag == f"{ATOM}feed"
    assert feed.findtext(f"{ATOM}updated") == "2026-11-30T15:00:00Z"
    (entry,) = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}id") == f"urn:gonggo:posting:{posting}"
    assert entry.findtext(f"{ATOM}title") == "[회사 daangn] <script>alert(1)</script> & 백엔드"
    assert [link.get("href") for link in entry.findall(f"{ATOM}link")] == ["https://example.com/?a=1&b=2"]
    assert entry.findtext(f"{ATOM}content") == "마감일: 2026-12-02 00:00:00\n근무형태: 재택 (유력)"
    assert await (await client.get("/api/feed.atom")).read() == body


async def test_the_feed_of_nothing_is_a_feed(db: Database, serve: Serve) -> None:
    feed = ElementTree.fromstring(await (await (await serve(db)).get("/api/feed.atom")).read())
    assert feed.findall(f"{ATOM}entry") == []
    assert {child.tag for child in feed} >= {f"{ATOM}id", f"{ATOM}title", f"{ATOM}updated", f"{ATOM}author"}


async def test_the_feed_links_no_address_that_a_reader_could_run(db: Database, serve: Serve) -> None:
    posting = await add_posting(db, await add_company(db, "당근"), None, posting_url="javascript:alert(1)")
    await add_result(db, posting)
    body = await (await (await serve(db)).get("/api/feed.atom")).text()
    assert "javascript" not in body
