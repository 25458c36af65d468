"""Companies and sources on every engine: what is registered, what is refused, what a page's names become."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from daemon.clock import ManualClock
from daemon.company import store
from daemon.company.actions import (
    add_alias,
    disable_source,
    enable_source,
    list_sources,
    register_aggregator_source,
    register_company,
)
from daemon.company.model import (
    CompanyExists,
    CompanyOrigin,
    CompanySource,
    InvalidValue,
    RegistrationType,
    SourceFollowed,
    UnknownCategory,
    UnknownCompany,
    UnknownSource,
)
from daemon.company.tables import companies, company_aliases, job_sources
from daemon.db import Database, reading, transaction
from daemon.operations.companies.actions import list_companies
from daemon.sources.model import Platform, SourceType
from daemon.sources.registry import adapter_of
from tests.engines import row, rows

DAANGN = CompanySource(platform=Platform.GREENHOUSE, source_slug="daangn")
BAEMIN = CompanySource(platform=Platform.WOOWAHAN, source_slug="woowahan")


async def resolve(db: Database, *names: str) -> dict[str, int]:
    return dict((await transaction(db, store.resolve_companies, names)).ids)


def category(platform: Platform) -> str:
    return adapter_of(platform).categories()[0].code


async def test_a_company_with_boards_is_watched_and_collected(db: Database) -> None:
    made = await register_company(db, "  당근마켓 ", [DAANGN, BAEMIN], ["당근", "Karrot"])
    assert (made.registration_type, made.company_origin) == (RegistrationType.AUTO, CompanyOrigin.WATCHED)
    assert len(made.source_ids) == 2
    company = await row(db, companies)
    assert (company["id"], company["name"], company["name_key"]) == (made.company_id, "당근마켓", "당근마켓")
    sources = await list_sources(db)
    assert [source.id for source in sources] == list(made.source_ids)
    assert [source.label for source in sources] == ["당근마켓 (GREENHOUSE daangn)", "당근마켓 (WOOWAHAN woowahan)"]
    assert sources[0].target.slug == "daangn"
    page = await list_companies(db)
    assert (page.total_count, page.companies[0].source_count) == (1, 2)
    assert set(page.companies[0].aliases) == {"당근", "Karrot"}


async def test_a_company_without_boards_is_manual_only(db: Database) -> None:
    made = await register_company(db, "우아한형제들", [])
    assert (made.registration_type, made.source_ids) == (RegistrationType.MANUAL_ONLY, ())


@pytest.mark.parametrize("name", ["(주)당근마켓", "당근 마켓", "㈜당근마켓", "DAANGN Inc.", "당근"])
async def test_the_same_company_is_not_registered_twice_under_any_spelling_or_alias(db: Database, name: str) -> None:
    made = await register_company(db, "당근마켓", [], ["daangn", "당근"])
    with pytest.raises(CompanyExists) as refused:
        await register_company(db, name, [DAANGN])
    assert (refused.value.company_id, refused.value.name) == (made.company_id, "당근마켓")
    assert await rows(db, job_sources) == []


async def test_a_discovered_company_is_promoted_and_takes_the_name_given(db: Database) -> None:
    found = await resolve(db, "(주)당근마켓")
    made = await register_company(db, "당근마켓", [DAANGN])
    assert made.company_id == found["(주)당근마켓"]
    company = await row(db, companies)
    assert (company["name"], company["company_origin"], company["registration_type"]) == ("당근마켓", "WATCHED", "AUTO")


async def test_a_source_already_followed_is_refused_and_nothing_of_the_company_stays(db: Database) -> None:
    made = await register_company(db, "당근마켓", [DAANGN])
    with pytest.raises(SourceFollowed) as refused:
        await register_company(db, "다른 회사", [BAEMIN, DAANGN], ["다른"])
    assert refused.value.job_source_id == made.source_ids[0]
    assert (refused.value.company_id, refused.value.disabled) == (made.company_id, False)
    assert [each["name"] for each in await rows(db, companies)] == ["당근마켓"]
    assert await rows(db, company_aliases) == []


async def test_an_alias_of_another_company_is_refused(db: Database) -> None:
    first = await register_company(db, "당근마켓", [], ["당근"])
    second = await register_company(db, "우아한형제들", [])
    for taken in ("당근", "(주) 당근마켓"):
        with pytest.raises(CompanyExists) as refused:
            await add_alias(db, second.company_id, taken)
        assert refused.value.company_id == first.company_id
    with pytest.raises(UnknownCompany):
        await add_alias(db, 999_999, "배민")
    assert await add_alias(db, second.company_id, "배민")
    assert not await add_alias(db, second.company_id, "배민 Inc.")


async def test_an_alias_takes_over_the_name_of_a_company_that_was_only_discovered(db: Database) -> None:
    await resolve(db, "당근")
    watched = await register_company(db, "당근마켓", [])
    assert await add_alias(db, watched.company_id, "당근")
    assert await resolve(db, "당근", "㈜당근") == {"당근": watched.company_id, "㈜당근": watched.company_id}


@pytest.mark.parametrize(
    ("name", "source", "field"),
    [
        ("", None, "name"),
        (" \u200b ", None, "name"),
        ("가" * 201, None, "name"),
        ("회사", CompanySource(platform=Platform.SARAMIN, source_slug="x"), "platform"),
        ("회사", CompanySource(platform=Platform.GREENHOUSE, source_slug=""), "source_slug"),
        ("회사", CompanySource(platform=Platform.GREENHOUSE, source_slug="../admin"), "source_slug"),
        ("회사", CompanySource(platform=Platform.INCRUIT, source_slug=".."), "source_slug"),
        ("회사", CompanySource(platform=Platform.GREENHOUSE, source_slug="a?b"), "source_slug"),
        ("회사", CompanySource(platform=Platform.GREENHOUSE, source_slug="a" * 201), "source_slug"),
        (
            "회사",
            CompanySource(platform=Platform.GREENHOUSE, source_slug="x", base_url="https://evil.example/x"),
            "base_url",
        ),
    ],
)
async def test_a_bad_value_is_refused_by_the_name_of_its_field(
    db: Database, name: str, source: CompanySource | None, field: str
) -> None:
    with pytest.raises(InvalidValue) as refused:
        await register_company(db, name, [source] if source else [])
    assert refused.value.field == field
    assert await rows(db, companies) == []


async def test_the_platforms_own_address_is_kept_as_base_url(db: Database) -> None:
    host = adapter_of(Platform.GREENHOUSE).capabilities.compliance.host
    address = f"https://{host}/v1/boards/daangn"
    await register_company(
        db, "당근마켓", [CompanySource(platform=Platform.GREENHOUSE, source_slug="daangn", base_url=address)]
    )
    assert (await list_sources(db))[0].base_url == address


async def test_a_search_is_followed_once_per_category_and_keyword(db: Database) -> None:
    code = category(Platform.SARAMIN)
    plain = await register_aggregator_source(db, Platform.SARAMIN, code)
    worded = await register_aggregator_source(db, Platform.SARAMIN, code, " 백엔드  개발 ")
    assert plain != worded
    with pytest.raises(SourceFollowed) as refused:
        await register_aggregator_source(db, Platform.SARAMIN, code, "백엔드 개발")
    assert refused.value.job_source_id == worded
    sources = {source.id: source for source in await list_sources(db)}
    assert (sources[plain].search_keyword, sources[worded].search_keyword) == ("", "백엔드 개발")
    assert (sources[plain].company_id, sources[plain].source_type) == (None, SourceType.AGGREGATOR)
    assert sources[worded].target.keyword == "백엔드 개발"
    label = adapter_of(Platform.SARAMIN).categories()[0].label
    assert [sources[plain].label, sources[worded].label] == [f"SARAMIN {label}", f'SARAMIN {label} "백엔드 개발"']


async def test_an_unknown_category_is_refused_by_naming_the_known_ones(db: Database) -> None:
    with pytest.raises(UnknownCategory) as refused:
        await register_aggregator_source(db, Platform.SARAMIN, "no-such-code")
    assert category(Platform.SARAMIN) in refused.value.known
    with pytest.raises(InvalidValue):
        await register_aggregator_source(db, Platform.GREENHOUSE, "x")
    with pytest.raises(InvalidValue):
        await register_aggregator_source(db, Platform.SARAMIN, category(Platform.SARAMIN), "가" * 201)


async def test_a_disabled_source_is_kept_but_not_collected_and_seeds_anew_when_enabled(
    db: Database, clock: ManualClock
) -> None:
    made = await register_company(db, "당근마켓", [DAANGN, BAEMIN])
    first, second = made.source_ids
    await transaction(db, store.save_seeded, first, clock.now())
    clock.advance(timedelta(days=1))
    disabled = (await disable_source(db, first)).source
    assert disabled.disabled_at == clock.now()
    assert [source.id for source in await reading(db, store.load_active_targets)] == [second]
    clock.advance(timedelta(days=1))
    assert (await disable_source(db, first)).source.disabled_at == disabled.disabled_at
    assert (await list_companies(db)).companies[0].source_count == 1
    enabled = (await enable_source(db, first)).source
    assert (enabled.disabled_at, enabled.seeded_at) == (None, None)
    for switch in (disable_source, enable_source):
        with pytest.raises(UnknownSource):
            await switch(db, 999_999)


async def test_registering_a_disabled_search_again_enables_it(db: Database) -> None:
    code = category(Platform.WANTED)
    source_id = await register_aggregator_source(db, Platform.WANTED, code)
    await disable_source(db, source_id)
    assert await register_aggregator_source(db, Platform.WANTED, code) == source_id
    assert [source.id for source in await reading(db, store.load_active_targets)] == [source_id]


async def test_active_targets_are_told_apart_by_type(db: Database) -> None:
    board = (await register_company(db, "당근마켓", [DAANGN])).source_ids[0]
    search = await register_aggregator_source(db, Platform.SARAMIN, category(Platform.SARAMIN))
    assert [source.id for source in await reading(db, store.load_active_targets)] == [board, search]
    only = await reading(db, store.load_active_targets, [SourceType.AGGREGATOR])
    assert [source.id for source in only] == [search]


async def test_seeding_ends_once(db: Database, clock: ManualClock) -> None:
    source_id = (await register_company(db, "당근마켓", [DAANGN])).source_ids[0]
    ended = clock.now()
    await transaction(db, store.save_seeded, source_id, ended)
    await transaction(db, store.save_seeded, source_id, ended + timedelta(days=1))
    assert (await list_sources(db))[0].seeded_at == ended


async def test_an_unregistered_company_of_a_posting_is_created_as_discovered(db: Database) -> None:
    """Seed 001, failure path 23: the company of an aggregator's posting is made as DISCOVERED, and its id is given."""
    found = await resolve(db, "토스", "카카오")
    made = {each["name"]: each for each in await rows(db, companies)}
    assert found == {name: each["id"] for name, each in made.items()}
    assert {each["company_origin"] for each in made.values()} == {"DISCOVERED"}
    assert {each["registration_type"] for each in made.values()} == {"MANUAL_ONLY"}
    assert await resolve(db, "카카오", "토스") == found
    assert len(await rows(db, companies)) == 2


async def test_every_spelling_on_a_page_becomes_one_company(db: Database) -> None:
    found = await resolve(db, "(주)토스", "토스", "토스 Inc.", "㈜ 토스")
    assert len(set(found.values())) == 1
    assert len(found) == 4
    assert len(await rows(db, companies)) == 1


async def test_a_boards_name_for_a_registered_company_or_alias_is_that_company(db: Database) -> None:
    made = await register_company(db, "당근마켓", [], ["Karrot"])
    names = ("(주)당근마켓", "KARROT", "karrot Co., Ltd.")
    assert await resolve(db, *names) == dict.fromkeys(names, made.company_id)
    resolved = await transaction(db, store.resolve_companies, ("KARROT", "토스"))
    assert resolved.names == {resolved.ids["KARROT"]: "당근마켓", resolved.ids["토스"]: "토스"}


async def test_names_without_content_are_left_out_and_long_ones_are_cut(db: Database) -> None:
    long = "가" * 500
    found = await resolve(db, "", "  ", "\u200b", long, "(주)", "🍣", "🍺", "a\0b")
    assert set(found) == {long, "(주)", "🍣", "🍺", "a\0b"}
    assert len(set(found.values())) == 5
    assert {each["name"] for each in await rows(db, companies)} == {"가" * 200, "(주)", "🍣", "🍺", "ab"}
    assert await resolve(db, long) == {long: found[long]}


async def test_a_page_takes_at_most_three_statements_and_a_known_one_takes_one(db: Database) -> None:
    names = [f"회사 {number}" for number in range(100)]
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith(("BEGIN", "SELECT UTC_TIMESTAMP", "SELECT utc_timestamp")):
            statements.append(statement)

    event.listen(db.engine.sync_engine, "before_cursor_execute", note)
    first = await resolve(db, *names)
    assert len(statements) == 3, statements
    statements.clear()
    assert await resolve(db, *names) == first
    assert len(statements) == 1, statements
    event.remove(db.engine.sync_engine, "before_cursor_execute", note)


async def test_companies_are_listed_watched_ones_first_and_in_pages(db: Database) -> None:
    await resolve(db, *(f"발견 {number}" for number in range(5)))
    await register_company(db, "하나", [])
    page = await list_companies(db, size=2)
    assert (page.total_count, [one.name for one in page.companies]) == (6, ["하나", "발견 0"])
    last = await list_companies(db, page=2, size=2)
    assert [one.name for one in last.companies] == ["발견 3", "발견 4"]
    watched = await list_companies(db, CompanyOrigin.WATCHED)
    assert (watched.total_count, watched.companies[0].name) == (1, "하나")
