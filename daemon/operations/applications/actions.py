"""The views of applications, each one reading transaction; what the API and the shell call."""

from __future__ import annotations

from collections.abc import Collection

from daemon.application.model import ApplicationStatus, UnknownApplication
from daemon.db import Database, Tx, reading
from daemon.operations.applications import store
from daemon.operations.applications.model import ApplicationDetail, ApplicationExport, ApplicationPage

_CHUNK = 500
"""Applications read by one statement."""


async def list_applications(
    db: Database,
    company_id: int | None = None,
    status: ApplicationStatus | None = None,
    page: int = 0,
    size: int = 50,
) -> ApplicationPage:
    """One page of the applications at a company, in a status, or of all; `page` counts from 0."""
    return await reading(db, store.load_page, company_id, status, page, size)


async def versions_of(db: Database, application_ids: Collection[int]) -> dict[int, int]:
    """The version of each of these applications, which a move of it is bound to."""
    return await reading(db, store.load_versions, application_ids) if application_ids else {}


async def show_application(db: Database, application_id: int) -> ApplicationDetail:
    """One application with its history and interviews. Raises UnknownApplication."""
    found = await reading(db, store.load_detail, application_id)
    if found is None:
        raise UnknownApplication(application_id)
    return found


async def export_applications(db: Database) -> ApplicationExport:
    """Every application with its history and interviews."""
    return await reading(db, _export)


async def _export(tx: Tx) -> ApplicationExport:
    found: list[ApplicationDetail] = []
    while chunk := await store.load_details_after(tx, found[-1].application_id if found else 0, _CHUNK):
        found += chunk
    return ApplicationExport(applications=tuple(found))
