"""The demo's person: what they look for, what they follow, and what they make of what they are told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, timedelta

from daemon.application.actions import (
    add_interview,
    apply_for_posting,
    edit_interview,
    interview_of_round,
    transit_application,
)
from daemon.application.model import ApplicationStatus, InterviewChanges, InterviewResult
from daemon.clock import business_date, kst
from daemon.company.actions import register_aggregator_source, register_company
from daemon.company.model import CompanyOrigin, CompanySource
from daemon.db import Database
from daemon.demo.sources import demo_sources
from daemon.flags.actions import switch_flag
from daemon.flags.model import FlagKey
from daemon.matching.actions.criteria import (
    add_exclusion_keyword,
    add_keyword_group,
    add_work_arrangement_keyword,
)
from daemon.messages import Language, text
from daemon.operations.postings.actions import list_postings
from daemon.operations.postings.model import PostingFilter, PostingItem, PostingSort
from daemon.posting.model import PostingStatus

_GROUPS = (
    ("백엔드", ("백엔드 개발자", "Backend Engineer", "Kotlin")),
    ("데이터", ("데이터 엔지니어", "Data Engineer")),
)
_EXCLUDED = ("Senior", "신입", "C++")
_ARRANGEMENTS = ("재택근무", "원격근무", "하이브리드 근무", "remote")
_ALIASES = {"당근마켓": ("당근",)}
"""The world lists one company under two names, and only an alias tells."""

_NEWS_READ = 50

Deed = tuple[int, Callable[[date], Awaitable[str]]]
"""The hour of a day, and what is done then; returns a line that tells of it."""


class Person:
    """One job seeker. Does everything through the same actions as the API and the shell."""

    def __init__(self, db: Database, language: Language) -> None:
        self._db = db
        self._language = language
        self._applied_on: date | None = None
        self.application_id: int | None = None

    async def set_out(self) -> None:
        """Switch everything on, say what is looked for, and follow the demo's companies and boards."""
        for key in FlagKey:
            await switch_flag(self._db, key, True)
        for name, synonyms in _GROUPS:
            await add_keyword_group(self._db, name, synonyms)
        for word in _EXCLUDED:
            await add_exclusion_keyword(self._db, word)
        for word in _ARRANGEMENTS:
            await add_work_arrangement_keyword(self._db, word)
        for source in demo_sources():
            if source.slug:
                board = CompanySource(platform=source.platform, source_slug=source.slug)
                aliases = _ALIASES.get(source.company_name, ())
                await register_company(self._db, source.company_name, [board], aliases)
            else:
                await register_aggregator_source(self._db, source.platform, source.category_code, source.keyword)

    def deeds(self, day: date, *, first: bool) -> tuple[Deed, ...]:
        """What the person does on a day, by hour; on the `first` one, on which nothing is news, nothing."""
        if first:
            return ()
        if self._applied_on is None:
            return ((19, self._apply),)
        days_later = (day - self._applied_on).days
        return {
            1: ((11, self._is_screened), (18, self._is_invited)),
            2: ((19, self._passes_first_round),),
            3: ((19, self._is_offered),),
        }.get(days_later, ())

    async def _apply(self, day: date) -> str:
        """Apply for what was told of that morning: the surest work arrangement of a watched company, else of any."""
        found = await self._news(day, CompanyOrigin.WATCHED) or await self._news(day, None)
        if not found:
            return text(self._language, "demo.nothing_to_apply_for")
        chosen = found[0]
        memo = text(self._language, "demo.memo_applied")
        application = await apply_for_posting(self._db, chosen.job_posting_id, None, memo)
        self.application_id, self._applied_on = application.id, day
        return text(self._language, "demo.applied", company=chosen.company_name, title=chosen.title)

    async def _news(self, day: date, origin: CompanyOrigin | None) -> list[PostingItem]:
        wanted = PostingFilter(company_origin=origin, posting_status=PostingStatus.OPEN, matched=True)
        page = await list_postings(self._db, wanted, PostingSort.WORK_ARRANGEMENT, size=_NEWS_READ)
        return [one for one in page.job_postings if business_date(one.first_seen_at) == day]

    async def _is_screened(self, _day: date) -> str:
        return await self._move(ApplicationStatus.DOCUMENT_SCREENING, "demo.memo_screened")

    async def _is_invited(self, day: date) -> str:
        told = await self._move(ApplicationStatus.INTERVIEWING, "demo.memo_invited")
        await self._add_round(1, "demo.first_round", day + timedelta(days=1))
        return told

    async def _passes_first_round(self, day: date) -> str:
        told = await self._pass_round(1, "demo.memo_first_round")
        await self._add_round(2, "demo.second_round", day + timedelta(days=1))
        return told

    async def _is_offered(self, _day: date) -> str:
        await self._pass_round(2, "demo.memo_second_round")
        return await self._move(ApplicationStatus.OFFERED, "demo.memo_offered")

    async def _move(self, status: ApplicationStatus, memo: str) -> str:
        assert self.application_id is not None
        await transit_application(self._db, self.application_id, status, text(self._language, memo))
        return text(self._language, "demo.moved", status=text(self._language, f"cell.{status}"))

    async def _add_round(self, number: int, label: str, day: date) -> None:
        assert self.application_id is not None
        await add_interview(self._db, self.application_id, number, text(self._language, label), kst(day, 14))

    async def _pass_round(self, number: int, memo: str) -> str:
        assert self.application_id is not None
        held = await interview_of_round(self._db, self.application_id, number)
        changes = InterviewChanges(interview_result=InterviewResult.PASSED, memo=text(self._language, memo))
        await edit_interview(self._db, self.application_id, held.interview_id, changes)
        return text(self._language, "demo.passed", round=number, label=held.label)
