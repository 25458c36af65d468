"""The 00:30 sweep: what passing time does to postings."""

from __future__ import annotations

from daemon.db import Database, Tx, transaction
from daemon.flags import store as flags
from daemon.flags.model import FlagKey
from daemon.posting import store

_BATCH = 500
"""Postings closed in one transaction: row locks stay short."""


async def close_passed_deadlines(db: Database) -> int | None:
    """The 00:30 sweep: close open postings whose deadline has passed (FR-17); returns how many.

    None when `posting.auto-close` is off, in which case nothing was looked at. Running it again changes nothing.
    """
    closed = 0
    while True:
        batch = await transaction(db, _close_batch)
        if batch is None:
            return None if closed == 0 else closed
        closed += batch
        if batch < _BATCH:
            return closed


async def _close_batch(tx: Tx) -> int | None:
    if not await flags.is_enabled(tx, FlagKey.AUTO_CLOSE):
        return None
    return await store.close_passed(tx, await tx.now(), _BATCH)
