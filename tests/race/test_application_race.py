"""Two people, or one person twice, at one application at once: on every engine exactly one wins."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from datetime import timedelta

import pytest

from daemon.application import store
from daemon.application.actions import add_interview, apply_for_posting, edit_interview, transit_application
from daemon.application.model import (
    ApplicationExists,
    ApplicationOvertaken,
    ApplicationStatus,
    InterviewOvertaken,
    RoundExists,
    TransitionRefused,
)
from daemon.application.tables import (
    job_application_interviews,
    job_application_status_histories,
    job_applications,
)
from daemon.db import Database, Tx, transaction
from tests.databases import open_second
from tests.db.applied import some_posting
from tests.engines import row, rows

S = ApplicationStatus
ROUNDS = 15


async def at_once(*asked: Awaitable[object]) -> tuple[list[object], list[BaseException]]:
    """What was done and what was refused of some things asked for together."""
    answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    return [answer for answer in answers if not isinstance(answer, BaseException)], refused


async def fresh(db: Database) -> int:
    """A new application for a new posting."""
    return (await apply_for_posting(db, await some_posting(db), None, None)).id


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (S.DOCUMENT_SCREENING, S.DOCUMENT_SCREENING),
        (S.REJECTED, S.WITHDRAWN),
        (S.DOCUMENT_SCREENING, S.WITHDRAWN),
    ],
)
async def test_of_two_moves_decided_on_one_version_one_wins(
    db: Database, one: ApplicationStatus, other: ApplicationStatus
) -> None:
    """Seed 001, 동시성: 지원 상태 이중 전이. The last pair is allowed one after the other: the version decides."""
    async with open_second(db) as second:
        for number in range(ROUNDS):
            application = await fresh(db)
            done, refused = await at_once(
                transit_application(db, application, one, expected=[0]),
                transit_application(second, application, other, expected=[0]),
            )
            assert (len(done), [type(each) for each in refused]) == (1, [ApplicationOvertaken])
            assert len(await rows(db, job_application_status_histories)) == 2 * (number + 1)
    assert {each["version"] for each in await rows(db, job_applications)} == {1}


async def test_of_two_moves_to_an_end_one_wins_without_a_version_too(db: Database) -> None:
    async with open_second(db) as second:
        for _ in range(ROUNDS):
            application = await fresh(db)
            done, refused = await at_once(
                transit_application(db, application, S.REJECTED), transit_application(second, application, S.WITHDRAWN)
            )
            assert len(done) == len(refused) == 1
            assert isinstance(refused[0], ApplicationOvertaken | TransitionRefused)
    ends = [each["next_status"] for each in await rows(db, job_application_status_histories)]
    assert len([end for end in ends if end != "APPLIED"]) == ROUNDS


async def test_a_move_read_before_another_one_and_written_after_it_is_overtaken(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `If-Match` a move rests on what it finds first: the other move comes right after that."""
    application = await fresh(db)
    load = store.load_application
    came_between: list[ApplicationStatus] = []

    async with open_second(db) as second:

        async def load_then_lose(tx: Tx, application_id: int) -> object:
            found = await load(tx, application_id)
            if not came_between:
                came_between.append(S.DOCUMENT_SCREENING)
                other = transit_application(second, application_id, S.DOCUMENT_SCREENING, expected=[0])
                await _outside(other)
            return found

        monkeypatch.setattr(store, "load_application", load_then_lose)
        with pytest.raises(ApplicationOvertaken) as overtaken:
            await transit_application(db, application, S.WITHDRAWN)
    assert overtaken.value.application.current_status is S.DOCUMENT_SCREENING
    assert (await row(db, job_applications))["current_status"] == "DOCUMENT_SCREENING"


async def _outside(work: Awaitable[object]) -> None:
    """Await `work` as another task that knows nothing of this one's transaction."""

    async def run() -> None:
        await work

    await asyncio.get_running_loop().create_task(run(), context=Context())


async def test_a_move_waits_for_the_one_before_it_and_is_then_refused(server_db: Database) -> None:
    application = await fresh(server_db)
    async with open_second(server_db) as second:
        locked, go_on = asyncio.Event(), asyncio.Event()

        async def slow(tx: Tx) -> None:
            held = await store.lock_application(tx, application)
            assert held is not None
            locked.set()
            await go_on.wait()

        first = asyncio.ensure_future(transaction(server_db, slow))
        await locked.wait()
        later = asyncio.ensure_future(transit_application(second, application, S.WITHDRAWN, expected=[0]))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(later), timedelta(milliseconds=80).total_seconds())
        go_on.set()
        await first
        assert (await later).application.current_status is S.WITHDRAWN


@pytest.mark.parametrize("kind", ["application", "round"])
async def test_of_two_that_make_the_same_thing_one_is_refused_by_its_name(db: Database, kind: str) -> None:
    async with open_second(db) as second:
        for _ in range(ROUNDS):
            make, refusal = await _same_thing(db, kind)
            done, refused = await at_once(make(db), make(second))
            assert (len(done), [type(each) for each in refused]) == (1, [refusal])
    if kind == "application":
        assert len(await rows(db, job_applications)) == len(await rows(db, job_application_status_histories)) == ROUNDS
    else:
        assert len(await rows(db, job_application_interviews)) == ROUNDS


async def _same_thing(
    db: Database, kind: str
) -> tuple[Callable[[Database], Awaitable[object]], type[ApplicationExists] | type[RoundExists]]:
    if kind == "application":
        posting = await some_posting(db)
        return lambda by: apply_for_posting(by, posting, None, None), ApplicationExists
    application = await fresh(db)
    return lambda by: add_interview(by, application, 1, "1차"), RoundExists


async def test_of_two_edits_of_one_interview_on_one_version_one_wins(db: Database) -> None:
    application = await fresh(db)
    async with open_second(db) as second:
        for number in range(1, ROUNDS + 1):
            key = (await add_interview(db, application, number, "면접")).interview_id
            done, refused = await at_once(
                edit_interview(db, application, key, {"memo": "하나"}, expected=[0]),
                edit_interview(second, application, key, {"memo": "둘"}, expected=[0]),
            )
            assert (len(done), [type(each) for each in refused]) == (1, [InterviewOvertaken])
    assert {each["version"] for each in await rows(db, job_application_interviews)} == {1}
