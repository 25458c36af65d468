"""All about some postings: what surrounds each, and what the views show of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Row, String, bindparam, cast, func, select

from daemon.application.tables import job_applications
from daemon.company.tables import companies, job_sources
from daemon.db import Tx
from daemon.matching.model import Confidence, EvidenceStage
from daemon.matching.tables import (
    job_posting_match_results,
    job_posting_work_arrangements,
    work_arrangement_keywords,
)
from daemon.operations.postings.model import (
    AlternateSource,
    MatchedWord,
    PostingItem,
    PostingRecord,
    PostingSigns,
    WorkArrangement,
    WorkArrangementView,
)
from daemon.posting.model import ClosedReason, PostingOrigin, PostingStatus
from daemon.posting.tables import job_posting_descriptions, job_postings
from daemon.sources.model import Platform, SourceType

_RESULTS = job_posting_match_results

Rows = Sequence[Row[Any]]
"""Postings as `load_rows` reads them."""


async def load_ids_after(tx: Tx, posting_id: int, limit: int) -> list[int]:
    """Up to `limit` postings whose ids are larger, duplicates too, by id."""
    query = select(job_postings.c.id).where(job_postings.c.id > posting_id).order_by(job_postings.c.id).limit(limit)
    return list((await tx.execute(query)).scalars())


@dataclass(frozen=True, kw_only=True, slots=True)
class Around:
    """What surrounds some postings: their copies, their applications, what is known of their work arrangement."""

    copies: Mapping[int, tuple[int, ...]]
    """All ids of its group by posting, the representative first; just itself when it has no copy."""
    applications: Mapping[int, int]
    """Application by posting, of whichever copy."""
    evidence: Mapping[int, tuple[WorkArrangementView, ...]]
    """By posting, the surest first; a posting without any is absent."""


async def load_around(tx: Tx, rows: Rows, *, grouped: bool) -> Around:
    """What surrounds these postings; not `grouped`, each has no copy."""
    ids = [row.job_posting_id for row in rows]
    copies = _copies_of(rows) if grouped else {posting_id: (posting_id,) for posting_id in ids}
    return Around(
        copies=copies,
        applications=await _load_applications(tx, copies),
        evidence=await _load_evidence(tx, ids),
    )


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)


def _copies_of(rows: Rows) -> dict[int, tuple[int, ...]]:
    representatives = {row.job_posting_id: row.representative_id or row.job_posting_id for row in rows}
    behind = {row.job_posting_id: sorted(map(int, row.behind.split(","))) for row in rows if row.behind}
    return {key: (value, *behind.get(key, ())) for key, value in representatives.items()}


_APPLICATIONS = select(job_applications.c.id, job_applications.c.job_posting_id).where(
    job_applications.c.job_posting_id.in_(_IDS)
)


async def _load_applications(tx: Tx, copies: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    everyone = {each for group in copies.values() for each in group}
    rows = await tx.execute(_APPLICATIONS, {"ids": list(everyone)})
    held = {row.job_posting_id: row.id for row in rows}
    # Its own goes before that of a copy.
    found = {key: [held[each] for each in (key, *group) if each in held] for key, group in copies.items()}
    return {key: applications[0] for key, applications in found.items() if applications}


_EVIDENCE = (
    select(
        job_posting_work_arrangements.c.job_posting_id,
        job_posting_work_arrangements.c.confidence,
        job_posting_work_arrangements.c.evidence_stage,
        job_posting_work_arrangements.c.snippet,
        work_arrangement_keywords.c.keyword,
    )
    .join(
        work_arrangement_keywords,
        work_arrangement_keywords.c.id == job_posting_work_arrangements.c.work_arrangement_keyword_id,
    )
    .where(job_posting_work_arrangements.c.job_posting_id.in_(_IDS))
    .order_by(job_posting_work_arrangements.c.id)
)


async def _load_evidence(tx: Tx, ids: Collection[int]) -> dict[int, tuple[WorkArrangementView, ...]]:
    rows = await tx.execute(_EVIDENCE, {"ids": list(ids)})
    found: dict[int, list[WorkArrangementView]] = {}
    for row in rows:
        view = WorkArrangementView(
            keyword=row.keyword,
            confidence=Confidence(row.confidence),
            evidence_stage=EvidenceStage(row.evidence_stage),
            snippet=row.snippet,
        )
        if view.confidence is not Confidence.UNKNOWN:
            found.setdefault(row.job_posting_id, []).append(view)
    return {key: tuple(sorted(views, key=lambda view: view.confidence.sort_rank)) for key, views in found.items()}


_ITEM = (
    job_postings.c.id.label("job_posting_id"),
    job_postings.c.company_id,
    companies.c.name.label("company_name"),
    job_postings.c.title,
    job_postings.c.posting_url,
    job_postings.c.posting_status,
    job_postings.c.closed_reason,
    job_postings.c.deadline_at,
    func.coalesce(_RESULTS.c.notifiable, 0).label("matched"),
    job_sources.c.source_type,
    job_postings.c.access_restricted,
    job_postings.c.posting_origin,
    job_postings.c.first_seen_at,
)

_ITEM_NAMES = tuple(column.name for column in _ITEM)
"""Of the first columns of a row."""

_MEMBERS = job_postings.alias()
_BEHIND = (
    select(func.aggregate_strings(cast(_MEMBERS.c.id, String), ","))
    .where(_MEMBERS.c.representative_id == func.coalesce(job_postings.c.representative_id, job_postings.c.id))
    .correlate(job_postings)
    .scalar_subquery()
)
"""Ids of all that its representative stands for."""

_ROWS = (
    select(
        *_ITEM,
        job_postings.c.last_seen_at,
        job_postings.c.changed_at,
        job_postings.c.reopened_at,
        job_postings.c.closed_at,
        job_sources.c.platform,
        job_postings.c.representative_id,
        _BEHIND.label("behind"),
    )
    .join(companies, companies.c.id == job_postings.c.company_id)
    .outerjoin(job_sources, job_sources.c.id == job_postings.c.job_source_id)
    .outerjoin(_RESULTS, _RESULTS.c.job_posting_id == job_postings.c.id)
    .where(job_postings.c.id.in_(_IDS))
)


async def load_rows(tx: Tx, ids: Sequence[int]) -> Rows:
    """One row per posting, all that views show of it, in the order of `ids`; what is not there is left out."""
    rows = await tx.execute(_ROWS, {"ids": list(ids)})
    found = {row.job_posting_id: row for row in rows}
    return [found[posting_id] for posting_id in ids if posting_id in found]


def items_of(rows: Rows, around: Around) -> tuple[PostingItem, ...]:
    """These postings, in their order."""
    return tuple(PostingItem(**_item_values(row, around)) for row in rows)


def records_of(rows: Rows, around: Around) -> tuple[PostingRecord, ...]:
    """These postings as an export has them, in their order."""
    names = ("representative_id", "closed_at", "changed_at", "last_seen_at")
    return tuple(
        PostingRecord(
            **_item_values(row, around), platform=_platform(row), **{name: getattr(row, name) for name in names}
        )
        for row in rows
    )


def signs_of(rows: Rows, words: Mapping[int, tuple[MatchedWord, ...]]) -> dict[int, PostingSigns]:
    """What happened to these postings; `words` tells why those that match do."""
    return {
        row.job_posting_id: PostingSigns(
            platform=_platform(row),
            matched_words=words.get(row.job_posting_id, ()),
            first_seen_at=row.first_seen_at,
            last_seen_at=row.last_seen_at,
            changed_at=row.changed_at,
            reopened_at=row.reopened_at,
            closed_at=row.closed_at,
        )
        for row in rows
    }


def _platform(row: Row[Any]) -> Platform | None:
    return None if row.platform is None else Platform(row.platform)


_VERSION_AND_BODY = (
    select(job_postings.c.version, job_posting_descriptions.c.body)
    .outerjoin(job_posting_descriptions, job_posting_descriptions.c.job_posting_id == job_postings.c.id)
    .where(job_postings.c.id == bindparam("id"))
)


async def load_version_and_body(tx: Tx, posting_id: int) -> tuple[int, str | None] | None:
    """Version and text of a posting; None when there is none of this id."""
    found = await tx.execute(_VERSION_AND_BODY, {"id": posting_id})
    row = found.one_or_none()
    return None if row is None else (row.version, row.body)


_ALTERNATES = (
    select(job_postings.c.id, job_postings.c.job_source_id, job_postings.c.posting_url, job_sources.c.platform)
    .outerjoin(job_sources, job_sources.c.id == job_postings.c.job_source_id)
    .where(job_postings.c.id.in_(_IDS))
)


async def load_alternates(tx: Tx, ids: Sequence[int]) -> tuple[AlternateSource, ...]:
    """Where the copies of one posting are published, in the order of `ids`, the first of which stands for all."""
    rows = await tx.execute(_ALTERNATES, {"ids": list(ids)})
    found = {row.id: row for row in rows}
    return tuple(
        AlternateSource(
            job_source_id=found[posting_id].job_source_id,
            platform=None if found[posting_id].platform is None else Platform(found[posting_id].platform),
            posting_url=found[posting_id].posting_url,
            is_representative=posting_id == ids[0],
        )
        for posting_id in ids
    )


def _item_values(row: Row[Any], around: Around) -> dict[str, Any]:
    """The fields of an item from its row and what surrounds it."""
    values = dict(zip(_ITEM_NAMES, row, strict=False))
    posting_id = row.job_posting_id
    best = next(iter(around.evidence.get(posting_id, ())), None)
    return values | {
        "posting_status": PostingStatus(row.posting_status),
        "closed_reason": None if row.closed_reason is None else ClosedReason(row.closed_reason),
        "matched": bool(row.matched),
        "source_type": None if row.source_type is None else SourceType(row.source_type),
        "access_restricted": bool(row.access_restricted),
        "posting_origin": PostingOrigin(row.posting_origin),
        "work_arrangement": best and WorkArrangement(keyword=best.keyword, confidence=best.confidence),
        "application_id": around.applications.get(posting_id),
        "alternate_source_count": len(around.copies[posting_id]) - 1,
    }
