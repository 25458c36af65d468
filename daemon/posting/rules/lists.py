"""What a list, its absence and the passing of time make of a posting (seed 001, 상태 전이 표 JobPosting). Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from daemon.company.rules import normal_form, shortened
from daemon.posting.model import (
    Change,
    ClosedReason,
    DetailState,
    KnownPosting,
    Observed,
    PostingStatus,
)
from daemon.sources.model import DetailUse, RawJobPosting

MISSES_TO_CLOSE = 2
"""Complete lists in a row without the posting before it is closed (FR-14)."""

_TAG_NOISE = re.compile(r"[\s\-‐‑–—]+")


def dedup_key(company_name: str, title: str) -> str:
    """Company and title in normal form, `company|title` (DESIGN 1.5); over 255 characters: head plus SHA-256."""
    return shortened(f"{normal_form(company_name)}|{normal_form(title)}")


def normalized_tags(tags: Sequence[str]) -> list[tuple[str, str]]:
    """Each distinct tag with its normal form: NFKC, lower case, without blanks and hyphens (seed 001, 태그)."""
    return [(tag, _normalized_tag(tag)) for tag in dict.fromkeys(tags)]


@lru_cache(maxsize=4096)
def _normalized_tag(tag: str) -> str:
    # Cached, since a site has few words for places, careers and skills.
    return _TAG_NOISE.sub("", unicodedata.normalize("NFKC", tag).lower())[:200]


def may_reopen(known: KnownPosting, deadline_at: datetime | None, now: datetime) -> bool:
    """Whether a closed posting that is found again opens.

    One closed by its deadline opens only when the deadline is now empty or ahead: else it would open and close every
    day (DESIGN 1.4). One closed as missing opens at once (FR-16).
    """
    if known.status is not PostingStatus.CLOSED:
        return False
    if known.closed_reason is ClosedReason.DEADLINE_PASSED:
        return deadline_at is None or deadline_at > now
    return True


def is_edited(known: KnownPosting, seen: Observed) -> bool:
    """Whether the site's evidence says that the posting was edited since it was stored.

    Without a signature to compare (its page could not be read), title and deadline decide. A first signature is not
    an edit.
    """
    fresh = seen.raw.signature
    if fresh is None:
        return (known.title, known.deadline_at) != (seen.raw.title, seen.raw.deadline_at)
    return known.signature is not None and known.signature != fresh


def decide_found(known: KnownPosting, seen: Observed, company_id: int, now: datetime) -> Change:
    """What becomes of a stored posting that the list shows."""
    raw = seen.raw
    edited = is_edited(known, seen)
    reopened = may_reopen(known, raw.deadline_at, now)
    stored = (known.title, known.posting_url, known.deadline_at, known.company_id)
    shown = (raw.title, raw.posting_url, raw.deadline_at, company_id)
    new_evidence = raw.signature is not None and raw.signature != known.signature
    restricted = seen.detail is DetailState.READ and raw.access_restricted != known.access_restricted
    first_text = seen.detail is DetailState.READ and known.detail_verified_at is None
    rewritten = edited or reopened or stored != shown or new_evidence or restricted or first_text
    return Change(posting=known, edited=edited, reopened=reopened, rewritten=rewritten)


def decide_missed(
    open_postings: Iterable[tuple[int, str, int]], seen_ids: Collection[str], *, auto_close: bool
) -> tuple[list[int], list[int]]:
    """Which open collected postings (id, source_job_id, misses so far) a complete list misses, and which it closes.

    Returns (ids missed and still open, ids to close). Counting goes on while `auto_close` is off; only closing waits
    for the flag (DESIGN 1.4).
    """
    missed: list[int] = []
    closed: list[int] = []
    for posting_id, source_job_id, misses in open_postings:
        if source_job_id in seen_ids:
            continue
        closes = auto_close and misses + 1 >= MISSES_TO_CLOSE
        (closed if closes else missed).append(posting_id)
    return missed, closed


def wanted_details(
    listed: Sequence[RawJobPosting], known: Mapping[str, KnownPosting], use: DetailUse
) -> list[RawJobPosting]:
    """The postings of a page whose own pages are worth a request, most valuable first.

    New ones, then changed ones, then (where the signature is in the page) those not verified for longest (DESIGN 1.4).
    """
    if use is DetailUse.NONE:
        return []
    new: list[RawJobPosting] = []
    changed: list[RawJobPosting] = []
    rest: list[RawJobPosting] = []
    for raw in listed:
        stored = known.get(raw.source_job_id)
        if stored is None:
            new.append(raw)
        elif is_edited(stored, Observed(raw=raw)) or stored.detail_verified_at is None:
            changed.append(raw)
        elif use is DetailUse.SIGNATURE:
            rest.append(raw)
    rest.sort(key=lambda raw: _verified(known[raw.source_job_id]))
    return [*new, *changed, *rest]


def _verified(posting: KnownPosting) -> datetime:
    assert posting.detail_verified_at is not None, "never verified postings are asked for first"
    return posting.detail_verified_at
