"""What a cycle knows of its list's completeness (DESIGN 1.4): declared total, close guard, items it could not read.

Four columns with a default, added without a rebuild. Rollback: leave them, an older program ignores them.
"""

from sqlalchemy import Column, Integer, text

from daemon.ddl import TINYINT1, SchemaChange, on_table

revision = "0005"
down_revision = "0004"

cycles = on_table(
    "job_posting_collection_cycles",
    Column("declared_total", Integer, comment="Largest total that the site declared in the cycle; NULL = none"),
    Column(
        "close_guarded",
        TINYINT1,
        nullable=False,
        server_default=text("0"),
        comment="1 = the list moved while it was read, or was a part: nothing is counted missed",
    ),
    Column(
        "skipped_count",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Items with an id but without what a posting needs: seen, not stored",
    ),
    Column(
        "unidentified_count",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Items without a usable id; with one of these the list is not complete",
    ),
)


def upgrade(change: SchemaChange) -> None:
    change.add_columns(*cycles.columns)


def downgrade(change: SchemaChange) -> None:
    change.refuse_when_filled(cycles)
    change.drop_columns(*cycles.columns)
