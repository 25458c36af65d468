"""Who asked the replica for what, and when: kept in memory, optionally also in a file, one JSON object a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path

from daemon.clock import business_date
from daemon.demo.world.model import Surface
from daemon.sources.model import Platform


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedRequest:
    """One request as it arrived; `status` is what it is about to be answered with, 0 for a dropped connection."""

    wall: float
    """Unix time, seconds."""
    monotonic: float
    instant: datetime
    """On the clock that the replica was given."""
    platform: Platform
    method: str
    path: str
    """With its query, as sent."""
    user_agent: str
    surface: Surface
    board: str
    """Slug or category codes, with ` keyword` behind when one was asked for."""
    page: int
    """1-based page of a list; 1 elsewhere."""
    item: str
    """The posting asked for, on a detail."""
    status: int

    @property
    def day(self) -> date:
        """The KST business day on which it arrived."""
        return business_date(self.instant)


class RequestLog:
    """The requests in the order of their arrival; the questions that tests and benchmarks ask of them."""

    def __init__(self, path: Path | None = None) -> None:
        self.requests: list[LoggedRequest] = []
        self._file: TextIOWrapper | None = None if path is None else path.open("a", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> RequestLog:
        """The log that another process writes; a last line that is not whole yet is left out."""
        log = cls()
        for line in path.read_text("utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                fields = json.loads(line)
                fields["instant"] = datetime.fromisoformat(fields["instant"])
                fields["platform"], fields["surface"] = Platform(fields["platform"]), Surface(fields["surface"])
                log.requests.append(LoggedRequest(**fields))
        return log

    def add(self, request: LoggedRequest) -> None:
        """Remember it; the line is flushed at once, so that it survives whatever happens next."""
        self.requests.append(request)
        if self._file is not None:
            self._file.write(json.dumps({**asdict(request), "instant": request.instant.isoformat()}) + "\n")
            self._file.flush()

    def clear(self) -> None:
        """Forget what is in memory."""
        self.requests.clear()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def of(self, platform: Platform | None = None, day: date | None = None) -> Iterator[LoggedRequest]:
        """The requests to a site, on a business day; None is any."""
        for request in self.requests:
            if (platform is None or request.platform is platform) and (day is None or request.day == day):
                yield request

    def closest_gap(self, platform: Platform) -> float | None:
        """Seconds of the replica's clock between the two requests to a site that came closest; None below two."""
        instants = sorted(request.instant for request in self.of(platform))
        gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(instants)]
        return min(gaps, default=None)

    def list_page_requests(self, platform: Platform | None = None, day: date | None = None) -> list[LoggedRequest]:
        """The requests for list pages, in order."""
        return [request for request in self.of(platform, day) if request.surface is Surface.LIST]

    def detail_requests(self, platform: Platform | None = None, day: date | None = None) -> list[LoggedRequest]:
        """The requests for postings' own pages, in order."""
        return [request for request in self.of(platform, day) if request.surface is Surface.DETAIL]

    def repeated_list_pages(self, day: date | None = None) -> dict[tuple[date, Platform, str, int], int]:
        """List pages asked for more than once on one business day: (day, site, board, page) and how often.

        Empty as long as no same-day HTTP is repeated (seed 000).
        """
        asked = Counter(
            (request.day, request.platform, request.board, request.page) for request in self.list_page_requests(day=day)
        )
        return {page: times for page, times in asked.items() if times > 1}

    def repeated_details(self, day: date | None = None) -> dict[tuple[date, Platform, str], int]:
        """Detail addresses asked for more than once on one business day: (day, site, path and query) and how often."""
        asked = Counter((request.day, request.platform, request.path) for request in self.detail_requests(day=day))
        return {detail: times for detail, times in asked.items() if times > 1}
