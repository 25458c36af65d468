"""What is told at 09:00 and what is not (seed 001, 알림 실패 경로·멱등)."""

from __future__ import annotations

import json
from datetime import date, timedelta

from sqlalchemy import update

from daemon.clock import kst
from daemon.collection.tables import job_source_health
from daemon.company.tables import companies
from daemon.db import Database
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.matching.model import Confidence
from daemon.notification.tables import notification_digest_postings
from daemon.posting.actions import deduplicate
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.db.collected import add, add_run
from tests.discord import Discord
from tests.engines import add_source, rows, switch_on, write
from tests.notified import (
    DAY,
    at_nine,
    company_of,
    discovered_posting,
    dispatches,
    match,
    new_posting,
    run_day,
    statuses,
    tellable,
)
from tests.postings import add_posting

DAYS = timedelta(days=1)


async def test_a_new_matched_posting_of_a_watched_company_is_told_by_itself(db: Database, discord: Discord) -> None:
    """Seed 001, failure path 27: 관심 회사 매칭 신규는 개별 NEW_JOB_POSTING."""
    at_nine(db)
    source = await tellable(db)
    deadline = kst(date(2026, 12, 9), 17)
    first = await add_posting(db, await company_of(db, source), source, "백엔드 (Java)", deadline_at=deadline)
    await match(db, first, arrangement=Confidence.LIKELY)
    await new_posting(db, source, "백엔드 (Go)")
    assert await run_day(db, discord) == "보냄 2, 실패 0, 남음 0"
    told = discord.messages[0].text.replace("\\", "")
    for words in (
        "백엔드 (Java)",
        "12월 9일(수) 17:00 · D-7",
        "재택근무",
        "본문",
        "주 2회 재택근무 가능",
        "회사 woowahan",
    ):
        assert words in told
    assert discord.messages[0].embeds[0]["url"] == "https://example.com/jobs/1"
    row = (await dispatches(db))[0]
    assert row["idempotency_key"] == f"JOB_POSTING:{first}:NEW_JOB_POSTING:1"
    assert (row["dispatch_status"], row["attempt_count"]) == ("DELIVERED", 1)
    assert (row["discord_message_id"], row["delivered_at"]) == (discord.messages[0].id, db.clock.now())


async def test_english_is_spoken_where_it_is_set(db: Database, discord: Discord) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    await run_day(db, discord, language="en")
    assert "New posting" in discord.messages[0].text
    assert "Always open" in discord.messages[0].text


async def test_new_postings_of_discovered_companies_are_one_digest(db: Database, discord: Discord) -> None:
    """Seed 001, failure path 26: 발견 회사 매칭 신규 3건은 개별 3건이 아니라 DAILY_DIGEST 1건."""
    at_nine(db)
    await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    ids = [await discovered_posting(db, board, company) for company in ("토스", "당근", "토스")]
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    (message,) = discord.messages
    assert "3건" in message.content
    assert message.text.index("당근 · 1건") < message.text.index("토스 · 2건")
    (row,) = await dispatches(db)
    assert row["idempotency_key"] == f"DAILY_DIGEST:0:DAILY_DIGEST:{DAY.toordinal()}"
    assert {each["job_posting_id"] for each in await rows(db, notification_digest_postings)} == set(ids)


async def test_a_second_run_of_the_day_sends_no_second_digest(db: Database, discord: Discord) -> None:
    """Seed 001, failure path 28: 같은 날 일일 요약 2회 실행이면 일자 멱등 키로 두 번째는 skip."""
    at_nine(db)
    await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    await discovered_posting(db, board, "토스")
    await run_day(db, discord)
    await discovered_posting(db, board, "당근")
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    assert len(discord.messages) == 1
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    assert "당근" in discord.messages[1].text
    assert "토스" not in discord.messages[1].text


async def test_a_posting_is_told_once_however_often_the_job_runs(db: Database, discord: Discord) -> None:
    """Seed 001, failure path 7: 같은 대상 연속 2회 발송 시도의 두 번째는 skip."""
    at_nine(db)
    await new_posting(db, await tellable(db))
    for day in (DAY, DAY, DAY + DAYS):
        at_nine(db, day)
        await run_day(db, discord)
    assert len(discord.messages) == 1
    assert await statuses(db) == ["DELIVERED"]


async def test_what_does_not_match_or_is_not_news_is_never_told(db: Database, discord: Discord) -> None:
    """Seed 001, failure paths 13 (seeding) and 14 (reopened); FR-16, FR-10; and whatever else is no news."""
    at_nine(db)
    source = await tellable(db)
    now = db.clock.now()
    await new_posting(db, source, "시딩", notification_eligible=0)
    await new_posting(db, source, "재오픈", reopened_at=now)
    await new_posting(db, source, "마감", posting_status="CLOSED", closed_at=now)
    await new_posting(db, source, "손으로", posting_origin="MANUAL")
    await new_posting(db, source, "오래됨", first_seen_at=now - 7 * DAYS)
    ruled_out = await add_posting(db, await company_of(db, source), source, "제외")
    await match(db, ruled_out, notifiable=False)
    await add_posting(db, await company_of(db, source), source, "평가되지 않음")
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    assert discord.requests == []
    assert await dispatches(db) == []


async def test_a_copy_that_takes_over_the_representation_is_not_told_again(db: Database, discord: Discord) -> None:
    """Seed 001, failure path 25: 애그리게이터본이 대표로 발송된 뒤 회사 직접본이 등장해도 추가 알림 없음."""
    clock = at_nine(db)
    source = await tellable(db, FlagKey.CROSS_SOURCE_DEDUP)
    company = await company_of(db, source)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    from_board = await add_posting(db, company, board, "백엔드 개발자")
    await match(db, from_board)
    await deduplicate(db)
    await run_day(db, discord)
    assert len(discord.messages) == 1

    clock.set(kst(DAY + DAYS, 0))
    direct = await new_posting(db, source, "백엔드 개발자")
    await deduplicate(db)
    standing = {row["id"]: row["representative_id"] for row in await rows(db, job_postings)}
    assert standing == {from_board: direct, direct: None}
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    assert len(discord.messages) == 1


async def test_a_copy_told_in_a_digest_is_not_told_by_itself_after_a_promotion(db: Database, discord: Discord) -> None:
    """FR-65 and scenario 9.5: who follows a discovered company has read of its posting in the digest."""
    at_nine(db)
    await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    await discovered_posting(db, board, "토스")
    await run_day(db, discord)
    await write(db, update(companies).values(company_origin="WATCHED"))
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    assert len(discord.messages) == 1


async def test_a_duplicate_is_not_told_beside_its_representative(db: Database, discord: Discord) -> None:
    """FR-65, also for a copy that was found after the 08:30 run."""
    at_nine(db)
    source = await tellable(db, FlagKey.CROSS_SOURCE_DEDUP)
    company = await company_of(db, source)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    for where in (board, source):
        await match(db, await add_posting(db, company, where, "백엔드 개발자"))
    await run_day(db, discord)
    (row,) = await dispatches(db)
    assert row["target_id"] == max(each["id"] for each in await rows(db, job_postings)), "the company's own is told"


async def test_a_broken_source_is_told_once_per_episode(db: Database, discord: Discord) -> None:
    """Seed 001, failure path 4: 고장 알림 1건 발송, 복구 후 재고장 시 회차 증가로 재알림."""
    clock = at_nine(db)
    source = await tellable(db)
    broken = {"consecutive_abnormal_days": 3, "broken_since": clock.now() - DAYS, "failure_episode": 1}
    stamps = {"created_at": clock.now(), "updated_at": clock.now()}
    await add(db, job_source_health, {"job_source_id": source, **broken, **stamps})
    await add_run(db, source, DAY, "FAILED", failure_reason="LAYOUT_CHANGED", failure_cause_summary="ul.jobs is gone")
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    assert "회사 woowahan (WOOWAHAN woowahan)" in discord.messages[0].text.replace("\\", "")
    assert "ul.jobs is gone" in discord.messages[0].text
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"

    at_nine(db, DAY + 2 * DAYS)
    await write(db, update(job_source_health).values(broken_since=None, consecutive_abnormal_days=0))
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"
    at_nine(db, DAY + 6 * DAYS)
    again = {"broken_since": db.clock.now(), "consecutive_abnormal_days": 3, "failure_episode": 2}
    await write(db, update(job_source_health).values(again))
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    keys = [row["idempotency_key"] for row in await dispatches(db)]
    assert keys == [f"JOB_SOURCE:{source}:SOURCE_FAILURE:{episode}" for episode in (1, 2)]


async def test_a_switch_that_is_off_sends_nothing_and_loses_nothing(db: Database, discord: Discord) -> None:
    """Seed 001: notification.discord-dispatch=false stops at once; what is still news is told once it is on."""
    at_nine(db)
    source = await tellable(db)
    await new_posting(db, source)
    await switch_flag(db, FlagKey.DISCORD_DISPATCH, False)
    assert await run_day(db, discord) == "notification.discord-dispatch 꺼짐"
    assert discord.requests == []
    assert await dispatches(db) == []
    at_nine(db, DAY + DAYS)
    await switch_on(db, FlagKey.DISCORD_DISPATCH)
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"


async def test_a_switch_turned_off_in_the_middle_keeps_the_rest_for_later(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db)
    for number in range(3):
        await new_posting(db, source, f"백엔드 {number}")

    async def off(_body: object) -> None:
        await switch_flag(db, FlagKey.DISCORD_DISPATCH, False)

    discord.after = off
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 2: discord-dispatch is off"
    assert await statuses(db) == ["DELIVERED", "PENDING", "PENDING"]
    discord.after = None
    at_nine(db, DAY + DAYS)
    await switch_on(db, FlagKey.DISCORD_DISPATCH)
    assert await run_day(db, discord) == "보냄 2, 실패 0, 남음 0"
    assert set(discord.copies().values()) == {1}
    assert await statuses(db) == ["DELIVERED"] * 3


async def test_without_a_webhook_nothing_is_planned(db: Database, discord: Discord) -> None:
    at_nine(db)
    await new_posting(db, await tellable(db))
    assert await run_day(db, discord, discord_webhook_url=None) == "디스코드 웹훅이 없어 보내지 않았습니다"
    assert await run_day(db, discord, discord_webhook_url="not an address") == "디스코드 웹훅이 없어 보내지 않았습니다"
    assert await dispatches(db) == []
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"


async def test_what_waited_and_is_no_news_any_more_is_dropped(db: Database, discord: Discord) -> None:
    """A message planned yesterday is not sent today about a posting that was closed in the meantime."""
    at_nine(db)
    source = await tellable(db)
    gone = await new_posting(db, source, "사라짐")
    await new_posting(db, source, "남음")
    discord.deleted = True
    await run_day(db, discord)
    discord.deleted = False
    discord.token = "another-Token-0123456789"
    await write(db, update(job_postings).where(job_postings.c.id == gone).values(posting_status="CLOSED"))
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    assert "남음" in discord.messages[0].text
    found = {row["target_id"]: (row["dispatch_status"], row["last_error"]) for row in await dispatches(db)}
    assert found[gone] == ("EXPIRED", "no news any more")


async def test_a_large_digest_is_split_into_messages_that_tell_each_posting_once(
    db: Database, discord: Discord
) -> None:
    """DESIGN 1.7: 2,000 characters, 10 embeds, 6,000 in embeds; the double refuses anything beyond."""
    at_nine(db)
    await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    url = "https://example.com/" + "x" * 200
    titles = [f"백엔드 엔지니어 {number:02d}호" for number in range(60)]
    for number, title in enumerate(titles):
        await discovered_posting(db, board, f"회사 {number % 7}", title, posting_url=url)
    said = await run_day(db, discord)
    assert said == f"보냄 {len(discord.messages)}, 실패 0, 남음 0"
    assert len(discord.messages) > 2
    told = "\n".join(message.text for message in discord.messages)
    assert [told.count(title) for title in titles] == [1] * 60
    keys = [row["idempotency_key"] for row in await dispatches(db)]
    assert keys == [f"DAILY_DIGEST:{part}:DAILY_DIGEST:{DAY.toordinal()}" for part in range(len(keys))]


async def test_a_hostile_title_pings_nobody_and_links_nowhere(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    title = (
        "@everyone <@123> [무료](https://evil.example) `x` ||s|| \u202eabc\u0000\n# 제목 https://evil.example "
        + "*" * 300
    )
    await new_posting(db, source, title[:500], posting_url="javascript:alert(1)")
    await discovered_posting(db, board, "**회사** @here", title[:500])
    assert await run_day(db, discord) == "보냄 2, 실패 0, 남음 0"
    for message in discord.messages:
        assert not message.pings
        assert message.body["allowed_mentions"] == {"parse": []}
        assert "@everyone" not in message.text
        assert "\u202e" not in json.dumps(message.body, ensure_ascii=False)
        assert "](https://evil" not in message.text
        assert "https://evil" not in message.text
