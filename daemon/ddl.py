"""What the revisions in `migrations/` are made of: schema steps that may be run again after a kill.

MySQL and MariaDB commit each DDL statement at once, so a killed upgrade leaves a part of its revision behind. Each
step therefore looks first and does only what is missing, by one statement, which the server runs wholly or not at all.
Revisions are frozen: what is here may be added to, but keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Constraint,
    DateTime,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    TableClause,
    Text,
    column,
    false,
    inspect,
    literal,
    not_,
    or_,
    select,
    table,
    text,
)
from sqlalchemy.dialects import mysql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateColumn, CreateTable, ExecutableDDLElement
from sqlalchemy.sql.compiler import DDLCompiler

BIGINT = BigInteger().with_variant(Integer(), "sqlite")
TINYINT1 = SmallInteger().with_variant(mysql.TINYINT(display_width=1), "mysql", "mariadb")
MEDIUMTEXT = Text().with_variant(mysql.MEDIUMTEXT(), "mysql", "mariadb")
DATETIME6 = DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")


def new_table(name: str, *items: Column[Any] | Constraint | Index, comment: str) -> Table:
    """A table as a revision defines it: `id`, then the items; InnoDB, utf8mb4, compared byte for byte."""
    return Table(
        name,
        MetaData(),
        Column("id", BIGINT, primary_key=True, autoincrement=True, comment="PK"),
        *items,
        comment=comment,
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )


def count_column(name: str, comment: str) -> Column[int]:
    """A number that starts at 0."""
    return Column(name, Integer, nullable=False, server_default=text("0"), comment=comment)


def on_table(name: str, *items: Column[Any] | Index) -> Table:
    """What a later revision adds to the table `name`: columns, or indexes with the columns they are on."""
    return Table(name, MetaData(), *items)


class DowngradeRefused(Exception):
    """A downgrade would lose data. Code and flags are rolled back instead; the newer schema harms no older program."""

    def __init__(self, table_name: str, reason: str) -> None:
        super().__init__(
            f"{table_name} {reason}: the downgrade would lose it. Roll back the program and switch its flags off "
            "instead; an older program runs on the newer schema."
        )
        self.table_name = table_name


class _CreateTableWithKeys(CreateTable):
    """CREATE TABLE with its indexes inline on MySQL: one statement, so that a kill never leaves half a table."""


class _AddColumn(ExecutableDDLElement):
    def __init__(self, column: Column[Any]) -> None:
        self.column = column


class _DropColumn(ExecutableDDLElement):
    def __init__(self, column: Column[Any]) -> None:
        self.column = column


class _AddIndex(ExecutableDDLElement):
    def __init__(self, index: Index) -> None:
        self.index = index


class _DropIndex(ExecutableDDLElement):
    def __init__(self, index: Index) -> None:
        self.index = index


def _key(index: Index, compiler: DDLCompiler) -> str:
    quote = compiler.preparer.quote
    columns = ", ".join(quote(column.name) for column in index.columns)
    return f"{quote(str(index.name))} ({columns})"


def _alter(owner: Column[Any] | Index, compiler: DDLCompiler) -> str:
    assert owner.table is not None
    return f"ALTER TABLE {compiler.preparer.format_table(owner.table)}"


@compiles(_CreateTableWithKeys)
def _create_table(element: _CreateTableWithKeys, compiler: DDLCompiler, **kw: Any) -> str:
    sql: str = compiler.visit_create_table(element, **kw)  # type: ignore[no-untyped-call]  # SQLAlchemy's gap
    if compiler.dialect.name == "sqlite":
        return sql
    head, end, options = sql.rpartition("\n)")
    keys = [f", \n\tKEY {_key(index, compiler)}" for index in _in_order(element.element)]
    return "".join([head, *keys, end, options])


@compiles(_AddColumn)
def _add_column(element: _AddColumn, compiler: DDLCompiler, **kw: Any) -> str:
    sql = f"{_alter(element.column, compiler)} ADD COLUMN {compiler.process(CreateColumn(element.column), **kw)}"
    # INSTANT: refused rather than done by rebuilding the table under the running daemon.
    return sql if compiler.dialect.name == "sqlite" else f"{sql}, ALGORITHM=INSTANT"


@compiles(_DropColumn)
def _drop_column(element: _DropColumn, compiler: DDLCompiler, **_kw: Any) -> str:
    return f"{_alter(element.column, compiler)} DROP COLUMN {compiler.preparer.quote(element.column.name)}"


@compiles(_AddIndex)
def _add_index(element: _AddIndex, compiler: DDLCompiler, **_kw: Any) -> str:
    assert element.index.table is not None
    if compiler.dialect.name == "sqlite":
        name, _, columns = _key(element.index, compiler).partition(" ")
        return f"CREATE INDEX {name} ON {compiler.preparer.format_table(element.index.table)} {columns}"
    # Refused rather than done under a lock that stops the running daemon (seed 000, Expand).
    return f"{_alter(element.index, compiler)} ADD INDEX {_key(element.index, compiler)}, ALGORITHM=INPLACE, LOCK=NONE"


@compiles(_DropIndex)
def _drop_index(element: _DropIndex, compiler: DDLCompiler, **_kw: Any) -> str:
    name = compiler.preparer.quote(str(element.index.name))
    if compiler.dialect.name == "sqlite":
        return f"DROP INDEX {name}"
    return f"{_alter(element.index, compiler)} DROP INDEX {name}, ALGORITHM=INPLACE, LOCK=NONE"


def _in_order(definition: Table) -> list[Index]:
    return sorted(definition.indexes, key=lambda index: str(index.name))


@dataclass(frozen=True, kw_only=True)
class SchemaChange:
    """What a revision's `upgrade` and `downgrade` are handed: the connection, the time, and the guarded steps."""

    connection: Connection
    now: datetime
    """Aware UTC; stands in the rows that a revision inserts."""
    trial: bool = False
    """A downgrade that only looks: it refuses what it would refuse, and takes nothing away."""
    spared: dict[str, list[ColumnElement[bool]]] = field(default_factory=dict)
    """By table, the rows that a trial would have deleted by now."""

    def create_tables(self, *definitions: Table) -> None:
        """Create those tables that are absent, with their keys, indexes and comments."""
        present = self._tables()
        for definition in definitions:
            if definition.name not in present:
                self.connection.execute(_CreateTableWithKeys(definition))
                if self.connection.dialect.name == "sqlite":
                    self.add_indexes(*_in_order(definition))

    def drop_tables(self, *definitions: Table) -> None:
        """Drop those tables that are there, last one first."""
        present = self._tables()
        for definition in reversed(definitions):
            if definition.name in present and not self.trial:
                definition.drop(self.connection, checkfirst=False)

    def add_columns(self, *columns: Column[Any]) -> None:
        """Add those columns that their table lacks. Each must be nullable or have a server default."""
        for each in columns:
            if each.name not in self._columns(each):
                self.connection.execute(_AddColumn(each))

    def drop_columns(self, *columns: Column[Any]) -> None:
        """Drop those columns that their table has."""
        for each in columns:
            if each.name in self._columns(each) and not self.trial:
                self.connection.execute(_DropColumn(each))

    def add_indexes(self, *indexes: Index) -> None:
        """Add those indexes that their table lacks, without a lock that stops readers or writers."""
        for index in indexes:
            if index.name not in self._indexes(index):
                self.connection.execute(_AddIndex(index))

    def drop_indexes(self, *indexes: Index) -> None:
        """Drop those indexes that their table has."""
        for index in indexes:
            if index.name in self._indexes(index) and not self.trial:
                self.connection.execute(_DropIndex(index))

    def insert_absent(self, target: TableClause, key: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert those rows whose `key` is not there yet; rows that are there keep what a person made of them."""
        present = set(self.connection.execute(select(target.c[key])).scalars())
        now = self.now.astimezone(UTC).replace(tzinfo=None)
        absent = [{**row, "created_at": now, "updated_at": now} for row in rows if row[key] not in present]
        if absent:
            self.connection.execute(target.insert(), absent)

    def delete_rows(self, target: TableClause, key: str, values: Collection[str]) -> None:
        """Delete the rows that the revision itself inserted: those with one of these values in `key`."""
        ours = column(key).in_(values)
        if self.trial:
            self.spared.setdefault(target.name, []).append(ours)
        else:
            self.connection.execute(target.delete().where(ours))

    def refuse_when_filled(self, *definitions: Table) -> None:
        """Raise DowngradeRefused when one of the tables holds a row. Call it before anything is dropped."""
        present = self._tables()
        for definition in definitions:
            if definition.name in present:
                spared = or_(false(), *self.spared.get(definition.name, ()))
                any_row = select(literal(1)).select_from(table(definition.name)).where(not_(spared)).limit(1)
                if self.connection.execute(any_row).first() is not None:
                    raise DowngradeRefused(definition.name, "holds data")

    def _tables(self) -> set[str]:
        return set(inspect(self.connection).get_table_names())

    def _columns(self, column: Column[Any]) -> set[str]:
        assert column.table is not None
        return {found["name"] for found in inspect(self.connection).get_columns(column.table.name)}

    def _indexes(self, index: Index) -> set[str | None]:
        assert index.table is not None
        return {found["name"] for found in inspect(self.connection).get_indexes(index.table.name)}
