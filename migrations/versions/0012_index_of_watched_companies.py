"""The watched companies among thousands that were discovered: an index alone.

Added without a rebuild. Rollback: leave it, an older program does not notice.
"""

from sqlalchemy import Column, Index, String

from daemon.ddl import SchemaChange, on_table

revision = "0012"
down_revision = "0011"

companies = on_table(
    "companies",
    Column("company_origin", String(20)),
    Column("name", String(200)),
    # The few that are watched among all that were discovered, by name.
    Index("idx_companies_origin", "company_origin", "name"),
)


def upgrade(change: SchemaChange) -> None:
    change.add_indexes(*companies.indexes)


def downgrade(change: SchemaChange) -> None:
    change.drop_indexes(*companies.indexes)
