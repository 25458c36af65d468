"""By the sites' own log: what was asked, how often, how fast, and whether the rows count just that."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from daemon.demo.request_log import LoggedRequest
from daemon.demo.world import Surface
from daemon.sources.model import Platform
from tests.acceptance.chaos.evidence import CYCLES, Evidence, Memory
from tests.acceptance.chaos.moments import Moments

_LOST = ("LEASE_EXPIRED", "INTERNAL_ERROR", "DAY_ENDED")
"""Ends of a cycle after which what was asked last may not have been counted."""

_IN_FLIGHT_SECONDS = 0.5
"""Real: what may lie between the look at a permit and the arrival of its request."""


def list_pages_once(seen: Evidence, _memory: Memory) -> Iterator[str]:
    asked = Counter((request.platform, request.board, request.page) for request in seen.lists())
    yield from (f"{platform} {board} page {page}: {n} times" for (platform, board, page), n in asked.items() if n > 1)


def details_once(seen: Evidence, _memory: Memory) -> Iterator[str]:
    asked = Counter((one.platform, one.path) for one in seen.requests if one.surface is Surface.DETAIL)
    yield from (f"{platform} {path}: {n} times" for (platform, path), n in asked.items() if n > 1)


def far_enough(seen: Evidence, _memory: Memory) -> Iterator[str]:
    """Of each site. By the clock that leaps, what was under way just then took minutes to arrive, and came too late.

    Whoever looks at the host after the leap finds it free, and no permit can call back what has been sent. A host has
    one place at a time, so that no more than one request of a site may be beside the next one for each leap.
    """
    by_site: defaultdict[Platform, list[LoggedRequest]] = defaultdict(list)
    for request in seen.requests:
        by_site[request.platform].append(request)
    for platform, requests in by_site.items():
        for one, other, gap in too_close(requests, seen.moments, seen.delay):
            who = f"{one.user_agent} {one.path} and {other.user_agent} {other.path}"
            yield f"{platform}: {gap:.3f} s between {who} at {other.instant.isoformat()}"


Pair = tuple[LoggedRequest, LoggedRequest, float]


def too_close(requests: Iterable[LoggedRequest], moments: Moments, delay: float) -> list[Pair]:
    """Pairs of a site's requests with fewer than `delay` simulated seconds between; for each leap, one is left out."""

    def pairs(left: Iterable[LoggedRequest]) -> list[Pair]:
        gaps = ((one, other, moments.passed(other.wall) - moments.passed(one.wall)) for one, other in pairwise(left))
        return [(one, other, gap) for one, other, gap in gaps if gap < delay - 1e-3]

    left = sorted(requests, key=lambda each: each.wall)
    for leap in moments.leaps:
        under_way = [each for each in left if 0 <= each.wall - leap < _IN_FLIGHT_SECONDS]
        without = [[each for each in left if each is not one] for one in under_way]
        left = min([left, *without], key=lambda each: len(pairs(each)))
    return pairs(left)


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
