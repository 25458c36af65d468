"""Writing down what a list showed and what it left out, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from daemon.db import Tx
from daemon.posting import rules, store
from daemon.posting.model import (
    Change,
    DetailState,
    KnownPosting,
    Missed,
    Observed,
    PostingOrigin,
    PostingStatus,
    Recorded,
    Recording,
)
from daemon.sources.model import ChangeSignature


async def record_observed(tx: Tx, recording: Recording, observed: Sequence[Observed], now: datetime) -> Recorded:
    """Store the postings that a list showed: new ones, edits, reopenings; all others are marked as seen.

    A posting of an aggregator that names no company is left out (it is seen, but no one's). Descriptions and tags are
    replaced only by what was read. Ids must be distinct.
    """
    by_id = {seen.raw.source_job_id: seen for seen in observed}
    known = await store.load_known(tx, recording.job_source_id, by_id, lock=True)
    fresh = [
        (seen, company_id)
        for key, seen in by_id.items()
        if key not in known and (company_id := recording.company_of(seen.raw)) is not None
    ]
    await store.add_postings(tx, [_new_row(recording, seen, company_id, now) for seen, company_id in fresh])
    new_ids = await store.ids_of(tx, recording.job_source_id, [seen.raw.source_job_id for seen, _ in fresh])

    changes = [_change(recording, posting, by_id[key], now) for key, posting in known.items()]
    rewritten = [change for change in changes if change.rewritten]
    await store.save_rewritten(
        tx, [_changed_row(recording, change, by_id[change.posting.source_job_id], now) for change in rewritten]
    )
    edited = [change.posting.id for change in changes if change.edited]
    reopened = [change.posting.id for change in changes if change.reopened]
    await store.mark_edited(tx, edited, now)
    await store.mark_reopened(tx, reopened, now)
    await store.mark_found(tx, [posting.id for posting in known.values()], now)
    await _save_texts(tx, by_id, known, new_ids, changes, now)
    return Recorded(
        new_ids=tuple(new_ids.values()),
        changed_ids=tuple(edited),
        reopened_ids=tuple(reopened),
    )


async def record_missed(
    tx: Tx, job_source_id: int, seen_ids: Collection[str] | store.WrittenIds, now: datetime, *, auto_close: bool
) -> Missed:
    """The final delta of a complete list: count what it left out, close what two lists left out (FR-14).

    `seen_ids` is what the list had, or where that is written down: then nothing of it is read into memory.
    """
    if isinstance(seen_ids, Collection):
        population = await store.load_open(tx, job_source_id)
    else:
        population, seen_ids = await store.load_open(tx, job_source_id, besides=seen_ids), ()
    missed, closed = rules.decide_missed(population, seen_ids, auto_close=auto_close)
    await store.save_missed(tx, missed, closed, now)
    return Missed(missed=len(missed) + len(closed), closed_ids=tuple(closed))


def _change(recording: Recording, posting: KnownPosting, seen: Observed, now: datetime) -> Change:
    company_id = recording.company_of(seen.raw) or posting.company_id
    return rules.decide_found(posting, seen, company_id, now)


def _signature_columns(signature: ChangeSignature | None) -> dict[str, Any]:
    if signature is None:
        return {"change_signal_kind": None, "change_signal_value": None}
    return {"change_signal_kind": signature.kind.value, "change_signal_value": signature.value}


def _new_row(recording: Recording, seen: Observed, company_id: int, now: datetime) -> dict[str, Any]:
    raw = seen.raw
    name = recording.company_names.get(company_id, raw.company_name or "")
    return {
        "company_id": company_id,
        "job_source_id": recording.job_source_id,
        "dedup_key": rules.dedup_key(name, raw.title),
        "posting_origin": PostingOrigin.COLLECTED.value,
        "source_job_id": raw.source_job_id,
        "title": raw.title,
        "posting_url": raw.posting_url,
        "deadline_at": raw.deadline_at,
        "posting_status": PostingStatus.OPEN.value,
        **_signature_columns(raw.signature),
        "consecutive_miss_count": 0,
        "notification_eligible": 0 if recording.seeding else 1,
        "access_restricted": int(raw.access_restricted),
        "source_company_identifier": raw.company_identifier,
        "first_seen_at": now,
        "last_seen_at": now,
        "detail_verified_at": now if seen.detail is DetailState.READ else None,
        "version": 0,
        "created_at": now,
        "updated_at": now,
    }


def _changed_row(recording: Recording, change: Change, seen: Observed, now: datetime) -> dict[str, Any]:
    raw, posting = seen.raw, change.posting
    company_id = recording.company_of(raw) or posting.company_id
    name = recording.company_names.get(company_id, raw.company_name or "")
    signature = raw.signature or posting.signature
    restricted = raw.access_restricted if seen.detail is DetailState.READ else posting.access_restricted
    # An edit whose page the budget did not allow: the stored text is of the time before it, so it is asked for again.
    outdated = change.edited and seen.detail is DetailState.SKIPPED
    return {
        "id": posting.id,
        "company_id": company_id,
        "dedup_key": rules.dedup_key(name, raw.title),
        "title": raw.title,
        "posting_url": raw.posting_url,
        "deadline_at": raw.deadline_at,
        **_signature_columns(signature),
        "access_restricted": int(restricted),
        "detail_verified_at": None if outdated else posting.detail_verified_at,
        "updated_at": now,
    }


async def _save_texts(
    tx: Tx,
    observed: Mapping[str, Observed],
    known: Mapping[str, KnownPosting],
    new_ids: Mapping[str, int],
    changes: Sequence[Change],
    now: datetime,
) -> None:
    ids = {**{key: posting.id for key, posting in known.items()}, **new_ids}
    read = {key for key in ids if observed[key].detail is DetailState.READ}
    first_read = {key for key in read & known.keys() if known[key].detail_verified_at is None}
    touched = {*new_ids, *first_read, *(change.posting.source_job_id for change in changes if change.edited)}
    bodies = {
        ids[key]: body
        for key in (touched | read) & ids.keys()
        if (body := observed[key].raw.description_body) is not None
    }
    await store.save_descriptions(tx, bodies, now)
    tags = {ids[key]: rules.normalized_tags(observed[key].raw.structured_tags) for key in touched}
    await store.replace_tags(tx, tags, now, fresh=set(new_ids.values()))
    await store.mark_verified(tx, [known[key].id for key in read & known.keys()], now)
