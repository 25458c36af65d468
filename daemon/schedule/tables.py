"""Tables of the daily-job ledger."""

from sqlalchemy import CHAR, Column, Date, Integer, String, Table, UniqueConstraint, text

from daemon.db import MYSQL_TABLE, UtcDateTime, id_column, metadata

scheduled_job_executions = Table(
    "scheduled_job_executions",
    metadata,
    id_column(),
    Column("job_name", String(60), nullable=False, comment="Which daily job of the timetable"),
    Column("run_date", Date, nullable=False, comment="KST business day that the run is for"),
    Column("job_status", String(20), nullable=False, comment="RUNNING / SUCCESS / FAILED"),
    Column("owner", String(100), nullable=False, comment="Instance that runs or ran it"),
    Column("lease_token", CHAR(36), comment="UUID of the running attempt: only its holder may finish the row"),
    Column("lease_until", UtcDateTime, comment="Until when the attempt may run, UTC; past it another may take over"),
    Column("attempt_count", Integer, nullable=False, server_default=text("0"), comment="Attempts begun"),
    Column("started_at", UtcDateTime, nullable=False, comment="Start of the latest attempt, UTC"),
    Column("finished_at", UtcDateTime, comment="End of the run, UTC; NULL = still running"),
    Column("summary", String(1000), comment="What it did, or why it failed, for a person"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # A job runs once a day over all instances: the insert that wins this key runs it.
    UniqueConstraint("job_name", "run_date", name="uk_scheduled_job_executions_job_date"),
    comment="Ledger of daily jobs: what ran, is running or failed on which KST day",
    **MYSQL_TABLE,
)
