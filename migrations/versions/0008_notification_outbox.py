"""The outbox of notifications (DESIGN 1.7): bodies, bounds, digests' postings, parked webhooks, two flags of taste.

Columns nullable or with a default, added without a rebuild. Rollback: leave them, an older program ignores them.
"""

from sqlalchemy import CHAR, Column, Index, Integer, String, UniqueConstraint, column, table, text

from daemon.ddl import (
    BIGINT,
    DATETIME6,
    MEDIUMTEXT,
    TINYINT1,
    DowngradeRefused,
    SchemaChange,
    new_table,
    on_table,
)

revision = "0008"
down_revision = "0007"

dispatches = on_table(
    "notification_dispatches",
    Column("expires_at", DATETIME6, comment="Not sent at or after, UTC"),
    Column("payload", MEDIUMTEXT, comment="Body of the request, JSON: what is sent again is what was sent"),
    Column(
        "unconfirmed_count",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="Requests of this message, earlier rows included, whose answer never came; 2 are the last",
    ),
)
history = on_table(
    "notification_dispatches",
    Column("created_at", DATETIME6),
    Column("id", BIGINT),
    # The history, newest first.
    Index("idx_notification_dispatches_created", "created_at", "id"),
)
digest_postings = new_table(
    "notification_digest_postings",
    Column("notification_dispatch_id", BIGINT, nullable=False, comment="notification_dispatches.id of the digest"),
    Column("job_posting_id", BIGINT, nullable=False, comment="job_postings.id"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    # A posting stands in a part once; also the look-up whether a posting was told in a digest.
    UniqueConstraint(
        "job_posting_id", "notification_dispatch_id", name="uk_notification_digest_postings_posting_dispatch"
    ),
    comment="Which postings a part of a daily digest tells of",
)
webhooks = new_table(
    "notification_webhooks",
    Column("webhook_key", CHAR(64), nullable=False, comment="SHA-256 of the webhook's address, which is a secret"),
    Column("parked_at", DATETIME6, comment="Nothing is sent since, UTC; NULL = in use"),
    Column("parked_reason", String(200), comment="What Discord said; NULL = in use"),
    Column("created_at", DATETIME6, nullable=False, comment="Created at, UTC"),
    Column("updated_at", DATETIME6, nullable=False, comment="Updated at, UTC"),
    # One row per address; its lock lets one planner at a time decide what is due.
    UniqueConstraint("webhook_key", name="uk_notification_webhooks_webhook_key"),
    comment="Discord webhooks that were used, and those that must not be until a person has seen to them",
)

feature_flags = table(
    "feature_flags",
    column("flag_key", String(100)),
    column("enabled", TINYINT1),
    column("description", String(1000)),
    column("created_at", DATETIME6),
    column("updated_at", DATETIME6),
)
FLAGS = {
    "notification.deadline-d1": "관심 회사의 매칭 공고가 내일 마감되면 09:00에 알린다",
    "notification.permanent-reminder": "관심 회사의 매칭 상시채용 공고를 7일마다 다시 알린다",
}


def upgrade(change: SchemaChange) -> None:
    change.add_columns(*dispatches.columns)
    change.add_indexes(*history.indexes)
    change.create_tables(digest_postings, webhooks)
    rows = [{"flag_key": key, "enabled": 0, "description": description} for key, description in FLAGS.items()]
    change.insert_absent(feature_flags, "flag_key", rows)


def downgrade(change: SchemaChange) -> None:
    ours = feature_flags.c.flag_key.in_(FLAGS)
    switched_on = feature_flags.select().where(ours, feature_flags.c.enabled != 0)
    if change.connection.execute(switched_on).first() is not None:
        raise DowngradeRefused("feature_flags", "has a flag that is on")
    change.refuse_when_filled(dispatches, digest_postings, webhooks)
    change.delete_rows(feature_flags, "flag_key", FLAGS)
    change.drop_tables(digest_postings, webhooks)
    change.drop_indexes(*history.indexes)
    change.drop_columns(*dispatches.columns)
