"""The only outgoing site HTTP: one permit, one connection, one request, one outcome (seed 001 FR-69, DESIGN 1.9).

Whatever a site answers becomes a value. How failures below HTTP are named:

| what happened | outcome |
| --- | --- |
| no connection, or no whole answer, in time | TIMEOUT |
| host name unknown, connection refused, reset or closed without an answer | SERVER_ERROR |
| TLS fails, not HTTP, headers too large, body cut short or not what its encoding says | PROTOCOL_ERROR |
| body over the cap, on the wire or decoded | TOO_LARGE |
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import aiohttp
import structlog
from aiohttp import hdrs
from aiohttp.abc import AbstractResolver
from multidict import CIMultiDict
from yarl import URL

from daemon.db import in_transaction
from daemon.settings import Settings
from daemon.sources import rules
from daemon.sources.attempt import Attempt, confirming
from daemon.sources.compression import ACCEPTED, Undecodable, decoder_for
from daemon.sources.model import (
    Fetched,
    NotFetched,
    Outcome,
    Page,
    Permit,
    Request,
    SourceAdapter,
    SourceCompliancePolicy,
)
from daemon.sources.rules import ComplianceViolation
from daemon.sources.text import clean_reason

__all__ = ["ComplianceViolation", "Executor", "NotPublic", "PermitInvalid", "SiteSession"]

log = structlog.get_logger(__name__)

_READ_BUFFER = 64 * 1024
PAGE_BYTES = 2 * 1024 * 1024
"""Largest body of a page that a person named: it is only looked through for links."""

_LONGEST_HEADER = 32 * 1024
_MOST_HEADERS = 200
_OURS = frozenset(
    {"user-agent", "accept-encoding", "host", "cookie", "connection", "content-length", "transfer-encoding"}
)
"""Headers that no adapter and no policy decides."""


class PermitInvalid(Exception):
    """A request without a permit of its own: the permit is for another host, or was spent before. Nothing was sent."""

    def __init__(self, host: str, permit: Permit) -> None:
        super().__init__(f"request to {host} with a permit for {permit.host}{' that is spent' if permit.spent else ''}")
        self.host = host
        self.permit = permit


class NotPublic(OSError):
    """A site that a person named has an address that is not of the public internet. Nothing was sent."""

    def __init__(self) -> None:
        super().__init__("not a public address: nothing was sent")


class _Dropped(aiohttp.ClientConnectionError):
    """The connection broke before an answer came."""


async def _sent_once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    # aiohttp sends a GET again on its own when the connection drops; that second request would have no permit.
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise _Dropped(str(error)) from error


def _words_of(error: OSError) -> str:
    return str(error) if error.errno is None else os.strerror(error.errno)


def policy_of_named(host: str) -> SourceCompliancePolicy:
    """How a site is asked that a person named: any page of it, and no other host."""
    return SourceCompliancePolicy(
        host=host,
        allowed_paths=("/",),
        page_size_cap=1,
        headers=(("Accept", "text/html"), ("Accept-Language", "ko,en;q=0.5")),
        known_terms="사용자가 알려 준 주소이며 한 번만 요청합니다.",
    )


class Executor:
    """Asks sites, on behalf of the whole process; made once, in `app.py`."""

    def __init__(
        self,
        settings: Settings,
        *,
        may_reach: Callable[[str], bool] = rules.is_public,
        resolver: AbstractResolver | None = None,
    ) -> None:
        """Of a site that a person named, `resolver` finds the IP addresses (None: the system), `may_reach` decides."""
        self._settings = settings
        self._connector: aiohttp.TCPConnector | None = None
        self._may_reach = may_reach
        self._resolver = resolver

    def _origin_of(self, adapter: SourceAdapter) -> str | None:
        return self._settings.platform_origins.get(adapter.capabilities.platform)

    def host_of(self, adapter: SourceAdapter) -> str:
        """The key under which permits for this adapter's site are kept: its host, or `host:port` of a replica."""
        return rules.host_key(adapter.capabilities.compliance, self._origin_of(adapter))

    def delay_of(self, adapter: SourceAdapter) -> timedelta:
        """The spacing of requests to this adapter's site; never under 1 s for a real one."""
        seconds = self._settings.request_delay_seconds
        return rules.request_delay(
            adapter.capabilities.compliance,
            None if seconds is None else timedelta(seconds=seconds),
            replaced=self._origin_of(adapter) is not None,
        )

    @asynccontextmanager
    async def session(self, adapter: SourceAdapter) -> AsyncIterator[SiteSession]:
        """A visit to one site, with cookies of its own that end with it."""
        origin = self._origin_of(adapter)
        async with self._client(self._shared_connector(), owned=False, origin=origin) as http:
            yield SiteSession(http, self._settings, adapter.capabilities.compliance, self.host_of(adapter), origin)

    @asynccontextmanager
    async def named_site(self, host: str) -> AsyncIterator[SiteSession]:
        """A visit to a site that a person named, at public addresses only; permits are kept under `host`.

        The address is looked at where the connection is made, so that no second answer of the name server can differ
        from the one that was looked at. `host` is what `rules.site_address` said.
        """
        connector = aiohttp.TCPConnector(
            force_close=True, limit=0, use_dns_cache=False, resolver=self._resolver, socket_factory=self._public_socket
        )
        settings = self._settings.model_copy(update={"body_cap_bytes": min(PAGE_BYTES, self._settings.body_cap_bytes)})
        async with self._client(connector, owned=True, origin=None) as http:
            yield SiteSession(http, settings, policy_of_named(host), host, None)

    def named_delay(self) -> timedelta:
        """The spacing of requests to a site that a person named."""
        return max(rules.LEAST_DELAY, timedelta(seconds=self._settings.request_delay_seconds or 0))

    def _public_socket(self, address: tuple[object, ...]) -> socket.socket:
        family, kind, protocol, _, place = address
        assert isinstance(place, tuple)
        if not self._may_reach(str(place[0])):
            raise NotPublic
        return socket.socket(family, kind, protocol)  # type: ignore[arg-type]  # as aiohttp gives them

    def _client(self, connector: aiohttp.TCPConnector, *, owned: bool, origin: str | None) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=connector,
            connector_owner=owned,
            cookie_jar=aiohttp.CookieJar(unsafe=True, treat_as_secure_origin=origin),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, connect=self._settings.connect_timeout_seconds),
            middlewares=(_sent_once,),
            read_bufsize=_READ_BUFFER,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
            max_headers=_MOST_HEADERS,
            trace_configs=[confirming()],
        )

    def _shared_connector(self) -> aiohttp.TCPConnector:
        if self._connector is None:
            # No pool and no queue. A kept connection may be closed by the site at the very moment it is used again,
            # which would cost a source its day; a request that waits for a free one would leave its permit's place.
            # What bounds the connections of a host is its permits, and of the process its workers.
            self._connector = aiohttp.TCPConnector(force_close=True, limit=0)
        return self._connector

    async def close(self) -> None:
        """Close every connection; sessions must have ended."""
        if self._connector is not None:
            await self._connector.close()
            self._connector = None


class SiteSession:
    """One visit to one site; made by `Executor.session`."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        settings: Settings,
        policy: SourceCompliancePolicy,
        host: str,
        origin: str | None,
    ) -> None:
        self._http = http
        self._settings = settings
        self._policy = policy
        self._host = host
        self._origin = origin

    async def fetch(
        self, request: Request, permit: Permit, answered_at: Callable[[], datetime]
    ) -> Fetched | NotFetched:
        """Send one request and read its whole answer; `answered_at` is asked for the instant when the answer began.

        Spends `permit`, and connects before its place is due. Never follows a redirect: `rules.may_follow` tells
        whether its `location` may be asked, with another permit. Ends within the request timeout (real seconds, the
        wait for the place not counted) whatever the site does, and holds at most about twice the body cap in memory.

        Raises PermitInvalid or ComplianceViolation, both before anything is sent or spent; and what `permit.confirm`
        raises, before anything is sent.
        """
        assert not in_transaction(), "a request to a site inside a transaction"
        if permit.spent or permit.host != self._host:
            raise PermitInvalid(self._host, permit)
        target = rules.permitted_target(self._policy, request)
        permit.spent = True
        attempt = Attempt(permit, asyncio.timeout(self._settings.request_timeout_seconds))
        try:
            async with attempt.limit:
                result = await self._ask(request, self._address(request, target), attempt, answered_at)
        except Exception as error:  # the world is hostile here: whatever it breaks in the client has a name
            if attempt.unsent is not None:
                raise attempt.unsent from None
            result = self._failed(error)
        if isinstance(result, NotFetched):
            log.debug("request.failed", host=self._host, path=target.path, outcome=result.outcome, reason=result.reason)
        return result

    def _address(self, request: Request, target: rules.Target) -> URL:
        """The URL to connect to, with path and query byte for byte as they were checked."""
        base = URL(self._origin or f"{URL(request.url).scheme}://{self._host}")
        return URL.build(
            scheme=base.scheme,
            authority=base.raw_authority,
            path=target.path,
            query_string=target.query,
            encoded=True,
        )

    def _headers(self, request: Request) -> CIMultiDict[str]:
        headers: CIMultiDict[str] = CIMultiDict()
        if request.json_body is not None:
            headers[hdrs.CONTENT_TYPE] = "application/json"
        for name, value in (*self._policy.headers, *request.headers):
            if name.lower() not in _OURS:
                headers[name] = value
        headers[hdrs.USER_AGENT] = self._settings.effective_user_agent
        headers[hdrs.ACCEPT_ENCODING] = ACCEPTED
        headers[hdrs.CONNECTION] = "close"
        return headers

    async def _ask(
        self, request: Request, address: URL, attempt: Attempt, answered_at: Callable[[], datetime]
    ) -> Fetched | NotFetched:
        response = await self._http.request(
            request.method,
            address,
            data=request.json_body,
            headers=self._headers(request),
            allow_redirects=False,
            trace_request_ctx=attempt,
        )
        try:
            at = answered_at()
            refusal = self._refusal(request, response, at)
            if refusal is not None:
                return refusal
            body = await self._body(response)
        finally:
            response.close()
        if isinstance(body, NotFetched):
            return body
        if response.status == 400 and not rules.is_json(body):
            return NotFetched(outcome=Outcome.PROTOCOL_ERROR, reason="HTTP 400")
        page = Page(
            body=body,
            answered_at=at,
            status=response.status,
            url=request.url,
            content_type=response.headers.get(hdrs.CONTENT_TYPE, ""),
        )
        return Fetched(page=page)

    def _refusal(self, request: Request, response: aiohttp.ClientResponse, at: datetime) -> NotFetched | None:
        """Why the body isn't worth reading; None when it is."""
        wall = rules.challenge_header(response.headers)
        if wall is not None:
            return NotFetched(outcome=Outcome.BLOCKED, reason=f"HTTP {response.status}, {wall}")
        outcome = rules.outcome_of_status(response.status)
        if outcome is Outcome.FETCHED or response.status == 400:
            return None
        reason = f"HTTP {response.status}"
        if outcome is Outcome.REDIRECTED:
            header = response.headers.get(hdrs.LOCATION)
            location = rules.redirect_target(self._policy, request.url, header, self._origin)
            return NotFetched(
                outcome=outcome, reason=clean_reason(f"{reason} to {location or 'nowhere'}"), location=location
            )
        wait = None
        if outcome in {Outcome.RATE_LIMITED, Outcome.SERVER_ERROR}:
            wait = rules.retry_after(response.headers.get(hdrs.RETRY_AFTER), at)
        return NotFetched(outcome=outcome, reason=reason, retry_after=wait)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes | NotFetched:
        """The decoded body, or why there is none. Raises Undecodable."""
        cap = self._settings.body_cap_bytes
        transfer = ",".join(response.headers.getall(hdrs.TRANSFER_ENCODING, ()))
        if transfer and transfer.strip().lower() != "chunked":
            raise Undecodable(f"transfer-encoding {transfer!r}")
        decoder = decoder_for(",".join(response.headers.getall(hdrs.CONTENT_ENCODING, ())))
        declared = response.content_length
        if declared is not None and declared > cap:
            return NotFetched(outcome=Outcome.TOO_LARGE, reason=f"body of {declared} bytes, over {cap}")
        received = 0
        body = bytearray()
        async for chunk in response.content.iter_any():
            received += len(chunk)
            if received > cap:
                return NotFetched(outcome=Outcome.TOO_LARGE, reason=f"body over {cap} bytes")
            for piece in decoder.feed(chunk):
                body += piece
                if len(body) > cap:
                    return NotFetched(outcome=Outcome.TOO_LARGE, reason=f"body over {cap} bytes once decompressed")
        decoder.finish()
        return bytes(body)

    def _failed(self, error: Exception) -> NotFetched:
        outcome, reason = self._named(error)
        return NotFetched(outcome=outcome, reason=clean_reason(reason))

    def _named(self, error: Exception) -> tuple[Outcome, str]:
        match error:
            case aiohttp.ConnectionTimeoutError():
                return Outcome.TIMEOUT, f"no connection within {self._settings.connect_timeout_seconds:g} s"
            case TimeoutError():
                return Outcome.TIMEOUT, f"no whole answer within {self._settings.request_timeout_seconds:g} s"
            case Undecodable():
                return Outcome.PROTOCOL_ERROR, str(error)
            case aiohttp.ClientSSLError() | aiohttp.ClientConnectorCertificateError():
                return Outcome.PROTOCOL_ERROR, f"TLS: {error}"
            case aiohttp.ClientConnectorDNSError():
                return Outcome.SERVER_ERROR, f"host name not found: {self._host}"
            case aiohttp.ClientConnectorError(os_error=NotPublic()):
                return Outcome.BLOCKED, str(error.os_error)
            case aiohttp.ClientConnectorError(os_error=TimeoutError()):
                return Outcome.TIMEOUT, "no connection: timed out"
            case aiohttp.ClientConnectorError():
                return Outcome.SERVER_ERROR, f"no connection: {_words_of(error.os_error)}"
            case aiohttp.ClientConnectionError() | OSError():
                return Outcome.SERVER_ERROR, "connection closed before the end of an answer"
            case aiohttp.ClientPayloadError():
                return Outcome.PROTOCOL_ERROR, "body cut short or malformed"
            case aiohttp.ClientResponseError():
                return Outcome.PROTOCOL_ERROR, f"not HTTP: {error.message}"
        log.warning("request.client_failed", host=self._host, error=type(error).__name__, exc_info=error)
        return Outcome.PROTOCOL_ERROR, f"client failed: {type(error).__name__}"
