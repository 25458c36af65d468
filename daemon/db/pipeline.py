"""MySQL: a write of which nobody asks how it went goes to the server together with what is said next.

The server runs what it is told at once in its order, each as a statement of its own, and nothing behind one that fails:
all is as if every answer were waited for, but for the ways there and back. A page writes a dozen times; each way wakes
two processes, and waits for a thread that parses another page.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import aiomysql
from aiomysql.connection import MySQLResult
from pymysql.constants import COMMAND

from daemon.db.literals import MOST_CHARACTERS


class PipelinedConnection(aiomysql.Connection):
    """A connection that keeps what is said while it is `deferring` until something is to be answered, or committed.

    A kept statement that fails raises there: it is the same transaction, which is then rolled back.
    """

    def __init__(self, **told: Any) -> None:
        super().__init__(**told)
        self.deferring = False
        self._kept: list[str] = []

    async def query(self, sql: str, unbuffered: bool = False) -> int:
        """Send `sql` behind what was kept, and read the answer to it; or keep it."""
        if self._kept and sum(map(len, self._kept)) + len(sql) > MOST_CHARACTERS:
            await self._say(self._kept.pop())
        if not self.deferring:
            return await self._say(sql, unbuffered)
        self._kept.append(sql)
        self._result = MySQLResult(self)
        self._affected_rows = 0
        return 0

    async def commit(self) -> None:
        """Commit, with what was kept. When that fails the transaction is over too: SQLAlchemy takes it to be."""
        if not self._kept:
            await super().commit()
            return
        try:
            await self._say("COMMIT")
        except aiomysql.MySQLError:
            with suppress(aiomysql.MySQLError, OSError):  # it was lost, and the server does it
                await self.rollback()
            raise

    async def rollback(self) -> None:
        """Roll back; what was kept is never said."""
        self._kept.clear()
        await super().rollback()

    async def _say(self, sql: str, unbuffered: bool = False) -> int:
        kept, self._kept = self._kept, []
        text = ";\n".join((*kept, sql))
        await self._execute_command(COMMAND.COM_QUERY, text.encode(self.encoding, "surrogateescape"))
        for _ in kept:
            await self._read_query_result()
        await self._read_query_result(unbuffered=unbuffered)
        affected: int = self._affected_rows
        return affected


async def connect(**told: Any) -> PipelinedConnection:
    """A new connection; the arguments are those of the driver."""
    connection = PipelinedConnection(**told)
    await connection._connect()
    return connection
