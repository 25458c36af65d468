"""The views of postings: lists, orders, details, groups, feed, export (FR-25, 29, 30, 33, 34, 50, 64)."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import insert

from daemon.application.actions import apply_for_posting
from daemon.application.model import ApplicationStatus
from daemon.company.model import CompanyOrigin, UnknownCompany
from daemon.company.tables import job_sources
from daemon.db import Database, transaction
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.matching.model import Confidence
from daemon.matching.tables import (
    job_posting_match_results,
    job_posting_work_arrangements,
    work_arrangement_keywords,
)
from daemon.operations.postings import actions as views
from daemon.operations.postings.export import postings_csv
from daemon.operations.postings.model import (
    AlternateSource,
    PostingFilter,
    PostingItem,
    PostingSort,
    WorkArrangement,
)
from daemon.posting.actions import deduplicate
from daemon.posting.model import PostingStatus, UnknownPosting
from daemon.posting.store import save_descriptions
from daemon.posting.tables import job_postings
from daemon.sources.model import Platform, SourceType
from tests.engines import DAY, add_source, newest, switch_on, write
from tests.postings import add_company, add_posting

FIELDS_OF_THE_SEEDS = [
    "job_posting_id",
    "company_id",
    "company_name",
    "title",
    "posting_url",
    "posting_status",
    "closed_reason",
    "deadline_at",
    "matched",
    "work_arrangement",
    "application_id",
    "source_type",
    "alternate_source_count",
    "access_restricted",
    "posting_origin",
    "first_seen_at",
]


async def add_result(
    db: Database, posting_id: int, *, matched: bool = True, excluded: bool = False, top: Confidence = Confidence.UNKNOWN
) -> None:
    """What matching has found out about a posting."""
    now = db.clock.now()
    row = {
        "job_posting_id": posting_id,
        "criteria_revision": 1,
        "matched": int(matched),
        "notifiable": int(matched and not excluded),
        "top_confidence": top,
        "work_arrangement_sort_rank": top.sort_rank,
        "evaluated_at": now,
        "created_at": now,
        "updated_at": now,
    }
    await write(db, insert(job_posting_match_results).values(**row))


async def add_evidence(db: Database, posting_id: int, keyword: str, confidence: Confidence, snippet: str) -> None:
    """A place in a posting that speaks for a work arrangement."""
    now = db.clock.now()
    word = {"keyword": keyword, "normalized_value": keyword, "created_at": now, "updated_at": now}
    await write(db, insert(work_arrangement_keywords).values(**word))
    keyword_id = (await newest(db, work_arrangement_keywords))["id"]
    row = {
        "job_posting_id": posting_id,
        "work_arrangement_keyword_id": keyword_id,
        "evidence_stage": "DESCRIPTION_BODY" if confidence is Confidence.LIKELY else "STRUCTURED_FIELD",
        "confidence": confidence,
        "snippet": snippet,
        "created_at": now,
    }
    await write(db, insert(job_posting_work_arrangements).values(**row))


async def listed(db: Database, sort: PostingSort = PostingSort.DISCOVERED, **wanted: Any) -> list[int]:
    page = await views.list_postings(db, PostingFilter(**wanted), sort)
    assert page.total_count == len(page.job_postings)
    return [item.job_posting_id for item in page.job_postings]


@pytest.fixture
async def daangn(db: Database) -> tuple[int, int]:
    """A watched company and its board."""
    source = await add_source(db, Platform.GREENHOUSE, "daangn", seeded=True)
    return (await newest(db, job_sources))["company_id"], source


def test_an_item_has_the_fields_of_the_seeds_in_their_order_and_no_other() -> None:
    assert [field.name for field in fields(PostingItem)] == FIELDS_OF_THE_SEEDS


async def test_an_item_tells_everything_a_list_needs(db: Database, daangn: tuple[int, int]) -> None:
    company, source = daangn
    deadline = db.clock.now() + 3 * DAY
    posting = await add_posting(db, company, source, deadline_at=deadline, access_restricted=1)
    await add_result(db, posting, top=Confidence.LIKELY)
    await add_evidence(db, posting, "재택", Confidence.LIKELY, "주 2회 재택 가능")
    application = await apply_for_posting(db, posting, None, None)
    (item,) = (await views.list_postings_of(db, company)).job_postings
    assert asdict(item) == {
        "job_posting_id": posting,
        "company_id": company,
        "company_name": "회사 daangn",
        "title": "백엔드 개발자",
        "posting_url": "https://example.com/jobs/1",
        "posting_status": "OPEN",
        "closed_reason": None,
        "deadline_at": deadline,
        "matched": True,
        "work_arrangement": {"keyword": "재택", "confidence": "LIKELY"},
        "application_id": application.id,
        "source_type": "COMPANY_BOUND",
        "alternate_source_count": 0,
        "access_restricted": True,
        "posting_origin": "COLLECTED",
        "first_seen_at": db.clock.now(),
    }


async def test_a_posting_that_nobody_judged_or_applied_for_is_listed_all_the_same(
    db: Database, daangn: tuple[int, int]
) -> None:
    """FR-25, FR-33: nothing is left out of a list for not matching or for its confidence."""
    company, source = daangn
    posting = await add_posting(db, company, source)
    (item,) = (await views.list_postings_of(db, company)).job_postings
    assert (item.job_posting_id, item.matched, item.work_arrangement, item.application_id) == (
        posting,
        False,
        None,
        None,
    )


async def test_one_that_an_exclusion_keyword_rules_out_is_listed_as_not_matching(
    db: Database, daangn: tuple[int, int]
) -> None:
    company, source = daangn
    await add_result(db, await add_posting(db, company, source), excluded=True)
    (item,) = (await views.list_postings_of(db, company)).job_postings
    assert item.matched is False


async def test_a_posting_by_hand_has_no_source(db: Database, daangn: tuple[int, int]) -> None:
    posting = await add_posting(db, daangn[0], None)
    detail = await views.show_posting(db, posting)
    assert (detail.source_type, detail.posting_origin) == (None, "MANUAL")
    assert detail.alternate_sources == (
        AlternateSource(
            job_source_id=None, platform=None, posting_url="https://example.com/jobs/1", is_representative=True
        ),
    )


# --- orders, filters, pages


async def test_by_work_arrangement_the_surest_come_first_and_among_equals_those_found_last(
    db: Database, daangn: tuple[int, int]
) -> None:
    """정렬 규칙: rank (1=CONFIRMED, 2=LIKELY, 99=그 외) → firstSeenAt DESC (FR-30)."""
    company, source = daangn
    ranked = (Confidence.UNKNOWN, Confidence.LIKELY, Confidence.CONFIRMED, Confidence.INFERRED, Confidence.CONFIRMED)
    made = []
    for number, confidence in enumerate(ranked):
        made.append(await add_posting(db, company, source, first_seen_at=db.clock.now() + number * DAY))
        await add_result(db, made[-1], top=confidence)
    unjudged = await add_posting(db, company, source, first_seen_at=db.clock.now() + 9 * DAY)
    assert await listed(db, PostingSort.WORK_ARRANGEMENT) == [made[4], made[2], made[1], unjudged, made[3], made[0]]


async def test_by_deadline_the_next_comes_first_and_always_open_ones_last(
    db: Database, daangn: tuple[int, int]
) -> None:
    company, source = daangn
    always = await add_posting(db, company, source)
    late = await add_posting(db, company, source, deadline_at=db.clock.now() + 9 * DAY)
    soon = await add_posting(db, company, source, deadline_at=db.clock.now() + DAY)
    assert await listed(db, PostingSort.DEADLINE) == [soon, late, always]
    assert await listed(db, PostingSort.DISCOVERED) == [soon, late, always]


async def test_a_list_is_of_what_is_wanted(db: Database, daangn: tuple[int, int]) -> None:
    company, source = daangn
    other = await add_company(db, "발견한 회사", CompanyOrigin.DISCOVERED)
    backend = await add_posting(db, company, source, "Back-End 개발자 100%")
    closed = await add_posting(db, company, source, "디자이너", posting_status="CLOSED")
    found = await add_posting(db, other, None, "backend engineer_1")
    await add_result(db, backend)
    assert await listed(db, company_id=company) == [closed, backend]
    assert await listed(db, company_origin=CompanyOrigin.DISCOVERED) == [found]
    assert await listed(db, posting_status=PostingStatus.CLOSED) == [closed]
    assert await listed(db, matched=True) == [backend]
    assert await listed(db, matched=False) == [found, closed]
    assert await listed(db, title="back-end") == [backend]
    assert await listed(db, title="100%") == [backend]
    assert await listed(db, title="%") == [backend]
    assert await listed(db, title="R_1") == [found]
    assert await listed(db, company_id=company, company_origin=CompanyOrigin.DISCOVERED, matched=True) == []
    assert await listed(db, company_id=999_999) == []


async def test_pages_are_disjoint_complete_and_told_with_the_total(db: Database, daangn: tuple[int, int]) -> None:
    company, source = daangn
    made = [await add_posting(db, company, source) for _ in range(5)]
    pages = [await views.list_postings_of(db, company, page=number, size=2) for number in range(4)]
    assert [[item.job_posting_id for item in page.job_postings] for page in pages] == [
        made[4:2:-1],
        made[2:0:-1],
        made[:1],
        [],
    ]
    assert {(page.total_count, page.size) for page in pages} == {(5, 2)}
    assert [page.page for page in pages] == [0, 1, 2, 3]


async def test_postings_of_a_company_that_there_is_not_are_an_error(db: Database) -> None:
    with pytest.raises(UnknownCompany):
        await views.list_postings_of(db, 999_999)


# --- groups


@pytest.fixture
async def copies(db: Database, daangn: tuple[int, int]) -> list[int]:
    """The same posting on Saramin, Jumpit and the company's own board: grouped, the last one stands for all."""
    company, direct = daangn
    await switch_on(db, FlagKey.CROSS_SOURCE_DEDUP)
    sources = [
        await add_source(db, Platform.SARAMIN, category="84"),
        await add_source(db, Platform.JUMPIT, category="1"),
        direct,
    ]
    made = [await add_posting(db, company, source, posting_url=f"https://example.com/{source}") for source in sources]
    await deduplicate(db)
    return made


async def test_lists_show_representatives_only_and_count_their_copies(db: Database, copies: list[int]) -> None:
    """FR-64: 목록은 대표 공고만, `alternateSourceCount`."""
    (item,) = (await views.list_postings(db, PostingFilter())).job_postings
    assert (item.job_posting_id, item.alternate_source_count) == (copies[2], 2)
    assert item.source_type is SourceType.COMPANY_BOUND


async def test_a_detail_names_the_whole_group_its_representative_first(db: Database, copies: list[int]) -> None:
    """`alternateSources[]`: 대표 자신을 포함한 그룹 전체, of whichever copy the detail is asked."""
    for posting in copies:
        detail = await views.show_posting(db, posting)
        assert detail.job_posting_id == posting
        assert [(one.platform, one.is_representative) for one in detail.alternate_sources] == [
            (Platform.GREENHOUSE, True),
            (Platform.SARAMIN, False),
            (Platform.JUMPIT, False),
        ]
        assert detail.alternate_source_count == 2
        assert all(one.posting_url.endswith(str(one.job_source_id)) for one in detail.alternate_sources)


async def test_an_application_for_any_copy_shows_at_all_of_them(db: Database, copies: list[int]) -> None:
    """The person applied through Saramin before the company's own posting came to stand for both."""
    await switch_flag(db, FlagKey.CROSS_SOURCE_DEDUP, False)
    await deduplicate(db)
    applied = await apply_for_posting(db, copies[0], None, None)
    await switch_flag(db, FlagKey.CROSS_SOURCE_DEDUP, True)
    await deduplicate(db)
    (item,) = (await views.list_postings(db, PostingFilter())).job_postings
    assert (item.job_posting_id, item.application_id) == (copies[2], applied.id)
    detail = await views.show_posting(db, copies[1])
    assert detail.application is not None
    assert (detail.application.application_id, detail.application.job_posting_id) == (applied.id, copies[0])
    assert detail.application.current_status is ApplicationStatus.APPLIED


async def test_switched_off_every_posting_is_a_representative_at_once(db: Database, copies: list[int]) -> None:
    """Seed 001, failure path 30: 무중단 롤백, before any run has set the duplicates free."""
    await switch_flag(db, FlagKey.CROSS_SOURCE_DEDUP, False)
    assert sorted(await listed(db)) == sorted(copies)
    detail = await views.show_posting(db, copies[0])
    assert [one.is_representative for one in detail.alternate_sources] == [True]


# --- detail


async def test_a_detail_has_all_evidence_with_its_words_and_the_text(db: Database, daangn: tuple[int, int]) -> None:
    """FR-29, FR-34: `workArrangements[]`(근거 스니펫 포함), `descriptionBody`; the list has the surest one alone."""
    posting = await add_posting(db, *daangn)
    await transaction(db, save_descriptions, {posting: "본문 🙂\n둘째 줄"}, db.clock.now())
    await add_evidence(db, posting, "재택", Confidence.LIKELY, "주 2회 재택 가능")
    await add_evidence(db, posting, "원격", Confidence.CONFIRMED, "원격 근무")
    detail = await views.show_posting(db, posting)
    assert [(one.keyword, one.confidence, one.evidence_stage, one.snippet) for one in detail.work_arrangements] == [
        ("원격", "CONFIRMED", "STRUCTURED_FIELD", "원격 근무"),
        ("재택", "LIKELY", "DESCRIPTION_BODY", "주 2회 재택 가능"),
    ]
    assert detail.work_arrangement == WorkArrangement(keyword="원격", confidence=Confidence.CONFIRMED)
    assert (detail.description_body, detail.application, detail.version) == ("본문 🙂\n둘째 줄", None, 0)


async def test_a_posting_whose_text_could_not_be_read_has_none(db: Database, daangn: tuple[int, int]) -> None:
    """Seed 001, failure path 18 as the reader sees it: nothing is known, nothing fails."""
    detail = await views.show_posting(db, await add_posting(db, *daangn))
    assert (detail.description_body, detail.work_arrangements, detail.work_arrangement) == (None, (), None)


async def test_a_posting_that_there_is_not_is_an_error(db: Database) -> None:
    with pytest.raises(UnknownPosting):
        await views.show_posting(db, 999_999)


# --- feed and export


async def test_the_feed_has_matching_representatives_newest_first_under_ids_that_outlive_re_election(
    db: Database, copies: list[int], daangn: tuple[int, int]
) -> None:
    for posting in copies:
        await add_result(db, posting)
    await add_result(db, await add_posting(db, *daangn, "제외된 공고"), excluded=True)
    later = await add_posting(db, *daangn, "디자이너", first_seen_at=db.clock.now() + DAY)
    await add_result(db, later)
    await write(
        db,
        job_postings.update()
        .where(job_postings.c.id == copies[2])
        .values(changed_at=db.clock.now() + timedelta(hours=1)),
    )
    entries = await views.feed_entries(db)
    assert [(entry.entry_id, entry.item.job_posting_id) for entry in entries] == [
        (later, later),
        (copies[0], copies[2]),
    ]
    assert entries[1].updated_at == db.clock.now() + timedelta(hours=1)
    closed = job_postings.update().where(job_postings.c.id == copies[2])
    await write(db, closed.values(title="다른 공고", dedup_key="다른", dedup_pending=1))
    await deduplicate(db)
    assert (copies[0], copies[0]) in [
        (entry.entry_id, entry.item.job_posting_id) for entry in await views.feed_entries(db)
    ]


async def test_an_export_has_every_posting_once_copies_too_however_many_lots_it_takes(
    db: Database, copies: list[int], daangn: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "_EXPORTED", 2)
    other = await add_posting(db, *daangn, "디자이너")
    lots = [[record.job_posting_id for record in lot] async for lot in views.export_postings(db)]
    assert lots == [sorted(copies)[:2], [sorted(copies)[2], other]]
    records = [record async for lot in views.export_postings(db) for record in lot]
    assert [(record.representative_id, record.platform) for record in records] == [
        (copies[2], Platform.SARAMIN),
        (copies[2], Platform.JUMPIT),
        (None, Platform.GREENHOUSE),
        (None, Platform.GREENHOUSE),
    ]
    text = b"".join([piece async for piece in postings_csv(db, "ko")]).decode("utf-8-sig")
    assert len(text.splitlines()) == 5
