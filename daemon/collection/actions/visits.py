"""Visits outside any cycle, for a person who looks for a company's board: as polite as those of the collection."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.collection.actions.fetch import fetch_politely, fetch_with_permit
from daemon.collection.engine import Engine
from daemon.collection.rules.permit import HostBusy
from daemon.sources.model import CollectionTarget, Fetched, NotFetched, Outcome, Request, SourceAdapter
from daemon.sources.rules import SiteAddress


@dataclass(frozen=True, kw_only=True, slots=True)
class PoliteVisits:
    """Single requests with the executor's limits, each with a permit that holds over all instances."""

    engine: Engine

    async def ask_board(self, adapter: SourceAdapter, target: CollectionTarget) -> Fetched | NotFetched:
        """The first page of a company's board."""
        async with self.engine.executor.session(adapter) as site:
            return _told(await fetch_politely(self.engine, site, adapter, adapter.list_request(target, None), _nothing))

    async def open_page(self, address: SiteAddress) -> Fetched | NotFetched:
        """A page that a person named. A redirect is an answer of its own: whoever follows it looks at it first."""
        engine = self.engine
        async with engine.executor.named_site(address.host) as site:
            return _told(
                await fetch_with_permit(
                    engine,
                    site,
                    address.host,
                    engine.executor.named_delay(),
                    Request(url=address.url),
                )
            )


async def _nothing() -> None:
    """No lease is to be kept."""


def _told(answer: Fetched | NotFetched | HostBusy) -> Fetched | NotFetched:
    if isinstance(answer, HostBusy):
        until = answer.until.strftime("%Y-%m-%dT%H:%M:%SZ")
        return NotFetched(outcome=Outcome.RATE_LIMITED, reason=f"not asked: the host is to be left alone until {until}")
    return answer
