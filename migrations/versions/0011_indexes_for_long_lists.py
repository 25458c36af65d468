"""Where lists begin and stop however long the history is: by status, and by how sure the work arrangement is.

Added without a rebuild. Rollback: leave them, an older program does not notice.
"""

from sqlalchemy import Column, Index, Integer, String

from daemon.ddl import BIGINT, SchemaChange, on_table

revision = "0011"
down_revision = "0010"

postings = on_table(
    "job_postings",
    Column("posting_status", String(20)),
    Column("representative_id", BIGINT),
    Column("id", BIGINT),
    # The open, or the closed ones, found last first: lists of representatives, evaluation of all.
    Index("idx_job_postings_status", "posting_status", "id", "representative_id"),
)
results = on_table(
    "job_posting_match_results",
    Column("work_arrangement_sort_rank", Integer),
    Column("job_posting_id", BIGINT),
    # The surest work arrangements first, of these those found last.
    Index("idx_job_posting_match_results_rank", "work_arrangement_sort_rank", "job_posting_id"),
)


def upgrade(change: SchemaChange) -> None:
    change.add_indexes(*postings.indexes)
    change.add_indexes(*results.indexes)


def downgrade(change: SchemaChange) -> None:
    change.drop_indexes(*results.indexes)
    change.drop_indexes(*postings.indexes)
