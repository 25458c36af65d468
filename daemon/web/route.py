"""Routes declared once: a handler's signature says what it takes and what it answers.

`async def handler(web, path: P, query: Q, header: H, body: B) -> A`, each of the four optional, each a pydantic model;
`A` is a frozen dataclass, `Tagged` around one, `Raw` or `Stream`. From that come validation, serialisation and the
OpenAPI description.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import structlog
from aiohttp import web
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    RootModel,
    ValidationError,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from daemon.clock import SystemClock
from daemon.collection.engine import Progress
from daemon.company.actions import Visits
from daemon.db import Database
from daemon.matching.actions.preview import KnownTitles
from daemon.settings import Settings
from daemon.web.problem import Fault, Place, invalid, refused

log = structlog.get_logger(__name__)

PLACES = get_args(Place)

Links = Mapping[str, Mapping[str, str]]
"""Where an answer leads: a handler's name, and for each of its path parameters the member of this answer that fills it.

A member of this request's own path is `path.id`.
"""

A = TypeVar("A")


def _day(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        raise ValueError("write YYYY-MM-DD")
    return date.fromisoformat(value)


Day = Annotated[date, BeforeValidator(_day)]
"""A KST day as `YYYY-MM-DD`, and in no other of the spellings that pydantic reads."""

_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_YEARS = range(1970, 9999)
"""Instants outside can't be meant, and some can't be stored or told in every zone."""


def _instant(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not _INSTANT.fullmatch(value):
        raise ValueError("write an instant with its offset, such as 2026-12-01T09:00:00+09:00")
    written = datetime.fromisoformat(value)
    if written.year not in _YEARS:
        raise ValueError(f"the year must be from {_YEARS[0]} to {_YEARS[-1]}")
    return written.astimezone(UTC)


Instant = Annotated[datetime, BeforeValidator(_instant)]
"""An instant as RFC 3339 writes it, offset included, and in no other of the spellings that pydantic reads; in UTC."""


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = BeforeValidator(_whole)
"""Beside a number of a body: whole ones are taken as JSON may spell them (`3.0`), as JSON Schema's `integer` is."""


@dataclass(frozen=True, slots=True)
class Format:
    """Names the format of a text in its schema; `daemon.web.openapi` tells what those of our own mean."""

    name: str

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(core) | {"format": self.name}


RowId = Annotated[int, Field(ge=1, le=2**63 - 1)]
"""An id: as large as the database can hold."""


class Input(BaseModel):
    """A path, query or body: snake case inside, camel case outside, nothing unknown accepted."""

    # Built when it is first used: all of them at once would take half a second of each start, and ten megabytes.
    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Web:
    """What a handler works with."""

    db: Database
    settings: Settings
    progress: Progress
    recorded: asyncio.Event
    """Set when stored postings are to be judged; saves who waits for it, and nothing depends on it."""
    titles: KnownTitles
    """What previews of criteria look through."""
    visits: Visits
    """How a site is asked for a person who looks for a board."""
    description: Callable[[], bytes]
    """The OpenAPI document; made when it is asked for."""
    needed_revision: str
    """The schema's head revision: reading it from the revision files takes too long for a request."""

    def progress_age(self) -> timedelta | None:
        """How long ago, in real time, the engine of this process last took a step; None when it has not begun."""
        if not self.progress.advanced_at:
            return None
        return timedelta(seconds=max(0.0, SystemClock().ticks() - self.progress.advanced_at))


@dataclass(frozen=True, kw_only=True, slots=True)
class Raw:
    """An answer that is no dataclass: bytes, sent with the route's content type."""

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stream:
    """An answer too long to be held in memory, sent piece by piece with the route's content type.

    The first piece is made before anything is sent: a failure until then is an ordinary problem. A later one breaks
    the connection off, so that nobody takes the part for the whole.
    """

    pieces: AsyncGenerator[bytes, None]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tagged(Generic[A]):
    """An answer about something that two people could change at once: its version is told as `ETag`."""

    answer: A
    version: int
    location: str | None = None
    """Path of what was made, told as `Location`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One method of one path."""

    method: str
    path: str
    """As in aiohttp and OpenAPI: `/api/flags/{flagKey}`."""
    handler: Callable[..., Awaitable[object]]
    summary: str
    """What the route is for: the first line of the handler's docstring."""
    inputs: Mapping[Place, type[BaseModel]]
    answer: type | None
    """The dataclass that it answers; None for a handler that answers `Raw` or `Stream`."""
    shape: type | None
    """What such an answer holds; None when it is no JSON."""
    tagged: bool
    """Whether the answer has an `ETag`."""
    content_type: str
    status: int
    refusals: Mapping[int, str]
    """Problems beyond those that follow from the inputs: status and when."""
    open: bool
    """Answered without a token, also where one is required."""
    links: Links
    """Where the answer leads."""

    @property
    def pattern(self) -> str:
        """The path for the router: where an id is due nothing but digits is looked at, so that `/x/new` is no id."""
        path = self.path
        for name, about in self.inputs["path"].model_fields.items() if "path" in self.inputs else ():
            if about.annotation is int:
                path = path.replace(f"{{{to_camel(name)}}}", f"{{{to_camel(name)}:[0-9]+}}")
        return path

    def entry(self, shared: Web) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """The aiohttp handler."""

        async def handle(request: web.Request) -> web.StreamResponse:
            inputs = {place: await _read(request, place, model) for place, model in self.inputs.items()}
            found = await self.handler(shared, **inputs)
            headers = {"Content-Type": self.content_type}
            if isinstance(found, Tagged):
                headers |= _told_by(found)
                found = found.answer
            if isinstance(found, Stream):
                return await _send(request, found, web.StreamResponse(status=self.status, headers=headers))
            if self.answer is None:
                assert isinstance(found, Raw), f"{self.path} answered {type(found)}"
                body = found.body
                headers |= found.headers
            else:
                body = in_json(self.answer, found).encode()
            return web.Response(status=self.status, body=body, headers=headers)

        return handle


def route(
    method: str,
    path: str,
    handler: Callable[..., Awaitable[object]],
    *,
    status: int = 200,
    content_type: str = "application/json",
    refusals: Mapping[int, str] | None = None,
    open: bool = False,
    shape: type | None = None,
    links: Links | None = None,
) -> Route:
    """Declare a route; the rest is in the handler's signature and docstring.

    `shape` is the dataclass that a handler's `Raw` or `Stream` spells in JSON.
    """
    about = inspect.getdoc(handler)
    assert about, f"{path}: the handler's docstring is the route's description"
    hints = get_type_hints(handler)
    answer = hints.pop("return")
    tagged = get_origin(answer) is Tagged
    if tagged:
        (answer,) = get_args(answer)
    inputs: dict[Place, type[BaseModel]] = {place: hints[place] for place in PLACES if place in hints}
    assert set(hints) <= {"web", *PLACES}, f"{path}: parameters are web, path, query, header and body"
    return Route(
        method=method,
        path=path,
        handler=handler,
        summary=about.splitlines()[0].rstrip("."),
        inputs=inputs,
        answer=None if answer in (Raw, Stream) else answer,
        shape=shape,
        tagged=tagged,
        content_type=content_type,
        status=status,
        refusals=refusals or {},
        open=open,
        links=links or {},
    )


async def _send(request: web.Request, stream: Stream, response: web.StreamResponse) -> web.StreamResponse:
    async with aclosing(stream.pieces) as pieces:
        first = await anext(pieces, b"")
        response.headers.update(stream.headers)
        await response.prepare(request)
        try:
            if request.method != "HEAD":
                await response.write(first)
                async for piece in pieces:
                    await response.write(piece)
            await response.write_eof()
        except ConnectionError:
            log.info("http.client_left", path=request.path)
        except Exception:  # the status is sent: all that can still be told is that this was not the end
            log.exception("http.broken_off", path=request.path)
            if request.transport is not None:
                request.transport.abort()
    return response


def entity_tag(version: int) -> str:
    """The `ETag` of a version."""
    return f'"{version}"'


def _told_by(found: Tagged[object]) -> dict[str, str]:
    told = {"ETag": entity_tag(found.version)}
    return told if found.location is None else told | {"Location": found.location}


@functools.cache
def answer_model(answer: type) -> type[RootModel[Any]]:
    """`answer`, a plain dataclass, as a model whose names are camel case all the way down; made when first used."""

    class Answer(RootModel[answer]):  # type: ignore[valid-type]  # the type is only known at run time
        model_config = ConfigDict(alias_generator=to_camel, use_attribute_docstrings=True)

    Answer.__name__ = Answer.__qualname__ = f"{answer.__name__}Answer"
    return Answer


def in_json(answer: type, found: object) -> str:
    """What was `found`, an `answer`, as JSON."""
    return answer_model(answer).model_construct(found).model_dump_json(by_alias=True)


async def _read(request: web.Request, place: Place, model: type[BaseModel]) -> BaseModel:
    """One part of the request, validated. Raises Problem."""
    try:
        match place:
            case "path":
                return model.model_validate_strings(dict(request.match_info), by_alias=True)
            case "query":
                return model.model_validate_strings(_query(request), by_alias=True)
            case "header":
                return model.model_validate_strings(_headers(request, model), by_alias=True)
            case "body":
                sent = await request.read()
                return model.model_validate_json(sent if sent or needs_body(model) else b"{}")
    except ValidationError as error:
        raise invalid(place, error) from error


def needs_body(model: type[BaseModel]) -> bool:
    """Whether a body has to be sent; where every value has a default, none is as good as an empty object."""
    return any(about.is_required() for about in model.model_fields.values())


def _query(request: web.Request) -> dict[str, str]:
    """Parameters by name; one given empty (`?jobSourceId=`) is not given. Raises Problem for one given twice."""
    found: dict[str, str] = {}
    for name, value in request.query.items():
        if value and name in found:
            raise refused("query", [Fault(field=name, code="given_twice", message="Give it once")])
        if value:
            found[name] = value
    return found


def _headers(request: web.Request, model: type[BaseModel]) -> dict[str, str]:
    """The headers that the model reads; the lines of one that was sent in several are joined (RFC 9110, 5.3)."""
    names = [about.alias or name for name, about in model.model_fields.items()]
    return {name: ", ".join(request.headers.getall(name)) for name in names if name in request.headers}
