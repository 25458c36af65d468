"""Tables of the feature flags."""

from sqlalchemy import Column, String, Table, UniqueConstraint, text

from daemon.db import MYSQL_TABLE, Flag, UtcDateTime, id_column, metadata

feature_flags = Table(
    "feature_flags",
    metadata,
    id_column(),
    Column("flag_key", String(100), nullable=False, comment="Name of the flag, such as posting.auto-close"),
    Column("enabled", Flag, nullable=False, server_default=text("0"), comment="1 = on; every flag starts off"),
    Column("description", String(1000), nullable=False, comment="What switching it on does"),
    Column("created_at", UtcDateTime, nullable=False, comment="Created at, UTC"),
    Column("updated_at", UtcDateTime, nullable=False, comment="Last switched at, UTC"),
    # One row per flag; every look-up is by name.
    UniqueConstraint("flag_key", name="uk_feature_flags_flag_key"),
    comment="Switches of risky functions, read anew at each use so that no restart is needed",
    **MYSQL_TABLE,
)
