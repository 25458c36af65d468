"""What the demo's person has in the end: postings that match, the digest as it was sent, an application's timeline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from operator import itemgetter

from daemon.clock import KST, business_date
from daemon.db import Database
from daemon.demo.discord import Posted
from daemon.matching.model import Confidence
from daemon.messages import Language, text
from daemon.notification import model as notices
from daemon.notification.wording.moments import deadline_text
from daemon.notification.wording.posting import short_arrangement
from daemon.operations.applications.actions import show_application
from daemon.operations.applications.model import ApplicationDetail
from daemon.operations.postings.actions import feed_entries
from daemon.operations.postings.model import FeedEntry
from daemon.posting.model import PostingStatus
from daemon.terminal import Column, say, show_table, shown

_SHOWN_MATCHES = 3
_INDENT = "   "


async def show_matches(db: Database, language: Language, day: date) -> None:
    """Three of the day's new postings that match, the surest work arrangement first, and why they match."""
    entries = [one for one in await feed_entries(db) if one.item.posting_status is PostingStatus.OPEN]
    fresh = [one for one in entries if business_date(one.item.first_seen_at) == day]
    say(text(language, "demo.matches", day=day))
    for number, entry in enumerate(sorted(fresh, key=_place)[:_SHOWN_MATCHES], start=1):
        _show_match(language, number, entry, db.clock.now())


def _place(entry: FeedEntry) -> tuple[int, int, int]:
    found = entry.item.work_arrangement
    sureness = (Confidence.UNKNOWN if found is None else found.confidence).sort_rank
    return sureness, -entry.item.alternate_source_count, entry.item.job_posting_id


def _show_match(language: Language, number: int, entry: FeedEntry, now: datetime) -> None:
    item = entry.item
    found = item.work_arrangement
    evidence = (
        None
        if found is None
        else notices.WorkArrangement(keyword=found.keyword, confidence=found.confidence, snippet="")
    )
    arrangement = short_arrangement(language, evidence) or text(language, "notify.arrangement_none")
    say(f"{number}. {shown(item.company_name)} - {shown(item.title)}")
    say(_INDENT + text(language, "demo.match_deadline", deadline=deadline_text(language, item.deadline_at, now)))
    say(_INDENT + text(language, "demo.match_arrangement", arrangement=arrangement))
    say(_INDENT + text(language, "demo.match_why", words=", ".join(entry.matched_words)))
    if item.alternate_source_count:
        say(_INDENT + text(language, "demo.match_copies", count=item.alternate_source_count + 1))
    say(_INDENT + shown(item.posting_url))


def show_digest(language: Language, digests: Sequence[Posted]) -> None:
    """The last digest as it stands in the channel, line by line."""
    if not digests:
        say(text(language, "demo.digest_none"))
        return
    last = digests[-1]
    sent = datetime.fromtimestamp(last.at, KST)
    say(text(language, "demo.digest", at=f"{sent:%Y-%m-%d %H:%M}"))
    for line in last.text.splitlines():
        say(f"  | {shown(line)}")


async def show_timeline(db: Database, language: Language, application_id: int | None) -> None:
    """What became of the application: steps and interviews in the order of time."""
    if application_id is None:
        say(text(language, "demo.timeline_none"))
        return
    found = await show_application(db, application_id)
    company, title = shown(found.company_name), shown(found.job_posting_title)
    say(text(language, "application.title", application_id=application_id, company=company, title=title))
    titles = ("at", "state", "memo")
    show_table([Column(title=text(language, f"column.{name}")) for name in titles], _moments(language, found))


def _moments(language: Language, found: ApplicationDetail) -> list[tuple[str, str, str]]:
    rows: list[tuple[datetime, str, str]] = [
        (step.transited_at, text(language, f"cell.{step.next_status}"), step.memo or "")
        for step in found.status_histories
    ]
    for held in found.interviews:
        told = text(language, "demo.interview", round=held.round_number, label=held.label)
        result = "" if held.interview_result is None else text(language, f"result.{held.interview_result}")
        note = " - ".join(part for part in (result, held.memo) if part) or text(language, "demo.interview_ahead")
        if held.scheduled_at is not None:
            rows.append((held.scheduled_at, told, note))
    return [(f"{at.astimezone(KST):%m-%d %H:%M}", state, memo) for at, state, memo in sorted(rows, key=itemgetter(0))]
