"""Every page and every form there is, and what a person sees when something can't be had."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

import aiohttp_jinja2
import jinja2
import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from daemon.db import reading_together
from daemon.web.page import applications, companies, criteria, operations, postings, preferences, sources, today
from daemon.web.page.assets import ASSETS
from daemon.web.page.refusals import refusal_of
from daemon.web.page.visit import Refusal, Visit
from daemon.web.page.wording import clock_time, days_left, input_time, machine_time, number, outside
from daemon.web.problem import problem_of
from daemon.web.route import Web

log = structlog.get_logger(__name__)

Show = Callable[[Visit], Awaitable[web.Response]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A page."""

    path: str
    show: Show
    at_once: bool = True
    """Whether all that it shows is read by one transaction; else it sees to that itself, or reads nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """A form: what it does, and the page that it stands on, which is shown again when it is refused."""

    path: str
    act: Show
    on: Show


PAGES = (
    Shown(path="/", show=today.show_today, at_once=False),
    Shown(path="/postings", show=postings.show_postings),
    Shown(path="/postings/new", show=postings.show_new),
    Shown(path="/postings/{id}", show=postings.show_posting),
    Shown(path="/applications", show=applications.show_board),
    Shown(path="/applications/{id}", show=applications.show_application),
    Shown(path="/companies", show=companies.show_companies),
    Shown(path="/companies/new", show=companies.show_new, at_once=False),
    Shown(path="/companies/{id}", show=companies.show_company),
    Shown(path="/sources", show=sources.show_sources),
    Shown(path="/criteria", show=criteria.show_criteria),
    Shown(path="/operations", show=operations.show_operations),
    Shown(path="/sign-in", show=preferences.show_sign_in, at_once=False),
)

FORMS = (
    Sent(path="/preferences", act=preferences.choose, on=today.show_today),
    Sent(path="/sign-in", act=preferences.sign_in, on=preferences.show_sign_in),
    Sent(path="/begin", act=today.switch_all_on, on=today.show_today),
    Sent(path="/postings/new", act=postings.register, on=postings.show_new),
    Sent(path="/postings/{id}/apply", act=postings.apply, on=postings.show_posting),
    Sent(path="/postings/{id}/edit", act=postings.edit, on=postings.show_posting),
    Sent(path="/applications/{id}/move", act=applications.move, on=applications.show_application),
    Sent(path="/applications/{id}/interviews", act=applications.add_round, on=applications.show_application),
    Sent(
        path="/applications/{id}/interviews/{interview}",
        act=applications.edit_round,
        on=applications.show_application,
    ),
    Sent(path="/companies/look", act=companies.look, on=companies.show_new),
    Sent(path="/companies/new", act=companies.register, on=companies.show_new),
    Sent(path="/companies/{id}/promote", act=companies.promote, on=companies.show_company),
    Sent(path="/companies/{id}/aliases", act=companies.add_alias, on=companies.show_company),
    Sent(path="/companies/{id}/aliases/remove", act=companies.remove_alias, on=companies.show_company),
    Sent(path="/companies/{id}/sources", act=companies.follow_board, on=companies.show_company),
    Sent(path="/companies/{id}/sources/switch", act=companies.switch_board, on=companies.show_company),
    Sent(path="/companies/{id}/sources/remove", act=companies.remove_board, on=companies.show_company),
    Sent(path="/sources", act=sources.follow, on=sources.show_sources),
    Sent(path="/sources/remove", act=sources.remove, on=sources.show_sources),
    Sent(path="/sources/switch", act=sources.switch, on=sources.show_sources),
    Sent(path="/criteria/groups", act=criteria.add_group, on=criteria.show_criteria),
    Sent(path="/criteria/exclusions", act=criteria.add_exclusion, on=criteria.show_criteria),
    Sent(path="/criteria/arrangements", act=criteria.add_arrangement, on=criteria.show_criteria),
    Sent(path="/criteria/remove", act=criteria.remove, on=criteria.show_criteria),
    Sent(path="/operations/flags", act=operations.switch, on=operations.show_operations),
    Sent(path="/operations/webhook", act=operations.unpark, on=operations.show_operations),
)

FORM_PATHS = frozenset(form.path for form in FORMS)
OPEN_PATHS = frozenset({"/sign-in", "/preferences", *(asset.path for asset in ASSETS.values())})
"""What a person needs before they have shown the token."""


def add_pages(app: web.Application, shared: Web) -> None:
    """Give the application its pages."""
    environment = aiohttp_jinja2.setup(
        app, loader=jinja2.PackageLoader(__package__), undefined=jinja2.StrictUndefined, auto_reload=False
    )
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters |= {"number": number, "outside": outside, "machine": machine_time, "input_time": input_time}
    environment.filters |= {"clock": clock_time}
    environment.globals["days_left"] = days_left
    for asset in ASSETS.values():
        app.router.add_get(asset.path, asset.send)
    for page in PAGES:
        app.router.add_get(page.path, _showing(page, shared))
    for form in FORMS:
        app.router.add_post(form.path, _acting(form, shared))


def _showing(page: Shown, shared: Web) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        visit = Visit.of(request, shared)
        try:
            return await (reading_together(shared.db, page.show, visit) if page.at_once else page.show(visit))
        except Exception as error:
            refusal = refusal_of(visit, error)
            if refusal is None:
                raise
            return _apology(visit, refusal)

    return handle


def _acting(form: Sent, shared: Web) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        visit = Visit.of(request, shared)
        try:
            return await form.act(visit)
        except Exception as error:
            refusal = refusal_of(visit, error)
            if refusal is None:
                raise
        try:
            return await form.on(await visit.refused(refusal))
        except Exception as error:
            # The page itself is of something that is not there.
            beneath = refusal_of(visit, error)
            if beneath is None:
                raise
            return _apology(visit, beneath)

    return handle


def _apology(visit: Visit, refusal: Refusal) -> web.Response:
    return visit.show(
        "apology.html",
        visit.web.db.clock.now(),
        status=refusal.status,
        title=visit.t(f"apology.{refusal.status}") if visit.has(f"apology.{refusal.status}") else visit.t("apology"),
        what=visit.t(f".{refusal.key}", **refusal.values),
        incident=None,
    )


def answer_people(shared: Web) -> Middleware:
    """The middleware that tells a person in a browser what the API tells a program as a problem document.

    Whoever does not ask for HTML gets the document, as does every path below `/api/`.
    """

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path.startswith("/api/") or "text/html" not in request.headers.get("Accept", ""):
            return await handler(request)
        try:
            return await handler(request)
        except Exception as error:
            return _told(Visit.of(request, shared), error)

    return answer


def _told(visit: Visit, error: Exception) -> web.Response:
    problem = problem_of(error)
    incident = None
    if problem is None:
        incident = str(uuid4())
        log.exception("http.failed", method=visit.request.method, path=visit.request.path, incident=incident)
    elif problem.status >= 500:
        log.warning("http.unavailable", path=visit.request.path, problem=problem.kind, error=str(error))
    if problem is not None and problem.kind == "token-required":
        return visit.leave("/sign-in")
    status = 500 if problem is None else problem.status
    key = f"apology.{status}" if visit.has(f"apology.{status}") else "apology"
    what = visit.t(f"{key}.what")
    now = visit.web.db.clock.now()
    return visit.show("apology.html", now, status=status, title=visit.t(key), what=what, incident=incident)
