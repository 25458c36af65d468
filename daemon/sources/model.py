"""What every site is described in: capabilities, policy, request, answer, posting, outcome.

The names are those of the seeds (`001`, 인터페이스 시그니처); where an answer can fail, the failure is a value
(`NotFetched`), not an exception. Site files raise `Unreadable`; `reading.py` turns it into a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol, runtime_checkable
from urllib.parse import SplitResult


class SourceType(StrEnum):
    """Whether a source is one company's board or a search over many companies."""

    COMPANY_BOUND = "COMPANY_BOUND"
    AGGREGATOR = "AGGREGATOR"


class Platform(StrEnum):
    """The sites that have an adapter."""

    GREENHOUSE = "GREENHOUSE"
    WOOWAHAN = "WOOWAHAN"
    INCRUIT = "INCRUIT"
    SARAMIN = "SARAMIN"
    JUMPIT = "JUMPIT"
    WANTED = "WANTED"
    REMEMBER = "REMEMBER"
    JOBKOREA = "JOBKOREA"
    SURFIT = "SURFIT"


class ChangeSignalKind(StrEnum):
    """What tells that a posting was edited."""

    UPDATED_AT = "UPDATED_AT"
    SOURCE_VERSION = "SOURCE_VERSION"
    DETAIL_BODY_HASH = "DETAIL_BODY_HASH"
    FIELD_HASH = "FIELD_HASH"


class Outcome(StrEnum):
    """How one request to a site ended: the one vocabulary of code, log, database and `parse` (DESIGN 1.4)."""

    FETCHED = "FETCHED"
    NOT_FOUND = "NOT_FOUND"
    LAYOUT_CHANGED = "LAYOUT_CHANGED"
    BLOCKED = "BLOCKED"
    LOGIN_REQUIRED = "LOGIN_REQUIRED"
    REDIRECTED = "REDIRECTED"
    RATE_LIMITED = "RATE_LIMITED"
    SERVER_ERROR = "SERVER_ERROR"
    TIMEOUT = "TIMEOUT"
    TOO_LARGE = "TOO_LARGE"
    PROTOCOL_ERROR = "PROTOCOL_ERROR"


class DetailUse(StrEnum):
    """What a posting's own page is for."""

    NONE = "NONE"
    """Never asked for."""
    ENRICHMENT = "ENRICHMENT"
    """Adds text to postings that are new or changed; the list alone tells what a posting is."""
    SIGNATURE = "SIGNATURE"
    """The change signature is in it, so every posting's page is asked for each day, within the limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeSignature:
    """The evidence by which an edit is noticed: equal kind and value mean unchanged."""

    kind: ChangeSignalKind
    value: str
    """At most 200 characters: an ISO 8601 UTC instant, a number, or a SHA-256 in hex."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceCompliancePolicy:
    """What a site's robots file, terms and manners demand (seed 001, FR-69). The executor enforces it."""

    host: str
    """The only host asked, lower case, e.g. `www.saramin.co.kr`."""
    allowed_paths: tuple[str, ...]
    """A request's path must equal one of these or continue it after a `/`."""
    page_size_cap: int
    page_size_parameters: tuple[str, ...] = ()
    """Names under which a page size may stand in a query or JSON body; any value over the cap can't be sent."""
    request_delay: timedelta = timedelta(seconds=1)
    detail_request_limit_per_run: int = 300
    headers: tuple[tuple[str, str], ...] = ()
    """Headers that the site insists on (Origin, Referer, Accept)."""
    known_terms: str
    """What is known of robots.txt and terms, in Korean, shown when a person registers such a source."""
    known_terms_in_english: str = ""
    """The same for who reads English."""

    def terms_in(self, language: str) -> str:
        """What is known of robots.txt and terms, in `ko` or `en`."""
        return self.known_terms_in_english if language == "en" else self.known_terms


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceCapabilities:
    """What a site can tell."""

    platform: Platform
    source_type: SourceType
    change_signal_kind: ChangeSignalKind
    provides_deadline: bool
    provides_structured_work_arrangement: bool = False
    company_identifier_in_detail_only: bool = False
    detail_use: DetailUse
    supports_incremental_since: bool = False
    list_page_limit: int | None = None
    """List pages a cycle may ask for by policy, when fewer than the daily budget (JobKorea: 1)."""
    compliance: SourceCompliancePolicy


@dataclass(frozen=True, kw_only=True, slots=True)
class AggregatorCategory:
    """A job category that an aggregator can be searched by."""

    code: str
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectionTarget:
    """What to collect: a company's board (`slug`) or a search (`category_code`, `keyword`)."""

    job_source_id: int
    platform: Platform
    slug: str = ""
    category_code: str = ""
    keyword: str = ""
    """`""` when no keyword was given."""
    incremental_since: datetime | None = None
    """Only postings updated since; None asks for the whole list (the default, DESIGN 1.4)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request to a site, by its real address. The executor adds user agent, policy headers and cookies."""

    url: str
    """Absolute, with its query."""
    method: str = "GET"
    json_body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One answer as it came: bytes, not text, since labels lie about charsets."""

    body: bytes
    """Decompressed."""
    answered_at: datetime
    """When it was received, aware UTC: the day that relative deadlines count from."""
    status: int = 200
    url: str = ""
    """The address that answered; empty for a saved file."""
    content_type: str = ""
    """The header's value; empty when there was none or for a saved file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RawJobPosting:
    """A posting as an adapter understood it: normalised, free of the site's own shapes."""

    source_job_id: str
    """The site's stable identifier, 1 to 200 characters."""
    title: str
    """As the site shows it: entities decoded, white space collapsed."""
    posting_url: str
    deadline_at: datetime | None
    """Last instant to apply, aware UTC; None is always open (or not stated)."""
    signature: ChangeSignature | None
    """None when only the posting's page has it and that was not read."""
    structured_tags: tuple[str, ...] = ()
    description_body: str | None = None
    """Plain text; None when this answer has none."""
    access_restricted: bool = False
    company_name: str | None = None
    """As the site shows it; None on a company's own board."""
    company_identifier: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ListPage:
    """What one list answer says."""

    postings: tuple[RawJobPosting, ...]
    next_cursor: str | None
    """What `list_request` wants for the page after this one; None is the site's own word for the end."""
    declared_total: int | None = None
    """How many postings the site says there are in the whole list."""
    skipped_ids: tuple[str, ...] = ()
    """Items with a readable id but without what a posting needs: seen, so never missed, but not stored."""
    withdrawn_ids: tuple[str, ...] = ()
    """Items that the list still carries but calls closed or hidden: they count towards the total only."""
    unidentified: int = 0
    """Items without a usable id: with one of these the list is not complete."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """An answer worth parsing."""

    page: Page


@dataclass(frozen=True, kw_only=True, slots=True)
class NotFetched:
    """A request that brought nothing to store, and why."""

    outcome: Outcome
    reason: str
    """One line for a person, at most 200 characters, without secrets."""
    retry_after: timedelta | None = None
    """How long the site asks to be left alone (429, 503)."""
    location: str | None = None
    """Where a redirect points, absolute."""


class Unreadable(Exception):
    """Raised by a site's parser when an answer is not what was asked for."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(f"{outcome}: {reason}")
        self.outcome = outcome
        self.reason = reason


class LayoutChanged(Unreadable):
    """The answer is not in the shape that the site is known to give, or not the answer to what was asked."""

    def __init__(self, reason: str) -> None:
        super().__init__(Outcome.LAYOUT_CHANGED, reason)


@dataclass(kw_only=True, slots=True)
class Permit:
    """The right to send one request to one host; only `collection` makes them, the executor spends them."""

    host: str
    """As in `external_request_host_limits.host`."""
    spent: bool = field(default=False)

    async def confirm(self) -> None:
        """Return when the request may go out: asked once the connection stands, which takes as long as it takes.

        Raises PermitWithdrawn when it may not after all.
        """


class PermitWithdrawn(Exception):
    """The place that a permit was given for could not be kept; its request was not sent."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"the host's next place is at {until.isoformat()}")
        self.until = until
        """When the host may be asked again."""


class SourceAdapter(Protocol):
    """One site. Pure and synchronous: builds requests, reads answers, does no I/O."""

    @property
    def capabilities(self) -> SourceCapabilities: ...

    def categories(self) -> tuple[AggregatorCategory, ...]:
        """The categories a person may choose from; empty for a company-bound site."""
        ...

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        """The request for one page of the list; `cursor` None is the first page."""
        ...

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        """Read a list answer. `target` None (a saved file) leaves out checks that need to know what was asked.

        Raises Unreadable when the page is not that list.
        """
        ...

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        """The requests for a posting's own pages, in the order in which they are to be read; may be empty."""
        ...

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        """Read one of a posting's own pages into what is known of it so far; `listed` None is a saved file.

        Raises Unreadable when the page is not that posting (NOT_FOUND, LOGIN_REQUIRED, LAYOUT_CHANGED, …).
        """
        ...


@runtime_checkable
class BoardFinder(Protocol):
    """What the adapter of companies' own boards can tell besides: which board is meant (FR-1, FR-2). Pure."""

    def board_in(self, address: SplitResult) -> str | None:
        """The slug of the board that an address of the web names; None when it names none of this platform."""
        ...

    def board_guesses(self, company_key: str, guesses: tuple[str, ...]) -> tuple[str, ...]:
        """The slugs worth asking for, most likely first, of a company of which only a name is known.

        `company_key` is the name's normal form, `guesses` are what the company may call itself in addresses.
        """
        ...
