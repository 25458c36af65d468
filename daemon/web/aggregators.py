"""Searches on aggregators over HTTP (seed 001, API 계약, FR-60)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from daemon.company import actions, rules
from daemon.operations.companies import actions as views
from daemon.operations.companies.model import AggregatorSources
from daemon.sources.model import Platform
from daemon.sources.registry import adapter_of
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


class SourcePath(Input):
    """Which source."""

    id: RowId


class PlatformQuery(Input):
    """Which platform."""

    platform: Platform


def _searches() -> list[JsonValue]:
    """The categories of each platform that has any."""
    found = {platform: adapter_of(platform).categories() for platform in Platform}
    return [
        {
            "properties": {
                "platform": {"const": platform.value},
                "searchCategoryCode": {"enum": [one.code for one in categories]},
            }
        }
        for platform, categories in found.items()
        if categories
    ]


class NewSearch(Input):
    """A search on an aggregator."""

    model_config = ConfigDict(json_schema_extra={"anyOf": _searches()})

    platform: Platform
    search_category_code: Annotated[str, Field(min_length=1, max_length=100)]
    """One of `GET /api/aggregator-sources/categories`."""
    search_keyword: (
        Annotated[
            str,
            Field(max_length=2 * rules.KEYWORD_CHARACTERS, json_schema_extra={"maxLength": rules.KEYWORD_CHARACTERS}),
            Format("words"),
        ]
        | None
    ) = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Category:
    """A job category of a platform."""

    code: str
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Categories:
    """The job categories by which a platform can be searched; none for a company's own board."""

    categories: tuple[Category, ...]


async def list_aggregator_categories(web: Web, query: PlatformQuery) -> Categories:
    """The job categories by which a platform can be searched."""
    found = adapter_of(query.platform).categories()
    return Categories(categories=tuple(Category(code=one.code, label=one.label) for one in found))


async def register_aggregator_source(web: Web, body: NewSearch) -> SourceRegistered:
    """Follow a search on an aggregator, or one that was off."""
    with refusals_told():
        made = await actions.register_aggregator_source(
            web.db, body.platform, body.search_category_code, body.search_keyword or ""
        )
    return SourceRegistered(job_source_id=made, platform=body.platform, known_terms=known_terms(body.platform))


async def list_aggregator_sources(web: Web) -> AggregatorSources:
    """Every search on an aggregator, disabled ones too."""
    return await views.list_aggregator_sources(web.db)


async def disable_aggregator_source(web: Web, path: SourcePath) -> SourceDisabled:
    """Stop following a search; its history and postings stay, and repeating it changes nothing."""
    return await disable(web, path.id, None)


async def enable_aggregator_source(web: Web, path: SourcePath) -> SourceEnabled:
    """Follow a disabled search again; repeating it changes nothing."""
    return await enable(web, path.id, None)


_UNKNOWN = "There is no such search on an aggregator"

ROUTES: tuple[Route, ...] = (
    route("GET", "/api/aggregator-sources/categories", list_aggregator_categories),
    route(
        "POST",
        "/api/aggregator-sources",
        register_aggregator_source,
        status=201,
        refusals={409: "The search is followed already: `jobSourceId`"},
    ),
    route("GET", "/api/aggregator-sources", list_aggregator_sources),
    route("DELETE", "/api/aggregator-sources/{id}", disable_aggregator_source, refusals={404: _UNKNOWN}),
    route("POST", "/api/aggregator-sources/{id}/activation", enable_aggregator_source, refusals={404: _UNKNOWN}),
)
