"""A site of the tests' own: an adapter as simple as the contract allows, with whatever policy a test needs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from daemon.settings import Settings
from daemon.sources.model import (
    AggregatorCategory,
    ChangeSignalKind,
    CollectionTarget,
    DetailUse,
    ListPage,
    Outcome,
    Page,
    Platform,
    RawJobPosting,
    Request,
    SourceCapabilities,
    SourceCompliancePolicy,
    SourceType,
    Unreadable,
)

HOST = "boards.example"
SITE = f"https://{HOST}/v1"
NOW = datetime(2026, 9, 1, 0, 0, tzinfo=UTC)

POLICY = SourceCompliancePolicy(
    host=HOST,
    allowed_paths=("/v1",),
    page_size_cap=50,
    page_size_parameters=("per",),
    headers=(("Accept", "application/json"), ("Referer", "https://boards.example/")),
    known_terms="시험용",
)


@dataclass
class PlainSite:
    """`parse_list` returns `listed`, `parse_detail` returns `detail`; an exception in their place is raised."""

    policy: SourceCompliancePolicy = POLICY
    listed: ListPage | Exception = field(default_factory=lambda: ListPage(postings=(), next_cursor=None))
    detail: RawJobPosting | Exception = field(default_factory=lambda: Unreadable(Outcome.NOT_FOUND, "no detail"))

    @property
    def capabilities(self) -> SourceCapabilities:
        return SourceCapabilities(
            platform=Platform.GREENHOUSE,
            source_type=SourceType.COMPANY_BOUND,
            change_signal_kind=ChangeSignalKind.FIELD_HASH,
            provides_deadline=True,
            provides_structured_work_arrangement=False,
            company_identifier_in_detail_only=False,
            detail_use=DetailUse.ENRICHMENT,
            supports_incremental_since=False,
            compliance=self.policy,
        )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return ()

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        return Request(url=f"{SITE}/list")

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        if isinstance(self.listed, Exception):
            raise self.listed
        return self.listed

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return ()

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        if isinstance(self.detail, Exception):
            raise self.detail
        return self.detail


def policy(*, delay: timedelta = timedelta(seconds=1)) -> SourceCompliancePolicy:
    return replace(POLICY, request_delay=delay)


def settings_for(origin: str | None, **fields: float) -> Settings:
    origins = {} if origin is None else {Platform.GREENHOUSE: origin}
    return Settings.model_validate({"platform_origins": origins, **fields})


def posting(source_job_id: str = "1", **fields: object) -> RawJobPosting:
    return replace(
        RawJobPosting(
            source_job_id=source_job_id,
            title="백엔드 개발자",
            posting_url="https://boards.example/1",
            deadline_at=None,
            signature=None,
        ),
        **fields,  # type: ignore[arg-type]  # each test names a field and its value
    )


def page(body: bytes | object = b"{}") -> Page:
    return Page(body=body if isinstance(body, bytes) else json.dumps(body).encode(), answered_at=NOW)
