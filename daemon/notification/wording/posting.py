"""A message about one posting: new, closing tomorrow, or still open."""

from __future__ import annotations

from datetime import datetime

from daemon.clock import business_date
from daemon.matching.model import Confidence
from daemon.messages import Language, text
from daemon.notification.model import MatchedKeyword, Message, PostingNotice, WorkArrangement
from daemon.notification.wording import limits
from daemon.notification.wording.limits import Embed
from daemon.notification.wording.moments import day_text, deadline_text
from daemon.notification.wording.plain import clipped, escaped_within, linkable, one_line

SUMMARY_CHARACTERS = 500

_HEADLINE_TITLE = 200
_HEADLINE_COMPANY = 100
_SNIPPET = 300
_KEYWORD = 100
_MOST_KEYWORDS = 5

_GREEN, _RED, _BLUE = 0x2ECC71, 0xE74C3C, 0x3498DB

_CONFIDENCES = {
    Confidence.CONFIRMED: ("notify.arrangement_confirmed", "notify.arrangement_short_confirmed"),
    Confidence.LIKELY: ("notify.arrangement_likely", "notify.arrangement_short_likely"),
    Confidence.INFERRED: ("notify.arrangement_inferred", "notify.arrangement_short_inferred"),
}


def new_posting(language: Language, notice: PostingNotice, now: datetime, *, again: bool) -> Message:
    """A new matched posting; `again` when an earlier message about it may have arrived."""
    return _message(language, "notify.new", notice, now, colour=_GREEN, footer=_found(language, notice, now, again))


def deadline_near(language: Language, notice: PostingNotice, now: datetime, *, put_off: bool, again: bool) -> Message:
    """A posting that closes tomorrow (or today); `put_off` when the person was told of another deadline before."""
    assert notice.deadline_at is not None
    today = business_date(notice.deadline_at) == business_date(now)
    headline = "notify.deadline_today" if today else "notify.deadline_tomorrow"
    note = text(language, "notify.put_off") if put_off else None
    footer = _found(language, notice, now, again)
    return _message(language, headline, notice, now, colour=_RED, footer=footer, note=note)


def reminder(language: Language, notice: PostingNotice, now: datetime, *, again: bool) -> Message:
    """An always-open posting that is still open."""
    days = (business_date(now) - business_date(notice.first_seen_at)).days + 1
    footer = text(language, "notify.open_for", text=_found(language, notice, now, again), days=days)
    return _message(language, "notify.reminder", notice, now, colour=_BLUE, footer=footer)


def _message(
    language: Language,
    headline: str,
    notice: PostingNotice,
    now: datetime,
    *,
    colour: int,
    footer: str,
    note: str | None = None,
) -> Message:
    untitled = text(language, "notify.untitled")
    content = text(
        language,
        headline,
        company=escaped_within(notice.company_name, _HEADLINE_COMPANY),
        title=escaped_within(notice.title, _HEADLINE_TITLE) or untitled,
    )
    deadline = deadline_text(language, notice.deadline_at, now)
    embed: Embed = {
        "title": escaped_within(notice.title, limits.TITLE) or untitled,
        "color": colour,
        "fields": [
            _field(language, "notify.field_deadline", deadline, inline=True),
            _field(language, "notify.field_arrangement", _arrangement(language, notice.work_arrangement), inline=True),
        ],
        "footer": {"text": clipped(footer, limits.FOOTER)},
    }
    if company := clipped(one_line(notice.company_name), limits.AUTHOR):
        embed["author"] = {"name": company}
    words = "\n".join(filter(None, (_keyword(language, keyword) for keyword in notice.keywords[:_MOST_KEYWORDS])))
    if words:
        embed["fields"].append(_field(language, "notify.field_keywords", words))
    if (address := linkable(notice.posting_url, limits.URL)) is not None:
        embed["url"] = address
    if note is not None:
        embed["description"] = note
    summary = f"{one_line(notice.company_name)} · {one_line(notice.title)} · {deadline}"
    return Message(payload=limits.body(content, [embed]), summary=clipped(summary, SUMMARY_CHARACTERS))


def _field(language: Language, name: str, value: str, *, inline: bool = False) -> Embed:
    return {"name": text(language, name), "value": value, "inline": inline}


def _keyword(language: Language, keyword: MatchedKeyword) -> str:
    group, synonym = escaped_within(keyword.group, _KEYWORD), escaped_within(keyword.synonym, _KEYWORD)
    return group if group == synonym else text(language, "notify.keyword", group=group, synonym=synonym)


def _arrangement(language: Language, found: WorkArrangement | None) -> str:
    if found is None or found.confidence not in _CONFIDENCES:
        return text(language, "notify.arrangement_none")
    told = text(language, _CONFIDENCES[found.confidence][0], keyword=escaped_within(found.keyword, _KEYWORD))
    snippet = escaped_within(found.snippet, _SNIPPET)
    return f"{told}\n> …{snippet}…" if snippet else told


def short_arrangement(language: Language, found: WorkArrangement | None) -> str | None:
    """A few words on the work arrangement for a line of a list; None when nothing is known."""
    if found is None or found.confidence not in _CONFIDENCES:
        return None
    return text(language, _CONFIDENCES[found.confidence][1], keyword=escaped_within(found.keyword, _KEYWORD))


def _found(language: Language, notice: PostingNotice, now: datetime, again: bool) -> str:
    day = day_text(language, business_date(notice.first_seen_at), business_date(now))
    if notice.platform is None:
        told = text(language, "notify.found_by_hand", day=day)
    else:
        told = text(language, "notify.found", source=text(language, f"notify.platform.{notice.platform}"), day=day)
    return text(language, "notify.again", text=told) if again else told
