"""Every operation of the API, each with a call that shows what it means; in an order in which each finds its matter."""

from __future__ import annotations

from tests.acceptance.api_rows import applications, companies, matching, operations, postings, sources
from tests.acceptance.api_rows.row import Facts, Row

ROWS: tuple[Row, ...] = (
    *operations.ROWS,
    *companies.ROWS,
    *sources.ROWS,
    *matching.ROWS,
    *postings.ROWS,
    *applications.ROWS,
)

__all__ = ["ROWS", "Facts", "Row"]
