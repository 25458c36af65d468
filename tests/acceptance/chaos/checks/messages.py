"""The Discord channel beside the outbox."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime

from daemon.clock import business_date, kst
from daemon.demo.discord import Posted
from tests.acceptance.chaos.evidence import DISPATCHES, POSTINGS, Evidence, Memory


def copies(seen: Evidence) -> list[list[Posted]]:
    """The day's messages, those with one body together."""
    found: defaultdict[str, list[Posted]] = defaultdict(list)
    for message in seen.channel:
        if business_date(datetime.fromtimestamp(message.at, UTC)) == seen.day:
            found[json.dumps(message.body, sort_keys=True)].append(message)
    return list(found.values())


def repeats(seen: Evidence) -> int:
    """How many messages too many the day brought: the allowed kind, sent once more since the answer was lost."""
    return sum(len(same) - 1 for same in copies(seen))


def _lost_answers(seen: Evidence) -> int:
    """How many answers of Discord may have been lost: those it did not give, and those to senders that were hit."""
    at_nine = kst(seen.day, 8, 59)
    return seen.unanswered + sum(one.instant >= at_nine for one in seen.struck)


def once(seen: Evidence, _memory: Memory) -> Iterator[str]:
    for same in copies(seen):
        if len(same) > 2:
            yield f"{len(same)} copies of {same[0].text[:80]!r}"
    if repeats(seen) > _lost_answers(seen):
        yield f"{repeats(seen)} repeated, though only {_lost_answers(seen)} answers can have been lost"
    keys: defaultdict[tuple[object, ...], int] = defaultdict(int)
    for row in seen.tables[DISPATCHES]:
        if row["dispatch_status"] == "DELIVERED":
            keys[row["target_type"], row["target_id"], row["notification_type"], row["dispatch_sequence"]] += 1
    yield from (f"{key} delivered by {n} rows" for key, n in keys.items() if n > 1)


def recorded(seen: Evidence, _memory: Memory) -> Iterator[str]:
    arrived = {message.id: message for message in seen.channel}
    nameless = 0
    for row in seen.tables[DISPATCHES]:
        if row["dispatch_status"] == "SENDING":
            yield f"dispatch {row['id']} is still being sent"
        if row["dispatch_status"] != "DELIVERED":
            continue
        if row["discord_message_id"] is None:
            nameless += 1
            continue
        message = arrived.get(row["discord_message_id"])
        if message is None:
            yield f"dispatch {row['id']} is recorded as {row['discord_message_id']}, which is not in the channel"
        elif message.body != json.loads(row["payload"]):
            yield f"dispatch {row['id']} is recorded as {row['discord_message_id']}, which says something else"
    known = {json.dumps(json.loads(row["payload"]), sort_keys=True) for row in seen.tables[DISPATCHES]}
    strange = [same[0] for same in copies(seen) if json.dumps(same[0].body, sort_keys=True) not in known]
    if len(strange) > _lost_answers(seen):
        yield f"{len(strange)} messages that no row has: {strange[0].text[:80]!r}"


def none_lost(seen: Evidence, _memory: Memory) -> Iterator[str]:
    """What matched before the morning's jobs has a message by the evening, or stood in a digest."""
    told = {row["target_id"] for row in seen.tables[DISPATCHES] if row["notification_type"] == "NEW_JOB_POSTING"}
    told |= {row["job_posting_id"] for row in seen.tables["notification_digest_postings"]}
    results = {row["job_posting_id"]: row for row in seen.tables["job_posting_match_results"]}
    groups: defaultdict[int, set[int]] = defaultdict(set)
    for row in seen.tables[POSTINGS]:
        groups[row["representative_id"] or row["id"]].add(row["id"])
    for row in seen.tables[POSTINGS]:
        result = results.get(row["id"])
        if row["posting_status"] != "OPEN" or row["access_restricted"]:
            continue
        if result is None or result["posting_version"] != row["version"]:
            yield f"posting {row['id']} was not judged as it stands"
            continue
        news = row["notification_eligible"] and result["notifiable"] and row["representative_id"] is None
        early = row["first_seen_at"] < kst(seen.day, 8, 30)
        if news and early and not groups[row["id"]] & told:
            yield f"posting {row['id']} of {row['first_seen_at']} was never told"
    day = [row for row in seen.tables[DISPATCHES] if business_date(row["created_at"]) == seen.day]
    waiting = [row["id"] for row in day if row["dispatch_status"] == "PENDING"]
    if waiting and not seen.unanswered and not seen.struck:
        yield f"dispatches {waiting} still wait"
