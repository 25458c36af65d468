"""The calendar as a file; what the API serves."""

from __future__ import annotations

from datetime import timedelta

from daemon.db import Database, Tx, reading
from daemon.messages import Language, text
from daemon.operations.calendar import rules, store
from daemon.operations.calendar.ics import calendar_document
from daemon.operations.calendar.model import Appointment, Deadline

DEADLINES_KEPT = timedelta(days=30)
"""Where nothing closes postings, their deadlines go from the calendar so long after they have passed."""


async def calendar_file(db: Database, language: Language) -> bytes:
    """Deadlines and interviews as an iCalendar file, with texts in the person's language."""
    deadlines, appointments = await reading(db, _load)
    entries = [rules.entry_of_deadline(deadline, language) for deadline in deadlines]
    entries += [rules.entry_of_appointment(appointment, language) for appointment in appointments]
    return calendar_document(text(language, "calendar.name"), entries)


async def _load(tx: Tx) -> tuple[tuple[Deadline, ...], tuple[Appointment, ...]]:
    since = await tx.now() - DEADLINES_KEPT
    return await store.load_deadlines(tx, since), await store.load_appointments(tx)
