"""Saved answers for the tests of the nine sites: our own small ones, captured ones when at hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import KST
from daemon.sources.model import (
    CollectionTarget,
    ListPage,
    Outcome,
    Page,
    Platform,
    RawJobPosting,
    SourceAdapter,
    Unreadable,
)

HERE = Path(__file__).parent
CAPTURED = HERE.parents[2] / "shared" / "fixtures"
ANSWERED_AT = datetime(2026, 9, 17, 3, 0, tzinfo=UTC)


def at(year: int, month: int, day: int, hour: int = 10, minute: int = 0, second: int = 0) -> datetime:
    """A Korean wall-clock time."""
    return datetime(year, month, day, hour, minute, second, tzinfo=KST)


def until(year: int, month: int, day: int) -> datetime:
    """The last second of a Korean day, in UTC."""
    return datetime(year, month, day, 23, 59, 59, tzinfo=KST).astimezone(UTC)


def own_json(name: str) -> Any:
    """A fixture of ours as a fresh value, to be changed at will."""
    return json.loads((HERE / "json" / f"{name}.json").read_text("utf-8"))


def own_html(name: str) -> str:
    """The text of a fixture of ours, to be changed at will."""
    return (HERE / "html" / f"{name}.html").read_text("utf-8")


def page(
    value: object,
    answered_at: datetime = ANSWERED_AT,
    *,
    status: int = 200,
    url: str = "",
    content_type: str = "",
) -> Page:
    """An answer: bytes and texts as they are, anything else as JSON."""
    text = value if isinstance(value, str | bytes) else json.dumps(value, ensure_ascii=False)
    body = text.encode() if isinstance(text, str) else text
    return Page(body=body, answered_at=answered_at, status=status, url=url, content_type=content_type)


def captured(path: str, answered_at: datetime = ANSWERED_AT) -> Page:
    """A real captured answer; skips the test where captures are not at hand."""
    file = CAPTURED / path
    if not file.exists():
        pytest.skip(f"no captured answers here ({path})")
    return page(file.read_bytes(), answered_at)


def target(platform: Platform, **asked: Any) -> CollectionTarget:
    return CollectionTarget(job_source_id=1, platform=platform, **asked)


def refusal_of_list(
    adapter: SourceAdapter, answer: Page, asked: CollectionTarget | None = None, cursor: str | None = None
) -> Unreadable:
    with pytest.raises(Unreadable) as refused:
        adapter.parse_list(asked, answer, cursor)
    return refused.value


def refusal_of_detail(adapter: SourceAdapter, answer: Page, listed: RawJobPosting | None = None) -> Unreadable:
    with pytest.raises(Unreadable) as refused:
        adapter.parse_detail(answer, listed)
    return refused.value


def is_refused_both_ways(adapter: SourceAdapter, answer: Page, outcome: Outcome) -> bool:
    """Whether an answer is neither a list nor a detail to the site, with the same outcome."""
    return refusal_of_list(adapter, answer).outcome is refusal_of_detail(adapter, answer).outcome is outcome


def by_id(listed: ListPage) -> dict[str, RawJobPosting]:
    return {posting.source_job_id: posting for posting in listed.postings}
