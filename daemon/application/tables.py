"""Tables of applications (seed 001, application)."""

from sqlalchemy import Column, Index, Integer, String, Table, UniqueConstraint, text

from daemon.db import MYSQL_TABLE, BigId, UtcDateTime, id_column, metadata

_STATUSES = "APPLIED / DOCUMENT_SCREENING / INTERVIEWING / OFFERED / ACCEPTED / REJECTED / WITHDRAWN / OFFER_DECLINED"

job_applications = Table(
    "job_applications",
    metadata,
    id_column(),
    Column("job_posting_id", BigId, nullable=False, comment="job_postings.id"),
    Column("current_status", String(30), nullable=False, comment=_STATUSES),
    Column("rejected_at_stage", String(30), comment="Status it was rejected in; NULL = not rejected"),
    Column("applied_at", UtcDateTime, nullable=False, comment="Applied at, UTC"),
    Column("last_transited_at", UtcDateTime, nullable=False, comment="Last change of status at, UTC"),
    Column("memo", String(2000), comment="The person's note"),
    Column(
        "version", Integer, nullable=False, server_default=text("0"), comment="Optimistic lock, raised by each edit"
    ),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # One application per posting: none at all is what "not applied" means (FR-42).
    UniqueConstraint("job_posting_id", name="uk_job_applications_posting"),
    comment="The person's applications",
    **MYSQL_TABLE,
)

job_application_status_histories = Table(
    "job_application_status_histories",
    metadata,
    id_column(),
    Column("job_application_id", BigId, nullable=False, comment="job_applications.id"),
    Column("previous_status", String(30), comment="Status before; NULL = the application was made"),
    Column("next_status", String(30), nullable=False, comment="Status after"),
    Column("transited_at", UtcDateTime, nullable=False, comment="Changed at, UTC"),
    Column("memo", String(2000), comment="The person's note on the change"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # The timeline of one application, in order.
    Index("idx_job_application_status_histories_application", "job_application_id", "transited_at", "id"),
    comment="Every change of an application's status",
    **MYSQL_TABLE,
)

job_application_interviews = Table(
    "job_application_interviews",
    metadata,
    id_column(),
    Column("job_application_id", BigId, nullable=False, comment="job_applications.id"),
    Column("round_number", Integer, nullable=False, comment="Which interview of the application, from 1"),
    Column("label", String(100), nullable=False, comment="Name of the round, such as 1차 기술면접"),
    Column("scheduled_at", UtcDateTime, comment="Takes place at, UTC; NULL = no date yet"),
    Column("interview_result", String(20), comment="PENDING / PASSED / FAILED; NULL = nothing said"),
    Column("memo", String(2000), comment="The person's note"),
    Column(
        "version", Integer, nullable=False, server_default=text("0"), comment="Optimistic lock, raised by each edit"
    ),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # A round happens once; also the look-up by application.
    UniqueConstraint("job_application_id", "round_number", name="uk_job_application_interviews_application_round"),
    comment="Interviews of an application",
    **MYSQL_TABLE,
)
