"""DB-01: the durable collection queue and the 09:00 SLA (ticket DB-01; seed 000, Q1 to Q10).

Expand only: five new tables with their indexes inline, no ALTER, no rows moved; job_posting_collection_runs stays as
it is.

Rollback: the tables may be dropped, last one first, only before activation and while they hold no row; `downgrade`
refuses otherwise. After activation switch posting.collection-dispatch-v2 off and roll the program back: an older one
ignores them.
"""

from sqlalchemy import CHAR, Column, Date, Index, Integer, String, UniqueConstraint, text

from daemon.ddl import BIGINT, DATETIME6, TINYINT1, SchemaChange, count_column, new_table

revision = "0002"
down_revision = "0001"

job_posting_collection_cycles = new_table(
    "job_posting_collection_cycles",
    Column("job_source_id", BIGINT, nullable=False, comment="job_sources.id"),
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
        TINYINT1,
        nullable=False,
        server_default=text("0"),
        comment="1 = the whole list was read; without it nothing is counted missed",
    ),
    Column("lease_token", CHAR(36), comment="UUID of the claim, the fencing token; NULL = not claimed"),
    Column("lease_until", DATETIME6, comment="End of the lease, UTC; past it recovery ends the cycle as FAILED"),
    Column("next_eligible_at", DATETIME6, nullable=False, comment="Earliest next claim, UTC; never used to retry"),
    count_column("attempt_count", "Slices claimed"),
    count_column("list_page_count", "List pages asked for; the daily limit is on it"),
    count_column("fetched_count", "Postings in the pages read"),
    count_column("new_count", "Postings stored for the first time"),
    count_column("changed_count", "Postings found edited"),
    count_column("missed_count", "Postings not found; only by a complete cycle's final delta"),
    count_column("closed_count", "Postings closed; only by a complete cycle's final delta"),
    count_column("detail_request_count", "Details asked for; the daily limit is on it"),
    count_column("detail_failure_count", "Details that could not be read"),
    count_column("detail_skipped_count", "Details left out because of a limit"),
    Column(
        "budget_exhausted_reason",
        String(100),
        comment="LIST_PAGE_LIMIT / POSTING_LIMIT / DETAIL_LIMIT / SLICE_TIME_LIMIT; only when BUDGET_EXHAUSTED",
    ),
    Column("failure_reason", String(200), comment="Short cause; only when FAILED"),
    Column("failure_cause_summary", String(1000), comment="Message of the error; only when FAILED"),
    Column("started_at", DATETIME6, nullable=False, comment="Made at, UTC"),
    Column("finished_at", DATETIME6, comment="Terminal at, UTC; NULL = not terminal"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Status, lease or cursor last changed at, UTC"),
    # Ours, after DB-01 (DESIGN 1.4).
    Column("declared_total", Integer, comment="Largest total that the site declared in the cycle; NULL = none"),
    Column(
        "close_guarded",
        TINYINT1,
        nullable=False,
        server_default=text("0"),
        comment="1 = the list moved while it was read, or was a part: nothing is counted missed",
    ),
    # Q3, Q4: one cycle per source and day; a source's recent cycles by its left prefix.
    UniqueConstraint("job_source_id", "run_date", name="uk_job_posting_collection_cycles_source_date"),
    # Q1: the ready queue: status first, then what is due, today's before older ones, id as tie-breaker.
    Index("idx_job_posting_collection_cycles_ready", "cycle_status", "next_eligible_at", "run_date", "id"),
    # Q2: RUNNING cycles whose lease has expired.
    Index("idx_job_posting_collection_cycles_expired_lease", "cycle_status", "lease_until", "id"),
    # Q8: terminal parents of left-over seen rows.
    Index("idx_job_posting_collection_cycles_terminal_finished", "cycle_status", "finished_at", "id"),
    comment="One source's collection on one KST day: queue, lease, budgets and result (v2's single truth)",
)

job_posting_collection_seen_postings = new_table(
    "job_posting_collection_seen_postings",
    Column("job_posting_collection_cycle_id", BIGINT, nullable=False, comment="job_posting_collection_cycles.id"),
    Column("source_job_id", String(200), nullable=False, comment="The site's stable id of the posting"),
    Column("created_at", DATETIME6, nullable=False, comment="Stored at, UTC"),
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
)

external_request_host_limits = new_table(
    "external_request_host_limits",
    Column("host", String(255), nullable=False, comment="Host in lower-case ASCII (punycode)"),
    Column("next_allowed_at", DATETIME6, nullable=False, comment="Earliest next request to it by anyone, UTC"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Last reservation at, UTC"),
    # Q6: instances contend for exactly one row per host.
    UniqueConstraint("host", name="uk_external_request_host_limits_host"),
    comment="When each host may be asked next, over all instances",
)

job_posting_collection_sla_snapshots = new_table(
    "job_posting_collection_sla_snapshots",
    Column("snapshot_date", Date, nullable=False, comment="KST business day"),
    Column("scheduled_at", DATETIME6, nullable=False, comment="09:00:00 KST of that day, UTC: the cutoff"),
    Column(
        "capture_status",
        String(20),
        nullable=False,
        server_default=text("'PENDING'"),
        comment="PENDING / CAPTURING / CAPTURED / MISSED / NOT_APPLICABLE",
    ),
    Column("captured_at", DATETIME6, comment="Items settled at, UTC; NULL unless CAPTURED"),
    Column("miss_reason", String(200), comment="Why the cutoff was missed; NULL unless MISSED"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Settled at, UTC: once and for all"),
    # Q9: one gate per day, which every writer of a cycle and the capture lock.
    UniqueConstraint("snapshot_date", name="uk_job_posting_collection_sla_snapshots_date"),
    comment="The 09:00 KST cutoff gate of a day and how it was settled",
)

job_posting_collection_sla_snapshot_sources = new_table(
    "job_posting_collection_sla_snapshot_sources",
    Column(
        "job_posting_collection_sla_snapshot_id",
        BIGINT,
        nullable=False,
        comment="job_posting_collection_sla_snapshots.id",
    ),
    Column("job_source_id", BIGINT, nullable=False, comment="job_sources.id eligible at the cutoff"),
    Column("source_type", String(20), nullable=False, comment="COMPANY_BOUND / AGGREGATOR at the cutoff"),
    Column(
        "captured_cycle_status",
        String(30),
        nullable=False,
        comment="Status at 09:00: NOT_STARTED / PENDING / RUNNING / SUCCESS / FAILED / BUDGET_EXHAUSTED",
    ),
    Column("captured_fetched_count", Integer, nullable=False, comment="Postings read by the cutoff"),
    Column("captured_is_complete", TINYINT1, nullable=False, comment="1 = the whole list was read by the cutoff"),
    Column("captured_abnormal", TINYINT1, nullable=False, comment="1 = failed or brought nothing by the cutoff"),
    Column("captured_close_guarded", TINYINT1, nullable=False, comment="1 = kept out of closing at the cutoff"),
    Column("created_at", DATETIME6, nullable=False, comment="Captured at, UTC; the row never changes"),
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
)

TABLES = (
    job_posting_collection_cycles,
    job_posting_collection_seen_postings,
    external_request_host_limits,
    job_posting_collection_sla_snapshots,
    job_posting_collection_sla_snapshot_sources,
)


def upgrade(change: SchemaChange) -> None:
    change.create_tables(*TABLES)


def downgrade(change: SchemaChange) -> None:
    change.refuse_when_filled(*TABLES)
    change.drop_tables(*TABLES)
