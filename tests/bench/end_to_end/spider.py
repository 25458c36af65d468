"""Scrapy, tuned: `python -m tests.bench.end_to_end.spider ORIGIN DATABASE_URL PAGES` prints when its last commit ended.

One item a posting, as its documentation has it; the pipeline keeps 100 and writes them with their tags in one commit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response, TextResponse
from sqlalchemy import create_engine, insert

from tests.bench.end_to_end.layout import AT_ONCE, addresses
from tests.bench.end_to_end.peer_tables import posting_row, postings, tag_rows, tags
from tests.bench.reading import by_parsel
from tests.bench.reading.raw import Raw

_BATCH = 100
_SETTINGS = {
    "CONCURRENT_REQUESTS": AT_ONCE,
    "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
    "CONCURRENT_ITEMS": 1000,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "ITEM_PIPELINES": {"tests.bench.end_to_end.spider.Batches": 300},
}


class Batches:
    """Writes items by the hundred."""

    def __init__(self, database: str) -> None:
        self._engine = create_engine(database)
        self._kept: list[Raw] = []

    @classmethod
    def from_crawler(cls, crawler: Any) -> Batches:
        return cls(crawler.settings["DATABASE"])

    def process_item(self, item: Raw) -> Raw:
        self._kept.append(item)
        if len(self._kept) == _BATCH:
            self._write()
        return item

    def close_spider(self) -> None:
        if self._kept:
            self._write()
        print(time.time(), flush=True)

    def _write(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(insert(postings), [posting_row(raw) for raw in self._kept])
            connection.execute(insert(tags), [row for raw in self._kept for row in tag_rows(raw)])
        self._kept.clear()


class Postings(scrapy.Spider):
    """Every page of every category."""

    name = "postings"
    pages: ClassVar[list[str]] = []

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for address in self.pages:
            yield scrapy.Request(address, dont_filter=True)

    def parse(self, response: Response, **_: Any) -> Iterator[Raw]:
        assert isinstance(response, TextResponse)
        yield from by_parsel.saramin(response.selector)


if __name__ == "__main__":
    Postings.pages = addresses(sys.argv[1], int(sys.argv[3]))
    process = CrawlerProcess({**_SETTINGS, "DATABASE": sys.argv[2].replace("mysql://", "mysql+pymysql://")})
    process.crawl(Postings)
    process.start()
