"""Tables of notifications (seed 001, idempotency; DESIGN 1.7)."""

from sqlalchemy import CHAR, Column, Index, Integer, String, Table, UniqueConstraint, text

from daemon.db import MYSQL_TABLE, BigId, MediumText, UtcDateTime, id_column, metadata

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
    Column("expires_at", UtcDateTime, comment="Not sent at or after, UTC"),
    Column("payload", MediumText, comment="Body of the request, JSON: what is sent again is what was sent"),
    Column(
        "unconfirmed_count",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Requests of this message, earlier rows included, whose answer never came; 2 are the last",
    ),
    # Filled by a delivery only: failed rows are NULL and may be many, a delivered one is unique (FR-38).
    UniqueConstraint("idempotency_key", name="uk_notification_dispatches_idempotency_key"),
    # What is due or failed, newest or oldest first.
    Index("idx_notification_dispatches_status", "dispatch_status", "created_at", "id"),
    # Whether a target was already told of something, and how often.
    Index("idx_notification_dispatches_target", "target_type", "target_id", "notification_type", "dispatch_sequence"),
    # The history, newest first.
    Index("idx_notification_dispatches_created", "created_at", "id"),
    comment="Messages to the person: due, being sent, delivered or given up",
    **MYSQL_TABLE,
)

notification_digest_postings = Table(
    "notification_digest_postings",
    metadata,
    id_column(),
    Column("notification_dispatch_id", BigId, nullable=False, comment="notification_dispatches.id of the digest"),
    Column("job_posting_id", BigId, nullable=False, comment="job_postings.id"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    # A posting stands in a part once; also the look-up whether a posting was told in a digest.
    UniqueConstraint(
        "job_posting_id", "notification_dispatch_id", name="uk_notification_digest_postings_posting_dispatch"
    ),
    comment="Which postings a part of a daily digest tells of",
    **MYSQL_TABLE,
)

notification_webhooks = Table(
    "notification_webhooks",
    metadata,
    id_column(),
    Column("webhook_key", CHAR(64), nullable=False, comment="SHA-256 of the webhook's address, which is a secret"),
    Column("parked_at", UtcDateTime, comment="Nothing is sent since, UTC; NULL = in use"),
    Column("parked_reason", String(200), comment="What Discord said; NULL = in use"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Updated at, UTC"),
    # One row per address; its lock lets one planner at a time decide what is due.
    UniqueConstraint("webhook_key", name="uk_notification_webhooks_webhook_key"),
    comment="Discord webhooks that were used, and those that must not be until a person has seen to them",
    **MYSQL_TABLE,
)
