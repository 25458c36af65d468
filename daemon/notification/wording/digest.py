"""The daily digest of discovered companies: grouped by company, split so that each message is within the limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from daemon.clock import business_date
from daemon.matching.model import Confidence
from daemon.messages import Language, text
from daemon.notification.model import Message, PostingNotice
from daemon.notification.wording import limits
from daemon.notification.wording.limits import Embed
from daemon.notification.wording.moments import day_text, deadline_text
from daemon.notification.wording.plain import clipped, escaped_within, linkable, one_line, units
from daemon.notification.wording.posting import SUMMARY_CHARACTERS, short_arrangement

_PAGE_UNITS = 2900
"""An embed's text. Two of them make a message, well under the total of 6,000."""

_PAGES_PER_MESSAGE = 2
_TITLE = 240
_COMPANY = 160
_LINK = 1500
_KEYWORD = 60
_MOST_KEYWORDS = 3
_COLOUR = 0x9B59B6


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One message of a digest."""

    message: Message
    job_posting_ids: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    notice: PostingNotice
    text: str


@dataclass(kw_only=True, slots=True)
class _Page:
    """The text of one embed, as it grows."""

    text: str = ""
    lines: list[_Line]


def digest(language: Language, notices: Iterable[PostingNotice], now: datetime, *, again: bool) -> tuple[Part, ...]:
    """The digest as one message or more; the same postings always make the same messages.

    Companies by name, of each the surest work arrangement and the nearest deadline first. `again` when an earlier
    message with these postings may have arrived.
    """
    pages = list(_pages(language, sorted(notices, key=_place), now))
    count = sum(len(page.lines) for page in pages)
    day = day_text(language, business_date(now), business_date(now))
    headline = text(language, "notify.digest_again" if again else "notify.digest", count=count, day=day)
    messages = [pages[at : at + _PAGES_PER_MESSAGE] for at in range(0, len(pages), _PAGES_PER_MESSAGE)]
    return tuple(_part(language, headline, chosen, at, len(messages)) for at, chosen in enumerate(messages, start=1))


def _place(notice: PostingNotice) -> tuple[str, int, bool, float, int]:
    found, deadline = notice.work_arrangement, notice.deadline_at
    return (
        one_line(notice.company_name),
        (Confidence.UNKNOWN if found is None else found.confidence).sort_rank,
        deadline is None,
        0.0 if deadline is None else deadline.timestamp(),
        notice.job_posting_id,
    )


def _pages(language: Language, notices: Sequence[PostingNotice], now: datetime) -> Iterator[_Page]:
    page = _Page(lines=[])
    for company, group in groupby(notices, key=lambda notice: one_line(notice.company_name)):
        lines = [_Line(notice=notice, text=_line(language, notice, now)) for notice in group]
        name = escaped_within(company, _COMPANY) or text(language, "notify.untitled")
        heading = f"**{text(language, 'notify.group', company=name, count=len(lines))}**"
        for line in lines:
            addition = f"{heading}\n{line.text}" if heading else line.text
            if page.lines and units(page.text) + 1 + units(addition) > _PAGE_UNITS:
                yield page
                page = _Page(lines=[])
                if not heading:
                    addition = f"**{text(language, 'notify.continued', company=name)}**\n{line.text}"
            page.text = f"{page.text}\n{addition}" if page.lines else addition
            page.lines.append(line)
            heading = ""
    if page.lines:
        yield page


def _line(language: Language, notice: PostingNotice, now: datetime) -> str:
    title = escaped_within(notice.title, _TITLE) or text(language, "notify.untitled")
    address = linkable(notice.posting_url, _LINK)
    words = [escaped_within(keyword.group, _KEYWORD) for keyword in notice.keywords[:_MOST_KEYWORDS]]
    facts = [
        deadline_text(language, notice.deadline_at, now),
        short_arrangement(language, notice.work_arrangement),
        ", ".join(words),
    ]
    shown = title if address is None else f"[{title}]({address})"
    return " · ".join(["• " + shown, *(fact for fact in facts if fact)])


def _part(language: Language, headline: str, pages: Sequence[_Page], part: int, parts: int) -> Part:
    content = (
        headline if parts == 1 else text(language, "notify.digest_part", headline=headline, part=part, parts=parts)
    )
    embeds: list[Embed] = [{"description": page.text, "color": _COLOUR} for page in pages]
    notices = [line.notice for page in pages for line in page.lines]
    companies = dict.fromkeys(one_line(notice.company_name) for notice in notices)
    summary = f"{len(notices)} · {', '.join(companies)}"
    return Part(
        message=Message(payload=limits.body(content, embeds), summary=clipped(summary, SUMMARY_CHARACTERS)),
        job_posting_ids=tuple(notice.job_posting_id for notice in notices),
    )
