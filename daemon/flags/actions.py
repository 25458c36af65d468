"""Reading and switching flags; what the API, the page and `gonggo flag` call."""

from __future__ import annotations

import structlog

from daemon.db import Database, Tx, reading, transaction
from daemon.flags import store
from daemon.flags.model import FlagKey, FlagState, UnknownFlag

log = structlog.get_logger(__name__)


async def list_flags(db: Database) -> tuple[FlagState, ...]:
    """Every flag as it stands now."""
    return tuple((await reading(db, store.load_states)).values())


async def switch_flag(db: Database, key: str, on: bool) -> bool:
    """Switch a flag from now on, for all instances; tells whether that changed anything.

    Raises UnknownFlag, which lists the flags there are.
    """
    try:
        flag = FlagKey(key)
    except ValueError:
        raise UnknownFlag(key) from None
    changed = await transaction(db, _switch, flag, on)
    log.info("flag.switched", flag_key=key, enabled=on, changed=changed)
    return changed


async def switch_all_on(db: Database) -> None:
    """Switch on everything that is no matter of taste: what someone who begins wants."""
    for key in FlagKey:
        if not key.is_taste:
            await switch_flag(db, key, True)


async def _switch(tx: Tx, key: FlagKey, on: bool) -> bool:
    return await store.save_switch(tx, key, on, await tx.now())
