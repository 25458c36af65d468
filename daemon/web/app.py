"""The web application: every route there is, behind the guards."""

from __future__ import annotations

import json

from aiohttp import web

from daemon.collection.engine import Progress
from daemon.db import Database
from daemon.schema import head_revision
from daemon.settings import Settings
from daemon.web import applications, flags, matching, notifications, operations, postings, service
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
    *postings.ROUTES,
    *notifications.ROUTES,
)


def make_app(db: Database, settings: Settings, progress: Progress) -> web.Application:
    """The application that serves API and page; `progress` is the engine's of this process.

    It holds nothing that needs closing. Listen only on `settings.http_host`: the host guard goes by it.
    """
    open_paths = OPEN_PATHS | {route.path for route in ROUTES if route.open}
    description = json.dumps(describe(ROUTES, guarded=settings.api_token is not None), ensure_ascii=False).encode()
    shared = Web(db=db, settings=settings, progress=progress, description=description, needed_revision=head_revision())
    guarded = guard(settings, open_paths, FORM_PATHS)
    app = web.Application(middlewares=[answer_problems, answer_people(shared), guarded], client_max_size=BODY_LIMIT)
    for route in ROUTES:
        if route.method == "GET":
            app.router.add_get(route.pattern, route.entry(shared))
        else:
            app.router.add_route(route.method, route.pattern, route.entry(shared))
    add_pages(app, shared)
    app.on_response_prepare.append(add_headers)
    return app
