"""Postings that a person enters and changes, beside the batches (FR-20; seed 001, 동시성)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from daemon.company.model import UnknownCompany
from daemon.company.tables import job_sources
from daemon.db import Database, transaction
from daemon.flags.model import FlagKey
from daemon.posting.actions import close_passed_deadlines, deduplicate, edit_posting, register_manual
from daemon.posting.model import (
    EditRefused,
    InvalidPosting,
    PostingEdit,
    PostingExists,
    PostingOvertaken,
    PostingStatus,
    UnknownPosting,
)
from daemon.posting.record import record_missed
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform
from tests.databases import open_second
from tests.engines import DAY, add_source, keyed, newest, row, rows, switch_on
from tests.postings import add_company, add_posting, representatives

URL = "https://careers.example.com/jobs/1"


@dataclass(frozen=True)
class Given:
    """A company with a board, one collected posting and one entered by hand."""

    db: Database
    company: int
    source: int
    collected: int
    manual: int

    async def stored(self, posting: int) -> dict[str, Any]:
        return (await keyed(self.db, job_postings, "id"))[posting]

    async def edit(self, posting: int, edit: PostingEdit, *expected: int) -> int:
        return (await edit_posting(self.db, posting, edit, expected=expected or None)).version


@pytest.fixture
async def given(db: Database) -> Given:
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    company = (await newest(db, job_sources))["company_id"]
    collected = await add_posting(db, company, source, "백엔드 개발자")
    manual = await register_manual(db, company, "데이터 분석가", URL)
    return Given(db, company, source, collected, manual)


# --- registration


async def test_a_posting_by_hand_is_stored_open_and_nobody_is_told_of_it(db: Database) -> None:
    company = await add_company(db, "(주)당근마켓")
    deadline = datetime(2026, 12, 24, 14, 59, 59, tzinfo=UTC)
    posting = await register_manual(db, company, "  백엔드\n 개발자 ", f" {URL} ", deadline)
    stored = await row(db, job_postings)
    expected = {
        "id": posting,
        "company_id": company,
        "job_source_id": None,
        "source_job_id": None,
        "posting_origin": "MANUAL",
        "title": "백엔드 개발자",
        "posting_url": URL,
        "deadline_at": deadline,
        "dedup_key": "당근마켓|백엔드개발자",
        "posting_status": "OPEN",
        "notification_eligible": 0,
        "version": 0,
        "first_seen_at": db.clock.now(),
    }
    assert {name: stored[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("field", "title", "url"),
    [
        ("title", " \n", URL),
        ("title", "가" * 501, URL),
        ("posting_url", "공고", "ftp://example.com/1"),
        ("posting_url", "공고", "javascript:alert(1)"),
        ("posting_url", "공고", "example.com/1"),
        ("posting_url", "공고", "https:///jobs"),
        ("posting_url", "공고", "https://user:secret@example.com/1"),
        ("posting_url", "공고", "https://example.com/a b"),
        ("posting_url", "공고", "https://example.com/\u202e"),
        ("posting_url", "공고", 'https://example.com/"onclick'),
        ("posting_url", "공고", "https://example.com:99999/"),
        ("posting_url", "공고", "https://[::1/"),
        ("posting_url", "공고", "https://example.com/" + "a" * 2000),
    ],
)
async def test_what_can_be_no_posting_is_refused_by_the_name_of_the_value(
    db: Database, field: str, title: str, url: str
) -> None:
    with pytest.raises(InvalidPosting) as refused:
        await register_manual(db, await add_company(db, "당근마켓"), title, url)
    assert refused.value.field == field
    assert await rows(db, job_postings) == []


async def test_a_deadline_that_no_calendar_has_is_refused(db: Database) -> None:
    company = await add_company(db, "당근마켓")
    for year in (1, 1969, 9999):
        with pytest.raises(InvalidPosting) as refused:
            await register_manual(db, company, "공고", URL, datetime(year, 6, 1, tzinfo=UTC))
        assert refused.value.field == "deadline_at"


async def test_korean_addresses_are_kept_as_they_are(db: Database) -> None:
    url = "https://example.com/채용/공고?직무=백엔드#지원"
    await register_manual(db, await add_company(db, "당근마켓"), "공고", url)
    assert (await row(db, job_postings))["posting_url"] == url


async def test_a_posting_of_an_unknown_company_is_refused(db: Database) -> None:
    with pytest.raises(UnknownCompany):
        await register_manual(db, 999_999, "공고", URL)


async def test_an_address_that_the_company_has_already_is_refused_naming_the_posting(given: Given) -> None:
    """Also when it was collected; at another company the same address is another posting."""
    with pytest.raises(PostingExists) as refused:
        await register_manual(given.db, given.company, "다른 제목", URL)
    assert refused.value.posting_id == given.manual
    with pytest.raises(PostingExists) as refused:
        await register_manual(given.db, given.company, "다른 제목", "https://example.com/jobs/1")
    assert refused.value.posting_id == given.collected
    assert await register_manual(given.db, await add_company(given.db, "토스"), "데이터 분석가", URL)


async def test_of_one_address_entered_many_times_at_once_one_becomes_a_posting(db: Database) -> None:
    company = await add_company(db, "당근마켓")
    async with open_second(db) as second:
        attempts = [register_manual(each, company, "공고", URL) for each in (db, second) for _ in range(4)]
        results = await asyncio.gather(*attempts, return_exceptions=True)
    made = [result for result in results if isinstance(result, int)]
    refused = [result for result in results if isinstance(result, PostingExists)]
    assert (len(made), len(refused), len(await rows(db, job_postings))) == (1, 7, 1)
    assert {error.posting_id for error in refused} == set(made)


async def test_no_list_misses_a_posting_by_hand(given: Given) -> None:
    """Seed 001, failure path 5: 수동 공고는 미발견 카운터가 증가하지 않는다."""
    for _ in range(3):
        now = given.db.clock.now()
        await transaction(given.db, record_missed, given.source, set(), now, auto_close=True)
    assert (await given.stored(given.collected))["posting_status"] == "CLOSED"
    stored = await given.stored(given.manual)
    assert (stored["posting_status"], stored["consecutive_miss_count"]) == ("OPEN", 0)


async def test_a_posting_by_hand_is_closed_by_its_deadline_like_any_other(given: Given) -> None:
    """FR-17."""
    await switch_on(given.db, FlagKey.AUTO_CLOSE)
    await given.edit(given.manual, {"deadline_at": given.db.clock.now() - timedelta(seconds=1)})
    assert await close_passed_deadlines(given.db) == 1
    stored = await given.stored(given.manual)
    assert (stored["posting_status"], stored["closed_reason"]) == ("CLOSED", "DEADLINE_PASSED")


async def test_a_posting_by_hand_becomes_a_copy_of_the_collected_one(given: Given) -> None:
    await switch_on(given.db, FlagKey.CROSS_SOURCE_DEDUP)
    copy = await register_manual(given.db, given.company, "[백엔드] 개발자", "https://example.com/other")
    await deduplicate(given.db)
    assert (await representatives(given.db))[copy] == given.collected
    await given.edit(copy, {"title": "프론트엔드 개발자"})
    await deduplicate(given.db)
    assert (await representatives(given.db))[copy] is None


# --- edits


async def test_what_was_entered_by_hand_can_be_changed_each_change_raising_the_version(given: Given) -> None:
    deadline = given.db.clock.now() + DAY
    edit = PostingEdit(title="데이터 엔지니어", posting_url="https://example.com/2", deadline_at=deadline)
    assert await given.edit(given.manual, edit, 0) == 1
    stored = await given.stored(given.manual)
    names = ("title", "posting_url", "deadline_at", "dedup_key", "version")
    assert [stored[name] for name in names] == [
        "데이터 엔지니어",
        "https://example.com/2",
        deadline,
        "회사daangn|데이터엔지니어",
        1,
    ]
    assert await given.edit(given.manual, {"deadline_at": None}) == 2
    assert (await given.stored(given.manual))["deadline_at"] is None


async def test_a_change_that_changes_nothing_raises_no_version(given: Given) -> None:
    before = await given.stored(given.manual)
    assert await given.edit(given.manual, {"title": " 데이터  분석가 ", "posting_status": PostingStatus.OPEN}) == 0
    assert await given.stored(given.manual) == before


async def test_a_posting_by_hand_is_closed_and_opened_by_the_person(given: Given) -> None:
    await given.edit(given.manual, {"posting_status": PostingStatus.CLOSED})
    closed = await given.stored(given.manual)
    assert (closed["posting_status"], closed["closed_reason"]) == ("CLOSED", None)
    assert closed["closed_at"] == given.db.clock.now()
    await given.edit(given.manual, {"posting_status": PostingStatus.OPEN})
    opened = await given.stored(given.manual)
    assert (opened["posting_status"], opened["closed_at"], opened["reopened_at"]) == (
        "OPEN",
        None,
        given.db.clock.now(),
    )


async def test_a_collected_posting_closed_wrongly_is_opened_again_and_nothing_else_of_it_changed(given: Given) -> None:
    """오판정된 공고는 `posting_status`를 OPEN으로 되돌리면 복구 (Release Scenario 5)."""
    for edit in ({"title": "다른 제목"}, {"posting_url": URL}, {"deadline_at": given.db.clock.now()}):
        with pytest.raises(EditRefused) as refused:
            await given.edit(given.collected, PostingEdit(**edit))  # type: ignore[typeddict-item]  # one at a time
        assert refused.value.refusal == "COLLECTED"
    with pytest.raises(EditRefused):
        await given.edit(given.collected, {"posting_status": PostingStatus.CLOSED})
    for _ in range(2):
        now = given.db.clock.now()
        await transaction(given.db, record_missed, given.source, set(), now, auto_close=True)
    assert await given.edit(given.collected, {"posting_status": PostingStatus.OPEN}) == 2
    stored = await given.stored(given.collected)
    names = ("posting_status", "closed_reason", "closed_at", "consecutive_miss_count", "notification_eligible")
    assert [stored[name] for name in names] == ["OPEN", None, None, 0, 1]


async def test_a_posting_whose_deadline_has_passed_is_not_opened_unless_the_deadline_changes_too(given: Given) -> None:
    await switch_on(given.db, FlagKey.AUTO_CLOSE)
    await given.edit(given.manual, {"deadline_at": given.db.clock.now() - DAY})
    await close_passed_deadlines(given.db)
    with pytest.raises(EditRefused) as refused:
        await given.edit(given.manual, {"posting_status": PostingStatus.OPEN})
    assert refused.value.refusal == "DEADLINE_PASSED"
    await given.edit(given.manual, {"posting_status": PostingStatus.OPEN, "deadline_at": None})
    assert (await given.stored(given.manual))["posting_status"] == "OPEN"


async def test_an_address_of_another_posting_is_refused(given: Given) -> None:
    with pytest.raises(PostingExists) as refused:
        await given.edit(given.manual, {"posting_url": "https://example.com/jobs/1"})
    assert refused.value.posting_id == given.collected


async def test_a_posting_that_there_is_not_can_not_be_changed(db: Database) -> None:
    with pytest.raises(UnknownPosting):
        await edit_posting(db, 999_999, {"title": "공고"})


# --- batch against person


async def test_a_person_who_read_a_posting_before_a_batch_changed_it_writes_nothing(given: Given) -> None:
    """배치 vs 사용자 API의 동일 공고 수정: 낙관적 잠금; the answer tells the version there is now."""
    await switch_on(given.db, FlagKey.AUTO_CLOSE)
    read = await given.edit(given.manual, {"deadline_at": given.db.clock.now() - DAY})
    await close_passed_deadlines(given.db)
    before = await given.stored(given.manual)
    with pytest.raises(PostingOvertaken) as overtaken:
        await given.edit(given.manual, {"title": "새 제목"}, read)
    assert overtaken.value.posting.version == read + 1
    assert await given.stored(given.manual) == before


async def test_of_two_windows_that_change_what_both_have_read_one_wins(given: Given) -> None:
    async with open_second(given.db) as second:
        results = await asyncio.gather(
            *(
                edit_posting(each, given.manual, {"title": f"제목 {number}"}, expected=[0])
                for number, each in enumerate((given.db, second))
            ),
            return_exceptions=True,
        )
    assert sorted(type(result).__name__ for result in results) == ["PersonalPosting", "PostingOvertaken"]
    assert (await given.stored(given.manual))["version"] == 1


async def test_the_0830_job_overtakes_no_person(given: Given) -> None:
    """Standing is no edit: what was read before it can still be changed after it."""
    await switch_on(given.db, FlagKey.CROSS_SOURCE_DEDUP)
    copy = await register_manual(given.db, given.company, "백엔드 개발자", "https://example.com/other")
    await deduplicate(given.db)
    assert await given.edit(copy, {"title": "새 제목"}, 0) == 1
