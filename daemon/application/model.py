"""What became of a posting that the person applied for (seed 001, application 컨텍스트)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypedDict


class ApplicationStatus(StrEnum):
    """How far an application has come. Not having applied is no status: there is no application then (FR-42)."""

    APPLIED = "APPLIED"
    DOCUMENT_SCREENING = "DOCUMENT_SCREENING"
    INTERVIEWING = "INTERVIEWING"
    OFFERED = "OFFERED"
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    WITHDRAWN = "WITHDRAWN"
    OFFER_DECLINED = "OFFER_DECLINED"


class InterviewResult(StrEnum):
    """How an interview ended."""

    PENDING = "PENDING"
    PASSED = "PASSED"
    FAILED = "FAILED"


class Refusal(StrEnum):
    """Why an application can't be moved to a status (seed 001, 상태 전이 표 Application)."""

    TERMINAL = "TERMINAL"
    """It has ended (FR-43)."""
    SAME_STATUS = "SAME_STATUS"
    """It is there already: a history row would say nothing."""
    STAGE_SKIPPED = "STAGE_SKIPPED"
    """A stage lies between."""
    BACKWARDS = "BACKWARDS"
    """The stage is over."""
    NOT_OFFERED = "NOT_OFFERED"
    """Only an offer can be accepted or declined."""
    DECLINE_THE_OFFER = "DECLINE_THE_OFFER"
    """Giving up an offer is OFFER_DECLINED, not WITHDRAWN (FR-44)."""
    OFFER_STANDS = "OFFER_STANDS"
    """No rejection is defined once an offer was made (FR-43)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Application:
    """The person's application for one posting."""

    id: int
    job_posting_id: int
    current_status: ApplicationStatus
    rejected_at_stage: ApplicationStatus | None
    """The status it was rejected in."""
    applied_at: datetime
    last_transited_at: datetime
    memo: str | None
    version: int
    """Raised by each change of status."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusHistory:
    """One step of an application."""

    history_id: int
    previous_status: ApplicationStatus | None
    """Null in the first step alone: the application was made."""
    next_status: ApplicationStatus
    transited_at: datetime
    memo: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Interview:
    """One round of interviews."""

    interview_id: int
    round_number: int
    label: str
    scheduled_at: datetime | None
    """Null while no date is known."""
    interview_result: InterviewResult | None
    """Null when nothing was said."""
    memo: str | None
    version: int
    """Raised by each edit."""


class InterviewChanges(TypedDict, total=False):
    """What an edit changes of an interview: what is absent stays, None takes it away. The round stays in any case."""

    label: str
    scheduled_at: datetime | None
    interview_result: InterviewResult | None
    memo: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A change of status that is allowed."""

    previous: ApplicationStatus
    next: ApplicationStatus
    rejected_at_stage: ApplicationStatus | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """A change of status that is not allowed."""

    refusal: Refusal


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """What a change of status did."""

    application: Application
    """As it is now."""
    history_id: int


class InvalidValue(Exception):
    """A value that an application or interview can't have."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        """Name of the value, in snake case."""
        self.message = message


class UnknownPosting(Exception):
    """No posting has this id, so nobody can apply for it."""

    def __init__(self, job_posting_id: int) -> None:
        super().__init__(f"no posting {job_posting_id}")
        self.job_posting_id = job_posting_id


class UnknownApplication(Exception):
    """No application has this id."""

    def __init__(self, application_id: int) -> None:
        super().__init__(f"no application {application_id}")
        self.application_id = application_id


class UnknownInterview(Exception):
    """The application has no such interview."""

    def __init__(self, application_id: int, interview: str) -> None:
        super().__init__(f"application {application_id} has no interview {interview}")
        self.application_id = application_id
        self.interview = interview


class ApplicationExists(Exception):
    """The person has applied already: for this posting, or for a copy of it on another site."""

    def __init__(self, application: Application) -> None:
        super().__init__(f"application {application.id} is for this posting")
        self.application = application


class RoundExists(Exception):
    """The application has an interview of this round."""

    def __init__(self, interview: Interview) -> None:
        super().__init__(f"interview {interview.interview_id} is round {interview.round_number}")
        self.interview = interview


class TransitionRefused(Exception):
    """An application can't be moved to this status from where it is."""

    def __init__(self, application: Application, wanted: ApplicationStatus, refusal: Refusal) -> None:
        super().__init__(f"{application.current_status} -> {wanted}: {refusal}")
        self.application = application
        self.wanted = wanted
        self.refusal = refusal


class ApplicationOvertaken(Exception):
    """Somebody else moved the application since it was read."""

    def __init__(self, application: Application) -> None:
        super().__init__(f"application {application.id} was moved to {application.current_status} meanwhile")
        self.application = application
        """As it is now."""


class InterviewOvertaken(Exception):
    """Somebody else edited the interview since it was read."""

    def __init__(self, interview: Interview) -> None:
        super().__init__(f"interview {interview.interview_id} was edited meanwhile")
        self.interview = interview
        """As it is now."""
