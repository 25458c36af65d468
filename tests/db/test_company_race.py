"""The same new names at the same time, from two connections and from two processes: one company each."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from datetime import timedelta

import pytest
from sqlalchemy import select

from daemon.clock import SystemClock
from daemon.company import store
from daemon.company.actions import add_alias, promote_company, register_company
from daemon.company.model import CompanyExists, CompanySource, ResolvedCompanies, SourceFollowed
from daemon.company.tables import companies, job_sources
from daemon.db import Database, Tx, open_database, transaction
from daemon.sources.model import Platform
from tests.databases import open_second, url_of
from tests.engines import rows

ROUNDS = 30
PAGE = 25
SPELLINGS = ("{}", "(주){}", "㈜ {}", "{} Inc.", "주식회사 {}")


def page(number: int, seed: int) -> list[str]:
    """A page of names, half of them on the next page too, in an order and in spellings of its own."""
    drawn = random.Random(f"{number}-{seed}")
    names = [drawn.choice(SPELLINGS).format(f"회사{number * 12 + index}") for index in range(PAGE)]
    drawn.shuffle(names)
    return names


async def work(url: str, seed: int) -> dict[str, int]:
    """Resolve every page; what each plain name became."""
    db = open_database(url, SystemClock())
    found: dict[str, int] = {}
    try:
        for number in range(ROUNDS):
            resolved = await transaction(db, store.resolve_companies, page(number, seed))
            for name, company_id in resolved.ids.items():
                plain = name.replace("(주)", "").replace("㈜ ", "").replace(" Inc.", "").replace("주식회사 ", "")
                assert found.setdefault(plain, company_id) == company_id, name
    finally:
        await db.close()
    return found


async def test_two_processes_that_meet_the_same_new_names_make_one_company_each(db: Database) -> None:
    command = [sys.executable, "-m", "tests.db.test_company_race", url_of(db)]
    workers = [
        await asyncio.create_subprocess_exec(*command, str(seed), stdout=asyncio.subprocess.PIPE) for seed in range(2)
    ]
    async with asyncio.timeout(60):
        outputs = [(await worker.communicate())[0] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    one, two = (json.loads(output) for output in outputs)
    assert one == two
    made = await rows(db, companies)
    assert len(made) == len(one)
    assert {each["id"] for each in made} == set(one.values())


async def test_many_pages_at_once_each_find_all_their_companies(server_db: Database) -> None:
    """MariaDB lost new rows of an insert that set the id of a row that was there to itself, while others inserted."""

    async def resolve(seed: int) -> None:
        drawn = random.Random(seed)
        for number in range(25):
            names = [f"회사{drawn.randrange(number * 20, number * 20 + 60)}" for _ in range(40)]
            resolved = await transaction(server_db, store.resolve_companies, names)
            assert resolved.ids.keys() == set(names)

    async with asyncio.TaskGroup() as group:
        for seed in range(6):
            group.create_task(resolve(seed))


async def test_a_company_that_another_made_first_is_found_by_one_who_does_not_see_it_yet(server_db: Database) -> None:
    """The view of the one who looks is from before the other's commit."""
    async with server_db.engine.connect() as connection:
        await connection.execution_options(isolation_level="REPEATABLE READ")
        tx = Tx(connection, server_db.clock)
        before = await tx.execute(select(companies.c.id))
        assert before.all() == []
        made = await transaction(server_db, store.resolve_companies, ["(주)회사"])
        assert await store.resolve_companies(tx, ["회사"]) == ResolvedCompanies(
            ids={"회사": made.ids["(주)회사"]}, names=made.names
        )
        await connection.rollback()


async def test_of_two_registrations_of_one_company_at_once_one_is_refused(db: Database) -> None:
    async with open_second(db) as second:
        for number in range(25):
            asked = await asyncio.gather(
                register_company(db, f"회사 {number}", [], [f"별명 {number}"]),
                register_company(second, f"(주)회사{number}", []),
                return_exceptions=True,
            )
            refused = [result for result in asked if isinstance(result, BaseException)]
            assert [type(each) for each in refused] == [CompanyExists], asked
    assert len(await rows(db, companies)) == 25


async def test_a_name_given_to_one_company_and_as_an_alias_to_another_at_once_is_one_of_the_two(db: Database) -> None:
    other = (await register_company(db, "다른 회사", [])).company_id
    async with open_second(db) as second:
        for number in range(25):
            name = f"회사 {number}"
            if number % 2:
                await transaction(db, store.resolve_companies, [name])
            asked = await asyncio.gather(
                register_company(db, name, []), add_alias(second, other, name), return_exceptions=True
            )
            refused = [result for result in asked if isinstance(result, BaseException)]
            assert [type(each) for each in refused] == [CompanyExists], asked


async def test_a_company_promoted_while_its_name_becomes_anothers_alias_is_one_of_the_two(db: Database) -> None:
    other = (await register_company(db, "다른 회사", [])).company_id
    async with open_second(db) as second:
        for number in range(25):
            name = f"회사 {number}"
            found = (await transaction(db, store.resolve_companies, [name])).ids[name]
            asked = await asyncio.gather(
                promote_company(db, found), add_alias(second, other, name), return_exceptions=True
            )
            refused = [result for result in asked if isinstance(result, BaseException)]
            assert [type(each) for each in refused] == [CompanyExists], asked


async def test_of_two_that_register_one_discovered_company_at_once_one_is_refused(db: Database) -> None:
    async with open_second(db) as second:
        for number in range(25):
            name = f"회사 {number}"
            await transaction(db, store.resolve_companies, [name])
            board = CompanySource(platform=Platform.GREENHOUSE, source_slug=f"board{number}")
            asked = await asyncio.gather(
                register_company(db, name, [board]), register_company(second, name, []), return_exceptions=True
            )
            refused = [result for result in asked if isinstance(result, BaseException)]
            assert [type(each) for each in refused] == [CompanyExists], asked


async def test_of_two_that_follow_one_board_at_once_one_is_refused(db: Database) -> None:
    async with open_second(db) as second:
        for number in range(25):
            board = CompanySource(platform=Platform.GREENHOUSE, source_slug=f"board{number}")
            asked = await asyncio.gather(
                register_company(db, f"하나 {number}", [board]),
                register_company(second, f"둘 {number}", [board]),
                return_exceptions=True,
            )
            refused = [result for result in asked if isinstance(result, BaseException)]
            assert [type(each) for each in refused] == [SourceFollowed], asked
    assert len(await rows(db, companies)) == 25
    assert len(await rows(db, job_sources)) == 25


async def test_a_page_waits_for_the_page_before_it_and_then_reads_its_companies(server_db: Database) -> None:
    async with open_second(server_db) as second:
        inserted, go_on = asyncio.Event(), asyncio.Event()

        async def slow(tx: Tx) -> ResolvedCompanies:
            found = await store.resolve_companies(tx, ["가", "나"])
            inserted.set()
            await go_on.wait()
            return found

        first = asyncio.ensure_future(transaction(server_db, slow))
        await inserted.wait()
        later = asyncio.ensure_future(transaction(second, store.resolve_companies, ["나", "다"]))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(later), timedelta(milliseconds=80).total_seconds())
        go_on.set()
        assert (await later).ids["나"] == (await first).ids["나"]


if __name__ == "__main__":
    print(json.dumps(asyncio.run(work(sys.argv[1], int(sys.argv[2])))))
