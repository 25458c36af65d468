"""The executor against a real server: what it sends, what it refuses to send, and how it names what comes back."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from daemon.clock import ManualClock
from daemon.db import Tx, open_database, transaction
from daemon.sources.executor import ComplianceViolation, Executor, PermitInvalid, SiteSession
from daemon.sources.model import Fetched, NotFetched, Outcome, Permit, Request
from tests.sources.hostile import HostileSite
from tests.sources.plain_site import HOST, NOW, SITE, PlainSite, policy, settings_for


@asynccontextmanager
async def visiting(site: HostileSite, **fields: float) -> AsyncIterator[SiteSession]:
    executor = Executor(settings_for(site.origin, **fields))
    try:
        async with executor.session(PlainSite()) as session:
            yield session
    finally:
        await executor.close()


def permit(site: HostileSite) -> Permit:
    return Permit(host=f"127.0.0.1:{site.port}")


async def ask(session: SiteSession, site: HostileSite, path: str, **fields: object) -> Fetched | NotFetched:
    request = Request(url=SITE + path, **fields)  # type: ignore[arg-type]  # each test names a field and its value
    return await session.fetch(request, permit(site), lambda: NOW)


# --- permits and policy ----------------------------------------------------------------------------------------------


async def test_one_permit_sends_one_request(site: HostileSite) -> None:
    async with visiting(site) as session:
        mine = permit(site)
        assert isinstance(await session.fetch(Request(url=f"{SITE}/ok"), mine, lambda: NOW), Fetched)
        assert mine.spent
        with pytest.raises(PermitInvalid):
            await session.fetch(Request(url=f"{SITE}/ok"), mine, lambda: NOW)
    assert len(site.hits) == 1


async def test_a_permit_for_another_host_sends_nothing(site: HostileSite) -> None:
    async with visiting(site) as session:
        with pytest.raises(PermitInvalid, match="permit for www\\.saramin\\.co\\.kr"):
            await session.fetch(Request(url=f"{SITE}/ok"), Permit(host="www.saramin.co.kr"), lambda: NOW)
    assert site.hits == []


@pytest.mark.parametrize(
    ("request_", "rule"),
    [
        (Request(url=f"{SITE}/ok?per=51"), "page size"),
        (Request(url=f"{SITE}/ok", method="POST", json_body=b'{"a": [{"per": 1000}]}'), "page size"),
        (Request(url=f"https://{HOST}/Search?q=x"), "path"),
        (Request(url=f"{SITE}/%2e%2e/Search"), "path"),
        (Request(url="https://elsewhere.example/v1/ok"), "host"),
        (Request(url=f"{SITE}/ok", method="DELETE"), "method"),
    ],
)
async def test_an_adapter_that_breaks_its_policy_is_stopped_before_anything_is_sent(
    site: HostileSite, request_: Request, rule: str
) -> None:
    """Seed 001, failure path 29: 규약 정책 우회 시도(페이지 상한 초과) → 강제해 우회 불가."""
    async with visiting(site) as session:
        mine = permit(site)
        with pytest.raises(ComplianceViolation) as caught:
            await session.fetch(request_, mine, lambda: NOW)
        assert caught.value.rule == rule
        assert not mine.spent
    assert site.hits == []


async def test_an_adapter_that_claims_no_delay_gets_a_second_all_the_same() -> None:
    hasty = PlainSite(policy=policy(delay=timedelta(0)))
    assert Executor(settings_for(None)).delay_of(hasty) == timedelta(seconds=1)
    assert Executor(settings_for(None, request_delay_seconds=0)).delay_of(hasty) == timedelta(seconds=1)
    assert Executor(settings_for("http://127.0.0.1:1")).delay_of(hasty) == timedelta(seconds=1)
    assert Executor(settings_for("http://127.0.0.1:1", request_delay_seconds=0)).delay_of(hasty) == timedelta(0)


async def test_permits_of_a_replica_are_kept_apart_from_those_of_the_site(site: HostileSite) -> None:
    assert Executor(settings_for(None)).host_of(PlainSite()) == HOST
    assert Executor(settings_for(site.origin)).host_of(PlainSite()) == f"127.0.0.1:{site.port}"


async def test_a_request_inside_a_transaction_is_a_bug(site: HostileSite, tmp_path: Path) -> None:
    db = open_database(f"sqlite:///{tmp_path}/gonggo.db", ManualClock(NOW))
    async with visiting(site) as session:

        async def unit(tx: Tx) -> None:
            await ask(session, site, "/ok")

        with pytest.raises(AssertionError, match="inside a transaction"):
            await transaction(db, unit)
    await db.close()
    assert site.hits == []


# --- what is sent ----------------------------------------------------------------------------------------------------


async def test_the_user_agent_names_the_program_and_a_contact_whatever_the_adapter_says(site: HostileSite) -> None:
    async with visiting(site) as session:
        disguise = (("user-agent", "Mozilla/5.0"), ("Cookie", "a=b"), ("Host", "x"), ("X-Own", "1"), ("ACCEPT", "x/y"))
        await ask(session, site, "/ok", headers=disguise)
    sent = site.hits[0].headers
    assert sent["user-agent"] == settings_for(None).effective_user_agent
    assert "https://" in sent["user-agent"]
    assert "cookie" not in sent
    assert sent["host"] == f"127.0.0.1:{site.port}"
    assert sent["x-own"] == "1"
    assert sent["accept"] == "x/y"
    assert sent["referer"] == "https://boards.example/"
    assert sent["accept-encoding"] == "gzip, deflate, br"


async def test_an_address_arrives_byte_for_byte_as_it_was_checked(site: HostileSite) -> None:
    async with visiting(site) as session:
        await ask(session, site, "/ok/%EA%B0%80+%2B/?q=%ec%84%9c%EC%9A%B8&a=b%20c&a=;d#part")
        await ask(session, site, "/서울?q=백")
    assert site.hits[0].target == "/v1/ok/%EA%B0%80+%2B/?q=%ec%84%9c%EC%9A%B8&a=b%20c&a=;d"
    assert site.hits[1].target == "/v1/%EC%84%9C%EC%9A%B8?q=%EB%B0%B1"


async def test_a_json_body_is_posted_as_it_is(site: HostileSite) -> None:
    body = json.dumps({"search": {"keywords": ["백엔드"]}, "per": 50}).encode()
    async with visiting(site) as session:
        assert isinstance(await ask(session, site, "/ok", method="POST", json_body=body), Fetched)
    assert (site.hits[0].method, site.hits[0].body) == ("POST", body)
    assert site.hits[0].headers["content-type"] == "application/json"


async def test_cookies_last_for_one_visit_and_belong_to_it_alone(site: HostileSite) -> None:
    executor = Executor(settings_for(site.origin))
    async with executor.session(PlainSite()) as first, executor.session(PlainSite()) as second:
        await ask(first, site, "/cookie")
        await ask(first, site, "/ok")
        await ask(second, site, "/ok")
    async with executor.session(PlainSite()) as third:
        await ask(third, site, "/ok")
    await executor.close()
    assert [hit.headers.get("cookie") for hit in site.hits] == [None, "session=abc", None, None]


async def test_a_site_that_hangs_up_is_not_asked_twice_for_one_permit(site: HostileSite) -> None:
    async with visiting(site) as session:
        await ask(session, site, "/ok")
        answer = await ask(session, site, "/closes")
    assert isinstance(answer, NotFetched)
    assert answer.outcome is Outcome.SERVER_ERROR
    assert [hit.path for hit in site.hits] == ["/v1/ok", "/v1/closes"]


# --- what comes back -------------------------------------------------------------------------------------------------


async def test_an_answer_is_a_page_with_its_real_address(site: HostileSite) -> None:
    site.answers("/v1/list", "한글".encode("cp949"), kind="text/html; charset=euc-kr")
    async with visiting(site) as session:
        answer = await ask(session, site, "/list?page=1")
    assert isinstance(answer, Fetched)
    page = answer.page
    assert (page.body, page.status, page.url) == ("한글".encode("cp949"), 200, f"{SITE}/list?page=1")
    assert (page.content_type, page.answered_at) == ("text/html; charset=euc-kr", NOW)


@pytest.mark.parametrize("coding", ["ok-gzip", "ok-deflate", "ok-br"])
async def test_every_encoding_that_is_asked_for_is_understood(site: HostileSite, coding: str) -> None:
    async with visiting(site) as session:
        answer = await ask(session, site, f"/{coding}")
    assert isinstance(answer, Fetched)
    assert answer.page.body == b'{"ok": 1}'


@pytest.mark.parametrize(
    ("query", "outcome", "seconds"),
    [
        ("status=429&retry-after=120", Outcome.RATE_LIMITED, 120),
        ("status=429", Outcome.RATE_LIMITED, None),
        ("status=429&retry-after=-1", Outcome.RATE_LIMITED, None),
        ("status=503&retry-after=Tue,%2001%20Sep%202026%2000:05:00%20GMT", Outcome.SERVER_ERROR, 300),
        ("status=500", Outcome.SERVER_ERROR, None),
        ("status=404", Outcome.NOT_FOUND, None),
        ("status=410", Outcome.NOT_FOUND, None),
        ("status=401", Outcome.LOGIN_REQUIRED, None),
        ("status=403&retry-after=60", Outcome.BLOCKED, None),
        ("status=400", Outcome.PROTOCOL_ERROR, None),
        ("status=400&body=%3Chtml%3E", Outcome.PROTOCOL_ERROR, None),
        ("status=422", Outcome.PROTOCOL_ERROR, None),
        ("status=204", None, None),
        ("status=200", None, None),
    ],
)
async def test_a_status_is_named(site: HostileSite, query: str, outcome: Outcome | None, seconds: int | None) -> None:
    async with visiting(site) as session:
        answer = await ask(session, site, f"/status?{query}")
    if outcome is None:
        assert isinstance(answer, Fetched)
        assert answer.page.body == b""
    else:
        assert isinstance(answer, NotFetched)
        assert answer.outcome is outcome
        assert answer.reason == f"HTTP {query[7:10]}"
        assert answer.retry_after == (None if seconds is None else timedelta(seconds=seconds))


async def test_a_400_in_the_sites_own_words_goes_to_its_parser(site: HostileSite) -> None:
    async with visiting(site) as session:
        answer = await ask(session, site, "/status?status=400&body=%7B%22code%22:%22C003%22%7D")
    assert isinstance(answer, Fetched)
    assert (answer.page.status, answer.page.body) == (400, b'{"code":"C003"}')


async def test_a_challenge_is_blocked_whatever_its_status(site: HostileSite) -> None:
    site.answers("/v1/list", b"<html>", "x-amzn-waf-action: challenge", status="202 Accepted")
    async with visiting(site) as session:
        answer = await ask(session, site, "/list")
    assert answer == NotFetched(outcome=Outcome.BLOCKED, reason="HTTP 202, x-amzn-waf-action")


async def test_a_redirect_is_an_outcome_with_the_sites_real_address(site: HostileSite) -> None:
    site.answers("/v1/old", b"", f"Location: {site.origin}/v1/new?a=1", status="301 Moved")
    async with visiting(site) as session:
        moved = await ask(session, site, "/old")
        away = await ask(session, site, "/redirect-away")
    assert isinstance(moved, NotFetched)
    assert isinstance(away, NotFetched)
    assert (moved.outcome, moved.location) == (Outcome.REDIRECTED, f"{SITE}/new?a=1")
    assert (away.outcome, away.location) == (Outcome.REDIRECTED, "https://login.example.com/?next=1")
    assert len(site.hits) == 2


@pytest.mark.parametrize(("size", "fetched"), [(2048, True), (2049, False)])
async def test_the_cap_is_the_last_size_that_fits(site: HostileSite, size: int, fetched: bool) -> None:
    site.answers("/v1/list", b"x" * size)
    async with visiting(site, body_cap_bytes=2048) as session:
        answer = await ask(session, site, "/list")
    assert isinstance(answer, Fetched) is fetched
    if isinstance(answer, NotFetched):
        assert answer.outcome is Outcome.TOO_LARGE


async def test_a_cancelled_request_ends_at_once_and_hangs_up(site: HostileSite) -> None:
    async with visiting(site) as session:
        task = asyncio.ensure_future(ask(session, site, "/drip-body"))
        while not site.hits:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The server notices: its next write fails, so its handler ends without being cancelled.
        async with asyncio.timeout(5):
            while site.in_hand:
                await asyncio.sleep(0.01)


# --- below HTTP ------------------------------------------------------------------------------------------------------


async def outcome_at(origin: str, **fields: float) -> NotFetched:
    executor = Executor(settings_for(origin, **fields))
    host = executor.host_of(PlainSite())
    async with executor.session(PlainSite()) as session:
        answer = await session.fetch(Request(url=f"{SITE}/ok"), Permit(host=host), lambda: NOW)
    await executor.close()
    assert isinstance(answer, NotFetched)
    return answer


async def test_a_closed_port_is_a_server_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        answer = await outcome_at(f"http://127.0.0.1:{free.getsockname()[1]}")
    assert answer.outcome is Outcome.SERVER_ERROR
    assert "refused" in answer.reason


async def test_a_host_that_does_not_take_the_connection_is_a_timeout() -> None:
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        answer = await outcome_at(f"http://127.0.0.1:{full.getsockname()[1]}", connect_timeout_seconds=0.05)
    assert answer == NotFetched(outcome=Outcome.TIMEOUT, reason="no connection within 0.05 s")


async def test_a_server_that_speaks_no_tls_is_a_protocol_error() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        answer = await outcome_at(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert answer.outcome is Outcome.PROTOCOL_ERROR
    assert answer.reason.startswith("TLS: ")


async def test_a_certificate_that_nobody_vouches_for_is_a_protocol_error(tmp_path: Path) -> None:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise AssertionError("the request was sent to a stranger")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    async with await asyncio.start_server(never, "127.0.0.1", 0, ssl=context) as server:
        answer = await outcome_at(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert answer.outcome is Outcome.PROTOCOL_ERROR
    assert "certificate" in answer.reason


def self_signed(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=3650))
        .not_valid_after(NOW + timedelta(days=3650))
        .sign(key, hashes.SHA256())
    )
    pem = Encoding.PEM
    file = folder / "site.pem"
    secret = key.private_bytes(pem, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(secret + certificate.public_bytes(pem))
    return file
