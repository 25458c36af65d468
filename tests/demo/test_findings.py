"""The demo's verdict: a broken invariant is told by its row, and a demo that broke none is told nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from sqlalchemy import insert

from daemon.clock import ManualClock, kst
from daemon.collection.model import CycleStatus
from daemon.company.model import JobSource
from daemon.db import Database
from daemon.demo.discord import Discord, Posted, Request
from daemon.demo.findings import Finding, Invariant, Script, impolite, mistold, ungrouped
from daemon.demo.report import Report
from daemon.demo.request_log import RequestLog
from daemon.demo.world import FIRST_DAY, World
from daemon.demo.world.truth import ledger
from daemon.notification.tables import notification_dispatches
from daemon.operations.model import SeenLevel, SlaSnapshot, SnapshotStatus, SourceToday, Today
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform, SourceType
from tests.databases import execute
from tests.demo.test_request_log import MIDNIGHT, request
from tests.engines import add_source
from tests.postings import add_company, add_posting

SECOND_DAY = FIRST_DAY + timedelta(days=1)


def log_of(*gaps: float) -> RequestLog:
    """Requests for one page after the other of a list, so many seconds apart."""
    log, at = RequestLog(), MIDNIGHT
    for page, gap in enumerate((0.0, *gaps), start=1):
        at += timedelta(seconds=gap)
        log.add(request(at, page=page))
    return log


def test_two_requests_closer_than_the_sites_delay_are_told_with_site_gap_and_delay() -> None:
    assert list(impolite("ko", log_of(1.0, 5.0))) == []
    (finding,) = impolite("ko", log_of(5.0, 0.98))
    assert finding == Finding(invariant=Invariant.GAP, row="SARAMIN: 0.980초 (최소 1.000초)")


def test_a_page_asked_for_twice_on_one_day_is_told_with_its_board_and_number() -> None:
    log = log_of(5.0)
    log.add(request(MIDNIGHT + timedelta(hours=3), page=2))
    log.add(request(MIDNIGHT + timedelta(days=1), page=2))
    (finding,) = impolite("en", log)
    assert finding == Finding(invariant=Invariant.ONCE, row="2026-12-01 SARAMIN 84 p2: 2 times")


SOURCE = JobSource(
    id=7,
    platform=Platform.GREENHOUSE,
    source_type=SourceType.COMPANY_BOUND,
    company_id=1,
    company_name="당근마켓",
    source_slug="daangn",
    base_url=None,
    search_category_code=None,
    search_keyword=None,
    seeded_at=None,
    disabled_at=None,
)


def today_of(world: World, status: SnapshotStatus = SnapshotStatus.CAPTURED) -> Today:
    """The first day as the script has it, of the one source."""
    counts = ledger(world, Platform.GREENHOUSE, "daangn", 1)[0]
    assert (counts.truth.end, counts.truth.reason) == ("SUCCESS", "")
    one = SourceToday(
        job_source_id=SOURCE.id,
        source_label=SOURCE.label,
        status=CycleStatus.SUCCESS,
        list_page_count=1,
        fetched_count=counts.new,
        new_count=counts.new,
        changed_count=0,
        missed_count=0,
        closed_count=0,
        reason=None,
        broken_since=None,
    )
    snapshot = SlaSnapshot(
        snapshot_date=FIRST_DAY,
        scheduled_at=kst(FIRST_DAY, 9),
        captured_at=kst(FIRST_DAY, 9),
        capture_status=status,
        miss_reason=None,
        late_before_notification_count=0,
        items=(),
    )
    return Today(
        run_date=FIRST_DAY,
        now=kst(FIRST_DAY, 11),
        sources=(one,),
        sla_snapshot=snapshot,
        flags=(),
        jobs=(),
        seen_rows_older_than_48_hours=0,
        seen_rows_older_than_48_hours_level=SeenLevel.OK,
    )


def test_a_source_that_differs_from_the_script_is_told_with_both_and_a_missed_snapshot_with_its_day() -> None:
    world = World(scale=0.1, days=1)
    script = Script("ko", world, 1)
    good = today_of(world)
    assert script.judge(FIRST_DAY, good, {SOURCE.id: SOURCE}) == []
    (one,) = good.sources
    found = replace(today_of(world, SnapshotStatus.MISSED), sources=(replace(one, new_count=3, missed_count=1),))
    different, missed = script.judge(FIRST_DAY, found, {SOURCE.id: SOURCE})
    assert different.invariant is Invariant.SCRIPT
    assert different.row == (
        f"2026-12-01 당근마켓 GREENHOUSE: 각본 [SUCCESS 신규 {one.new_count} 변경 0 미발견 0 마감 0], "
        "결과 [SUCCESS 신규 3 변경 0 미발견 1 마감 0]"
    )
    assert missed == Finding(invariant=Invariant.SNAPSHOT, row="2026-12-01 MISSED")


def posted(id: str, content: str, day: date = SECOND_DAY) -> Posted:
    """A message of 09:00."""
    return Posted(id=id, body={"content": content}, at=kst(day, 9).timestamp())


async def record(db: Database, id: str | None, status: str, summary: str) -> None:
    """A row of the history."""
    now = db.clock.now()
    row = {"target_type": "JOB_POSTING", "target_id": 1, "notification_type": "NEW_JOB_POSTING", "dispatch_sequence": 1}
    more = {"dispatch_status": status, "attempt_count": 1, "message_summary": summary, "discord_message_id": id}
    stamps = {"created_at": now, "updated_at": now}
    await execute(db, insert(notification_dispatches).values(**row, **more, **stamps, unconfirmed_count=0))


async def test_messages_that_arrived_once_are_no_finding(db: Database) -> None:
    discord = Discord(messages=[posted("1", "하나")], requests=[Request(at=0.0, status=200, body={"content": "하나"})])
    await record(db, "1", "DELIVERED", "하나")
    assert await mistold(db, discord, FIRST_DAY) == []


async def test_messages_repeated_refused_lost_or_sent_while_seeding_are_each_told(db: Database) -> None:
    discord = Discord(
        messages=[posted("1", "하나"), posted("2", "하나"), posted("3", "첫날", FIRST_DAY)],
        requests=[Request(at=0.0, status=429, body={"content": "하나"})],
    )
    await record(db, "1", "DELIVERED", "하나")
    await record(db, "3", "DELIVERED", "첫날")
    await record(db, None, "FAILED", "못 보낸 것")
    told = {finding.row for finding in await mistold(db, discord, FIRST_DAY)}
    assert told == {
        "429 하나",
        'x2 {"content": "\\ud558\\ub098"}',
        "2026-12-01 첫날",
        "FAILED 못 보낸 것 (None)",
        "? 하나",
    }


@pytest.fixture
async def copies(db: Database) -> list[int]:
    """The vacancy of 늘찬소프트 on two sites, and a stranger; ids."""
    world = World(scale=0.1, days=1)
    (pair,) = (found for found in world.cross_posted().values() if found[0].vacancy.company == "늘찬소프트")
    company = await add_company(db, "늘찬소프트")
    made = []
    for listing in pair:
        source = await add_source(db, listing.platform, category=listing.boards[0])
        url = f"https://example.com/{listing.site_id}?at={listing.platform}"
        made.append(await add_posting(db, company, source, posting_url=url, source_job_id=listing.site_id))
    made.append(await add_posting(db, company, source, posting_url="https://example.com/1", source_job_id="1"))
    return made


async def stand_for(db: Database, first: int, second: int) -> None:
    """Let one posting stand for another."""
    await execute(db, job_postings.update().where(job_postings.c.id == second).values(representative_id=first))


async def test_copies_that_are_not_one_group_are_told_and_so_is_a_stranger_among_them(
    db: Database, copies: list[int]
) -> None:
    world = World(scale=0.1, days=1)
    saramin, jumpit, stranger = copies
    (apart,) = await ungrouped(db, world)
    assert apart.invariant is Invariant.COPIES
    assert f"SARAMIN {saramin}->-, JUMPIT {jumpit}->-" in apart.row
    await stand_for(db, saramin, jumpit)
    assert await ungrouped(db, world) == []
    await stand_for(db, saramin, stranger)
    (among,) = await ungrouped(db, world)
    assert f"{stranger}->{saramin}" in among.row


async def test_the_end_of_a_demo_names_what_was_broken_on_standard_error(
    db: Database, clock: ManualClock, capsys: pytest.CaptureFixture[str]
) -> None:
    clock.set(datetime.fromisoformat("2026-12-01T12:00:00+09:00"))
    report = Report("ko", World(scale=0.1, days=1), 1)
    assert await report.show_invariants(db, log_of(5.0), Discord()) is True
    assert capsys.readouterr().err == ""
    assert await report.show_invariants(db, log_of(5.0, 0.25), Discord()) is False
    shown = capsys.readouterr()
    assert shown.err == "gonggo: 지켜지지 않음: 사이트마다 요청 간격을 지켰다 - SARAMIN: 0.250초 (최소 1.000초)\n"
    assert "실패" in shown.out
