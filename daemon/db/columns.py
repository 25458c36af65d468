"""What tables are made of: the same on all three engines as far as a program can see."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, Column, DateTime, Integer, MetaData, SmallInteger, Text, TypeDecorator
from sqlalchemy.dialects import mysql
from sqlalchemy.engine import Dialect

metadata = MetaData()
"""Every table of the product; each context adds its own in `tables.py`."""

MYSQL_TABLE: dict[str, Any] = {"mysql_engine": "InnoDB", "mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin"}
"""Keyword arguments of every table: equality means equality on all three engines (DESIGN 1.1)."""


def utc(value: datetime | None) -> datetime | None:
    """An instant as a database keeps it: in UTC, without saying so. A naive value is a bug."""
    if value is None:
        return None
    assert value.tzinfo is not None, "an instant without a time zone reached the database"
    return value.astimezone(UTC).replace(tzinfo=None)


class UtcDateTime(TypeDecorator[datetime]):
    """DATETIME(6) in UTC <-> aware UTC datetime, whole microseconds. A naive value is a bug."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name in {"mysql", "mariadb"}:
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        return dialect.type_descriptor(DateTime())

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


BigId = BigInteger().with_variant(Integer(), "sqlite")
"""BIGINT; on SQLite INTEGER, the only type whose primary key counts up by itself."""

Flag = SmallInteger().with_variant(mysql.TINYINT(display_width=1), "mysql", "mariadb")
"""TINYINT(1): 0 or 1 (seed 001: no BOOLEAN columns)."""

MediumText = Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
"""Text up to 16 MiB; a plain TEXT of MySQL holds only 64 KiB."""


def id_column() -> Column[int]:
    """The primary key that every table has: `id`, counted up by the database."""
    return Column("id", BigId, primary_key=True, autoincrement=True, comment="PK")
