"""Whether the process lives, whether it can work, its metrics, and the description of the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from daemon.operations import metrics
from daemon.schema import current_revision, is_current
from daemon.web.problem import Problem
from daemon.web.route import Raw, Route, Web, route

STALLED_SECONDS = 120.0
"""An engine that took no step for so long hangs: even with nothing to do it looks around every few seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Health:
    """The process lives; whether the database does is `/readyz`'s matter."""

    status: Literal["ok"]
    engine_progress_age_seconds: float | None
    """Since the engine last took a step, in real time; null before its first one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Readiness:
    """The database answers and its schema fits this program."""

    status: Literal["ready"]
    schema_revision: str | None


async def show_health(web: Web) -> Health:
    """Whether the process lives and its engine advances; never asks the database."""
    age = web.progress_age()
    seconds = None if age is None else round(age.total_seconds(), 3)
    if seconds is not None and seconds > STALLED_SECONDS:
        raise Problem(
            status=503,
            kind="engine-stalled",
            detail=f"the engine has not advanced for {seconds:.0f} s",
            members={"engineProgressAgeSeconds": seconds},
        )
    return Health(status="ok", engine_progress_age_seconds=seconds)


async def show_readiness(web: Web) -> Readiness:
    """Whether the database answers and its schema is the one this program needs."""
    revision = await current_revision(web.db)
    if revision != web.needed_revision and not await is_current(web.db):
        raise Problem(
            status=503,
            kind="schema-behind",
            detail="the database is behind this program: run `gonggo migrate`",
            members={"schemaRevision": revision, "neededRevision": web.needed_revision},
        )
    return Readiness(status="ready", schema_revision=revision)


async def show_metrics(web: Web) -> Raw:
    """Prometheus metrics; without those of the database while that does not answer."""
    return Raw(body=await metrics.exposition(web.db, web.progress, web.progress_age()))


async def show_description(web: Web) -> Raw:
    """This description of the API (OpenAPI 3.1)."""
    return Raw(body=web.description())


ROUTES: tuple[Route, ...] = (
    route("GET", "/healthz", show_health, open=True, refusals={503: "The engine hangs"}),
    route("GET", "/readyz", show_readiness, refusals={503: "The database does not answer, or its schema is behind"}),
    route("GET", "/metrics", show_metrics, content_type=metrics.CONTENT_TYPE),
    route("GET", "/api/openapi.json", show_description),
)
