"""The database: engine, transaction, and every difference between MySQL, MariaDB and SQLite.

MySQL and MariaDB run at READ COMMITTED (research: 1,309 deadlocks at REPEATABLE READ, none here). On SQLite a write
transaction is `BEGIN IMMEDIATE`, which stands in for the row locks.

    columns      what tables are made of
    outage       which errors mean that the connection is lost; one line when that begins, one when it ends
    connection   an engine, configured once and for all
    embedded     a statement goes to SQLite's thread and back once
    pipeline     writes go to a server together with what comes next
    units        transactions: run again after a conflict, or on a new connection
    writing      many rows in one statement, many ids in one list
    at_once      hundreds of rows read as one text, or wide ones as one each
"""

from daemon.db.at_once import AtOnce, EachAtOnce
from daemon.db.columns import MYSQL_TABLE, BigId, Flag, MediumText, UtcDateTime, id_column, metadata
from daemon.db.connection import Database, database_url, open_database
from daemon.db.outage import DATABASE_FAULTS, is_lost
from daemon.db.together import reading_together, side_by_side
from daemon.db.units import (
    Tx,
    finished,
    in_transaction,
    proven_by,
    read_times,
    reading,
    repeatable,
    transaction,
    unless_overtaken,
)
from daemon.db.writing import chunks, insert_columns, insert_if_absent, insert_rows, update_each, upsert

__all__ = [
    "DATABASE_FAULTS",
    "MYSQL_TABLE",
    "AtOnce",
    "BigId",
    "Database",
    "EachAtOnce",
    "Flag",
    "MediumText",
    "Tx",
    "UtcDateTime",
    "chunks",
    "database_url",
    "finished",
    "id_column",
    "in_transaction",
    "insert_columns",
    "insert_if_absent",
    "insert_rows",
    "is_lost",
    "metadata",
    "open_database",
    "proven_by",
    "read_times",
    "reading",
    "reading_together",
    "repeatable",
    "side_by_side",
    "transaction",
    "unless_overtaken",
    "update_each",
    "upsert",
]
