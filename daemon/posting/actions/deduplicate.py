"""The 08:30 job: copies of one posting on several sources, told and represented by one of them (FR-63 to FR-65)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import structlog

from daemon.company.store import load_namesakes
from daemon.db import Database, Tx, reading, transaction
from daemon.flags import store as flags
from daemon.flags.model import FlagKey
from daemon.posting import rules
from daemon.posting.model import Deduplicated, Standing
from daemon.posting.store import adoption, groups

log = structlog.get_logger(__name__)

_BATCH = 500
"""Postings worked on in one transaction: row locks stay short."""

_ROUNDS = 10
"""How often at most all that is pending is gone through.

Postings that moved from key to key take up to three: to leave, for those left behind, to see that nothing points back.
The others are for what someone was writing to.
"""

Batch = Callable[[Tx, Sequence[int]], Awaitable[Counter[str]]]
"""Works on those of some postings that no one else is writing to."""


async def deduplicate(db: Database) -> Deduplicated:
    """Group the copies of the postings touched since the last run and choose who stands for each group.

    What was touched says so itself (`dedup_pending`), set by whoever writes what a group depends on and cleared here
    under the row's lock: so no page that began before this and is committed after it is ever missed, and the result is
    the one that grouping everything anew would give. While `posting.cross-source-dedup` is off nothing is grouped and
    every posting stands for itself again. Safe to run at any time, to repeat, and beside itself.
    """
    adopted = await adopt_aliased(db)
    enabled = await reading(db, _is_enabled)
    load, work = (groups.load_pending_ids, _group) if enabled else (groups.load_duplicate_ids, _release)
    counts: Counter[str] = Counter()
    first: int | None = None
    for _ in range(_ROUNDS):
        ids = await reading(db, load)
        if not ids:
            break
        if ids[0] == first:
            await _wait_for_turn(db, first)
        first = ids[0]
        for start in range(0, len(ids), _BATCH):
            counts += await transaction(db, work, ids[start : start + _BATCH])
    done = Deduplicated(
        enabled=enabled,
        adopted=adopted,
        keys=counts["keys"],
        duplicates=counts["duplicates"],
        changed=counts["changed"],
        left=len(await reading(db, load)),
    )
    log.info("postings.deduplicated", keys=done.keys, duplicates=done.duplicates, changed=done.changed, left=done.left)
    return done


async def adopt_aliased(db: Database) -> int:
    """Give postings of a discovered company that an alias names to the company of the alias; returns how many.

    `당근` on a board was a company of its own until the person said that 당근마켓 is also called that. Their dedup keys
    are made anew, so that their copies are found.
    """
    adopted = 0
    while batch := await transaction(db, _adopt_batch):
        adopted += batch
    return adopted


async def _adopt_batch(tx: Tx) -> int:
    for namesake in await load_namesakes(tx):
        titles = await adoption.lock_titles(tx, namesake.discovered_id, _BATCH)
        if titles:
            keys = {posting_id: rules.dedup_key(namesake.name, title) for posting_id, title in titles.items()}
            await adoption.save_company(tx, namesake.company_id, keys, await tx.now())
            return len(titles)
    return 0


async def _is_enabled(tx: Tx) -> bool:
    return await flags.is_enabled(tx, FlagKey.CROSS_SOURCE_DEDUP)


async def _wait_for_turn(db: Database, posting_id: int) -> None:
    """Wait until those who are writing to a posting or its copies have done so, holding nothing meanwhile."""
    for related in await reading(db, groups.load_related_ids, posting_id):
        await transaction(db, groups.wait_for, related)


async def _group(tx: Tx, ids: Sequence[int]) -> Counter[str]:
    if not await _is_enabled(tx):
        return Counter()
    keys = await groups.load_pending_keys(tx, ids)
    locked = await groups.lock_copies(tx, keys)
    counts = Counter(keys=len(locked.copies))
    changed: dict[int, Standing] = {}
    for copies in locked.copies.values():
        for representative, *others in rules.group_copies(copies):
            counts["duplicates"] += len(others)
            wanted = {representative: rules.standing_under(representative.standing, None)}
            wanted |= {copy: rules.standing_under(copy.standing, representative.id) for copy in others}
            changed |= {copy.id: standing for copy, standing in wanted.items() if standing != copy.standing}
    counts["changed"] = len(changed)
    await groups.save_standings(tx, changed)
    # The links to these are cut now, and with them what would lead to the group that a moved posting left.
    await groups.save_pending(tx, locked.strangers, True)
    await groups.save_pending(tx, locked.ids, False)
    return counts


async def _release(tx: Tx, ids: Sequence[int]) -> Counter[str]:
    if await _is_enabled(tx):
        return Counter()
    duplicates = await groups.lock_standings(tx, ids)
    standing_for = {standing.representative_id for standing in duplicates.values()} - {None}
    held = await groups.lock_standings(tx, [posting_id for posting_id in standing_for if posting_id is not None])
    released = {
        posting_id: rules.standing_under(standing, None)
        for posting_id, standing in duplicates.items()
        if standing.representative_id in held or standing.representative_id is None
    }
    await groups.save_standings(tx, released)
    # When the flag is on again, this is where groups are to be found: also by those who stood for others, for a
    # duplicate may have moved to another key by then, and nothing would lead to the group that it left.
    await groups.save_pending(tx, {*released, *held}, True)
    return Counter(changed=len(released))
