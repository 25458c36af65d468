"""Surfit: the JSON list behind jobs.surfit.io. Unverified: no real answer of it is known.

What is read here are the fields that seed 001 names (`id`, `is_closed`, `close`, `ads_end_at`), under the names an
answer would plausibly use for the rest; whatever else comes is LAYOUT_CHANGED with the reason (DESIGN 1.11; research,
payloads-json §6). Known for certain: postings have a number, their page is jobs.surfit.io/post/{number}, and an open
end is worded 채용시까지.

Robots and terms: robots.txt does not forbid `/jobs`, the terms are meant to forbid crawling (seed 001, unverified).
The user approved this source for personal use, one polite run a day, nothing passed on (DESIGN 1.11); it can be
switched off at once. The form of the category filter (`speciality`) is unknown, so the whole list is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from daemon.clock import KST
from daemon.sources.answer import field_signature, list_page, page_number, require_success
from daemon.sources.json_answer import (
    Said,
    Shape,
    item_id,
    read_deadline,
    read_json,
)
from daemon.sources.model import (
    AggregatorCategory,
    ChangeSignalKind,
    CollectionTarget,
    DetailUse,
    LayoutChanged,
    ListPage,
    Page,
    Platform,
    RawJobPosting,
    Request,
    SourceAdapter,
    SourceCapabilities,
    SourceCompliancePolicy,
    SourceType,
)
from daemon.sources.text import DeadlineNotUnderstood, collapse, deadline_of

_HOST = "api.surfit.io"
_SITE = "https://jobs.surfit.io"

_LISTS = ("data", "jobs", "list", "items", "results")
_TOTALS = ("total", "total_count", "totalCount", "count")
_LAST_PAGES = ("last_page", "total_pages", "total_page", "totalPages")
"""Names under which an answer may keep its postings, their number and the number of pages."""


class _Posting(Shape):
    title: Said
    company: Said


class _Surfit:
    """Requests to and answers of `/v1/jobs/all`."""

    capabilities = SourceCapabilities(
        platform=Platform.SURFIT,
        source_type=SourceType.AGGREGATOR,
        change_signal_kind=ChangeSignalKind.FIELD_HASH,
        provides_deadline=True,
        detail_use=DetailUse.NONE,
        compliance=SourceCompliancePolicy(
            host=_HOST,
            allowed_paths=("/v1/jobs/all",),
            # No page size is asked for: neither its name nor its limit is known.
            page_size_cap=100,
            headers=(("Accept", "application/json"), ("Origin", _SITE), ("Referer", f"{_SITE}/")),
            known_terms=(
                "서핏의 robots.txt는 채용 경로를 막지 않지만, 이용약관은 크롤링을 금지하는 취지로 알려져 있습니다"
                "(미확인). 개인 용도로 하루 한 번만 요청하고 재배포하지 않습니다."
                " 직무나 키워드로 범위를 좁힐 수 없어 전체 목록을 받습니다."
            ),
            known_terms_in_english=(
                "Surfit's robots.txt does not shut out its postings, but its terms are said to forbid crawling"
                " (not confirmed). Asked once a day for personal use, and nothing is passed on."
                " It can't be narrowed by job or keyword: the whole list is read."
            ),
        ),
    )

    def categories(self) -> tuple[AggregatorCategory, ...]:
        return (AggregatorCategory(code="all", label="전체"),)

    def list_request(self, target: CollectionTarget, cursor: str | None) -> Request:
        body = json.dumps({"page": page_number(cursor, 1)}).encode()
        return Request(url=f"https://{_HOST}/v1/jobs/all", method="POST", json_body=body)

    def parse_list(self, target: CollectionTarget | None, page: Page, cursor: str | None) -> ListPage:
        answer = read_json(page)
        require_success(page)
        items, levels = _found(answer)
        number = page_number(cursor, 1)
        last = _number(levels, _LAST_PAGES)
        more = bool(items) and (last is None or number < last)
        return list_page(
            items,
            item_id,
            lambda source_job_id, item: _posting(source_job_id, item, page.answered_at),
            next_cursor=str(number + 1) if more else None,
            declared_total=_number(levels, _TOTALS),
        )

    def detail_requests(self, target: CollectionTarget, posting: RawJobPosting) -> tuple[Request, ...]:
        return ()

    def parse_detail(self, page: Page, listed: RawJobPosting | None) -> RawJobPosting:
        raise LayoutChanged("no answer of Surfit for a single posting is known")


def _found(answer: object) -> tuple[list[object], list[dict[str, Any]]]:
    """The postings of an answer, and the objects around them. Raises Unreadable when no list is where one may be."""
    if isinstance(answer, list):
        return answer, []
    levels = list(_levels(answer))
    for level in levels:
        for name in _LISTS:
            if isinstance(level.get(name), list):
                return level[name], levels
    keys = ", ".join(list(answer)[:10]) if isinstance(answer, dict) else "none"
    raise LayoutChanged(f"no list of postings in the answer; its keys: {keys}")


def _levels(answer: object) -> Iterator[dict[str, Any]]:
    if isinstance(answer, dict):
        yield answer
        for name in ("data", "result", "meta", "pagination"):
            if isinstance(answer.get(name), dict):
                yield answer[name]


def _number(levels: list[dict[str, Any]], names: tuple[str, ...]) -> int | None:
    """The first number, of a size that a list may have, under one of `names`."""
    for level in levels:
        for name in names:
            value = level.get(name)
            if type(value) is int and 0 <= value <= 10_000_000:
                return value
    return None


def _posting(source_job_id: str, item: object, answered_at: datetime) -> RawJobPosting | None:
    fields = item if isinstance(item, dict) else {}
    if fields.get("is_closed") in (True, 1):
        return None
    read = _Posting.model_validate({"title": fields.get("title"), "company": _company(fields)})
    deadline = _deadline(fields, answered_at)
    return RawJobPosting(
        source_job_id=source_job_id,
        title=read.title,
        posting_url=f"{_SITE}/post/{source_job_id}",
        deadline_at=deadline,
        # As the seeds say: of no other field is it known whether it stays the same from day to day.
        signature=field_signature(read.title, read.company, deadline),
        company_name=read.company,
    )


def _company(fields: dict[str, Any]) -> object:
    company = fields.get("company")
    if isinstance(company, dict):
        company = company.get("name")
    return company or fields.get("company_name") or fields.get("companyName")


def _deadline(fields: dict[str, Any], answered_at: datetime) -> datetime | None:
    """The end: `close` saying that there is none wins over `ads_end_at` (seed 001). Raises ValueError for nonsense."""
    if "close" not in fields and "ads_end_at" not in fields:
        raise ValueError("neither close nor ads_end_at is there")
    worded: datetime | None = None
    close = fields.get("close")
    if isinstance(close, str) and collapse(close):
        try:
            worded = deadline_of(close, answered_at)
        except DeadlineNotUnderstood:
            if not fields.get("ads_end_at"):
                raise
        else:
            if worded is None:
                return None
    return read_deadline(_written(fields.get("ads_end_at"))) or worded


def _written(value: object) -> object:
    """A number of seconds or milliseconds since 1970 as Korean wall-clock time; anything else as it is."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    seconds = value / 1000 if value > 100_000_000_000 else value
    if not 0 < seconds < 4_102_444_800:
        raise ValueError(f"ads_end_at: {value!r:.40} is not an instant")
    return datetime.fromtimestamp(int(seconds), UTC).astimezone(KST).strftime("%Y-%m-%d %H:%M:%S")


ADAPTER: SourceAdapter = _Surfit()
