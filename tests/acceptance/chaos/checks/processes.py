"""The daemons as processes, and the day's jobs."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

from tests.acceptance.chaos.evidence import JOBS, Evidence, Memory
from tests.acceptance.chaos.schedule import Kind

_TIMETABLE = (
    "dedup",
    "deadline-sweep",
    "evaluation",
    "legacy-aggregators",
    "legacy-company-bound",
    "notification",
    "prepare",
    "seen-cleanup",
    "sla",
)
LEASE_SECONDS = 90.0
RECOVERY_SECONDS = 30.0
_LATENESS_SECONDS = 30.0
"""Simulated: what a busy machine makes of a real second or two. The report tells the figures without it."""


def jobs(seen: Evidence, _memory: Memory) -> Iterator[str]:
    ran = Counter(row["job_name"] for row in seen.of_day(JOBS))
    if ran != Counter(_TIMETABLE):
        yield f"ran: {dict(ran)}"
    for row in seen.of_day(JOBS):
        if row["job_status"] != "SUCCESS":
            yield f"{row['job_name']} is {row['job_status']}: {row['summary']}"
        elif row["attempt_count"] > 1 + len(seen.struck):
            yield f"{row['job_name']} took {row['attempt_count']} attempts"


def logs(seen: Evidence, _memory: Memory) -> Iterator[str]:
    """A full disk is an error with its traceback, once for each thing that it kept from being done.

    A line that is no event is a warning or a crash: a connection, say, that only the garbage collector closed.
    """
    full = any(one.kind is Kind.DISK_FULL for one in seen.struck)
    loose: defaultdict[str, list[str]] = defaultdict(list)
    for name, line in seen.logs:
        if not line.startswith("{"):
            loose[name].append(line)
            continue
        event = json.loads(line)
        if full and "database or disk is full" in line:
            continue
        if "Traceback" in line or event.get("level") in ("error", "critical"):
            yield f"{name}: {line[:1500]}"
    for name, lines in loose.items():
        yield f"{name}: {len(lines)} lines that are no events: {' | '.join(lines)[:1500]}"


def ends(seen: Evidence, _memory: Memory) -> Iterator[str]:
    yield from seen.surprises


def recovered(seen: Evidence, _memory: Memory) -> Iterator[str]:
    longest = LEASE_SECONDS + RECOVERY_SECONDS + _LATENESS_SECONDS
    for each in seen.recoveries:
        if each.seconds is None:
            yield f"{each.platform} of {each.by}, killed at {each.killed_at.isoformat()}: nothing was written since"
        elif each.seconds > longest and not each.disturbed:
            yield f"{each.platform} of {each.by}, killed at {each.killed_at.isoformat()}: {each.seconds:.1f} s"


def not_stuck(seen: Evidence, _memory: Memory) -> Iterator[str]:
    yield from seen.stuck
