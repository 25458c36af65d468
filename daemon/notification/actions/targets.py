"""What there is to tell today, composed from what the contexts below know; reads only.

Each context answers for its own tables; here is decided what of it is due, by the rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from daemon.application.store import load_applied
from daemon.clock import kst
from daemon.collection.store.broken import load_broken
from daemon.company.model import CompanyOrigin, JobSource
from daemon.company.store import load_sources
from daemon.company.store.identities import Identity, load_identities
from daemon.db import Tx
from daemon.flags.model import FlagKey
from daemon.flags.store import load_all
from daemon.matching.store.verdicts import Verdict, load_notifiable
from daemon.messages import Language
from daemon.notification.model import (
    Draft,
    FailureNotice,
    MatchedKeyword,
    NotificationType,
    Past,
    PostingNotice,
    TargetType,
    WorkArrangement,
)
from daemon.notification.rules import due
from daemon.notification.store import history, outbox
from daemon.notification.wording.digest import digest
from daemon.notification.wording.posting import deadline_near, new_posting, reminder
from daemon.notification.wording.upkeep import broken_source
from daemon.posting.store import group_of, news
from daemon.posting.store.news import News

_TYPES_OF_NEWS = (NotificationType.NEW_JOB_POSTING, NotificationType.DAILY_DIGEST)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    """A representative, matched posting, and all that was said of any copy of it."""

    news: News
    notice: PostingNotice
    watched: bool
    applied: bool
    """Whether the person has applied for any copy of it."""
    past: Sequence[Past]

    @property
    def deserves_a_nudge(self) -> bool:
        """Whether the person may want to be told of it again: who has applied, does not."""
        return self.watched and not self.applied

    @property
    def unconfirmed(self) -> int:
        """Messages that it is new whose arrival was never confirmed."""
        return due.unconfirmed_before(self.past, *_TYPES_OF_NEWS)


async def drafts_of_day(tx: Tx, run_date: date, now: datetime, language: Language) -> list[Draft]:
    """Every message that is due on the KST day `run_date`, in the order in which they are to go out."""
    flags = await load_all(tx)
    fresh = await _candidates(tx, await news.load_new(tx, now - due.NEWS_LASTS))
    unheard = [each for each in fresh if due.is_new(each.news.first_seen_at, each.past, run_date, now)]
    drafts = _new(language, unheard, now)
    if not await outbox.has_digest(tx, run_date.toordinal()):
        drafts += _digests(language, [each for each in unheard if not each.watched], run_date, now)
    heard = {each.news.id for each in unheard}
    if flags[FlagKey.DEADLINE_D1]:
        closing = await news.load_closing(tx, now, kst(run_date + timedelta(days=2), 0))
        drafts += _deadlines(language, await _candidates(tx, closing, without=heard), run_date, now)
    if flags[FlagKey.PERMANENT_REMINDER]:
        always = await news.load_always_open(tx, now - timedelta(days=due.REMINDER_DAYS - 1))
        drafts += _reminders(language, await _candidates(tx, always, without=heard), run_date, now)
    drafts += await _failures(tx, language, now)
    return sorted(drafts, key=lambda draft: draft.key.notification_type.rank)


def _new(language: Language, unheard: Iterable[_Candidate], now: datetime) -> list[Draft]:
    """One message for each new posting of a watched company, by company."""
    watched = sorted(
        (each for each in unheard if each.watched), key=lambda each: (each.notice.company_name, each.news.id)
    )
    return [
        Draft(
            key=due.posting_key(each.news.id),
            message=new_posting(language, each.notice, now, again=each.unconfirmed > 0),
            expires_at=each.news.first_seen_at + due.NEWS_LASTS,
            unconfirmed=each.unconfirmed,
        )
        for each in watched
    ]


def _digests(language: Language, found: Sequence[_Candidate], run_date: date, now: datetime) -> list[Draft]:
    """The day's digest, in as many parts as it takes.

    Postings that may have been in a digest before stand apart: should this one go unconfirmed too, they are not sent a
    third time, while the others may be a second time.
    """
    first_seen = {each.news.id: each.news.first_seen_at for each in found}
    drafts: list[Draft] = []
    for unconfirmed in sorted({each.unconfirmed for each in found}):
        notices = [each.notice for each in found if each.unconfirmed == unconfirmed]
        for part in digest(language, notices, now, again=unconfirmed > 0):
            drafts.append(
                Draft(
                    key=due.digest_key(len(drafts), run_date),
                    message=part.message,
                    expires_at=max(first_seen[posting_id] for posting_id in part.job_posting_ids) + due.NEWS_LASTS,
                    unconfirmed=unconfirmed,
                    job_posting_ids=part.job_posting_ids,
                )
            )
    return drafts


def _deadlines(language: Language, closing: Iterable[_Candidate], run_date: date, now: datetime) -> list[Draft]:
    drafts = []
    for each in closing:
        deadline = each.news.deadline_at
        assert deadline is not None
        if not each.deserves_a_nudge or not due.is_deadline_near(deadline, each.past, run_date, now):
            continue
        key = due.deadline_key(each.news.id, deadline)
        told = [one for one in each.past if one.notification_type is NotificationType.DEADLINE_D1]
        same = [one for one in told if one.dispatch_sequence == key.dispatch_sequence]
        unconfirmed = due.unconfirmed_before(same, NotificationType.DEADLINE_D1)
        message = deadline_near(language, each.notice, now, put_off=due.was_delivered(told), again=unconfirmed > 0)
        drafts.append(Draft(key=key, message=message, expires_at=deadline, unconfirmed=unconfirmed))
    return drafts


def _reminders(language: Language, always: Iterable[_Candidate], run_date: date, now: datetime) -> list[Draft]:
    drafts = []
    for each in always:
        number = due.due_reminder(each.news.first_seen_at, each.past, run_date) if each.deserves_a_nudge else None
        if number is None:
            continue
        same = [one for one in each.past if one.dispatch_sequence == number]
        unconfirmed = due.unconfirmed_before(same, NotificationType.PERMANENT_REMINDER)
        message = reminder(language, each.notice, now, again=unconfirmed > 0)
        key = due.reminder_key(each.news.id, number)
        drafts.append(Draft(key=key, message=message, expires_at=now + due.NEWS_LASTS, unconfirmed=unconfirmed))
    return drafts


async def _failures(tx: Tx, language: Language, now: datetime) -> list[Draft]:
    broken = await load_broken(tx, now - due.NEWS_LASTS)
    sources = await _sources(tx, [each.job_source_id for each in broken])
    past = await history.load_past(tx, TargetType.JOB_SOURCE, sources)
    drafts = []
    for each in broken:
        source = sources[each.job_source_id]
        said = [one for one in past.get(source.id, ()) if one.dispatch_sequence == each.failure_episode]
        if source.disabled_at is not None or due.is_told(said, NotificationType.SOURCE_FAILURE, each.failure_episode):
            continue
        notice = FailureNotice(
            job_source_id=source.id,
            source_label=source.label,
            broken_since=each.broken_since,
            failure_episode=each.failure_episode,
            abnormal_days=each.abnormal_days,
            last_normal_at=each.last_normal_at,
            last_error=each.last_error,
        )
        drafts.append(
            Draft(
                key=due.failure_key(source.id, each.failure_episode),
                message=broken_source(language, notice, now),
                expires_at=each.broken_since + due.NEWS_LASTS,
                unconfirmed=due.unconfirmed_before(said, NotificationType.SOURCE_FAILURE),
            )
        )
    return drafts


async def _candidates(tx: Tx, found: Iterable[News], *, without: Collection[int] = ()) -> list[_Candidate]:
    """Of these postings those that match and stand for their group, with what was said of any of the group."""
    by_id = {each.id: each for each in found if each.id not in without}
    verdicts = await load_notifiable(tx, by_id)
    groups = await group_of(tx, verdicts)
    copies = {key: groups[key].posting_ids for key in verdicts if groups[key].representative_id == key}
    everyone = {copy for ids in copies.values() for copy in ids}
    past = await history.load_past(tx, TargetType.JOB_POSTING, everyone)
    applied = await load_applied(tx, everyone)
    companies = await load_identities(tx, {by_id[key].company_id for key in copies})
    sources = await _sources(tx, {source for key in copies if (source := by_id[key].job_source_id) is not None})
    return [
        _Candidate(
            news=by_id[key],
            notice=_notice(by_id[key], verdicts[key], companies[by_id[key].company_id], sources),
            watched=companies[by_id[key].company_id].origin is CompanyOrigin.WATCHED,
            applied=not applied.isdisjoint(ids),
            past=[each for copy in ids for each in past.get(copy, ())],
        )
        for key, ids in copies.items()
    ]


async def _sources(tx: Tx, ids: Collection[int]) -> Mapping[int, JobSource]:
    return {source.id: source for source in await load_sources(tx, ids)}


def _notice(posting: News, verdict: Verdict, company: Identity, sources: Mapping[int, JobSource]) -> PostingNotice:
    source = None if posting.job_source_id is None else sources.get(posting.job_source_id)
    found = verdict.evidence
    return PostingNotice(
        job_posting_id=posting.id,
        company_name=company.name,
        title=posting.title,
        posting_url=posting.posting_url,
        deadline_at=posting.deadline_at,
        first_seen_at=posting.first_seen_at,
        platform=None if source is None else source.platform,
        keywords=[MatchedKeyword(group=group, synonym=synonym) for group, synonym in verdict.groups],
        work_arrangement=(
            None
            if found is None
            else WorkArrangement(keyword=found.keyword, confidence=found.confidence, snippet=found.snippet)
        ),
    )
