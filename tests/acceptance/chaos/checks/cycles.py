"""Cycles, what they projected, and the postings they left, beside the world's own truth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from daemon.clock import kst
from daemon.demo.world.truth import PAGE_SIZES
from tests.acceptance.chaos.evidence import CYCLES, HEADERS, ITEMS, OPEN, POSTINGS, RUNS, SEEN, Evidence, Memory, by_id
from tests.acceptance.chaos.watch import Row
from tests.acceptance.replay import as_stored, expected

_PROJECTED = ("fetched", "new", "changed", "missed", "closed", "detail_failure", "detail_skipped")


def counts(seen: Evidence, memory: Memory) -> Iterator[str]:
    for row in seen.of_day(CYCLES):
        key = row["job_source_id"]
        want, carried = memory.expected[key], memory.carried.get(key, 0)
        told = (row["fetched_count"], row["new_count"], row["missed_count"], row["closed_count"])
        right = (_shown(seen, row), want.new, want.missed, want.closed)
        late = bool(carried or row["detail_skipped_count"] or row["detail_failure_count"])
        least, most = (0, want.changed + carried) if late else (want.changed, want.changed)
        if told != right or not least <= row["changed_count"] <= most:
            name, status = seen.sources[key], row["cycle_status"]
            yield (
                f"{name} {status} {row['list_page_count']} pages: fetched, new, missed, closed {told}, right {right};"
                f" changed {row['changed_count']}, right {least}..{most}"
            )


def _shown(seen: Evidence, row: Row) -> int:
    """How many postings the pages that a cycle has read showed."""
    source = seen.sources[row["job_source_id"]]
    listed = seen.world.on(seen.day).listed(source.platform, source.board) or ()
    if row["cycle_status"] != "SUCCESS":
        size = PAGE_SIZES.get(source.platform, max(1, len(listed)))
        listed = listed[: row["list_page_count"] * size]
    return sum(not one.withdrawn for one in listed)


def postings(seen: Evidence, memory: Memory) -> Iterator[str]:
    stored: defaultdict[int, dict[str, Row]] = defaultdict(dict)
    for row in seen.tables[POSTINGS]:
        if row["source_job_id"] in stored[row["job_source_id"]]:
            yield f"posting {row['id']} is stored twice"
        stored[row["job_source_id"]][row["source_job_id"]] = row
    for key, replay in memory.replays.items():
        told, right = as_stored(stored[key]), expected(replay)
        for lost in sorted(right.keys() - told.keys()):
            yield f"{seen.sources[key]}: {lost} is lost"
        for extra in sorted(told.keys() - right.keys()):
            yield f"{seen.sources[key]}: {extra} was never shown"
        for common in sorted(told.keys() & right.keys()):
            if told[common] != right[common]:
                yield f"{seen.sources[key]}: {common} is {told[common]}, right {right[common]}"


def walls(seen: Evidence, memory: Memory) -> Iterator[str]:
    """Who has read all of a list and each page that it wanted knows what is for members only, and nobody else does."""
    known = {
        (row["job_source_id"], row["source_job_id"]): bool(row["access_restricted"]) for row in seen.tables[POSTINGS]
    }
    for (key, item), restricted in known.items():
        one = memory.replays[key].stored.get(item)
        if restricted and not (one is not None and one.walled):
            yield f"{seen.sources[key]}: {item} has no wall"
    for row in seen.of_day(CYCLES):
        key = row["job_source_id"]
        if row["cycle_status"] != "SUCCESS" or row["detail_skipped_count"] or row["detail_failure_count"]:
            continue
        for posting in memory.replays[key].truth(seen.day).postings:
            if posting.access_restricted and not known.get((key, posting.source_job_id), True):
                yield f"{seen.sources[key]}: {posting.source_job_id} has a wall that nobody noticed"


def closed_for_cause(seen: Evidence, _memory: Memory) -> Iterator[str]:
    """By the world's lists alone: complete cycles after the last showing, however their counters came about."""
    complete: defaultdict[int, list[Row]] = defaultdict(list)
    for row in seen.tables[CYCLES]:
        if row["cycle_status"] == "SUCCESS":
            complete[row["job_source_id"]].append(row)
    for row in seen.tables[POSTINGS]:
        if row["posting_status"] != "CLOSED":
            continue
        if row["closed_reason"] == "DEADLINE_PASSED":
            if row["deadline_at"] is None or row["deadline_at"] > row["closed_at"]:
                yield f"posting {row['id']} closed before its deadline"
            continue
        source = seen.sources[row["job_source_id"]]
        without = 0
        for cycle in complete[row["job_source_id"]]:
            listed = seen.world.on(cycle["run_date"]).listed(source.platform, source.board) or ()
            shows = any(one.site_id == row["source_job_id"] for one in listed)
            without = 0 if shows else without + (cycle["finished_at"] <= row["closed_at"])
        if without < 2:
            yield f"posting {row['id']} of {source} closed after {without} complete lists without it"


def all_over(seen: Evidence, _memory: Memory) -> Iterator[str]:
    found = [row["job_source_id"] for row in seen.of_day(CYCLES)]
    if sorted(found) != sorted(seen.sources):
        yield f"sources with a cycle: {sorted(found)}"
    for row in seen.tables[CYCLES]:
        if row["cycle_status"] in OPEN:
            yield f"cycle {row['id']} of {row['run_date']} is {row['cycle_status']}"


def projected(seen: Evidence, _memory: Memory) -> Iterator[str]:
    runs = {row["job_source_id"]: row for row in seen.of_day(RUNS)}
    for cycle in seen.of_day(CYCLES):
        run = runs.pop(cycle["job_source_id"], None)
        if (run is None) != (cycle["cycle_status"] == "BUDGET_EXHAUSTED"):
            yield f"cycle {cycle['id']} {cycle['cycle_status']} has {'no' if run is None else 'a'} run row"
        if run is None:
            continue
        same = ("failure_reason", "started_at", "finished_at", *(f"{name}_count" for name in _PROJECTED))
        for name, told, right in [
            ("run_status", run["run_status"], cycle["cycle_status"]),
            *((name, run[name], cycle[name]) for name in same),
        ]:
            if told != right:
                yield f"run {run['id']}: {name} is {told}, its cycle's {right}"
    yield from (f"run {run['id']} has no cycle" for run in runs.values())


def nothing_seen(seen: Evidence, _memory: Memory) -> Iterator[str]:
    over = {row["id"] for row in seen.tables[CYCLES] if row["cycle_status"] not in OPEN}
    left = [row for row in seen.tables[SEEN] if row["job_posting_collection_cycle_id"] in over]
    if left:
        yield f"{len(left)} ids of cycles {sorted({row['job_posting_collection_cycle_id'] for row in left})}"


def snapshot(seen: Evidence, _memory: Memory) -> Iterator[str]:
    cutoff = kst(seen.day, 9)
    headers = [row for row in seen.tables[HEADERS] if row["snapshot_date"] == seen.day]
    if [row["scheduled_at"] for row in headers] != [cutoff]:
        yield f"{len(headers)} headers of the day"
        return
    items = [row for row in seen.tables[ITEMS] if row["job_posting_collection_sla_snapshot_id"] == headers[0]["id"]]
    if headers[0]["capture_status"] != "CAPTURED":
        if not seen.cutoff_troubled or headers[0]["capture_status"] != "MISSED" or items:
            yield f"{headers[0]['capture_status']} ({headers[0]['miss_reason']}) with {len(items)} items"
        return
    cycles = {row["job_source_id"]: row for row in seen.of_day(CYCLES)}
    if sorted(row["job_source_id"] for row in items) != sorted(cycles):
        yield f"items of {sorted(row['job_source_id'] for row in items)}"
    for item in items:
        cycle = cycles.get(item["job_source_id"])
        if cycle is None:
            continue
        told = (item["captured_cycle_status"], item["captured_fetched_count"], item["captured_is_complete"])
        if cycle["finished_at"] is not None and cycle["finished_at"] < cutoff:
            right = (cycle["cycle_status"], cycle["fetched_count"], cycle["is_complete"])
            if told != right:
                yield f"source {item['job_source_id']} captured as {told}, was {right}"
            continue
        before, after = seen.at_cutoff.get(cycle["id"], (0, cycle["fetched_count"]))
        if told[0] not in OPEN or told[2] or not before <= told[1] <= min(after, cycle["fetched_count"]):
            yield f"source {item['job_source_id']} captured as {told}; had fetched {before}, then {after}"


def unchanged(seen: Evidence, memory: Memory) -> Iterator[str]:
    now = {table: by_id(seen.tables[table]) for table in {table for table, _ in memory.frozen}}
    for (table, key), before in memory.frozen.items():
        after = now[table].get(key)
        if after != before:
            changed = "gone" if after is None else [name for name in before if after[name] != before[name]]
            yield f"{table} {key}: {changed}"
