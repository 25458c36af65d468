"""Criteria in a browser without script: tried out before they are saved."""

from __future__ import annotations

import asyncio

from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.matching.actions.criteria import add_keyword_group, current_criteria
from daemon.sources.model import Platform
from daemon.web.page.criteria import words_in
from tests.engines import add_source, newest
from tests.page.conftest import Browse
from tests.postings import add_posting


async def given_postings(db: Database) -> None:
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    for title in ("백엔드 개발자", "백엔드 인턴", "데이터 엔지니어"):
        await add_posting(db, company, source, title)


async def test_a_change_is_tried_on_the_stored_postings_and_nothing_is_saved(db: Database, browse: Browse) -> None:
    await given_postings(db)
    group = (await add_keyword_group(db, "백엔드", ["백엔드"])).id
    browser = await browse(db)
    page = await browser.open("/criteria?synonyms=데이터,%20엔지니어")
    assert page.text(".figures") == "2 → 3"
    assert page.texts("#preview h3") == ["새로 맞는 공고 1건"]
    assert page.texts("#preview li") == ["데이터 엔지니어"]
    assert page.form("/criteria/groups")["synonyms"] == "데이터, 엔지니어"
    page = await browser.open("/criteria?exclusions=인턴")
    assert (page.text(".figures"), page.texts("#preview h3")) == ("2 → 1", ["빠지는 공고 1건"])
    page = await browser.open(f"/criteria?without=group:{group}")
    assert page.text(".figures") == "2 → 0"
    assert (await browser.open("/criteria?synonyms=-")).text("#preview .nothing").startswith("글자나 숫자가 든 말을")
    assert (await browser.open("/criteria?without=group:x&synonyms=,,")).tree.css(".figures") == []
    assert (await current_criteria(db)).criteria_revision == 1


async def test_words_that_are_there_already_do_not_keep_the_others_out(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.fill(await browser.open("/criteria"), "/criteria/exclusions", exclusions="인턴, 신입")
    page = await browser.fill(page, "/criteria/exclusions", exclusions="인턴, 아르바이트, 신입")
    assert page.status == 200
    assert [each.keyword for each in (await current_criteria(db)).exclusion_keywords] == ["인턴", "신입", "아르바이트"]
    assert (await browser.fill(page, "/criteria/exclusions", exclusions="신입, 인턴")).status == 409


async def test_criteria_are_added_and_removed(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    page = await browser.open("/criteria")
    page = await browser.fill(page, "/criteria/groups", synonyms="백엔드, backend\n서버 개발")
    page = await browser.fill(page, "/criteria/exclusions", exclusions="인턴, 신입")
    page = await browser.fill(page, "/criteria/arrangements", words="재택근무、remote")
    found = await current_criteria(db)
    assert [(group.display_name, group.synonyms) for group in found.keyword_groups] == [
        ("백엔드", ("백엔드", "backend", "서버 개발"))
    ]
    assert [each.keyword for each in found.exclusion_keywords] == ["인턴", "신입"]
    assert [each.keyword for each in found.work_arrangement_keywords] == ["재택근무", "remote"]
    again = await browser.fill(page, "/criteria/groups", name="백 엔드", synonyms="x")
    assert (again.status, again.form("/criteria/groups")["synonyms"]) == (409, "x")
    assert "같은 말이 이미 있습니다: 백엔드" in again.text(".told")
    for _ in range(5):
        page = await browser.open("/criteria")
        forms = page.tree.css('form[action="/criteria/remove"]')
        fields = {node.attributes["name"] or "": node.attributes["value"] or "" for node in forms[0].css("input")}
        assert (await browser.send("/criteria/remove", fields)).status == 200
    assert (await browser.open("/criteria")).tree.css('form[action="/criteria/remove"]') == []
    assert (await browser.send("/criteria/remove", {"kind": "group", "id": "1"})).status == 404


async def test_words_of_nothing_are_refused(db: Database, browse: Browse) -> None:
    browser = await browse(db)
    for action, name in (("groups", "synonyms"), ("exclusions", "exclusions"), ("arrangements", "words")):
        for words in (" , ,", "-", "x" * 101):
            assert (await browser.send(f"/criteria/{action}", {name: words})).status == 422, (action, words)
    assert (await current_criteria(db)).criteria_revision == 0


def test_words_are_separated_by_commas_and_lines() -> None:
    assert words_in(" 백 엔드 ,backend\n\n서버，개발、 ") == ["백 엔드", "backend", "서버", "개발"]
    assert words_in(None) == []


async def test_after_each_change_stored_postings_are_judged_at_once(db: Database, browse: Browse) -> None:
    recorded = asyncio.Event()
    browser = await browse(db, recorded=recorded)
    for action, values in (
        ("groups", {"synonyms": "백엔드"}),
        ("exclusions", {"exclusions": "인턴"}),
        ("arrangements", {"words": "재택"}),
        ("remove", {"kind": "group"}),
    ):
        if action == "remove":
            values = values | {"id": str((await current_criteria(db)).keyword_groups[0].id)}
        assert (await browser.send(f"/criteria/{action}", values)).status == 200
        assert recorded.is_set(), action
        recorded.clear()
    assert (await browser.send("/criteria/groups", {"synonyms": ","})).status == 422
    assert not recorded.is_set()
