"""Companies, boards and searches in a browser without script."""

from __future__ import annotations

from datetime import date

from daemon.collection.model import CycleStatus
from daemon.company.actions import list_sources
from daemon.company.model import CompanyOrigin
from daemon.db import Database
from daemon.operations.companies.actions import show_company
from daemon.sources.model import Platform
from tests.db.collected import add_cycle
from tests.engines import add_source
from tests.page.conftest import Browse
from tests.postings import add_company
from tests.sources.hostile import HostileSite
from tests.web.test_source_discovery import looking, publish, site

__all__ = ["site"]


async def test_a_company_is_registered_with_a_board_that_is_switched_off_and_on(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.open("/companies/new")
    values = {"name": "당근마켓", "platform": "GREENHOUSE", "slug": "daangn", "aliases": "당근\nDaangn"}
    page = await browser.fill(page, "/companies/new", **values)
    assert page.text("h1") == "당근마켓"
    assert page.texts(".round h3") == ["Greenhouse · daangn"]
    assert sorted(page.texts(".words li bdi")) == ["Daangn", "당근"]
    assert len(page.text(".terms")) > 10
    switch = f"{page.path}/sources/switch"
    page = await browser.fill(page, switch, to="off")
    assert page.texts(".round h3 .badge") == ["멈춤"]
    page = await browser.fill(page, switch, to="on")
    assert page.texts(".round h3 .badge") == []


async def test_a_company_that_is_there_already_is_linked_to(db: Database, browse: Browse) -> None:
    known = await add_company(db, "토스")
    browser = await browse(db)
    page = await browser.fill(await browser.open("/companies/new"), "/companies/new", name="토스")
    assert (page.status, page.hrefs(".told a")) == (409, [f"/companies/{known}"])
    page = await browser.fill(page, "/companies/new", name="줄\t바꿈")
    assert page.status == 422
    page = await browser.fill(page, "/companies/new", name="x", platform="GREENHOUSE", slug="no slug!")
    assert (page.status, page.form("/companies/new")["slug"]) == (422, "no slug!")


async def test_boards_that_were_found_are_registered_as_ticked(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.send("/companies/new", {"name": "우아한형제들", "board": "WOOWAHAN:woowahan"})
    company = await show_company(db, int(page.path.rpartition("/")[2]))
    assert [(source.platform, source.source_slug) for source in company.sources] == [(Platform.WOOWAHAN, "woowahan")]
    assert (await browser.send("/companies/new", {"name": "x", "board": "NOWHERE:x"})).status == 422


async def test_boards_are_looked_for_and_shown_with_what_is_on_them(
    db: Database, browse: Browse, site: HostileSite
) -> None:
    publish(site, "daangn", 5)
    browser = await browse(db, executor=looking(site))
    page = await browser.open("/companies/new")
    page = await browser.fill(page, "/companies/look", name="당근마켓", site_url="https://boards.greenhouse.io/daangn")
    assert page.status == 200
    assert page.texts(".samples li bdi")[:1] == ["백엔드 1"]
    assert "공고 5건 · 알려 준 주소" in page.text(".round")
    assert [node.attributes["value"] for node in page.tree.css("input[name=board][checked]")] == ["GREENHOUSE:daangn"]
    page = await browser.send("/companies/new", {"name": "당근마켓", "board": "GREENHOUSE:daangn"})
    assert page.texts(".round h3") == ["Greenhouse · daangn"]
    page = await browser.send(
        "/companies/look", {"name": "당근마켓", "site_url": "https://boards.greenhouse.io/daangn"}
    )
    assert page.texts(".round .badge") == ["이미 수집하고 있음"]


async def test_a_further_board_of_a_company_that_is_known_is_found_and_added(
    db: Database, browse: Browse, site: HostileSite
) -> None:
    publish(site, "daangn", 5)
    known = await add_company(db, "당근마켓")
    browser = await browse(db, executor=looking(site))
    address = "https://boards.greenhouse.io/daangn"
    page = await browser.send("/companies/look", {"name": "당근마켓", "site_url": address})
    assert f"/companies/{known}" in page.hrefs("section[aria-labelledby=found] a")
    assert page.texts("section[aria-labelledby=found] button") == ["고른 게시판 더하기"]
    page = await browser.send("/companies/new", {"name": "당근마켓", "board": "GREENHOUSE:daangn"})
    assert (page.path, page.texts(".round h3")) == (f"/companies/{known}", ["Greenhouse · daangn"])


async def test_where_nothing_is_found_the_next_step_is_said(db: Database, browse: Browse, site: HostileSite) -> None:
    browser = await browse(db, executor=looking(site))
    page = await browser.send("/companies/look", {"name": "없는회사"})
    assert "회사 채용 페이지의 주소를 함께" in page.text("section[aria-labelledby=found]")
    assert page.texts("section[aria-labelledby=found] button") == ["게시판 없이 등록"]


async def test_an_address_that_is_not_public_is_not_looked_at(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.open("/companies/new")
    for address in ("http://127.0.0.1/", "http://169.254.169.254/", "http://[::1]/", "ftp://example.com", "x"):
        refused = await browser.fill(page, "/companies/look", name="토스", site_url=address)
        assert refused.status == 422, address
        assert refused.form("/companies/look") == {"name": "토스", "site_url": address}


async def test_a_discovered_company_is_promoted_and_takes_other_names(db: Database, browse: Browse) -> None:
    found = await add_company(db, "발견된 회사", CompanyOrigin.DISCOVERED)
    browser = await browse(db)
    page = await browser.open("/companies?origin=DISCOVERED")
    assert page.hrefs(".rows h2 a") == [f"/companies/{found}"]
    page = await browser.fill(page, f"/companies/{found}/promote")
    assert "관심 회사" in page.text(".heading")
    page = await browser.fill(page, f"/companies/{found}/aliases", alias="다른 이름")
    assert page.texts(".words bdi") == ["다른 이름"]
    page = await browser.fill(page, f"/companies/{found}/aliases/remove")
    assert page.texts(".words bdi") == []


async def test_a_search_is_followed_in_two_steps_and_stopped(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.open("/sources?platform=SARAMIN")
    options = page.tree.css("#category option")
    assert len(options) > 3
    assert "robots" in page.text(".terms")
    code = options[1].attributes["value"] or ""
    page = await browser.fill(page, "/sources", category=code, keyword="토스")
    assert "사람인" in page.text(".rows h2")
    again = await browser.send("/sources", {"platform": "SARAMIN", "category": code, "keyword": "토스"})
    assert (again.status, again.form("/sources")["keyword"]) == (409, "토스")
    page = await browser.fill(page, "/sources/switch", to="off")
    assert page.texts(".rows .badge") == ["멈춤"]
    off = await browser.send("/sources/switch", {"source": str(2**63 - 1), "to": "off"})
    assert off.status == 404
    assert (await browser.send("/sources", {"platform": "SARAMIN", "category": "none"})).status == 422
    assert (await browser.send("/sources", {"platform": "GREENHOUSE", "category": "1"})).status == 422
    assert [source.platform for source in await list_sources(db)] == [Platform.SARAMIN]


async def test_a_board_that_was_mistyped_is_removed_and_one_that_has_brought_something_is_not(
    db: Database, browse: Browse
) -> None:
    browser = await browse(db)
    values = {"name": "당근마켓", "platform": "GREENHOUSE", "slug": "daangm"}
    page = await browser.fill(await browser.open("/companies/new"), "/companies/new", **values)
    (wrong,) = await list_sources(db)
    page = await browser.fill(page, f"{page.path}/sources/remove")
    assert page.texts(".told") == ["소스를 지웠습니다."]
    assert await list_sources(db) == ()
    search = await add_source(db, Platform.SARAMIN, category="84")
    await add_cycle(db, search, date(2026, 12, 1), CycleStatus.SUCCESS)
    page = await browser.send("/sources/remove", {"source": str(search)})
    assert (page.status, "모은 것이 있는 소스" in page.text(".told")) == (409, True)
    assert (await browser.send("/sources/remove", {"source": str(wrong.id + search)})).status == 404
