"""SQL of host permits (Q6)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, select, update

from daemon.collection.tables import external_request_host_limits as hosts
from daemon.db import Tx, insert_if_absent, read_times

_LOCKED = select(hosts.c.next_allowed_at).where(hosts.c.host == bindparam("host")).with_for_update()
_TIMED_LOCKED = _LOCKED.add_columns(*read_times)
_SAVE = (
    update(hosts)
    .where(hosts.c.host == bindparam("of_host"))
    .values(next_allowed_at=bindparam("free_at"), updated_at=bindparam("now"))
)


async def lock_host(tx: Tx, host: str) -> datetime:
    """The host's `next_allowed_at`, its row locked; the row is made when the host is new.

    The transaction's time is read with it.
    """
    found = await _locked(tx, host)
    if found is not None:
        return found
    epoch = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
    row = {"host": host, "next_allowed_at": epoch, "created_at": epoch, "updated_at": epoch}
    await insert_if_absent(tx, hosts, [row])
    made = await _locked(tx, host)
    assert made is not None
    return made


async def _locked(tx: Tx, host: str) -> datetime | None:
    timed = tx.time_is_the_servers
    row = (await tx.execute(_TIMED_LOCKED if timed else _LOCKED, {"host": host})).one_or_none()
    if row is None:
        return None
    if timed:
        tx.take_time(row.begun_at, row.read_at)
    next_allowed_at: datetime = row.next_allowed_at
    return next_allowed_at


async def save_next_allowed(tx: Tx, host: str, next_allowed_at: datetime, now: datetime) -> None:
    """Set when the locked host may be asked next."""
    await tx.write(_SAVE, {"of_host": host, "free_at": next_allowed_at, "now": now})
