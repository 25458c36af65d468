"""The floor: `python -m tests.bench.end_to_end.floor ORIGIN DATABASE_URL PAGES` prints when its last commit was over.

Nothing can be taken away from it: pages by aiohttp, rows by selectolax, two multi-row INSERTs and one commit a page by
aiomysql. No state, no second look at anything, no limit but the number of pages in hand.
"""

from __future__ import annotations

import asyncio
import sys
import time

import aiohttp
import aiomysql
from sqlalchemy import make_url

from tests.bench.end_to_end.layout import AT_ONCE, addresses
from tests.bench.end_to_end.peer_tables import posting_row, tag_rows
from tests.bench.reading import raw

_POSTINGS = (
    "INSERT INTO postings (source, source_job_id, title, posting_url, company, company_identifier, deadline)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
_TAGS = "INSERT INTO posting_tags (source_job_id, tag) VALUES (%s, %s)"


async def _work(http: aiohttp.ClientSession, connection: aiomysql.Connection, left: list[str]) -> None:
    while left:
        async with http.get(left.pop()) as answer:
            found = raw.saramin(await answer.read())
        async with connection.cursor() as cursor:
            await cursor.executemany(_POSTINGS, [tuple(posting_row(one).values()) for one in found])
            await cursor.executemany(_TAGS, [tuple(row.values()) for one in found for row in tag_rows(one)])
        await connection.commit()


async def collect(origin: str, database: str, pages: int) -> None:
    """Store every page's postings."""
    at = make_url(database)
    left = addresses(origin, pages)[::-1]
    connections = [
        await aiomysql.connect(host=at.host, port=at.port, user=at.username, db=at.database, charset="utf8mb4")
        for _ in range(AT_ONCE)
    ]
    async with aiohttp.ClientSession() as http, asyncio.TaskGroup() as group:
        for connection in connections:
            group.create_task(_work(http, connection, left))
    print(time.time(), flush=True)
    for connection in connections:
        connection.close()


if __name__ == "__main__":
    asyncio.run(collect(sys.argv[1], sys.argv[2], int(sys.argv[3])))
