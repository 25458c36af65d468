"""The conventions of seeds 000 and 001, checked on what the servers say that they have."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import CHAR, BigInteger, Date, DateTime, Integer, SmallInteger, String, Text, text

from daemon.db import BigId, Database, UtcDateTime
from daemon.tables import metadata
from tests.databases import schema_differences

_VERSION_TABLE = "alembic_version"


async def _rows(db: Database, sql: str) -> list[Any]:
    async with db.engine.connect() as connection:
        return list(await connection.execute(text(sql)))


def test_every_table_and_every_column_has_a_comment() -> None:
    for table in metadata.tables.values():
        assert table.comment, table.name
        for column in table.columns:
            assert column.comment, f"{table.name}.{column.name}"


def test_every_table_has_the_primary_key_id_and_no_foreign_key() -> None:
    for table in metadata.tables.values():
        assert [column.name for column in table.primary_key] == ["id"], table.name
        assert table.c.id.type is BigId, table.name
        assert not table.foreign_keys, table.name


def test_columns_are_of_the_agreed_types_only() -> None:
    """No ENUM, JSON or BOOLEAN; instants are UtcDateTime; a bare Date is a KST business day."""
    for table in metadata.tables.values():
        for column in table.columns:
            where = f"{table.name}.{column.name}"
            if isinstance(column.type, DateTime | UtcDateTime):
                assert isinstance(column.type, UtcDateTime), where
                assert column.name.endswith(("_at", "_until", "_since")), where
            elif isinstance(column.type, Date):
                assert column.name in {"run_date", "snapshot_date"}, where
            else:
                assert type(column.type) in {BigInteger, Integer, SmallInteger, String, CHAR, Text}, where


def test_keys_are_named_after_their_table_within_the_64_characters_of_mysql() -> None:
    for table in metadata.tables.values():
        for constraint in table.constraints - {table.primary_key}:
            assert re.fullmatch(rf"uk_{table.name}_[a-z_]+", str(constraint.name)), constraint.name
            assert len(str(constraint.name)) <= 64
        for index in table.indexes:
            assert re.fullmatch(rf"idx_{table.name}_[a-z_]+", str(index.name)), index.name
            assert len(str(index.name)) <= 64


async def test_the_migrated_schema_is_what_the_code_believes_it_to_be(db: Database) -> None:
    """Tables, columns and their order, types, nullability, defaults, keys, indexes and (on servers) comments."""
    assert await schema_differences(db) == []


async def test_servers_have_no_table_or_column_without_comment(server_db: Database) -> None:
    tables = await _rows(
        server_db,
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_comment = ''",
    )
    columns = await _rows(
        server_db,
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = DATABASE() AND column_comment = ''",
    )
    assert [name for (name,) in tables] == [_VERSION_TABLE]
    assert {name for name, _ in columns} == {_VERSION_TABLE}


async def test_servers_store_every_instant_to_the_microsecond_and_every_flag_as_tinyint(server_db: Database) -> None:
    types = await _rows(
        server_db,
        "SELECT column_name, column_type FROM information_schema.columns "
        f"WHERE table_schema = DATABASE() AND table_name <> '{_VERSION_TABLE}'",
    )
    for name, type_ in types:
        if name.endswith(("_at", "_until", "_since")):
            assert type_ == "datetime(6)", name
    assert {type_ for _, type_ in types if type_.startswith("tinyint")} == {"tinyint(1)"}
    kinds = {re.split(r"[( ]", type_)[0] for _, type_ in types}
    assert kinds == {"bigint", "int", "tinyint", "varchar", "char", "mediumtext", "date", "datetime"}


async def test_servers_compare_text_byte_for_byte_whatever_the_database_defaults_to(server_db: Database) -> None:
    """The test database itself is latin1."""
    engines = await _rows(
        server_db,
        "SELECT DISTINCT engine, table_collation FROM information_schema.tables "
        f"WHERE table_schema = DATABASE() AND table_name <> '{_VERSION_TABLE}'",
    )
    collations = await _rows(
        server_db,
        "SELECT DISTINCT collation_name FROM information_schema.columns WHERE table_schema = DATABASE() "
        f"AND table_name <> '{_VERSION_TABLE}' AND collation_name IS NOT NULL",
    )
    assert [tuple(row) for row in engines] == [("InnoDB", "utf8mb4_bin")]
    assert [tuple(row) for row in collations] == [("utf8mb4_bin",)]


async def test_servers_have_no_foreign_key_and_no_check(server_db: Database) -> None:
    kinds = await _rows(
        server_db,
        "SELECT DISTINCT constraint_type FROM information_schema.table_constraints WHERE table_schema = DATABASE()",
    )
    assert {kind for (kind,) in kinds} == {"PRIMARY KEY", "UNIQUE"}
