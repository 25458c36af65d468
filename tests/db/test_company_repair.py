"""Putting a registration right on every engine: boards and aliases added and removed, promotion, views with health."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import insert

from daemon.clock import ManualClock
from daemon.collection.tables import job_source_health
from daemon.company import store
from daemon.company.actions import (
    add_alias,
    disable_source,
    enable_source,
    find_boards,
    find_company,
    follow_board,
    promote_company,
    register_aggregator_source,
    register_company,
    remove_alias,
)
from daemon.company.model import (
    CompanyExists,
    CompanyOrigin,
    CompanySource,
    InvalidValue,
    RegistrationType,
    SourceFollowed,
    Unfit,
    UnknownAlias,
    UnknownCompany,
    UnknownCompanyName,
    UnknownSource,
)
from daemon.company.tables import companies, company_aliases, job_sources
from daemon.db import Database, transaction
from daemon.flags.model import FlagKey
from daemon.operations.companies.actions import list_aggregator_sources, list_companies, show_company
from daemon.operations.companies.model import BrokenStatus
from daemon.sources.model import Platform
from tests.databases import open_second
from tests.engines import engine_on, row, rows, switch_on, work, write

DAANGN = CompanySource(platform=Platform.GREENHOUSE, source_slug="daangn")
KRAFTON = CompanySource(platform=Platform.GREENHOUSE, source_slug="krafton")


async def discover(db: Database, name: str) -> int:
    return (await transaction(db, store.resolve_companies, [name])).ids[name]


async def break_source(db: Database, job_source_id: int, clock: ManualClock) -> None:
    now = clock.now()
    await write(
        db,
        insert(job_source_health).values(
            job_source_id=job_source_id,
            consecutive_abnormal_days=3,
            broken_since=now,
            failure_episode=1,
            created_at=now,
            updated_at=now,
        ),
    )


async def test_promotion_watches_a_discovered_company_once_and_leaves_the_rest_of_it(db: Database) -> None:
    found = await discover(db, "(주)토스")
    promoted = await promote_company(db, found)
    assert (promoted.company_origin, promoted.name, promoted.changed) == (CompanyOrigin.WATCHED, "(주)토스", True)
    company = await row(db, companies)
    assert (company["company_origin"], company["registration_type"]) == ("WATCHED", "MANUAL_ONLY")
    assert not (await promote_company(db, found)).changed
    with pytest.raises(UnknownCompany):
        await promote_company(db, 999_999)


async def test_a_board_added_later_makes_the_company_automatic(db: Database) -> None:
    company_id = (await register_company(db, "당근마켓", [])).company_id
    followed = await follow_board(db, company_id, DAANGN)
    assert not followed.enabled_again
    shown = await show_company(db, company_id)
    assert shown.registration_type is RegistrationType.AUTO
    assert [(each.job_source_id, each.source_slug) for each in shown.sources] == [(followed.job_source_id, "daangn")]


async def test_a_board_added_to_a_discovered_company_promotes_it(db: Database) -> None:
    found = await discover(db, "당근마켓")
    await follow_board(db, found, DAANGN)
    shown = await show_company(db, found)
    assert (shown.company_origin, shown.registration_type) == (CompanyOrigin.WATCHED, RegistrationType.AUTO)


async def test_a_board_is_refused_when_it_is_followed_and_enabled_when_it_was_off(
    db: Database, clock: ManualClock
) -> None:
    made = await register_company(db, "당근마켓", [DAANGN])
    other = await register_company(db, "크래프톤", [])
    for company_id in (made.company_id, other.company_id):
        with pytest.raises(SourceFollowed) as refused:
            await follow_board(db, company_id, DAANGN)
        assert refused.value.company_id == made.company_id
    await disable_source(db, made.source_ids[0])
    with pytest.raises(SourceFollowed) as refused:
        await follow_board(db, other.company_id, DAANGN)
    assert refused.value.disabled
    again = await follow_board(db, made.company_id, DAANGN)
    assert (again.job_source_id, again.enabled_again) == (made.source_ids[0], True)
    assert (await row(db, job_sources))["disabled_at"] is None
    assert (await show_company(db, other.company_id)).registration_type is RegistrationType.MANUAL_ONLY
    with pytest.raises(UnknownCompany):
        await follow_board(db, 999_999, KRAFTON)


async def test_a_registration_that_names_a_board_twice_is_refused(db: Database) -> None:
    with pytest.raises(InvalidValue) as refused:
        await register_company(db, "당근마켓", [DAANGN, KRAFTON, DAANGN])
    assert (refused.value.field, refused.value.unfit) == ("sources", Unfit.GIVEN_TWICE)
    assert await rows(db, companies) == []


async def test_switching_a_source_tells_whether_it_changed_anything_and_whose_it_must_be(db: Database) -> None:
    made = await register_company(db, "당근마켓", [DAANGN])
    search = await register_aggregator_source(db, Platform.SARAMIN, "84")
    board = made.source_ids[0]
    for owner, job_source_id in ((None, board), (made.company_id + 1, board), (made.company_id, search)):
        with pytest.raises(UnknownSource):
            await disable_source(db, job_source_id, owner)
    assert (await rows(db, job_sources))[0]["disabled_at"] is None
    assert (await disable_source(db, board, made.company_id)).changed
    assert not (await disable_source(db, board, made.company_id)).changed
    assert (await disable_source(db, search, None)).changed
    assert (await enable_source(db, board)).changed
    assert not (await enable_source(db, board)).changed


async def test_a_disabled_source_gets_no_cycle_the_next_day(db: Database, clock: ManualClock) -> None:
    await switch_on(db, FlagKey.COLLECTION_DISPATCH_V2)
    made = await register_company(db, "당근마켓", [DAANGN, KRAFTON])
    await disable_source(db, made.source_ids[0])
    async with engine_on(db, {Platform.GREENHOUSE: "http://127.0.0.1:9"}) as engine:
        assert [claim.source.id for claim in await work(engine)] == [made.source_ids[1]]
        clock.advance(timedelta(days=1))
        await enable_source(db, made.source_ids[0])
        await disable_source(db, made.source_ids[1])
        assert [claim.source.id for claim in await work(engine)] == [made.source_ids[0]]


async def test_an_alias_is_removed_by_any_spelling_or_its_id_and_only_from_its_company(db: Database) -> None:
    made = await register_company(db, "당근마켓", [], ["당근", "Karrot"])
    other = await register_company(db, "우아한형제들", [], ["배민"])
    removed = await remove_alias(db, made.company_id, "KARROT Inc.")
    assert removed.alias == "Karrot"
    (kept,) = (await show_company(db, made.company_id)).aliases
    for wrong in ("없는 이름", "배민", 999_999, "당근마켓"):
        with pytest.raises(UnknownAlias):
            await remove_alias(db, made.company_id, wrong)
    with pytest.raises(UnknownAlias):
        await remove_alias(db, other.company_id, kept.alias_id)
    assert (await remove_alias(db, made.company_id, kept.alias_id)).alias == "당근"
    assert await discover(db, "당근") != made.company_id
    with pytest.raises(UnknownCompany):
        await remove_alias(db, 999_999, "당근")
    assert [each["alias"] for each in await rows(db, company_aliases)] == ["배민"]


async def test_a_company_is_found_by_every_name_it_has_and_by_its_id(db: Database) -> None:
    made = await register_company(db, "당근마켓", [], ["Karrot"])
    for given in ("당근마켓", "㈜ 당근 마켓", "KARROT", str(made.company_id)):
        assert await find_company(db, given) == made.company_id
    for given in ("없는 회사", str(made.company_id + 1), "0", "9" * 25, "", "-1"):
        with pytest.raises(UnknownCompanyName):
            await find_company(db, given)
    # A name is a name, also when it is made of digits.
    named = await register_company(db, str(made.company_id), [])
    assert await find_company(db, str(made.company_id)) == named.company_id


@pytest.mark.parametrize(
    ("name", "unfit"),
    [
        ("당근\n마켓", Unfit.CONTROL_CHARACTERS),
        ("당근마켓\n", Unfit.CONTROL_CHARACTERS),
        ("당근\t마켓", Unfit.CONTROL_CHARACTERS),
        ("당근\x00", Unfit.CONTROL_CHARACTERS),
        ("당근\x1b[31m", Unfit.CONTROL_CHARACTERS),
        ("당근\u2028마켓", Unfit.CONTROL_CHARACTERS),
        ("당근\u202egnp.exe", Unfit.CONTROL_CHARACTERS),
        ("당근\ud800", Unfit.CONTROL_CHARACTERS),
        ("\u200b", Unfit.EMPTY),
        ("가" * 201, Unfit.TOO_LONG),
    ],
)
async def test_names_and_aliases_with_what_no_name_has_are_refused(db: Database, name: str, unfit: Unfit) -> None:
    with pytest.raises(InvalidValue) as refused:
        await register_company(db, name, [])
    assert (refused.value.field, refused.value.unfit) == ("name", unfit)
    with pytest.raises(InvalidValue) as refused:
        await register_company(db, "회사", [], [name])
    assert (refused.value.field, refused.value.unfit) == ("aliases", unfit)
    made = await register_company(db, "회사", [])
    with pytest.raises(InvalidValue) as refused:
        await add_alias(db, made.company_id, name)
    assert (refused.value.field, refused.value.unfit) == ("alias", unfit)


async def test_boards_that_are_followed_are_found_among_candidates(db: Database) -> None:
    made = await register_company(db, "당근마켓", [DAANGN])
    found = await find_boards(db, [KRAFTON, DAANGN])
    assert [source.id for source in found] == list(made.source_ids)
    assert await find_boards(db, [CompanySource(platform=Platform.INCRUIT, source_slug="daangn")]) == ()
    assert await find_boards(db, []) == ()


async def test_the_list_of_companies_counts_sources_and_broken_ones(db: Database, clock: ManualClock) -> None:
    made = await register_company(db, "당근마켓", [DAANGN, KRAFTON], ["당근"])
    await discover(db, "토스")
    first, second = made.source_ids
    await break_source(db, first, clock)
    page = await list_companies(db)
    assert (page.total_count, page.watched_count, page.discovered_count) == (2, 1, 1)
    watched, discovered = page.companies
    assert (watched.name, watched.source_count, watched.broken_source_count) == ("당근마켓", 2, 1)
    assert watched.aliases == ("당근",)
    assert (discovered.name, discovered.source_count, discovered.broken_source_count) == ("토스", 0, 0)
    boards = {board.job_source_id: board for board in (await show_company(db, made.company_id)).sources}
    assert (boards[first].broken_status, boards[first].broken_since) == (BrokenStatus.BROKEN, clock.now())
    assert (boards[second].broken_status, boards[second].broken_since) == (BrokenStatus.NORMAL, None)
    await disable_source(db, first)
    (watched,) = (await list_companies(db, CompanyOrigin.WATCHED)).companies
    assert (watched.source_count, watched.broken_source_count) == (1, 0)
    (discovered,) = (await list_companies(db, CompanyOrigin.DISCOVERED)).companies
    assert discovered.name == "토스"


async def test_searches_are_listed_with_label_and_health_also_when_disabled(db: Database, clock: ManualClock) -> None:
    await register_company(db, "당근마켓", [DAANGN])
    first = await register_aggregator_source(db, Platform.SARAMIN, "84", "백엔드")
    second = await register_aggregator_source(db, Platform.JUMPIT, "1")
    await break_source(db, first, clock)
    await disable_source(db, second)
    saramin, jumpit = (await list_aggregator_sources(db)).sources
    assert (saramin.job_source_id, saramin.search_category_label, saramin.search_keyword) == (
        first,
        "백엔드/서버개발",
        "백엔드",
    )
    assert (saramin.broken_status, saramin.disabled) == (BrokenStatus.BROKEN, False)
    assert (jumpit.job_source_id, jumpit.disabled, jumpit.disabled_at) == (second, True, clock.now())
    assert (jumpit.search_keyword, jumpit.broken_status) == ("", BrokenStatus.NORMAL)


async def test_of_two_that_add_one_board_or_one_alias_at_once_one_is_refused(db: Database) -> None:
    one = (await register_company(db, "하나", [])).company_id
    two = (await register_company(db, "둘", [])).company_id
    async with open_second(db) as second:
        for number in range(15):
            board = CompanySource(platform=Platform.GREENHOUSE, source_slug=f"board{number}")
            asked = await asyncio.gather(
                follow_board(db, one, board), follow_board(second, two, board), return_exceptions=True
            )
            assert [type(each) for each in asked if isinstance(each, BaseException)] == [SourceFollowed], asked
            named = await asyncio.gather(
                add_alias(db, one, f"별명 {number}"), add_alias(second, two, f"별명{number}"), return_exceptions=True
            )
            assert [type(each) for each in named if isinstance(each, BaseException)] == [CompanyExists], named
    assert len(await rows(db, job_sources)) == 15
    assert len(await rows(db, company_aliases)) == 15


async def test_of_two_promotions_at_once_one_changes_something(db: Database) -> None:
    found = await discover(db, "토스")
    async with open_second(db) as second:
        done = await asyncio.gather(promote_company(db, found), promote_company(second, found))
    assert sorted(each.changed for each in done) == [False, True]
