"""A world that a person has lived in for a month: something of everything that a page can show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from sqlalchemy import update

from daemon.application.actions import add_interview, apply_for_posting, edit_interview, transit_application
from daemon.application.model import ApplicationStatus as Status
from daemon.application.model import InterviewChanges, InterviewResult
from daemon.clock import ManualClock, kst
from daemon.collection.model import BudgetReason, CycleStatus
from daemon.collection.tables import external_request_host_limits, job_source_health
from daemon.company.actions import disable_source, register_aggregator_source, register_company
from daemon.company.model import CompanyOrigin, CompanySource
from daemon.company.tables import job_sources
from daemon.db import Database, transaction
from daemon.flags.actions import switch_all_on
from daemon.matching.actions.criteria import add_exclusion_keyword, add_keyword_group, add_work_arrangement_keyword
from daemon.matching.actions.evaluation import re_evaluate
from daemon.notification.tables import notification_dispatches, notification_webhooks
from daemon.posting.store import save_descriptions
from daemon.schedule.actions import claim_job, finish_job
from daemon.schedule.model import JobName, JobStatus
from daemon.sources.model import Outcome, Platform
from tests.db.collected import add, add_cycle, add_header, add_item
from tests.engines import DAY, write
from tests.postings import add_company, add_posting

TODAY = date(2026, 12, 1)
HOUR = timedelta(hours=1)

BODY = """당근마켓은 동네 이웃을 연결합니다.

담당 업무
• Kotlin과 Spring Boot로 결제 서버를 설계하고 운영합니다.
• 하루 3천만 건의 거래를 안정적으로 처리합니다.

근무 조건
• 주 2회 재택근무가 가능합니다. 나머지 요일은 서울 강남 사무실에서 일합니다.
• 정규직, 수습 3개월

전형 절차
서류 전형 → 기술 면접 → 문화 면접 → 처우 협의"""

LONG_TITLE = (
    "[신입/경력] 글로벌 커머스 플랫폼 주문·결제·정산 도메인 백엔드 개발자 (Kotlin/Spring Boot, 5년 이상,"
    " 대규모 트래픽 처리 경험 우대, 판교 본사 또는 하이브리드 근무 가능) 채용연계형 인턴 포함 00명 모집"
)


@dataclass(frozen=True, kw_only=True)
class World:
    """What there is, by id."""

    daangn: int
    board: int
    """Of daangn, on Greenhouse."""
    search: int
    """On Saramin."""
    discovered: int
    posting: int
    """Open, matching, in two places, with a text and evidence; not applied for."""
    by_hand: int
    closed: int
    application: int
    """Interviewing, one round past and one to come."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Of every page there is, and of those that look different when something is asked."""
        return (
            *("/", "/postings", "/postings/new", "/applications", "/companies", "/companies/new", "/criteria"),
            *("/operations", "/sources", "/sources?platform=SARAMIN", "/companies?origin=DISCOVERED"),
            *("/postings?status=CLOSED", "/postings?q=없는말", "/criteria?synonyms=데이터", "/nothing", "/sign-in"),
            *(f"/postings/{self.posting}", f"/postings/{self.by_hand}", f"/postings/{self.closed}"),
            *(f"/applications/{self.application}", f"/companies/{self.daangn}", f"/companies/{self.discovered}"),
        )


async def live_in(db: Database, clock: ManualClock, webhook_key: str | None = None) -> World:
    """Fill an empty database; afterwards it is half past ten of `TODAY`. `webhook_key`: that webhook is parked."""
    await switch_all_on(db)
    await _say_what_is_sought(db)
    clock.advance(10.5 * HOUR)
    made = await register_company(
        db, "당근마켓", [CompanySource(platform=Platform.GREENHOUSE, source_slug="daangn")], ["당근", "Daangn"]
    )
    woowahan = await register_company(
        db, "우아한형제들", [CompanySource(platform=Platform.WOOWAHAN, source_slug="woowahan")]
    )
    searches = [
        await register_aggregator_source(db, platform, category, keyword)
        for platform, category, keyword in (
            (Platform.SARAMIN, "84", "토스"),
            (Platform.JUMPIT, "1", ""),
            (Platform.WANTED, "518", ""),
            (Platform.JOBKOREA, "10031", ""),
            (Platform.REMEMBER, "310", ""),
        )
    ]
    await write(db, update(job_sources).values(seeded_at=clock.now() - 30 * DAY))
    sources = [*made.source_ids, *woowahan.source_ids, *searches]
    discovered = await add_company(
        db, "아주 긴 이름을 가진 글로벌 핀테크 홀딩스 주식회사 코리아", CompanyOrigin.DISCOVERED
    )
    for number in range(3):
        await add_company(db, f"발견한 회사 {number}", CompanyOrigin.DISCOVERED)
    await _collect(db, sources)
    await disable_source(db, searches[-1])
    await _keep_books(db, sources, webhook_key)
    postings = await _find_postings(db, clock, made.company_id, made.source_ids[0], searches[0], discovered)
    application = await _apply(db, clock, made.company_id, made.source_ids[0])
    await re_evaluate(db)
    return World(
        daangn=made.company_id,
        board=made.source_ids[0],
        search=searches[0],
        discovered=discovered,
        application=application,
        **postings,
    )


async def _say_what_is_sought(db: Database) -> None:
    await add_keyword_group(db, "백엔드", ["백엔드 개발자", "Backend Engineer", "Kotlin"])
    await add_keyword_group(db, "데이터", ["데이터 엔지니어"])
    await add_exclusion_keyword(db, "신입")
    await add_work_arrangement_keyword(db, "재택근무")
    await add_work_arrangement_keyword(db, "하이브리드 근무")


async def _collect(db: Database, sources: list[int]) -> None:
    """A month of cycles, one fate after the other; today each source stands somewhere else."""
    greenhouse, woowahan, saramin, jumpit, wanted, jobkorea, _ = sources
    counts: dict[str, Any] = {"list_page_count": 3, "fetched_count": 212, "new_count": 4, "changed_count": 2}
    cut: dict[str, Any] = {**counts, "budget_exhausted_reason": BudgetReason.LIST_PAGE_LIMIT}
    for ago in range(29, 0, -1):
        day = TODAY - timedelta(days=ago)
        await add_cycle(db, greenhouse, day, CycleStatus.SUCCESS, **counts)
        if ago < 20:
            failed = {"failure_reason": Outcome.BLOCKED} if ago < 4 or ago == 11 else None
            await add_cycle(
                db, woowahan, day, CycleStatus.FAILED if failed else CycleStatus.SUCCESS, **(failed or counts)
            )
            await add_cycle(db, jobkorea, day, CycleStatus.BUDGET_EXHAUSTED, **cut)
    await add_cycle(db, greenhouse, TODAY, CycleStatus.SUCCESS, **counts, missed_count=1, closed_count=1)
    await add_cycle(db, woowahan, TODAY, CycleStatus.FAILED, failure_reason=Outcome.BLOCKED)
    await add_cycle(db, saramin, TODAY, CycleStatus.RUNNING, **counts)
    await add_cycle(db, jumpit, TODAY, CycleStatus.PENDING)
    await add_cycle(db, wanted, TODAY, CycleStatus.FAILED, failure_reason="LAYOUT_CHANGED")
    await add_cycle(db, jobkorea, TODAY, CycleStatus.BUDGET_EXHAUSTED, **cut)
    since = kst(TODAY - 3 * DAY, 0)
    stamps = {"created_at": since, "updated_at": since}
    broken = {"consecutive_abnormal_days": 4, "broken_since": since, "failure_episode": 1, **stamps}
    await add(db, job_source_health, {"job_source_id": woowahan, **broken})


async def _keep_books(db: Database, sources: list[int], webhook_key: str | None) -> None:
    """Snapshots, daily jobs, hosts and messages that failed."""
    for ago, status in ((2, "CAPTURED"), (1, "MISSED")):
        at = kst(TODAY - ago * DAY, 9)
        taken = {"captured_at": at + timedelta(seconds=1)} if status == "CAPTURED" else {}
        await add_header(db, TODAY - ago * DAY, status, **taken)
    header = await add_header(db, TODAY, "CAPTURED", captured_at=kst(TODAY, 9) + timedelta(seconds=1))
    await add_item(db, header, sources[0], CycleStatus.SUCCESS, 212)
    await add_item(db, header, sources[2], CycleStatus.RUNNING, 100)
    for job in (JobName.PREPARE, JobName.DEADLINE_SWEEP, JobName.DEDUP, JobName.EVALUATION, JobName.SLA):
        claim = await claim_job(db, job, TODAY, "집-서버:1", timedelta(seconds=90))
        assert claim is not None
        await finish_job(db, claim, JobStatus.SUCCESS, "412 of 412 done")
    claim = await claim_job(db, JobName.NOTIFICATION, TODAY, "집-서버:1", timedelta(seconds=90))
    assert claim is not None
    await finish_job(db, claim, JobStatus.FAILED, "HTTP 503")
    now = kst(TODAY, 10, 30)
    stamps = {"created_at": now, "updated_at": now}
    for host, seconds in (("boards-api.greenhouse.io", -600), ("www.saramin.co.kr", 12)):
        row = {"host": host, "next_allowed_at": now + timedelta(seconds=seconds), **stamps}
        await add(db, external_request_host_limits, row)
    failed = {
        "target_type": "JOB_POSTING",
        "target_id": 1,
        "notification_type": "NEW_JOB_POSTING",
        "dispatch_sequence": 1,
        "dispatch_status": "FAILED",
        "attempt_count": 3,
        "last_error": "HTTP 503",
        "message_summary": "당근마켓 · 백엔드 개발자 · 상시채용",
        "attempted_at": now - HOUR,
        "expires_at": now + 2 * DAY,
        **stamps,
    }
    await add(db, notification_dispatches, failed)
    if webhook_key is not None:
        parked = {"webhook_key": webhook_key, "parked_at": now - HOUR, "parked_reason": "HTTP 404: Unknown Webhook"}
        await add(db, notification_webhooks, {**parked, **stamps})


async def _find_postings(
    db: Database, clock: ManualClock, company: int, board: int, search: int, discovered: int
) -> dict[str, int]:
    now = clock.now()
    posting = await add_posting(
        db,
        company,
        board,
        "결제 서버 백엔드 개발자 (Kotlin)",
        deadline_at=kst(TODAY + 2 * DAY, 18),
        changed_at=now - HOUR,
        first_seen_at=now - 2 * HOUR,
    )
    await transaction(db, save_descriptions, {posting: BODY}, now)
    copy = {"representative_id": posting, "posting_url": "https://www.saramin.co.kr/zf_user/jobs/1"}
    await add_posting(db, company, search, "결제 서버 백엔드 개발자 (Kotlin)", **copy)
    long = await add_posting(db, discovered, search, LONG_TITLE.replace("신입/", ""), first_seen_at=now - HOUR)
    await transaction(db, save_descriptions, {long: "하이브리드 근무입니다.\n" + "상세 요강. " * 9_000}, now)
    await add_posting(db, discovered, search, "Backend Engineer", access_restricted=1, reopened_at=now)
    await add_posting(db, company, board, "신입 백엔드 개발자")
    closed = await add_posting(
        db,
        company,
        board,
        "데이터 엔지니어",
        posting_status="CLOSED",
        closed_reason="NOT_FOUND_TWICE",
        closed_at=now,
        first_seen_at=now - 20 * DAY,
    )
    by_hand = await add_posting(db, company, None, "지인이 알려 준 백엔드 개발자", deadline_at=kst(TODAY, 23, 59))
    for number in range(60):
        deadline = kst(TODAY + timedelta(days=number % 9), 23, 59) if number % 3 else None
        source = board if number % 2 else search
        found = {"deadline_at": deadline, "first_seen_at": now - (30 + number) * HOUR}
        await add_posting(
            db, company, source, f"데이터 엔지니어 {number}" if number % 4 == 0 else f"기획자 {number}", **found
        )
    return {"posting": posting, "by_hand": by_hand, "closed": closed}


async def _apply(db: Database, clock: ManualClock, company: int, board: int) -> int:
    """One application in each status; returns the one that is interviewing."""
    ways = {
        Status.APPLIED: (),
        Status.DOCUMENT_SCREENING: (Status.DOCUMENT_SCREENING,),
        Status.INTERVIEWING: (Status.DOCUMENT_SCREENING, Status.INTERVIEWING),
        Status.OFFERED: (Status.DOCUMENT_SCREENING, Status.INTERVIEWING, Status.OFFERED),
        Status.REJECTED: (Status.DOCUMENT_SCREENING, Status.REJECTED),
        Status.WITHDRAWN: (Status.WITHDRAWN,),
    }
    made: dict[Status, int] = {}
    for number, (status, moves) in enumerate(ways.items()):
        posting = await add_posting(db, company, board, f"백엔드 개발자 {number}", first_seen_at=clock.now() - 9 * DAY)
        memo = "추천인: 김당근\n희망 연봉은 면접에서" if number % 2 == 0 else None
        application = await apply_for_posting(db, posting, clock.now() - 6 * DAY, memo)
        for move in moves:
            await transit_application(db, application.id, move, "메일로 연락받음")
        made[status] = application.id
    interviewing = made[Status.INTERVIEWING]
    first = await add_interview(db, interviewing, 1, "기술면접", clock.now() - DAY)
    passed = InterviewChanges(
        label="기술면접",
        scheduled_at=clock.now() - DAY,
        interview_result=InterviewResult.PASSED,
        memo="자료구조, 결제 설계",
    )
    await edit_interview(db, interviewing, first.interview_id, passed)
    await add_interview(db, interviewing, 2, "문화면접", kst(TODAY + 3 * DAY, 14))
    return interviewing
