"""How deadlines and interviews stand in a calendar. Pure."""

from __future__ import annotations

from daemon.application.model import InterviewResult
from daemon.application.rules import is_terminal
from daemon.clock import KST
from daemon.messages import Language, text
from daemon.operations.calendar.model import Appointment, Deadline, Entry

INTERVIEW_MINUTES = 60
"""An interview has a beginning but no known end: an hour is kept free for it."""


def is_cancelled(appointment: Appointment) -> bool:
    """Whether the application ended before the interview took place, and no result says otherwise."""
    if appointment.interview_result not in (None, InterviewResult.PENDING):
        return False
    return is_terminal(appointment.current_status) and appointment.last_transited_at < appointment.scheduled_at


def entry_of_deadline(deadline: Deadline, language: Language) -> Entry:
    """A deadline: the whole day when it is the day's end (DESIGN 1.11), else the moment. It takes no time itself."""
    korean = deadline.deadline_at.astimezone(KST)
    told = [text(language, "calendar.deadline_at", time=korean.strftime("%Y-%m-%d %H:%M"))]
    if deadline.current_status is not None:
        status = text(language, f"cell.{deadline.current_status}")
        told.append(text(language, "calendar.application", status=status))
    return Entry(
        uid=f"deadline-{deadline.job_posting_id}@gonggo",
        begins_at=deadline.deadline_at,
        minutes=None if (korean.hour, korean.minute) == (23, 59) else 0,
        summary=text(language, "calendar.deadline", company=deadline.company_name, title=deadline.title),
        description="\n".join([*told, deadline.posting_url]),
        url=deadline.posting_url,
        category=text(language, "calendar.deadlines"),
        busy=False,
        cancelled=False,
        version=deadline.version,
        changed_at=deadline.updated_at,
    )


def entry_of_appointment(appointment: Appointment, language: Language) -> Entry:
    """An interview; it stands in the calendar for ever, cancelled when the application ended before it."""
    cancelled = is_cancelled(appointment)
    told = [appointment.title, text(language, "calendar.round", round=appointment.round_number)]
    if appointment.interview_result is not None:
        result = text(language, f"result.{appointment.interview_result}")
        told.append(text(language, "calendar.result", result=result))
    if appointment.memo is not None:
        told.append(appointment.memo)
    ended_at = appointment.last_transited_at
    return Entry(
        uid=f"interview-{appointment.interview_id}@gonggo",
        begins_at=appointment.scheduled_at,
        minutes=INTERVIEW_MINUTES,
        summary=text(language, "calendar.interview", company=appointment.company_name, label=appointment.label),
        description="\n".join([*told, appointment.posting_url]),
        url=appointment.posting_url,
        category=text(language, "calendar.interviews"),
        busy=not cancelled,
        cancelled=cancelled,
        # A program that knows the entry takes the change only with a higher number.
        version=appointment.version + cancelled,
        changed_at=max(appointment.updated_at, ended_at) if cancelled else appointment.updated_at,
    )
