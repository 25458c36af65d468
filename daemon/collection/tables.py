"""Tables of the daily collection: runs and health (seed 001), the v2 engine's five (seed 000, Q1 to Q10)."""

from sqlalchemy import CHAR, Column, Date, Index, Integer, String, Table, UniqueConstraint, text

from daemon.db import MYSQL_TABLE, BigId, Flag, UtcDateTime, id_column, metadata


def _count(name: str, comment: str) -> Column[int]:
    return Column(name, Integer, nullable=False, server_default=text("0"), comment=comment)


job_posting_collection_runs = Table(
    "job_posting_collection_runs",
    metadata,
    id_column(),
    Column("job_source_id", BigId, nullable=False, comment="job_sources.id"),
    Column("run_date", Date, nullable=False, comment="KST business day"),
    Column("run_status", String(20), nullable=False, comment="SUCCESS / FAILED; a row exists only once it is over"),
    _count("fetched_count", "Postings in the list"),
    _count("new_count", "Postings stored for the first time"),
    _count("changed_count", "Postings found edited"),
    _count("missed_count", "Postings not found"),
    _count("closed_count", "Postings closed"),
    _count("detail_failure_count", "Details that could not be read"),
    _count("detail_skipped_count", "Details left out because of a limit"),
    Column("failure_reason", String(200), comment="Short cause; NULL on success"),
    Column("failure_cause_summary", String(1000), comment="Message of the error; NULL on success"),
    Column("started_at", UtcDateTime, nullable=False, comment="Begun at, UTC"),
    Column("finished_at", UtcDateTime, nullable=False, comment="Over at, UTC"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # Q7: a source is collected once a day, and its history.
    UniqueConstraint("job_source_id", "run_date", name="uk_job_posting_collection_runs_source_date"),
    # Q7: all sources of the last days.
    Index("idx_job_posting_collection_runs_run_date", "run_date"),
    comment="Finished collections per source and day; with v2 the projection of terminal cycles",
    **MYSQL_TABLE,
)

job_source_health = Table(
    "job_source_health",
    metadata,
    id_column(),
    Column("job_source_id", BigId, nullable=False, comment="job_sources.id"),
    _count("consecutive_abnormal_days", "Days in a row that failed or brought nothing; 3 make it broken"),
    Column("broken_since", UtcDateTime, comment="Broken since, UTC; NULL = well"),
    _count("failure_episode", "How many times it broke; part of the notification's idempotency key"),
    Column("last_normal_at", UtcDateTime, comment="Last well at, UTC; NULL = never yet"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # One row per source.
    UniqueConstraint("job_source_id", name="uk_job_source_health_source"),
    comment="Whether a source can be relied on",
    **MYSQL_TABLE,
)

job_posting_collection_cycles = Table(
    "job_posting_collection_cycles",
    metadata,
    id_column(),
    Column("job_source_id", BigId, nullable=False, comment="job_sources.id"),
    Column("run_date", Date, nullable=False, comment="KST business day"),
    Column("source_type", String(20), nullable=False, comment="COMPANY_BOUND / AGGREGATOR when the cycle was made"),
    Column(
        "cycle_status",
        String(30),
        nullable=False,
        server_default=text("'NOT_STARTED'"),
        comment="NOT_STARTED / PENDING / RUNNING / SUCCESS / FAILED / BUDGET_EXHAUSTED",
    ),
    Column("continuation_cursor", String(2000), comment="Page or cursor of the site that the next slice begins with"),
    Column(
        "is_complete",
        Flag,
        nullable=False,
        server_default=text("0"),
        comment="1 = the whole list was read; without it nothing is counted missed",
    ),
    Column("lease_token", CHAR(36), comment="UUID of the claim, the fencing token; NULL = not claimed"),
    Column("lease_until", UtcDateTime, comment="End of the lease, UTC; past it recovery ends the cycle as FAILED"),
    Column("next_eligible_at", UtcDateTime, nullable=False, comment="Earliest next claim, UTC; never used to retry"),
    _count("attempt_count", "Slices claimed"),
    _count("list_page_count", "List pages asked for; the daily limit is on it"),
    _count("fetched_count", "Postings in the pages read"),
    _count("new_count", "Postings stored for the first time"),
    _count("changed_count", "Postings found edited"),
    _count("missed_count", "Postings not found; only by a complete cycle's final delta"),
    _count("closed_count", "Postings closed; only by a complete cycle's final delta"),
    _count("detail_request_count", "Details asked for; the daily limit is on it"),
    _count("detail_failure_count", "Details that could not be read"),
    _count("detail_skipped_count", "Details left out because of a limit"),
    Column(
        "budget_exhausted_reason",
        String(100),
        comment="LIST_PAGE_LIMIT / POSTING_LIMIT / DETAIL_LIMIT / SLICE_TIME_LIMIT; only when BUDGET_EXHAUSTED",
    ),
    Column("failure_reason", String(200), comment="Short cause; only when FAILED"),
    Column("failure_cause_summary", String(1000), comment="Message of the error; only when FAILED"),
    Column("started_at", UtcDateTime, nullable=False, comment="Made at, UTC"),
    Column("finished_at", UtcDateTime, comment="Terminal at, UTC; NULL = not terminal"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Status, lease or cursor last changed at, UTC"),
    # Ours, after DB-01 (DESIGN 1.4).
    Column("declared_total", Integer, comment="Largest total that the site declared in the cycle; NULL = none"),
    Column(
        "close_guarded",
        Flag,
        nullable=False,
        server_default=text("0"),
        comment="1 = the list moved while it was read, or was a part: nothing is counted missed",
    ),
    _count("skipped_count", "Items with an id but without what a posting needs: seen, not stored"),
    _count("unidentified_count", "Items without a usable id; with one of these the list is not complete"),
    # Q3, Q4: one cycle per source and day; a source's recent cycles by its left prefix.
    UniqueConstraint("job_source_id", "run_date", name="uk_job_posting_collection_cycles_source_date"),
    # Q1: the ready queue: status first, then what is due, today's before older ones, id as tie-breaker.
    Index("idx_job_posting_collection_cycles_ready", "cycle_status", "next_eligible_at", "run_date", "id"),
    # Q2: RUNNING cycles whose lease has expired.
    Index("idx_job_posting_collection_cycles_expired_lease", "cycle_status", "lease_until", "id"),
    # Q8: terminal parents of left-over seen rows.
    Index("idx_job_posting_collection_cycles_terminal_finished", "cycle_status", "finished_at", "id"),
    comment="One source's collection on one KST day: queue, lease, budgets and result (v2's single truth)",
    **MYSQL_TABLE,
)

job_posting_collection_seen_postings = Table(
    "job_posting_collection_seen_postings",
    metadata,
    id_column(),
    Column("job_posting_collection_cycle_id", BigId, nullable=False, comment="job_posting_collection_cycles.id"),
    Column("source_job_id", String(200), nullable=False, comment="The site's stable id of the posting"),
    Column("created_at", UtcDateTime, nullable=False, comment="Stored at, UTC"),
    # Q5: an id counts once per cycle; the final delta and the deletion read by its left prefix.
    UniqueConstraint(
        "job_posting_collection_cycle_id",
        "source_job_id",
        name="uk_job_posting_collection_seen_postings_cycle_source_job",
    ),
    # Q8: the 10:15 cleanup and its metric begin with rows older than 48 hours.
    Index(
        "idx_job_posting_collection_seen_postings_created_cycle",
        "created_at",
        "job_posting_collection_cycle_id",
        "id",
    ),
    comment="Ids found by a cycle that is not over; deleted by its terminal transition",
    **MYSQL_TABLE,
)

external_request_host_limits = Table(
    "external_request_host_limits",
    metadata,
    id_column(),
    Column("host", String(255), nullable=False, comment="Host in lower-case ASCII (punycode)"),
    Column("next_allowed_at", UtcDateTime, nullable=False, comment="Earliest next request to it by anyone, UTC"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Last reservation at, UTC"),
    # Q6: instances contend for exactly one row per host.
    UniqueConstraint("host", name="uk_external_request_host_limits_host"),
    comment="When each host may be asked next, over all instances",
    **MYSQL_TABLE,
)

job_posting_collection_sla_snapshots = Table(
    "job_posting_collection_sla_snapshots",
    metadata,
    id_column(),
    Column("snapshot_date", Date, nullable=False, comment="KST business day"),
    Column("scheduled_at", UtcDateTime, nullable=False, comment="09:00:00 KST of that day, UTC: the cutoff"),
    Column(
        "capture_status",
        String(20),
        nullable=False,
        server_default=text("'PENDING'"),
        comment="PENDING / CAPTURING / CAPTURED / MISSED / NOT_APPLICABLE",
    ),
    Column("captured_at", UtcDateTime, comment="Items settled at, UTC; NULL unless CAPTURED"),
    Column("miss_reason", String(200), comment="Why the cutoff was missed; NULL unless MISSED"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Settled at, UTC: once and for all"),
    # Q9: one gate per day, which every writer of a cycle and the capture lock.
    UniqueConstraint("snapshot_date", name="uk_job_posting_collection_sla_snapshots_date"),
    comment="The 09:00 KST cutoff gate of a day and how it was settled",
    **MYSQL_TABLE,
)

job_posting_collection_sla_snapshot_sources = Table(
    "job_posting_collection_sla_snapshot_sources",
    metadata,
    id_column(),
    Column(
        "job_posting_collection_sla_snapshot_id",
        BigId,
        nullable=False,
        comment="job_posting_collection_sla_snapshots.id",
    ),
    Column("job_source_id", BigId, nullable=False, comment="job_sources.id eligible at the cutoff"),
    Column("source_type", String(20), nullable=False, comment="COMPANY_BOUND / AGGREGATOR at the cutoff"),
    Column(
        "captured_cycle_status",
        String(30),
        nullable=False,
        comment="Status at 09:00: NOT_STARTED / PENDING / RUNNING / SUCCESS / FAILED / BUDGET_EXHAUSTED",
    ),
    Column("captured_fetched_count", Integer, nullable=False, comment="Postings read by the cutoff"),
    Column("captured_is_complete", Flag, nullable=False, comment="1 = the whole list was read by the cutoff"),
    Column("captured_abnormal", Flag, nullable=False, comment="1 = failed or brought nothing by the cutoff"),
    Column("captured_close_guarded", Flag, nullable=False, comment="1 = kept out of closing at the cutoff"),
    Column("created_at", UtcDateTime, nullable=False, comment="Captured at, UTC; the row never changes"),
    # Q10: a source appears once in a snapshot.
    UniqueConstraint(
        "job_posting_collection_sla_snapshot_id",
        "job_source_id",
        name="uk_job_posting_collection_sla_snapshot_sources_snapshot_source",
    ),
    # Q10: who was late, and how many by status.
    Index(
        "idx_job_posting_collection_sla_snapshot_sources_snapshot_status",
        "job_posting_collection_sla_snapshot_id",
        "captured_cycle_status",
        "job_source_id",
    ),
    comment="Each source's state at 09:00 KST, exact and immutable",
    **MYSQL_TABLE,
)
