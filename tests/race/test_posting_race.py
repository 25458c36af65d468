"""The deadline sweep and a source's final delta at the same moment (seed 001, 상태 전이 표 JobPosting)."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from daemon.collection.actions.commit_page import commit_page
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.db import Tx, transaction
from daemon.posting.actions import close_passed_deadlines
from daemon.posting.store import add_postings
from daemon.posting.tables import job_postings
from tests.engines import add_source, claim, page_of, row, rows, write

ROUNDS = 15
POSTINGS = 40

Instances = tuple[Engine, Engine]


async def _missed_once(tx: Tx, source: int, company: int, round_number: int) -> None:
    """Open postings whose deadline has passed and which the last complete list left out."""
    now = await tx.now()
    one = {
        "job_source_id": source,
        "company_id": company,
        "posting_origin": "COLLECTED",
        "title": "백엔드",
        "posting_url": "https://example.com",
        "posting_status": "OPEN",
        "deadline_at": now - timedelta(hours=1),
        "consecutive_miss_count": 1,
        **dict.fromkeys(("first_seen_at", "last_seen_at", "created_at", "updated_at"), now),
    }
    await add_postings(tx, [{**one, "source_job_id": f"{round_number}-{number}"} for number in range(POSTINGS)])


async def test_a_posting_that_is_missed_and_past_its_deadline_is_closed_once(instances: Instances) -> None:
    """`CLOSED` × 마감일 경과 and `CLOSED` × 미발견 are no-ops, whichever of the two comes first."""
    first, second = instances
    await add_source(first.db)
    (held,) = await claim(first)
    source = held.source
    assert source.company_id is not None
    for number in range(ROUNDS):
        await transaction(first.db, _missed_once, source.id, source.company_id, number)
        values = {"cycle_status": "RUNNING", "lease_token": held.claim.token}
        await write(first.db, cycles.update().values(**values, lease_until=held.claim.lease_until))
        async with asyncio.TaskGroup() as group:
            group.create_task(commit_page(first, held.claim, page_of(first, held, "still there")))
            sweeping = group.create_task(close_passed_deadlines(second.db))
        found = [each for each in await rows(first.db, job_postings) if each["source_job_id"].startswith(f"{number}-")]
        assert {each["posting_status"] for each in found} == {"CLOSED"}
        reasons = [each["closed_reason"] for each in found]
        assert reasons.count("NOT_FOUND_TWICE") == (await row(first.db, cycles))["closed_count"]
        assert reasons.count("DEADLINE_PASSED") == sweeping.result()
        assert {each["version"] for each in found} == {1}
