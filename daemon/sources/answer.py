"""What every site's answer has in common, HTML or JSON: its status, its items, what a posting is made of. Pure.

An item is *skipped* when it has a readable id but lacks what a posting needs: it is seen, so it can't be missed, but
not stored. It is *withdrawn* when the site itself calls it closed or hidden, and *unidentified* without a usable id.
More than a fifth skipped or unidentified is another layout (DESIGN 1.4). A cycle's counters have the same names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from pydantic import ValidationError

from daemon.sources.model import (
    ChangeSignalKind,
    ChangeSignature,
    LayoutChanged,
    ListPage,
    Outcome,
    Page,
    RawJobPosting,
    Unreadable,
)
from daemon.sources.rules import outcome_of_status
from daemon.sources.text import field_hash

_Item = TypeVar("_Item")

MOST_ITEMS = 10_000
"""Items of one answer: twice what a day may take of a source (seed 000); each becomes some 2 KiB of objects."""


def require_success(page: Page) -> None:
    """Raise Unreadable when the status says that this is no answer to the request.

    Where a site puts an error of its own into the body, its parser looks for that first.
    """
    outcome = outcome_of_status(page.status)
    if outcome is not Outcome.FETCHED:
        raise Unreadable(outcome, f"HTTP {page.status}")


class Items:
    """What became of the items of one list answer. An id given twice is one item, and the best that it gave counts."""

    def __init__(self) -> None:
        self._postings: dict[str, RawJobPosting] = {}
        self._skipped: dict[str, None] = {}
        self._withdrawn: dict[str, None] = {}
        self._unidentified = 0
        self._complaint = ""

    def posting(self, posting: RawJobPosting) -> None:
        """A posting that can be stored; of two with one id the first stays."""
        self._postings.setdefault(posting.source_job_id, posting)

    def skipped(self, source_job_id: str, why: str) -> None:
        """An item without what a posting needs."""
        self._skipped[source_job_id] = None
        self._complaint = self._complaint or f"{source_job_id}: {why}"

    def withdrawn(self, source_job_id: str) -> None:
        """An item that the site calls closed or hidden."""
        self._withdrawn[source_job_id] = None

    def unidentified(self, count: int = 1) -> None:
        """Items without a usable id."""
        self._unidentified += count

    def page(self, *, next_cursor: str | None, declared_total: int | None) -> ListPage:
        """The account. Raises LayoutChanged, with the first complaint, when more than a fifth can't be read."""
        skipped = tuple(each for each in self._skipped if each not in self._postings)
        withdrawn = tuple(each for each in self._withdrawn if each not in self._postings and each not in self._skipped)
        unread = len(skipped) + self._unidentified
        items = len(self._postings) + len(withdrawn) + unread
        if unread * 5 > items:
            raise LayoutChanged(f"{unread} of {items} items unreadable; {self._complaint or 'no usable id'}")
        return ListPage(
            postings=tuple(self._postings.values()),
            next_cursor=next_cursor,
            declared_total=declared_total,
            skipped_ids=skipped,
            withdrawn_ids=withdrawn,
            unidentified=self._unidentified,
        )


def list_page(
    items: Iterable[_Item],
    identify: Callable[[_Item], str],
    read: Callable[[str, _Item], RawJobPosting | None],
    *,
    next_cursor: str | None,
    declared_total: int | None,
) -> ListPage:
    """The items of one list answer, each told by `identify` and read by `read(id, item)`.

    `identify` gives an item's id, or `""` when it has none that is usable. `read` returns None for an item that the
    site itself calls closed or hidden, and raises ValueError (pydantic's is one) for one that lacks what a posting
    needs. Raises LayoutChanged when more than a fifth of the items can't be read, and Unreadable TOO_LARGE when there
    are more of them than a page can hold.
    """
    account = Items()
    for number, item in enumerate(items):
        if number == MOST_ITEMS:
            raise Unreadable(Outcome.TOO_LARGE, f"over {MOST_ITEMS} items in one answer")
        source_job_id = identify(item)
        if not source_job_id:
            account.unidentified()
            continue
        try:
            posting = read(source_job_id, item)
        except ValueError as error:
            account.skipped(source_job_id, fault(error))
            continue
        if posting is None:
            account.withdrawn(source_job_id)
        else:
            account.posting(posting)
    return account.page(next_cursor=next_cursor, declared_total=declared_total)


def fault(error: ValueError) -> str:
    """What is wrong, in few words; of pydantic's errors the first, with its field."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    said = "is not an object" if first["type"] == "model_type" else first["msg"]
    return ": ".join(part for part in (".".join(map(str, first["loc"])), said) if part)


def required(text: str, what: str) -> str:
    """`text`. Raises ValueError when it is empty; `what` says what is then missing."""
    if not text:
        raise ValueError(f"no {what}")
    return text


def tags(*groups: Iterable[str]) -> tuple[str, ...]:
    """Structured tags in the order given, none twice, none empty."""
    return tuple(dict.fromkeys([tag for group in groups for tag in group if tag]))


def field_signature(*fields: str | datetime | None) -> ChangeSignature:
    """The signature where a site has no sign of edits: a hash over what an editor edits, not what moves by itself."""
    texts = [field.isoformat() if isinstance(field, datetime) else field for field in fields]
    return ChangeSignature(kind=ChangeSignalKind.FIELD_HASH, value=field_hash(*texts))


def require_same(listed: RawJobPosting | None, source_job_id: str) -> None:
    """Raise LayoutChanged when a posting's page is of another posting than the one that it was asked for."""
    if listed is not None and listed.source_job_id != source_job_id:
        raise LayoutChanged(f"asked for {listed.source_job_id}, answered {source_job_id}")


def require_filtered(matches: Iterable[bool], asked: str) -> None:
    """Raise LayoutChanged when most postings of a page are not of the category asked for.

    A 200 is no proof that a filter worked: three of the sites answer an unknown filter with everything (research,
    payloads-json). `matches` has one entry per item that names its categories. Half of them may disagree, since
    what a site prints on an item need not be all that it files it under.
    """
    answers = list(matches)
    foreign = answers.count(False)
    if foreign * 2 > len(answers):
        raise LayoutChanged(f"the list is not filtered by {asked}: {foreign} of {len(answers)} postings are of others")


def page_number(cursor: str | None, first: int) -> int:
    """The page that a cursor of ours asks for; `first` for the first page."""
    return first if cursor is None else int(cursor)
