"""What must hold of a demo, and every row that says it does not: the demo's own verdict on the daemon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum

from daemon.clock import KST
from daemon.company.model import JobSource
from daemon.db import Database, reading
from daemon.demo.discord import Discord
from daemon.demo.request_log import RequestLog
from daemon.demo.world import World
from daemon.demo.world.truth import DayCounts, ledger
from daemon.messages import Language, text
from daemon.notification.model import DispatchStatus
from daemon.notification.store import history
from daemon.operations.model import SnapshotStatus, SourceToday, Today
from daemon.operations.postings.actions import export_postings
from daemon.operations.postings.model import PostingRecord
from daemon.sources.model import Platform
from daemon.sources.registry import adapter_of

_EVERY_ROW = 1_000_000
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class Invariant(StrEnum):
    """What must hold; `demo.invariant.NAME` in the catalogue says it to a person."""

    GAP = "GAP"
    """No two requests to a site closer than its delay."""
    ONCE = "ONCE"
    """No list page and no posting's page is asked for twice on one day."""
    SCRIPT = "SCRIPT"
    """Each source's state and counts are those of the world's script."""
    SNAPSHOT = "SNAPSHOT"
    """The state of 09:00 was recorded every day."""
    TOLD = "TOLD"
    """Each message arrived once, none on the day of seeding, none refused."""
    COPIES = "COPIES"
    """Of a vacancy on several sites one posting stands for all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A row that an invariant does not hold for."""

    invariant: Invariant
    row: str


def short_label(source: JobSource) -> str:
    """A source in few cells: `당근마켓 GREENHOUSE`, `SARAMIN 백엔드/서버개발`."""
    return source.label if source.company_name is None else f"{source.company_name} {source.platform}"


def gap_kept(log: RequestLog, platform: Platform) -> tuple[float, float | None, bool]:
    """A site's delay, the closest two requests to it, whether that is far enough; seconds of the replica's clock."""
    delay = adapter_of(platform).capabilities.compliance.request_delay.total_seconds()
    gap = log.closest_gap(platform)
    return delay, gap, gap is None or gap >= delay


def impolite(language: Language, log: RequestLog) -> Iterator[Finding]:
    """What the sites' own log says of politeness."""
    for platform in Platform:
        delay, gap, kept = gap_kept(log, platform)
        if not kept:
            row = text(language, "demo.row_gap", platform=platform, gap=f"{gap:.3f}", delay=f"{delay:.3f}")
            yield Finding(invariant=Invariant.GAP, row=row)
    for (day, platform, board, page), times in log.repeated_list_pages().items():
        what = f"{day} {platform} {board} p{page}"
        yield Finding(invariant=Invariant.ONCE, row=text(language, "demo.row_repeated", what=what, times=times))
    for (day, platform, path), times in log.repeated_details().items():
        what = f"{day} {platform} {path}"
        yield Finding(invariant=Invariant.ONCE, row=text(language, "demo.row_repeated", what=what, times=times))


class Script:
    """What a perfect collector counts, by source and day."""

    def __init__(self, language: Language, world: World, days: int) -> None:
        self._language = language
        self._world = world
        self._days = days
        self._ledgers: dict[tuple[Platform, str], tuple[DayCounts, ...]] = {}

    def judge(self, day: date, found: Today, sources: Mapping[int, JobSource]) -> list[Finding]:
        """The sources of the day whose state, reason or counts are not those of the script, and a missed snapshot."""
        findings = []
        for one in found.sources:
            expected, counted = self._expected(sources[one.job_source_id], day), _counts(one)
            if expected != counted:
                row = text(
                    self._language,
                    "demo.row_script",
                    day=day,
                    source=short_label(sources[one.job_source_id]),
                    expected=self._told(expected),
                    found=self._told(counted),
                )
                findings.append(Finding(invariant=Invariant.SCRIPT, row=row))
        status = found.sla_snapshot.capture_status
        if status is not SnapshotStatus.CAPTURED:
            findings.append(Finding(invariant=Invariant.SNAPSHOT, row=f"{day} {status}"))
        return findings

    def _expected(self, source: JobSource, day: date) -> tuple[object, ...]:
        board = (source.platform, source.source_slug or source.search_category_code or "")
        if board not in self._ledgers:
            self._ledgers[board] = ledger(self._world, *board, self._days)
        one = self._ledgers[board][self._world.number_of(day) - 1]
        return (one.truth.end.value, one.truth.reason, one.new, one.changed, one.missed, one.closed)

    def _told(self, counts: tuple[object, ...]) -> str:
        status, reason, *numbers = counts
        names = [text(self._language, f"column.{name}") for name in ("new", "changed", "missed", "closed")]
        told = [f"{name} {number}" for name, number in zip(names, numbers, strict=True)]
        return " ".join(str(part) for part in (status, reason, *told) if part)


def _counts(one: SourceToday) -> tuple[object, ...]:
    status = None if one.status is None else one.status.value
    return (status, one.reason or "", one.new_count, one.changed_count, one.missed_count, one.closed_count)


async def mistold(db: Database, discord: Discord, seeding: date) -> list[Finding]:
    """Messages that were refused, repeated, lost, told on the day of seeding, or recorded but never sent."""
    refused = [request for request in discord.requests if request.status != 200]
    found = [f"{request.status} {request.body.get('content', '')}" for request in refused]
    found += [f"x{times} {body}" for body, times in discord.copies().items() if times > 1]
    early = [message for message in discord.messages if _korean_day(message.at) == seeding]
    found += [f"{seeding} {message.content}" for message in early]
    rows, _ = await reading(db, history.load_page, _LONG_AGO, None, 0, _EVERY_ROW)
    arrived = {message.id for message in discord.messages}
    for row in rows:
        if row.dispatch_status != DispatchStatus.DELIVERED or row.discord_message_id not in arrived:
            found.append(f"{row.dispatch_status} {row.message_summary} ({row.last_error or row.discord_message_id})")
    recorded = {row.discord_message_id for row in rows}
    found += [f"? {message.content}" for message in discord.messages if message.id not in recorded]
    return [Finding(invariant=Invariant.TOLD, row=row) for row in found]


def _korean_day(timestamp: float) -> date:
    return datetime.fromtimestamp(timestamp, KST).date()


async def ungrouped(db: Database, world: World) -> list[Finding]:
    """Vacancies on several sites of whose postings not exactly one stands for the others, or stands for strangers."""
    records = [record async for chunk in export_postings(db) for record in chunk]
    found = []
    for key, listings in world.cross_posted().items():
        sites = {(listing.platform, listing.site_id) for listing in listings}
        copies = [record for record in records if any(_is(record, *site) for site in sites)]
        stand_for = {record.representative_id or record.job_posting_id for record in copies}
        group = [one for one in records if (one.representative_id or one.job_posting_id) in stand_for]
        if len(stand_for) > 1 or len(group) != len(copies):
            told = ", ".join(f"{one.platform} {one.job_posting_id}->{one.representative_id or '-'}" for one in group)
            row = f"{key} {copies[0].company_name} - {copies[0].title}: {told}"
            found.append(Finding(invariant=Invariant.COPIES, row=row))
    return found


def _is(record: PostingRecord, platform: Platform, site_id: str) -> bool:
    """Whether a posting is the site's listing with this id, which every site has in its address."""
    return record.platform is platform and re.search(rf"\b{site_id}\b", record.posting_url) is not None
