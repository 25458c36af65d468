"""Companies, their other names and their boards over HTTP (seed 001, API 계약, FR-4, FR-5, FR-50, FR-61)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from daemon.company import actions, rules
from daemon.company.model import Alias, CompanyOrigin, CompanySource, RegistrationType
from daemon.operations.companies import actions as views
from daemon.operations.companies.model import CompanyDetail, CompanyPage
from daemon.sources.model import Platform
from daemon.web.route import Format, Input, Route, RowId, Web, route
from daemon.web.sources import (
    SourceDisabled,
    SourceEnabled,
    SourceRegistered,
    disable,
    enable,
    known_terms,
    refusals_told,
)

_MOST_BOARDS = 20
_MOST_ALIASES = 50

# Longer ones are refused by the rules, by name; this only keeps nonsense short.
Name = Annotated[
    str,
    Field(min_length=1, max_length=2 * rules.NAME_CHARACTERS, json_schema_extra={"maxLength": rules.NAME_CHARACTERS}),
    Format("line"),
]
Slug = Annotated[str, Field(min_length=1, max_length=rules.SLUG_CHARACTERS), Format("slug")]
Page = Annotated[int, Field(ge=0, le=1_000_000)]
Size = Annotated[int, Field(ge=1, le=200)]


_REST_OF_ADDRESS = r"(?:[/?#][^\x00-\x20\x7f-\x9f\u2028\u2029]*)?$"


class CompanyIdPath(Input):
    """Which company."""

    id: RowId


class AliasPath(Input):
    """Which alias of which company."""

    id: RowId
    alias_id: RowId


class BoardPath(Input):
    """Which board of which company."""

    id: RowId
    job_source_id: RowId


class CompaniesQuery(Input):
    """Which companies."""

    company_origin: CompanyOrigin | None = None
    """Only those that the person watches, or only those merely discovered."""
    page: Page = 0
    """Counted from 0."""
    size: Size = 50


def _boards() -> list[JsonValue]:
    """What goes with each platform that has boards of companies."""
    return [
        {
            "properties": {
                "platform": {"const": platform.value},
                "baseUrl": {"type": ["string", "null"], "pattern": f"^https?://{re.escape(host)}{_REST_OF_ADDRESS}"},
            }
        }
        for platform, host in rules.board_hosts().items()
    ]


class Board(Input):
    """A company's own board."""

    model_config = ConfigDict(json_schema_extra={"anyOf": _boards()})

    platform: Platform
    source_slug: Slug
    base_url: Annotated[str | None, Field(max_length=rules.ADDRESS_CHARACTERS)] = None
    """The platform's own address; null is its default."""

    @property
    def source(self) -> CompanySource:
        """As the actions take it."""
        return CompanySource(platform=self.platform, source_slug=self.source_slug, base_url=self.base_url)


class NewCompany(Input):
    """A company to watch."""

    name: Name
    sources: Annotated[
        tuple[Board, ...], Field(max_length=_MOST_BOARDS, strict=False, json_schema_extra={"uniqueItems": True})
    ] = ()
    """Empty: the company's postings are entered by hand or come from aggregators (`MANUAL_ONLY`)."""
    aliases: Annotated[tuple[Name, ...], Field(max_length=_MOST_ALIASES, strict=False)] = ()
    """Other names under which boards show it."""


class NewAlias(Input):
    """Another name of a company."""

    alias: Name


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanyRegistered:
    """The company that is watched from now on."""

    company_id: int
    registration_type: RegistrationType
    company_origin: CompanyOrigin
    source_ids: tuple[int, ...]
    """In the order given."""
    known_terms: dict[Platform, str]
    """What is known of the boards' robots files and terms, in Korean."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CompanyPromoted:
    """The company that is watched."""

    company_id: int
    company_origin: CompanyOrigin


@dataclass(frozen=True, kw_only=True, slots=True)
class AliasAdded:
    """The company's names now."""

    company_id: int
    aliases: tuple[Alias, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AliasRemoved:
    """The name that no longer stands for the company."""

    company_id: int
    alias_id: int
    alias: str


async def register_company(web: Web, body: NewCompany) -> CompanyRegistered:
    """Watch a company, with its boards and other names; one that was only discovered is promoted."""
    boards = [board.source for board in body.sources]
    with refusals_told():
        made = await actions.register_company(web.db, body.name, boards, body.aliases)
    return CompanyRegistered(
        company_id=made.company_id,
        registration_type=made.registration_type,
        company_origin=made.company_origin,
        source_ids=made.source_ids,
        known_terms={board.platform: known_terms(board.platform) for board in boards},
    )


async def list_companies(web: Web, query: CompaniesQuery) -> CompanyPage:
    """The companies, watched ones first."""
    return await views.list_companies(web.db, query.company_origin, query.page, query.size)


async def show_company(web: Web, path: CompanyIdPath) -> CompanyDetail:
    """A company with its other names and its boards, disabled ones too."""
    with refusals_told():
        return await views.show_company(web.db, path.id)


async def promote_company(web: Web, path: CompanyIdPath) -> CompanyPromoted:
    """Watch a company that was only discovered; repeating it changes nothing."""
    with refusals_told():
        promoted = await actions.promote_company(web.db, path.id)
    return CompanyPromoted(company_id=promoted.company_id, company_origin=promoted.company_origin)


async def add_company_source(web: Web, path: CompanyIdPath, body: Board) -> SourceRegistered:
    """Follow a further board of a company, or one of its own that was off."""
    with refusals_told():
        followed = await actions.follow_board(web.db, path.id, body.source)
    return SourceRegistered(
        job_source_id=followed.job_source_id,
        platform=followed.platform,
        known_terms=known_terms(followed.platform),
    )


async def disable_company_source(web: Web, path: BoardPath) -> SourceDisabled:
    """Stop following a board of a company; repeating it changes nothing."""
    return await disable(web, path.job_source_id, path.id)


async def enable_company_source(web: Web, path: BoardPath) -> SourceEnabled:
    """Follow a disabled board of a company again; repeating it changes nothing."""
    return await enable(web, path.job_source_id, path.id)


async def add_company_alias(web: Web, path: CompanyIdPath, body: NewAlias) -> AliasAdded:
    """Let a company also be found by another name; one that leads to it already changes nothing."""
    with refusals_told():
        await actions.add_alias(web.db, path.id, body.alias)
        shown = await views.show_company(web.db, path.id)
    return AliasAdded(company_id=path.id, aliases=shown.aliases)


async def remove_company_alias(web: Web, path: AliasPath) -> AliasRemoved:
    """Let a company no longer be found by another name; what was collected under it stays with the company."""
    with refusals_told():
        removed = await actions.remove_alias(web.db, path.id, path.alias_id)
    return AliasRemoved(company_id=path.id, alias_id=removed.alias_id, alias=removed.alias)


_UNKNOWN = "There is no such company"
_NAME_TAKEN = "Another company has that name: `companyId`"

ROUTES: tuple[Route, ...] = (
    route(
        "POST",
        "/api/companies",
        register_company,
        status=201,
        refusals={
            409: "A company of that name is registered: `companyId`; or a board is followed already: `jobSourceId`"
        },
    ),
    route("GET", "/api/companies", list_companies),
    route("GET", "/api/companies/{id}", show_company, refusals={404: _UNKNOWN}),
    route(
        "POST",
        "/api/companies/{id}/promotion",
        promote_company,
        refusals={404: _UNKNOWN, 409: _NAME_TAKEN},
    ),
    route(
        "POST",
        "/api/companies/{id}/sources",
        add_company_source,
        status=201,
        refusals={404: _UNKNOWN, 409: "The board is followed already: `jobSourceId`"},
    ),
    route(
        "DELETE",
        "/api/companies/{id}/sources/{jobSourceId}",
        disable_company_source,
        refusals={404: "The company has no such board"},
    ),
    route(
        "POST",
        "/api/companies/{id}/sources/{jobSourceId}/activation",
        enable_company_source,
        refusals={404: "The company has no such board"},
    ),
    route(
        "POST",
        "/api/companies/{id}/aliases",
        add_company_alias,
        refusals={404: _UNKNOWN, 409: _NAME_TAKEN},
    ),
    route(
        "DELETE",
        "/api/companies/{id}/aliases/{aliasId}",
        remove_company_alias,
        refusals={404: "The company has no such alias"},
    ),
)
