"""Applications, their interviews, and what follows from them over HTTP (seed 001, API 계약; FR-42 to FR-50)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict

from daemon.application import actions, rules
from daemon.application.model import (
    Application,
    ApplicationExists,
    ApplicationOvertaken,
    ApplicationStatus,
    InterviewChanges,
    InterviewOvertaken,
    InterviewResult,
    InvalidValue,
    RoundExists,
    TransitionRefused,
    UnknownApplication,
    UnknownInterview,
    UnknownPosting,
)
from daemon.messages import text
from daemon.operations.applications import actions as views
from daemon.operations.applications.export import applications_csv
from daemon.operations.applications.model import ApplicationDetail, ApplicationExport, ApplicationPage
from daemon.operations.calendar import ics
from daemon.operations.calendar.actions import calendar_file
from daemon.operations.spreadsheet import CONTENT_TYPE as CSV
from daemon.web.precondition import IfMatch
from daemon.web.problem import Fault, Problem, refused
from daemon.web.route import Format, Input, Instant, Raw, Route, RowId, Tagged, Web, Whole, entity_tag, route

Memo = Annotated[str, Field(max_length=rules.MEMO_CHARACTERS)]
Label = Annotated[str, Field(min_length=1, max_length=rules.LABEL_CHARACTERS), Format("line")]


class NewApplication(Input):
    """That the person has applied."""

    job_posting_id: Annotated[RowId, Whole]
    """Of several copies of a posting the representative is meant, whichever is given."""
    applied_at: Instant
    memo: Memo | None = None


class Transition(Input):
    """Where an application is to be moved."""

    next_status: ApplicationStatus
    memo: Memo | None = None
    """Kept with this step of the history."""


class NewInterview(Input):
    """A round of interviews."""

    round_number: Annotated[int, Field(ge=1, le=rules.LAST_ROUND), Whole]
    """Each round once per application."""
    label: Label
    scheduled_at: Instant | None = None
    """Null while no date is known."""


def _without_default(schema: JsonDict) -> None:
    schema.pop("default", None)


class InterviewEdit(Input):
    """What changes of an interview: what is left out stays as it is, null takes it away."""

    label: Annotated[Label, Field(json_schema_extra=_without_default)] = ""
    scheduled_at: Instant | None = None
    interview_result: InterviewResult | None = None
    memo: Memo | None = None

    def changes(self) -> InterviewChanges:
        """Only what was given."""
        changes = InterviewChanges()
        if "label" in self.model_fields_set:
            changes["label"] = self.label
        if "scheduled_at" in self.model_fields_set:
            changes["scheduled_at"] = self.scheduled_at
        if "interview_result" in self.model_fields_set:
            changes["interview_result"] = self.interview_result
        if "memo" in self.model_fields_set:
            changes["memo"] = self.memo
        return changes


class ApplicationPath(Input):
    """Which application."""

    id: RowId


class InterviewPath(Input):
    """Which interview of which application."""

    id: RowId
    interview_id: RowId


class ApplicationsQuery(Input):
    """Which applications."""

    company_id: RowId | None = None
    """Only at this company."""
    current_status: ApplicationStatus | None = None
    page: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Counted from 0."""
    size: Annotated[int, Field(ge=1, le=200)] = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Applied:
    """The application that was made."""

    application_id: int
    status: ApplicationStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class Transited:
    """Where the application is now."""

    status: ApplicationStatus
    rejected_at_stage: ApplicationStatus | None
    """The status it was rejected in; null when it was not."""
    history_id: int
    allowed_next_statuses: tuple[ApplicationStatus, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class InterviewKept:
    """The interview that was added or changed."""

    interview_id: int


async def create_application(web: Web, body: NewApplication) -> Tagged[Applied]:
    """Record that the person applied for a posting, open or closed; the history begins with it."""
    with _refusals_told():
        made = await actions.apply_for_posting(web.db, body.job_posting_id, body.applied_at, body.memo)
    return Tagged(
        answer=Applied(application_id=made.id, status=made.current_status),
        version=made.version,
        location=f"/api/applications/{made.id}",
    )


async def transit_application(web: Web, path: ApplicationPath, header: IfMatch, body: Transition) -> Tagged[Transited]:
    """Move an application to another status; of two moves at once one wins."""
    with _refusals_told(conditional=header.versions is not None):
        moved = await actions.transit_application(
            web.db, path.id, body.next_status, body.memo, expected=header.versions
        )
    application = moved.application
    answer = Transited(
        status=application.current_status,
        rejected_at_stage=application.rejected_at_stage,
        history_id=moved.history_id,
        allowed_next_statuses=rules.allowed_next(application.current_status),
    )
    return Tagged(answer=answer, version=application.version)


async def list_applications(web: Web, query: ApplicationsQuery) -> ApplicationPage:
    """The applications at a company, in a status, or of all, those that moved last first."""
    return await views.list_applications(web.db, query.company_id, query.current_status, query.page, query.size)


async def show_application(web: Web, path: ApplicationPath) -> Tagged[ApplicationDetail]:
    """An application with its history, its interviews and where it may go."""
    with _refusals_told():
        found = await views.show_application(web.db, path.id)
    return Tagged(answer=found, version=found.version)


async def add_interview(web: Web, path: ApplicationPath, body: NewInterview) -> Tagged[InterviewKept]:
    """Add a round of interviews to an application."""
    with _refusals_told():
        added = await actions.add_interview(web.db, path.id, body.round_number, body.label, body.scheduled_at)
    return Tagged(answer=InterviewKept(interview_id=added.interview_id), version=added.version)


async def edit_interview(web: Web, path: InterviewPath, header: IfMatch, body: InterviewEdit) -> Tagged[InterviewKept]:
    """Change date, result, note or name of an interview."""
    with _refusals_told():
        edited = await actions.edit_interview(
            web.db, path.id, path.interview_id, body.changes(), expected=header.versions
        )
    return Tagged(answer=InterviewKept(interview_id=edited.interview_id), version=edited.version)


async def export_applications_json(web: Web) -> ApplicationExport:
    """Every application with its history and interviews, as JSON."""
    return await views.export_applications(web.db)


async def export_applications_csv(web: Web) -> Raw:
    """Every application with its history and interviews, as CSV for a spreadsheet."""
    body = await applications_csv(web.db, web.settings.language)
    return Raw(body=body, headers={"Content-Disposition": 'attachment; filename="gonggo-applications.csv"'})


async def show_calendar(web: Web) -> Raw:
    """A calendar to subscribe to: deadlines of open postings that concern the person, and interviews."""
    body = await calendar_file(web.db, web.settings.language)
    return Raw(body=body, headers={"Content-Disposition": 'inline; filename="gonggo.ics"'})


@contextmanager
def _refusals_told(*, conditional: bool = False) -> Iterator[None]:
    """Turn the refusals of the actions into problems; `conditional` tells whether there was an If-Match."""
    try:
        yield
    except InvalidValue as error:
        fault = Fault(field=to_camel(error.field), code="invalid", message=error.message)
        raise refused("body", [fault]) from error
    except UnknownPosting as error:
        raise _unknown("posting", error, jobPostingId=error.job_posting_id) from error
    except UnknownApplication as error:
        raise _unknown("application", error, applicationId=error.application_id) from error
    except UnknownInterview as error:
        raise _unknown("interview", error, applicationId=error.application_id) from error
    except ApplicationExists as error:
        held = {"applicationId": error.application.id, "jobPostingId": error.application.job_posting_id}
        raise _conflict("application-exists", str(error), {**held, **_standing(error.application)}) from error
    except RoundExists as error:
        taken = {"interviewId": error.interview.interview_id, "roundNumber": error.interview.round_number}
        raise _conflict("interview-round-exists", str(error), taken) from error
    except TransitionRefused as error:
        why = text("en", f"refusal.{error.refusal}", status=error.application.current_status, wanted=error.wanted)
        asked = {"nextStatus": error.wanted, "reason": error.refusal}
        raise _conflict("transition-refused", why, {**asked, **_standing(error.application)}) from error
    except ApplicationOvertaken as error:
        raise Problem(
            status=412 if conditional else 409,
            kind="application-changed",
            detail=str(error),
            members=_standing(error.application),
            headers={"ETag": entity_tag(error.application.version)},
        ) from error
    except InterviewOvertaken as error:
        raise Problem(
            status=412,
            kind="interview-changed",
            detail=str(error),
            members={"interviewId": error.interview.interview_id, "version": error.interview.version},
            headers={"ETag": entity_tag(error.interview.version)},
        ) from error


def _unknown(kind: str, error: Exception, **members: object) -> Problem:
    return Problem(status=404, kind=f"unknown-{kind}", detail=str(error), members=members)


def _conflict(kind: str, detail: str, members: Mapping[str, object]) -> Problem:
    return Problem(status=409, kind=kind, detail=detail, members=members)


def _standing(application: Application) -> dict[str, object]:
    """What a program needs to go on: where the application is, and where it may go."""
    return {
        "currentStatus": application.current_status,
        "allowedNextStatuses": rules.allowed_next(application.current_status),
        "version": application.version,
    }


_NO_APPLICATION = {404: "There is no such application"}
_NO_INTERVIEW = {404: "The application has no such interview"}

ROUTES: tuple[Route, ...] = (
    route(
        "POST",
        "/api/applications",
        create_application,
        status=201,
        refusals={404: "There is no such posting", 409: "There is an application for the posting: `applicationId`"},
        links={
            "show_application": {"id": "applicationId"},
            "transit_application": {"id": "applicationId"},
            "add_interview": {"id": "applicationId"},
        },
    ),
    route("GET", "/api/applications", list_applications),
    route("GET", "/api/applications/{id}", show_application, refusals=_NO_APPLICATION),
    route(
        "POST",
        "/api/applications/{id}/status-transitions",
        transit_application,
        refusals={
            **_NO_APPLICATION,
            409: "It can't be moved there, `allowedNextStatuses` can; or it was moved meanwhile",
            412: "If-Match does not name its present version",
        },
    ),
    route(
        "POST",
        "/api/applications/{id}/interviews",
        add_interview,
        status=201,
        refusals={**_NO_APPLICATION, 409: "The round is there already: `interviewId`"},
        links={"edit_interview": {"id": "path.id", "interviewId": "interviewId"}},
    ),
    route(
        "PATCH",
        "/api/applications/{id}/interviews/{interviewId}",
        edit_interview,
        refusals={**_NO_INTERVIEW, 412: "If-Match does not name its present version"},
    ),
    route("GET", "/api/export/applications.json", export_applications_json),
    route("GET", "/api/export/applications.csv", export_applications_csv, content_type=CSV),
    route("GET", "/api/calendar.ics", show_calendar, content_type=ics.CONTENT_TYPE),
)
