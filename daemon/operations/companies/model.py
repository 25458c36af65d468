"""What the views of companies and aggregator sources show: the answers of the API as they stand (seed 001)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from daemon.company.model import Alias, CompanyOrigin, RegistrationType
from daemon.sources.model import Platform


class BrokenStatus(StrEnum):
    """Whether a source's collection has been abnormal for three days in a row (FR-19)."""

    NORMAL = "NORMAL"
    BROKEN = "BROKEN"


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanyItem:
    """A company in a list."""

    id: int
    name: str
    registration_type: RegistrationType
    company_origin: CompanyOrigin
    source_count: int
    """Sources that are not disabled."""
    broken_source_count: int
    """Of these, those that are broken."""
    aliases: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanyName:
    """A company where one is to be chosen."""

    id: int
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanyPage:
    """One page of the companies, and how many there are in all."""

    companies: tuple[CompanyItem, ...]
    total_count: int
    page: int
    size: int
    watched_count: int
    discovered_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardView:
    """A company's board that is or was followed."""

    job_source_id: int
    platform: Platform
    source_slug: str
    base_url: str | None
    disabled: bool
    disabled_at: datetime | None
    seeded_at: datetime | None
    """End of its first full collection; null while nothing of it is told yet."""
    broken_status: BrokenStatus
    broken_since: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanyDetail:
    """A company with its other names and its boards."""

    id: int
    name: str
    registration_type: RegistrationType
    company_origin: CompanyOrigin
    aliases: tuple[Alias, ...]
    sources: tuple[BoardView, ...]
    """Disabled ones too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AggregatorSource:
    """A search on an aggregator that is or was followed."""

    job_source_id: int
    platform: Platform
    search_category_code: str
    search_category_label: str | None
    """The platform's own word; null when it has dropped the category."""
    search_keyword: str
    """Empty when none was given."""
    disabled: bool
    broken_status: BrokenStatus
    broken_since: datetime | None
    disabled_at: datetime | None
    seeded_at: datetime | None
    """End of its first full collection; null while nothing of it is told yet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AggregatorSources:
    """Every search on an aggregator, disabled ones too."""

    sources: tuple[AggregatorSource, ...]
