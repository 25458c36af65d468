"""Tables of notifications (seed 001, idempotency; DESIGN 1.7)."""

from sqlalchemy import CHAR, Column, Index, Integer, String, Table, UniqueConstraint, text

from daemon.db import MYSQL_TABLE, BigId, UtcDateTime, id_column, metadata

notification_dispatches = Table(
    "notification_dispatches",
    metadata,
    id_column(),
    Column("target_type", String(20), nullable=False, comment="JOB_POSTING / JOB_SOURCE / DAILY_DIGEST"),
    Column("target_id", BigId, nullable=False, comment="job_postings.id or job_sources.id; 0 for a digest"),
    Column("notification_type", String(30), nullable=False, comment="NEW_JOB_POSTING / SOURCE_FAILURE / DAILY_DIGEST"),
    Column("dispatch_sequence", Integer, nullable=False, comment="How many times this target is told of this (from 1)"),
    Column("idempotency_key", String(200), comment="target_type:target_id:notification_type:sequence, once delivered"),
    Column("dispatch_status", String(20), nullable=False, comment="PENDING / SENDING / DELIVERED / FAILED / EXPIRED"),
    Column("attempt_count", Integer, nullable=False, server_default=text("0"), comment="Requests made"),
    Column("last_error", String(500), comment="Why the last request failed; NULL = it did not"),
    Column("message_summary", String(500), comment="What was said, for a person"),
    Column("claim_token", CHAR(36), comment="UUID of the claim that is sending it: only its holder may finish the row"),
    Column("claimed_at", UtcDateTime, comment="Claimed for sending at, UTC"),
    Column("discord_message_id", String(50), comment="Discord's id of the message, once delivered"),
    Column("attempted_at", UtcDateTime, comment="Last request at, UTC; NULL = none yet"),
    Column("delivered_at", UtcDateTime, comment="Delivered at, UTC; NULL = not delivered"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # Filled by a delivery only: failed rows are NULL and may be many, a delivered one is unique (FR-38).
    UniqueConstraint("idempotency_key", name="uk_notification_dispatches_idempotency_key"),
    # What is due or failed, newest or oldest first.
    Index("idx_notification_dispatches_status", "dispatch_status", "created_at", "id"),
    # Whether a target was already told of something, and how often.
    Index("idx_notification_dispatches_target", "target_type", "target_id", "notification_type", "dispatch_sequence"),
    comment="Messages to the person: due, being sent, delivered or given up",
    **MYSQL_TABLE,
)
