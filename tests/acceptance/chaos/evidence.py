"""What is known after a day, and what is remembered of the days before: all that the checks look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from daemon.clock import business_date
from daemon.demo.discord import Posted
from daemon.demo.request_log import LoggedRequest
from daemon.demo.sources import DemoSource
from daemon.demo.world import Surface, World
from tests.acceptance.chaos.moments import Moments
from tests.acceptance.chaos.recovery import Recovery
from tests.acceptance.chaos.strikes import Struck
from tests.acceptance.chaos.watch import Row
from tests.acceptance.replay import Counts, Replay

CYCLES = "job_posting_collection_cycles"
SEEN = "job_posting_collection_seen_postings"
RUNS = "job_posting_collection_runs"
HEADERS = "job_posting_collection_sla_snapshots"
ITEMS = "job_posting_collection_sla_snapshot_sources"
POSTINGS = "job_postings"
DISPATCHES = "notification_dispatches"
JOBS = "scheduled_job_executions"

TABLES = (
    CYCLES,
    SEEN,
    RUNS,
    HEADERS,
    ITEMS,
    POSTINGS,
    DISPATCHES,
    JOBS,
    "companies",
    "company_aliases",
    "job_sources",
    "job_posting_descriptions",
    "job_posting_source_tags",
    "job_source_health",
    "job_posting_match_results",
    "job_posting_matched_keyword_groups",
    "job_posting_work_arrangements",
    "job_keyword_groups",
    "work_arrangement_keywords",
    "notification_digest_postings",
    "external_request_host_limits",
)

OPEN = ("NOT_STARTED", "PENDING", "RUNNING")

_FINAL: dict[str, Callable[[Row], bool]] = {
    CYCLES: lambda row: row["cycle_status"] not in OPEN,
    RUNS: lambda _row: True,
    HEADERS: lambda row: row["capture_status"] not in ("PENDING", "CAPTURING"),
    ITEMS: lambda _row: True,
    DISPATCHES: lambda row: row["dispatch_status"] == "DELIVERED",
    JOBS: lambda row: row["job_status"] != "RUNNING",
}
"""Rows that never change again, by table."""


@dataclass(kw_only=True)
class Evidence:
    """After one day. The damage that tests do to it is done in place."""

    day: date
    number: int
    tables: dict[str, list[Row]]
    requests: list[LoggedRequest]
    """The day's."""
    moments: Moments
    delay: float
    """Simulated seconds between two requests to a site."""
    channel: list[Posted]
    """What stands in the Discord channel."""
    unanswered: int
    """Messages of the day that Discord took without telling."""
    struck: list[Struck]
    """The day's."""
    cutoff_troubled: bool
    """Whether at 09:00 the database was away, or nobody was there."""
    at_cutoff: Mapping[int, tuple[int, int]]
    """What a cycle, by id, had fetched at the last look before 09:00, and at the first look after."""
    sources: Mapping[int, DemoSource]
    world: World
    logs: list[tuple[str, str]]
    """The day's lines by the name of the log."""
    surprises: list[str]
    recoveries: list[Recovery]
    stuck: list[str]
    """What the day waited for in vain."""

    def of_day(self, table: str) -> list[Row]:
        """The rows of the day, of tables that have one."""
        return [row for row in self.tables[table] if row["run_date"] == self.day]

    def lists(self) -> list[LoggedRequest]:
        """The day's requests for list pages."""
        return [request for request in self.requests if request.surface is Surface.LIST]

    def source_of(self, request: LoggedRequest) -> int:
        """The source that a list page was asked for."""
        return next(
            key
            for key, source in self.sources.items()
            if (source.platform, source.board) == (request.platform, request.board)
        )

    def swept_at(self) -> datetime | None:
        """When the deadline sweep was done: what it closed tells, for its job may end late, or be killed first."""
        swept = [row["finished_at"] for row in self.of_day(JOBS) if row["job_name"] == "deadline-sweep"]
        swept += [
            row["closed_at"]
            for row in self.tables[POSTINGS]
            if row["closed_reason"] == "DEADLINE_PASSED" and business_date(row["closed_at"]) == self.day
        ]
        return min((at for at in swept if at is not None), default=None)


@dataclass
class Memory:
    """What the days before left: what must be stored by now, and rows that must never change."""

    replays: dict[int, Replay]
    expected: dict[int, Counts] = field(default_factory=dict)
    """Of the present day, by source."""
    carried: dict[int, int] = field(default_factory=dict)
    """Edits by source that were not to be noticed yet, since the page that shows them was not read."""
    frozen: dict[tuple[str, int], Row] = field(default_factory=dict)

    def live_through(self, evidence: Evidence) -> None:
        """Play the day on the world's own truth, as far as each cycle says that it has read."""
        self.expected.clear()
        self._take_what_is_known(evidence)
        swept_at = evidence.swept_at()
        for row in evidence.of_day(CYCLES):
            ended = row["finished_at"]
            self.expected[row["job_source_id"]] = self.replays[row["job_source_id"]].live(
                evidence.day,
                complete=row["cycle_status"] == "SUCCESS",
                pages=row["list_page_count"],
                swept=swept_at is not None and ended is not None and swept_at < ended,
            )
        self._take_what_is_known(evidence)

    def _take_what_is_known(self, evidence: Evidence) -> None:
        """A wall is met on the posting's own page, which was not asked for where a fault came between.

        What the rows claim to know is taken over; the check of walls says whether they may and must.
        """
        for row in evidence.tables[POSTINGS]:
            one = self.replays[row["job_source_id"]].stored.get(row["source_job_id"])
            if one is not None:
                one.restricted = one.walled and bool(row["access_restricted"])

    def learn(self, evidence: Evidence) -> None:
        """The day has been judged."""
        for table, is_final in _FINAL.items():
            for row in evidence.tables[table]:
                if is_final(row):
                    self.frozen.setdefault((table, row["id"]), dict(row))
        for row in evidence.of_day(CYCLES):
            key = row["job_source_id"]
            if row["detail_skipped_count"] or row["detail_failure_count"] or self.carried.get(key):
                missing = self.expected[key].changed - row["changed_count"]
                self.carried[key] = max(0, self.carried.get(key, 0) + missing)


@dataclass(frozen=True, kw_only=True, slots=True)
class Violation:
    """Something that must not be."""

    check: str
    day: int
    what: str

    def __str__(self) -> str:
        return f"day {self.day}, {self.check}: {self.what}"


def by_id(rows: Sequence[Row]) -> dict[int, Row]:
    """Rows by their id."""
    return {row["id"]: row for row in rows}
