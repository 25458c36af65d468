"""One polite request: a permit, the executor, and what the site's answer means for the host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import assert_never

from daemon.collection.actions.permit import close_up, delay_host, obtain_permit
from daemon.collection.engine import Engine
from daemon.collection.rules.permit import HostBusy
from daemon.sources.executor import SiteSession
from daemon.sources.model import Fetched, NotFetched, Outcome, PermitWithdrawn, Request, SourceAdapter
from daemon.sources.rules import may_follow


async def fetch_politely(
    engine: Engine, site: SiteSession, adapter: SourceAdapter, request: Request, keep: Callable[[], Awaitable[None]]
) -> Fetched | NotFetched | HostBusy:
    """Send one request with a permit of its own; follow one redirect that stays within the policy, with another.

    `keep` is called before each: it renews the lease or raises. `Retry-After` moves the host's permit for all instances
    before this returns. A request that was sent is never one to be repeated: where the host is too busy for the second
    one, the redirect stands as the answer.
    """
    await keep()
    answer = await _fetch_once(engine, site, adapter, request)
    match answer:
        case Fetched() | HostBusy():
            return answer
        case NotFetched(outcome=Outcome.REDIRECTED, location=str(location)):
            if not may_follow(adapter.capabilities.compliance, location):
                return answer
            await keep()
            onward = Request(url=location, headers=request.headers)
            followed = await _fetch_once(engine, site, adapter, onward, even_when_stopping=True)
            return answer if isinstance(followed, HostBusy) else followed
        case NotFetched():
            return answer
        case _:
            assert_never(answer)


async def _fetch_once(
    engine: Engine, site: SiteSession, adapter: SourceAdapter, request: Request, *, even_when_stopping: bool = False
) -> Fetched | NotFetched | HostBusy:
    host, delay = engine.executor.host_of(adapter), engine.executor.delay_of(adapter)
    return await fetch_with_permit(engine, site, host, delay, request, even_when_stopping=even_when_stopping)


async def fetch_with_permit(
    engine: Engine,
    site: SiteSession,
    host: str,
    delay: timedelta,
    request: Request,
    *,
    even_when_stopping: bool = False,
) -> Fetched | NotFetched | HostBusy:
    """Send one request to `host` with a permit of its own; follows nothing."""
    permit = await obtain_permit(engine, host, delay, engine.longest_host_wait, even_when_stopping=even_when_stopping)
    if isinstance(permit, HostBusy):
        return permit
    try:
        answer = await site.fetch(request, permit, engine.clock.now)
    except PermitWithdrawn as withdrawn:
        return HostBusy(until=withdrawn.until)
    engine.progress.counts["request"] += 1
    await close_up(engine, permit)
    if isinstance(answer, NotFetched) and answer.retry_after is not None:
        await delay_host(engine.db, host, answer.retry_after)
    return answer
