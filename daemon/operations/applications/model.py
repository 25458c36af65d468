"""What the views of applications show (seed 001, API 계약): the answers of the API as they stand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from daemon.application.model import ApplicationStatus, Interview, StatusHistory
from daemon.posting.model import PostingStatus


@dataclass(frozen=True, kw_only=True, slots=True)
class ApplicationSummary:
    """An application in a list."""

    application_id: int
    job_posting_id: int
    company_name: str
    job_posting_title: str
    current_status: ApplicationStatus
    rejected_at_stage: ApplicationStatus | None
    """The status it was rejected in; null when it was not."""
    applied_at: datetime
    last_transited_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class ApplicationPage:
    """One page of the applications, those that moved last first, and how many there are in all."""

    applications: tuple[ApplicationSummary, ...]
    total_count: int
    page: int
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ApplicationDetail:
    """An application with all that happened to it."""

    application_id: int
    job_posting_id: int
    company_id: int
    company_name: str
    job_posting_title: str
    posting_url: str
    posting_status: PostingStatus
    """A closed posting keeps its application (NFR-5)."""
    deadline_at: datetime | None
    current_status: ApplicationStatus
    rejected_at_stage: ApplicationStatus | None
    """The status it was rejected in; null when it was not."""
    applied_at: datetime
    last_transited_at: datetime
    memo: str | None
    version: int
    """Raised by each change of status; told as `ETag` too."""
    status_histories: tuple[StatusHistory, ...]
    """Every step, the first one being that the application was made."""
    interviews: tuple[Interview, ...]
    """By round."""
    allowed_next_statuses: tuple[ApplicationStatus, ...]
    """Where it may be moved from here; none from a terminal status."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ApplicationExport:
    """Every application, the oldest first."""

    applications: tuple[ApplicationDetail, ...]
