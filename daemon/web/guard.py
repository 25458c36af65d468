"""Who may ask, and from where (DESIGN 1.9): host, origin, token, headers."""

from __future__ import annotations

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


def guard(settings: Settings, open_paths: Collection[str]) -> Middleware:
    """The middleware that refuses what must not come in; `open_paths` are answered without a token."""
    token = None if settings.api_token is None else settings.api_token.get_secret_value().encode()

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_own_host(request.headers.get("Host"), settings.http_host):
            raise Problem(status=421, kind="foreign-host", detail="the Host header does not name this server")
        if token is not None and request.path not in open_paths:
            _check_token(request, token)
        if request.method not in _READING:
            _check_write(request)
        return await handler(request)

    return check


def _check_token(request: web.Request, token: bytes) -> None:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), token):
        raise Problem(
            status=401,
            kind="token-required",
            detail="send GONGGO_API_TOKEN as Authorization: Bearer",
            headers={"WWW-Authenticate": 'Bearer realm="gonggo"'},
        )


def _check_write(request: web.Request) -> None:
    """A page of another site can send forms and plain text here, but neither JSON nor a forged origin."""
    elsewhere = request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}
    if elsewhere or not is_own_origin(request.headers.get("Origin"), request.headers.get("Host")):
        raise Problem(status=403, kind="foreign-origin", detail="writes from pages of other origins are refused")
    if request.body_exists and request.content_type != "application/json":
        raise Problem(status=415, detail="a body must be sent as application/json")
    if request.content_length is not None and request.content_length > BODY_LIMIT:
        raise Problem(status=413, detail="the body is larger than 64 KiB")


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Security headers that an answer doesn't set itself, and no word on what software answers."""
    response.headers.pop("Server", None)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
