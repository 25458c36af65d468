"""What is no HTTP at all is refused as politely, and as silently about who refuses, as everything else."""

from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from daemon.web.connection import listen
from daemon.web.guard import _HEADERS


async def answer_to(data: bytes) -> tuple[int, dict[str, str], bytes]:
    """What a server that has nothing to offer says to these bytes: status, headers, body."""
    runner = web.AppRunner(web.Application())
    await runner.setup()
    try:
        server = await listen(runner, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(data)
        said = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        server.close()
    finally:
        await runner.cleanup()
    head, _, body = said.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"hello\r\n\r\n",
        b"GET / HTTP/9.9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    ],
)
async def test_bytes_that_are_no_http_get_a_problem_document_and_no_word_on_the_server(data: bytes) -> None:
    with capture_logs() as logs:
        status, headers, body = await answer_to(data)
    assert status == 400
    assert headers["Content-Type"] == "application/problem+json"
    assert json.loads(body)["status"] == 400
    assert "Server" not in headers
    assert _HEADERS.items() <= headers.items()
    assert [entry for entry in logs if entry["log_level"] != "debug"] == []
