"""The demo world: the same for everyone, with events on its days."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from daemon.clock import business_date, kst
from daemon.demo.sources import demo_sources, many_sources
from daemon.demo.world import Arrangement, BoardPlan, Trait, TroubleKind, World
from daemon.demo.world.plans import PLANS
from daemon.demo.world.words import BACKEND
from daemon.sources.model import Platform

SMALL = 0.1


def everything(world: World, number: int) -> dict[str, object]:
    day = world.on(world.day_number(number))
    return {f"{plan.platform} {plan.code}": day.listed(plan.platform, plan.code) for plan in PLANS}


def test_two_worlds_with_the_same_arguments_are_equal_posting_by_posting() -> None:
    assert everything(World(scale=SMALL), 3) == everything(World(scale=SMALL), 3)


def test_a_board_does_not_depend_on_which_boards_were_looked_at_before() -> None:
    late, early = World(scale=SMALL), World(scale=SMALL)
    everything(late, 2)
    assert late.board(Platform.WANTED, "518") == early.board(Platform.WANTED, "518")


def test_another_seed_is_another_world() -> None:
    assert everything(World(scale=SMALL, seed=2), 1) != everything(World(scale=SMALL), 1)


def test_the_start_can_be_moved_without_changing_the_story() -> None:
    usual, moved = World(scale=SMALL), World(scale=SMALL, first_day=World().first_day + timedelta(days=100))

    def titles(world: World) -> list[str]:
        listed = world.on(world.day_number(4)).listed(Platform.SARAMIN, "84") or ()
        return [one.title for one in listed]

    assert titles(usual) == titles(moved)


def test_no_two_listings_of_a_site_share_an_id(world: World) -> None:
    ids: dict[tuple[Platform, str], object] = {}
    for platform, code in world.plans:
        for listing in world.board(platform, code) or ():
            assert ids.setdefault((platform, listing.site_id), listing) is listing


def test_the_large_category_has_27_pages_of_100(world: World) -> None:
    for number in range(1, world.days + 1):
        listed = world.on(world.day_number(number)).listed(Platform.SARAMIN, "84")
        assert listed is not None
        assert 2600 < len(listed) <= 2700


def test_scale_multiplies_the_boards(world: World) -> None:
    usual = world.on(world.first_day).listed(Platform.REMEMBER, "310")
    double = World(scale=2.0).on(world.first_day).listed(Platform.REMEMBER, "310")
    assert usual is not None
    assert double is not None
    assert len(double) == 2 * len(usual)


def test_a_keyword_narrows_a_list(world: World) -> None:
    day = world.on(world.first_day)
    found = day.listed(Platform.SARAMIN, "84", "kotlin") or ()
    assert 0 < len(found) < 2640
    assert all("kotlin" in f"{one.title} {one.body.lines}".casefold() for one in found)


def test_a_posting_stands_in_its_list_until_its_last_day_and_not_longer(world: World) -> None:
    for platform, code in world.plans:
        for number in range(1, world.days + 1):
            day = world.day_number(number)
            for one in world.on(day).listed(platform, code) or ():
                if not one.withdrawn and one.deadline is not None:
                    assert business_date(one.deadline) >= day


def test_lists_are_newest_first_and_woowahans_by_edit(world: World) -> None:
    day = world.on(world.day_number(4))
    saramin = [one.listing.posted for one in day.listed(Platform.SARAMIN, "84") or ()]
    woowahan = [one.version.since for one in day.listed(Platform.WOOWAHAN, "woowahan") or ()]
    assert saramin == sorted(saramin, reverse=True)
    assert woowahan == sorted(woowahan, reverse=True)


@pytest.mark.parametrize("plan", [plan for plan in PLANS if plan.size <= 400], ids=lambda plan: plan.code)
def test_every_board_plays_the_scripted_fates_of_its_newest_postings(world: World, plan: BoardPlan) -> None:
    board = world.board(plan.platform, plan.code)
    assert board is not None
    newest = [board[plan.size - 1 - position] for position in range(4)]

    def days_listed(position: int) -> list[int]:
        return [number for number in range(1, 7) if newest[position].listed_on(world.day_number(number))]

    edits = [version.since for version in newest[0].vacancy.versions[1:]]
    assert edits == [world.day_number(2)]
    assert days_listed(1) == [1, 2]
    assert days_listed(2) == [1, 2, 4, 5, 6]
    assert days_listed(3) == [1, 5, 6]


def test_an_edit_changes_what_the_sites_signature_looks_at(world: World) -> None:
    text_shows_edits = {Platform.GREENHOUSE, Platform.WOOWAHAN, Platform.INCRUIT}
    for platform, code in world.plans:
        for listing in world.board(platform, code) or ():
            for before, after in zip(listing.vacancy.versions, listing.vacancy.versions[1:], strict=False):
                assert after.number == before.number + 1
                visible = (before.title, before.deadline) != (after.title, after.deadline)
                assert visible or (platform in text_shows_edits and before.body != after.body)


def test_the_same_vacancy_stands_on_several_sites_under_several_company_names(world: World) -> None:
    groups = {
        found[0].vacancy.versions[0].title: {(one.platform, one.company_name) for one in found}
        for found in world.cross_posted().values()
    }
    assert groups["백엔드 개발자 (Kotlin/Spring)"] == {
        (Platform.GREENHOUSE, "당근마켓"),
        (Platform.SARAMIN, "(주)당근마켓"),
        (Platform.WANTED, "당근마켓"),
    }
    assert (Platform.WANTED, "당근") in groups["Frontend Engineer, 로컬 커뮤니티"]
    assert len(groups) == 7


def test_a_vacancy_of_one_name_with_deadlines_40_days_apart_is_two_vacancies(world: World) -> None:
    twins = [
        listing
        for platform, code in ((Platform.SARAMIN, "84"), (Platform.JUMPIT, "1"))
        for listing in world.board(platform, code) or ()
        if listing.vacancy.company == "갈매소프트"
    ]
    deadlines = [one.vacancy.versions[0].deadline for one in twins]
    assert len(twins) == 2
    assert len({one.vacancy.key for one in twins}) == 2
    assert deadlines[0] is not None
    assert deadlines[1] is not None
    assert abs(deadlines[1] - deadlines[0]) > timedelta(days=30)


def test_no_other_vacancy_stands_on_two_boards(world: World) -> None:
    companies: dict[tuple[str, str], set[tuple[Platform, str]]] = {}
    for platform, code in world.plans:
        for listing in world.board(platform, code) or ():
            if not listing.vacancy.key.startswith("story/"):
                key = (listing.vacancy.company, listing.vacancy.versions[0].title)
                companies.setdefault(key, set()).add((platform, code))
    assert [key for key, boards in companies.items() if len(boards) > 1] == []


def test_texts_name_remote_work_in_every_sense(world: World) -> None:
    listed = world.on(world.first_day).listed(Platform.SARAMIN, "84") or ()
    kinds = Counter(one.vacancy.arrangement for one in listed)
    assert set(kinds) == set(Arrangement)
    denied = next(one for one in listed if one.vacancy.arrangement is Arrangement.DENIED)
    words = ("재택", "원격", "remote")
    assert any(word in line for line in denied.body.conditions for word in words)


def test_ten_days_bring_every_kind_of_trouble_that_is_scripted_and_a_calm_world_none() -> None:
    def kinds(world: World) -> set[TroubleKind]:
        days = [world.day_number(number) for number in range(1, 11)]
        return {trouble.kind for day in days for platform in Platform for trouble in world.troubles(platform, day)}

    assert len(kinds(World(days=10))) == 9
    assert kinds(World(days=10, calm=True)) == set()


def test_nothing_is_wrong_on_the_first_day_and_before(world: World) -> None:
    for platform in Platform:
        assert world.troubles(platform, world.first_day) == ()
        assert world.troubles(platform, world.first_day - timedelta(days=8)) == ()


def test_syllables_that_only_cp949_has_and_restricted_postings_are_on_incruit(world: World) -> None:
    listed = world.on(world.first_day).listed(Platform.INCRUIT, "khmc") or ()
    assert any("뷁" in one.title for one in listed)
    assert any(one.has(Trait.LOGIN_REDIRECT) for one in listed)


def test_boards_can_be_added_for_a_benchmark() -> None:
    plan = BoardPlan(platform=Platform.SARAMIN, code="235", size=5000, families=(BACKEND,))
    world = World(scale=SMALL, plans=[plan])
    listed = world.on(world.first_day).listed(Platform.SARAMIN, "235")
    assert listed is not None
    assert len(listed) == 5000
    assert len({one.site_id for one in listed}) == 5000


def test_every_demo_source_has_postings_and_an_unknown_board_none(world: World) -> None:
    day = world.on(world.first_day)
    for source in demo_sources():
        assert day.listed(source.platform, source.board), source
    assert day.listed(Platform.GREENHOUSE, "dunamu") is None
    assert {source.platform for source in demo_sources()} == set(Platform)


def test_200_sources_are_200_small_boards_of_200_companies(world: World) -> None:
    sources = many_sources(200)
    day = world.on(world.first_day)
    assert len({(source.platform, source.slug) for source in sources}) == 200
    assert len({source.company_name for source in sources}) == 200
    for source in sources:
        listed = day.listed(source.platform, source.slug) or ()
        assert 3 <= len(listed) <= 7, source


def test_woowahan_ids_carry_the_month_and_incruit_ids_the_day_of_registration(world: World) -> None:
    day = world.on(world.first_day)
    for one in day.listed(Platform.WOOWAHAN, "woowahan") or ():
        assert one.site_id.startswith(f"R{one.listing.posted:%y%m}")
    for one in day.listed(Platform.INCRUIT, "khmc") or ():
        assert one.site_id.startswith(f"{one.listing.posted:%y%m%d}")
        assert len(one.site_id) == 10


def test_deadlines_without_a_clock_time_are_the_end_of_a_korean_day(world: World) -> None:
    for one in world.on(world.first_day).listed(Platform.SARAMIN, "92") or ():
        if one.deadline is not None and one.last_day is not None:
            assert one.deadline == kst(one.last_day, 23, 59, 59)
