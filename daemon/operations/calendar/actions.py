"""The calendar as a file, which the API serves, and its next days, which the page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import timedelta

from daemon.clock import business_date, kst
from daemon.db import Database, Tx, reading
from daemon.messages import Language, text
from daemon.operations.calendar import rules, store
from daemon.operations.calendar.ics import calendar_document
from daemon.operations.calendar.model import Appointment, Deadline, Upcoming

DEADLINES_KEPT = timedelta(days=30)
"""Where nothing closes postings, their deadlines go from the calendar so long after they have passed."""

SHOWN = 3
"""Deadlines of a day ahead that are told one by one; of the others only how many there are."""


async def calendar_file(db: Database, language: Language) -> bytes:
    """Deadlines and interviews as an iCalendar file, with texts in the person's language."""
    deadlines, appointments = await reading(db, _load)
    # Thousands of entries take a while to write: beside whatever else runs in the process.
    return await asyncio.to_thread(_written, deadlines, appointments, language)


def _written(deadlines: Iterable[Deadline], appointments: Iterable[Appointment], language: Language) -> bytes:
    entries = [rules.entry_of_deadline(deadline, language) for deadline in deadlines]
    entries += [rules.entry_of_appointment(appointment, language) for appointment in appointments]
    return calendar_document(text(language, "calendar.name"), entries)


async def upcoming(db: Database, days: int = 7) -> Upcoming:
    """What comes within the next `days` KST days, today included: deadlines that concern the person, interviews."""
    return await reading(db, _upcoming, days)


async def _upcoming(tx: Tx, days: int) -> Upcoming:
    now = await tx.now()
    dates = [business_date(now) + timedelta(days=number) for number in range(days)]
    ends = [kst(day + timedelta(days=1), 0) for day in dates]
    appointments = await store.load_appointments(tx)
    return Upcoming(
        now=now,
        days=dict(zip(dates, await store.load_days(tx, now, ends, SHOWN), strict=True)),
        appointments=tuple(
            each
            for each in appointments
            if now - timedelta(minutes=rules.INTERVIEW_MINUTES) <= each.scheduled_at < ends[-1]
            and not rules.is_cancelled(each)
        ),
    )


async def _load(tx: Tx) -> tuple[tuple[Deadline, ...], tuple[Appointment, ...]]:
    since = await tx.now() - DEADLINES_KEPT
    return await store.load_deadlines(tx, since), await store.load_appointments(tx)
