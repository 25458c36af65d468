"""What evaluation reads of postings: which there are to judge, and what they say (seed 001, findAllEvaluable)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, bindparam, case, func, not_, or_, select

from daemon.db import AtOnce, Tx
from daemon.posting.model import EvaluablePosting, PostingOrigin, PostingStatus, PostingText
from daemon.posting.tables import job_posting_descriptions, job_posting_source_tags, job_postings

Judged = Callable[[ColumnElement[int], ColumnElement[int]], ColumnElement[bool]]
"""Whether a posting has been judged as it is, as SQL of its id and its version.

The database leaves those out: many are touched, and few of them are still to be judged.
"""

_EVALUABLE = (
    job_postings.c.posting_status == PostingStatus.OPEN,
    job_postings.c.posting_origin == PostingOrigin.COLLECTED,
    job_postings.c.access_restricted == 0,
)
"""Open, collected, and not behind a login: what a person entered needs no judging, what nobody can read has none."""

# What every page asks is put together once.
_TAGS = AtOnce(
    select(
        job_posting_source_tags.c.id, job_posting_source_tags.c.job_posting_id, job_posting_source_tags.c.tag_value
    ).where(job_posting_source_tags.c.job_posting_id.in_(bindparam("ids", expanding=True)))
)
_BODIES = select(job_posting_descriptions.c.job_posting_id, job_posting_descriptions.c.body).where(
    job_posting_descriptions.c.job_posting_id.in_(bindparam("ids", expanding=True))
)

_COLUMNS = (job_postings.c.id, job_postings.c.version, job_postings.c.title, job_postings.c.updated_at)


def _to_evaluable(row: Row[*tuple[Any, ...]]) -> EvaluablePosting:
    posting_id, version, title, updated_at = row
    return EvaluablePosting(id=posting_id, version=version, title=title, updated_at=updated_at)


async def load_evaluable(tx: Tx, judged: Judged, before_id: int | None, limit: int) -> list[EvaluablePosting]:
    """The newest postings to judge, by id downwards; `before_id` is the last one of the page before."""
    query = _newest(select(*_COLUMNS).where(_is_left(judged)), before_id, limit)
    return [_to_evaluable(row) for row in await tx.execute(query)]


async def count_judged(tx: Tx, judged: Judged) -> int:
    """How many postings can be judged and have been."""
    done = judged(job_postings.c.id, job_postings.c.version)
    return int((await tx.execute(select(func.count()).select_from(job_postings).where(*_EVALUABLE, done))).scalar_one())


def _is_left(judged: Judged) -> ColumnElement[bool]:
    return not_(judged(job_postings.c.id, job_postings.c.version))


def _newest(query: Select[Any], before_id: int | None, limit: int) -> Select[Any]:
    """Read along the open ones: the history of closed ones is passed over, however long it is."""
    query = query.with_hint(job_postings, "FORCE INDEX (idx_job_postings_status)", "mysql").where(*_EVALUABLE)
    if before_id is not None:
        query = query.where(job_postings.c.id < before_id)
    return query.order_by(job_postings.c.id.desc()).limit(limit)


async def load_titles(tx: Tx, before_id: int | None, limit: int) -> tuple[list[int], str]:
    """Ids and titles of all that can be judged, page by page as `load_evaluable`; the titles are lines of one text.

    Put together by the database, they need not be made rows of, which takes longer than all the rest.
    """
    newest = _newest(select(job_postings.c.id, job_postings.c.title), before_id, limit).subquery()
    line = func.replace(newest.c.title, "\n", " ")
    ids, lines = (func.aggregate_strings(column, separator) for column, separator in ((newest.c.id, ","), (line, "\n")))
    row = (await tx.execute(select(ids.label("ids"), lines.label("lines")))).one()
    return ([], "") if row.ids is None else (list(map(int, row.ids.split(","))), row.lines)


_TOUCHED_TITLES = AtOnce(
    select(job_postings.c.id, case((and_(*_EVALUABLE), job_postings.c.title)).label("title"))
    .with_hint(job_postings, "FORCE INDEX (idx_job_postings_updated)", "mysql")
    .where(job_postings.c.updated_at >= bindparam("since"))
    .limit(bindparam("most"))
)


async def load_touched_titles(tx: Tx, since: datetime, most: int) -> dict[int, str | None]:
    """Titles of what was touched at or after `since`, at most so many; None for what can't be judged."""
    return dict(await _TOUCHED_TITLES.rows(tx, {"since": since, "most": most}))


async def load_touched(
    tx: Tx, judged: Judged, since: datetime, after: tuple[datetime, int] | None, limit: int
) -> list[EvaluablePosting]:
    """Those to judge that were touched at or after `since`, oldest touch first.

    `after` is `updated_at` and id of the last one of the page before.
    """
    touched = job_postings.c.updated_at
    place = [touched >= since]
    if after is not None:
        # Two conditions, for MySQL reads no range of an index by a comparison of pairs.
        place = [touched >= after[0], or_(touched > after[0], job_postings.c.id > after[1])]
    # Few were touched lately: no index of the status is to keep the database from beginning at these.
    is_open = func.coalesce(job_postings.c.posting_status, "") == PostingStatus.OPEN
    conditions = (is_open, *_EVALUABLE[1:], *place, _is_left(judged))
    query = select(*_COLUMNS).with_hint(job_postings, "FORCE INDEX (idx_job_postings_updated)", "mysql")
    query = query.where(*conditions).order_by(touched, job_postings.c.id)
    return [_to_evaluable(row) for row in await tx.execute(query.limit(limit))]


async def load_texts(tx: Tx, posting_ids: Collection[int]) -> dict[int, PostingText]:
    """Tags and text of these postings; one that has neither is absent."""
    tags: dict[int, list[str]] = {}
    ids = {"ids": list(posting_ids)}
    for _, posting_id, tag in sorted(await _TAGS.rows(tx, ids)):
        tags.setdefault(posting_id, []).append(tag)
    bodies: dict[int, str] = dict((await tx.execute(_BODIES, ids)).all())
    return {key: PostingText(tags=tuple(tags.get(key, ())), body=bodies.get(key)) for key in {*tags, *bodies}}
