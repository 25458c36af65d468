"""A Discord double: one webhook in one channel, with the limits that the real one enforces.

Facts from Discord's documentation (Execute Webhook, Embed Limits, Rate Limits, Allowed Mentions): every answer tells
the bucket's state; `retry_after` is float seconds in the body and rounded up in the header; lengths are counted in
UTF-16 units here, the strictest reading. As with the replica, nothing here is shared with the client that it judges.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from aiohttp import web

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Posted:
    """A message that stands in the channel."""

    id: str
    body: Json
    at: float

    @property
    def content(self) -> str:
        return str(self.body.get("content", ""))

    @property
    def embeds(self) -> list[Json]:
        found: list[Json] = self.body.get("embeds", [])
        return found

    @property
    def text(self) -> str:
        """Everything in it that a person reads."""
        parts = [self.content]
        for embed in self.embeds:
            parts += [embed.get("author", {}).get("name", ""), embed.get("title", ""), embed.get("description", "")]
            parts += [f"{each['name']}: {each['value']}" for each in embed.get("fields", ())]
            parts.append(embed.get("footer", {}).get("text", ""))
        return "\n".join(part for part in parts if part)

    @property
    def pings(self) -> bool:
        """Whether it rings at someone: it names them, and nothing forbids it."""
        allowed = self.body.get("allowed_mentions", {"parse": ["everyone", "users", "roles"]})
        names = re.search(r"@(everyone|here)|<@[!&]?\d+>", self.content) is not None
        return names and bool(allowed.get("parse") or allowed.get("users") or allowed.get("roles"))


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to post, and what it was answered; 0 when it was not."""

    at: float
    status: int
    body: Json


@dataclass
class Window:
    """A limit of so many requests in so many seconds."""

    limit: int
    seconds: float
    ends: float = -math.inf
    used: int = 0

    def take(self, now: float) -> bool:
        """Count a request; tells whether it is within the limit."""
        if now >= self.ends:
            self.ends, self.used = now + self.seconds, 0
        self.used += 1
        return self.used <= self.limit

    def left(self) -> int:
        """How many more requests this window lets in."""
        return max(0, self.limit - self.used)


@dataclass
class Discord:
    """One webhook in one channel. Whoever wants faults overrides `arrived`, `throttle` or `placed`."""

    ticks: Callable[[], float] = time.monotonic
    """The clock of its limits, seconds."""
    origin: str = ""
    messages: list[Posted] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    deleted: bool = False
    token: str = "s3cret-Token_of-the-webhook-0123456789"
    bucket: Window = field(default_factory=lambda: Window(limit=5, seconds=2.0))
    everywhere: Window = field(default_factory=lambda: Window(limit=50, seconds=1.0))
    impatient: int = 0
    """Requests made before the wait of a 429 was over."""
    most_at_once: int = 0
    probes: int = 0
    _not_before: float = -math.inf
    _in_flight: int = 0
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1_300_000_000_000_000_000))

    @property
    def url(self) -> str:
        """What a person would set as GONGGO_DISCORD_WEBHOOK_URL."""
        return f"{self.origin}/api/webhooks/1234567890/{self.token}"

    @property
    def throttled(self) -> int:
        """Requests answered with 429."""
        return sum(request.status == 429 for request in self.requests)

    def copies(self) -> dict[str, int]:
        """How often each body stands in the channel."""
        found: dict[str, int] = {}
        for message in self.messages:
            key = json.dumps(message.body, sort_keys=True)
            found[key] = found.get(key, 0) + 1
        return found

    async def post(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/webhooks/{id}/{token}`."""
        self._in_flight += 1
        self.most_at_once = max(self.most_at_once, self._in_flight)
        try:
            return await self._post(request)
        finally:
            self._in_flight -= 1

    async def _post(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body: Any = json.loads(raw) if raw.startswith(b"{") else {}
        refusal = await self.arrived(request, body) or self._refusal(request, body)
        if refusal is not None:
            return refusal
        posted = Posted(id=str(next(self._numbers)), body=body, at=self.ticks())
        self.messages.append(posted)
        kept = await self.placed(request, body)
        if kept is not None:
            return kept
        if request.query.get("wait") != "true":
            self.note(body, 204)
            return web.Response(status=204, headers=self.headers())
        self.note(body, 200)
        answer = {"id": posted.id, "channel_id": "42", "type": 0, "webhook_id": "1234567890", **body}
        return web.json_response(answer, headers=self.headers())

    async def arrived(self, request: web.Request, body: Json) -> web.StreamResponse | None:
        """A message has arrived and nothing is done yet; an answer here is all that it gets."""

    def throttle(self, request: web.Request, body: Json, now: float) -> web.StreamResponse | None:
        """A limit besides the usual ones; an answer here is the refusal."""

    async def placed(self, request: web.Request, body: Json) -> web.StreamResponse | None:
        """The message stands in the channel and nobody was told yet; an answer here replaces the usual one."""

    def _refusal(self, request: web.Request, body: Any) -> web.StreamResponse | None:
        now = self.ticks()
        if self.deleted or request.match_info["id"] != "1234567890":
            return self._told(body, 404, {"message": "Unknown Webhook", "code": 10015})
        if request.match_info["token"] != self.token:
            return self._told(body, 401, {"message": "Invalid Webhook Token", "code": 50027})
        if now < self._not_before:
            self.impatient += 1
        if (refusal := self.throttle(request, body, now)) is not None:
            return refusal
        if not self.everywhere.take(now):
            return self.limited(body, self.everywhere.ends - now, scope="global")
        if not self.bucket.take(now):
            return self.limited(body, self.bucket.ends - now, scope="user")
        if request.content_type != "application/json":
            return self._told(body, 400, {"message": "Cannot send an empty message", "code": 50006})
        problems = list(problems_of(body))
        if problems:
            return self._told(body, 400, {"message": "Invalid Form Body", "code": 50035, "errors": problems})
        return None

    def limited(self, body: Json, seconds: float, scope: str) -> web.StreamResponse:
        """The answer 429: no request for so many seconds."""
        wait = round(max(seconds, 0.001), 3)
        self._not_before = self.ticks() + wait
        everywhere = scope == "global"
        told = {"message": "You are being rate limited.", "retry_after": wait, "global": everywhere}
        headers = {"Retry-After": str(math.ceil(wait)), "X-RateLimit-Scope": scope}
        return self._told(body, 429, told, headers | ({"X-RateLimit-Global": "true"} if everywhere else {}))

    def _told(self, body: Any, status: int, told: Json, headers: dict[str, str] | None = None) -> web.StreamResponse:
        self.note(body, status)
        return web.json_response(told, status=status, headers=self.headers() | (headers or {}))

    def note(self, body: Any, status: int) -> None:
        """Write down what a request is answered."""
        self.requests.append(Request(at=self.ticks(), status=status, body=body))

    def headers(self) -> dict[str, str]:
        """What every answer tells of the bucket."""
        after = max(0.0, self.bucket.ends - self.ticks())
        return {
            "X-RateLimit-Limit": str(self.bucket.limit),
            "X-RateLimit-Remaining": str(self.bucket.left()),
            "X-RateLimit-Reset": f"{time.time() + after:.3f}",
            "X-RateLimit-Reset-After": f"{after:.3f}",
            "X-RateLimit-Bucket": "b1946ac92492d2347c6235b4d2611184",
        }

    async def get(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/webhooks/{id}/{token}`: changes nothing."""
        self.probes += 1
        if self.deleted or request.match_info["token"] != self.token:
            return web.json_response({"message": "Unknown Webhook", "code": 10015}, status=404)
        return web.json_response({"id": request.match_info["id"], "type": 1, "name": "gonggo"})


def units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2


def problems_of(body: Any) -> list[str]:
    """Why Discord would refuse a message; empty when it would not."""
    if not isinstance(body, dict):
        return ["not an object"]
    content, embeds = body.get("content", ""), body.get("embeds", [])
    found = [] if units(content) <= 2000 else ["content: longer than 2000"]
    if len(embeds) > 10:
        found.append("embeds: more than 10")
    if not content.strip() and not embeds:
        found.append("empty message")
    mentions = body.get("allowed_mentions", {})
    if not set(mentions.get("parse", ())) <= {"everyone", "users", "roles"}:
        found.append("allowed_mentions: unknown")
    for number, embed in enumerate(embeds):
        found += [f"embeds.{number}.{problem}" for problem in _problems_of_embed(embed)]
    if sum(map(embed_size, embeds)) > 6000:
        found.append("embeds: longer than 6000 together")
    return found


def embed_size(embed: Json) -> int:
    """What an embed counts towards the total of 6,000."""
    counted = [embed.get("title", ""), embed.get("description", "")]
    counted += [embed.get("footer", {}).get("text", ""), embed.get("author", {}).get("name", "")]
    counted += [text for each in embed.get("fields", ()) for text in (each["name"], each["value"])]
    return sum(map(units, counted))


def _problems_of_embed(embed: Json) -> list[str]:
    limits = {"title": 256, "description": 4096}
    found = [f"{name}: longer than {limit}" for name, limit in limits.items() if units(embed.get(name, "")) > limit]
    if "author" in embed and not 1 <= units(embed["author"]["name"].strip()) <= 256:
        found.append("author.name: 1 to 256")
    if units(embed.get("footer", {}).get("text", "")) > 2048:
        found.append("footer.text: longer than 2048")
    if len(embed.get("fields", ())) > 25:
        found.append("fields: more than 25")
    for each in embed.get("fields", ()):
        if not (1 <= units(each["name"].strip()) <= 256 and units(each["value"].strip()) >= 1 and len(each) == 3):
            found.append("fields: name and value are required")
        if units(each["value"]) > 1024:
            found.append("fields: value longer than 1024")
    if "url" in embed and not _is_web_address(embed["url"]):
        found.append("url: not a well formed URL")
    if not 0 <= embed.get("color", 0) <= 0xFFFFFF:
        found.append("color: not a colour")
    if not embed.keys() & {"title", "description", "fields", "author"}:
        found.append("empty embed")
    return found


def _is_web_address(url: str) -> bool:
    parts = urlsplit(url)
    clean = re.fullmatch(r"[!-~]{1,2048}", url) is not None and not re.search(r"[<>\"{}|\\^`]", url)
    return clean and parts.scheme in ("http", "https") and bool(parts.hostname)


D = TypeVar("D", bound=Discord)


@asynccontextmanager
async def served(discord: D) -> AsyncIterator[D]:
    """Give it a free port of this machine while the context lasts."""
    app = web.Application()
    app.router.add_post("/api/webhooks/{id}/{token}", discord.post)
    app.router.add_get("/api/webhooks/{id}/{token}", discord.get, allow_head=False)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    discord.origin = f"http://{host}:{port}"
    try:
        yield discord
    finally:
        await runner.cleanup()
        # Connections that were just closed get their turn to say so.
        await asyncio.sleep(0)
