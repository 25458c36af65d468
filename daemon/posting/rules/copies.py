"""Which postings are copies, and which of them stands for the others (seed 001, 방안 9; DESIGN 1.5). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from daemon.posting.model import Copy, PostingStatus, Standing
from daemon.sources.model import SourceType

SAME_ROUND = timedelta(days=30)
"""Deadlines further apart are those of different postings, whatever else is equal (FR-63)."""


def group_copies(copies: Iterable[Copy]) -> list[tuple[Copy, ...]]:
    """The postings of one dedup key as groups of copies, each with its representative first, the others by id.

    Deadlines more than 30 days apart are different postings (FR-63). Where deadlines form a chain, the earliest begins
    a group and takes in all that are at most 30 days after *it*; the next one left begins another group. So no two of
    a group are further apart, and a later round never splits an earlier group. A posting without a deadline contradicts
    none (Greenhouse never tells one): all of these join the group with the latest deadlines, which is the round that
    is running; without any dated posting they are one group. The order of `copies` does not matter.
    """
    dated = sorted((copy for copy in copies if copy.deadline_at is not None), key=_by_deadline)
    always_open = [copy for copy in copies if copy.deadline_at is None]
    rounds: list[list[Copy]] = []
    for copy in dated:
        if rounds and _by_deadline(copy)[0] - _by_deadline(rounds[-1][0])[0] <= SAME_ROUND:
            rounds[-1].append(copy)
        else:
            rounds.append([copy])
    if always_open and rounds:
        rounds[-1] += always_open
    elif always_open:
        rounds.append(always_open)
    return [_with_representative(group) for group in rounds]


def _by_deadline(copy: Copy) -> tuple[datetime, int]:
    assert copy.deadline_at is not None, "always open"
    return copy.deadline_at, copy.id


def _with_representative(group: Sequence[Copy]) -> tuple[Copy, ...]:
    chosen = min(group, key=_precedence)
    return (chosen, *sorted((copy for copy in group if copy is not chosen), key=lambda copy: copy.id))


def _precedence(copy: Copy) -> tuple[int, int, datetime, int]:
    """Whom to choose, smallest first (FR-64): own board, board of many, by hand; open; found first; then by id.

    A posting entered by hand comes last: nothing keeps it up to date.
    """
    source = {SourceType.COMPANY_BOUND: 0, SourceType.AGGREGATOR: 1, None: 2}[copy.source_type]
    return source, int(copy.status is not PostingStatus.OPEN), copy.first_seen_at, copy.id


def standing_under(standing: Standing, representative_id: int | None) -> Standing:
    """What a posting's standing becomes when `representative_id` stands for it (None: it stands for itself).

    A duplicate is never eligible (FR-65). Whether it would be by itself is kept, and comes back when it stands for
    itself again; that it is no news by then is judged by what its group was told (seed 001, 대표 재선정 후 알림).
    """
    alone = standing.notification_eligible if standing.eligible_alone is None else standing.eligible_alone
    if representative_id is None:
        return Standing(representative_id=None, notification_eligible=alone, eligible_alone=None)
    return Standing(representative_id=representative_id, notification_eligible=False, eligible_alone=alone)
