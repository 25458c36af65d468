"""What criteria would match of the stored postings, before a person keeps them: nothing is stored.

To read all titles takes half a second when there are a hundred thousand. A person tries one word after the other, so
they are kept in memory for a while, and only what was touched since is read again.
"""

from __future__ import annotations

import asyncio
from array import array
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce
from operator import neg, or_

from daemon.clock import SystemClock
from daemon.db import Database, Tx, reading
from daemon.matching.actions.criteria import current_criteria
from daemon.matching.model import CriteriaDraft, DraftPreview, Keyword, KeywordGroup, MatchCriteria, Preview
from daemon.matching.rules import criteria as criteria_rules
from daemon.matching.rules import evaluation as rules
from daemon.matching.rules.evaluation import StoredLot
from daemon.matching.rules.titles import TitleLot, one_title
from daemon.posting.store.evaluable import load_titles, load_touched_titles

_LOT = 5000
"""Titles read at a time: some milliseconds, and few megabytes even when all are long."""

_OVERLAP = timedelta(seconds=90)
"""A posting is touched at an instant before its commit: a transaction takes up to a minute."""

_MOST_TOUCHED = 20_000
"""Postings touched since; of more, all are read anew."""

_MOST_LOTS = 100
"""Looks between which something was touched; after more, all are read anew."""

_UNKNOWN = object()

_LONGEST = 3600.0
"""Seconds for which titles are kept, however often they are looked at."""

_IDLE = 600.0
"""Seconds after the last look when they are let go."""


class KnownTitles:
    """The titles of all postings that can be judged, in the memory of this process while someone tries words."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._forget: asyncio.TimerHandle | None = None
        self._clear()

    def _clear(self) -> None:
        self._lots: list[StoredLot] = []
        self._later: list[StoredLot] = []
        """Of what was touched, as it was then; what is touched again is gone from all before."""
        self._touched: dict[int, str | None] = {}
        """By posting, its title since; None when it can be judged no more."""
        self._as_of: datetime | None = None
        """What was committed long enough before is known."""
        self._read_at = 0.0

    async def lots(self, db: Database) -> list[StoredLot]:
        """All of them, as they are stored now."""
        async with self._lock:
            if self._forget is not None:
                self._forget.cancel()
            try:
                now = await reading(db, Tx.now)
                if self._as_of is None or not await self._caught_up(db, self._as_of, now):
                    await self._read_all(db)
                self._as_of = now
                return [*self._later, *self._lots]
            finally:
                # A simulated clock runs too fast for anything to be kept.
                idle = 0 if db.clock.simulated else _IDLE
                self._forget = asyncio.get_running_loop().call_later(idle, self._clear)

    async def _caught_up(self, db: Database, as_of: datetime, now: datetime) -> bool:
        """Learn what was touched since; False when all must be read anew."""
        if now < as_of or SystemClock().ticks() - self._read_at > _LONGEST:
            return False
        touched = await reading(db, load_touched_titles, as_of - _OVERLAP, _MOST_TOUCHED + 1)
        self._learn({key: each for key, each in touched.items() if self._touched.get(key, _UNKNOWN) != each})
        return max(len(touched), len(self._touched)) <= _MOST_TOUCHED and len(self._later) <= _MOST_LOTS

    def _learn(self, changed: Mapping[int, str | None]) -> None:
        if not changed:
            return
        self._touched |= changed
        self._lots = [_without(lot, changed) for lot in self._lots]
        self._later = [_without(lot, changed) for lot in self._later]
        found = {key: title for key, title in sorted(changed.items(), reverse=True) if title is not None}
        if found:
            lines = "\n".join(title.replace("\n", " ") for title in found.values())
            self._later.append(StoredLot(array("q", found), TitleLot.of(lines)))

    async def _read_all(self, db: Database) -> None:
        self._clear()
        begun, last, lots = SystemClock().ticks(), None, list[StoredLot]()
        while (found := await reading(db, load_titles, last, _LOT))[0]:
            ids, lines = found
            lots.append(StoredLot(array("q", ids), await asyncio.to_thread(TitleLot.of, lines)))
            last = ids[-1]
        self._read_at, self._lots = begun, lots


def _without(lot: StoredLot, touched: Collection[int]) -> StoredLot:
    """The lot, those gone from it that were touched; its ids go downwards."""
    within = [each for each in touched if lot.ids[-1] <= each <= lot.ids[0]]
    places = ((each, bisect_left(lot.ids, -each, key=neg)) for each in within)
    return replace(
        lot, gone=reduce(or_, (one_title(place) for each, place in places if lot.ids[place] == each), lot.gone)
    )


async def preview_criteria(
    db: Database, titles: KnownTitles, synonyms: Sequence[str], exclusion_keywords: Sequence[str] | None = None
) -> Preview:
    """Which stored postings a keyword group of these synonyms would match.

    Without `exclusion_keywords` those in force rule out. Raises InvalidCriterion.
    """
    group = KeywordGroup(id=0, display_name="", synonyms=criteria_rules.checked_words("synonyms", synonyms))
    drafted = replace(await current_criteria(db), keyword_groups=(group,))
    if exclusion_keywords is not None:
        words = criteria_rules.checked_words("exclusion_keywords", exclusion_keywords) if exclusion_keywords else ()
        drafted = replace(drafted, exclusion_keywords=tuple(Keyword(id=0, keyword=word) for word in words))
    return await asyncio.to_thread(rules.preview, drafted, await titles.lots(db))


async def preview_draft(db: Database, titles: KnownTitles, before: MatchCriteria, draft: CriteriaDraft) -> DraftPreview:
    """What a change of the criteria in force would do to the stored postings. Raises InvalidCriterion."""
    after = criteria_rules.drafted(before, draft)
    return await asyncio.to_thread(rules.preview_draft, before, after, await titles.lots(db))
