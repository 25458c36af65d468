"""Keeping and giving back the right to work on a cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from sqlalchemy.exc import DBAPIError

from daemon.collection.actions.finish import Ended, finish_cycle, log_ended
from daemon.collection.actions.snapshot import gated
from daemon.collection.engine import Engine
from daemon.collection.model import Claim, CycleStatus, End, LeaseLost
from daemon.collection.store import cycles, snapshots
from daemon.db import Tx

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Lease:
    """A claim's lease as its holder sees it: renewed at a third of its time; without the database given up at two.

    Measured on the holder's own scale that never goes backwards, so that a database that can't be reached stops the
    work before anyone else may take the cycle (research, pitfalls row 8).
    """

    engine: Engine
    claim: Claim
    renewed_at: float = field(init=False)
    """Ticks at which the last renewing transaction began: its own time is read later, so this errs to the safe side."""

    def __post_init__(self) -> None:
        self.renewed_at = self.engine.clock.ticks()

    async def keep(self) -> None:
        """Renew when a third of the lease has passed; to be called before every request.

        Raises LeaseLost when someone else ended the cycle, or when the database can't be reached and two thirds have
        passed: the cycle may soon be someone else's.
        """
        begun = self.engine.clock.ticks()
        held_for = begun - self.renewed_at
        lease = self.engine.settings.lease_seconds
        if held_for <= lease / 3:
            return
        try:
            await gated(self.engine, _renew, self.claim, self.engine.settings.lease)
        except (DBAPIError, OSError, TimeoutError) as error:
            if held_for > lease * 2 / 3:
                raise LeaseLost(self.claim, f"not renewed for {held_for:.0f} s") from error
            log.warning("lease.not_renewed", cycle_id=self.claim.cycle_id, error=str(error).splitlines()[0])
        else:
            self.renewed_at = begun


async def release_slice(engine: Engine, claim: Claim, next_eligible_at: datetime | None = None) -> None:
    """End the slice where the last commit left it: `PENDING` with its cursor, claimable from `next_eligible_at` on.

    Raises LeaseLost when the claim no longer holds the cycle.
    """
    await gated(engine, _release, claim, next_eligible_at)


async def end_cycle(engine: Engine, claim: Claim, end: End) -> None:
    """End the claimed cycle without a further page. Raises LeaseLost when the claim no longer holds it."""
    log_ended(await gated(engine, _end, claim, end))


async def _renew(tx: Tx, claim: Claim, lease: timedelta) -> None:
    await snapshots.pass_gate(tx, claim.run_date)
    now = await tx.now()
    if not await cycles.save_held(tx, claim, now, {"lease_until": now + lease}):
        raise LeaseLost(claim, "renewing")


async def _release(tx: Tx, claim: Claim, next_eligible_at: datetime | None) -> None:
    await snapshots.pass_gate(tx, claim.run_date)
    now = await tx.now()
    values = {**release_columns(now), "next_eligible_at": next_eligible_at or now}
    if not await cycles.save_held(tx, claim, now, values):
        raise LeaseLost(claim, "releasing")


async def _end(tx: Tx, claim: Claim, end: End) -> Ended:
    await snapshots.pass_gate(tx, claim.run_date)
    cycle = await cycles.lock_held(tx, claim)
    if cycle is None:
        raise LeaseLost(claim, "ending")
    return await finish_cycle(tx, cycle, cycle.counters, end)


def release_columns(now: datetime) -> dict[str, object]:
    """What a slice leaves behind when the cycle goes on later."""
    return {
        "cycle_status": CycleStatus.PENDING.value,
        "lease_token": None,
        "lease_until": None,
        "next_eligible_at": now,
    }
