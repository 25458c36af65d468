"""Company aliases and the ledger of daily jobs (DESIGN 1.5, 1.8). Two new tables; an older program ignores them."""

from sqlalchemy import CHAR, Column, Date, Index, Integer, String, UniqueConstraint, text

from daemon.ddl import BIGINT, DATETIME6, SchemaChange, new_table

revision = "0004"
down_revision = "0003"

company_aliases = new_table(
    "company_aliases",
    Column("company_id", BIGINT, nullable=False, comment="companies.id"),
    Column("alias", String(200), nullable=False, comment="Other name of the company, as the person wrote it"),
    Column("alias_key", String(255), nullable=False, comment="Normal form of the alias"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    # A name may stand for one company only; look-ups by normal form.
    UniqueConstraint("alias_key", name="uk_company_aliases_alias_key"),
    # The aliases of one company, for its page.
    Index("idx_company_aliases_company", "company_id"),
    comment="Other names by which a company appears on the boards",
)

scheduled_job_executions = new_table(
    "scheduled_job_executions",
    Column("job_name", String(60), nullable=False, comment="Which daily job of the timetable"),
    Column("run_date", Date, nullable=False, comment="KST business day that the run is for"),
    Column("job_status", String(20), nullable=False, comment="RUNNING / SUCCESS / FAILED"),
    Column("owner", String(100), nullable=False, comment="Instance that runs or ran it"),
    Column("lease_token", CHAR(36), comment="UUID of the running attempt: only its holder may finish the row"),
    Column("lease_until", DATETIME6, comment="Until when the attempt may run, UTC; past it another may take over"),
    Column("attempt_count", Integer, nullable=False, server_default=text("0"), comment="Attempts begun"),
    Column("started_at", DATETIME6, nullable=False, comment="Start of the latest attempt, UTC"),
    Column("finished_at", DATETIME6, comment="End of the run, UTC; NULL = still running"),
    Column("summary", String(1000), comment="What it did, or why it failed, for a person"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    # A job runs once a day over all instances: the insert that wins this key runs it.
    UniqueConstraint("job_name", "run_date", name="uk_scheduled_job_executions_job_date"),
    comment="Ledger of daily jobs: what ran, is running or failed on which KST day",
)

TABLES = (
    company_aliases,
    scheduled_job_executions,
)


def upgrade(change: SchemaChange) -> None:
    change.create_tables(*TABLES)


def downgrade(change: SchemaChange) -> None:
    change.refuse_when_filled(*TABLES)
    change.drop_tables(*TABLES)
