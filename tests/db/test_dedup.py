"""The 08:30 job over stored postings: who stands for whom, who may be told, and what moves (FR-63 to FR-65)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.company.actions import add_alias
from daemon.company.model import CompanyOrigin
from daemon.company.tables import job_sources
from daemon.db import Database, reading, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.jobs import timetable_jobs
from daemon.posting.actions import deduplicate
from daemon.posting.model import CopyGroup, Deduplicated, Observed, Recording
from daemon.posting.record import record_missed, record_observed
from daemon.posting.store import group_of
from daemon.posting.tables import job_postings
from daemon.schedule.model import JobName
from daemon.sources.model import Platform, RawJobPosting
from tests.engines import DAY, add_source, engine_on, keyed, newest, row, switch_on, write
from tests.postings import add_company, add_posting, eligible, representatives


@dataclass(frozen=True)
class World:
    """A company with a board of its own, two aggregators, and deduplication switched on."""

    db: Database
    company: int
    direct: int
    saramin: int
    jumpit: int

    async def add(self, source: int | None, **columns: Any) -> int:
        return await add_posting(self.db, self.company, source, **columns)

    async def run(self) -> Deduplicated:
        return await deduplicate(self.db)

    async def edit(self, posting: int, **columns: Any) -> None:
        """What the engine's writes do: an edit raises the mark."""
        change = job_postings.update().where(job_postings.c.id == posting)
        await write(self.db, change.values(dedup_pending=1, **columns))


@pytest.fixture
async def world(db: Database) -> World:
    await switch_on(db, FlagKey.CROSS_SOURCE_DEDUP)
    direct = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    saramin = await add_source(db, Platform.SARAMIN, seeded=True, category="84")
    jumpit = await add_source(db, Platform.JUMPIT, seeded=True, category="1")
    return World(db, company, direct, saramin, jumpit)


# --- seed 001, 크로스 소스 대표 선정, row by row


async def test_a_single_posting_stands_for_itself_and_stays_eligible(world: World) -> None:
    """그룹 내 공고 1건 → 그 공고가 대표 (`representativeId=NULL`)."""
    only = await world.add(world.saramin)
    await world.run()
    assert await representatives(world.db) == {only: None}
    assert await eligible(world.db) == {only}


async def test_the_companys_own_posting_stands_for_its_copies_which_are_not_told(world: World) -> None:
    """회사 직접 1 + 애그리게이터 N. Seed 001, failure path 24: Greenhouse를 대표로, 사람인을 비대표로 링크."""
    first, second = await world.add(world.saramin), await world.add(world.jumpit)
    direct = await world.add(world.direct)
    done = await world.run()
    assert await representatives(world.db) == {first: direct, second: direct, direct: None}
    assert await eligible(world.db) == {direct}
    assert done == Deduplicated(enabled=True, keys=1, duplicates=2, changed=2)


async def test_among_aggregators_the_posting_found_first_stands_for_all(world: World, clock: ManualClock) -> None:
    """애그리게이터만 M건 (전부 OPEN) → 가장 이른 `firstSeenAt` 1건이 대표."""
    late = await world.add(world.saramin, first_seen_at=clock.now() + DAY)
    early = await world.add(world.jumpit, first_seen_at=clock.now())
    await world.run()
    assert await representatives(world.db) == {late: early, early: None}


async def test_an_open_posting_stands_for_closed_ones(world: World, clock: ManualClock) -> None:
    """OPEN 1 + CLOSED N (같은 sourceType) → OPEN이 대표, CLOSED는 비대표."""
    closed = await world.add(world.saramin, posting_status="CLOSED", first_seen_at=clock.now() - DAY)
    opened = await world.add(world.jumpit)
    await world.run()
    assert await representatives(world.db) == {closed: opened, opened: None}


async def test_of_closed_postings_the_one_found_first_stays_to_stand_for_all(world: World, clock: ManualClock) -> None:
    """그룹 전체가 CLOSED → 가장 이른 `firstSeenAt` CLOSED 1건이 대표."""
    late = await world.add(world.saramin, posting_status="CLOSED", first_seen_at=clock.now() + DAY)
    early = await world.add(world.jumpit, posting_status="CLOSED")
    await world.run()
    assert await representatives(world.db) == {late: early, early: None}


async def test_when_the_companys_own_posting_appears_the_old_representative_is_demoted(world: World) -> None:
    """애그리게이터가 대표였는데 회사 직접본 등장 → 재선정, 기존 대표 강등."""
    old, other = await world.add(world.saramin), await world.add(world.jumpit)
    await world.run()
    assert await representatives(world.db) == {old: None, other: old}
    direct = await world.add(world.direct)
    await world.run()
    assert await representatives(world.db) == {old: direct, other: direct, direct: None}
    assert await eligible(world.db) == {direct}


@pytest.mark.parametrize(("days", "same"), [(30, True), (31, False)])
async def test_deadlines_more_than_30_days_apart_are_two_postings(world: World, days: int, same: bool) -> None:
    """마감일이 30일 이상 차이 → 같은 dedupKey여도 별개 대표 (FR-63)."""
    deadline = world.db.clock.now() + DAY
    direct = await world.add(world.direct, deadline_at=deadline)
    other = await world.add(world.saramin, deadline_at=deadline + timedelta(days=days))
    await world.run()
    assert await representatives(world.db) == {direct: None, other: direct if same else None}
    assert await eligible(world.db) == ({direct} if same else {direct, other})


async def test_with_the_flag_off_nothing_is_grouped_and_every_posting_stands_for_itself(world: World) -> None:
    """Seed 001, failure path 30: dedup 플래그 OFF → 그룹핑 안 함, 전부 대표 취급."""
    await switch_flag(world.db, FlagKey.CROSS_SOURCE_DEDUP, False)
    direct, other = await world.add(world.direct), await world.add(world.saramin)
    done = await world.run()
    assert (done.enabled, done.changed) == (False, 0)
    assert await representatives(world.db) == {direct: None, other: None}
    assert await eligible(world.db) == {direct, other}


# --- the flag back and forth, re-election, eligibility


async def test_switching_the_flag_off_sets_duplicates_free_and_on_again_finds_them_again(world: World) -> None:
    """`representative_id`를 NULL로 되돌리면 복구 (Release Scenario 7)."""
    direct, other = await world.add(world.direct), await world.add(world.saramin)
    await world.run()
    grouped = await keyed(world.db, job_postings, "id")
    await switch_flag(world.db, FlagKey.CROSS_SOURCE_DEDUP, False)
    assert (await world.run()).changed == 1
    assert await representatives(world.db) == {direct: None, other: None}
    assert await eligible(world.db) == {direct, other}
    await switch_flag(world.db, FlagKey.CROSS_SOURCE_DEDUP, True)
    await world.run()
    assert await keyed(world.db, job_postings, "id") == grouped


async def test_a_posting_found_while_seeding_is_never_eligible_whoever_stands_for_whom(world: World) -> None:
    """Seed 001, failure path 13: 시딩 공고는 영구히 제외 (FR-10), also through re-elections and the flag."""
    seeded = await world.add(world.saramin, notification_eligible=0)
    await world.run()
    direct = await world.add(world.direct)
    await world.run()
    await world.edit(direct, title="다른 공고", dedup_key="다른")
    await world.run()
    assert await representatives(world.db) == {seeded: None, direct: None}
    assert await eligible(world.db) == {direct}


async def test_a_duplicate_that_stands_for_itself_again_is_as_eligible_as_it_was_found(world: World) -> None:
    """The representative closes, the copy on a board is open: 유효한 지원 경로를 대표로."""
    direct, other = await world.add(world.saramin), await world.add(world.jumpit)
    await world.run()
    await world.edit(direct, posting_status="CLOSED")
    await world.run()
    assert await representatives(world.db) == {direct: other, other: None}
    assert await eligible(world.db) == {other}


async def test_a_group_tells_its_history_over_re_elections_so_that_nothing_is_told_twice(world: World) -> None:
    """Seed 001, failure path 25: what was told of the old representative counts for the new one (FR-65)."""
    told = await world.add(world.saramin)
    await world.run()
    direct = await world.add(world.direct)
    await world.run()
    found = await reading(world.db, group_of, [direct, told])
    assert found[direct] == found[told] == CopyGroup(representative_id=direct, posting_ids=(direct, told))


async def test_a_copy_found_after_0830_belongs_to_its_group_at_0900_already(world: World) -> None:
    told = await world.add(world.saramin)
    await world.run()
    fresh = await world.add(world.jumpit)
    elsewhere = await world.add(world.jumpit, title="프론트엔드 개발자")
    found = await reading(world.db, group_of, [fresh, elsewhere, 999])
    assert found == {
        fresh: CopyGroup(representative_id=told, posting_ids=(told, fresh)),
        elsewhere: CopyGroup(representative_id=elsewhere, posting_ids=(elsewhere,)),
    }


async def test_with_the_flag_off_each_posting_is_a_group_of_its_own(world: World) -> None:
    first, second = await world.add(world.saramin), await world.add(world.jumpit)
    await world.run()
    await switch_flag(world.db, FlagKey.CROSS_SOURCE_DEDUP, False)
    found = await reading(world.db, group_of, [first, second])
    assert [group.posting_ids for group in found.values()] == [(first,), (second,)]


# --- what was touched


async def test_a_posting_nobody_touched_is_not_looked_at_again(world: World) -> None:
    await world.add(world.saramin)
    await world.add(world.jumpit, title="프론트엔드 개발자")
    assert (await world.run()).keys == 2
    assert await world.run() == Deduplicated(enabled=True)
    await world.add(world.jumpit)
    assert (await world.run()).keys == 1


async def test_grouping_is_no_edit(world: World, clock: ManualClock) -> None:
    """A person's `If-Match` must not fail because another copy was found."""
    direct, other = await world.add(world.direct), await world.add(world.saramin)
    clock.advance(DAY)
    await world.run()
    found = await keyed(world.db, job_postings, "id")
    assert found[other]["representative_id"] == direct
    assert [(found[id]["version"], found[id]["updated_at"]) for id in (direct, other)] == [(0, clock.now() - DAY)] * 2


async def test_when_a_representative_moves_to_another_key_those_left_behind_choose_again(world: World) -> None:
    direct, first, second = [await world.add(source) for source in (world.direct, world.saramin, world.jumpit)]
    await world.run()
    await world.edit(direct, title="데이터 엔지니어", dedup_key="회사daangn|데이터엔지니어")
    done = await world.run()
    assert await representatives(world.db) == {direct: None, first: None, second: first}
    assert await eligible(world.db) == {direct, first}
    assert done.left == 0


async def test_when_the_first_of_a_round_moves_to_another_key_the_rounds_it_leaves_are_drawn_anew(world: World) -> None:
    """Its deadline kept the other two apart; and it joins the copies of what it is now."""
    start = world.db.clock.now()
    moving = await world.add(world.saramin, deadline_at=start)
    second = await world.add(world.jumpit, deadline_at=start + 25 * DAY, first_seen_at=start + DAY)
    third = await world.add(world.direct, deadline_at=start + 40 * DAY)
    other = await world.add(world.jumpit, title="데이터 엔지니어", first_seen_at=start - DAY)
    await world.run()
    assert await representatives(world.db) == {moving: None, second: moving, third: None, other: None}
    await world.edit(moving, title="데이터 엔지니어", dedup_key="회사daangn|데이터엔지니어")
    done = await world.run()
    assert await representatives(world.db) == {moving: other, second: third, third: None, other: None}
    assert done.left == 0


async def test_the_engines_own_writes_touch_what_they_change(world: World, clock: ManualClock) -> None:
    """Edited, closed by two lists without it, found again: each time the group is put right by the next run."""
    recording = Recording(
        job_source_id=world.direct,
        company_ids={},
        default_company_id=world.company,
        company_names={world.company: "회사 daangn"},
        seeding=False,
    )
    raw = RawJobPosting(
        source_job_id="1", title="백엔드 개발자", posting_url="https://x.example", deadline_at=None, signature=None
    )
    other = await world.add(world.saramin)

    async def found(title: str) -> None:
        seen = Observed(raw=RawJobPosting(**{**_fields(raw), "title": title}))
        await transaction(world.db, record_observed, recording, [seen], clock.now())
        await world.run()

    await found("백엔드 개발자")
    (direct,) = set(await representatives(world.db)) - {other}
    assert await representatives(world.db) == {other: direct, direct: None}
    await found("데이터 엔지니어")
    assert await representatives(world.db) == {other: None, direct: None}
    await found("백엔드 개발자")
    assert await representatives(world.db) == {other: direct, direct: None}
    await write(world.db, job_sources.update().where(job_sources.c.id == world.direct).values(source_type="AGGREGATOR"))
    for _ in range(2):
        await transaction(world.db, record_missed, world.direct, set(), clock.now(), auto_close=True)
    await world.run()
    assert await representatives(world.db) == {other: None, direct: other}
    await found("백엔드 개발자")
    assert await representatives(world.db) == {other: None, direct: other}, "found later than the other one"


def _fields(raw: RawJobPosting) -> dict[str, Any]:
    return {name: getattr(raw, name) for name in ("source_job_id", "posting_url", "deadline_at", "signature")}


async def test_a_posting_without_a_key_is_left_alone(world: World) -> None:
    await world.add(world.saramin, dedup_key=None)
    await world.add(world.jumpit, dedup_key=None)
    assert await world.run() == Deduplicated(enabled=True)


# --- aliases


async def test_postings_of_a_discovered_company_follow_the_alias_that_names_it(
    world: World, clock: ManualClock
) -> None:
    """DESIGN 1.5: 당근 ↔ 당근마켓; a new alias makes the dedup keys of the postings anew, closed ones too."""
    discovered = await add_company(world.db, "당근", CompanyOrigin.DISCOVERED)
    direct = await world.add(world.direct)
    copy = await add_posting(world.db, discovered, world.saramin)
    closed = await add_posting(world.db, discovered, world.jumpit, posting_status="CLOSED")
    assert (await world.run()).duplicates == 1, "the two of 당근"
    await add_alias(world.db, world.company, "당근")
    clock.advance(DAY)
    done = await world.run()
    assert done.adopted == 2
    assert await representatives(world.db) == {direct: None, copy: direct, closed: direct}
    found = await keyed(world.db, job_postings, "id")
    names = ("company_id", "dedup_key", "version", "updated_at")
    assert [found[copy][name] for name in names] == [world.company, "회사daangn|백엔드개발자", 1, clock.now()]
    assert (await world.run()).adopted == 0


async def test_postings_follow_an_alias_with_the_flag_off_too(world: World) -> None:
    await switch_flag(world.db, FlagKey.CROSS_SOURCE_DEDUP, False)
    discovered = await add_company(world.db, "당근", CompanyOrigin.DISCOVERED)
    await add_posting(world.db, discovered, world.saramin)
    await add_alias(world.db, world.company, "당근")
    assert (await world.run()).adopted == 1
    assert (await row(world.db, job_postings))["company_id"] == world.company


# --- the job


async def test_the_timetable_runs_it_and_tells_what_it_did(world: World) -> None:
    await world.add(world.direct)
    await world.add(world.saramin)
    async with engine_on(world.db, {}) as engine:
        job = timetable_jobs(engine)[JobName.DEDUP]
        assert await job(date(2026, 12, 1)) == "키 1개를 살펴 공고 1건을 바꿨습니다 (미룸 0, 회사 변경 0)"
        await switch_flag(world.db, FlagKey.CROSS_SOURCE_DEDUP, False)
        assert (
            await job(date(2026, 12, 1))
            == "posting.cross-source-dedup 꺼짐: 공고 1건을 되돌렸습니다 (미룸 0, 회사 변경 0)"
        )
