"""Saved HTML answers for the tests of the three HTML sites: our own small ones, captured ones when at hand."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.clock import KST
from daemon.sources.model import ListPage, Outcome, Page, RawJobPosting, SourceAdapter, Unreadable

OWN = Path(__file__).parent / "html"
CAPTURED = Path(__file__).parents[2].parent / "shared" / "fixtures"


def at(year: int, month: int, day: int, hour: int = 10, minute: int = 0, second: int = 0) -> datetime:
    """A Korean wall-clock time."""
    return datetime(year, month, day, hour, minute, second, tzinfo=KST)


def until(year: int, month: int, day: int) -> datetime:
    """The last second of a Korean day, in UTC."""
    return datetime(year, month, day, 23, 59, 59, tzinfo=KST).astimezone(UTC)


def own(name: str) -> str:
    """The text of a fixture of ours, to be changed at will."""
    return (OWN / f"{name}.html").read_text("utf-8")


def page(body: str | bytes, answered_at: datetime, *, url: str = "", content_type: str = "") -> Page:
    data = body.encode() if isinstance(body, str) else body
    return Page(body=data, answered_at=answered_at, url=url, content_type=content_type)


def captured(path: str, answered_at: datetime) -> Page:
    """A real captured answer; skips the test where captures are not at hand."""
    file = CAPTURED / path
    if not file.exists():
        pytest.skip(f"no captured answers here ({path})")
    return page(file.read_bytes(), answered_at)


def by_id(listed: ListPage) -> dict[str, RawJobPosting]:
    return {posting.source_job_id: posting for posting in listed.postings}


def list_refused(adapter: SourceAdapter, answer: Page) -> Outcome:
    with pytest.raises(Unreadable) as refused:
        adapter.parse_list(None, answer, None)
    return refused.value.outcome


def detail_refused(adapter: SourceAdapter, answer: Page, listed: RawJobPosting | None = None) -> Outcome:
    with pytest.raises(Unreadable) as refused:
        adapter.parse_detail(answer, listed)
    return refused.value.outcome
