"""SQL of applications, their steps and interviews."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, insert, select, update

from daemon.application.model import (
    Application,
    ApplicationStatus,
    Interview,
    InterviewResult,
    StatusHistory,
    Step,
)
from daemon.application.tables import (
    job_application_interviews,
    job_application_status_histories,
    job_applications,
)
from daemon.db import Tx, chunks


async def add_application(tx: Tx, job_posting_id: int, applied_at: datetime, memo: str | None, now: datetime) -> int:
    """Insert an application that is APPLIED; returns its id. An IntegrityError means that there has just come one."""
    added = await tx.execute(
        insert(job_applications).values(
            job_posting_id=job_posting_id,
            current_status=ApplicationStatus.APPLIED,
            applied_at=applied_at,
            last_transited_at=applied_at,
            memo=memo,
            version=0,
            created_at=now,
            updated_at=now,
        )
    )
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def load_applied(tx: Tx, job_posting_ids: Collection[int]) -> set[int]:
    """Those of these postings that the person has applied for."""
    found: set[int] = set()
    for chunk in chunks(sorted(job_posting_ids)):
        ids = await tx.execute(
            select(job_applications.c.job_posting_id).where(job_applications.c.job_posting_id.in_(chunk))
        )
        found.update(ids.scalars())
    return found


async def add_history(
    tx: Tx,
    application_id: int,
    previous: ApplicationStatus | None,
    reached: ApplicationStatus,
    transited_at: datetime,
    memo: str | None,
    now: datetime,
) -> int:
    """Insert one step of an application; returns its id."""
    added = await tx.execute(
        insert(job_application_status_histories).values(
            job_application_id=application_id,
            previous_status=previous,
            next_status=reached,
            transited_at=transited_at,
            memo=memo,
            created_at=now,
        )
    )
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def save_step(tx: Tx, application: Application, step: Step, now: datetime) -> bool:
    """Move the application if it still has its version, and raise that; tells whether it had."""
    saved = await tx.execute(
        update(job_applications)
        .where(job_applications.c.id == application.id, job_applications.c.version == application.version)
        .values(
            current_status=step.next,
            rejected_at_stage=step.rejected_at_stage,
            last_transited_at=now,
            version=job_applications.c.version + 1,
            updated_at=now,
        )
    )
    return saved.rowcount == 1


async def load_application(tx: Tx, application_id: int) -> Application | None:
    """The application of that id."""
    return await _one_application(tx, select(job_applications).where(job_applications.c.id == application_id))


async def lock_application(tx: Tx, application_id: int) -> Application | None:
    """As `load_application`; nobody else moves it until commit."""
    query = select(job_applications).where(job_applications.c.id == application_id)
    return await _one_application(tx, query.with_for_update())


async def find_application(tx: Tx, job_posting_ids: Collection[int]) -> Application | None:
    """The first application there is for any of these postings."""
    query = select(job_applications).where(job_applications.c.job_posting_id.in_(job_posting_ids))
    return await _one_application(tx, query.order_by(job_applications.c.id).limit(1))


async def _one_application(tx: Tx, query: Select[Any]) -> Application | None:
    row = (await tx.execute(query)).one_or_none()
    return None if row is None else _to_application(row)


def _to_application(row: Row[Any]) -> Application:
    stage = row.rejected_at_stage
    return Application(
        id=row.id,
        job_posting_id=row.job_posting_id,
        current_status=ApplicationStatus(row.current_status),
        rejected_at_stage=None if stage is None else ApplicationStatus(stage),
        applied_at=row.applied_at,
        last_transited_at=row.last_transited_at,
        memo=row.memo,
        version=row.version,
    )


async def load_histories(tx: Tx, application_ids: Collection[int]) -> dict[int, tuple[StatusHistory, ...]]:
    """The steps of each application, in the order in which they were taken."""
    histories = job_application_status_histories
    rows = await tx.execute(
        select(histories).where(histories.c.job_application_id.in_(application_ids)).order_by(histories.c.id)
    )
    found: dict[int, tuple[StatusHistory, ...]] = {}
    for row in rows:
        step = StatusHistory(
            history_id=row.id,
            previous_status=None if row.previous_status is None else ApplicationStatus(row.previous_status),
            next_status=ApplicationStatus(row.next_status),
            transited_at=row.transited_at,
            memo=row.memo,
        )
        found[row.job_application_id] = (*found.get(row.job_application_id, ()), step)
    return found


async def add_interview(
    tx: Tx, application_id: int, round_number: int, label: str, scheduled_at: datetime | None, now: datetime
) -> int:
    """Insert an interview; returns its id. An IntegrityError means that the round has just been added."""
    added = await tx.execute(
        insert(job_application_interviews).values(
            job_application_id=application_id,
            round_number=round_number,
            label=label,
            scheduled_at=scheduled_at,
            version=0,
            created_at=now,
            updated_at=now,
        )
    )
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


async def save_interview(tx: Tx, edited: Interview, now: datetime) -> bool:
    """Rewrite the interview if it still has the version given, and raise that; tells whether it had."""
    interviews = job_application_interviews
    saved = await tx.execute(
        update(interviews)
        .where(interviews.c.id == edited.interview_id, interviews.c.version == edited.version)
        .values(
            label=edited.label,
            scheduled_at=edited.scheduled_at,
            interview_result=edited.interview_result,
            memo=edited.memo,
            version=interviews.c.version + 1,
            updated_at=now,
        )
    )
    return saved.rowcount == 1


async def lock_interview(tx: Tx, application_id: int, interview_id: int) -> Interview | None:
    """The application's interview of that id; nobody else edits it until commit."""
    interviews = job_application_interviews
    rows = await tx.execute(
        select(interviews)
        .where(interviews.c.id == interview_id, interviews.c.job_application_id == application_id)
        .with_for_update()
    )
    row = rows.one_or_none()
    return None if row is None else _to_interview(row)


async def find_round(tx: Tx, application_id: int, round_number: int) -> Interview | None:
    """The application's interview of that round."""
    interviews = job_application_interviews
    rows = await tx.execute(
        select(interviews).where(
            interviews.c.job_application_id == application_id, interviews.c.round_number == round_number
        )
    )
    row = rows.one_or_none()
    return None if row is None else _to_interview(row)


async def load_interviews(tx: Tx, application_ids: Collection[int]) -> dict[int, tuple[Interview, ...]]:
    """The interviews of each application, by round."""
    interviews = job_application_interviews
    rows = await tx.execute(
        select(interviews)
        .where(interviews.c.job_application_id.in_(application_ids))
        .order_by(interviews.c.job_application_id, interviews.c.round_number)
    )
    found: dict[int, tuple[Interview, ...]] = {}
    for row in rows:
        found[row.job_application_id] = (*found.get(row.job_application_id, ()), _to_interview(row))
    return found


def _to_interview(row: Row[Any]) -> Interview:
    return Interview(
        interview_id=row.id,
        round_number=row.round_number,
        label=row.label,
        scheduled_at=row.scheduled_at,
        interview_result=None if row.interview_result is None else InterviewResult(row.interview_result),
        memo=row.memo,
        version=row.version,
    )
