"""Indexes that the daily jobs, the lists and the notifier read by, added online (seed 000, Expand).

Rollback: leave them, an older program does not notice.
"""

from sqlalchemy import Column, Index, Integer, String

from daemon.ddl import BIGINT, DATETIME6, SchemaChange, on_table

revision = "0006"
down_revision = "0005"

job_postings = on_table(
    "job_postings",
    Column("id", BIGINT),
    Column("job_source_id", BIGINT),
    Column("posting_status", String(20)),
    Column("representative_id", BIGINT),
    Column("updated_at", DATETIME6),
    # The final delta: a source's open postings, however many closed ones it has.
    Index("idx_job_postings_source_status", "job_source_id", "posting_status", "id"),
    # The copies that one representative stands for (FR-64).
    Index("idx_job_postings_representative", "representative_id"),
    # What was touched since a job's last run, in order.
    Index("idx_job_postings_updated", "updated_at", "id"),
)
job_posting_match_results = on_table(
    "job_posting_match_results",
    Column("criteria_revision", Integer),
    Column("job_posting_id", BIGINT),
    # Which postings were not yet judged by the criteria in force.
    Index("idx_job_posting_match_results_revision", "criteria_revision", "job_posting_id"),
)
notification_dispatches = on_table(
    "notification_dispatches",
    Column("id", BIGINT),
    Column("target_type", String(20)),
    Column("target_id", BIGINT),
    Column("notification_type", String(30)),
    Column("dispatch_sequence", Integer),
    Column("dispatch_status", String(20)),
    Column("created_at", DATETIME6),
    # What is due or failed, in order.
    Index("idx_notification_dispatches_status", "dispatch_status", "created_at", "id"),
    # Whether a target was already told of something, and how often.
    Index("idx_notification_dispatches_target", "target_type", "target_id", "notification_type", "dispatch_sequence"),
)
INDEXES = [
    index
    for owner in (job_postings, job_posting_match_results, notification_dispatches)
    for index in sorted(owner.indexes, key=lambda index: str(index.name))
]


def upgrade(change: SchemaChange) -> None:
    change.add_indexes(*INDEXES)


def downgrade(change: SchemaChange) -> None:
    change.drop_indexes(*INDEXES)
