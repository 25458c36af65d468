"""Which version of a posting an evaluation result was made from, so that an edit is noticed whatever the clocks say.

Results there are have none, so the first evaluation afterwards makes them anew. Rollback: leave it, an older program
does not notice.
"""

from sqlalchemy import Column, Integer

from daemon.ddl import SchemaChange, on_table

revision = "0009"
down_revision = "0008"

job_posting_match_results = on_table(
    "job_posting_match_results",
    Column(
        "posting_version",
        Integer,
        comment="job_postings.version it was made from; NULL = unknown. Another version means another text to judge",
    ),
)


def upgrade(change: SchemaChange) -> None:
    change.add_columns(*job_posting_match_results.columns)


def downgrade(change: SchemaChange) -> None:
    change.drop_columns(*job_posting_match_results.columns)
