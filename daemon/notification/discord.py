"""The only talk with Discord: one webhook, one request at a time, one answer (DESIGN 1.7).

Facts: Discord documentation, Rate Limits and Execute Webhook. `retry_after` is float seconds in the body, the header
`Retry-After` is rounded up; a bucket tells in every answer how many requests are left and when it is full again; a
hidden limit per channel answers 429 although some are left.
"""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any

import aiohttp
from aiohttp import hdrs
from yarl import URL

from daemon.clock import Clock
from daemon.db import in_transaction
from daemon.notification.model import (
    Accepted,
    Answer,
    RateLimited,
    Refused,
    Unavailable,
    Unconfirmed,
    WebhookGone,
)

_BODY_CAP = 64 * 1024
_REASON_CHARACTERS = 200
_WAIT_WITHOUT_WORD = timedelta(seconds=5)
"""After a 429 that does not say how long."""

_SPARE = timedelta(milliseconds=50)
"""On top of every wait that Discord asks for: its clock and ours don't tick together."""

_NEVER_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientProxyConnectionError,
    aiohttp.InvalidURL,
)
"""What a request fails with before a byte of it left."""


def webhook_address(given: str) -> URL | None:
    """The address in the settings; None when it is none of the web. (An error would have it in its text.)"""
    try:
        address = URL(given.strip())
    except ValueError:
        return None
    return address if address.scheme in ("http", "https") and address.host else None


class DiscordWebhook:
    """One webhook, for one sender; use as an async context manager.

    Its address is a secret: it is in no log line, no reason and no representation.
    """

    def __init__(self, address: URL, clock: Clock, user_agent: str, timeout: timedelta) -> None:
        self._url = address
        self._clock = clock
        self._user_agent = user_agent
        self._seconds = timeout.total_seconds()
        self._free_at: datetime | None = None
        self._http: aiohttp.ClientSession | None = None
        self.answers = False
        """Whether its last request was answered, with whatever; False before the first."""

    async def __aenter__(self) -> DiscordWebhook:
        self._http = aiohttp.ClientSession(
            # A kept connection may be closed at the very moment it is used again, and then nobody knows what arrived.
            connector=aiohttp.TCPConnector(force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=self._seconds, connect=self._seconds / 2),
            headers={hdrs.USER_AGENT: self._user_agent},
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._http is not None
        await self._http.close()

    def wait(self) -> timedelta:
        """How long no request may be made, as Discord's last answer has it; zero or less when one may."""
        return timedelta(0) if self._free_at is None else self._free_at - self._clock.now()

    async def post(self, payload: str) -> Answer:
        """Send one message and wait for Discord's word on it. Never raises for what the network or Discord does.

        A redirect is not followed. Ends within the timeout (real seconds).
        """
        address = self._url.update_query(wait="true")
        return await self._ask(hdrs.METH_POST, address, payload.encode())

    async def probe(self) -> bool:
        """Whether the webhook answers at all, by a request that changes nothing."""
        await self._ask(hdrs.METH_GET, self._url, None)
        return self.answers

    async def _ask(self, method: str, address: URL, body: bytes | None) -> Answer:
        assert not in_transaction(), "a request to Discord inside a transaction"
        assert self._http is not None, "used outside its context"
        headers = {hdrs.CONTENT_TYPE: "application/json"} if body is not None else {}
        self.answers = False
        try:
            async with self._http.request(
                method, address, data=body, headers=headers, allow_redirects=False
            ) as response:
                self.answers = True
                return await self._read(response)
        except _NEVER_SENT as error:
            return Unavailable(reason=self._told(f"no connection: {_words(error)}"))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return Unconfirmed(reason=self._told(f"no answer: {_words(error)}"))

    async def _read(self, response: aiohttp.ClientResponse) -> Answer:
        status = response.status
        if response.method == hdrs.METH_POST:
            self._note_bucket(response)
        if 200 <= status < 300:
            return Accepted(message_id=_message_id(await _json(response)))
        found = await _json(response)
        reason = self._told(f"HTTP {status}{_explanation(found)}")
        if status == 429:
            wait = (_seconds(found.get("retry_after")) or _header_wait(response) or _WAIT_WITHOUT_WORD) + _SPARE
            self._free_at = self._clock.now() + wait
            return RateLimited(retry_after=wait)
        if status in (401, 404):
            return WebhookGone(reason=reason)
        if status >= 500:
            return Unavailable(reason=reason, retry_after=_header_wait(response))
        return Refused(reason=reason)

    def _note_bucket(self, response: aiohttp.ClientResponse) -> None:
        """Remember when the bucket lets the next request in."""
        self._free_at = None
        after = _seconds(response.headers.get("X-RateLimit-Reset-After"))
        if response.headers.get("X-RateLimit-Remaining") == "0" and after is not None:
            self._free_at = self._clock.now() + after + _SPARE

    def _told(self, reason: str) -> str:
        """A reason for the history, without what of the address is a secret."""
        for secret in (str(self._url), self._url.raw_path, *self._url.parts[-1:]):
            if len(secret) > 3:
                reason = reason.replace(secret, "***")
        return reason[:_REASON_CHARACTERS]


async def _json(response: aiohttp.ClientResponse) -> dict[str, Any]:
    """The object in the body, empty when there is none. What can't be read changes nothing about the status."""
    try:
        found = json.loads(await _body(response))
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


async def _body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > _BODY_CAP:
            raise ValueError("body over the cap")
    return bytes(body)


def _message_id(found: dict[str, Any]) -> str | None:
    identifier = found.get("id")
    return identifier if isinstance(identifier, str) and identifier.isdecimal() and len(identifier) <= 50 else None


def _explanation(found: dict[str, Any]) -> str:
    """Discord's own words: `{"message": "Unknown Webhook", "code": 10015}`."""
    words = [found.get("message"), found.get("code"), found.get("errors")]
    told = "".join(f", {word}" for word in words if word not in (None, "", 0))
    return " ".join(told.split())


def _header_wait(response: aiohttp.ClientResponse) -> timedelta | None:
    return _seconds(response.headers.get(hdrs.RETRY_AFTER))


def _seconds(value: object) -> timedelta | None:
    """A wait given as a number or its text; None when it is no sensible one (the header may also hold a date)."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        seconds = float(value)
    except ValueError:
        return None
    return timedelta(seconds=min(seconds, 86_400.0 * 7)) if math.isfinite(seconds) and seconds >= 0 else None


def _words(error: Exception) -> str:
    """What went wrong, in words that hold no address."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "host name not found"
        case aiohttp.ClientConnectorError(os_error=OSError(strerror=str(words))):
            return words
        case TimeoutError():
            return "timed out"
        case aiohttp.ClientResponseError():
            return "not HTTP"
        case _:
            return type(error).__name__
