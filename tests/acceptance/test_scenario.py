"""Seed 001's two scenarios, each in one piece: the real daemon, asked over HTTP alone, on each engine.

What a person does is a request to the API; what they are told stands in a Discord double with the real one's limits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import KST, kst
from daemon.demo.discord import Posted
from daemon.demo.world import World
from daemon.flags.model import FlagKey
from daemon.sources.model import Platform
from tests.acceptance.daemons import Daemon, Daemons
from tests.acceptance.stage import Theatre, theatre_on
from tests.discord import Discord, serve_discord

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

Json = dict[str, Any]

DISPATCHES = "/api/operations/notification-dispatches"
ORDER_SERVER = "배민 주문시스템 서버 개발자 (Java/Kotlin)"
"""A vacancy of 우아한형제들 that the world lists from its second day on: its own board, Saramin, JobKorea."""


@dataclass(frozen=True, kw_only=True)
class Life:
    """One person's daemon from the world's first midnight on."""

    theatre: Theatre
    daemon: Daemon
    discord: Discord

    async def live_through(self, number: int) -> None:
        """A day, from midnight until its last job is done."""
        await self.theatre.timeline(self.daemon).live_through(self.theatre.world.day_number(number))

    async def get(self, path: str) -> Any:
        return await self.daemon.ask("GET", path)

    async def post(self, path: str, body: Json, status: int = 201) -> Any:
        return await self.daemon.ask("POST", path, body, status)

    def told(self, words: str) -> list[Posted]:
        """The messages in the channel that say this."""
        return [message for message in self.discord.messages if words in _plain(message.text)]

    async def look_for(self, group: str, *synonyms: str) -> None:
        """The person's criteria: a keyword group, and the work arrangements that matter to them."""
        await self.post("/api/matching/keyword-groups", {"displayName": group, "synonyms": synonyms})
        for word in ("원격근무", "재택근무"):
            await self.post("/api/matching/work-arrangement-keywords", {"keyword": word})

    async def messages_are_proper(self) -> None:
        """Each arrived once, after 09:00 and within Discord's limits, and the history knows it."""
        assert {request.status for request in self.discord.requests} <= {200}
        assert set(self.discord.copies().values()) <= {1}
        for message in self.discord.messages:
            at = datetime.fromtimestamp(message.at, KST)
            assert (9, 0) <= (at.hour, at.minute) < (9, 30)
            assert not message.pings
        kept = (await self.get(f"{DISPATCHES}?size=200"))["dispatches"]
        assert {one["dispatchStatus"] for one in kept} <= {"DELIVERED"}
        assert {one["attemptCount"] for one in kept} <= {1}
        assert {one["discordMessageId"] for one in kept} == {message.id for message in self.discord.messages}


def _plain(markdown: str) -> str:
    return markdown.replace("\\", "").replace("**", "")


@asynccontextmanager
async def _life(folder: Path, url: str, daemons: Daemons) -> AsyncIterator[Life]:
    """A daemon that was just installed: everything is off, nothing is followed, nothing is looked for."""
    world = World(scale=0.05, days=3, calm=True)
    start = kst(world.first_day, 0) - timedelta(minutes=2)
    async with theatre_on(folder, url, start, world, (), flags=()) as theatre:
        clock = theatre.stage.clock
        async with serve_discord(lambda: clock.now().timestamp()) as discord:
            told = theatre.stage.told(discord_webhook_url=discord.url)
            life = Life(theatre=theatre, daemon=await daemons.start("daemon", told), discord=discord)
            for key in FlagKey:
                await life.daemon.ask("PUT", f"/api/flags/{key}", {"enabled": not key.is_taste})
            yield life
            assert await life.daemon.stop() == 0


async def test_register_seed_second_day_match_told_at_nine_apply_move_on_history(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Seed 001, E2E: company registered, seeding, second collection, matching, 09:00, application, transitions,
    history."""
    async with _life(tmp_path, blank_url, daemons) as life:
        board = {"platform": "WOOWAHAN", "sourceSlug": "woowahan"}
        company = await life.post("/api/companies", {"name": "우아한형제들", "sources": [board]})
        assert (company["registrationType"], company["companyOrigin"]) == ("AUTO", "WATCHED")
        await life.look_for("서버 개발", "서버 개발자", "Backend")
        listed = f"/api/companies/{company['companyId']}/job-postings?size=200"

        await life.live_through(1)
        seeded = (await life.get(listed))["jobPostings"]
        shown = life.theatre.world.on(life.theatre.world.first_day).listed(Platform.WOOWAHAN, "woowahan")
        assert sorted(one["title"] for one in seeded) == sorted(one.title for one in shown or () if not one.withdrawn)
        assert life.discord.requests == []
        assert (await life.get(DISPATCHES))["totalCount"] == 0

        await life.live_through(2)
        second = (await life.get(listed))["jobPostings"]
        new = {one["jobPostingId"]: one for one in second}
        for one in seeded:
            new.pop(one["jobPostingId"])
        matched = [one for one in new.values() if one["matched"]]
        assert ORDER_SERVER in {one["title"] for one in matched}
        assert len(life.discord.messages) == len(matched)
        for one in matched:
            assert len(life.told(f"우아한형제들 — {one['title']}")) == 1
        (message,) = life.told(ORDER_SERVER)
        assert all(words in _plain(message.text) for words in ("상시채용", "원격근무 · 유력", "서버 개발"))
        await life.messages_are_proper()

        posting = next(one for one in matched if one["title"] == ORDER_SERVER)
        assert posting["workArrangement"] == {"keyword": "원격근무", "confidence": "LIKELY"}
        assert posting["applicationId"] is None
        await _apply_and_move_on(life, posting["jobPostingId"], listed)

        await life.live_through(3)
        assert len(life.told(ORDER_SERVER)) == 1
        await life.messages_are_proper()


async def _apply_and_move_on(life: Life, posting_id: int, listed: str) -> None:
    """Apply, screening, two refused moves, an interview, an offer, accepted; every step is in the history."""
    applied = {"jobPostingId": posting_id, "appliedAt": life.theatre.stage.clock.now().isoformat()}
    made = await life.post("/api/applications", {**applied, "memo": "이력서 3판"})
    assert made["status"] == "APPLIED"
    path = f"/api/applications/{made['applicationId']}"
    item = next(one for one in (await life.get(listed))["jobPostings"] if one["jobPostingId"] == posting_id)
    assert item["applicationId"] == made["applicationId"]
    again = await life.post("/api/applications", applied, 409)
    assert again["applicationId"] == made["applicationId"]

    async def move(status: str, answered: int = 200) -> Json:
        moved: Json = await life.post(f"{path}/status-transitions", {"nextStatus": status}, answered)
        return moved

    await move("OFFERED", 409)
    assert "INTERVIEWING" in (await move("DOCUMENT_SCREENING"))["allowedNextStatuses"]
    await move("INTERVIEWING")
    when = kst(life.theatre.world.day_number(3), 14).isoformat()
    round_one = {"roundNumber": 1, "label": "기술 면접", "scheduledAt": when}
    interview = await life.post(f"{path}/interviews", round_one)
    result = {"interviewResult": "PASSED", "memo": "과제 리뷰"}
    await life.daemon.ask("PATCH", f"{path}/interviews/{interview['interviewId']}", result)
    await move("OFFERED")
    assert (await move("WITHDRAWN", 409))["title"]
    assert (await move("ACCEPTED"))["allowedNextStatuses"] == []
    await move("REJECTED", 409)

    found = await life.get(path)
    steps = [(one["previousStatus"], one["nextStatus"]) for one in found["statusHistories"]]
    statuses = [None, "APPLIED", "DOCUMENT_SCREENING", "INTERVIEWING", "OFFERED", "ACCEPTED"]
    assert steps == list(pairwise(statuses))
    moments = [one["transitedAt"] for one in found["statusHistories"]]
    assert moments == sorted(moments)
    (held,) = found["interviews"]
    assert (held["label"], held["interviewResult"], held["memo"]) == ("기술 면접", "PASSED", "과제 리뷰")
    assert (found["companyName"], found["jobPostingTitle"]) == ("우아한형제들", ORDER_SERVER)
    _, calendar = await life.daemon.get("/api/calendar.ics")
    assert "[면접] 우아한형제들 - 기술 면접" in calendar


async def test_aggregators_discover_a_company_whose_duplicate_is_one_posting_in_one_digest(
    blank_url: str, tmp_path: Path, daemons: Daemons
) -> None:
    """Seed 001, E2E: aggregator collected, company made known by it, copies on two sites, representative, digest."""
    async with _life(tmp_path, blank_url, daemons) as life:
        for platform, code in (("SARAMIN", "84"), ("JOBKOREA", "10031")):
            await life.post("/api/aggregator-sources", {"platform": platform, "searchCategoryCode": code})
        await life.look_for("서버 개발", "서버 개발자")

        await life.live_through(1)
        assert life.discord.requests == []
        discovered = await _companies(life, "DISCOVERED")
        assert {"늘찬소프트", "한빛융합기술"} <= {one["name"].replace("(주)", "") for one in discovered.values()}
        assert await _companies(life, "WATCHED") == {}

        await life.live_through(2)
        found = await life.get("/api/job-postings?matched=true&size=200&title=주문시스템")
        (posting,) = found["jobPostings"]
        assert (posting["title"], posting["alternateSourceCount"]) == (ORDER_SERVER, 1)
        sources = (await life.get(f"/api/job-postings/{posting['jobPostingId']}"))["alternateSources"]
        assert [one["isRepresentative"] for one in sources] == [True, False]
        assert {one["platform"] for one in sources} == {"SARAMIN", "JOBKOREA"}
        company = (await _companies(life, "DISCOVERED"))[posting["companyId"]]
        assert "우아한형제들" in company["name"]

        digests = life.told("오늘 발견한 공고")
        assert digests == life.discord.messages
        assert sum(_plain(message.text).count(f"[{ORDER_SERVER}]") for message in digests) == 1
        kept = (await life.get(DISPATCHES))["dispatches"]
        assert {one["notificationType"] for one in kept} == {"DAILY_DIGEST"}
        await life.messages_are_proper()

        # Promoted, and listed on its own board as well: another stands for the copies now, and nothing is told again.
        await life.post(f"/api/companies/{company['id']}/promotion", {}, 200)
        board = {"platform": "WOOWAHAN", "sourceSlug": "woowahan"}
        await life.post(f"/api/companies/{company['id']}/sources", board)
        await life.live_through(3)
        (posting,) = (await life.get("/api/job-postings?matched=true&size=200&title=주문시스템"))["jobPostings"]
        assert (posting["sourceType"], posting["alternateSourceCount"]) == ("COMPANY_BOUND", 2)
        assert sum(_plain(message.text).count(f"[{ORDER_SERVER}]") for message in life.discord.messages) == 1
        assert life.told(f"— {ORDER_SERVER}") == []
        await life.messages_are_proper()


async def _companies(life: Life, origin: str) -> dict[int, Json]:
    """The companies of that origin, by id."""
    found: dict[int, Json] = {}
    while True:
        page = await life.get(f"/api/companies?companyOrigin={origin}&size=200&page={len(found) // 200}")
        found |= {one["id"]: one for one in page["companies"]}
        if len(found) >= page["totalCount"]:
            return found
