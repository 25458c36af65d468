"""What the demo world is made of: vacancies with versions, listings on sites, troubles, places in a site."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from daemon.clock import business_date
from daemon.sources.model import Platform


class Arrangement(StrEnum):
    """What the text of a vacancy says about working from elsewhere."""

    REMOTE = "REMOTE"
    HYBRID = "HYBRID"
    DENIED = "DENIED"
    """Remote work is named in order to rule it out: `재택근무 불가`, `no remote`."""
    LOOKALIKE = "LOOKALIKE"
    """The words occur but are about something else: `원격 지원 도구`."""
    SILENT = "SILENT"


class Trait(StrEnum):
    """What is odd about one listing."""

    LOGIN_REDIRECT = "LOGIN_REDIRECT"
    """Its page answers with a redirect to the site's login page."""
    LOGIN_FORM = "LOGIN_FORM"
    """Its page answers 200 with the login page itself."""
    WITHDRAWN = "WITHDRAWN"
    """The list carries it but calls it closed or hidden."""
    NO_COMPANY_PAGE = "NO_COMPANY_PAGE"
    """The company is shown without a link (Saramin)."""
    IMAGE_ONLY = "IMAGE_ONLY"
    """Its page has one picture instead of a text (about half of Saramin's)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Body:
    """The text of a vacancy, section by section; each site arranges the sections its own way."""

    intro: str
    tasks: tuple[str, ...]
    requirements: tuple[str, ...]
    preferred: tuple[str, ...]
    conditions: tuple[str, ...]
    process: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """Every line of the text, in order."""
        return (self.intro, *self.tasks, *self.requirements, *self.preferred, *self.conditions, *self.process)

    @property
    def sections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Korean heading and lines of each section after the introduction."""
        return (
            ("주요업무", self.tasks),
            ("자격요건", self.requirements),
            ("우대사항", self.preferred),
            ("근무조건", self.conditions),
            ("채용절차", self.process),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """What a vacancy says from a day on."""

    since: date
    number: int
    title: str
    """Empty where the site lists an item without a title (malformed, but its id is readable)."""
    deadline: datetime | None
    body: Body
    touched: datetime
    """When it was edited: the evening before `since`, aware."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """Days on which a listing stands in its list: `first` inclusive, `end` exclusive (None is open)."""

    first: date
    end: date | None = None

    def holds(self, day: date) -> bool:
        return self.first <= day and (self.end is None or day < self.end)


@dataclass(frozen=True, kw_only=True, slots=True)
class Vacancy:
    """One job at one company, wherever it is listed."""

    key: str
    company: str
    """Plain name, without a legal form."""
    versions: tuple[Version, ...]
    """By `since`, ascending."""
    stack: tuple[str, ...]
    city: str
    district: str
    years: tuple[int, int]
    """Years of experience from, to; `(0, 0)` is a newcomer's job, to = 100 is no upper limit."""
    employment: str
    arrangement: Arrangement

    def version_on(self, day: date) -> Version:
        """The latest version that `day` has seen; the first one before its time."""
        current = self.versions[0]
        for version in self.versions[1:]:
            if version.since <= day:
                current = version
        return current


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """A vacancy on one site."""

    platform: Platform
    boards: tuple[str, ...]
    """Slug, or the category codes under which an aggregator shows it."""
    serial: int
    """Rises with the day of registration within a platform; the site's ids are made from it."""
    site_id: str
    vacancy: Vacancy
    company_name: str
    """As this site writes it."""
    posted: date
    spans: tuple[Span, ...]
    traits: frozenset[Trait] = frozenset()

    def listed_on(self, day: date) -> bool:
        return any(span.holds(day) for span in self.spans)


@dataclass(frozen=True, kw_only=True, slots=True)
class Posting:
    """A listing as it stands on one day."""

    listing: Listing
    version: Version
    day: date

    @property
    def site_id(self) -> str:
        return self.listing.site_id

    @property
    def serial(self) -> int:
        return self.listing.serial

    @property
    def vacancy(self) -> Vacancy:
        return self.listing.vacancy

    @property
    def title(self) -> str:
        return self.version.title

    @property
    def company_name(self) -> str:
        return self.listing.company_name

    @property
    def body(self) -> Body:
        return self.version.body

    @property
    def deadline(self) -> datetime | None:
        return self.version.deadline

    @property
    def last_day(self) -> date | None:
        """The KST date of the deadline."""
        return None if self.version.deadline is None else business_date(self.version.deadline)

    @property
    def days_left(self) -> int | None:
        """0 on the last day; None when always open."""
        return None if self.last_day is None else (self.last_day - self.day).days

    @property
    def withdrawn(self) -> bool:
        return Trait.WITHDRAWN in self.listing.traits

    def has(self, trait: Trait) -> bool:
        return trait in self.listing.traits


class Surface(StrEnum):
    """Which kind of page a request is for."""

    LIST = "LIST"
    DETAIL = "DETAIL"
    OTHER = "OTHER"


class TroubleKind(StrEnum):
    """What can be wrong with a site. The value in brackets is `Trouble.value`."""

    BLOCK_PAGE = "BLOCK_PAGE"
    """200 with a page that says access is restricted."""
    LAYOUT_CHANGED = "LAYOUT_CHANGED"
    """The element that holds the list, and its fields, have other names."""
    STATUS = "STATUS"
    """Answers with status [value]; 429 and 503 carry `Retry-After` when `retry_after` is set."""
    SLOW = "SLOW"
    """Waits [value] real milliseconds before answering."""
    REDIRECT_LOGIN = "REDIRECT_LOGIN"
    """302 to the site's login page."""
    DROP = "DROP"
    """Closes the connection without an answer."""
    TRUNCATED = "TRUNCATED"
    """Sends the first half of the answer as if it were all."""
    PADDED = "PADDED"
    """Adds [value] bytes of white space: bodies over the cap."""
    EMPTY = "EMPTY"
    """The list is empty, and says so."""
    TOTAL_LIE = "TOTAL_LIE"
    """The declared total is [value] more than there are."""
    REPEAT_LAST_PAGE = "REPEAT_LAST_PAGE"
    """Past its end the list repeats its last page and offers a next one for ever."""
    SHIFT_ROWS = "SHIFT_ROWS"
    """From page 2 on, [value] rows appeared on top while the list was read (negative: vanished)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Trouble:
    """One thing wrong with a site, narrowed to some of its pages."""

    kind: TroubleKind
    value: int = 0
    board: str | None = None
    """Only this slug or category; None is the whole site."""
    surface: Surface | None = None
    """Only list pages or only details; None is both."""
    from_page: int = 1
    """Only list pages from this one (1-based) on."""
    retry_after: timedelta | None = None

    def strikes(self, place: Place) -> bool:
        """Whether a request for `place` runs into it."""
        if self.board is not None and self.board not in place.board.split(","):
            return False
        if self.surface is not None and self.surface is not place.surface:
            return False
        return place.surface is not Surface.LIST or place.page >= self.from_page


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where in a site a request leads."""

    surface: Surface
    board: str = ""
    """Slug or category codes joined by commas; empty when the request names none."""
    keyword: str = ""
    page: int = 1
    """1-based, however the site counts."""
    size: int = 0
    """Items a page, after the site's own default and cap."""
    item: str = ""
    """The posting asked for, on a detail."""
    part: str = ""
    """Which of several pages of a kind, in the site's own terms."""
