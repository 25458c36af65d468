"""One thing wrong in good evidence for each check: a check that can't fail checks nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from datetime import timedelta

from daemon.clock import kst
from daemon.demo.discord import Posted
from daemon.demo.request_log import LoggedRequest
from daemon.demo.world import Surface
from tests.acceptance.chaos.evidence import (
    CYCLES,
    DISPATCHES,
    HEADERS,
    ITEMS,
    JOBS,
    POSTINGS,
    RUNS,
    SEEN,
    Evidence,
    Memory,
)
from tests.acceptance.chaos.recovery import Recovery
from tests.acceptance.chaos.watch import Row

Damage = Callable[[Evidence, Memory], None]


def _row(rows: list[Row], **columns: object) -> Row:
    return next(row for row in rows if all(row[name] == value for name, value in columns.items()))


def _success(seen: Evidence) -> Row:
    return next(row for row in seen.of_day(CYCLES) if row["cycle_status"] == "SUCCESS" and row["list_page_count"])


def _again(seen: Evidence, surface: Surface) -> None:
    asked = next(one for one in seen.requests if one.surface is surface)
    seen.requests.append(replace(asked, wall=seen.requests[-1].wall + 60))


def _too_soon(seen: Evidence, _memory: Memory) -> None:
    one: LoggedRequest = seen.requests[-1]
    seen.requests.append(replace(one, surface=Surface.OTHER, wall=one.wall + 0.01))


def _uncounted_page(seen: Evidence, _memory: Memory) -> None:
    _success(seen)["list_page_count"] += 1


def _uncounted_detail(seen: Evidence, _memory: Memory) -> None:
    _success(seen)["detail_request_count"] += 1000


def _miscounted(seen: Evidence, _memory: Memory) -> None:
    row = _success(seen)
    row["new_count"] += 1
    _row(seen.of_day(RUNS), job_source_id=row["job_source_id"])["new_count"] += 1


def _lost(seen: Evidence, _memory: Memory) -> None:
    del seen.tables[POSTINGS][0]


def _walled_in(seen: Evidence, _memory: Memory) -> None:
    _row(seen.tables[POSTINGS], access_restricted=0)["access_restricted"] = 1


def _false_close(seen: Evidence, _memory: Memory) -> None:
    row = _row(seen.tables[POSTINGS], posting_status="OPEN")
    row |= {"posting_status": "CLOSED", "closed_reason": "NOT_FOUND_TWICE", "closed_at": kst(seen.day, 1)}


def _left_open(seen: Evidence, _memory: Memory) -> None:
    _success(seen)["cycle_status"] = "PENDING"


def _misprojected(seen: Evidence, _memory: Memory) -> None:
    seen.of_day(RUNS)[0]["fetched_count"] += 1


def _seen_left(seen: Evidence, _memory: Memory) -> None:
    cycle = _success(seen)["id"]
    seen.tables[SEEN].append({"id": 1, "job_posting_collection_cycle_id": cycle, "source_job_id": "1"})


def _mistaken_snapshot(seen: Evidence, _memory: Memory) -> None:
    header = _row(seen.tables[HEADERS], snapshot_date=seen.day)
    items = [row for row in seen.tables[ITEMS] if row["job_posting_collection_sla_snapshot_id"] == header["id"]]
    items[0]["captured_fetched_count"] += 1_000_000


def _rewritten(_seen: Evidence, memory: Memory) -> None:
    frozen = next(row for (table, _), row in memory.frozen.items() if table == ITEMS)
    frozen["captured_fetched_count"] += 1


def _job_failed(seen: Evidence, _memory: Memory) -> None:
    seen.of_day(JOBS)[0]["job_status"] = "FAILED"


def _said_twice(seen: Evidence, _memory: Memory) -> None:
    for number in range(2):
        seen.channel.append(Posted(id=f"again {number}", body=seen.channel[-1].body, at=seen.channel[-1].at))


def _never_arrived(seen: Evidence, _memory: Memory) -> None:
    row = next(row for row in seen.tables[DISPATCHES] if row["dispatch_status"] == "DELIVERED")
    row["discord_message_id"] = "nowhere"


def _never_told(seen: Evidence, _memory: Memory) -> None:
    told = {row["target_id"] for row in seen.tables[DISPATCHES] if row["target_type"] == "JOB_POSTING"}
    told |= {row["job_posting_id"] for row in seen.tables["notification_digest_postings"]}
    row = next(one for one in seen.tables[POSTINGS] if one["posting_status"] == "OPEN" and one["id"] not in told)
    row |= {"notification_eligible": 1, "representative_id": None, "access_restricted": 0, "version": 0}
    row["first_seen_at"] = kst(seen.day, 0)
    for result in seen.tables["job_posting_match_results"]:
        if result["job_posting_id"] == row["id"]:
            result |= {"notifiable": 1, "posting_version": 0}


def _orphan(seen: Evidence, _memory: Memory) -> None:
    seen.tables["job_posting_descriptions"][0]["job_posting_id"] = -1


def _half_closed(seen: Evidence, _memory: Memory) -> None:
    _row(seen.tables[POSTINGS], posting_status="OPEN")["closed_at"] = kst(seen.day, 1)


def _sick(seen: Evidence, _memory: Memory) -> None:
    seen.tables["job_source_health"][0]["consecutive_abnormal_days"] += 1


def _traceback(seen: Evidence, _memory: Memory) -> None:
    line = json.dumps({"level": "warning", "event": "x", "exception": "Traceback (most recent call last)"})
    seen.logs.append(("daemon-0", line))


def _died(seen: Evidence, _memory: Memory) -> None:
    seen.surprises.append("daemon-0 ended with 1")


def _slow_recovery(seen: Evidence, _memory: Memory) -> None:
    at = kst(seen.day, 0) + timedelta(minutes=1)
    seen.recoveries.append(Recovery(killed_at=at, platform="WANTED", by="gonggo-chaos/0", seconds=200.0))


def _stuck(seen: Evidence, _memory: Memory) -> None:
    seen.stuck.append("the day's cycles")


DAMAGES: Mapping[str, Damage] = {
    "a list page is asked for once a day": lambda seen, _: _again(seen, Surface.LIST),
    "a posting's page is asked for once a day": lambda seen, _: _again(seen, Surface.DETAIL),
    "two requests to a site are a delay apart": _too_soon,
    "pages counted are pages served": _uncounted_page,
    "details counted are details served": _uncounted_detail,
    "a cycle counts what its pages showed": _miscounted,
    "a posting is stored as its site last showed it": _lost,
    "who has met a wall knows of it, and nobody else": _walled_in,
    "nothing is closed but by two complete lists or its deadline": _false_close,
    "every source has one cycle, and it is over": _left_open,
    "a run row is its cycle's": _misprojected,
    "nothing is left of the seen set": _seen_left,
    "the snapshot is that of 09:00": _mistaken_snapshot,
    "what is over does not change": _rewritten,
    "each job of the day succeeded once": _job_failed,
    "each message stands in the channel once": _said_twice,
    "what is recorded as told was told": _never_arrived,
    "no message is lost": _never_told,
    "no row is without its parent": _orphan,
    "no row is half-written": _half_closed,
    "health counts abnormal days in a row": _sick,
    "logs are clean": _traceback,
    "no process ends by itself": _died,
    "a killed holder's host goes on in time": _slow_recovery,
    "the day comes to its end": _stuck,
}
"""By the check that must notice."""


def copied(evidence: Evidence, memory: Memory) -> tuple[Evidence, Memory]:
    """Evidence and memory of one's own, as far as they are damaged here."""
    mine = copy(evidence)
    mine.tables = {name: [dict(row) for row in rows] for name, rows in evidence.tables.items()}
    for name in ("requests", "channel", "logs", "surprises", "recoveries", "stuck"):
        setattr(mine, name, list(getattr(evidence, name)))
    remembered = copy(memory)
    remembered.frozen = {key: dict(row) for key, row in memory.frozen.items()}
    return mine, remembered
