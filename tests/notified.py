"""What there is to tell in a test, the 09:00 job run on it, and what came of it."""

from __future__ import annotations

import asyncio
from datetime import date, datetime
from typing import Any

from sqlalchemy import insert

from daemon.clock import KST, SkippingClock, business_date
from daemon.company.model import CompanyOrigin
from daemon.company.tables import companies, job_sources
from daemon.db import Database, Tx, transaction
from daemon.flags.model import FlagKey
from daemon.matching.model import Confidence
from daemon.matching.tables import (
    job_keyword_groups,
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
    work_arrangement_keywords,
)
from daemon.notification.actions.day import dispatch_notifications
from daemon.notification.tables import notification_dispatches
from daemon.settings import Settings
from tests.discord import Discord
from tests.engines import add_source, rows, switch_on
from tests.postings import add_company, add_posting

DAY = date(2026, 12, 2)
NINE = datetime(2026, 12, 2, 9, tzinfo=KST)


def at_nine(db: Database, day: date = DAY) -> SkippingClock:
    """Set the database's clock to 09:00 KST of a day; from then on waiting takes no real time."""
    db.clock = SkippingClock(datetime(day.year, day.month, day.day, 9, tzinfo=KST))
    return db.clock


def settings_for(discord: Discord, **more: Any) -> Settings:
    """Settings whose webhook is the double's."""
    return Settings(database_url="sqlite://", **{"discord_webhook_url": discord.url, **more})


async def run_day(db: Database, discord: Discord, **more: Any) -> str:
    """The 09:00 job of the day that it is; returns what it says of itself."""
    day = business_date(db.clock.now())
    return await dispatch_notifications(db, settings_for(discord, **more), day, asyncio.Event())


async def tellable(db: Database, *more: FlagKey) -> int:
    """Switch dispatch on and register a seeded source of a watched company; returns the source's id."""
    await switch_on(db, FlagKey.DISCORD_DISPATCH, *more)
    return await add_source(db, seeded=True)


async def company_of(db: Database, source_id: int) -> int:
    """The company of a company-bound source."""
    found = {row["id"]: row["company_id"] for row in await rows(db, job_sources)}
    company_id: int = found[source_id]
    return company_id


async def new_posting(db: Database, source_id: int, title: str = "백엔드 개발자", **columns: Any) -> int:
    """A matched new posting of the source's company, found now; returns its id."""
    posting_id = await add_posting(db, await company_of(db, source_id), source_id, title, **columns)
    await match(db, posting_id)
    return posting_id


async def discovered_posting(
    db: Database, source_id: int, company: str, title: str = "백엔드 개발자", **columns: Any
) -> int:
    """A matched new posting of a company that a board made known; returns its id."""
    known = {row["name"]: row["id"] for row in await rows(db, companies)}
    company_id = known.get(company) or await add_company(db, company, CompanyOrigin.DISCOVERED)
    posting_id = await add_posting(db, company_id, source_id, title, **columns)
    await match(db, posting_id)
    return posting_id


async def match(
    db: Database, posting_id: int, *, notifiable: bool = True, arrangement: Confidence | None = None
) -> None:
    """The posting's evaluation: it matches by `백엔드`, with evidence of `재택근무` where a confidence is given."""
    await transaction(db, _match, posting_id, notifiable, arrangement)


async def _match(tx: Tx, posting_id: int, notifiable: bool, arrangement: Confidence | None) -> None:
    now = await tx.now()
    stamps = {"created_at": now, "updated_at": now}
    top = arrangement or Confidence.UNKNOWN
    result = await _add(
        tx,
        job_posting_match_results,
        job_posting_id=posting_id,
        criteria_revision=1,
        matched=1,
        notifiable=int(notifiable),
        top_confidence=top,
        work_arrangement_sort_rank=top.sort_rank,
        evaluated_at=now,
        **stamps,
    )
    group = await _add(tx, job_keyword_groups, display_name="백엔드", **stamps)
    await _add(
        tx,
        job_posting_matched_keyword_groups,
        job_posting_match_result_id=result,
        job_keyword_group_id=group,
        matched_synonym="백엔드",
        created_at=now,
    )
    if arrangement is not None:
        keyword = await _add(tx, work_arrangement_keywords, keyword="재택근무", normalized_value="재택근무", **stamps)
        await _add(
            tx,
            job_posting_work_arrangements,
            job_posting_id=posting_id,
            work_arrangement_keyword_id=keyword,
            evidence_stage="DESCRIPTION_BODY",
            confidence=arrangement,
            snippet="주 2회 재택근무 가능",
            created_at=now,
        )


async def _add(tx: Tx, table: Any, **values: Any) -> int:
    added = await tx.execute(insert(table).values(**values))
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def dispatches(db: Database) -> list[dict[str, Any]]:
    """Every row of the history, oldest first."""
    return await rows(db, notification_dispatches)


async def statuses(db: Database) -> list[str]:
    """The status of every row, oldest first."""
    return [row["dispatch_status"] for row in await dispatches(db)]
