"""Applying, moving on, and interviews; what the API and the shell call (seed 001, FR-42 to FR-47)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import assert_never

import structlog

from daemon.application import rules, store
from daemon.application.model import (
    Application,
    ApplicationExists,
    ApplicationOvertaken,
    ApplicationStatus,
    Interview,
    InterviewChanges,
    InterviewOvertaken,
    Moved,
    Refused,
    RoundExists,
    Step,
    TransitionRefused,
    UnknownApplication,
    UnknownInterview,
    UnknownPosting,
)
from daemon.db import Database, Tx, reading, transaction, unless_overtaken
from daemon.posting.store import load_copies

log = structlog.get_logger(__name__)

Versions = Collection[int]
"""The versions that the caller has read, any of which will do (`If-Match`)."""


async def apply_for_posting(
    db: Database, job_posting_id: int, applied_at: datetime | None, memo: str | None
) -> Application:
    """Record that the person applied, with the first step of the history (null -> APPLIED) in one transaction.

    `applied_at` None is now. Of a posting that several sources show, the representative is applied for (FR-64), and
    one application stands for all its copies. A closed posting may be applied for: it may have closed since. Raises
    InvalidValue, UnknownPosting, ApplicationExists.
    """
    application = await unless_overtaken(db, _apply, job_posting_id, applied_at, rules.checked_memo(memo))
    log.info("application.created", application_id=application.id, job_posting_id=application.job_posting_id)
    return application


async def _apply(tx: Tx, job_posting_id: int, applied_at: datetime | None, memo: str | None) -> Application:
    copies = await load_copies(tx, job_posting_id)
    if not copies:
        raise UnknownPosting(job_posting_id)
    existing = await store.find_application(tx, copies)
    if existing is not None:
        raise ApplicationExists(existing)
    now = await tx.now()
    began = now if applied_at is None else applied_at
    application_id = await store.add_application(tx, copies[0], began, memo, now)
    await store.add_history(tx, application_id, None, ApplicationStatus.APPLIED, began, memo, now)
    return await _application(tx, application_id)


async def transit_application(
    db: Database,
    application_id: int,
    wanted: ApplicationStatus,
    memo: str | None = None,
    *,
    expected: Versions | None = None,
) -> Moved:
    """Move an application to another status, with its step of the history in the same transaction (FR-47).

    The caller decided on what was to be read before this call: with `expected` on one of these versions, without it
    on the version that the call finds first. If another move comes between, nothing is written. Raises InvalidValue,
    UnknownApplication, ApplicationOvertaken, TransitionRefused.
    """
    memo = rules.checked_memo(memo)
    if expected is None:
        expected = [(await reading(db, _application, application_id)).version]
    moved = await transaction(db, _transit, application_id, wanted, memo, expected)
    log.info("application.moved", application_id=application_id, status=moved.application.current_status)
    return moved


async def _transit(
    tx: Tx, application_id: int, wanted: ApplicationStatus, memo: str | None, expected: Versions
) -> Moved:
    application = await store.lock_application(tx, application_id)
    if application is None:
        raise UnknownApplication(application_id)
    if application.version not in expected:
        raise ApplicationOvertaken(application)
    step = rules.decide_transition(application.current_status, wanted)
    match step:
        case Refused(refusal=refusal):
            raise TransitionRefused(application, wanted, refusal)
        case Step():
            now = await tx.now()
            if not await store.save_step(tx, application, step, now):
                raise ApplicationOvertaken(application)
            history_id = await store.add_history(tx, application_id, step.previous, step.next, now, memo, now)
            moved = replace(
                application,
                current_status=step.next,
                rejected_at_stage=step.rejected_at_stage,
                last_transited_at=now,
                version=application.version + 1,
            )
            return Moved(application=moved, history_id=history_id)
        case _:
            assert_never(step)


async def add_interview(
    db: Database, application_id: int, round_number: int, label: str, scheduled_at: datetime | None = None
) -> Interview:
    """Add a round of interviews, whatever the status: rounds are also recorded afterwards (FR-46).

    Raises InvalidValue, UnknownApplication, RoundExists.
    """
    number, name = rules.checked_round(round_number), rules.checked_label(label)
    interview = await unless_overtaken(db, _add_interview, application_id, number, name, scheduled_at)
    log.info("interview.added", application_id=application_id, interview_id=interview.interview_id)
    return interview


async def _add_interview(
    tx: Tx, application_id: int, round_number: int, label: str, scheduled_at: datetime | None
) -> Interview:
    await _application(tx, application_id)
    existing = await store.find_round(tx, application_id, round_number)
    if existing is not None:
        raise RoundExists(existing)
    await store.add_interview(tx, application_id, round_number, label, scheduled_at, await tx.now())
    added = await store.find_round(tx, application_id, round_number)
    assert added is not None, "an interview just added is not there"
    return added


async def edit_interview(
    db: Database,
    application_id: int,
    interview_id: int,
    changes: InterviewChanges,
    *,
    expected: Versions | None = None,
) -> Interview:
    """Change what is given of an interview and leave the rest (FR-46); an edit that changes nothing raises no version.

    Raises InvalidValue, UnknownInterview (the application has none of that id), InterviewOvertaken (it has none of the
    `expected` versions any more).
    """
    checked = changes.copy()
    if "label" in checked:
        checked["label"] = rules.checked_label(checked["label"])
    if "memo" in checked:
        checked["memo"] = rules.checked_memo(checked["memo"])
    interview = await transaction(db, _edit_interview, application_id, interview_id, checked, expected)
    log.info("interview.edited", application_id=application_id, interview_id=interview_id, version=interview.version)
    return interview


async def _edit_interview(
    tx: Tx, application_id: int, interview_id: int, changes: InterviewChanges, expected: Versions | None
) -> Interview:
    interview = await store.lock_interview(tx, application_id, interview_id)
    if interview is None:
        raise UnknownInterview(application_id, str(interview_id))
    if expected is not None and interview.version not in expected:
        raise InterviewOvertaken(interview)
    edited = replace(interview, **changes)
    if edited == interview:
        return interview
    if not await store.save_interview(tx, edited, await tx.now()):
        raise InterviewOvertaken(interview)
    return replace(edited, version=edited.version + 1)


async def interview_of_round(db: Database, application_id: int, round_number: int) -> Interview:
    """The application's interview of a round. Raises UnknownApplication, UnknownInterview."""
    return await reading(db, _interview_of_round, application_id, round_number)


async def _interview_of_round(tx: Tx, application_id: int, round_number: int) -> Interview:
    await _application(tx, application_id)
    found = await store.find_round(tx, application_id, round_number)
    if found is None:
        raise UnknownInterview(application_id, f"of round {round_number}")
    return found


async def _application(tx: Tx, application_id: int) -> Application:
    found = await store.load_application(tx, application_id)
    if found is None:
        raise UnknownApplication(application_id)
    return found
