"""SQL of the feature flags."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, bindparam, exists, select, update

from daemon.db import Tx, insert_if_absent
from daemon.flags.model import FlagKey, FlagState
from daemon.flags.tables import feature_flags

_ENABLED = select(feature_flags.c.enabled).where(feature_flags.c.flag_key == bindparam("key"))


async def is_enabled(tx: Tx, key: FlagKey) -> bool:
    """Whether the flag is on, as of this transaction; a flag without a row is off.

    Ask inside the transaction that decides: flags take effect without a restart because nothing remembers them.
    """
    found = await tx.execute(_ENABLED, {"key": key})
    return bool(found.scalar_one_or_none())


def switched_on(key: FlagKey) -> ColumnElement[bool]:
    """The condition that the flag is on, for a query that decides by it."""
    return exists().where(feature_flags.c.flag_key == key, feature_flags.c.enabled == 1)


async def load_all(tx: Tx) -> dict[FlagKey, bool]:
    """Every flag and whether it is on, as of this transaction."""
    return {key: state.enabled for key, state in (await load_states(tx)).items()}


_STATES = select(
    feature_flags.c.flag_key, feature_flags.c.enabled, feature_flags.c.created_at, feature_flags.c.updated_at
)


async def load_states(tx: Tx) -> dict[FlagKey, FlagState]:
    """Every flag with its last switch, in the order of `FlagKey`."""
    known = {row.flag_key: row for row in await tx.execute(_STATES)}
    states = {}
    for key in FlagKey:
        row = known.get(key)
        states[key] = FlagState(
            flag_key=key,
            enabled=row is not None and bool(row.enabled),
            description=key.description,
            # Only a switch moves `updated_at`, so a flag never switched still carries the instant of its seeding.
            switched_at=None if row is None or row.updated_at == row.created_at else row.updated_at,
        )
    return states


async def save_switch(tx: Tx, key: FlagKey, on: bool, now: datetime) -> bool:
    """Switch the flag; tells whether that changed it. One already so keeps its `updated_at`."""
    before = now - timedelta.resolution
    row = {"flag_key": key, "enabled": 0, "description": key.description, "created_at": before, "updated_at": before}
    await insert_if_absent(tx, feature_flags, [row])
    switched = await tx.execute(
        update(feature_flags)
        .where(feature_flags.c.flag_key == key, feature_flags.c.enabled != int(on))
        .values(enabled=int(on), updated_at=now)
    )
    return switched.rowcount == 1
