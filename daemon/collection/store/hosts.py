"""SQL of host permits (Q6)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import bindparam, select, update

from daemon.collection.tables import external_request_host_limits as hosts
from daemon.db import Tx, insert_if_absent

_LOCKED = select(hosts.c.next_allowed_at).where(hosts.c.host == bindparam("host")).with_for_update()


async def lock_host(tx: Tx, host: str) -> datetime:
    """The host's `next_allowed_at`, its row locked; the row is made when the host is new."""
    found: datetime | None = (await tx.execute(_LOCKED, {"host": host})).scalar_one_or_none()
    if found is not None:
        return found
    epoch = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
    row = {"host": host, "next_allowed_at": epoch, "created_at": epoch, "updated_at": epoch}
    await insert_if_absent(tx, hosts, [row])
    made: datetime = (await tx.execute(_LOCKED, {"host": host})).scalar_one()
    return made


async def save_next_allowed(tx: Tx, host: str, next_allowed_at: datetime, now: datetime) -> None:
    """Set when the locked host may be asked next."""
    await tx.execute(update(hosts).where(hosts.c.host == host).values(next_allowed_at=next_allowed_at, updated_at=now))
