"""Looking for a company's boards over HTTP (seed 001, API 계약, FR-1, FR-2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from daemon.company import actions, rules
from daemon.company.model import Candidate, DiscoveryHint, FoundBy
from daemon.messages import text
from daemon.sources.model import Outcome, Platform
from daemon.web.route import Format, Input, Route, Web, route
from daemon.web.sources import refusals_told


class SourceSearch(Input):
    """Whose boards to look for."""

    company_name: Annotated[str, Field(min_length=1, max_length=rules.NAME_CHARACTERS), Format("line")]
    site_url: Annotated[str, Field(max_length=2000), Format("web-address")] | None = None
    """The company's site, its career page, or the board itself: http or https, at a public address."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplePosting:
    """A posting of a candidate, to see whose board it is."""

    source_job_id: str
    title: str
    posting_url: str
    deadline_at: datetime | None
    """Null: always open, or not told in the list."""
    company_name: str | None
    """As the board shows it; null where it shows none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceCandidate:
    """A board that exists, as `POST /api/companies` takes it."""

    platform: Platform
    source_slug: str
    base_url: str | None
    sample_postings: tuple[SamplePosting, ...]
    """At most three."""
    posting_count: int
    found_by: FoundBy
    known_terms: str
    """What is known of the site's robots file and terms, in Korean."""
    job_source_id: int | None
    """The source that follows this board already."""
    company_id: int | None
    """The company whose source that is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UnconfirmedSource:
    """What could not be asked or read; it may exist."""

    address: str
    platform: Platform | None
    """Null for the page given as `siteUrl`."""
    source_slug: str | None
    outcome: Outcome
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceDiscovery:
    """The boards found of a company."""

    candidates: tuple[SourceCandidate, ...]
    unconfirmed: tuple[UnconfirmedSource, ...]
    hint: DiscoveryHint
    """What to do next."""
    hint_text: str
    """The same for a person, in the language of the settings."""


async def discover_sources(web: Web, body: SourceSearch) -> SourceDiscovery:
    """Look for the boards of a company; asks the sites politely, so it may take up to a minute, and stores nothing."""
    with refusals_told():
        found = await actions.discover_boards(web.db, web.visits, body.company_name, body.site_url)
    return SourceDiscovery(
        candidates=tuple(_candidate(one) for one in found.candidates),
        unconfirmed=tuple(
            UnconfirmedSource(
                address=one.address,
                platform=one.platform,
                source_slug=one.source_slug,
                outcome=one.outcome,
                reason=one.reason,
            )
            for one in found.unconfirmed
        ),
        hint=found.hint,
        hint_text=text(web.settings.language, f"discovery.{found.hint}"),
    )


def _candidate(found: Candidate) -> SourceCandidate:
    return SourceCandidate(
        platform=found.source.platform,
        source_slug=found.source.source_slug,
        base_url=found.source.base_url,
        sample_postings=tuple(
            SamplePosting(
                source_job_id=one.source_job_id,
                title=one.title,
                posting_url=one.posting_url,
                deadline_at=one.deadline_at,
                company_name=one.company_name,
            )
            for one in found.postings
        ),
        posting_count=found.posting_count,
        found_by=found.found_by,
        known_terms=found.known_terms,
        job_source_id=None if found.followed is None else found.followed.id,
        company_id=None if found.followed is None else found.followed.company_id,
    )


ROUTES: tuple[Route, ...] = (route("POST", "/api/companies/source-discoveries", discover_sources),)
