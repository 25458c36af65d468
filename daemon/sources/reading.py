"""From an answer to postings that can be stored, whatever the site sent and whatever its parser makes of it.

A site's parser knows its site; here are the limits that hold for all of them (DESIGN 1.4; columns of seed 001).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

import structlog

from daemon.sources.answer import Items, require_same
from daemon.sources.model import (
    ChangeSignature,
    CollectionTarget,
    LayoutChanged,
    ListPage,
    NotFetched,
    Outcome,
    Page,
    RawJobPosting,
    SourceAdapter,
    Unreadable,
)
from daemon.sources.rules import block_page, is_markup
from daemon.sources.text import CONTROL, clean_reason, collapse, field_hash
from daemon.sources.text.markup import too_costly

log = structlog.get_logger(__name__)

# Lengths are in characters, those of the columns where there is one.
ID_LENGTH = 200
TITLE_LENGTH = 500
URL_LENGTH = 2000
SIGNATURE_LENGTH = 200
NAME_LENGTH = 200
TAG_LENGTH = 200
MOST_TAGS = 100
BODY_LENGTH = 200_000
CURSOR_LENGTH = 2000
MOST_DECLARED = 2**31 - 1
DEADLINE_YEARS = range(2000, 2101)

_CONTROL_IN_BODY = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_WEB_ADDRESS = re.compile(r"https?://[^\s/]", re.IGNORECASE)

T = TypeVar("T")


def read_list(
    adapter: SourceAdapter, target: CollectionTarget | None, page: Page, cursor: str | None
) -> ListPage | NotFetched:
    """What a list answer says, fit for the database; or why it says nothing. Never raises.

    `target` None is a saved file. LAYOUT_CHANGED when more than a fifth of the items can't be used.
    """
    return _guarded(adapter, page, lambda: _storable_page(adapter.parse_list(target, page, cursor)))


def read_detail(adapter: SourceAdapter, page: Page, listed: RawJobPosting | None) -> RawJobPosting | NotFetched:
    """What a posting's own page adds to `listed`, fit for the database; or why it adds nothing. Never raises.

    LAYOUT_CHANGED when it is the page of another posting.
    """
    return _guarded(adapter, page, lambda: _storable_detail(adapter.parse_detail(page, listed), listed))


def _guarded(adapter: SourceAdapter, page: Page, parse: Callable[[], T]) -> T | NotFetched:
    if is_markup(page.body) and (why := too_costly(page.body)) is not None:
        return NotFetched(outcome=Outcome.TOO_LARGE, reason=why)
    try:
        return parse()
    except Unreadable as error:
        outcome, reason = error.outcome, error.reason
    except Exception as error:  # a page that nobody foresaw must cost its source a day, not the daemon a worker
        platform = adapter.capabilities.platform
        log.warning("source.parser_failed", platform=platform, error=type(error).__name__, exc_info=error)
        outcome, reason = Outcome.LAYOUT_CHANGED, f"parser failed: {type(error).__name__}"
    # A wall's page is known here for every site, also when it says that there is no such page.
    if outcome in (Outcome.LAYOUT_CHANGED, Outcome.NOT_FOUND) and (words := block_page(page.body)) is not None:
        outcome, reason = Outcome.BLOCKED, f"block page: {words}"
    return NotFetched(outcome=outcome, reason=clean_reason(reason))


def _storable_page(listed: ListPage) -> ListPage:
    total, cursor = listed.declared_total, listed.next_cursor
    if total is not None and not 0 <= total <= MOST_DECLARED:
        raise LayoutChanged(f"declared total {total:.3g}")
    if cursor is not None and (not 0 < len(cursor) <= CURSOR_LENGTH or CONTROL.search(cursor)):
        raise LayoutChanged("the next page's address is unusable")
    items = Items()
    items.unidentified(listed.unidentified)
    for raw in listed.postings:
        if not (source_job_id := _usable_id(raw.source_job_id)):
            items.unidentified()
            continue
        try:
            items.posting(_storable(raw, source_job_id))
        except ValueError as error:
            items.skipped(source_job_id, str(error))
    for each in listed.skipped_ids:
        if source_job_id := _usable_id(each):
            items.skipped(source_job_id, "malformed")
        else:
            items.unidentified()
    for each in listed.withdrawn_ids:
        if source_job_id := _usable_id(each):
            items.withdrawn(source_job_id)
        else:
            items.unidentified()
    return items.page(next_cursor=cursor, declared_total=total)


def _storable_detail(raw: RawJobPosting, listed: RawJobPosting | None) -> RawJobPosting:
    source_job_id = _usable_id(raw.source_job_id)
    if not source_job_id:
        raise LayoutChanged("the posting has no usable id")
    require_same(listed, source_job_id)
    try:
        return _storable(raw, source_job_id)
    except ValueError as error:
        raise LayoutChanged(f"{source_job_id}: {error}") from error


def _usable_id(text: str) -> str:
    """`text` trimmed; `""` when no column can hold it."""
    # A control character is not removed here: what remains could be another posting's id.
    stripped = text.strip()
    return stripped if len(stripped) <= ID_LENGTH and not CONTROL.search(stripped) else ""


def _storable(raw: RawJobPosting, source_job_id: str) -> RawJobPosting:
    """`raw` within the columns' limits and free of what no column holds. Raises ValueError without title or address."""
    title = _line(raw.title, TITLE_LENGTH)
    if title is None:
        raise ValueError("no usable title")
    posting_url = raw.posting_url
    if not posting_url.isprintable() or posting_url[-1:] == " " or posting_url[:1] == " ":
        posting_url = CONTROL.sub("", posting_url).strip()
    if not _WEB_ADDRESS.match(posting_url):
        raise ValueError("no usable address")
    identifier = _line(raw.company_identifier, NAME_LENGTH + 1)
    return RawJobPosting(
        source_job_id=source_job_id,
        title=title,
        posting_url=posting_url[:URL_LENGTH],
        deadline_at=_plausible(raw.deadline_at),
        signature=_short_signature(raw.signature),
        structured_tags=_tags(raw.structured_tags),
        description_body=_body(raw.description_body),
        access_restricted=raw.access_restricted,
        company_name=_line(raw.company_name, NAME_LENGTH),
        # Half an identifier could be someone else's.
        company_identifier=identifier if identifier and len(identifier) <= NAME_LENGTH else None,
    )


def _line(text: str | None, length: int) -> str | None:
    if not text:
        return None
    if text.isprintable() and "  " not in text and text == text.strip():
        # Nearly always: adapters have collapsed it already, and `isprintable` knows every character that is not.
        return text if len(text) <= length else text[:length].rstrip()
    return collapse(CONTROL.sub(" ", text))[:length].rstrip() or None


def _plausible(deadline: datetime | None) -> datetime | None:
    """None for a year that means "never" or nothing (seed 001: 9999, 2999), which is always open."""
    if deadline is None or deadline.year not in DEADLINE_YEARS:
        return None
    assert deadline.tzinfo is not None, "a deadline without a time zone"
    return deadline if deadline.tzinfo is UTC else deadline.astimezone(UTC)


def _short_signature(signature: ChangeSignature | None) -> ChangeSignature | None:
    if signature is None:
        return None
    value = CONTROL.sub("", signature.value).strip()
    if not value:
        return None
    if value == signature.value and len(value) <= SIGNATURE_LENGTH:
        return signature
    # A long value is hashed, not cut: an edit behind the cut would go unnoticed.
    return replace(signature, value=value if len(value) <= SIGNATURE_LENGTH else field_hash(value))


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    if not tags:
        return ()
    lines = dict.fromkeys([line for tag in tags if (line := _line(tag, TAG_LENGTH)) is not None])
    return tuple(lines)[:MOST_TAGS]


def _body(text: str | None) -> str | None:
    if text is None:
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL_IN_BODY.sub("", text)[:BODY_LENGTH].strip() or None
