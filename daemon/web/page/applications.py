"""Applications: a board of where each stands, one with its timeline and interviews, and the moves that are allowed."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from daemon.application import actions, rules
from daemon.application.model import ApplicationStatus, InterviewChanges, InterviewResult
from daemon.operations.applications import actions as views
from daemon.operations.applications.model import ApplicationSummary
from daemon.web.page.visit import Form, KoreanMoment, Visit

BOARD = 200
"""Applications on the board; those that moved last."""

_STAGES = tuple(status for status in ApplicationStatus if not rules.is_terminal(status))
_ENDS = tuple(status for status in ApplicationStatus if rules.is_terminal(status))

Memo = Annotated[str, Field(max_length=rules.MEMO_CHARACTERS)]
Version = Annotated[int, Field(ge=0, le=2**62)]


async def show_board(visit: Visit) -> web.Response:
    """Every application under its status, those under way before those that have ended."""
    found = await views.list_applications(visit.web.db, size=BOARD)
    columns: dict[ApplicationStatus, list[ApplicationSummary]] = defaultdict(list)
    for each in found.applications:
        columns[each.current_status].append(each)
    return visit.show(
        "applications.html",
        visit.web.db.clock.now(),
        found=found,
        versions=await views.versions_of(visit.web.db, [each.application_id for each in found.applications]),
        columns=[(status, columns[status]) for status in _STAGES],
        ended=[(status, columns[status]) for status in _ENDS if columns[status]],
        allowed_next=rules.allowed_next,
    )


async def show_application(visit: Visit) -> web.Response:
    """One application."""
    found = await views.show_application(visit.web.db, visit.row_id())
    rounds = [interview.round_number for interview in found.interviews]
    return visit.show(
        "application.html",
        visit.web.db.clock.now(),
        application=found,
        stages=_STAGES,
        results=tuple(InterviewResult),
        next_round=max(rounds, default=0) + 1,
    )


class Move(Form):
    """Where an application is to be moved."""

    next_status: ApplicationStatus
    version: Version
    """That the person saw."""
    memo: Memo | None = None
    back: Literal["board"] | None = None
    """Where the form stands, if not on the page of the application."""


async def move(visit: Visit) -> web.Response:
    """Move an application, unless it was moved since the person saw it."""
    entered = await visit.form(Move)
    await actions.transit_application(
        visit.web.db, visit.row_id(), entered.next_status, entered.memo, expected=[entered.version]
    )
    return visit.leave("/applications" if entered.back else f"/applications/{visit.row_id()}", "moved")


class NewRound(Form):
    """A round of interviews."""

    round_number: Annotated[int, Field(ge=1, le=rules.LAST_ROUND)]
    label: Annotated[str, Field(max_length=rules.LABEL_CHARACTERS)]
    scheduled_at: KoreanMoment | None = None


async def add_round(visit: Visit) -> web.Response:
    """Add a round of interviews."""
    entered = await visit.form(NewRound)
    await actions.add_interview(visit.web.db, visit.row_id(), entered.round_number, entered.label, entered.scheduled_at)
    return visit.leave(f"/applications/{visit.row_id()}", "round_added")


class EditedRound(Form):
    """A round as the person wants it: what is empty is taken away."""

    version: Version
    label: Annotated[str, Field(max_length=rules.LABEL_CHARACTERS)]
    scheduled_at: KoreanMoment | None = None
    interview_result: InterviewResult | None = None
    memo: Memo | None = None


async def edit_round(visit: Visit) -> web.Response:
    """Change a round, unless it was changed since the person saw it."""
    entered = await visit.form(EditedRound)
    changes = InterviewChanges(
        label=entered.label,
        scheduled_at=entered.scheduled_at,
        interview_result=entered.interview_result,
        memo=entered.memo,
    )
    application_id, interview_id = visit.row_id(), visit.row_id("interview")
    await actions.edit_interview(visit.web.db, application_id, interview_id, changes, expected=[entered.version])
    return visit.leave(f"/applications/{application_id}", "round_saved")
