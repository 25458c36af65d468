"""Saved JSON answers for the tests of the six JSON sites: our own small ones, captured ones when at hand."""

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

OWN = Path(__file__).parent / "json"
CAPTURED = Path(__file__).parents[2].parent / "shared" / "fixtures"
ANSWERED_AT = datetime(2026, 9, 17, 3, 0, tzinfo=UTC)


def own(name: str) -> Any:
    """A fixture of ours as a fresh value, to be changed at will."""
    return json.loads((OWN / f"{name}.json").read_text("utf-8"))


def page(value: object, status: int = 200) -> Page:
    """An answer: bytes as they are, anything else as JSON."""
    body = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    return Page(body=body, answered_at=ANSWERED_AT, status=status)


def captured(path: str) -> Page:
    """A real captured answer; skips the test where captures are not at hand."""
    file = CAPTURED / path
    if not file.exists():
        pytest.skip(f"no captured answers here ({path})")
    return page(file.read_bytes())


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


def kst(year: int, month: int, day: int, hour: int = 23, minute: int = 59, second: int = 59) -> datetime:
    """A Korean wall-clock time, by default the end of its day."""
    return datetime(year, month, day, hour, minute, second, tzinfo=KST).astimezone(UTC)
