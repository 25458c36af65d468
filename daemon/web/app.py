"""The web application: every route there is, behind the guards."""

from __future__ import annotations

import json
from functools import partial

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from daemon.collection.actions.visits import PoliteVisits
from daemon.collection.engine import Engine
from daemon.foreground import Foreground
from daemon.matching.actions.preview import KnownTitles
from daemon.schema import head_revision
from daemon.web import (
    aggregators,
    applications,
    companies,
    discovery,
    flags,
    matching,
    notifications,
    operations,
    postings,
    service,
    sources,
)
from daemon.web.guard import BODY_LIMIT, add_headers, guard
from daemon.web.openapi import describe
from daemon.web.page import FORM_PATHS, OPEN_PATHS, add_pages, answer_people
from daemon.web.problem import answer_problems
from daemon.web.route import Route, Web

ROUTES: tuple[Route, ...] = (
    *service.ROUTES,
    *operations.ROUTES,
    *flags.ROUTES,
    *applications.ROUTES,
    *matching.ROUTES,
    *discovery.ROUTES,
    *companies.ROUTES,
    *aggregators.ROUTES,
    *sources.ROUTES,
    *postings.ROUTES,
    *notifications.ROUTES,
)


def make_app(engine: Engine) -> web.Application:
    """The application that serves API and page on the engine of this process.

    It holds nothing that needs closing. Listen only on `http_host` of the settings: the host guard goes by it.
    """
    settings = engine.settings
    open_paths = OPEN_PATHS | {route.path for route in ROUTES if route.open}
    shared = Web(
        db=engine.db,
        settings=settings,
        progress=engine.progress,
        recorded=engine.recorded,
        titles=KnownTitles(),
        visits=PoliteVisits(engine=engine),
        description=partial(_description, guarded=settings.api_token is not None),
        needed_revision=head_revision(),
    )
    guarded = guard(settings, open_paths, FORM_PATHS)
    middlewares = [_go_first(engine.foreground), answer_problems, answer_people(shared), guarded]
    app = web.Application(middlewares=middlewares, client_max_size=BODY_LIMIT)
    for route in ROUTES:
        if route.method == "GET":
            app.router.add_get(route.pattern, route.entry(shared))
        else:
            app.router.add_route(route.method, route.pattern, route.entry(shared))
    add_pages(app, shared)
    app.on_response_prepare.append(add_headers)
    return app


def _go_first(foreground: Foreground) -> Middleware:
    @web.middleware
    async def going_first(request: web.Request, handler: Handler) -> web.StreamResponse:
        with foreground.answering():
            return await handler(request)

    return going_first


def _description(*, guarded: bool) -> bytes:
    return json.dumps(describe(ROUTES, guarded=guarded), ensure_ascii=False).encode()
