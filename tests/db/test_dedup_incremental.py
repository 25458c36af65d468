"""Working on touched keys alone gives what grouping everything anew gives, whatever happened before (DESIGN 1.5)."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from sqlalchemy import delete, null

from daemon.company.tables import companies, job_sources
from daemon.db import Database, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.posting.actions import deduplicate
from daemon.posting.rules import dedup_key
from daemon.posting.store import close_passed, save_missed, save_rewritten
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.engines import DAY, add_source, keyed, newest, write
from tests.postings import add_posting

COMPANY = "회사 daangn"
TITLES = ("백엔드", "프론트엔드", "데이터")
STANDING = ("representative_id", "notification_eligible", "eligible_alone")

Step = tuple[Any, ...]

DEADLINES = (None, None, 0, 20, 29, 31, 45, 60, 100)


def add(chance: Random) -> Step:
    return "add", chance.randrange(4), chance.choice(TITLES), chance.choice(DEADLINES), chance.randrange(-3, 4)


def change(chance: Random) -> Step:
    """One thing that lists, passing time, persons or switches do to postings."""
    which = chance.randrange(100)
    return chance.choice(
        [
            add(chance),
            *[("edit", which, chance.choice(TITLES), chance.choice(DEADLINES))] * 3,
            *[("close", which)] * 2,
            ("reopen", which),
            ("sweep", chance.choice([10, 40])),
            ("flag", chance.random() < 0.8),
        ]
    )


def history_of(chance: Random) -> list[list[Step]]:
    """Days, at whose ends the 08:30 job runs."""
    return [
        [add(chance) for _ in range(8)],
        *([change(chance) for _ in range(chance.randrange(1, 6))] for _ in range(6)),
        [("flag", chance.random() < 0.8)],
    ]


class History:
    """Postings of one company on two boards of its own and an aggregator, or entered by hand."""

    def __init__(self, db: Database, company: int, sources: list[int | None]) -> None:
        self.db = db
        self.company = company
        self.sources = sources
        self.ids: list[int] = []

    async def take(self, step: Step) -> None:
        """Let one thing happen, by the store functions that the product has for it."""
        match step:
            case ("add", source, name, days, seen):
                columns = {"deadline_at": self._day(days), "first_seen_at": self._day(seen)}
                posting_id = await add_posting(
                    self.db,
                    self.company,
                    self.sources[source],
                    name,
                    notification_eligible=len(self.ids) % 3 and 1,
                    **columns,
                )
                self.ids.append(posting_id)
            case ("edit", which, name, days):
                await self._rewrite(which, title=name, dedup_key=dedup_key(COMPANY, name), deadline_at=self._day(days))
            case ("reopen", which):
                await self._rewrite(which, posting_status="OPEN", closed_reason=None)
            case ("close", which):
                await self._do(save_missed, (), (self._id(which),), self.db.clock.now())
            case ("sweep", days):
                await self._do(close_passed, self._day(days), 100)
            case ("flag", on):
                await switch_flag(self.db, FlagKey.CROSS_SOURCE_DEDUP, on)

    async def run(self) -> None:
        """The 08:30 job, with nobody in its way."""
        assert (await deduplicate(self.db)).left == 0

    def _id(self, which: int) -> int:
        return self.ids[which % len(self.ids)]

    async def _rewrite(self, which: int, **columns: Any) -> None:
        await self._do(save_rewritten, [{"id": self._id(which), **columns}])

    async def _do(self, unit: Any, *arguments: Any) -> None:
        await transaction(self.db, unit, *arguments)

    def _day(self, days: int | None) -> Any:
        return None if days is None else self.db.clock.now() + days * DAY


async def given_history(db: Database) -> History:
    await write(db, delete(job_postings))
    await write(db, delete(job_sources))
    await write(db, delete(companies))
    await switch_flag(db, FlagKey.CROSS_SOURCE_DEDUP, True)
    first = await add_source(db, Platform.GREENHOUSE, "daangn")
    company = (await newest(db, job_sources))["company_id"]
    second = await add_source(db, Platform.WOOWAHAN, "daangn-2")
    board = await add_source(db, Platform.SARAMIN, category="84")
    return History(db, company, [first, second, board, None])


async def test_who_stood_for_a_duplicate_that_moved_while_nothing_was_grouped_is_looked_at_again(db: Database) -> None:
    history = await given_history(db)
    for own_board, days in ((0, None), (2, 100), (2, 31)):
        await history.take(("add", own_board, "데이터", days, 0))
    await history.run()
    always_open, later, sooner = history.ids
    assert [(await standings(db))[key][0] for key in history.ids] == [None, always_open, None]
    for step in (("flag", False), ("edit", 1, "백엔드", 100), ("flag", True)):
        await history.take(step)
        await history.run()
    assert [(await standings(db))[key][0] for key in (always_open, later, sooner)] == [None, None, always_open]


async def standings(db: Database) -> dict[int, list[Any]]:
    return {key: [row[name] for name in STANDING] for key, row in (await keyed(db, job_postings, "id")).items()}


@settings(max_examples=20, deadline=timedelta(seconds=30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.randoms(use_true_random=True))
async def test_after_any_history_the_touched_keys_alone_lead_to_the_result_of_a_full_rebuild(
    db: Database, chance: Random
) -> None:
    history = await given_history(db)
    happened = history_of(chance)
    note(str(happened))
    for day in happened:
        for step in day:
            await history.take(step)
        await history.run()
    incremental = await standings(db)
    # As if no run had ever been: everything stands for itself and is still to be looked at.
    own = job_postings.c.eligible_alone
    await write(db, job_postings.update().where(own.is_not(None)).values(notification_eligible=own))
    await write(db, job_postings.update().values(representative_id=null(), eligible_alone=null(), dedup_pending=1))
    await history.run()
    assert incremental == await standings(db)
