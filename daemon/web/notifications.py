"""The history of notifications over HTTP (seed 001, API 계약: Operations, scenario 7)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from daemon.notification.actions import views
from daemon.notification.model import DispatchPage, DispatchStatus
from daemon.web.route import Input, Route, Web, route


class DispatchesQuery(Input):
    """Which messages."""

    dispatch_status: DispatchStatus | None = None
    """Only in this state; FAILED is how a person learns of what no message could tell."""
    days: Annotated[int, Field(ge=1, le=366)] = 30
    """How many KST days, today included."""
    page: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Counted from 0."""
    size: Annotated[int, Field(ge=1, le=200)] = 50


async def list_dispatches(web: Web, query: DispatchesQuery) -> DispatchPage:
    """The messages of the last days and what becomes of each, newest first, and the webhook's state."""
    return await views.list_dispatches(web.db, web.settings, query.dispatch_status, query.days, query.page, query.size)


ROUTES: tuple[Route, ...] = (route("GET", "/api/operations/notification-dispatches", list_dispatches),)
