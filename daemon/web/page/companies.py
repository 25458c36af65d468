"""Companies: those that are watched, what is known of one, registering, other names, boards."""

from __future__ import annotations

from typing import Annotated, Literal

from aiohttp import web
from pydantic import Field

from daemon.collection.actions.remove_source import remove_source
from daemon.company import actions
from daemon.company.model import CompanyOrigin, CompanySource, UnknownCompanyName
from daemon.operations import actions as operations
from daemon.operations.companies import actions as views
from daemon.sources.model import Platform, SourceType
from daemon.sources.registry import ADAPTERS
from daemon.web.page.postings import listed
from daemon.web.page.visit import Form, Visit
from daemon.web.route import RowId

SIZE = 60
"""Companies on one page of a list."""

DAYS = 14
"""How far back the last outcomes of a source are looked for."""

SHOWN = 5
"""Outcomes of a source that are shown."""

BOARDS = tuple(
    platform for platform, adapter in ADAPTERS.items() if adapter.capabilities.source_type is SourceType.COMPANY_BOUND
)

Name = Annotated[str, Field(max_length=200)]
Slug = Annotated[str, Field(max_length=200)]


class Asked(Form):
    """Which companies a list is to show."""

    origin: CompanyOrigin = CompanyOrigin.WATCHED
    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1


async def show_companies(visit: Visit) -> web.Response:
    """The companies that are watched, or those merely discovered."""
    asked = visit.asked(Asked)
    found = await views.list_companies(visit.web.db, asked.origin, asked.page - 1, SIZE)
    pages = max(1, -(-found.total_count // SIZE))
    return visit.show("companies.html", visit.web.db.clock.now(), asked=asked, found=found, pages=pages)


async def show_company(visit: Visit) -> web.Response:
    """A company: its postings first, then its boards, their health and its other names."""
    now = visit.web.db.clock.now()
    company_id = visit.row_id()
    company = await views.show_company(visit.web.db, company_id)
    runs = await operations.latest_runs(visit.web.db, [source.job_source_id for source in company.sources], DAYS)
    return visit.show(
        "company.html",
        now,
        company=company,
        listed=await listed(visit, now, company_id),
        outcomes={key: runs[key][:SHOWN] for key in runs},
        boards=BOARDS,
        terms=terms_of(visit, *(source.platform for source in company.sources)),
    )


def terms_of(visit: Visit, *platforms: Platform) -> dict[Platform, str]:
    """What is known of the robots files and terms of these sites (DESIGN 1.11)."""
    return {platform: ADAPTERS[platform].capabilities.compliance.terms_in(visit.language) for platform in platforms}


async def show_new(visit: Visit) -> web.Response:
    """The form that looks for a company's boards, and the one that registers it without a look."""
    return visit.show(
        "company_new.html",
        visit.web.db.clock.now(),
        boards=BOARDS,
        terms=terms_of(visit, *BOARDS),
        found=None,
        sought=None,
        known=None,
    )


class Sought(Form):
    """Whose boards to look for."""

    name: Name
    site_url: Annotated[str, Field(max_length=2000)] | None = None


async def look(visit: Visit) -> web.Response:
    """Look for a company's boards, and show what is published on each; nothing is stored."""
    sought = await visit.form(Sought)
    found = await actions.discover_boards(visit.web.db, visit.web.visits, sought.name, sought.site_url)
    return visit.show(
        "company_new.html",
        visit.web.db.clock.now(),
        boards=BOARDS,
        terms=terms_of(visit, *BOARDS),
        found=found,
        sought=sought,
        known=await _known(visit, sought.name),
    )


async def _known(visit: Visit, name: str) -> int | None:
    """The company that is registered under this name or alias."""
    try:
        return await actions.find_company(visit.web.db, name)
    except UnknownCompanyName:
        return None


class NewCompany(Form):
    """A company to be watched."""

    name: Name
    platform: Platform | None = None
    slug: Slug | None = None
    aliases: Annotated[str, Field(max_length=2000)] | None = None
    """One a line."""


async def register(visit: Visit) -> web.Response:
    """Watch a company, with the boards that were ticked or written; one that was discovered is promoted.

    Boards that were found and ticked of a company that is watched already are followed too.
    """
    entered = await visit.form(NewCompany)
    followed = await _ticked(visit)
    known = await _known(visit, entered.name) if followed else None
    if known is not None:
        for board in followed:
            await actions.follow_board(visit.web.db, known, board)
        return visit.leave(f"/companies/{known}", "source_added")
    if entered.slug is not None:
        if entered.platform is None:
            raise visit.unfit("platform", "empty")
        followed.append(CompanySource(platform=entered.platform, source_slug=entered.slug))
    aliases = [line.strip() for line in (entered.aliases or "").splitlines() if line.strip()]
    made = await actions.register_company(visit.web.db, entered.name, followed, aliases)
    return visit.leave(f"/companies/{made.company_id}", "company" if followed else "company_by_hand")


async def _ticked(visit: Visit) -> list[CompanySource]:
    """The boards that were chosen among those found: `GREENHOUSE:daangn`."""
    boards = []
    for given in (await visit.request.post()).getall("board", []):
        platform, _, slug = str(given).partition(":")
        if platform not in set(Platform):
            raise visit.unfit("platform")
        boards.append(CompanySource(platform=Platform(platform), source_slug=slug))
    return boards


async def promote(visit: Visit) -> web.Response:
    """Watch a company that was only discovered."""
    await actions.promote_company(visit.web.db, visit.row_id())
    return _back(visit, "promoted")


class NewAlias(Form):
    """Another name of a company."""

    alias: Name


async def add_alias(visit: Visit) -> web.Response:
    """Let a company also be found by another name."""
    await actions.add_alias(visit.web.db, visit.row_id(), (await visit.form(NewAlias)).alias)
    return _back(visit, "alias_added")


class OldAlias(Form):
    """Which alias."""

    alias_id: RowId


async def remove_alias(visit: Visit) -> web.Response:
    """Let a company no longer be found by that name."""
    await actions.remove_alias(visit.web.db, visit.row_id(), (await visit.form(OldAlias)).alias_id)
    return _back(visit, "alias_removed")


class NewBoard(Form):
    """A board on which a company publishes."""

    platform: Platform
    slug: Slug


async def follow_board(visit: Visit) -> web.Response:
    """Collect a further board of a company."""
    entered = await visit.form(NewBoard)
    await actions.follow_board(
        visit.web.db, visit.row_id(), CompanySource(platform=entered.platform, source_slug=entered.slug)
    )
    return _back(visit, "source_added")


class Switch(Form):
    """How a source is to stand."""

    source: RowId
    to: Literal["on", "off"]


async def switch_board(visit: Visit) -> web.Response:
    """Stop collecting a board, or begin again; what it brought stays."""
    entered = await visit.form(Switch)
    switch = actions.enable_source if entered.to == "on" else actions.disable_source
    await switch(visit.web.db, entered.source, visit.row_id())
    return _back(visit, f"source_{entered.to}")


class Forgotten(Form):
    """Which source goes."""

    source: RowId


async def remove_board(visit: Visit) -> web.Response:
    """Forget a board that was registered by mistake and never brought anything."""
    await remove_source(visit.web.db, (await visit.form(Forgotten)).source, visit.row_id())
    return _back(visit, "source_removed")


def _back(visit: Visit, done: str) -> web.Response:
    return visit.leave(f"/companies/{visit.row_id()}", done)
