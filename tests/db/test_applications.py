"""Applying, moving on and interviews on the database (seed 001, FR-42 to FR-47, NFR-5)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from daemon.application import store
from daemon.application.actions import (
    add_interview,
    apply_for_posting,
    edit_interview,
    interview_of_round,
    transit_application,
)
from daemon.application.model import (
    ApplicationExists,
    ApplicationOvertaken,
    ApplicationStatus,
    InterviewOvertaken,
    InterviewResult,
    InvalidValue,
    Refusal,
    RoundExists,
    TransitionRefused,
    UnknownApplication,
    UnknownInterview,
    UnknownPosting,
)
from daemon.application.tables import (
    job_application_interviews,
    job_application_status_histories,
    job_applications,
)
from daemon.clock import ManualClock
from daemon.db import Database
from daemon.posting.tables import job_postings
from tests.databases import execute
from tests.db.applied import add_company, add_posting, some_posting
from tests.engines import row, rows, write

S = ApplicationStatus
APPLIED_AT = datetime(2026, 11, 28, 10, 30, tzinfo=UTC)
LONG_WAY = (S.DOCUMENT_SCREENING, S.INTERVIEWING, S.OFFERED)


async def at_stage(db: Database, stage: ApplicationStatus) -> int:
    """A fresh application that has come to a stage; returns its id."""
    made = await apply_for_posting(db, await some_posting(db), APPLIED_AT, None)
    way = (S.APPLIED, *LONG_WAY)
    for reached in way[1 : way.index(stage) + 1] if stage in way else ():
        await transit_application(db, made.id, reached)
    return made.id


async def test_an_application_begins_with_the_first_row_of_its_history(db: Database, clock: ManualClock) -> None:
    """Seed 001, failure path 19: 지원 생성 직후 `(null -> APPLIED)` 생성 이력 1건이 존재한다."""
    posting = await some_posting(db)
    made = await apply_for_posting(db, posting, APPLIED_AT, " 지인 추천 ")
    stored, first = await row(db, job_applications), await row(db, job_application_status_histories)
    assert stored == {
        "id": made.id,
        "job_posting_id": posting,
        "current_status": "APPLIED",
        "rejected_at_stage": None,
        "applied_at": APPLIED_AT,
        "last_transited_at": APPLIED_AT,
        "memo": "지인 추천",
        "version": 0,
        "created_at": clock.now(),
        "updated_at": clock.now(),
    }
    assert (first["job_application_id"], first["previous_status"], first["next_status"]) == (made.id, None, "APPLIED")
    assert (first["transited_at"], first["memo"], first["created_at"]) == (APPLIED_AT, "지인 추천", clock.now())
    assert (made.current_status, made.version, made.memo) == (S.APPLIED, 0, "지인 추천")


async def test_an_application_whose_first_step_cannot_be_written_is_not_made(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: object) -> int:
        raise RuntimeError("no history today")

    posting = await some_posting(db)
    monkeypatch.setattr(store, "add_history", fails)
    with pytest.raises(RuntimeError, match="no history today"):
        await apply_for_posting(db, posting, APPLIED_AT, None)
    assert await rows(db, job_applications) == []


async def test_without_an_instant_the_application_is_made_now(db: Database, clock: ManualClock) -> None:
    made = await apply_for_posting(db, await some_posting(db), None, None)
    assert (made.applied_at, made.last_transited_at) == (clock.now(), clock.now())


async def test_a_posting_is_applied_for_once_and_the_refusal_names_the_application(db: Database) -> None:
    posting = await some_posting(db)
    made = await apply_for_posting(db, posting, APPLIED_AT, None)
    await transit_application(db, made.id, S.WITHDRAWN)
    with pytest.raises(ApplicationExists) as refused:
        await apply_for_posting(db, posting, APPLIED_AT, None)
    assert (refused.value.application.id, refused.value.application.current_status) == (made.id, S.WITHDRAWN)
    assert len(await rows(db, job_application_status_histories)) == 2


async def test_no_one_applies_for_a_posting_that_is_not_there(db: Database) -> None:
    with pytest.raises(UnknownPosting):
        await apply_for_posting(db, 404, APPLIED_AT, None)
    assert await rows(db, job_applications) == []


async def test_an_application_for_a_copy_is_one_for_its_representative(db: Database) -> None:
    """Seed 001, FR-64: 지원 연결은 대표 기준."""
    company = await add_company(db)
    representative = await add_posting(db, company)
    copies = [await add_posting(db, company, representative_id=representative) for _ in range(2)]
    made = await apply_for_posting(db, copies[0], APPLIED_AT, None)
    assert made.job_posting_id == representative
    for posting in (representative, *copies):
        with pytest.raises(ApplicationExists) as refused:
            await apply_for_posting(db, posting, APPLIED_AT, None)
        assert refused.value.application.id == made.id


async def test_an_application_for_a_posting_that_became_a_copy_still_counts_for_all(db: Database) -> None:
    company = await add_company(db)
    first, later = await add_posting(db, company), await add_posting(db, company)
    made = await apply_for_posting(db, first, APPLIED_AT, None)
    await write(db, update(job_postings).where(job_postings.c.id == first).values(representative_id=later))
    with pytest.raises(ApplicationExists) as refused:
        await apply_for_posting(db, later, APPLIED_AT, None)
    assert (refused.value.application.id, refused.value.application.job_posting_id) == (made.id, first)


async def test_a_closed_posting_can_be_applied_for_and_keeps_its_application(db: Database) -> None:
    """Seed 001, NFR-5: 공고가 CLOSED돼도 지원 이력은 보존된다."""
    closed = await some_posting(db, posting_status="CLOSED", closed_reason="DEADLINE_PASSED")
    late = await apply_for_posting(db, closed, APPLIED_AT, None)
    opened = await some_posting(db)
    made = await apply_for_posting(db, opened, APPLIED_AT, None)
    await write(db, update(job_postings).values(posting_status="CLOSED"))
    for application in (late, made):
        moved = await transit_application(db, application.id, S.DOCUMENT_SCREENING)
        assert moved.application.current_status is S.DOCUMENT_SCREENING
    assert len(await rows(db, job_applications)) == 2


async def test_the_whole_way_to_a_job_is_five_rows_of_history(db: Database, clock: ManualClock) -> None:
    """Seed 001, 생성 이력 규칙: 전체 경로는 이력 5건(생성 1 + 전이 4)."""
    made = await apply_for_posting(db, await some_posting(db), APPLIED_AT, None)
    for number, status in enumerate((*LONG_WAY, S.ACCEPTED), start=1):
        clock.advance(timedelta(days=1))
        moved = await transit_application(db, made.id, status, f"단계 {number}")
        assert moved.application.version == number
        assert moved.application.last_transited_at == clock.now()
        assert moved.history_id == (await rows(db, job_application_status_histories))[-1]["id"]
    history = await rows(db, job_application_status_histories)
    assert [(step["previous_status"], step["next_status"], step["memo"]) for step in history] == [
        (None, "APPLIED", None),
        ("APPLIED", "DOCUMENT_SCREENING", "단계 1"),
        ("DOCUMENT_SCREENING", "INTERVIEWING", "단계 2"),
        ("INTERVIEWING", "OFFERED", "단계 3"),
        ("OFFERED", "ACCEPTED", "단계 4"),
    ]
    assert [step["transited_at"] for step in history[1:]] == [
        clock.now() - timedelta(days=back) for back in (3, 2, 1, 0)
    ]
    stored = await row(db, job_applications)
    assert (stored["current_status"], stored["applied_at"], stored["version"]) == ("ACCEPTED", APPLIED_AT, 4)


@pytest.mark.parametrize("stage", [S.APPLIED, S.DOCUMENT_SCREENING, S.INTERVIEWING])
async def test_a_rejection_keeps_the_stage_it_came_in(db: Database, stage: ApplicationStatus) -> None:
    """Seed 001, FR-43: `* x REJECTED` -> `rejectedAtStage=이전 상태`."""
    application = await at_stage(db, stage)
    moved = await transit_application(db, application, S.REJECTED)
    assert (moved.application.current_status, moved.application.rejected_at_stage) == (S.REJECTED, stage)
    assert (await row(db, job_applications))["rejected_at_stage"] == stage


@pytest.mark.parametrize("ending", [S.REJECTED, S.WITHDRAWN, S.ACCEPTED, S.OFFER_DECLINED])
async def test_nothing_moves_an_application_that_has_ended(db: Database, ending: ApplicationStatus) -> None:
    """Seed 001, failure path 11: 종료 상태에서 전이 시도 -> 도메인 예외, 이력 미생성."""
    application = await at_stage(db, S.OFFERED if ending in (S.ACCEPTED, S.OFFER_DECLINED) else S.APPLIED)
    await transit_application(db, application, ending)
    stored, history = await rows(db, job_applications), await rows(db, job_application_status_histories)
    for wanted in ApplicationStatus:
        with pytest.raises(TransitionRefused) as refused:
            await transit_application(db, application, wanted)
        assert (refused.value.refusal, refused.value.wanted) == (Refusal.TERMINAL, wanted)
    assert await rows(db, job_applications) == stored
    assert await rows(db, job_application_status_histories) == history


@pytest.mark.parametrize("wanted", [S.WITHDRAWN, S.REJECTED, S.OFFERED, S.INTERVIEWING, S.APPLIED])
async def test_an_offer_is_neither_withdrawn_nor_rejected_nor_taken_back(
    db: Database, wanted: ApplicationStatus
) -> None:
    """Seed 001, failure path 12: `OFFERED` -> `WITHDRAWN` 거부 (FR-44)."""
    application = await at_stage(db, S.OFFERED)
    history = await rows(db, job_application_status_histories)
    with pytest.raises(TransitionRefused) as refused:
        await transit_application(db, application, wanted)
    assert refused.value.application.current_status is S.OFFERED
    assert (await row(db, job_applications))["current_status"] == "OFFERED"
    assert await rows(db, job_application_status_histories) == history


async def test_a_move_decided_on_an_old_version_writes_nothing(db: Database) -> None:
    application = await at_stage(db, S.APPLIED)
    await transit_application(db, application, S.DOCUMENT_SCREENING, expected=[0])
    with pytest.raises(ApplicationOvertaken) as overtaken:
        await transit_application(db, application, S.INTERVIEWING, expected=[0])
    assert (overtaken.value.application.version, overtaken.value.application.current_status) == (
        1,
        S.DOCUMENT_SCREENING,
    )
    assert len(await rows(db, job_application_status_histories)) == 2
    with pytest.raises(ApplicationOvertaken):
        await transit_application(db, application, S.INTERVIEWING, expected=[])
    moved = await transit_application(db, application, S.INTERVIEWING, expected=[0, 1])
    assert moved.application.version == 2


async def test_what_is_not_there_cannot_be_moved_or_interviewed(db: Database) -> None:
    with pytest.raises(UnknownApplication):
        await transit_application(db, 404, S.REJECTED)
    with pytest.raises(UnknownApplication):
        await transit_application(db, 404, S.REJECTED, expected=[0])
    with pytest.raises(UnknownApplication):
        await add_interview(db, 404, 1, "1차")
    with pytest.raises(UnknownInterview):
        await edit_interview(db, 404, 1, {"memo": "x"})
    application = await at_stage(db, S.APPLIED)
    with pytest.raises(UnknownInterview):
        await interview_of_round(db, application, 1)


async def test_an_interview_is_edited_by_what_is_given_and_null_takes_a_value_away(db: Database) -> None:
    """Seed 001, FR-46: PATCH `{scheduledAt?, interviewResult?, memo?}`."""
    application = await at_stage(db, S.INTERVIEWING)
    day = datetime(2026, 12, 5, 5, 0, tzinfo=UTC)
    added = await add_interview(db, application, 1, " 1차  기술면접 ", day)
    assert (added.label, added.scheduled_at, added.interview_result, added.memo) == ("1차 기술면접", day, None, None)
    key = added.interview_id
    passed = await edit_interview(
        db, application, key, {"interview_result": InterviewResult.PASSED, "memo": " 좋았음 "}
    )
    assert (passed.scheduled_at, passed.interview_result, passed.memo) == (day, InterviewResult.PASSED, "좋았음")
    cleared = await edit_interview(db, application, key, {"scheduled_at": None, "interview_result": None})
    assert (cleared.scheduled_at, cleared.interview_result, cleared.memo) == (None, None, "좋았음")
    named = await edit_interview(db, application, key, {"label": "임원면접", "memo": " "})
    assert (named.label, named.memo, named.round_number, named.version) == ("임원면접", None, 1, 3)
    assert await interview_of_round(db, application, 1) == named
    assert (await row(db, job_applications))["version"] == 2


async def test_an_edit_that_changes_nothing_raises_no_version(db: Database, clock: ManualClock) -> None:
    application = await at_stage(db, S.APPLIED)
    added = await add_interview(db, application, 1, "1차")
    clock.advance(timedelta(hours=1))
    for same in ({}, {"label": "1차"}, {"memo": None, "scheduled_at": None}):
        assert await edit_interview(db, application, added.interview_id, same) == added  # type: ignore[arg-type]  # a literal
    assert (await row(db, job_application_interviews))["updated_at"] == clock.now() - timedelta(hours=1)


async def test_an_interview_edited_on_an_old_version_stays_as_it_is(db: Database) -> None:
    application = await at_stage(db, S.APPLIED)
    key = (await add_interview(db, application, 1, "1차")).interview_id
    await edit_interview(db, application, key, {"memo": "하나"}, expected=[0])
    with pytest.raises(InterviewOvertaken) as overtaken:
        await edit_interview(db, application, key, {"memo": "둘"}, expected=[0])
    assert (overtaken.value.interview.version, overtaken.value.interview.memo) == (1, "하나")
    assert (await row(db, job_application_interviews))["memo"] == "하나"


async def test_a_round_happens_once_per_application(db: Database) -> None:
    """Seed 001, `job_application_interviews` `unique(job_application_id, round_number)`."""
    one, two = await at_stage(db, S.APPLIED), await at_stage(db, S.APPLIED)
    added = await add_interview(db, one, 1, "1차")
    with pytest.raises(RoundExists) as refused:
        await add_interview(db, one, 1, "다른 이름")
    assert refused.value.interview == added
    await add_interview(db, one, 2, "2차")
    await add_interview(db, two, 1, "1차")
    assert len(await rows(db, job_application_interviews)) == 3


async def test_an_interview_of_another_application_cannot_be_edited(db: Database) -> None:
    one, two = await at_stage(db, S.APPLIED), await at_stage(db, S.APPLIED)
    key = (await add_interview(db, one, 1, "1차")).interview_id
    with pytest.raises(UnknownInterview):
        await edit_interview(db, two, key, {"memo": "남의 면접"})
    assert (await row(db, job_application_interviews))["memo"] is None


async def test_values_that_do_not_fit_are_refused_before_anything_is_written(db: Database) -> None:
    application = await at_stage(db, S.APPLIED)
    with pytest.raises(InvalidValue):
        await transit_application(db, application, S.REJECTED, "가" * 2001)
    with pytest.raises(InvalidValue):
        await add_interview(db, application, 0, "1차")
    with pytest.raises(InvalidValue):
        await add_interview(db, application, 1, " ")
    assert (await row(db, job_applications))["version"] == 0
    assert await execute(db, select(job_application_interviews)) == []


async def test_a_note_of_two_thousand_emoji_fits_every_engine(db: Database) -> None:
    made = await apply_for_posting(db, await some_posting(db), APPLIED_AT, "🍊" * 2000)
    assert (await row(db, job_applications))["memo"] == "🍊" * 2000 == made.memo
