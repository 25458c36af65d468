"""Every error as a problem document (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal
from uuid import uuid4

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import ValidationError

from daemon.db import DATABASE_FAULTS
from daemon.flags.model import UnknownFlag

log = structlog.get_logger(__name__)

Place = Literal["path", "query", "header", "body"]


@dataclass(kw_only=True)
class Problem(Exception):
    """An answer that refuses: raise it anywhere below the problem middleware."""

    status: int
    kind: str | None = None
    """Name of the problem type, `urn:gonggo:problem:{kind}`; None when the status says it all."""
    detail: str | None = None
    """What is wrong with this request, for a person."""
    members: Mapping[str, object] = field(default_factory=dict)
    """What a program needs to go on, by name in camel case."""
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        """The problem document."""
        document: dict[str, object] = {
            "type": f"urn:gonggo:problem:{self.kind}" if self.kind else "about:blank",
            "title": self.kind.replace("-", " ").capitalize() if self.kind else HTTPStatus(self.status).phrase,
            "status": self.status,
        }
        if self.detail is not None:
            document["detail"] = self.detail
        body = json.dumps(document | dict(self.members), ensure_ascii=False).encode()
        return web.Response(
            status=self.status, body=body, content_type="application/problem+json", headers=dict(self.headers)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One value that can't be accepted."""

    field: str
    """In camel case, with dots; empty for the whole."""
    code: str
    message: str


def invalid(place: Place, error: ValidationError) -> Problem:
    """The problem of a request whose `place` does not hold what it should.

    An unreadable body is 400, a path that names nothing 404, any other value 422 with the fields at fault.
    """
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    if any(fault["type"] == "json_invalid" for fault in faults):
        return Problem(status=400, kind="unreadable-body", detail=f"the body is not JSON: {faults[0]['msg']}")
    if place == "path":
        return Problem(status=404, detail="no such resource")
    return refused(
        place,
        [
            Fault(field=".".join(str(part) for part in fault["loc"]), code=fault["type"], message=fault["msg"])
            for fault in faults
        ],
    )


def refused(place: Place, faults: Sequence[Fault]) -> Problem:
    """The 422 that names each field at fault."""
    listed = [{"in": place, "field": one.field, "code": one.code, "message": one.message} for one in faults]
    told = "; ".join(f"{one.field or place}: {one.message}" for one in faults)
    return Problem(status=422, kind="invalid-value", detail=told, members={"errors": listed})


def problem_of(error: Exception) -> Problem | None:
    """The problem that an action's refusal is to the outside; None when it is our own fault."""
    match error:
        case Problem():
            return error
        case UnknownFlag():
            return Problem(
                status=404, kind="unknown-flag", detail=str(error), members={"knownFlags": list(error.known)}
            )
        case _ if isinstance(error, DATABASE_FAULTS):
            return Problem(
                status=503,
                kind="database-unavailable",
                detail="the database does not answer; try again",
                headers={"Retry-After": "5"},
            )
        case web.HTTPException():
            kept = {name: error.headers[name] for name in ("Allow",) if name in error.headers}
            return Problem(status=error.status, detail=_HINTS.get(error.status), headers=kept)
        case _:
            return None


_HINTS = {
    404: "no such resource; /api/openapi.json lists all there are",
    405: "the resource does not take this method; Allow lists those it takes",
    413: "the body is larger than 64 KiB",
}


@web.middleware
async def answer_problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn whatever is raised below into a problem document; what nobody expected is logged, and shown by number."""
    try:
        return await handler(request)
    except Exception as error:
        problem = problem_of(error)
        if problem is None:
            incident = f"urn:uuid:{uuid4()}"
            log.exception("http.failed", method=request.method, path=request.path, incident=incident)
            problem = Problem(
                status=500, detail="our fault; the log has the cause under `instance`", members={"instance": incident}
            )
        elif problem.status >= 500:
            log.warning("http.unavailable", path=request.path, problem=problem.kind, error=str(error))
        return problem.response()
