"""Companies, their other names, and the sources that are followed (seed 001, company 컨텍스트)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from daemon.sources.model import CollectionTarget, Outcome, Platform, RawJobPosting, SourceType


class RegistrationType(StrEnum):
    """Whether a company has a source of its own."""

    AUTO = "AUTO"
    MANUAL_ONLY = "MANUAL_ONLY"


class CompanyOrigin(StrEnum):
    """Who brought the company in (FR-61)."""

    WATCHED = "WATCHED"
    """The person: its new postings are told one by one."""
    DISCOVERED = "DISCOVERED"
    """A posting on a board: its new postings are told in the daily digest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanySource:
    """A company's board, as a person names it."""

    platform: Platform
    source_slug: str
    base_url: str | None = None
    """The platform's own address; None is its default."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RegisteredCompany:
    """What a registration made or promoted."""

    company_id: int
    registration_type: RegistrationType
    company_origin: CompanyOrigin
    source_ids: tuple[int, ...]
    """`job_sources.id`, in the order given."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Registration:
    """How a company stands in the register."""

    name: str
    registration_type: RegistrationType
    company_origin: CompanyOrigin


@dataclass(frozen=True, kw_only=True, slots=True)
class PromotedCompany:
    """A company that is watched now."""

    company_id: int
    name: str
    company_origin: CompanyOrigin
    changed: bool
    """False when it was watched already."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Alias:
    """Another name of a company."""

    alias_id: int
    alias: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FollowedSource:
    """A source that is collected from its next day on."""

    job_source_id: int
    platform: Platform
    enabled_again: bool
    """It had been followed before and was off."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSource:
    """A followed source: one company's board, or one search on an aggregator."""

    id: int
    platform: Platform
    source_type: SourceType
    company_id: int | None
    company_name: str | None
    """Both None for an aggregator."""
    source_slug: str | None
    base_url: str | None
    search_category_code: str | None
    search_keyword: str | None
    seeded_at: datetime | None
    disabled_at: datetime | None
    category_label: str | None = None
    """The platform's own word for the category; None when company-bound, or when the platform has dropped it."""

    @property
    def label(self) -> str:
        """What a person knows the source by: `당근마켓 (GREENHOUSE daangn)`, `SARAMIN 백엔드/서버개발 "토스"`."""
        if self.source_type is SourceType.COMPANY_BOUND:
            return f"{self.company_name} ({self.platform} {self.source_slug})"
        keyword = f' "{self.search_keyword}"' if self.search_keyword else ""
        return f"{self.platform} {self.category_label or self.search_category_code}{keyword}"

    @property
    def target(self) -> CollectionTarget:
        """What an adapter is asked for."""
        return CollectionTarget(
            job_source_id=self.id,
            platform=self.platform,
            slug=self.source_slug or "",
            category_code=self.search_category_code or "",
            keyword=self.search_keyword or "",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SwitchedSource:
    """A source as it stands after it was switched."""

    source: JobSource
    changed: bool
    """False when it stood so already."""


class FoundBy(StrEnum):
    """What led to a candidate."""

    SITE_URL = "SITE_URL"
    """The address given is the board's own, or redirects to it."""
    SITE_PAGE = "SITE_PAGE"
    """The page at the address given links to it."""
    NAME = "NAME"
    """A guess from the company's name or domain: it may be another company's board."""


class DiscoveryHint(StrEnum):
    """What to do next."""

    REGISTER = "REGISTER"
    """Register one of the candidates."""
    COMPARE = "COMPARE"
    """Every candidate is a guess: look at the sample postings first."""
    GIVE_SITE = "GIVE_SITE"
    """Nothing was found by the name: give the address of the career page."""
    REGISTER_MANUALLY = "REGISTER_MANUALLY"
    """Nothing was found: register the company without a source, or follow searches on aggregators."""
    TRY_AGAIN = "TRY_AGAIN"
    """Nothing was found, but not everything could be asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """A board that exists, as it could be followed (FR-2)."""

    source: CompanySource
    found_by: FoundBy
    postings: tuple[RawJobPosting, ...]
    """At most three, for a look."""
    posting_count: int
    known_terms: str
    followed: JobSource | None
    """The source that follows it already."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unconfirmed:
    """What could not be asked or read, and why; it may exist."""

    address: str
    platform: Platform | None
    """None for the page given."""
    source_slug: str | None
    outcome: Outcome
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Discovery:
    """What was found of a company."""

    candidates: tuple[Candidate, ...]
    """The likeliest first."""
    unconfirmed: tuple[Unconfirmed, ...]
    hint: DiscoveryHint


@dataclass(frozen=True, kw_only=True, slots=True)
class ResolvedCompanies:
    """The companies that a page's postings belong to."""

    ids: Mapping[str, int]
    """`companies.id` by the name as the site shows it."""
    names: Mapping[int, str]
    """Registered name by `companies.id`."""


class Unfit(StrEnum):
    """Why a company or source can't have a value."""

    EMPTY = "EMPTY"
    TOO_LONG = "TOO_LONG"
    CONTROL_CHARACTERS = "CONTROL_CHARACTERS"
    """Line breaks, tabs, characters that turn the direction of text: no name has them."""
    NOT_AN_AGGREGATOR = "NOT_AN_AGGREGATOR"
    NOT_A_BOARD = "NOT_A_BOARD"
    """The platform is an aggregator, not a company's own board."""
    NOT_A_SLUG = "NOT_A_SLUG"
    ANOTHER_HOST = "ANOTHER_HOST"
    """No address of the platform's own."""
    GIVEN_TWICE = "GIVEN_TWICE"
    NOT_AN_ADDRESS = "NOT_AN_ADDRESS"
    NOT_WEB = "NOT_WEB"
    """Not http or https, with a port of its own, or with a name and password in it."""
    NOT_PUBLIC = "NOT_PUBLIC"
    """Of this machine or of a private network."""


_UNFIT_WORDS = {
    Unfit.EMPTY: "empty",
    Unfit.TOO_LONG: "longer than {limit} characters",
    Unfit.CONTROL_CHARACTERS: "holds line breaks or other control characters",
    Unfit.NOT_AN_AGGREGATOR: "{platform} is a company's own board, not an aggregator",
    Unfit.NOT_A_BOARD: "{platform} is an aggregator, not a company's own board",
    Unfit.NOT_A_SLUG: "{slug!r} can't be a company's name on {platform}",
    Unfit.ANOTHER_HOST: "not an address of {host}",
    Unfit.GIVEN_TWICE: "{board} is given twice",
    Unfit.NOT_AN_ADDRESS: "not an address of the web",
    Unfit.NOT_WEB: "only http and https are asked, on their own port, without a password",
    Unfit.NOT_PUBLIC: "not an address of the public internet",
}


class InvalidValue(Exception):
    """A value that a company or source can't have."""

    def __init__(self, field: str, unfit: Unfit, **values: object) -> None:
        self.field = field
        """Name of the value, in snake case."""
        self.unfit = unfit
        self.values = values
        """What a sentence about it names."""
        self.message = _UNFIT_WORDS[unfit].format(**values)
        super().__init__(f"{field}: {self.message}")


class CompanyExists(Exception):
    """A company of the same normal form is registered already, under this name or as an alias."""

    def __init__(self, company_id: int, name: str) -> None:
        super().__init__(f"company {company_id} ({name}) has that name already")
        self.company_id = company_id
        self.name = name


class SourceFollowed(Exception):
    """The source is registered already."""

    def __init__(self, source: JobSource) -> None:
        state = "disabled" if source.disabled_at else "followed already"
        super().__init__(f"source {source.id} ({source.label}) is {state}")
        self.job_source_id = source.id
        self.company_id = source.company_id
        self.disabled = source.disabled_at is not None


class UnknownCompany(Exception):
    """No company has this id."""

    def __init__(self, company_id: int) -> None:
        super().__init__(f"no company {company_id}")
        self.company_id = company_id


class UnknownCompanyName(Exception):
    """No company has this name or alias."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no company {name!r}")
        self.name = name


class UnknownAlias(Exception):
    """The company has no such alias."""

    def __init__(self, company_id: int, alias: str | int) -> None:
        super().__init__(f"company {company_id} has no alias {alias!r}")
        self.company_id = company_id
        self.alias = alias


class UnknownSource(Exception):
    """No source has this id."""

    def __init__(self, job_source_id: int) -> None:
        super().__init__(f"no source {job_source_id}")
        self.job_source_id = job_source_id


class UnknownCategory(Exception):
    """The platform has no such job category."""

    def __init__(self, platform: Platform, code: str, known: Mapping[str, str]) -> None:
        shown = ", ".join(f"{key} {label}" for key, label in known.items())
        super().__init__(f"{platform} has no category {code!r}; it has {shown}")
        self.platform = platform
        self.code = code
        self.known = known
        """Label by code."""
