"""The Discord client: every answer has a name, no secret leaves, nothing hangs (pitfalls: Discord, messages lost)."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
import structlog
from aiohttp import web
from pydantic import SecretStr
from yarl import URL

from daemon import log
from daemon.clock import SkippingClock, kst
from daemon.notification.actions.webhook import opened_webhook
from daemon.notification.discord import DiscordWebhook, webhook_address
from daemon.notification.model import (
    Accepted,
    Answer,
    RateLimited,
    Refused,
    Unavailable,
    Unconfirmed,
    WebhookGone,
)
from daemon.notification.wording.upkeep import trial_message
from daemon.settings import Settings
from tests.discord import Discord, Fault, serve_discord
from tests.notified import DAY

TOKEN = "t0ken-that-nobody_may-see-0123456789"
PAYLOAD = trial_message("ko").payload
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture
def ticking() -> SkippingClock:
    return SkippingClock(kst(DAY, 9))


@asynccontextmanager
async def answering(handler: Handler) -> AsyncIterator[str]:
    """The address of a webhook that answers as `handler` does."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://{_address(site)}/api/webhooks/1/{TOKEN}"
    finally:
        await runner.cleanup()
        await asyncio.sleep(0)


def _address(site: web.TCPSite) -> str:
    assert site._server is not None
    host, port = site._server.sockets[0].getsockname()[:2]  # type: ignore[attr-defined]  # aiohttp offers no other way
    return f"{host}:{port}"


async def post(address: str, clock: SkippingClock, seconds: float = 5) -> Answer:
    async with DiscordWebhook(URL(address), clock, "gonggo/1.0", timedelta(seconds=seconds)) as webhook:
        return await webhook.post(PAYLOAD)


async def answer_of(response: Callable[[], web.StreamResponse], clock: SkippingClock) -> Answer:
    async def handle(_request: web.Request) -> web.StreamResponse:
        return response()

    async with answering(handle) as address:
        return await post(address, clock)


async def test_a_message_is_posted_with_wait_and_its_id_is_kept(ticking: SkippingClock) -> None:
    async with serve_discord() as discord:
        settings = Settings(database_url="sqlite://", discord_webhook_url=f"{discord.url}?thread_id=7")
        async with opened_webhook(settings, ticking) as webhook:
            answer = await webhook.post(PAYLOAD)
            assert webhook.answers
            assert await webhook.probe()
        assert answer == Accepted(message_id=discord.messages[0].id)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (Fault.DROP_BEFORE, Unconfirmed),
        (Fault.DROP_AFTER, Unconfirmed),
        (Fault.SLOW, Unconfirmed),
        (Fault.SERVER_ERROR, Unavailable),
        (Fault.HIDDEN_LIMIT, RateLimited),
        (Fault.GARBAGE, Accepted),
    ],
)
async def test_every_fault_has_its_name(ticking: SkippingClock, fault: Fault, outcome: type) -> None:
    async with serve_discord() as discord:
        discord.faults.append(fault)
        async with DiscordWebhook(URL(discord.url), ticking, "gonggo", timedelta(seconds=0.05)) as webhook:
            answer = await webhook.post(PAYLOAD)
            assert isinstance(answer, outcome)
            assert webhook.answers is not (outcome is Unconfirmed)


async def test_the_body_of_a_429_counts_before_its_header(ticking: SkippingClock) -> None:
    def limited() -> web.Response:
        return web.json_response({"retry_after": 0.337, "global": False}, status=429, headers={"Retry-After": "1"})

    answer = await answer_of(limited, ticking)
    assert isinstance(answer, RateLimited)
    assert timedelta(seconds=0.337) <= answer.retry_after < timedelta(seconds=0.5)


@pytest.mark.parametrize(
    ("body", "headers", "seconds"),
    [
        ("<html>Cloudflare", {"Retry-After": "17"}, 17),
        ("<html>Cloudflare", {}, 5),
        ('{"retry_after": "soon"}', {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, 5),
        ('{"retry_after": -4}', {}, 5),
        ('{"retry_after": 1e999}', {}, 5),
        ('{"retry_after": true}', {}, 5),
        ('{"retry_after": 1e300}', {}, 604_800),
        ("[" * 5000, {}, 5),
    ],
)
async def test_a_429_without_a_sensible_wait_still_waits(
    ticking: SkippingClock, body: str, headers: dict[str, str], seconds: float
) -> None:
    answer = await answer_of(lambda: web.Response(status=429, text=body, headers=headers), ticking)
    assert isinstance(answer, RateLimited)
    assert seconds <= answer.retry_after.total_seconds() < seconds + 0.2


async def test_an_empty_bucket_is_waited_for_and_a_full_one_is_not(ticking: SkippingClock) -> None:
    async with serve_discord(lambda: ticking.now().timestamp()) as discord:
        async with DiscordWebhook(URL(discord.url), ticking, "gonggo", timedelta(seconds=5)) as webhook:
            waits = []
            for _ in range(6):
                waits.append(webhook.wait())
                await ticking.sleep(webhook.wait())
                await webhook.post(PAYLOAD)
        assert [wait > timedelta(0) for wait in waits] == [False] * 5 + [True]
        assert discord.throttled == 0


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_never_followed(ticking: SkippingClock, status: int) -> None:
    asked: list[str] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        return web.Response(status=status, headers={"Location": "/elsewhere"})

    async with answering(handle) as address:
        assert isinstance(await post(address, ticking), Refused)
    assert len(asked) == 1


_STATUSES: dict[type, tuple[int, ...]] = {
    Accepted: (204,),
    Refused: (400, 403, 405, 413),
    WebhookGone: (401, 404),
    Unavailable: (500, 502, 504),
}


@pytest.mark.parametrize(("status", "outcome"), [(status, kind) for kind, all_ in _STATUSES.items() for status in all_])
async def test_every_status_has_its_name(ticking: SkippingClock, status: int, outcome: type) -> None:
    answer = await answer_of(lambda: web.Response(status=status), ticking)
    assert isinstance(answer, outcome)


async def test_an_endless_body_of_a_success_is_not_read_and_the_message_counts_as_delivered(
    ticking: SkippingClock,
) -> None:
    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            while True:
                await response.write(b"x" * 65536)
        return response

    async with answering(handle) as address:
        assert await post(address, ticking) == Accepted(message_id=None)


@pytest.mark.parametrize("identifier", ["", "abc", "9" * 51, 7, None, {"$": 1}])
async def test_an_id_that_is_none_is_not_kept(ticking: SkippingClock, identifier: object) -> None:
    answer = await answer_of(lambda: web.json_response({"id": identifier}), ticking)
    assert answer == Accepted(message_id=None)


async def test_what_is_no_http_may_have_been_taken(ticking: SkippingClock) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert isinstance(await post(f"http://127.0.0.1:{port}/{TOKEN}", ticking), Unconfirmed)


@pytest.mark.parametrize("origin", ["http://127.0.0.1:9", "http://name.invalid", "https://127.0.0.1:9"])
async def test_without_a_connection_certainly_nothing_was_taken(ticking: SkippingClock, origin: str) -> None:
    answer = await post(f"{origin}/api/webhooks/1/{TOKEN}", ticking)
    assert isinstance(answer, Unavailable)
    assert TOKEN not in answer.reason


async def test_no_reason_and_no_log_line_holds_the_address(ticking: SkippingClock) -> None:
    """A site that echoes the address must not carry it into the history."""

    async def handle(request: web.Request) -> web.StreamResponse:
        return web.json_response({"message": f"no such webhook: {request.url}", "code": 1}, status=404)

    async with answering(handle) as address:
        answer = await post(address, ticking)
        assert isinstance(answer, WebhookGone)
        assert TOKEN not in answer.reason
        written = io.StringIO()
        settings = Settings(database_url="sqlite://", discord_webhook_url=SecretStr(address))
        log.configure("json", "info", secrets=log.secrets_of(settings), stream=written)
        structlog.get_logger("test").warning("notification.failed", reason=f"POST {address}?wait=true", url=address)
        assert "notification.failed" in written.getvalue()
        assert TOKEN not in written.getvalue()
        assert TOKEN not in repr(settings)


@pytest.mark.parametrize(
    "given", ["", "   ", "discord.com/api/webhooks/1/x", "ftp://a/b", "http://", "http://[", "https://a:b:c/"]
)
def test_what_is_no_address_of_the_web_is_no_webhook(given: str) -> None:
    assert webhook_address(given) is None


async def test_the_double_knows_its_limits() -> None:
    """What the double lets through proves nothing unless it enforces these."""
    now = 0.0
    async with serve_discord(lambda: now) as discord:
        clock = SkippingClock(kst(DAY, 9))
        async with DiscordWebhook(URL(discord.url), clock, "gonggo", timedelta(seconds=5)) as webhook:
            answers = [await webhook.post(PAYLOAD) for _ in range(6)]
            assert [type(answer) for answer in answers] == [Accepted] * 5 + [RateLimited]
            await webhook.post(PAYLOAD)
            assert discord.impatient == 1
            now = 2.1
            assert isinstance(await webhook.post(PAYLOAD), Accepted)
            assert isinstance(await webhook.post('{"content": ""}'), Refused)
        wrong = Discord(origin=discord.origin, token="wrong-Token-0123456789")
        async with DiscordWebhook(URL(wrong.url), clock, "gonggo", timedelta(seconds=5)) as webhook:
            assert isinstance(await webhook.post(PAYLOAD), WebhookGone)
            assert not any(message.pings for message in discord.messages)
