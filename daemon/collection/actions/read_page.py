"""Reading one page of a list with the details it needs: everything about a page that is not yet written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from daemon.collection.actions.fetch import fetch_politely
from daemon.collection.engine import Engine
from daemon.collection.rules.permit import HostBusy
from daemon.company.model import JobSource
from daemon.posting.model import DetailState, KnownPosting, Observed
from daemon.posting.rules import wanted_details
from daemon.sources.executor import SiteSession
from daemon.sources.model import (
    CollectionTarget,
    DetailUse,
    Fetched,
    ListPage,
    NotFetched,
    Outcome,
    RawJobPosting,
    Request,
    SourceAdapter,
)
from daemon.sources.reading import read_detail, read_list
from daemon.sources.rules import leads_to_login

_IN_THREAD_FROM_BYTES = 64 * 1024
"""Bodies from this size on are parsed in a thread, so that waiting permits are not late."""

_HALTS_DETAILS = frozenset({Outcome.RATE_LIMITED, Outcome.BLOCKED})
"""After one of these the site's other details are left alone for the day's page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRead:
    """A page and its details, ready to be committed."""

    list_page: ListPage
    observed: tuple[Observed, ...]
    detail_requests: int = 0
    detail_failures: int = 0
    detail_skipped: int = 0
    undetermined: int = 0
    """New postings whose company only their own page tells, which the budget did not allow."""


@dataclass(slots=True)
class PageReader:
    """Reads the pages of one source, one after the other, over one site session."""

    engine: Engine
    source: JobSource
    adapter: SourceAdapter
    target: CollectionTarget
    site: SiteSession
    look_up: Callable[[tuple[str, ...]], Awaitable[tuple[Mapping[str, KnownPosting], frozenset[str]]]]
    """Stored postings among these ids, and which of the ids the cycle has already seen."""
    keep: Callable[[], Awaitable[None]]
    """Called before every request: renews the lease or raises."""
    details_left: int
    """Detail requests that the day and the policy still allow."""
    may_ask_details: Callable[[], bool]
    """False once the slice's time is up or the daemon stops: what is left of the page is then skipped."""
    details_halted: bool = field(default=False)

    async def read(self, cursor: str | None) -> PageRead | NotFetched | HostBusy:
        """Ask for the page at `cursor`, parse it, and read the details that are worth it."""
        answer = await fetch_politely(
            self.engine, self.site, self.adapter, self.adapter.list_request(self.target, cursor), self.keep
        )
        if not isinstance(answer, Fetched):
            return answer
        await self.engine.foreground.step_aside()
        if len(answer.page.body) >= _IN_THREAD_FROM_BYTES:
            async with self.engine.parsing:
                listed = await asyncio.to_thread(read_list, self.adapter, self.target, answer.page, cursor)
        else:
            listed = read_list(self.adapter, self.target, answer.page, cursor)
        if isinstance(listed, NotFetched):
            return listed
        return await self._with_details(listed)

    async def _with_details(self, listed: ListPage) -> PageRead:
        if self.adapter.capabilities.detail_use is DetailUse.NONE:
            # Which of them are new is found out, and locked, where they are written down.
            return PageRead(list_page=listed, observed=tuple(Observed(raw=raw) for raw in listed.postings))
        known, seen = await self.look_up(tuple(raw.source_job_id for raw in listed.postings))
        fresh = [raw for raw in listed.postings if raw.source_job_id not in seen]
        wanted = wanted_details(fresh, known, self.adapter.capabilities.detail_use)
        details: dict[str, Observed] = {}
        requests = 0
        for raw in wanted:
            pages = self.adapter.detail_requests(self.target, raw)
            if not pages:
                continue
            if self.details_halted or len(pages) > self.details_left - requests or not self.may_ask_details():
                details[raw.source_job_id] = Observed(raw=raw, detail=DetailState.SKIPPED)
                continue
            details[raw.source_job_id], sent = await self._detail(raw, pages)
            requests += sent
        self.details_left -= requests
        skipped = [key for key, each in details.items() if each.detail is DetailState.SKIPPED]
        return PageRead(
            list_page=listed,
            observed=tuple(details.get(raw.source_job_id, Observed(raw=raw)) for raw in fresh),
            detail_requests=requests,
            detail_failures=sum(each.detail is DetailState.FAILED for each in details.values()),
            detail_skipped=len(skipped),
            undetermined=sum(self._needs_detail(details[key].raw) for key in skipped if key not in known),
        )

    def _needs_detail(self, raw: RawJobPosting) -> bool:
        return self.adapter.capabilities.company_identifier_in_detail_only and raw.company_name is None

    async def _detail(self, raw: RawJobPosting, pages: tuple[Request, ...]) -> tuple[Observed, int]:
        """The posting completed by its own pages. What can't be read leaves the list's word, without a signature."""
        posting = raw
        for sent, request in enumerate(pages, start=1):
            answer = await fetch_politely(self.engine, self.site, self.adapter, request, self.keep)
            if isinstance(answer, HostBusy):
                self.details_halted = True
                return Observed(raw=raw, detail=DetailState.SKIPPED), sent - 1
            read = read_detail(self.adapter, answer.page, posting) if isinstance(answer, Fetched) else answer
            if isinstance(read, NotFetched):
                self.details_halted = self.details_halted or read.outcome in _HALTS_DETAILS
                return _without_detail(raw, read), sent
            posting = read
        return Observed(raw=posting, detail=DetailState.READ), len(pages)


def _without_detail(raw: RawJobPosting, failure: NotFetched) -> Observed:
    to_login = failure.outcome is Outcome.REDIRECTED and leads_to_login(failure.location)
    if failure.outcome is Outcome.LOGIN_REQUIRED or to_login:
        # A wall is an answer: the posting is there, but only for members (seed 001, scenario 6).
        return Observed(raw=replace(raw, access_restricted=True), detail=DetailState.READ)
    return Observed(raw=replace(raw, signature=None), detail=DetailState.FAILED)
