"""One request of a person: their language, what they entered, what is shown to them and what follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import aiohttp_jinja2
from aiohttp.web import HTTPNotFound, Request, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from daemon.clock import KST
from daemon.messages import Language, has_text, text
from daemon.notification.wording.upkeep import told_reason
from daemon.sources.model import Platform
from daemon.web.page import wording
from daemon.web.page.assets import ASSETS
from daemon.web.route import Web

F = TypeVar("F", bound="Form")

DONE_COOKIE = "gonggo_done"
LANGUAGE_COOKIE = "gonggo_language"
THEME_COOKIE = "gonggo_theme"
VISIT_COOKIE = "gonggo_visit"

KEPT_SECONDS = 400 * 24 * 3600
"""How long a browser keeps what the person chose; none keeps it longer."""

_AT_ONCE = 2**20
"""Bytes of a page that are compressed at once: it takes less than to wait for a thread, which may be reading sites."""

_PLATFORMS = re.compile(rf"\b({'|'.join(Platform)})\b")

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # Without it a browser hides where a form comes from, even from ourselves.
    "Referrer-Policy": "same-origin",
}


@dataclass(kw_only=True)
class Refusal(Exception):
    """What a person asked for and can't have: a text of the catalogue with its values."""

    status: int
    key: str
    values: Mapping[str, object] = field(default_factory=dict)
    where: str | None = None
    """Path of what stands in the way, for a link."""


def _korean_moment(value: object) -> object:
    """What `<input type="datetime-local">` sends, taken as Korean time."""
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?", value):
        raise PydanticCustomError("moment", "a date and a time")
    try:
        return datetime.fromisoformat(value).replace(tzinfo=KST).astimezone(UTC)
    except (ValueError, OverflowError):
        raise PydanticCustomError("moment", "a date and a time") from None


KoreanMoment = Annotated[datetime, BeforeValidator(_korean_moment)]


class Form(BaseModel):
    """The fields of a form, or of an address's query, by name; what is left empty is not given."""

    model_config = ConfigDict(extra="ignore", frozen=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """What a handler of the page works with."""

    request: Request
    web: Web
    language: Language
    entered: Mapping[str, str] = field(default_factory=dict)
    """What stood in the form that was refused."""
    refusal: Refusal | None = None

    @classmethod
    def of(cls, request: Request, shared: Web) -> Visit:
        """The visit that a request is."""
        return cls(request=request, web=shared, language=_language(request, shared.settings.language))

    def t(self, key: str, /, **values: object) -> str:
        """A text of the page in the person's language; of another part of the catalogue with a dot before its key."""
        return text(self.language, key[1:] if key.startswith(".") else f"page.{key}", **values)

    def has(self, key: str) -> bool:
        """Whether the catalogue has this text."""
        return has_text(key[1:] if key.startswith(".") else f"page.{key}")

    def named(self, label: str) -> str:
        """The label of a source with its platform's name as people know it."""
        return _PLATFORMS.sub(lambda found: self.t(f".notify.platform.{found[0]}"), label)

    def told(self, reason: str | None) -> str:
        """Why Discord took a message or not."""
        return told_reason(self.language, reason)

    def row_id(self, name: str = "id") -> int:
        """A number in the path. Raises HTTPNotFound for what can't be one."""
        given = self.request.match_info[name]
        if not re.fullmatch(r"[1-9][0-9]{0,18}", given) or int(given) >= 2**63:
            raise HTTPNotFound
        return int(given)

    def asked(self, model: type[F]) -> F:
        """What the query asks for; a value that can't be is as good as none."""
        given = _given(self.request.query)
        try:
            return model.model_validate_strings(given)
        except ValidationError as error:
            for fault in error.errors():
                given.pop(str(fault["loc"][0]), None)
            return model.model_validate_strings(given)

    async def form(self, model: type[F]) -> F:
        """What was entered. Raises Refusal that names the first field at fault."""
        given = _given(await self.request.post())
        try:
            return model.model_validate_strings(given)
        except ValidationError as error:
            fault = error.errors()[0]
            kind = {"missing": "empty", "string_too_long": "long", "too_long": "long", "moment": "moment"}
            raise self.unfit(str(fault["loc"][0]), kind.get(fault["type"], "wrong")) from error

    def unfit(self, name: str, why: str = "wrong") -> Refusal:
        """That a field can't have this value; `why` is empty, long, moment or wrong."""
        label = self.t(f"field.{name}") if self.has(f"field.{name}") else name
        return Refusal(status=422, key=f"page.refused.{why}", values={"field": label})

    async def refused(self, refusal: Refusal) -> Visit:
        """The visit that shows the page again, with what was refused and what had been entered."""
        entered = {name: value for name, value in (await self.request.post()).items() if isinstance(value, str)}
        return replace(self, refusal=refusal, entered=entered)

    def value(self, action: str, name: str, default: object = "") -> object:
        """What a field of the form that is sent to `action` begins with."""
        return self.entered.get(name, "") if self.refusal and self.request.path == action else default

    def show(self, template: str, now: datetime, /, status: int = 200, **values: Any) -> Response:
        """A page; `now` is what its times are told relative to."""
        context = {
            "v": self,
            "t": self.t,
            "now": now,
            "assets": ASSETS,
            "wording": wording,
            "theme": _theme(self.request),
            **values,
        }
        context["done"] = self._done()
        response = Response(
            text=aiohttp_jinja2.render_string(template, self.request, context),
            content_type="text/html",
            status=self.refusal.status if self.refusal else status,
            headers=_HEADERS,
            zlib_executor_size=_AT_ONCE,
        )
        response.enable_compression()
        if DONE_COOKIE in self.request.cookies:
            response.del_cookie(DONE_COOKIE)
        return response

    def _done(self) -> str | None:
        """What the form sent just before has done; told once."""
        key = f"page.done.{self.request.cookies.get(DONE_COOKIE, '')}"
        return None if self.refusal or not has_text(key) else text(self.language, key)

    def leave(self, path: str, done: str | None = None) -> Response:
        """On to another page of ours, which says that this is `done`."""
        response = Response(status=303, headers={"Location": path})
        if done is not None:
            keep(response, DONE_COOKIE, done, 60, self.request)
        return response


def keep(response: Response, name: str, value: str, seconds: int, request: Request) -> None:
    """Have the browser keep a value, for itself and us alone."""
    response.set_cookie(
        name, value, max_age=seconds, path="/", httponly=True, samesite="Strict", secure=request.scheme == "https"
    )


def _given(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Fields by name, lines broken as we do, those left empty left out; one that is there several times is a list."""
    found: MutableMapping[str, list[str]] = {}
    for name, value in sent.items():
        if isinstance(value, str) and value.strip():
            found.setdefault(name, []).append(value.replace("\r\n", "\n").replace("\x00", ""))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _language(request: Request, default: Language) -> Language:
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in ("ko", "en"):
        return "ko" if chosen == "ko" else "en"
    for tag in _accepted(request.headers.get("Accept-Language", "")):
        primary = tag.partition("-")[0].lower()
        if primary in ("ko", "en"):
            return "ko" if primary == "ko" else "en"
    return default


def _accepted(header: str) -> Iterator[str]:
    """The languages of an `Accept-Language`, the most wanted first (RFC 9110, 12.5.4)."""
    weighted = []
    for part in header.split(","):
        tag, _, parameter = part.strip().partition(";")
        match = re.fullmatch(r"\s*q=([01](?:\.[0-9]{0,3})?)\s*", parameter)
        weight = float(match[1]) if match else 1.0
        if tag and weight > 0:
            weighted.append((weight, tag.strip()))
    return (tag for _, tag in sorted(weighted, key=lambda each: -each[0]))


def _theme(request: Request) -> str | None:
    chosen = request.cookies.get(THEME_COOKIE)
    return chosen if chosen in ("light", "dark") else None
