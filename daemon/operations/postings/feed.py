"""Postings that match, as an Atom feed (RFC 4287). The same entries give the same bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from daemon.messages import Language, text
from daemon.operations.postings.model import FeedEntry
from daemon.operations.spreadsheet import korean_time
from daemon.posting.model import PostingStatus

CONTENT_TYPE = "application/atom+xml; charset=utf-8"

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped: one such letter in a title and no reader opens the feed."""

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


def feed_document(entries: Sequence[FeedEntry], language: Language) -> bytes:
    """The feed, in the person's language. An entry keeps its id whichever copy stands for the posting."""
    feed = Element("feed", {"xmlns": "http://www.w3.org/2005/Atom", "xml:lang": language})
    _add(feed, "id", "urn:gonggo:feed:postings")
    _add(feed, "title", text(language, "feed.title"))
    _add(feed, "updated", _instant(max((entry.updated_at for entry in entries), default=_NEVER)))
    _add(SubElement(feed, "author"), "name", "Gonggo")
    SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": "/api/feed.atom"})
    for entry in entries:
        _add_entry(feed, entry, language)
    document: bytes = tostring(feed, encoding="utf-8", xml_declaration=True)
    return document


def _add_entry(feed: Element, entry: FeedEntry, language: Language) -> None:
    item = entry.item
    element = SubElement(feed, "entry")
    _add(element, "id", f"urn:gonggo:posting:{entry.entry_id}")
    _add(element, "title", text(language, "feed.entry", company=item.company_name, title=item.title))
    _add(element, "published", _instant(item.first_seen_at))
    _add(element, "updated", _instant(entry.updated_at))
    if item.posting_url.startswith(("http://", "https://")):
        SubElement(element, "link", {"rel": "alternate", "href": _NOT_XML.sub("", item.posting_url)})
    _add(element, "content", "\n".join(_lines(entry, language)))


def _lines(entry: FeedEntry, language: Language) -> Iterator[str]:
    item = entry.item

    def line(name: str, value: str) -> str:
        return text(language, "feed.line", name=text(language, name), value=value)

    if item.posting_status is PostingStatus.CLOSED:
        yield text(language, "cell.CLOSED")
    always_open = text(language, "cell.always_open")
    yield line("column.deadline", always_open if item.deadline_at is None else korean_time(item.deadline_at))
    if item.work_arrangement is not None:
        confidence = text(language, f"cell.{item.work_arrangement.confidence}")
        yield line("column.arrangement", f"{item.work_arrangement.keyword} ({confidence})")
    if entry.matched_words:
        yield line("column.matched", _listed(entry.matched_words))


def _listed(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _add(parent: Element, name: str, value: str) -> None:
    SubElement(parent, name).text = _NOT_XML.sub("", value)


def _instant(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
