"""Criteria and stored results for tests of matching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from daemon.db import Database, transaction
from daemon.matching.actions.criteria import (
    add_exclusion_keyword,
    add_keyword_group,
    add_work_arrangement_keyword,
)
from daemon.matching.tables import (
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
)
from daemon.posting.model import DetailState, Observed, Recording
from daemon.posting.record import record_observed
from daemon.sources.model import ChangeSignalKind, ChangeSignature, RawJobPosting
from tests.engines import keyed, rows

BODY = "주 2회 재택근무 가능합니다"


async def add_criteria(db: Database) -> int:
    """A job, an exclusion and two work arrangements; returns the revision."""
    await add_keyword_group(db, "백엔드", ["백엔드", "backend"])
    await add_exclusion_keyword(db, "인턴")
    await add_work_arrangement_keyword(db, "재택근무")
    return (await add_work_arrangement_keyword(db, "remote")).criteria_revision


def posting(
    key: str,
    title: str = "백엔드 개발자",
    *,
    body: str | None = BODY,
    tags: Sequence[str] = (),
    version: str = "1",
    restricted: bool = False,
) -> RawJobPosting:
    """A posting as a list shows it."""
    return RawJobPosting(
        source_job_id=key,
        title=title,
        posting_url=f"https://example.com/{key}",
        deadline_at=None,
        signature=ChangeSignature(kind=ChangeSignalKind.UPDATED_AT, value=version),
        structured_tags=tuple(tags),
        description_body=body,
        access_restricted=restricted,
    )


async def record(db: Database, *raws: RawJobPosting, detail: DetailState = DetailState.NOT_WANTED) -> tuple[int, ...]:
    """Store what a page of a source shows, as the engine does; returns the ids of what was new."""
    recording = Recording(
        job_source_id=1, company_ids={}, default_company_id=7, company_names={7: "회사"}, seeding=False
    )
    observed = [Observed(raw=raw, detail=detail) for raw in raws]
    return (await transaction(db, record_observed, recording, observed, db.clock.now())).new_ids


async def results(db: Database) -> dict[int, dict[str, Any]]:
    """The stored results by posting id."""
    return await keyed(db, job_posting_match_results, "job_posting_id")


async def judgements(db: Database) -> dict[int, tuple[Any, ...]]:
    """What was stored of each posting, without ids and instants of rows: equal for equal evaluations."""
    found = await results(db)
    groups = [
        (row["job_posting_match_result_id"], row["job_keyword_group_id"], row["matched_synonym"])
        for row in await rows(db, job_posting_matched_keyword_groups)
    ]
    evidence = [
        (
            row["job_posting_id"],
            row["work_arrangement_keyword_id"],
            row["evidence_stage"],
            row["confidence"],
            row["snippet"],
        )
        for row in await rows(db, job_posting_work_arrangements)
    ]
    told = (
        "criteria_revision",
        "posting_version",
        "matched",
        "notifiable",
        "top_confidence",
        "work_arrangement_sort_rank",
    )
    known = {row["id"] for row in found.values()}
    assert {key for key, *_ in groups} <= known, "a group of no result"
    assert {key for key, *_ in evidence} <= found.keys(), "evidence of no result"
    return {
        posting_id: (
            *(row[name] for name in told),
            sorted(rest for key, *rest in groups if key == row["id"]),
            sorted(rest for key, *rest in evidence if key == posting_id),
        )
        for posting_id, row in found.items()
    }
