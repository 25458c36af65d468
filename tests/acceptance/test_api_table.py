"""Every row of the seeds' API table, and every addition to it, called by a real client on a running daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.api_rows import ROWS, Facts
from tests.acceptance.daemons import Daemons
from tests.acceptance.inhabited import Inhabited, inhabited
from tests.acceptance.shapes import require_problem

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

OF_THE_SEEDS = """
    POST   /api/companies/source-discoveries
    POST   /api/companies
    GET    /api/companies
    POST   /api/companies/{id}/promotion
    GET    /api/aggregator-sources/categories
    POST   /api/aggregator-sources
    GET    /api/aggregator-sources
    DELETE /api/aggregator-sources/{id}
    GET    /api/companies/{companyId}/job-postings
    POST   /api/job-postings/manual-registrations
    GET    /api/job-postings/{id}
    GET    /api/matching/criteria
    POST   /api/matching/keyword-groups
    DELETE /api/matching/keyword-groups/{id}
    POST   /api/matching/exclusion-keywords
    DELETE /api/matching/exclusion-keywords/{id}
    POST   /api/matching/work-arrangement-keywords
    DELETE /api/matching/work-arrangement-keywords/{id}
    POST   /api/matching/re-evaluations
    POST   /api/applications
    POST   /api/applications/{id}/status-transitions
    GET    /api/applications/{id}
    GET    /api/applications
    POST   /api/applications/{id}/interviews
    PATCH  /api/applications/{id}/interviews/{interviewId}
    GET    /api/operations/collection-runs
    GET    /api/operations/notification-dispatches
"""
"""Seed 001, API 계약 (P0), row by row."""

TOKEN = "a-token-of-the-test"


def test_the_table_has_every_row_of_the_seeds_once() -> None:
    told = [row.operation for row in ROWS]
    assert len(told) == len(set(told))
    assert {" ".join(line.split()) for line in OF_THE_SEEDS.strip().splitlines()} <= set(told)


async def test_every_operation_answers_as_the_table_says(blank_url: str, tmp_path: Path, daemons: Daemons) -> None:
    """Issue 3: "Every row of the seeds' API table called by a real HTTP client against the running daemon"."""
    async with inhabited(tmp_path, blank_url, daemons) as at:
        described = (await at.ask("GET", "/api/openapi.json")).json["paths"]
        operations = {f"{method.upper()} {path}" for path, methods in described.items() for method in methods}
        assert operations == {row.operation for row in ROWS}
        facts = Facts()
        failed: dict[str, str] = {}
        for row in ROWS:
            try:
                await row.call(at, facts)
            except (AssertionError, LookupError, TypeError, ValueError) as error:
                failed[row.operation] = repr(error)
        assert not failed, "\n".join(f"{operation}: {error}" for operation, error in failed.items())


async def _refuses_strangers(at: Inhabited) -> None:
    """DESIGN 1.9, by the process itself: host, origin, content type, body limit, token, unknown paths and methods."""
    rebound = await at.ask("GET", "/api/flags", Host="evil.example")
    require_problem(rebound, 421, "foreign-host")
    body = {"name": "회사"}
    require_problem(await at.ask("POST", "/api/companies", body, Origin="https://evil.example"), 403, "foreign-origin")
    require_problem(await at.ask("POST", "/api/companies", body, Sec_Fetch_Site="cross-site"), 403, "foreign-origin")
    require_problem(await at.send("POST", "/api/companies", b'{"name": "x"}', "text/plain"), 415, None)
    require_problem(await at.send("POST", "/api/companies", b" " * 70_000, "application/json"), 413, None)
    require_problem(await at.ask("GET", "/api/nothing"), 404, None)
    refused = await at.ask("DELETE", "/api/flags")
    require_problem(refused, 405, None)
    assert refused.headers["Allow"] == "GET,HEAD"
    require_problem(await at.ask("GET", "/api/flags", Authorization="Bearer wrong"), 401, "token-required")
    assert (await at.ask("GET", "/healthz", Authorization="")).status == 200
    companies = (await at.ask("GET", "/api/companies?companyOrigin=WATCHED")).json["companies"]
    assert [one["name"] for one in companies] == ["당근마켓"], "nothing of all that was written"


async def test_what_must_not_come_in_is_refused_before_it_does_anything(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    async with inhabited(tmp_path, blank_url, daemons, api_token=TOKEN) as at:
        await _refuses_strangers(at)
        assert TOKEN not in at.daemon.output
