"""Schemathesis reads the running daemon's own description and asks for everything in it, and for what is not."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.daemons import Daemons, environment_for
from tests.acceptance.inhabited import Inhabited, inhabited
from tests.acceptance.waiting import PATIENCE_SECONDS

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(7200)]

ENOUGH = 6
EXAMPLES = int(os.environ.get("GONGGO_TEST_API_EXAMPLES", ENOUGH))
"""Made-up requests per operation and phase, beyond each rule of its schema kept and broken. Thousands take an hour."""

_CONFIGURATION = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "412"]
"""
"""Beyond what it expects by itself: 412, the answer to a precondition that does not hold."""

_NOTHING_TO_TAKE = {"DELETE /api/sources/{id}"}
"""Only a source of which nothing came can be removed, and none of the first is; the API table removes one."""

_ROOT = Path(__file__).parents[2]
_TOKEN = "a-token-of-the-test"


async def _found_by_schemathesis(at: Inhabited, folder: Path, *arguments: str) -> dict[str, Any]:
    """Its report; it checks everything it knows, links and what was created or deleted before included."""
    # Its own warnings are its own matter.
    own = {"PYTHONPATH": str(_ROOT), "SCHEMATHESIS_HOOKS": "tests.acceptance.api_formats", "PYTHONWARNINGS": "ignore"}
    environment = environment_for(folder, own)
    # From a file: an address given to it is left out of the test.
    described = await at.ask("GET", "/api/openapi.json")
    (folder / "openapi.json").write_bytes(described.body)
    (folder / "schemathesis.toml").write_text(_CONFIGURATION, "utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", "--url", at.daemon.address),
        *("--checks", "all", "--generation-deterministic", "--continue-on-failure", "--max-examples", str(EXAMPLES)),
        *("--request-timeout", str(PATIENCE_SECONDS), "--report", "json", "--report-json-path", "report.json"),
        *("--no-color", *arguments),
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()[-20_000:]
    report: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    return report


async def _live_in(at: Inhabited) -> None:
    """Something for each operation to find under the first ids."""
    postings = (await at.ask("GET", "/api/job-postings")).json["jobPostings"]
    assert postings[0]["jobPostingId"]
    for path, body in (
        ("/api/matching/keyword-groups", {"displayName": "백엔드", "synonyms": ["백엔드", "backend", "서버"]}),
        ("/api/matching/exclusion-keywords", {"keyword": "인턴"}),
        ("/api/matching/work-arrangement-keywords", {"keyword": "재택근무"}),
        ("/api/applications", {"jobPostingId": 1, "appliedAt": "2026-12-01T12:00:00+09:00"}),
        ("/api/applications/1/interviews", {"roundNumber": 1, "label": "1차 면접"}),
    ):
        made = await at.ask("POST", path, body)
        assert made.status == 201, (path, made.body)


async def test_the_api_answers_as_described_whatever_is_sent(
    blank_url: str, engine: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Issue 3: "no 5xx, no undocumented answer, on every operation". On servers a token is asked for, too."""
    guarded = engine != "sqlite"
    settings = {"api_token": _TOKEN} if guarded else {}
    async with inhabited(tmp_path, blank_url, daemons, **settings) as at:
        await _live_in(at)
        bearer = ("--header", f"Authorization: Bearer {_TOKEN}") if guarded else ()
        # Schemas are the same on every engine: once is enough for their rules one by one, where time is short.
        phases = ("--phases", "fuzzing,stateful") if guarded and EXAMPLES == ENOUGH else ()
        report = await _found_by_schemathesis(at, tmp_path, *bearer, *phases)
    described = json.loads((tmp_path / "openapi.json").read_text("utf-8"))["paths"]
    operations = {f"{method.upper()} {path}" for path, methods in described.items() for method in methods}
    assert report["complete"]
    assert report["operations"]["tested"] == len(operations)
    assert report["test_cases"]["generated"] > (EXAMPLES if phases else 30) * len(operations)
    accepted = {
        operation
        for operation, phases in report["valid_rates"].items()
        if any(phase["accepted"] for phase in phases.values())
    }
    assert phases or operations - accepted <= _NOTHING_TO_TAKE, "operations that never took anything"
