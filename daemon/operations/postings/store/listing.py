"""Which postings a list shows: their ids, in order, read so that a long history costs no more than a short one.

A list begins where an index ends and stops when it has enough. Three things make that possible:

- Found last is the largest id: ids are given when a posting is found, and kept.
- An order that no index has is a few lists, one behind the other, each of which an index has (`_PIECES`).
- Postings are counted only so far (`COUNTED`): nobody reads on to there, and the rest would have to be counted anew
  each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, func, literal, select, union_all

from daemon.company.tables import companies, job_sources
from daemon.db import Tx
from daemon.matching.model import Confidence
from daemon.matching.tables import job_posting_match_results
from daemon.operations.postings.model import PostingFilter, PostingSort
from daemon.posting.model import PostingOrigin, PostingStatus
from daemon.posting.tables import job_postings

COUNTED = 1_000
"""Postings of a list that are counted; of more it is only known that there are more."""

FEW = 5_000
"""Postings found by another index that are all looked up, rather than look for them among all the others."""

_NONE = 0
"""No posting has this id."""

_RESULTS = job_posting_match_results
_UNKNOWN = Confidence.UNKNOWN.sort_rank


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """One page of a list."""

    ids: tuple[int, ...]
    total_count: int
    """Postings in the whole list, `COUNTED` when there are more."""
    total_is_exact: bool


def _newest_first(columns: Any) -> tuple[ColumnElement[Any], ...]:
    return (columns.id.desc(),)


def _soonest_first(columns: Any) -> tuple[ColumnElement[Any], ...]:
    return columns.deadline_at, columns.id


@dataclass(frozen=True, kw_only=True, slots=True)
class _Piece:
    """A part of a list: its postings all come before those of the next piece."""

    order: Callable[[Any], tuple[ColumnElement[Any], ...]] = _newest_first
    """By which columns of a table of postings."""
    rank: int | None = None
    """Only postings whose work arrangement is this sure."""
    dated: bool | None = None
    """Only postings that have a deadline, or only the others."""
    from_id: int | None = None
    """No posting before this one can be part of it."""
    along: Table = job_postings
    """The table at whose rows reading begins: verdicts, companies, or else the postings themselves."""


_PIECES: Mapping[PostingSort, tuple[_Piece, ...]] = {
    PostingSort.DISCOVERED: (_Piece(),),
    PostingSort.DEADLINE: (
        _Piece(dated=True, order=_soonest_first),
        _Piece(dated=False, order=_soonest_first),
    ),
    PostingSort.WORK_ARRANGEMENT: tuple(_Piece(rank=rank) for rank in sorted({each.sort_rank for each in Confidence})),
}


# Each by itself: SQLite would read all rows for both.
_ENDS = select(
    select(func.min(job_postings.c.id)).scalar_subquery().label("first"),
    select(func.max(job_postings.c.id)).scalar_subquery().label("last"),
)


async def load_page(tx: Tx, wanted: PostingFilter, sort: PostingSort, page: int, size: int, *, grouped: bool) -> Listed:
    """One page, counted from 0; `grouped` leaves duplicates out."""
    from_id = await _first(tx, wanted, sort)
    if wanted.from_id is not None and from_id != _NONE:
        from_id = max(wanted.from_id, from_id or wanted.from_id)
    if from_id == _NONE:
        return _listed((), 0)
    whole = await _begun(tx, wanted, _Piece(from_id=from_id))
    skip = page * size
    if sort is PostingSort.DISCOVERED and skip + size <= COUNTED:
        return await _load_counted(tx, wanted, whole, size, skip, grouped=grouped)
    counted = await _count(tx, wanted, _counted_along(wanted, whole), COUNTED + 1, grouped=grouped)
    ids: list[int] = []
    for part in _PIECES[sort] if skip < counted or counted > COUNTED else ():
        piece = await _begun(tx, wanted, replace(part, from_id=from_id))
        found = await _load_ids(tx, wanted, piece, size - len(ids), skip, grouped=grouped)
        ids += found
        if len(ids) == size:
            break
        if found:
            skip = 0
        elif skip:
            skip -= await _count(tx, wanted, piece, skip, grouped=grouped)
    return _listed(ids, counted)


async def _first(tx: Tx, wanted: PostingFilter, sort: PostingSort) -> int | None:
    """The posting found first of those there can be in the list, `_NONE` when there is none; None: it may be any.

    Of what was judged in all those years few are newer than the oldest open posting, mostly.
    """
    if wanted.found_since is not None:
        # Not the smallest of the ids as they are: SQLite would look for it from the first posting on.
        smallest = select(func.min(job_postings.c.id + 0)).where(job_postings.c.first_seen_at >= wanted.found_since)
        query = smallest.with_hint(job_postings, "FORCE INDEX (idx_job_postings_first_seen)", "mysql")
    elif wanted.posting_status is PostingStatus.OPEN and (wanted.matched or sort is PostingSort.WORK_ARRANGEMENT):
        query = select(func.min(job_postings.c.id)).where(job_postings.c.posting_status == PostingStatus.OPEN)
    else:
        return None
    first: int | None = (await tx.execute(query)).scalar_one()
    return _NONE if first is None else first


async def load_ids(tx: Tx) -> range:
    """The ids from that of the first posting to that of the last."""
    row = (await tx.execute(_ENDS)).one()
    return range(0) if row.first is None else range(row.first, row.last + 1)


async def _begun(tx: Tx, wanted: PostingFilter, piece: _Piece) -> _Piece:
    """The piece, read along what there is least of: postings judged so, postings of such companies, or all of them."""
    if wanted.company_id is not None or wanted.place is PostingOrigin.MANUAL:
        return piece
    one = select(literal(1).label("one"))
    if _is_judged(wanted, piece):
        judged = replace(piece, along=_RESULTS)
        if piece.dated is None:
            return judged
        return judged if await _are_few(tx, one.select_from(_RESULTS).where(*_of_verdict(wanted, judged))) else piece
    if wanted.company_origin is not None and piece.dated is None:
        theirs = one.select_from(companies.join(job_postings, job_postings.c.company_id == companies.c.id))
        few = await _are_few(tx, theirs.where(companies.c.company_origin == wanted.company_origin))
        return replace(piece, along=companies) if few else piece
    return piece


def _counted_along(wanted: PostingFilter, whole: _Piece) -> _Piece:
    """The whole list as it is counted: where deadlines narrow it, and nothing else does more, along them."""
    elsewhere = whole.along is not job_postings or wanted.company_id is not None or wanted.place is PostingOrigin.MANUAL
    if elsewhere or wanted.posting_status is None or (wanted.closes_from is None and wanted.closes_before is None):
        return whole
    return replace(whole, dated=True)


async def _are_few(tx: Tx, found: Select[Any]) -> bool:
    some = found.limit(FEW + 1).subquery()
    return int((await tx.execute(select(func.count()).select_from(some))).scalar_one()) <= FEW


def _listed(ids: Sequence[int], counted: int) -> Listed:
    return Listed(ids=tuple(ids), total_count=min(counted, COUNTED), total_is_exact=counted <= COUNTED)


async def load_matched_ids(tx: Tx, limit: int, *, grouped: bool) -> list[int]:
    """The `limit` postings found last among those that match and are not ruled out, newest first."""
    wanted = PostingFilter(matched=True)
    return await _load_ids(tx, wanted, await _begun(tx, wanted, _Piece()), limit, 0, grouped=grouped)


async def _count(tx: Tx, wanted: PostingFilter, piece: _Piece, limit: int, *, grouped: bool) -> int:
    """How many there are, up to `limit`."""
    some = _filtered(select(literal(1).label("one")), wanted, piece, grouped=grouped).limit(limit).subquery()
    return int((await tx.execute(select(func.count()).select_from(some))).scalar_one())


async def _load_counted(
    tx: Tx, wanted: PostingFilter, piece: _Piece, limit: int, skip: int, *, grouped: bool
) -> Listed:
    """Page and count of a list that is one piece, which is read once for both."""
    some = _ids(wanted, piece, COUNTED + 1, grouped=grouped).limit(COUNTED + 1).subquery()
    of_page = select(some.c.id, func.count().over().label("counted")).order_by(*_newest_first(some.c))
    rows = (await tx.execute(of_page.limit(limit).offset(skip))).all()
    if not rows and skip:
        return _listed((), await _count(tx, wanted, piece, COUNTED + 1, grouped=grouped))
    return _listed([row.id for row in rows], rows[0].counted if rows else 0)


async def _load_ids(tx: Tx, wanted: PostingFilter, piece: _Piece, limit: int, skip: int, *, grouped: bool) -> list[int]:
    query = _ids(wanted, piece, skip + limit, grouped=grouped)
    return list((await tx.execute(query.limit(limit).offset(skip))).scalars())


def _ids(wanted: PostingFilter, piece: _Piece, most: int, *, grouped: bool) -> Select[Any]:
    """The piece in its order; not more than `most` of it are wanted."""
    # No column that the order does not need: an index alone may then do.
    columns = (job_postings.c.id,) if piece.dated is None else (job_postings.c.id, job_postings.c.deadline_at)
    if wanted.posting_status is not None or (wanted.company_id is None and piece.dated is None):
        return _filtered(select(*columns), wanted, piece, grouped=grouped).order_by(*_order(piece))
    # Indexes of companies and deadlines have the status before the order: each status by itself, then both.
    halves = (
        _filtered(select(*columns), replace(wanted, posting_status=status), piece, grouped=grouped)
        .order_by(*piece.order(job_postings.c))
        .limit(most)
        .subquery()
        for status in PostingStatus
    )
    both = union_all(*(select(half) for half in halves)).subquery()
    return select(both).order_by(*piece.order(both.c))


def _order(piece: _Piece) -> tuple[ColumnElement[Any], ...]:
    """The order of a list, by columns of the table that it is read along."""
    if piece.order is _newest_first and piece.along is _RESULTS:
        return (_RESULTS.c.job_posting_id.desc(),)
    if piece.order is _newest_first and piece.along is companies:
        # Sorted: no index of all postings is to seem the better way.
        return ((job_postings.c.id + 0).desc(),)
    return piece.order(job_postings.c)


def _is_judged(wanted: PostingFilter, piece: _Piece) -> bool:
    """Whether only postings are wanted that were judged in a way of which there is an index."""
    return bool(wanted.matched or piece.rank not in (None, _UNKNOWN))


def _filtered(query: Select[Any], wanted: PostingFilter, piece: _Piece, *, grouped: bool) -> Select[Any]:
    """`query` over the postings wanted, joined with no more than it takes.

    What most postings have in common is put so that no index of it can be used: it would only keep the database from
    the one that the order goes by, or that few rows are found by.
    """
    joined: Any = job_postings
    conditions: list[ColumnElement[bool]] = []
    elsewhere = piece.along is not job_postings
    if grouped:
        representative = job_postings.c.representative_id
        by_status = wanted.company_id is None and (piece.dated is not None or wanted.posting_status is not None)
        hidden = elsewhere or by_status or wanted.title is not None
        conditions.append(func.coalesce(representative, 0) == 0 if hidden else representative.is_(None))
    if wanted.company_id is not None:
        conditions.append(job_postings.c.company_id == wanted.company_id)
    if wanted.posting_status is not None:
        status = job_postings.c.posting_status
        conditions.append((func.coalesce(status, "") if piece.along is companies else status) == wanted.posting_status)
    if wanted.company_origin is not None:
        company_id = (
            job_postings.c.company_id if piece.along is companies else func.coalesce(job_postings.c.company_id, 0)
        )
        joined = joined.join(companies, companies.c.id == company_id)
        conditions.append(companies.c.company_origin == wanted.company_origin)
    verdict = list(_of_verdict(wanted, piece))
    if verdict:
        doubtful = wanted.matched is False or piece.rank == _UNKNOWN
        inner = wanted.matched or wanted.arranged or not doubtful
        joined = joined.join(_RESULTS, _RESULTS.c.job_posting_id == job_postings.c.id, isouter=not inner)
    if wanted.place is not None and wanted.place is not PostingOrigin.MANUAL:
        joined = joined.join(job_sources, job_sources.c.id == func.coalesce(job_postings.c.job_source_id, 0))
        conditions.append(job_sources.c.source_type == wanted.place)
    if wanted.title is not None:
        conditions.append(_is_in_title(wanted.title))
    if piece.dated is not None:
        deadline = job_postings.c.deadline_at
        conditions.append(deadline.is_not(None) if piece.dated else deadline.is_(None))
    if piece.along is not _RESULTS:
        conditions += _between_ids(job_postings.c.id, wanted, piece)
    found = query.select_from(joined).where(*conditions, *verdict, *_at_the_right_time(wanted))
    if _is_judged(wanted, piece):
        # Where a verdict is looked up by its posting, this index alone tells it: no row has to be read.
        of_results = "notifiable" if wanted.matched else "rank"
        found = found.with_hint(_RESULTS, f"FORCE INDEX (idx_job_posting_match_results_{of_results})", "mysql")
    if piece.along is job_postings and joined is not job_postings:
        # However small the other tables are.
        found = found.prefix_with("STRAIGHT_JOIN", dialect="mysql")
    index = _index(wanted, piece, grouped=grouped)
    return found if index is None else found.with_hint(job_postings, f"FORCE INDEX ({index})", "mysql")


def _index(wanted: PostingFilter, piece: _Piece, *, grouped: bool) -> str | None:
    """The index along which the list is read; None where few rows are found by another one, which the database knows.

    Left to itself it reads thousands of rows and sorts them rather than the last fifty of an index.
    """
    if wanted.place is PostingOrigin.MANUAL:
        return None
    if piece.along is _RESULTS:
        return None if wanted.posting_status is None else "idx_job_postings_status"
    if wanted.company_id is not None or piece.along is companies:
        return "idx_job_postings_company_status"
    if piece.dated is not None:
        return "idx_job_postings_status_deadline"
    if wanted.title is not None and (wanted.posting_status is None or wanted.from_id is not None):
        return "PRIMARY"
    if not grouped and wanted.posting_status is None:
        return None
    return f"idx_job_postings_{'representative' if wanted.posting_status is None else 'status'}"


def _is_in_title(words: str) -> ColumnElement[bool]:
    """Whether these words are in the title, whatever their case; Korean has none, and half the work is saved."""
    title = job_postings.c.title if words.lower() == words.upper() else func.lower(job_postings.c.title)
    return title.contains(words.lower(), autoescape=True)


def _of_verdict(wanted: PostingFilter, piece: _Piece) -> Iterator[ColumnElement[bool]]:
    """The conditions on how a posting was judged; one that was not judged yet has no row there."""
    notifiable, rank = _RESULTS.c.notifiable, _RESULTS.c.work_arrangement_sort_rank
    if wanted.matched:
        yield notifiable == 1
    elif wanted.matched is False:
        yield func.coalesce(notifiable, 0) == 0
    if piece.along is _RESULTS:
        yield from _between_ids(_RESULTS.c.job_posting_id, wanted, piece)
    if wanted.arranged:
        yield rank.in_(sorted({each.sort_rank for each in Confidence} - {_UNKNOWN}))
    if piece.rank == _UNKNOWN:
        yield func.coalesce(rank, _UNKNOWN) == _UNKNOWN
    elif piece.rank is not None:
        yield rank == piece.rank


def _between_ids(of_posting: ColumnElement[int], wanted: PostingFilter, piece: _Piece) -> Iterator[ColumnElement[bool]]:
    if piece.from_id is not None:
        yield of_posting >= piece.from_id
    if wanted.before_id is not None:
        yield of_posting < wanted.before_id


def _at_the_right_time(wanted: PostingFilter) -> Iterator[ColumnElement[bool]]:
    """The conditions that need no other table than that of postings."""
    if wanted.found_since is not None:
        yield job_postings.c.first_seen_at >= wanted.found_since
    if wanted.closes_from is not None:
        yield job_postings.c.deadline_at >= wanted.closes_from
    if wanted.closes_before is not None:
        yield job_postings.c.deadline_at < wanted.closes_before
    if wanted.place is PostingOrigin.MANUAL:
        # Both say the same; few have no source, and an index finds them.
        yield job_postings.c.posting_origin == PostingOrigin.MANUAL
        yield job_postings.c.job_source_id.is_(None)
