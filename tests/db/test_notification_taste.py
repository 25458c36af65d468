"""The two kinds behind flags of their own: deadlines of tomorrow, and always-open postings every seven days (P1)."""

from __future__ import annotations

from datetime import date, timedelta

from sqlalchemy import update

from daemon.application.actions import apply_for_posting
from daemon.clock import kst
from daemon.db import Database
from daemon.flags.model import FlagKey
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.discord import Discord, Fault
from tests.engines import add_source, switch_on, write
from tests.notified import DAY, at_nine, discovered_posting, dispatches, new_posting, run_day, statuses, tellable

DAYS = timedelta(days=1)


def of_kind(rows: list[dict[str, object]], kind: str) -> list[object]:
    """The sequence numbers of the delivered messages of a kind."""
    return [
        row["dispatch_sequence"]
        for row in rows
        if (row["notification_type"], row["dispatch_status"]) == (kind, "DELIVERED")
    ]


async def test_both_flags_are_off_at_first(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db)
    await new_posting(db, source, "내일", deadline_at=kst(DAY + DAYS, 18), first_seen_at=db.clock.now() - 20 * DAYS)
    await new_posting(db, source, "상시", first_seen_at=db.clock.now() - 20 * DAYS)
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"


async def test_a_deadline_of_tomorrow_is_told_once_and_again_when_it_was_put_off(
    db: Database, discord: Discord
) -> None:
    """FR-12, FR-35: 마감일 연장은 알림 대상."""
    at_nine(db)
    source = await tellable(db, FlagKey.DEADLINE_D1)
    posting = await new_posting(db, source, deadline_at=kst(DAY + 3 * DAYS, 18))
    for day in range(3):
        at_nine(db, DAY + day * DAYS)
        await run_day(db, discord)
    assert [message.content[:6] for message in discord.messages] == ["🔔 새 공고", "⏰ 내일 마"]
    assert "D-1" in discord.messages[1].text
    await write(db, update(job_postings).values(deadline_at=kst(DAY + 6 * DAYS, 23, 59, 59)))
    for day in range(2, 7):
        at_nine(db, DAY + day * DAYS)
        await run_day(db, discord)
    assert len(discord.messages) == 3
    assert "마감일이 바뀌어" in discord.messages[2].text
    sequences = of_kind(await dispatches(db), "DEADLINE_D1")
    assert sequences == [(DAY + 3 * DAYS).toordinal(), (DAY + 6 * DAYS).toordinal()]
    assert (await dispatches(db))[1]["idempotency_key"] == f"JOB_POSTING:{posting}:DEADLINE_D1:{sequences[0]}"


async def test_a_deadline_message_that_failed_is_sent_on_the_day_itself_and_not_after(
    db: Database, discord: Discord
) -> None:
    at_nine(db)
    source = await tellable(db, FlagKey.DEADLINE_D1)
    await new_posting(db, source, deadline_at=kst(DAY + DAYS, 18), first_seen_at=db.clock.now() - 20 * DAYS)
    discord.always = Fault.SERVER_ERROR
    await run_day(db, discord)
    discord.always = None
    at_nine(db, DAY + DAYS)
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    assert "오늘 마감" in discord.messages[0].content


async def test_a_new_posting_that_closes_tomorrow_is_told_once(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db, FlagKey.DEADLINE_D1)
    await new_posting(db, source, deadline_at=kst(DAY + DAYS, 18))
    assert await run_day(db, discord) == "보냄 1, 실패 0, 남음 0"
    assert "D-1" in discord.messages[0].text


async def test_only_told_of_are_open_matched_postings_of_watched_companies(db: Database, discord: Discord) -> None:
    """Seeding never notifies; nor do closed postings and duplicates, nor discovered companies one by one."""
    at_nine(db)
    source = await tellable(db, FlagKey.DEADLINE_D1, FlagKey.PERMANENT_REMINDER)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    old = {"first_seen_at": db.clock.now() - 20 * DAYS}
    for more in ({"deadline_at": kst(DAY + DAYS, 18)}, {}):
        await new_posting(db, source, "시딩", notification_eligible=0, **old, **more)
        await new_posting(db, source, "마감", posting_status="CLOSED", **old, **more)
        await new_posting(db, source, "중복", representative_id=1, **old, **more)
        await discovered_posting(db, board, "토스", "백엔드 개발자", **old, **more)
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"


async def test_an_always_open_posting_is_brought_to_mind_every_seven_days(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db, FlagKey.PERMANENT_REMINDER)
    posting = await new_posting(db, source)
    delivered_on = []
    for day in range(23):
        at_nine(db, DAY + day * DAYS)
        if (await run_day(db, discord)).startswith("보냄 1"):
            delivered_on.append(day)
    assert delivered_on == [0, 7, 14, 21]
    assert of_kind(await dispatches(db), "PERMANENT_REMINDER") == [1, 2, 3]
    assert (await dispatches(db))[-1]["idempotency_key"] == f"JOB_POSTING:{posting}:PERMANENT_REMINDER:3"
    assert "22일째" in discord.messages[-1].text


async def test_a_reminder_that_failed_comes_the_next_day_and_the_next_one_seven_days_later(
    db: Database, discord: Discord
) -> None:
    at_nine(db)
    source = await tellable(db, FlagKey.PERMANENT_REMINDER)
    await new_posting(db, source)
    delivered_on = []
    for day in range(16):
        at_nine(db, DAY + day * DAYS)
        discord.always = Fault.SERVER_ERROR if day == 7 else None
        if (await run_day(db, discord)).startswith("보냄 1"):
            delivered_on.append(day)
    assert delivered_on == [0, 8, 15]


async def test_a_posting_that_gets_a_deadline_is_no_longer_brought_to_mind(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db, FlagKey.PERMANENT_REMINDER)
    await new_posting(db, source)
    await run_day(db, discord)
    await write(db, update(job_postings).values(deadline_at=kst(date(2027, 3, 1), 18)))
    at_nine(db, DAY + 7 * DAYS)
    assert await run_day(db, discord) == "보냄 0, 실패 0, 남음 0"


async def test_the_days_messages_go_out_with_what_is_urgent_first(db: Database, discord: Discord) -> None:
    at_nine(db)
    source = await tellable(db)
    await switch_on(db, FlagKey.DEADLINE_D1, FlagKey.PERMANENT_REMINDER)
    board = await add_source(db, Platform.SARAMIN, category="84", seeded=True)
    old = db.clock.now() - 20 * DAYS
    await new_posting(db, source, "상시", first_seen_at=old)
    await discovered_posting(db, board, "토스")
    await new_posting(db, source, "새것")
    await new_posting(db, source, "내일", first_seen_at=old, deadline_at=kst(DAY + DAYS, 18))
    assert await run_day(db, discord) == "보냄 4, 실패 0, 남음 0"
    assert [message.content[0] for message in discord.messages] == ["⏰", "🔔", "🧭", "📌"]
    assert await statuses(db) == ["DELIVERED"] * 4


async def test_neither_is_told_of_a_posting_that_the_person_has_applied_for_through_any_copy(
    db: Database, discord: Discord
) -> None:
    """FR-64: an application for a copy is one for all; who has applied needs no nudge to apply."""
    at_nine(db)
    source = await tellable(db, FlagKey.DEADLINE_D1, FlagKey.PERMANENT_REMINDER, FlagKey.CROSS_SOURCE_DEDUP)
    old = {"first_seen_at": db.clock.now() - 20 * DAYS}
    for title, more in (("마감 임박", {"deadline_at": kst(DAY + DAYS, 18)}), ("상시", {})):
        await new_posting(db, source, f"{title}, 지원 안 함", **old, **more)
        applied = await new_posting(db, source, f"{title}, 지원함", **old, **more)
        await apply_for_posting(db, applied, None, None)
        copy = await new_posting(db, source, f"{title}, 다른 곳에서 지원함", **old, **more)
        await apply_for_posting(db, copy, None, None)
        older = {"first_seen_at": db.clock.now() - 21 * DAYS}
        now_first = await new_posting(db, source, f"{title}, 다른 곳에서 지원함", **older, **more)
        of_copy = update(job_postings).where(job_postings.c.id == copy)
        await write(db, of_copy.values(representative_id=now_first))
    assert await run_day(db, discord) == "보냄 2, 실패 0, 남음 0"
    assert all("지원 안 함" in message.content for message in discord.messages)
