"""Who may ask, and from where (DESIGN 1.9): host, origin, token, headers."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from daemon.settings import Settings
from daemon.web.problem import Problem

BODY_LIMIT = 64 * 1024
"""Largest request body, bytes."""

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_WILDCARDS = frozenset({"", "0.0.0.0", "::"})
_FORM = "application/x-www-form-urlencoded"

SESSION_COOKIE = "gonggo_session"
"""Proves the token where a browser can't send `Authorization`: see `session_of`."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def is_own_host(header: str | None, configured: str) -> bool:
    """Whether a `Host` header names this server: a loopback name, or the host that it was told to listen on.

    A page elsewhere that points its own name at 127.0.0.1 (DNS rebinding) sends that name. A server that listens on
    every address can't know its names; it needs a token, which such a page doesn't have.
    """
    name = _name_in(header)
    if name is None:
        return False
    if name == "localhost" or configured in _WILDCARDS or name == configured.lower():
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def is_own_origin(origin: str | None, host: str | None) -> bool:
    """Whether a write comes from a page of this server (or from no page at all: no `Origin`)."""
    if origin is None:
        return True
    scheme, _, authority = origin.partition("://")
    return scheme in {"http", "https"} and host is not None and authority.lower() == host.lower()


def _name_in(header: str | None) -> str | None:
    if not header or "@" in header or "/" in header:
        return None
    try:
        name = urlsplit(f"//{header}").hostname
    except ValueError:
        return None
    return name.rstrip(".") if name else None


def session_of(token: str) -> str:
    """The session cookie of whoever has shown the token: worthless once the token is another one."""
    return hmac.new(token.encode(), b"gonggo page session", hashlib.sha256).hexdigest()


def guard(settings: Settings, open_paths: Collection[str], form_paths: Collection[str] = ()) -> Middleware:
    """The middleware that refuses what must not come in; `open_paths` are answered without a token.

    `form_paths` (as the router spells them, `/postings/{id}/apply`) take forms of the page, and of no page else;
    everything else takes JSON alone.
    """
    token = None if settings.api_token is None else settings.api_token.get_secret_value()

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_own_host(request.headers.get("Host"), settings.http_host):
            raise Problem(status=421, kind="foreign-host", detail="the Host header does not name this server")
        if token is not None and request.path not in open_paths:
            _check_token(request, token)
        if request.method not in _READING:
            resource = request.match_info.route.resource
            _check_write(request, takes_form=resource is not None and resource.canonical in form_paths)
        return await handler(request)

    return check


def _check_token(request: web.Request, token: str) -> None:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and _is_same(given.strip(), token):
        return
    if not _is_same(request.cookies.get(SESSION_COOKIE, ""), session_of(token)):
        raise Problem(
            status=401,
            kind="token-required",
            detail="send GONGGO_API_TOKEN as Authorization: Bearer",
            headers={"WWW-Authenticate": 'Bearer realm="gonggo"'},
        )


def _is_same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), wanted.encode())


def _check_write(request: web.Request, *, takes_form: bool) -> None:
    """A page of another site can send forms and plain text here, but neither JSON nor a forged origin.

    A form is what any page can send, so it has to say that it comes from a page of ours: browsers always do.
    """
    origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
    elsewhere = site in {"cross-site", "same-site"} or not is_own_origin(origin, request.headers.get("Host"))
    if elsewhere or (takes_form and origin is None and site != "same-origin"):
        raise Problem(status=403, kind="foreign-origin", detail="writes from pages of other origins are refused")
    wanted = _FORM if takes_form else "application/json"
    if request.body_exists and request.content_type != wanted:
        raise Problem(status=415, detail=f"a body must be sent as {wanted}")
    if request.content_length is not None and request.content_length > BODY_LIMIT:
        raise Problem(status=413, detail="the body is larger than 64 KiB")


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Security headers that an answer doesn't set itself, and no word on what software answers."""
    response.headers.pop("Server", None)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
