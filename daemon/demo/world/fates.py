"""What becomes of a posting over the days: edits, absences, its last day."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

from daemon.demo.world.model import Span
from daemon.demo.world.plans import BoardPlan
from daemon.sources.model import Platform

_DAY = timedelta(days=1)
_VANISH_CHANCE = 0.008
_EDIT_CHANCE = 0.012
_RETURN_CHANCE = 0.25
_TELLS_TEXT_EDITS = frozenset({Platform.GREENHOUSE, Platform.WOOWAHAN, Platform.INCRUIT})
"""Sites whose own version, date or page text shows an edit that leaves title and deadline alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """A change that is first seen on `day`."""

    day: date
    new_last_day: date | None = None
    """Set when the edit moves the deadline instead of changing the title."""
    text_only: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Fate:
    """Edits by day, absences (first day away, day back or None) and the first deadline."""

    edits: tuple[Edit, ...] = ()
    absences: tuple[tuple[date, date | None], ...] = ()
    last_day: date | None = None

    def spans(self, posted: date) -> tuple[Span, ...]:
        """The days in the list: from the day after registration to the last deadline, without the absences."""
        last_day = self.last_day
        for edit in self.edits:
            last_day = edit.new_last_day or last_day
        end = None if last_day is None else last_day + _DAY
        spans: list[Span] = []
        start: date | None = posted + _DAY
        for away, back in self.absences:
            if start is None or (end is not None and away >= end):
                break
            spans.append(Span(first=start, end=away))
            start = back
        if start is not None and (end is None or start < end):
            spans.append(Span(first=start, end=end))
        return tuple(spans)


def scripted_fate(plan: BoardPlan, position: int | None, first_day: date) -> Fate | None:
    """The fates that every lively board plays with its newest postings, whatever the dice say; None for the others.

    Days are counted from `first_day` = 1. All of them stand on the first day.
    """
    if not plan.lively or position is None or plan.size < 8:
        return None

    def on(number: int) -> date:
        return first_day + (number - 1) * _DAY

    dated = plan.always_open_share < 1.0
    usual = on(40) if dated else None
    match position:
        case 0:
            return Fate(edits=(Edit(day=on(2)),), last_day=usual)
        case 1:
            return Fate(absences=((on(3), None),), last_day=usual)
        case 2:
            return Fate(absences=((on(3), on(4)),), last_day=usual)
        case 3:
            return Fate(absences=((on(2), on(5)),), last_day=usual)
        case 4 if dated:
            return Fate(last_day=on(2))
        case 5 if dated:
            return Fate(edits=(Edit(day=on(3), new_last_day=on(20)),), last_day=on(4))
        case 6:
            return Fate(edits=(Edit(day=on(2)), Edit(day=on(4))), last_day=usual)
    return None


def draw_fate(rng: random.Random, plan: BoardPlan, posted: date, first_day: date, days: int) -> Fate:
    """A fate by chance; postings of a board that is not lively stay as they are."""
    last_day = None
    if rng.random() >= plan.always_open_share:
        last_day = max(posted, first_day) + rng.randint(1, 50) * _DAY
    if not plan.lively:
        return Fate(last_day=None if plan.always_open_share == 1.0 else first_day + 60 * _DAY)
    edits: list[Edit] = []
    absence: tuple[date, date | None] | None = None
    for offset in range(1, days):
        day = first_day + offset * _DAY
        chance = rng.random()
        if day <= posted + _DAY or (last_day is not None and day > last_day):
            continue
        if absence is None and chance < _VANISH_CHANCE:
            back = day + rng.randint(1, 3) * _DAY if rng.random() < _RETURN_CHANCE else None
            absence = (day, back)
            if back is None:
                break
        elif chance > 1 - _EDIT_CHANCE:
            edit = _draw_edit(rng, plan, day, last_day)
            last_day = edit.new_last_day or last_day
            edits.append(edit)
    first_last_day = last_day
    for edit in reversed(edits):
        if edit.new_last_day is not None:
            first_last_day = edit.new_last_day - 14 * _DAY
    return Fate(edits=tuple(edits), absences=() if absence is None else (absence,), last_day=first_last_day)


def _draw_edit(rng: random.Random, plan: BoardPlan, day: date, last_day: date | None) -> Edit:
    kind = rng.random()
    if last_day is not None and kind < 0.4:
        return Edit(day=day, new_last_day=last_day + 14 * _DAY)
    return Edit(day=day, text_only=kind > 0.7 and plan.platform in _TELLS_TEXT_EDITS)
