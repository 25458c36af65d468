"""What a message says about why a posting matched; reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import bindparam, select

from daemon.db import Tx, chunks
from daemon.matching.model import Confidence
from daemon.matching.tables import (
    job_keyword_groups,
    job_posting_match_results,
    job_posting_matched_keyword_groups,
    job_posting_work_arrangements,
    work_arrangement_keywords,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class BestEvidence:
    """The surest evidence of a work arrangement."""

    keyword: str
    confidence: Confidence
    snippet: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """Why a posting is worth telling of."""

    groups: tuple[tuple[str, str], ...]
    """Display name of each keyword group that matched, and its word in the title."""
    evidence: BestEvidence | None
    """None when nothing is known of its work arrangement."""


async def load_notifiable(tx: Tx, posting_ids: Collection[int]) -> Mapping[int, Verdict]:
    """The verdict on those of these postings that match and are not ruled out, as last evaluated."""
    found: dict[int, Verdict] = {}
    for chunk in chunks(sorted(posting_ids)):
        found |= await _load(tx, chunk)
    return found


async def load_words(tx: Tx, posting_ids: Collection[int]) -> Mapping[int, tuple[tuple[str, str], ...]]:
    """Of the same postings the `groups` of their verdicts alone."""
    found: dict[int, tuple[tuple[str, str], ...]] = {}
    for chunk in chunks(sorted(posting_ids)):
        found |= await _load_words(tx, chunk)
    return found


_WORDS = (
    select(
        job_posting_match_results.c.job_posting_id,
        job_posting_matched_keyword_groups.c.matched_synonym,
        job_keyword_groups.c.display_name,
    )
    .join(
        job_posting_matched_keyword_groups,
        job_posting_matched_keyword_groups.c.job_posting_match_result_id == job_posting_match_results.c.id,
    )
    .join(job_keyword_groups, job_keyword_groups.c.id == job_posting_matched_keyword_groups.c.job_keyword_group_id)
    .where(
        job_posting_match_results.c.job_posting_id.in_(bindparam("ids", expanding=True)),
        job_posting_match_results.c.notifiable == 1,
    )
    .order_by(job_posting_matched_keyword_groups.c.id)
)


async def _load_words(tx: Tx, posting_ids: Collection[int]) -> dict[int, tuple[tuple[str, str], ...]]:
    rows = await tx.execute(_WORDS, {"ids": list(posting_ids)})
    groups: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        groups[row.job_posting_id].append((row.display_name, row.matched_synonym))
    return {posting_id: tuple(words) for posting_id, words in groups.items()}


async def _load(tx: Tx, posting_ids: Collection[int]) -> dict[int, Verdict]:
    results = job_posting_match_results
    rows = await tx.execute(
        select(results.c.job_posting_id).where(results.c.job_posting_id.in_(posting_ids), results.c.notifiable == 1)
    )
    notifiable = list(rows.scalars())
    if not notifiable:
        return {}
    groups, evidence = await _load_words(tx, notifiable), await _load_evidence(tx, notifiable)
    return {
        posting_id: Verdict(groups=groups.get(posting_id, ()), evidence=evidence.get(posting_id))
        for posting_id in notifiable
    }


async def _load_evidence(tx: Tx, posting_ids: Collection[int]) -> dict[int, BestEvidence]:
    found = job_posting_work_arrangements
    rows = await tx.execute(
        select(found.c.job_posting_id, found.c.confidence, found.c.snippet, work_arrangement_keywords.c.keyword)
        .join(work_arrangement_keywords, work_arrangement_keywords.c.id == found.c.work_arrangement_keyword_id)
        .where(found.c.job_posting_id.in_(posting_ids))
        .order_by(found.c.id.desc())
    )
    # The last one written to a key wins: the surest, and of those alike the first.
    return {
        row.job_posting_id: BestEvidence(
            keyword=row.keyword, confidence=Confidence(row.confidence), snippet=row.snippet
        )
        for row in sorted(rows, key=lambda row: -Confidence(row.confidence).sort_rank)
    }
