"""One day of a daemon among sites that mean it ill, or are broken, and one that is well."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from daemon.clock import kst
from daemon.demo.exchange import Ask
from daemon.demo.sites import SITES
from daemon.demo.sources import DemoSource
from daemon.demo.world import World
from daemon.demo.world.truth import truth
from daemon.posting.tables import job_posting_descriptions, job_postings
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemons
from tests.acceptance.stage import Stage, follow, stage_on
from tests.board import Posting, serve_board
from tests.databases import execute
from tests.sources.hostile import HostileSite

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

_DAY = date(2026, 12, 1)
_NOON = kst(_DAY, 12)
_MOST_MEBIBYTES = 250
_PATIENCE = 8
"""Seconds that the daemon waits for an answer: 200 MB, or a bomb, on a machine that is busy with other tests."""

_PLAYS = {
    "silent": "TIMEOUT",
    "drip-headers": "TIMEOUT",
    "drip-body": "TIMEOUT",
    "drip-chunks": "TIMEOUT",
    "bomb-gzip": "TOO_LARGE",
    "bomb-deflate": "TOO_LARGE",
    "bomb-br": "TOO_LARGE",
    "bomb-members": "PROTOCOL_ERROR",
    "huge": "TOO_LARGE",
    "huge-until-close": "TOO_LARGE",
    "huge-declared": "TOO_LARGE",
    "header-bomb": "PROTOCOL_ERROR",
    "endless-chunk-extension": "PROTOCOL_ERROR",
    "many-cookies": "PROTOCOL_ERROR",
    "redirect-loop": "REDIRECTED",
    "redirect-away": "REDIRECTED",
    "html-for-json": "BLOCKED",
    "wrong-types": "LAYOUT_CHANGED",
    "nul": "LAYOUT_CHANGED",
    "deep-json": "TOO_LARGE",
    "charset-lies": "LAYOUT_CHANGED",
    "lying-encoding": "PROTOCOL_ERROR",
    "resets": "SERVER_ERROR",
}
"""How a cycle ends whose list plays a play of the hostile site."""


def _job(number: int | str, title: str, content: str = "<p>본문</p>") -> dict[str, object]:
    return {
        "id": number,
        "title": title,
        "absolute_url": f"https://boards.greenhouse.io/evil/jobs/{str(number)[:50]}",
        "updated_at": "2026-11-20T10:00:00-05:00",
        "content": content,
        "metadata": None,
    }


def _board(*jobs: dict[str, object]) -> bytes:
    return json.dumps({"jobs": jobs, "meta": {"total": len(jobs)}}).encode()


def _odd_boards() -> dict[str, tuple[bytes, str | None]]:
    """Boards that are JSON of the right shape with wrong things in it, and how their cycles fail (None: not)."""
    return {
        "long-title": (_board(_job(1, "가" * 100_000)), None),
        "long-id": (_board(_job("9" * 201, "백엔드 개발자")), "LAYOUT_CHANGED"),
        "long-text": (_board(_job(1, "백엔드 개발자", "글" * 2_000_000)), None),
        "nul-in-words": (_board(_job(1, "백엔드\0 개발자", "<p>본\0문</p>")), None),
        "half-emoji": (_board(_job(1, "\ud83d 개발자")), None),
        "many": (_board(*(_job(number, "t", "") for number in range(80_000))), "TOO_LARGE"),
        "tiny": (b'{"jobs": [' + b"{}," * 5_000_000 + b'{}], "meta": {"total": 1}}', "TOO_LARGE"),
    }


async def _follow_hostile(stage: Stage, site: HostileSite) -> dict[int, str | None]:
    """Register a board for each way to misbehave; how each cycle must fail, by source."""
    expected: dict[int, str | None] = {}
    for name, outcome in _PLAYS.items():
        site.plays(f"/v1/boards/{name}", name)
        expected[await _follow_board(stage, name)] = outcome
    for name, (body, failure) in _odd_boards().items():
        site.answers(f"/v1/boards/{name}", body, kind="application/json")
        expected[await _follow_board(stage, name)] = failure
    return expected


async def _follow_board(stage: Stage, name: str) -> int:
    return await follow(stage.db, DemoSource(platform=Platform.GREENHOUSE, slug=name, company_name=f"회사 {name}"))


def _in_two_charsets(world: World, site: HostileSite) -> None:
    """Two boards of Incruit whose bytes are of one charset and whose label is of the other."""
    incruit = SITES[Platform.INCRUIT]
    for slug, charset, label in (("s003", "cp949", "utf-8"), ("s007", "utf-8", "euc-kr")):
        paths = [f"/{slug}/job/"]
        paths += [f"/{slug}/job/{one.source_job_id}" for one in truth(world, Platform.INCRUIT, slug, _DAY).postings]
        for path in paths:
            ask = Ask(path=path)
            body = incruit.render(ask, incruit.locate(ask), world.on(_DAY), ()).body.decode("cp949")
            site.answers(path.rstrip("/"), body.encode(charset), kind=f"text/html; charset={label}")


async def test_every_hostile_answer_has_a_named_outcome_within_250_mebibytes_and_the_healthy_site_its_postings(
    tmp_path: Path, daemons: Daemons
) -> None:
    """Issue: "Hostile input: byte-dripping server, 10 GB gzip bomb, 200 MB body, wrong charset labels, redirect loops,
    HTML where JSON is expected, JSON of the wrong types, NUL bytes, 100,000-character titles, ids over 200 characters:
    the cycle ends with a named outcome, memory stays under 250 MB, other sources go on."
    """
    world = World(first_day=_DAY, calm=True)
    url = f"sqlite:///{tmp_path}/gonggo.db"
    async with HostileSite() as site, HostileSite() as mislabelled, serve_board() as board:
        origins = {
            Platform.GREENHOUSE: site.origin,
            Platform.INCRUIT: mislabelled.origin,
            Platform.WOOWAHAN: board.origin,
        }
        async with stage_on(tmp_path, url, _NOON, origins) as stage:
            expected = await _follow_hostile(stage, site)
            _in_two_charsets(world, mislabelled)
            charsets = {
                await follow(stage.db, DemoSource(platform=Platform.INCRUIT, slug=slug, company_name=slug)): slug
                for slug in ("s003", "s007")
            }
            board.fill(150)
            healthy = await follow(
                stage.db, DemoSource(platform=Platform.WOOWAHAN, slug="woowahan", company_name="우아한형제들")
            )
            daemon = await daemons.start("daemon", stage.told(request_timeout_seconds=_PATIENCE, slices_per_host=4))
            ended = await stage.over(_DAY)
            peak = daemon.peak_memory()
            assert await daemon.stop() == 0
            failures = {key: row["failure_reason"] for key, row in ended.items()}
            assert failures == {**expected, **dict.fromkeys(charsets), healthy: None}
            assert {key for key, row in ended.items() if row["cycle_status"] == "SUCCESS"} == {
                key for key, failure in failures.items() if failure is None
            }
            await _check_postings(stage, world, charsets, healthy)
            assert peak < _MOST_MEBIBYTES, f"peak of {peak:.0f} MiB"


async def _check_postings(stage: Stage, world: World, charsets: dict[int, str], healthy: int) -> None:
    stored: dict[int, dict[str, Any]] = {}
    for posting in await execute(stage.db, select(job_postings)):
        stored.setdefault(posting.job_source_id, {})[posting.source_job_id] = posting
    assert len(stored.pop(healthy)) == 150
    for key, slug in charsets.items():
        titles = {one.source_job_id: one.title for one in truth(world, Platform.INCRUIT, slug, _DAY).postings}
        assert {job_id: posting.title for job_id, posting in stored.pop(key).items()} == titles
    odd = [posting.title for postings in stored.values() for posting in postings.values()]
    assert sorted(odd) == sorted(["가" * 500, "백엔드 개발자", "백엔드 개발자", "? 개발자"])


async def test_hostile_pages_of_postings_cost_their_texts_and_not_the_list(tmp_path: Path, daemons: Daemons) -> None:
    """Issue: "the cycle ends with a named outcome, memory stays under 250 MB", for what stands behind a good list."""
    plays = ("drip-body", "bomb-gzip", "huge", "wrong-types", "redirect-garbage", "charset-lies", "resets", "nul")
    url = f"sqlite:///{tmp_path}/gonggo.db"
    async with HostileSite() as site, stage_on(tmp_path, url, _NOON, {Platform.WOOWAHAN: site.origin}) as stage:
        items = [Posting(f"R{number:05d}").item() for number in range(len(plays))]
        data = {"pageSize": 100, "pageNumber": 1, "totalPageNumber": 1, "totalSize": len(items), "list": items}
        listed = json.dumps({"code": "2000", "message": "OK", "data": data}).encode()
        site.answers("/w1/recruits", listed, kind="application/json")
        for number, name in enumerate(plays):
            site.plays(f"/w1/recruits/R{number:05d}", name)
        source = await follow(
            stage.db, DemoSource(platform=Platform.WOOWAHAN, slug="woowahan", company_name="우아한형제들")
        )
        daemon = await daemons.start("daemon", stage.told(request_timeout_seconds=_PATIENCE))
        row = (await stage.over(_DAY))[source]
        assert (row["cycle_status"], row["new_count"]) == ("SUCCESS", len(plays))
        assert (row["detail_request_count"], row["detail_failure_count"]) == (len(plays), len(plays))
        assert await execute(stage.db, select(job_posting_descriptions)) == []
        assert daemon.peak_memory() < _MOST_MEBIBYTES
