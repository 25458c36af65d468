"""By the sites' own log: what was asked, how often, how fast, and whether the rows count just that."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from daemon.demo.request_log import LoggedRequest
from daemon.demo.world import Surface
from daemon.sources.model import Platform
from tests.acceptance.chaos.evidence import CYCLES, Evidence, Memory

_LOST = ("LEASE_EXPIRED", "INTERNAL_ERROR", "DAY_ENDED")
"""Ends of a cycle after which what was asked last may not have been counted."""

_IN_FLIGHT_SECONDS = 0.5
"""Real. Who was let through just before the clock leapt arrives hours later by that clock, beside the next one."""


def list_pages_once(seen: Evidence, _memory: Memory) -> Iterator[str]:
    asked = Counter((request.platform, request.board, request.page) for request in seen.lists())
    yield from (f"{platform} {board} page {page}: {n} times" for (platform, board, page), n in asked.items() if n > 1)


def details_once(seen: Evidence, _memory: Memory) -> Iterator[str]:
    asked = Counter((one.platform, one.path) for one in seen.requests if one.surface is Surface.DETAIL)
    yield from (f"{platform} {path}: {n} times" for (platform, path), n in asked.items() if n > 1)


def far_enough(seen: Evidence, _memory: Memory) -> Iterator[str]:
    by_site: defaultdict[Platform, list[LoggedRequest]] = defaultdict(list)
    for request in seen.requests:
        by_site[request.platform].append(request)
    for platform, requests in by_site.items():
        for one, other in pairwise(sorted(requests, key=lambda each: each.wall)):
            if any(0 <= one.wall - leap < _IN_FLIGHT_SECONDS for leap in seen.moments.leaps):
                continue
            gap = seen.moments.passed(other.wall) - seen.moments.passed(one.wall)
            if gap < seen.delay - 1e-3:
                who = f"{one.user_agent} {one.path} and {other.user_agent} {other.path}"
                yield f"{platform}: {gap:.3f} s between {who} at {other.instant.isoformat()}"


def pages_counted(seen: Evidence, _memory: Memory) -> Iterator[str]:
    pages: defaultdict[int, list[LoggedRequest]] = defaultdict(list)
    for request in seen.lists():
        pages[seen.source_of(request)].append(request)
    for row in seen.of_day(CYCLES):
        asked = sorted(pages.pop(row["job_source_id"], []), key=lambda each: each.wall)
        served = [request for request in asked if request.status == 200]
        counted, failed = row["list_page_count"], row["cycle_status"] == "FAILED"
        if not counted <= len(served) <= counted + failed or len(asked) > counted + failed:
            yield f"cycle {row['id']} {row['cycle_status']}: {counted} counted, {len(served)} of {len(asked)} served"
        if [request.page for request in asked] != list(range(1, len(asked) + 1)):
            yield f"cycle {row['id']}: pages {[request.page for request in asked]} in this order"
    yield from (f"{seen.sources[key]}: asked without a cycle" for key in pages)


def details_counted(seen: Evidence, _memory: Memory) -> Iterator[str]:
    served = Counter(request.platform for request in seen.requests if request.surface is Surface.DETAIL)
    counted: Counter[Platform] = Counter()
    unsure: set[Platform] = set()
    for row in seen.of_day(CYCLES):
        platform = seen.sources[row["job_source_id"]].platform
        counted[platform] += row["detail_request_count"]
        if row["failure_reason"] in _LOST:
            unsure.add(platform)
    for platform in served | counted:
        if counted[platform] > served[platform] or (platform not in unsure and counted[platform] < served[platform]):
            yield f"{platform}: {counted[platform]} counted, {served[platform]} served"
