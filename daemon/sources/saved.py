"""A saved answer of a site, read as if it had just come: what `gonggo parse` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from daemon.clock import KST
from daemon.sources.model import ListPage, NotFetched, Page, RawJobPosting, SourceAdapter
from daemon.sources.reading import read_detail, read_list

Kind = Literal["list", "detail"]


@dataclass(frozen=True, kw_only=True, slots=True)
class SavedAnswer:
    """What a saved answer says."""

    postings: tuple[Mapping[str, object], ...]
    """JSON-ready, in the order of the page, with the keys of DESIGN 1.10."""
    skipped: int = 0
    """Items with a readable id but without what a posting needs."""
    unidentified: int = 0
    """Items without a usable id."""
    total: int | None = None
    """How many postings the site says there are in the whole list."""
    next_cursor: str | None = None
    """Where the list goes on; None at its end."""

    @property
    def summary(self) -> str:
        """One line; `-` for what the answer does not say. Items without an id are told where there are any."""
        total = "-" if self.total is None else self.total
        nameless = f" unidentified={self.unidentified}" if self.unidentified else ""
        counts = f"items={len(self.postings)} skipped={self.skipped} total={total}"
        return f"{counts} next={self.next_cursor or '-'}{nameless}"


def read_saved(adapter: SourceAdapter, body: bytes, kind: Kind, answered_at: datetime) -> SavedAnswer | NotFetched:
    """The postings of a saved list or detail answer; `answered_at` (aware) is the day that `D-7` counts from."""
    page = Page(body=body, answered_at=answered_at)
    if kind == "detail":
        posting = read_detail(adapter, page, None)
        if isinstance(posting, NotFetched):
            return _text_alone(adapter, page) or posting
        return SavedAnswer(postings=(as_json(posting),))
    listed = read_list(adapter, None, page, None)
    return listed if isinstance(listed, NotFetched) else _of_list(listed)


_NOBODY = "\ue000"
"""Stands for the title of a posting that nothing names; no page can contain it."""


def _text_alone(adapter: SourceAdapter, page: Page) -> SavedAnswer | None:
    """A posting's text that does not say whose it is (JobKorea's frame): all that can be told of it."""
    unknown = RawJobPosting(
        source_job_id="0", title=_NOBODY, posting_url="https://nobody.invalid/", deadline_at=None, signature=None
    )
    posting = read_detail(adapter, page, unknown)
    if isinstance(posting, NotFetched) or posting.description_body is None:
        return None
    return SavedAnswer(postings=({**as_json(posting), "sourceJobId": None, "title": None, "postingUrl": None},))


def _of_list(listed: ListPage) -> SavedAnswer:
    return SavedAnswer(
        postings=tuple(as_json(posting) for posting in listed.postings),
        skipped=len(listed.skipped_ids),
        unidentified=listed.unidentified,
        total=listed.declared_total,
        next_cursor=listed.next_cursor,
    )


def as_json(posting: RawJobPosting) -> dict[str, object]:
    """`posting` with the field names of DESIGN 1.10; its deadline in Korean time, e.g. `2026-10-02T23:59:59+09:00`."""
    deadline, signature = posting.deadline_at, posting.signature
    return {
        "sourceJobId": posting.source_job_id,
        "title": posting.title,
        "postingUrl": posting.posting_url,
        "deadlineAt": None if deadline is None else deadline.astimezone(KST).isoformat(),
        "companyName": posting.company_name,
        "signatureKind": None if signature is None else signature.kind.value,
        "signatureValue": None if signature is None else signature.value,
        "tags": list(posting.structured_tags),
        "descriptionBody": posting.description_body,
        "accessRestricted": posting.access_restricted,
    }
