"""SQL of the criteria: one snapshot, numbered changes, soft deletes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, insert, literal, select, union_all, update

from daemon.db import Tx, insert_if_absent
from daemon.matching.model import CriteriaTarget, Keyword, KeywordGroup, MatchCriteria
from daemon.matching.rules.forms import keyword_form
from daemon.matching.tables import (
    job_exclusion_keywords,
    job_keyword_groups,
    job_keyword_synonyms,
    match_criteria_revisions,
    work_arrangement_keywords,
)

_REASON_CHARACTERS = 200

_TABLES = {
    CriteriaTarget.KEYWORD_GROUP: job_keyword_groups,
    CriteriaTarget.EXCLUSION_KEYWORD: job_exclusion_keywords,
    CriteriaTarget.WORK_ARRANGEMENT_KEYWORD: work_arrangement_keywords,
}


# What every page asks is put together once.
_NOTHING = literal(0)
_CURRENT = union_all(
    select(
        literal(CriteriaTarget.NOTHING.value).label("kind"),
        func.coalesce(func.max(match_criteria_revisions.c.revision), 0).label("id"),
        _NOTHING.label("synonym_id"),
        literal("").label("name"),
        literal("").label("synonym"),
    ),
    select(
        literal(CriteriaTarget.KEYWORD_GROUP.value),
        job_keyword_groups.c.id,
        job_keyword_synonyms.c.id,
        job_keyword_groups.c.display_name,
        job_keyword_synonyms.c.synonym,
    )
    .join(job_keyword_synonyms, job_keyword_synonyms.c.job_keyword_group_id == job_keyword_groups.c.id)
    .where(job_keyword_groups.c.deleted_at.is_(None)),
    *(
        select(literal(kind.value), table.c.id, _NOTHING, table.c.keyword, literal("")).where(
            table.c.deleted_at.is_(None)
        )
        for kind, table in (
            (CriteriaTarget.EXCLUSION_KEYWORD, job_exclusion_keywords),
            (CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, work_arrangement_keywords),
        )
    ),
)


async def load_revision(tx: Tx) -> int:
    """The number of the criteria in force; 0 before the first change."""
    newest = await tx.execute(select(func.coalesce(func.max(match_criteria_revisions.c.revision), 0)))
    return int(newest.scalar_one())


async def load_current(tx: Tx) -> MatchCriteria:
    """The criteria in force with their revision. One statement, so that both are of one instant."""
    found = await tx.execute(_CURRENT)
    revision = 0
    named: dict[int, tuple[str, list[str]]] = {}
    keywords: dict[CriteriaTarget, list[Keyword]] = {}
    for row in sorted(found, key=lambda row: (row.id, row.synonym_id)):
        kind = CriteriaTarget(row.kind)
        if kind is CriteriaTarget.NOTHING:
            revision = row.id
        elif kind is CriteriaTarget.KEYWORD_GROUP:
            named.setdefault(row.id, (row.name, []))[1].append(row.synonym)
        else:
            keywords.setdefault(kind, []).append(Keyword(id=row.id, keyword=row.name))
    return MatchCriteria(
        criteria_revision=revision,
        keyword_groups=tuple(
            KeywordGroup(id=key, display_name=name, synonyms=tuple(words)) for key, (name, words) in named.items()
        ),
        exclusion_keywords=tuple(keywords.get(CriteriaTarget.EXCLUSION_KEYWORD, ())),
        work_arrangement_keywords=tuple(keywords.get(CriteriaTarget.WORK_ARRANGEMENT_KEYWORD, ())),
    )


async def lock_criteria(tx: Tx, now: datetime) -> None:
    """Be the only one who changes the criteria until commit.

    Revision 0 is the lock: whoever writes it, or finds it, holds it. What is read afterwards is what is in force, so
    that no two changes get one number, and no two of one keyword get in.
    """
    row = {"revision": 0, "change_target": CriteriaTarget.NOTHING.value, "change_reason": "before the first change"}
    await insert_if_absent(tx, match_criteria_revisions, [row | {"created_at": now}])


async def bump_revision(tx: Tx, target: CriteriaTarget, reason: str, now: datetime) -> int:
    """Give the criteria their next number, and note what changed. Under `lock_criteria`."""
    revision = await load_revision(tx) + 1
    await tx.execute(
        insert(match_criteria_revisions).values(
            revision=revision, change_target=target, change_reason=reason[:_REASON_CHARACTERS], created_at=now
        )
    )
    return revision


async def add_group(tx: Tx, display_name: str, synonyms: Sequence[str], now: datetime) -> int:
    """Insert a keyword group with its synonyms; returns its id."""
    stamps = {"created_at": now, "updated_at": now}
    added = await tx.execute(insert(job_keyword_groups).values(display_name=display_name, **stamps))
    assert added.inserted_primary_key is not None
    group_id = int(added.inserted_primary_key[0])
    rows = [
        {
            "job_keyword_group_id": group_id,
            "synonym": word,
            "normalized_value": keyword_form(word),
            "created_at": now,
        }
        for word in synonyms
    ]
    await tx.execute(insert(job_keyword_synonyms), rows)
    return group_id


async def add_keyword(tx: Tx, target: CriteriaTarget, keyword: str, now: datetime) -> int:
    """Insert an exclusion or work arrangement keyword; returns its id."""
    added = await tx.execute(
        insert(_TABLES[target]).values(
            keyword=keyword, normalized_value=keyword_form(keyword), created_at=now, updated_at=now
        )
    )
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def save_deleted(tx: Tx, target: CriteriaTarget, id: int, now: datetime) -> bool:
    """Take a criterion out of force, keeping its row; False when none in force has this id."""
    table = _TABLES[target]
    gone = await tx.execute(
        update(table).where(table.c.id == id, table.c.deleted_at.is_(None)).values(deleted_at=now, updated_at=now)
    )
    return gone.rowcount == 1
