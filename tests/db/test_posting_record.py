"""How a page's postings are stored: new, edited, seeded, and those of companies nobody registered (seed 001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event

from daemon.clock import ManualClock
from daemon.collection.engine import Engine
from daemon.collection.tables import job_posting_collection_cycles as cycles
from daemon.company.tables import companies, company_aliases, job_sources
from daemon.db import Database, transaction
from daemon.flags.model import FlagKey
from daemon.posting.model import DetailState, Observed, Recorded, Recording
from daemon.posting.record import record_observed
from daemon.posting.tables import job_posting_descriptions as descriptions
from daemon.posting.tables import job_posting_source_tags as tags
from daemon.posting.tables import job_postings
from daemon.sources.model import ChangeSignalKind, ChangeSignature, Platform, RawJobPosting
from tests.board import Board, Posting
from tests.engines import DAY, add_source, collect_day, keyed, newest, row, rows, switch_on, write

RECORDING = Recording(
    job_source_id=1, company_ids={}, default_company_id=7, company_names={7: "당근마켓"}, seeding=False
)
RAW = RawJobPosting(
    source_job_id="1",
    title="백엔드 개발자",
    posting_url="https://example.com/1",
    deadline_at=datetime(2026, 12, 24, tzinfo=UTC),
    signature=ChangeSignature(kind=ChangeSignalKind.UPDATED_AT, value="1"),
    structured_tags=("Back-End", "원격 근무"),
    description_body="본문 🙂",
    company_identifier="daangn",
)


async def record(
    db: Database, *raws: RawJobPosting, recording: Recording = RECORDING, detail: DetailState = DetailState.NOT_WANTED
) -> Recorded:
    """Record what a page showed."""
    observed = [Observed(raw=raw, detail=detail) for raw in raws]
    return await transaction(db, record_observed, recording, observed, db.clock.now())


async def tags_of(db: Database) -> list[tuple[str, str]]:
    return [(each["tag_value"], each["normalized_value"]) for each in await rows(db, tags)]


async def test_a_new_posting_is_stored_with_everything_that_was_read(db: Database, clock: ManualClock) -> None:
    recorded = await record(db, RAW)
    stored = await row(db, job_postings)
    expected = {
        "id": recorded.new_ids[0],
        "company_id": 7,
        "job_source_id": 1,
        "representative_id": None,
        "dedup_key": "당근마켓|백엔드개발자",
        "posting_origin": "COLLECTED",
        "source_job_id": "1",
        "title": "백엔드 개발자",
        "posting_url": "https://example.com/1",
        "deadline_at": RAW.deadline_at,
        "posting_status": "OPEN",
        "change_signal_kind": "UPDATED_AT",
        "change_signal_value": "1",
        "consecutive_miss_count": 0,
        "notification_eligible": 1,
        "access_restricted": 0,
        "dedup_pending": 1,
        "eligible_alone": None,
        "source_company_identifier": "daangn",
        "detail_verified_at": None,
        "version": 0,
        **dict.fromkeys(("closed_reason", "closed_at", "reopened_at", "changed_at")),
        **dict.fromkeys(("first_seen_at", "last_seen_at", "created_at", "updated_at"), clock.now()),
    }
    assert stored == expected
    assert (await row(db, descriptions))["body"] == "본문 🙂"
    assert await tags_of(db) == [("Back-End", "backend"), ("원격 근무", "원격근무")]


async def test_an_edited_posting_is_rewritten_with_its_text_and_tags(db: Database, clock: ManualClock) -> None:
    await record(db, RAW)
    clock.advance(DAY)
    edited = replace(
        RAW,
        title="서버 개발자",
        deadline_at=None,
        signature=ChangeSignature(kind=ChangeSignalKind.UPDATED_AT, value="2"),
        structured_tags=("Kotlin",),
        description_body="새 본문",
    )
    recorded = await record(db, edited)
    stored = await row(db, job_postings)
    assert recorded.changed_ids == (stored["id"],)
    names = ("title", "deadline_at", "change_signal_value", "dedup_key", "version", "notification_eligible")
    assert [stored[name] for name in names] == ["서버 개발자", None, "2", "당근마켓|서버개발자", 1, 1]
    assert stored["changed_at"] == stored["updated_at"] == stored["last_seen_at"] == clock.now()
    assert stored["first_seen_at"] == clock.now() - DAY
    text = await row(db, descriptions)
    assert (text["body"], text["char_length"], text["updated_at"]) == ("새 본문", 4, clock.now())
    assert await tags_of(db) == [("Kotlin", "kotlin")]


async def test_an_unchanged_posting_is_only_seen(db: Database, clock: ManualClock) -> None:
    await record(db, RAW)
    before = await row(db, job_postings)
    clock.advance(DAY)
    assert await record(db, RAW) == Recorded()
    assert await row(db, job_postings) == {**before, "last_seen_at": clock.now()}


async def test_an_answer_without_text_does_not_take_the_stored_text_away(db: Database) -> None:
    await record(db, RAW)
    await record(db, replace(RAW, description_body=None, signature=None, title="서버 개발자"))
    assert (await row(db, descriptions))["body"] == "본문 🙂"


async def test_ids_are_compared_byte_for_byte(db: Database) -> None:
    """A posting `a` is not the posting `A` or `a `, whatever the database's collation would say."""
    ids = ["a", "A", "ａ", "é", "e", "🍣", "🍺"]
    await record(db, *[replace(RAW, source_job_id=key) for key in ids])
    assert await record(db, *[replace(RAW, source_job_id=key) for key in ids]) == Recorded()
    assert [each["source_job_id"] for each in await rows(db, job_postings)] == ids


async def test_a_page_is_recorded_in_the_same_number_of_statements_however_long_it_is(db: Database) -> None:
    def page(count: int, version: str) -> list[RawJobPosting]:
        signature = ChangeSignature(kind=ChangeSignalKind.UPDATED_AT, value=version)
        return [replace(RAW, source_job_id=f"{count}-{number}", signature=signature) for number in range(count)]

    assert await statements(db, page(3, "1")) == await statements(db, page(200, "1"))
    assert await statements(db, page(3, "2")) == await statements(db, page(200, "2"))


async def statements(db: Database, raws: Sequence[RawJobPosting]) -> int:
    """How many statements recording a page takes."""
    counted: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        counted.append(statement)

    event.listen(db.engine.sync_engine, "before_cursor_execute", note)
    await record(db, *raws)
    event.remove(db.engine.sync_engine, "before_cursor_execute", note)
    return len(counted)


# --- seeding ---------------------------------------------------------------------------------------------------------


async def eligible(engine: Engine) -> set[str]:
    found = await rows(engine.db, job_postings)
    return {each["source_job_id"] for each in found if each["notification_eligible"]}


async def test_what_the_first_cycle_finds_is_never_told(collector: Engine, board: Board, clock: ManualClock) -> None:
    """Seed 001, failure path 13: 시딩 회차 공고는 알림 대상에서 제외 (FR-10)."""
    board.fill(3)
    await add_source(collector.db)
    await collect_day(collector)
    assert await eligible(collector) == set()
    assert (await row(collector.db, job_sources))["seeded_at"] == clock.now()
    clock.advance(DAY)
    board.postings.append(Posting("R90001"))
    board.postings[0].version = 2
    await collect_day(collector)
    assert await eligible(collector) == {"R90001"}


async def test_a_first_cycle_of_many_slices_is_seeding_to_its_end(collector: Engine, board: Board) -> None:
    board.fill(72)
    await add_source(collector.db)
    await collect_day(collector)
    assert (await row(collector.db, cycles))["attempt_count"] == 2
    assert await eligible(collector) == set()


async def test_a_failed_first_cycle_leaves_the_source_seeding(
    collector: Engine, board: Board, clock: ManualClock
) -> None:
    """DESIGN 1.4: seeding ends with a source's first cycle that is SUCCESS or BUDGET_EXHAUSTED."""
    board.fill(30)
    board.declared_total = 400
    await add_source(collector.db)
    await collect_day(collector)
    assert (await newest(collector.db, cycles))["cycle_status"] == "FAILED"
    assert (await row(collector.db, job_sources))["seeded_at"] is None
    clock.advance(DAY)
    board.fill(35)
    board.declared_total = None
    await collect_day(collector)
    assert await eligible(collector) == set()
    assert (await row(collector.db, job_sources))["seeded_at"] == clock.now()


# --- aggregators -----------------------------------------------------------------------------------------------------


@pytest.fixture
async def search(collector: Engine) -> int:
    """A search on an aggregator."""
    await switch_on(collector.db, FlagKey.AGGREGATOR_COLLECTION)
    return await add_source(collector.db, Platform.JUMPIT, category="1")


async def test_the_company_of_an_aggregators_posting_is_made_when_nobody_registered_it(
    collector: Engine, board: Board, search: int
) -> None:
    """Seed 001, failure path 23: `DISCOVERED` 회사로 자동 생성되고 companyId가 채워진다 (FR-61)."""
    board.positions = [(1, "㈜새로운회사"), (2, "다른 회사"), (3, "새로운 회사")]
    await collect_day(collector)
    made = await keyed(collector.db, companies, "id")
    assert {(each["name"], each["company_origin"], each["registration_type"]) for each in made.values()} == {
        ("㈜새로운회사", "DISCOVERED", "MANUAL_ONLY"),
        ("다른 회사", "DISCOVERED", "MANUAL_ONLY"),
    }
    found = await keyed(collector.db, job_postings, "source_job_id")
    assert found["1"]["company_id"] == found["3"]["company_id"] != found["2"]["company_id"]
    assert {each["company_id"] for each in found.values()} == set(made)
    assert {each["job_source_id"] for each in found.values()} == {search}
    assert (found["1"]["dedup_key"], found["3"]["dedup_key"]) == ("새로운회사|서버개발자1", "새로운회사|서버개발자3")


async def test_a_registered_company_is_found_by_its_normal_form_and_by_its_alias(
    collector: Engine, board: Board, search: int, clock: ManualClock
) -> None:
    """DESIGN 1.5: `(주)당근마켓` from a board is the registered `당근마켓`."""
    stamps = {"created_at": clock.now(), "updated_at": clock.now()}
    known = {"name": "당근마켓", "name_key": "당근마켓", "registration_type": "AUTO", "company_origin": "WATCHED"}
    await write(collector.db, companies.insert().values(**known, **stamps))
    company = (await row(collector.db, companies))["id"]
    alias = {"company_id": company, "alias": "당근", "alias_key": "당근", "created_at": clock.now()}
    await write(collector.db, company_aliases.insert().values(**alias))
    board.positions = [(1, "(주)당근마켓"), (2, "당근")]
    await collect_day(collector)
    assert {each["company_id"] for each in await rows(collector.db, job_postings)} == {company}
    assert len(await rows(collector.db, companies)) == 1


async def test_a_posting_that_moves_to_another_company_follows_it(
    collector: Engine, board: Board, search: int, clock: ManualClock
) -> None:
    board.positions = [(1, "옛 회사")]
    await collect_day(collector)
    clock.advance(DAY)
    board.positions = [(1, "새 회사")]
    await collect_day(collector)
    by_name = await keyed(collector.db, companies, "name")
    stored = await row(collector.db, job_postings)
    assert (stored["company_id"], stored["dedup_key"]) == (by_name["새 회사"]["id"], "새회사|서버개발자1")


async def test_a_posting_that_names_no_company_is_left_out(db: Database) -> None:
    nobodys = replace(RECORDING, default_company_id=None, company_ids={"당근마켓": 7})
    named = replace(RAW, source_job_id="2", company_name="당근마켓")
    recorded = await record(db, RAW, named, recording=nobodys)
    assert len(recorded.new_ids) == 1
    assert (await row(db, job_postings))["source_job_id"] == "2"
