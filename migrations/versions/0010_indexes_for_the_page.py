"""Where the page's lists begin: at the few postings that match, and at those found last. Indexes alone.

Added without a rebuild. Rollback: leave them, an older program is the faster for them.
"""

from sqlalchemy import Column, Index

from daemon.ddl import BIGINT, DATETIME6, TINYINT1, SchemaChange, on_table

revision = "0010"
down_revision = "0009"

results = on_table(
    "job_posting_match_results",
    Column("notifiable", TINYINT1),
    Column("job_posting_id", BIGINT),
    # Postings that match and are not ruled out: the first page, lists, calendar and feed begin at these few.
    Index("idx_job_posting_match_results_notifiable", "notifiable", "job_posting_id"),
)
postings = on_table(
    "job_postings",
    Column("first_seen_at", DATETIME6),
    Column("id", BIGINT),
    # The list of all companies, found last first.
    Index("idx_job_postings_first_seen", "first_seen_at", "id"),
)


def upgrade(change: SchemaChange) -> None:
    change.add_indexes(*results.indexes)
    change.add_indexes(*postings.indexes)


def downgrade(change: SchemaChange) -> None:
    change.drop_indexes(*postings.indexes)
    change.drop_indexes(*results.indexes)
