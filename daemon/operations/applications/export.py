"""Applications as a spreadsheet: one row each, history and interviews line by line in cells of their own."""

from __future__ import annotations

from daemon.application.model import Interview, StatusHistory
from daemon.db import Database
from daemon.messages import Language, text
from daemon.operations.applications.actions import export_applications
from daemon.operations.applications.model import ApplicationDetail
from daemon.operations.spreadsheet import Cell, csv_head, csv_rows, korean_time

_COLUMNS = (
    "column.application",
    "column.company",
    "column.posting",
    "column.address",
    "column.posting_state",
    "column.state",
    "column.rejected_at",
    "column.applied_at",
    "column.moved_at",
    "column.memo",
    "column.history",
    "column.interviews",
)


async def applications_csv(db: Database, language: Language) -> bytes:
    """Every application as a CSV file with columns, statuses and Korean times in the person's language."""
    exported = await export_applications(db)
    header = [text(language, key) for key in _COLUMNS]
    return csv_head(header) + csv_rows(_row(each, language) for each in exported.applications)


def _row(application: ApplicationDetail, language: Language) -> tuple[Cell, ...]:
    stage = application.rejected_at_stage
    return (
        application.application_id,
        application.company_name,
        application.job_posting_title,
        application.posting_url,
        text(language, f"cell.{application.posting_status}"),
        text(language, f"cell.{application.current_status}"),
        None if stage is None else text(language, f"cell.{stage}"),
        application.applied_at,
        application.last_transited_at,
        application.memo,
        "\n".join(_step(step, language) for step in application.status_histories),
        "\n".join(_interview(interview, language) for interview in application.interviews),
    )


def _step(step: StatusHistory, language: Language) -> str:
    line = f"{korean_time(step.transited_at)} {text(language, f'cell.{step.next_status}')}"
    return line if step.memo is None else f"{line}: {step.memo}"


def _interview(interview: Interview, language: Language) -> str:
    told = [text(language, "calendar.round", round=interview.round_number), interview.label]
    if interview.scheduled_at is not None:
        told.append(korean_time(interview.scheduled_at))
    if interview.interview_result is not None:
        told.append(text(language, f"result.{interview.interview_result}"))
    line = " ".join(told)
    return line if interview.memo is None else f"{line}: {interview.memo}"
