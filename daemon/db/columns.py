"""What tables are made of: the same on all three engines as far as a program can see."""

from __future__ import annotations

from collections.abc import Callable
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

    def result_processor(self, dialect: Dialect, _coltype: object) -> Callable[[Any], datetime | None] | None:
        # MySQL's driver has read it as `instant` does (connection.py).
        return _instant_or_none if dialect.name == "sqlite" else None


def instant(written: str) -> datetime:
    """An instant as a database writes it, in UTC: in one step, for there are thousands in lists."""
    return datetime.fromisoformat(written + "+00:00")


def _instant_or_none(written: str | None) -> datetime | None:
    return None if written is None else datetime.fromisoformat(written + "+00:00")


BigId = BigInteger().with_variant(Integer(), "sqlite")
"""BIGINT; on SQLite INTEGER, the only type whose primary key counts up by itself."""

Flag = SmallInteger().with_variant(mysql.TINYINT(display_width=1), "mysql", "mariadb")
"""TINYINT(1): 0 or 1 (seed 001: no BOOLEAN columns)."""

MediumText = Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
"""Text up to 16 MiB; a plain TEXT of MySQL holds only 64 KiB."""


def id_column() -> Column[int]:
    """The primary key that every table has: `id`, counted up by the database."""
    return Column("id", BigId, primary_key=True, autoincrement=True, comment="PK")
