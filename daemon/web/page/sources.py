"""Searches on aggregators: those that are followed, how they do, and following another."""

from __future__ import annotations

from typing import Annotated

from aiohttp import web
from pydantic import Field

from daemon.collection.actions.remove_source import remove_source
from daemon.company import actions
from daemon.operations import actions as operations
from daemon.operations.companies import actions as views
from daemon.sources.model import Platform, SourceType
from daemon.sources.registry import ADAPTERS
from daemon.web.page.companies import DAYS, Forgotten, Switch, terms_of
from daemon.web.page.visit import Form, Visit

SEARCHED = tuple(
    platform for platform, adapter in ADAPTERS.items() if adapter.capabilities.source_type is SourceType.AGGREGATOR
)


class Chosen(Form):
    """Which aggregator's categories are to be offered."""

    platform: Platform | None = None


async def show_sources(visit: Visit) -> web.Response:
    """Every search, and the form that follows another: first the site, then one of its categories."""
    found = await views.list_aggregator_sources(visit.web.db)
    runs = await operations.latest_runs(visit.web.db, [source.job_source_id for source in found.sources], DAYS)
    latest = {key: of_source[0] for key, of_source in runs.items() if of_source}
    chosen = visit.asked(Chosen).platform or _entered(visit)
    if chosen not in SEARCHED:
        chosen = None
    return visit.show(
        "sources.html",
        visit.web.db.clock.now(),
        found=found,
        latest=latest,
        searched=SEARCHED,
        chosen=chosen,
        categories=() if chosen is None else ADAPTERS[chosen].categories(),
        terms=terms_of(visit, *SEARCHED),
    )


def _entered(visit: Visit) -> Platform | None:
    given = visit.entered.get("platform")
    return Platform(given) if given in set(Platform) else None


class NewSearch(Form):
    """A search on an aggregator."""

    platform: Platform
    category: Annotated[str, Field(max_length=100)]
    keyword: Annotated[str, Field(max_length=200)] = ""


async def follow(visit: Visit) -> web.Response:
    """Follow a search; one that was switched off is followed again."""
    entered = await visit.form(NewSearch)
    await actions.register_aggregator_source(visit.web.db, entered.platform, entered.category, entered.keyword)
    return visit.leave("/sources", "source_added")


async def remove(visit: Visit) -> web.Response:
    """Forget a search that was registered by mistake and never brought anything."""
    await remove_source(visit.web.db, (await visit.form(Forgotten)).source, None)
    return visit.leave("/sources", "source_removed")


async def switch(visit: Visit) -> web.Response:
    """Stop following a search, or begin again; what it brought stays."""
    entered = await visit.form(Switch)
    change = actions.enable_source if entered.to == "on" else actions.disable_source
    await change(visit.web.db, entered.source, None)
    return visit.leave("/sources", f"source_{entered.to}")
