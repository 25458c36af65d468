"""What the calendar holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from daemon.application.model import ApplicationStatus, InterviewResult


@dataclass(frozen=True, kw_only=True, slots=True)
class Deadline:
    """The last moment to apply for an open posting that concerns the person."""

    job_posting_id: int
    company_name: str
    title: str
    posting_url: str
    deadline_at: datetime
    current_status: ApplicationStatus | None
    """Of the person's application; None when they have not applied."""
    version: int
    updated_at: datetime
    """Last change of the posting."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DayDeadlines:
    """The deadlines of one day."""

    count: int
    first: tuple[Deadline, ...]
    """The soonest few."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Appointment:
    """An interview with a date."""

    interview_id: int
    application_id: int
    company_name: str
    title: str
    posting_url: str
    label: str
    round_number: int
    scheduled_at: datetime
    interview_result: InterviewResult | None
    memo: str | None
    current_status: ApplicationStatus
    """Of the application."""
    last_transited_at: datetime
    """When the application came to that status."""
    version: int
    updated_at: datetime
    """Last change of the interview."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Upcoming:
    """What comes within the next days, soonest first."""

    now: datetime
    days: Mapping[date, DayDeadlines]
    """Every KST day ahead, today first."""
    appointments: tuple[Appointment, ...]
    """One that has just begun is still there; those that will not take place are not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One entry as a calendar program is told it: texts in the person's language."""

    uid: str
    """The same for the same thing for ever (RFC 5545, 3.8.4.7)."""
    begins_at: datetime
    minutes: int | None
    """How long it takes, 0 is a moment; None is a whole Korean day."""
    summary: str
    description: str
    url: str
    category: str
    busy: bool
    """Whether the person has no time for anything else meanwhile."""
    cancelled: bool
    version: int
    changed_at: datetime
