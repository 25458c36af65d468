"""Rows among themselves: parents, pairs of columns, and counts that other rows give away."""

from __future__ import annotations

from collections.abc import Iterator

from tests.acceptance.chaos.evidence import (
    CYCLES,
    DISPATCHES,
    HEADERS,
    ITEMS,
    OPEN,
    POSTINGS,
    RUNS,
    SEEN,
    Evidence,
    Memory,
)
from tests.acceptance.chaos.watch import Row

_PARENTS = (
    (RUNS, "job_source_id", "job_sources"),
    (CYCLES, "job_source_id", "job_sources"),
    (SEEN, "job_posting_collection_cycle_id", CYCLES),
    (ITEMS, "job_posting_collection_sla_snapshot_id", HEADERS),
    (ITEMS, "job_source_id", "job_sources"),
    (POSTINGS, "company_id", "companies"),
    (POSTINGS, "job_source_id", "job_sources"),
    (POSTINGS, "representative_id", POSTINGS),
    ("company_aliases", "company_id", "companies"),
    ("job_sources", "company_id", "companies"),
    ("job_posting_descriptions", "job_posting_id", POSTINGS),
    ("job_posting_source_tags", "job_posting_id", POSTINGS),
    ("job_source_health", "job_source_id", "job_sources"),
    ("job_posting_match_results", "job_posting_id", POSTINGS),
    ("job_posting_matched_keyword_groups", "job_posting_match_result_id", "job_posting_match_results"),
    ("job_posting_matched_keyword_groups", "job_keyword_group_id", "job_keyword_groups"),
    ("job_posting_work_arrangements", "job_posting_id", POSTINGS),
    ("job_posting_work_arrangements", "work_arrangement_keyword_id", "work_arrangement_keywords"),
    ("notification_digest_postings", "notification_dispatch_id", DISPATCHES),
    ("notification_digest_postings", "job_posting_id", POSTINGS),
)
"""Child, its column, parent."""


def parents(seen: Evidence, _memory: Memory) -> Iterator[str]:
    ids = {table: {row["id"] for row in rows} for table, rows in seen.tables.items()}
    for child, column, parent in _PARENTS:
        for row in seen.tables[child]:
            if row[column] is not None and row[column] not in ids[parent]:
                yield f"{child} {row['id']}: no {parent} {row[column]}"
    for row in seen.tables[POSTINGS]:
        if row["job_source_id"] is None:
            yield f"posting {row['id']} is of no source"


def whole(seen: Evidence, _memory: Memory) -> Iterator[str]:
    for table, problem in (
        (CYCLES, _cycle_problem),
        (POSTINGS, _posting_problem),
        (DISPATCHES, _dispatch_problem),
        ("scheduled_job_executions", _job_problem),
        (HEADERS, _header_problem),
    ):
        for row in seen.tables[table]:
            found = problem(row)
            if found is not None:
                yield f"{table} {row['id']}: {found}"
    stands = {row["id"] for row in seen.tables[POSTINGS] if row["representative_id"] is None}
    for row in seen.tables[POSTINGS]:
        if row["representative_id"] is not None and row["representative_id"] not in stands:
            yield f"posting {row['id']} is stood for by {row['representative_id']}, which does not stand for itself"
    for row in seen.tables["job_posting_descriptions"]:
        if len(row["body"]) != row["char_length"]:
            yield f"description {row['id']}: {len(row['body'])} characters, {row['char_length']} counted"
    matched = {row["job_posting_match_result_id"] for row in seen.tables["job_posting_matched_keyword_groups"]}
    for row in seen.tables["job_posting_match_results"]:
        if bool(row["matched"]) != (row["id"] in matched):
            yield f"result {row['id']}: matched is {row['matched']}, which its groups don't say"
    in_digest = {row["notification_dispatch_id"] for row in seen.tables["notification_digest_postings"]}
    for row in seen.tables[DISPATCHES]:
        if (row["target_type"] == "DAILY_DIGEST") != (row["id"] in in_digest):
            yield f"dispatch {row['id']} of {row['target_type']} with{'' if row['id'] in in_digest else 'out'} postings"


def _cycle_problem(row: Row) -> str | None:
    status = row["cycle_status"]
    if (row["finished_at"] is None) != (status in OPEN):
        return f"{status}, finished at {row['finished_at']}"
    if not (row["lease_token"] is None) == (row["lease_until"] is None) == (status != "RUNNING"):
        return f"{status}, lease {row['lease_token']} until {row['lease_until']}"
    if (row["failure_reason"] is None) != (status != "FAILED"):
        return f"{status}, failure {row['failure_reason']}"
    if (row["budget_exhausted_reason"] is None) != (status != "BUDGET_EXHAUSTED"):
        return f"{status}, budget {row['budget_exhausted_reason']}"
    if bool(row["is_complete"]) != (status == "SUCCESS"):
        return f"{status}, complete {row['is_complete']}"
    return None


def _posting_problem(row: Row) -> str | None:
    closed = row["posting_status"] == "CLOSED"
    if not (row["closed_at"] is not None) == (row["closed_reason"] is not None) == closed:
        return f"{row['posting_status']}, closed at {row['closed_at']} for {row['closed_reason']}"
    if (row["change_signal_kind"] is None) != (row["change_signal_value"] is None):
        return f"signal {row['change_signal_kind']} {row['change_signal_value']}"
    if not row["first_seen_at"] <= row["last_seen_at"]:
        return f"first seen {row['first_seen_at']}, last {row['last_seen_at']}"
    return None


def _dispatch_problem(row: Row) -> str | None:
    status = row["dispatch_status"]
    if not (row["idempotency_key"] is not None) == (row["delivered_at"] is not None) == (status == "DELIVERED"):
        return f"{status}, key {row['idempotency_key']}, delivered at {row['delivered_at']}"
    if not (row["claim_token"] is not None) == (row["claimed_at"] is not None) == (status == "SENDING"):
        return f"{status}, claim {row['claim_token']} at {row['claimed_at']}"
    if (row["attempt_count"] == 0) != (row["attempted_at"] is None):
        return f"{row['attempt_count']} attempts, the last at {row['attempted_at']}"
    return None


def _job_problem(row: Row) -> str | None:
    running = row["job_status"] == "RUNNING"
    if not (row["finished_at"] is None) == (row["lease_token"] is not None) == running:
        return f"{row['job_status']}, finished at {row['finished_at']}, lease {row['lease_token']}"
    return None


def _header_problem(row: Row) -> str | None:
    status = row["capture_status"]
    if (row["captured_at"] is not None) != (status == "CAPTURED") or (row["miss_reason"] is not None) != (
        status == "MISSED"
    ):
        return f"{status}, captured at {row['captured_at']}, missed for {row['miss_reason']}"
    return None


def health(seen: Evidence, _memory: Memory) -> Iterator[str]:
    """Abnormal days are counted from the run rows: failed, or without a posting; a day without a run says nothing."""
    days: dict[int, int] = {}
    for row in sorted(seen.tables[RUNS], key=lambda each: each["run_date"]):
        abnormal = row["run_status"] == "FAILED" or row["fetched_count"] == 0
        days[row["job_source_id"]] = days.get(row["job_source_id"], 0) + 1 if abnormal else 0
    for row in seen.tables["job_source_health"]:
        right = days.get(row["job_source_id"], 0)
        if row["consecutive_abnormal_days"] != right:
            yield f"source {row['job_source_id']}: {row['consecutive_abnormal_days']} abnormal days, right {right}"
        if (row["broken_since"] is not None) != (right >= 3):
            yield f"source {row['job_source_id']}: broken since {row['broken_since']} after {right} abnormal days"
