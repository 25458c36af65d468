"""Forgetting a source over HTTP: gone when it never brought anything, else kept and told why."""

from __future__ import annotations

from datetime import date

from daemon.collection.model import CycleStatus
from daemon.company.tables import job_sources
from daemon.db import Database
from daemon.sources.model import Platform
from tests.db.collected import add_cycle
from tests.engines import add_source, rows
from tests.web.conftest import Serve


async def test_a_source_is_removed_once_and_one_that_has_brought_something_is_kept(db: Database, serve: Serve) -> None:
    wrong = await add_source(db, Platform.GREENHOUSE, "daangm")
    good = await add_source(db, Platform.SARAMIN, category="84")
    await add_cycle(db, good, date(2026, 12, 1), CycleStatus.SUCCESS)
    client = await serve(db)
    answer = await client.delete(f"/api/sources/{wrong}")
    assert (answer.status, await answer.json()) == (200, {"jobSourceId": wrong, "platform": "GREENHOUSE"})
    answer = await client.delete(f"/api/sources/{good}")
    told = await answer.json()
    assert (answer.status, told["type"]) == (409, "urn:gonggo:problem:source-kept")
    assert (told["jobSourceId"], told["kept"]) == (good, "COLLECTED")
    answer = await client.delete(f"/api/sources/{wrong}")
    assert (answer.status, (await answer.json())["type"]) == (404, "urn:gonggo:problem:unknown-source")
    assert [row["id"] for row in await rows(db, job_sources)] == [good]
