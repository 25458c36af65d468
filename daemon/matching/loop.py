"""Judges postings as they come in (seed 001, 방안 5): an event saves waiting, rows decide."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import structlog

from daemon.clock import Clock, wait_for_any
from daemon.db import Database, is_lost
from daemon.foreground import Foreground, GoOn
from daemon.matching.actions import evaluation
from daemon.matching.actions.evaluation import Standing

log = structlog.get_logger(__name__)

IDLE_POLL = timedelta(seconds=30)
"""Longest sleep between two looks at what was touched."""

OVERLAP = timedelta(seconds=90)
"""How far before the last look the next one begins: a transaction may take a minute to commit what it timed first."""


async def run_evaluation(
    db: Database, clock: Clock, foreground: Foreground, recorded: asyncio.Event, stopping: asyncio.Event
) -> None:
    """Judge what was recorded, edited, or outdated by new criteria, until `stopping` is set.

    `recorded` is set by whoever records postings in this process. The first look, and one after each change of the
    criteria, is at all postings; the others are at those touched since.
    """
    seen: Standing | None = None
    while not stopping.is_set():
        await foreground.step_aside()
        recorded.clear()
        try:
            seen = await look(db, seen, foreground.until(stopping))
        except Exception as error:  # results stay outdated until the next look, or the 08:50 job
            if not is_lost(error):
                log.exception("evaluation.failed")
        await wait_for_any(clock, (recorded, stopping), IDLE_POLL)


async def look(db: Database, seen: Standing | None, go_on: GoOn) -> Standing:
    """One look at what there is to judge, given how things stood at the last one; returns how they stand now."""
    now = await evaluation.standing(db)
    if seen is None or seen.revision != now.revision:
        await evaluation.evaluate_pending(db, go_on)
    else:
        await evaluation.evaluate_touched(db, seen.now - OVERLAP, go_on)
    return now
