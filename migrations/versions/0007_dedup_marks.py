"""What the 08:30 deduplication remembers of a posting (DESIGN 1.5), added without a rebuild.

Every posting there is starts as pending, so that the first run groups them all. Rollback: leave them. An older program
edits postings without setting the mark; after the return their copies are grouped anew at their next edit.
"""

from sqlalchemy import Column, Index, text

from daemon.ddl import BIGINT, TINYINT1, SchemaChange, on_table

revision = "0007"
down_revision = "0006"

job_postings = on_table(
    "job_postings",
    Column(
        "dedup_pending",
        TINYINT1,
        nullable=False,
        server_default=text("1"),
        comment="1 = touched since copies were last grouped; whatever can change its group sets it",
    ),
    Column(
        "eligible_alone",
        TINYINT1,
        comment="notification_eligible if it stood for itself; NULL = it does",
    ),
)
indexed = on_table(
    "job_postings",
    Column("id", BIGINT),
    Column("dedup_pending", TINYINT1),
    # What the 08:30 job has to look at, in order (FR-63).
    Index("idx_job_postings_dedup_pending", "dedup_pending", "id"),
)


def upgrade(change: SchemaChange) -> None:
    change.add_columns(*job_postings.columns)
    change.add_indexes(*indexed.indexes)


def downgrade(change: SchemaChange) -> None:
    change.drop_indexes(*indexed.indexes)
    change.drop_columns(*job_postings.columns)
