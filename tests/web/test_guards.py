"""Who may ask, and from where (DESIGN 1.9)."""

from __future__ import annotations

import asyncio

import pytest

from daemon.db import Database
from daemon.web.guard import is_own_host, is_own_origin
from tests.web.conftest import Serve

TOKEN = "correct-horse-battery-staple"


@pytest.mark.parametrize(
    "header",
    ["localhost", "localhost:8787", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8787", "127.8.8.8", "[::1]:8787", "[::1]"],
)
def test_a_loopback_name_is_our_own_host_whatever_the_port(header: str) -> None:
    assert is_own_host(header, "127.0.0.1")


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "user@localhost",
        "localhost/x",
        "192.168.0.7",
        "[::1",
        "0.0.0.0:8787",
    ],
)
def test_a_name_that_someone_pointed_at_us_is_not_our_own_host(header: str | None) -> None:
    assert not is_own_host(header, "127.0.0.1")


def test_the_configured_host_is_our_own_and_a_wildcard_takes_every_name() -> None:
    assert is_own_host("gonggo.home:8787", "gonggo.home")
    assert not is_own_host("other.home:8787", "gonggo.home")
    assert is_own_host("anything.example", "0.0.0.0")


def test_only_the_same_authority_is_our_own_origin() -> None:
    assert is_own_origin(None, "localhost:8787")
    assert is_own_origin("http://localhost:8787", "localhost:8787")
    assert not is_own_origin("http://localhost:3000", "localhost:8787")
    assert not is_own_origin("http://evil.example", "localhost:8787")
    assert not is_own_origin("null", "localhost:8787")
    assert not is_own_origin("file://localhost:8787", "localhost:8787")


async def test_a_rebound_name_gets_no_answer_even_from_healthz(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    answer = await client.get("/healthz", headers={"Host": "evil.example:8787"})
    assert answer.status == 421
    assert answer.content_type == "application/problem+json"
    assert (await answer.json())["type"] == "urn:gonggo:problem:foreign-host"


async def test_a_write_from_a_page_of_another_origin_is_refused_before_it_does_anything(
    serve: Serve, offline: Database
) -> None:
    client = await serve(offline)
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = await client.put("/api/flags/posting.auto-close", json={"enabled": True}, headers=headers)
        assert answer.status == 403, headers
        assert (await answer.json())["type"] == "urn:gonggo:problem:foreign-origin"


async def test_a_form_can_not_write(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = await client.put(
            "/api/flags/posting.auto-close", data=b'{"enabled": true}', headers={"Content-Type": content_type}
        )
        assert answer.status == 415, content_type
        assert answer.content_type == "application/problem+json"


async def test_a_preflight_gets_no_leave_to_write(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    answer = await client.options(
        "/api/flags/posting.auto-close",
        headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"},
    )
    assert answer.status == 405
    assert "Access-Control-Allow-Origin" not in answer.headers


async def test_with_a_token_set_everything_but_healthz_asks_for_it(serve: Serve, offline: Database) -> None:
    client = await serve(offline, api_token=TOKEN)
    assert (await client.get("/healthz")).status == 200
    for path in ("/readyz", "/metrics", "/api/flags", "/api/openapi.json", "/nothing/here"):
        answer = await client.get(path)
        assert answer.status == 401, path
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert (await client.get("/api/openapi.json", headers=right)).status == 200
    assert (await client.get("/nothing/here", headers=right)).status == 404


@pytest.mark.parametrize(
    "given", [f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer", "Bearer \u00e9"]
)
async def test_a_wrong_token_is_refused_and_not_repeated(serve: Serve, offline: Database, given: str) -> None:
    client = await serve(offline, api_token=TOKEN)
    answer = await client.get("/api/openapi.json", headers={"Authorization": given})
    assert answer.status == 401
    assert given.partition(" ")[2] == "" or given.partition(" ")[2] not in await answer.text()


async def test_a_body_over_64_kib_is_refused_by_its_declared_and_by_its_real_length(
    serve: Serve, offline: Database
) -> None:
    client = await serve(offline)
    headers = {"Content-Type": "application/json"}
    body = b'{"enabled": "' + b"x" * 70_000 + b'"}'
    declared = await client.put("/api/flags/posting.auto-close", data=body, headers=headers)

    async def chunks() -> object:
        for start in range(0, len(body), 10_000):
            yield body[start : start + 10_000]
            await asyncio.sleep(0)

    streamed = await client.put("/api/flags/posting.auto-close", data=chunks(), headers=headers)
    for answer in (declared, streamed):
        assert answer.status == 413
        assert answer.content_type == "application/problem+json"


async def test_answers_carry_security_headers_and_no_word_of_the_software(serve: Serve, offline: Database) -> None:
    client = await serve(offline)
    for path in ("/healthz", "/nothing/here"):
        answer = await client.get(path)
        assert "Server" not in answer.headers
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
